//! This repository's engine as a [`Store`].

use crate::store::{CHURN, ExportedFile, Result, Scan, Setup, Store, Wal};
use crate::workload::{Op, Table};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::backup::{BackupEngine, BackupEngineOptions, RestoreOptions};
use ferrolith::internal::db::{Checkpoint, ColumnFamily, ColumnFamilyDescriptor, Db};
use ferrolith::internal::external::{ExportImportFilesMetaData, LiveFileMetaData, SstFileWriter};
use ferrolith::internal::options::{
    BottommostLevelCompaction, ColumnFamilyOptions, CompactRangeOptions, DbOptions, DbPath,
    FlushOptions, ImportColumnFamilyOptions, IngestExternalFileOptions, OptionSet, Options,
    ReadOptions, WriteOptions,
};
use std::collections::BTreeSet;
use std::path::Path;

/// An open database of ours.
pub struct Ours {
    db: Db,
    families: Vec<ColumnFamily>,
    options: ColumnFamilyOptions,
}

fn text(error: ferrolith::Error) -> String {
    error.to_string()
}

fn data_paths(setup: &Setup) -> Result<Vec<DbPath>> {
    let path = |(path, target_size)| DbPath { path, target_size };
    Ok(setup.data_paths()?.into_iter().map(path).collect())
}

impl Ours {
    /// Opens a database with options from strings.
    pub fn open(setup: &Setup) -> Result<Ours> {
        let mut db = DbOptions {
            create_if_missing: true,
            create_missing_column_families: true,
            ..DbOptions::default()
        };
        db.set_options(&setup.db_options()).map_err(text)?;
        db.db_paths = data_paths(setup)?;
        let mut options = ColumnFamilyOptions::default();
        options.set_options(&setup.cf).map_err(text)?;
        let mut names = setup.names();
        let there = Db::list_column_families(&db, setup.dir()).unwrap_or_default();
        names.extend(there.into_iter().filter(|name| name == CHURN));
        let descriptors =
            names.iter().map(|name| ColumnFamilyDescriptor::new(name, options.clone())).collect();
        let (db, families) = Db::open_cf(&db, setup.dir(), descriptors).map_err(text)?;
        Ok(Ours { db, families, options })
    }

    /// Adds a backup to the directory `backups`.
    pub fn back_up(&self, backups: &Path) -> Result<()> {
        let mut engine = BackupEngine::open(BackupEngineOptions::new(backups)).map_err(text)?;
        engine.create_new_backup(&self.db).map(drop).map_err(text)
    }

    /// Checks every backup in `backups`, and restores the newest one into `dir`.
    pub fn restore(backups: &Path, dir: &Path) -> Result<()> {
        let engine = BackupEngine::open(BackupEngineOptions::new(backups)).map_err(text)?;
        for backup in engine.backup_info() {
            engine.verify_backup(backup.backup_id, true).map_err(text)?;
        }
        engine.restore_from_latest(dir, dir, &RestoreOptions::default()).map_err(text)
    }

    /// Repairs a directory, whatever column families it has.
    pub fn repair(setup: &Setup) -> Result<()> {
        let mut options = Options::default();
        options.db.set_options(&setup.db_options()).map_err(text)?;
        options.db.db_paths = data_paths(setup)?;
        options.cf.set_options(&setup.cf).map_err(text)?;
        Db::repair(&options, setup.dir()).map_err(text)
    }
}

impl Store for Ours {
    fn write(&self, batch: &[Op], wal: Wal) -> Result<()> {
        let (sync, disable_wal) = (wal == Wal::Synced, wal == Wal::Skipped);
        let wo = WriteOptions { sync, disable_wal, ..WriteOptions::default() };
        let cf = |index: &usize| &self.families[*index];
        if let [op] = batch {
            // Single operations take a path of their own.
            return match op {
                Op::Put(f, key, value) => self.db.put_cf(&wo, cf(f), key, value),
                Op::Delete(f, key) => self.db.delete_cf(&wo, cf(f), key),
                Op::SingleDelete(f, key) => self.db.single_delete_cf(&wo, cf(f), key),
                Op::Merge(f, key, operand) => self.db.merge_cf(&wo, cf(f), key, operand),
                Op::DeleteRange(f, begin, end) => self.db.delete_range_cf(&wo, cf(f), begin, end),
            }
            .map_err(text);
        }
        let mut records = WriteBatch::new();
        for op in batch {
            match op {
                Op::Put(f, key, value) => records.put_cf(cf(f).id(), key, value),
                Op::Delete(f, key) => records.delete_cf(cf(f).id(), key),
                Op::SingleDelete(f, key) => records.single_delete_cf(cf(f).id(), key),
                Op::Merge(f, key, operand) => records.merge_cf(cf(f).id(), key, operand),
                Op::DeleteRange(f, begin, end) => records.delete_range_cf(cf(f).id(), begin, end),
            }
            .map_err(text)?;
        }
        self.db.write(&wo, &mut records).map_err(text)
    }

    fn get(&self, family: usize, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.db.get_cf(&ReadOptions::default(), &self.families[family], key).map_err(text)
    }

    fn scan(
        &self,
        family: usize,
        scan: Scan<'_>,
        each: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<()> {
        let prefix_only = matches!(scan, Scan::Prefix(_));
        let ro = ReadOptions {
            total_order_seek: !prefix_only,
            prefix_same_as_start: prefix_only,
            ..ReadOptions::default()
        };
        let mut it = self.db.iter_cf(&ro, &self.families[family]).map_err(text)?;
        match scan {
            Scan::Forward => it.seek_to_first(),
            Scan::Backward => it.seek_to_last(),
            Scan::Prefix(prefix) => it.seek(prefix),
        }
        while it.valid() {
            each(it.key(), it.value());
            if matches!(scan, Scan::Backward) { it.prev() } else { it.next() }
        }
        it.status().map_err(text)
    }

    fn flush(&self, family: usize) -> Result<()> {
        self.db.flush_cf(&FlushOptions::default(), &self.families[family]).map_err(text)
    }

    fn compact(&self, family: usize) -> Result<()> {
        let options = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        self.db.compact_range_cf(&options, &self.families[family], None, None).map_err(text)
    }

    fn churn(&self, key: &[u8], flush: bool) -> Result<()> {
        let result = || {
            if let Some(left_by_a_crash) = self.db.cf(CHURN) {
                self.db.drop_cf(&left_by_a_crash)?;
            }
            let family = self.db.create_cf(CHURN, &self.options)?;
            self.db.put_cf(&WriteOptions::default(), &family, key, key)?;
            if flush {
                self.db.flush_cf(&FlushOptions::default(), &family)?;
            }
            self.db.drop_cf(&family)
        };
        result().map_err(text)
    }

    fn wait(&self) -> Result<()> {
        self.db.wait_for_compact().map_err(text)
    }

    fn checkpoint(&self, dir: &Path, log_size_for_flush: u64) -> Result<()> {
        Checkpoint::new(&self.db).create(dir, log_size_for_flush).map(drop).map_err(text)
    }

    fn table(&self, path: &Path, table: &Table) -> Result<()> {
        let options = Options { cf: self.options.clone(), ..Options::default() };
        let mut writer = SstFileWriter::new(&options);
        let mut write = || {
            writer.open(path)?;
            for (begin, end) in &table.ranges {
                writer.delete_range(begin, end)?;
            }
            for (key, value) in &table.entries {
                match value {
                    Some(value) => writer.put(key, value)?,
                    None => writer.delete(key)?,
                }
            }
            writer.finish()
        };
        write().map(drop).map_err(text)
    }

    fn ingest(&self, family: usize, path: &Path) -> Result<()> {
        let options = IngestExternalFileOptions {
            verify_checksums_before_ingest: true,
            ..IngestExternalFileOptions::default()
        };
        self.db.ingest_external_file_cf(&self.families[family], &[path], &options).map_err(text)
    }

    fn export(&self, family: usize, dir: &Path) -> Result<Vec<ExportedFile>> {
        let checkpoint = Checkpoint::new(&self.db);
        let export = checkpoint.export_column_family(&self.families[family], dir).map_err(text)?;
        let told = |f: LiveFileMetaData| ExportedFile {
            seqnos: (f.smallest_seqno, f.largest_seqno),
            name: f.name,
            level: f.level,
            size: f.size,
        };
        Ok(export.files.into_iter().map(told).collect())
    }

    fn import(&self, name: &str, family: usize, dir: &Path, files: &[ExportedFile]) -> Result<()> {
        let file = |f: &ExportedFile| LiveFileMetaData {
            name: f.name.clone(),
            level: f.level,
            smallest_seqno: f.seqnos.0,
            largest_seqno: f.seqnos.1,
            size: f.size,
            db_path: dir.to_owned(),
            ..LiveFileMetaData::default()
        };
        let export = ExportImportFilesMetaData {
            db_comparator_name: "leveldb.BytewiseComparator".to_owned(),
            files: files.iter().map(file).collect(),
        };
        let how = ImportColumnFamilyOptions::default();
        self.db.drop_cf(&self.families[family]).map_err(text)?;
        self.db.create_cf_with_import(name, &self.options, &how, &[&export]).map(drop).map_err(text)
    }
}

/// The tables that a database has when it is opened for reading only: their names and levels.
pub fn tables_read_only(dir: &Path) -> Result<BTreeSet<(String, i32)>> {
    let db = Db::open_for_read_only(&Options::default(), dir, false).map_err(text)?;
    let files = db.live_files_metadata().into_iter();
    let of =
        |file: LiveFileMetaData| (file.name.trim_start_matches('/').to_owned(), file.level as i32);
    Ok(files.map(of).collect())
}
