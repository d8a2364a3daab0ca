//! What one opening of a database shares: where its files are, how it was opened, who writes.
//!
//! Built once, when the MANIFEST was read; recovery uses it first, then the database
//! holds it. Nothing in it changes while the database is open, apart from counters, flags, and the
//! options that `SetDBOptions` changes.

use super::family::ColumnFamilyData;
use super::health::Health;
use crate::budget::MemtableShare;
use crate::compaction::picker::compression_for_flush;
use crate::env::live::Live;
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::env::sync::std_atomic::AtomicU64;
use crate::error::Result;
use crate::flush::OutputContext;
use crate::fs::info_log::InfoLog;
use crate::fs::read_only::read_only_error;
use crate::fs::{FileSystem, WritableOptions, filename};
use crate::hooks::TableFileCreationReason;
use crate::options::{ColumnFamilyOptions, DbOptions, TableFactory};
use crate::stats::Statistics;
use crate::version::{Counters, DataPaths, OpenTables, TableCache};
use crate::wal::LogWriter;
use std::path::PathBuf;
use std::sync::Arc;

/// Who wrote the tables: part of every table's properties and unique id.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) db_id: String,
    pub(crate) session_id: String,
    pub(crate) host: String,
}

/// One opening of a database.
pub(crate) struct Session {
    /// Tells this opening from every other one in the process.
    pub(crate) serial: u64,
    pub(crate) fs: Arc<dyn FileSystem>,
    pub(crate) dir: PathBuf,
    pub(crate) wal_dir: PathBuf,
    /// As the database was opened; what can change meanwhile is in `live_options`.
    pub(crate) options: DbOptions,
    pub(crate) changed_options: Live<DbOptions>,
    pub(crate) identity: Identity,
    pub(crate) info_log: Arc<InfoLog>,
    pub(crate) counters: Arc<Counters>,
    /// Counts what is done, if the options ask for it.
    pub(crate) statistics: Option<Arc<Statistics>>,
    /// What memtables may use, and what they do.
    pub(crate) memtable_share: Option<MemtableShare>,
    /// Bounds the open tables of all families; `None` keeps all open.
    pub(crate) open_tables: Option<Arc<OpenTables>>,
    /// Opened for reading only: nothing is written, no thread runs.
    pub(crate) read_only: bool,
    /// Values end with the time of their write; see `utilities/ttl.rs`.
    pub(crate) stamped: AtomicBool,
    /// Whether it may be written, and whether it is being closed.
    pub(crate) health: Health,
}

/// A number that no other opening in this process has; 0 is never given out.
pub(crate) fn next_serial() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Session {
    /// The options in force: those that the database was opened with, and what `SetDBOptions` has
    /// changed.
    pub(crate) fn live_options(&self) -> Arc<DbOptions> {
        self.changed_options.load()
    }

    /// An error where the database was opened for reading only.
    pub(crate) fn check_may_write(&self) -> Result<()> {
        if self.read_only { Err(read_only_error()) } else { Ok(()) }
    }

    /// Values end with the time of their write from now on.
    pub(crate) fn stamp_values(&self) {
        self.stamped.store(true, Ordering::Release);
    }

    /// Whether values end with the time of their write.
    #[inline]
    pub(crate) fn stamps_values(&self) -> bool {
        self.stamped.load(Ordering::Acquire)
    }

    /// A column family of this database, without memtables and versions yet.
    pub(crate) fn family(
        &self,
        id: u32,
        name: &str,
        options: ColumnFamilyOptions,
    ) -> Arc<ColumnFamilyData> {
        let paths = DataPaths::new(&*self.fs, &self.dir, &options.cf_paths);
        let tables = self.table_cache(&options, paths.clone());
        Arc::new(ColumnFamilyData::new(id, name, options, paths, tables))
    }

    /// What opens the tables of a family.
    fn table_cache(&self, options: &ColumnFamilyOptions, paths: DataPaths) -> Arc<TableCache> {
        let block_cache = match &options.table_factory {
            TableFactory::BlockBased(table) if table.no_block_cache => None,
            TableFactory::BlockBased(table) => table.block_cache.clone(),
            _ => None,
        };
        let fs = Arc::clone(&self.fs);
        let mmap = self.options.allow_mmap_reads;
        let open_tables = self.open_tables.clone();
        let cache = TableCache::new(fs, paths, options, block_cache, mmap, open_tables);
        Arc::new(
            cache
                .with_statistics(self.statistics.clone())
                .with_rate_limiter(self.options.rate_limiter.clone()),
        )
    }

    /// What the tables of a flush have in common. A compaction changes the fields of its level.
    pub(crate) fn output_context<'a>(&'a self, family: &'a ColumnFamilyData) -> OutputContext<'a> {
        let options = family.options();
        OutputContext {
            fs: &self.fs,
            dir: &self.dir,
            paths: &family.paths,
            path_id: 0,
            db_options: self.live_options(),
            order: &family.order,
            column_family_id: family.id,
            column_family_name: &family.name,
            db_id: &self.identity.db_id,
            session_id: &self.identity.session_id,
            host: &self.identity.host,
            level: 0,
            compression: compression_for_flush(&options),
            target_file_size: 0,
            options,
            bottommost: false,
            oldest_ancestor_time: 0,
            counters: &self.counters,
            cancelled: self.health.stopped(),
            file_number: None,
            job_id: 0,
            info_log: &self.info_log,
            reason: TableFileCreationReason::Flush,
            kept_free: None,
        }
    }

    /// A new, empty WAL for memtables of up to `write_buffer_size` bytes.
    pub(crate) fn new_wal(&self, write_buffer_size: usize) -> Result<LogWriter> {
        let number = self.counters.new_file_number();
        let size = write_buffer_size as u64;
        let opts = WritableOptions {
            preallocate: size + size / 10,
            log: !self.options.manual_wal_flush,
            bytes_per_sync: self.live_options().wal_bytes_per_sync,
            use_fsync: self.options.use_fsync,
            outlives_full_disk: true,
            no_allocation: !self.options.allow_fallocate,
        };
        let file = self.fs.new_writable(&filename::wal_file_name(&self.wal_dir, number), opts)?;
        Ok(LogWriter::new(file, number))
    }
}
