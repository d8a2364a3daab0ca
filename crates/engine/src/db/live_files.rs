//! What files make up the database now, for users who list, copy or watch them.

use super::handles::{ColumnFamily, Db, dropped};
use super::state::DbInner;
use crate::error::Result;
use crate::external::{ColumnFamilyMetaData, LevelMetaData, LiveFileMetaData, LiveFiles};
use crate::fs::filename;
use crate::hooks::FlushReason;
use crate::options;
use crate::session::ColumnFamilyData;
use crate::version::{FileMeta, Version, VersionEdit, VersionSet};
use std::path::Path;
use std::sync::Arc;

impl Db {
    /// Every live table, family by family, from level 0 down.
    pub fn live_files_metadata(&self) -> Vec<LiveFileMetaData> {
        self.shared.inner.live_files_metadata()
    }

    /// The levels and files of a column family.
    pub fn column_family_metadata(&self, cf: &ColumnFamily) -> Result<ColumnFamilyMetaData> {
        self.shared.inner.column_family_metadata(&cf.data)
    }

    /// The files that, copied together, are the database; with `flush` memtables are written
    /// first. Call [`Db::disable_file_deletions`] before, so that they are there when you copy.
    pub fn live_files(&self, flush: bool) -> Result<LiveFiles> {
        self.shared.inner.live_files(flush)
    }

    /// Keeps every file, needed or not, until as many calls of [`Db::enable_file_deletions`].
    pub fn disable_file_deletions(&self) -> Result<()> {
        let inner = &self.shared.inner;
        inner.check_open()?;
        inner.check_may_write()?;
        inner.disable_file_deletions();
        Ok(())
    }

    /// Takes back one [`Db::disable_file_deletions`]; the last one deletes what is obsolete.
    pub fn enable_file_deletions(&self) -> Result<()> {
        let inner = &self.shared.inner;
        inner.check_open()?;
        inner.check_may_write()?;
        inner.enable_file_deletions();
        Ok(())
    }
}

/// A family with the version that was current when it was looked at.
pub(super) type FamilyVersion = (Arc<ColumnFamilyData>, Arc<Version>);

impl DbInner {
    /// All families with their current versions, as of one moment.
    pub(super) fn current_versions(&self) -> Vec<FamilyVersion> {
        let state = self.state.lock();
        state.families.values().map(|cf| (Arc::clone(&cf.data), Arc::clone(&cf.current))).collect()
    }

    fn live_files_metadata(&self) -> Vec<LiveFileMetaData> {
        let mut files = Vec::new();
        for (family, version) in self.current_versions() {
            files.extend(version.all_files().map(|(n, file)| self.describe(&family, n, file)));
        }
        files
    }

    pub(super) fn column_family_metadata(
        &self,
        family: &Arc<ColumnFamilyData>,
    ) -> Result<ColumnFamilyMetaData> {
        let state = self.state.lock();
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
            // Opening it gives the counts. A file that cannot be opened has none to tell.
            let _ = family.tables.find(f);
        }
        LiveFileMetaData::new(family.paths.dir(f.path_id), &family.name, level, f)
    }

    /// Flushes every family because a user asks for it.
    pub(super) fn flush_all(&self) -> Result<()> {
        self.flush_all_because(FlushReason::ManualFlush)
    }

    fn live_files(&self, flush: bool) -> Result<LiveFiles> {
        if flush {
            self.flush_all()?;
        }
        let mut versions = self.versions.lock();
        self.check_open()?;
        self.ensure_manifest(&mut versions)?;
        let tables = self.current_versions();
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
        let options = options::newest_options_file(&*self.fs, &self.dir)?;
        paths.extend(options.as_deref().and_then(Path::file_name).map(|name| root.join(name)));
        let names = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Ok(LiveFiles { names, manifest_file_size })
    }

    /// After a failed write nobody knows what the MANIFEST holds: a new one is started.
    pub(super) fn ensure_manifest(&self, versions: &mut VersionSet) -> Result<()> {
        if versions.needs_new_manifest() && !self.read_only {
            self.counters.set_last_sequence(self.order.visible());
            versions.install(vec![VersionEdit::for_column_family(0)])?;
        }
        Ok(())
    }
}
