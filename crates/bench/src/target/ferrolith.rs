//! Ferrolith, called as any Rust program would call it.

use super::expiry::ExpiredTimeFilter;
use super::families::Families;
use super::ferrolith_session::Thread;
use super::{Engine, ReadMode, Result, Session, TableFile, Target, WriteMode};
use crate::flags::Flags;
use ferrolith::internal::db::backup::{
    BackupEngine, BackupEngineOptions, CreateBackupOptions, RestoreOptions,
};
use ferrolith::internal::db::{ColumnFamily, ColumnFamilyDescriptor, PlainDb};
use ferrolith::internal::error::rocksdb_text;
use ferrolith::internal::external::LiveFileMetaData;
use ferrolith::internal::options::{
    BottommostLevelCompaction, CompactRangeOptions, FlushOptions, Options,
};
use ferrolith::internal::txn::{OptimisticTransactionDb, TransactionDb, TransactionDbOptions};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The engine and the options that databases are opened with.
pub(super) struct Ferrolith {
    dir: PathBuf,
    options: Options,
    notices: Vec<String>,
    flags: Flags,
    families: Families,
    clock: Arc<AtomicU64>,
}

impl Ferrolith {
    /// With the options that the flags ask for.
    pub(super) fn new(flags: &Flags) -> Result<Ferrolith> {
        let (dir, _) = super::directories(flags);
        let (mut options, notices) = super::ferrolith_options::options(flags)?;
        let clock = Arc::default();
        if let Some(filter) = ExpiredTimeFilter::of(flags, &clock) {
            options.cf.compaction_filter = Some(Arc::new(filter));
        }
        Ok(Ferrolith {
            dir,
            options,
            notices,
            flags: flags.clone(),
            families: Families::new(flags)?,
            clock,
        })
    }

    fn descriptors(&self) -> Vec<ColumnFamilyDescriptor> {
        let of = |name| ColumnFamilyDescriptor::new(name, self.options.cf.clone());
        self.families.names().map(of).collect()
    }
}

pub(super) fn text(error: ferrolith::Error) -> String {
    rocksdb_text(&error)
}

impl Engine for Ferrolith {
    fn name(&self) -> String {
        format!("version {}", env!("CARGO_PKG_VERSION"))
    }

    fn open(&self) -> Result<Arc<dyn Target>> {
        if !self.flags.on("readonly") {
            super::make_directories(&self.flags)?;
        }
        let (options, dir, families) = (&self.options.db, &self.dir, self.descriptors());
        let opened = if self.flags.on("readonly") {
            PlainDb::open_cf_for_read_only(options, dir, families, false)
                .map(|(db, cfs)| (Kind::Plain(db), cfs))
        } else if self.flags.on("transaction_db") {
            TransactionDb::open_cf(options, &TransactionDbOptions::default(), dir, families)
                .map(|(db, cfs)| (Kind::Locking(db), cfs))
        } else if self.flags.on("optimistic_transaction_db") {
            OptimisticTransactionDb::open_cf(options, dir, families)
                .map(|(db, cfs)| (Kind::Optimistic(db), cfs))
        } else {
            PlainDb::open_cf(options, dir, families).map(|(db, cfs)| (Kind::Plain(db), cfs))
        };
        let (kind, families) = opened.map_err(|error| format!("open error: {}", text(error)))?;
        let subcompactions = options.max_subcompactions;
        Ok(Arc::new(Database {
            kind,
            families,
            order: self.families.clone(),
            clock: Arc::clone(&self.clock),
            subcompactions,
        }))
    }

    fn destroy(&self) -> Result<()> {
        super::remove_files(&self.flags)
    }

    fn notices(&self) -> Vec<String> {
        self.notices.clone()
    }
}

/// An opened database.
pub(super) enum Kind {
    /// A plain database, possibly read-only.
    Plain(PlainDb),
    /// With pessimistic transactions; its own writes take locks too.
    Locking(TransactionDb),
    /// With transactions that are checked at commit.
    Optimistic(OptimisticTransactionDb),
}

impl Kind {
    /// The database itself.
    pub(super) fn db(&self) -> &PlainDb {
        match self {
            Kind::Plain(db) => db,
            Kind::Locking(db) => db.db(),
            Kind::Optimistic(db) => db.db(),
        }
    }
}

/// An open database.
pub(super) struct Database {
    pub(super) kind: Kind,
    pub(super) families: Vec<ColumnFamily>,
    pub(super) order: Families,
    clock: Arc<AtomicU64>,
    subcompactions: u32,
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Err(error) = self.kind.db().close() {
            eprintln!("close: {error}");
        }
    }
}

impl Database {
    fn backups(&self, flags: &Flags) -> Result<BackupEngine> {
        let mut options = BackupEngineOptions::new(flags.text("backup_dir"));
        options.backup_rate_limit = flags.uint("backup_rate_limit");
        options.restore_rate_limit = flags.uint("restore_rate_limit");
        BackupEngine::open(options).map_err(text)
    }
}

impl Target for Database {
    fn session(&self, read: ReadMode, write: WriteMode) -> Result<Box<dyn Session + '_>> {
        Ok(Box::new(Thread::new(self, read, write)))
    }

    fn property(&self, name: &str) -> Option<String> {
        self.kind.db().property(name)
    }

    fn compact(&self, rewrite_last: bool) -> Result<()> {
        let options = CompactRangeOptions {
            bottommost_level_compaction: match rewrite_last {
                true => BottommostLevelCompaction::ForceOptimized,
                false => BottommostLevelCompaction::default(),
            },
            max_subcompactions: self.subcompactions,
            ..CompactRangeOptions::default()
        };
        let compact = |cf| self.kind.db().compact_range_cf(&options, cf, None, None);
        self.families.iter().try_for_each(compact).map_err(text)
    }

    fn compact_level(&self, level: usize) -> Result<String> {
        let db = self.kind.db();
        let levels: Vec<usize> = db.live_files_metadata().iter().map(|file| file.level).collect();
        let first = levels.iter().copied().filter(|&l| (l > 0) == (level > 0)).min();
        let Some(from) = first else {
            return Ok(format!("compact{level} found 0 files to compact"));
        };
        let count = levels.iter().filter(|&&l| l == from).count();
        let Some(to) = levels.iter().copied().filter(|&l| l > from).min() else {
            return Ok(format!("compact{level} found no data beyond L{from}"));
        };
        db.compact_level(&db.default_cf(), from).map_err(text)?;
        Ok(format!("compact{level} found {count} files to compact from L{from} to L{to}"))
    }

    fn table_files(&self) -> Result<Vec<TableFile>> {
        let db = self.kind.db();
        let family = db.column_family_metadata(&db.default_cf()).map_err(text)?;
        let files = family.levels.into_iter().flat_map(|level| level.files);
        let file = |file: LiveFileMetaData| TableFile {
            level: file.level,
            name: file.name,
            size: file.size,
        };
        Ok(files.map(file).collect())
    }

    fn push_level(&self, level: usize) -> Result<()> {
        let db = self.kind.db();
        db.compact_level(&db.default_cf(), level).map_err(text)
    }

    fn verify_checksums(&self) -> Result<()> {
        self.kind.db().verify_checksums().map_err(text)
    }

    fn clock(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.clock)
    }

    fn flush(&self) -> Result<()> {
        let families: Vec<&ColumnFamily> = self.families.iter().collect();
        self.kind.db().flush_cfs(&FlushOptions::default(), &families).map_err(text)
    }

    fn wait_for_compaction(&self) -> Result<()> {
        self.kind.db().wait_for_compact().map_err(text)
    }

    fn statistics(&self) -> Option<String> {
        self.kind.db().property("rocksdb.options-statistics")
    }

    fn reset_statistics(&self) -> Result<()> {
        if let Some(statistics) = self.kind.db().statistics() {
            statistics.reset();
        }
        Ok(())
    }

    fn backup(&self, flags: &Flags) -> Result<()> {
        let how =
            CreateBackupOptions { flush_before_backup: true, ..CreateBackupOptions::default() };
        self.backups(flags)?.create_new_backup_with(self.kind.db(), &how).map(|_| ()).map_err(text)
    }

    fn restore(&self, flags: &Flags) -> Result<()> {
        let dir = flags.text("restore_dir");
        self.backups(flags)?.restore_from_latest(dir, dir, &RestoreOptions::default()).map_err(text)
    }
}
