//! The files that make up the database now, for users who list, copy or watch them.

use super::handles::{ColumnFamily, Db};
use crate::error::Result;
use crate::external::{ColumnFamilyMetaData, LevelMetaData, LiveFileMetaData, LiveFiles};
use crate::fs::filename;
use crate::open::Core;
use crate::options;
use crate::session::{ColumnFamilyData, dropped};
use crate::version::FileMeta;
use std::path::Path;
use std::sync::Arc;

impl Db {
    /// Returns the metadata of every live table, family by family, from level 0 down.
    pub fn live_files_metadata(&self) -> Vec<LiveFileMetaData> {
        self.core().live_files_metadata()
    }

    /// Returns the metadata of a column family's levels and files.
    pub fn column_family_metadata(&self, cf: &ColumnFamily) -> Result<ColumnFamilyMetaData> {
        self.core().column_family_metadata(&cf.data)
    }

    /// Returns the files that together are a copy of the database. With `flush`, memtables are flushed first. Call
    /// [`Db::disable_file_deletions`] before, so that the files still exist when you copy them.
    pub fn live_files(&self, flush: bool) -> Result<LiveFiles> {
        self.core().live_files(flush)
    }

    /// Prevents the deletion of obsolete files until [`Db::enable_file_deletions`] has been called as many times.
    pub fn disable_file_deletions(&self) -> Result<()> {
        let core = self.core();
        core.session.health.check_open()?;
        core.session.check_may_write()?;
        core.files.disable_file_deletions();
        Ok(())
    }

    /// Reverts one [`Db::disable_file_deletions`]. Reverting the last one deletes obsolete files.
    pub fn enable_file_deletions(&self) -> Result<()> {
        let core = self.core();
        core.session.health.check_open()?;
        core.session.check_may_write()?;
        core.files.enable_file_deletions();
        Ok(())
    }
}

impl Core {
    fn live_files_metadata(&self) -> Vec<LiveFileMetaData> {
        let mut files = Vec::new();
        for (family, version) in self.catalog.current_versions() {
            files.extend(version.all_files().map(|(n, file)| self.describe(&family, n, file)));
        }
        files
    }

    pub(crate) fn column_family_metadata(
        &self,
        family: &Arc<ColumnFamilyData>,
    ) -> Result<ColumnFamilyMetaData> {
        let state = self.catalog.state();
        let cf = state.families.get(&family.id).ok_or_else(|| dropped(&family.name))?;
        let version = Arc::clone(&cf.current);
        drop(state);
        let level = |n: usize| LevelMetaData {
            level: n,
            size: version.level_bytes(n),
            files: version.files(n).iter().map(|f| self.describe(family, n, f)).collect(),
        };
        Ok(ColumnFamilyMetaData {
            size: version.total_bytes(),
            file_count: version.total_files(),
            name: family.name.clone(),
            levels: (0..version.num_levels()).map(level).collect(),
        })
    }

    fn describe(&self, family: &ColumnFamilyData, level: usize, f: &FileMeta) -> LiveFileMetaData {
        if !f.has_stats() {
            // Opening the table provides its counts. A file that cannot be opened has no counts.
            let _ = family.tables.find(f);
        }
        LiveFileMetaData::new(family.paths.dir(f.path_id), &family.name, level, f)
    }

    fn live_files(&self, flush: bool) -> Result<LiveFiles> {
        if flush {
            self.jobs.flusher().flush_all()?;
        }
        let mut versions = self.catalog.versions();
        self.session.health.check_open()?;
        self.catalog.ensure_manifest(&mut versions)?;
        let tables = self.catalog.current_versions();
        let manifest_file_size = versions.manifest_size();
        let root = Path::new("/");
        let mut paths: Vec<_> = tables
            .iter()
            .flat_map(|(_, version)| version.all_files())
            .map(|(_, file)| filename::table_file_name(root, file.number))
            .collect();
        paths.push(filename::current_file_name(root));
        paths.push(filename::manifest_file_name(root, versions.manifest_number()));
        drop(versions);
        let options = options::newest_options_file(&*self.session.fs, &self.session.dir)?;
        paths.extend(options.as_deref().and_then(Path::file_name).map(|name| root.join(name)));
        let names = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Ok(LiveFiles { names, manifest_file_size })
    }
}
