//! Moving column families: all tables of a family are exported to a directory with their metadata from the MANIFEST,
//! and a new family, in this or another database, is created from them.

use super::checkpoint::Checkpoint;
use crate::base::key::user_key;
use crate::catalog::Orphans;
use crate::commit::Quiesced;
use crate::db::{ColumnFamily, Db};
use crate::error::{Error, Result};
use crate::external::copy::Staging;
use crate::external::{ExportImportFilesMetaData, LiveFileMetaData, table_boundaries};
use crate::flush::now_seconds;
use crate::fs::filename;
use crate::open::Core;
use crate::options::{ColumnFamilyOptions, FlushOptions, ImportColumnFamilyOptions};
use crate::session::ColumnFamilyData;
use crate::version::{FileMeta, FileStats, VersionEdit};
use std::path::Path;
use std::sync::Arc;

impl Checkpoint {
    /// Creates the directory `dir`, which must not exist, with the tables of a column family, after a flush. The result
    /// is the input of [`Db::create_cf_with_import`].
    pub fn export_column_family(
        &self,
        cf: &ColumnFamily,
        dir: impl AsRef<Path>,
    ) -> Result<ExportImportFilesMetaData> {
        self.db().core().export(&cf.data, dir.as_ref())
    }
}

impl Db {
    /// Creates a column family from exported files. If there are several exports, they must not overlap; they become
    /// one family.
    pub fn create_cf_with_import(
        &self,
        name: &str,
        options: &ColumnFamilyOptions,
        import_options: &ImportColumnFamilyOptions,
        exports: &[&ExportImportFilesMetaData],
    ) -> Result<ColumnFamily> {
        let inner = &self.core();
        Ok(ColumnFamily::new(inner.import(name, options, import_options, exports)?))
    }
}

/// A file to be added to the new family.
struct Import<'a> {
    from: &'a LiveFileMetaData,
    number: u64,
    meta: FileMeta,
}

impl Core {
    fn export(
        &self,
        family: &Arc<ColumnFamilyData>,
        name: &Path,
    ) -> Result<ExportImportFilesMetaData> {
        self.session.check_may_write()?;
        let target = self.new_directory(name, "Specified export_dir exists")?;
        let Some(target) = target else {
            return Err(Error::invalid_argument("Specified export_dir invalid"));
        };
        let mut staging = Staging::new(&*self.session.fs, &target, self.session.options.use_fsync)?;
        self.jobs.flusher().flush(&[family], &FlushOptions::default())?;
        let _kept = self.files.pause_file_deletions();
        let metadata = self.column_family_metadata(family)?;
        let mut files: Vec<_> = metadata.levels.into_iter().flat_map(|level| level.files).collect();
        for file in &mut files {
            self.take_table(&mut staging, &file.path())?;
            file.db_path = name.to_owned();
            // RocksDB omits these in an export: files belong to no family until they are imported.
            file.column_family_name.clear();
            (file.num_entries, file.num_deletions) = (0, 0);
        }
        staging.finish()?;
        self.session.info_log.info(format_args!(
            "[{}] exported {} files into {}",
            family.name,
            files.len(),
            name.display()
        ));
        Ok(ExportImportFilesMetaData { db_comparator_name: family.order.name().to_owned(), files })
    }

    fn import(
        &self,
        name: &str,
        options: &ColumnFamilyOptions,
        import_options: &ImportColumnFamilyOptions,
        exports: &[&ExportImportFilesMetaData],
    ) -> Result<Arc<ColumnFamilyData>> {
        let ours = options.comparator.name();
        if exports.iter().any(|export| export.db_comparator_name != ours) {
            return Err(Error::invalid_argument("Comparator name mismatch"));
        }
        let family = self.create_family(name, options)?;
        let imported = self.import_into(&family, import_options, exports);
        if let Err(e) = imported {
            if let Err(left) = self.drop_family(&family) {
                self.session
                    .info_log
                    .error(format_args!("DropColumnFamily failed with error {left}"));
            }
            return Err(e);
        }
        Ok(family)
    }

    fn import_into(
        &self,
        family: &Arc<ColumnFamilyData>,
        options: &ImportColumnFamilyOptions,
        exports: &[&ExportImportFilesMetaData],
    ) -> Result<()> {
        let total = exports.iter().map(|export| export.files.len() as u64).sum::<u64>();
        let mut number = self.catalog.reserve_numbers(total.max(1))?;
        let mut imports = Vec::with_capacity(exports.len());
        for export in exports {
            imports.push(self.examine_import(family, export, &mut number)?);
        }
        check_ranges(family, &imports)?;
        let mut brought = Orphans::new(&self.catalog);
        for import in imports.iter().flatten() {
            let from = import.from.path();
            let to = filename::table_file_name(family.paths.main(), import.number);
            let (number, links) = (import.number, options.move_files);
            self.bring_in(&mut brought, &from, (number, to), links, true)?;
        }
        self.session.fs.sync_dir(family.paths.main())?;
        let originals: Vec<_> = imports.iter().flatten().map(|i| i.from.path()).collect();
        self.install_imports(family, imports)?;
        brought.claim(|_| true);
        if options.move_files {
            for path in originals {
                if let Err(e) = self.session.fs.remove_file(&path) {
                    self.session.info_log.warn(format_args!(
                        "{} was added to DB successfully but failed to remove original file link : {e}",
                        path.display()
                    ));
                }
            }
        }
        Ok(())
    }

    /// Examines the files of one export, oldest first.
    fn examine_import<'a>(
        &self,
        family: &ColumnFamilyData,
        export: &'a ExportImportFilesMetaData,
        number: &mut u64,
    ) -> Result<Vec<Import<'a>>> {
        if export.files.is_empty() {
            return Err(Error::invalid_argument("The list of files is empty"));
        }
        let mut files: Vec<&LiveFileMetaData> = export.files.iter().collect();
        files.sort_by_key(|file| (file.epoch_number, file.largest_seqno));
        let mut imports = Vec::with_capacity(files.len());
        for from in files {
            let meta = self.examine_imported(family, from, *number)?;
            imports.push(Import { from, number: *number, meta });
            *number += 1;
        }
        Ok(imports)
    }

    fn examine_imported(
        &self,
        family: &ColumnFamilyData,
        from: &LiveFileMetaData,
        number: u64,
    ) -> Result<FileMeta> {
        let path = from.path();
        let table =
            self.destination(family).open(&*self.session.fs, &path, number, from.largest_seqno)?;
        let p = table.properties();
        if p.num_entries == 0 {
            return Err(Error::invalid_argument("File contain no entries"));
        }
        let trailer = crate::base::key::TRAILER_SIZE;
        let (smallest, largest) = match (&from.smallest, &from.largest) {
            (s, l) if s.len() >= trailer && l.len() >= trailer => (s.clone(), l.clone()),
            _ => table_boundaries(&table, &family.order)?,
        };
        let size = self.session.fs.file_size(&path)?;
        let mut meta = FileMeta::new(number, size, smallest, largest);
        (meta.smallest_seqno, meta.largest_seqno) = (from.smallest_seqno, from.largest_seqno);
        let now = now_seconds();
        (meta.oldest_ancestor_time, meta.file_creation_time) = (now, now);
        let id = (&p.db_id, &p.db_session_id, p.orig_file_number);
        meta.unique_id = crate::base::checksum::unique_id(id.0, id.1, id.2);
        if p.tail_start_offset != 0 {
            meta.tail_size = size.saturating_sub(p.tail_start_offset);
        }
        meta.set_stats(FileStats::of(p));
        Ok(meta)
    }

    /// Adds all files with one MANIFEST record. If their sequence numbers are newer than ours, ours continue after
    /// theirs.
    fn install_imports(
        &self,
        family: &ColumnFamilyData,
        imports: Vec<Vec<Import<'_>>>,
    ) -> Result<()> {
        let mut edit = VersionEdit::for_column_family(family.id);
        let mut newest = 0;
        for import in imports.into_iter().flatten() {
            newest = newest.max(import.meta.largest_seqno);
            edit.add_file(import.from.level, Arc::new(import.meta));
        }
        let _held = self.catalog.controller().hold();
        Quiesced::begin(&self.commit)?.install(vec![edit], newest)
    }
}

/// Checks that exports that become one family do not overlap.
fn check_ranges(family: &ColumnFamilyData, imports: &[Vec<Import<'_>>]) -> Result<()> {
    let order = &family.order;
    let mut ranges: Vec<(&[u8], &[u8])> = Vec::with_capacity(imports.len());
    for files in imports {
        let smallest = files.iter().map(|file| user_key(&file.meta.smallest));
        let largest = files.iter().map(|file| user_key(&file.meta.largest));
        ranges.extend(
            smallest
                .min_by(|a, b| order.compare_user(a, b))
                .zip(largest.max_by(|a, b| order.compare_user(a, b))),
        );
    }
    ranges.sort_by(|a, b| order.compare_user(a.0, b.0));
    if ranges.windows(2).any(|pair| order.compare_user(pair[0].1, pair[1].0).is_ge()) {
        return Err(Error::invalid_argument("CFs have overlapping ranges"));
    }
    Ok(())
}
