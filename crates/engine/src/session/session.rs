//! The session: the state of one opening of a database. It holds the directories, the options, and the identity that
//! new tables record.
//!
//! It is created when the MANIFEST has been read. Recovery uses it first, then the open database owns it. While the
//! database is open, only counters, flags, and the options that `SetDBOptions` changes are mutable.

use super::family::ColumnFamilyData;
use super::health::Health;
use crate::budget::{Charge, MemoryAccount, MemtableShare};
use crate::compaction::picker::compression_for_flush;
use crate::env::live::Live;
use crate::env::sync::atomic::Ordering;
use crate::env::sync::std_atomic::AtomicU64;
use crate::error::Result;
use crate::flush::OutputContext;
use crate::fs::info_log::InfoLog;
use crate::fs::read_only::read_only_error;
use crate::fs::{FileSystem, WritableOptions, filename};
use crate::hooks::TableFileCreationReason;
use crate::memtable::{AllocatorCell, SpareChunks};
use crate::options::{ColumnFamilyOptions, DbOptions, TableFactory};
use crate::stats::Statistics;
use crate::version::{Counters, DataPaths, OpenTables, TableCache};
use crate::wal::LogWriter;
use std::path::PathBuf;
use std::sync::Arc;

/// The writer's identity, which is part of every table's properties and unique id.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) db_id: String,
    pub(crate) session_id: String,
    pub(crate) host: String,
}

/// One opening of a database.
pub(crate) struct Session {
    /// The number of this opening, unique in the process.
    pub(crate) serial: u64,
    pub(crate) fs: Arc<dyn FileSystem>,
    pub(crate) dir: PathBuf,
    pub(crate) wal_dir: PathBuf,
    /// The options at opening. The options that can change are in `live_options`.
    pub(crate) options: DbOptions,
    pub(crate) changed_options: Live<DbOptions>,
    pub(crate) identity: Identity,
    pub(crate) info_log: Arc<InfoLog>,
    pub(crate) counters: Arc<Counters>,
    /// The statistics, if the options enable them.
    pub(crate) statistics: Option<Arc<Statistics>>,
    /// The shares of memtable budgets, which limit and track memory: of the user's budget or the database's own, and of
    /// the memory account.
    pub(crate) memtable_shares: Vec<MemtableShare>,
    /// The charge for mapped logs.
    pub(crate) _log_memory: Option<Charge>,
    /// Memory of flushed memtables, kept for the next ones.
    pub(crate) spare_chunks: Arc<SpareChunks>,
    /// Allocates sequence numbers, once the database is open.
    pub(crate) allocator: Arc<AllocatorCell>,
    /// Limits the open tables of all families; `None` keeps all tables open.
    pub(crate) open_tables: Option<Arc<OpenTables>>,
    /// Whether the database is read-only: nothing is written, and no thread runs.
    pub(crate) read_only: bool,
    /// Whether the database can be written, and whether it is closing.
    pub(crate) health: Health,
}

/// Returns a number that no other opening in this process has. It is never 0.
pub(crate) fn next_serial() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Session {
    /// Returns the options in force: those at opening, with the changes by `SetDBOptions`.
    pub(crate) fn live_options(&self) -> Arc<DbOptions> {
        self.changed_options.load()
    }

    /// Returns the spare memory for new memtables. With a limit for all memory there is none: what memtables give up
    /// must be available to caches.
    pub(crate) fn memtable_spares(&self) -> Option<Arc<SpareChunks>> {
        self.memory().is_none().then(|| Arc::clone(&self.spare_chunks))
    }

    /// Returns the account of the database's memory, if it has a limit.
    pub(crate) fn memory(&self) -> Option<&Arc<MemoryAccount>> {
        self.options.components.memory_account.as_ref()
    }

    /// Returns an error if the database was opened read-only.
    pub(crate) fn check_may_write(&self) -> Result<()> {
        if self.read_only { Err(read_only_error()) } else { Ok(()) }
    }

    /// Creates the shared data of a column family, without memtables and versions yet.
    pub(crate) fn family(
        &self,
        id: u32,
        name: &str,
        options: ColumnFamilyOptions,
    ) -> Arc<ColumnFamilyData> {
        let paths = DataPaths::new(&*self.fs, &self.dir, &options.cf_paths);
        let tables = self.table_cache(&options, paths.clone());
        Arc::new(ColumnFamilyData::new(
            id,
            name,
            options,
            paths,
            tables,
            Arc::clone(&self.allocator),
        ))
    }

    /// Creates the table cache of a family.
    fn table_cache(&self, options: &ColumnFamilyOptions, paths: DataPaths) -> Arc<TableCache> {
        let block_cache = match &options.table_factory {
            TableFactory::BlockBased(table) if table.no_block_cache => None,
            TableFactory::BlockBased(table) => table.block_cache.clone(),
            _ => None,
        };
        if let (Some(account), Some(cache)) = (self.memory(), &block_cache) {
            account.add_cache(cache);
        }
        let fs = Arc::clone(&self.fs);
        let read_mode = self.options.read_mode();
        let open_tables = self.open_tables.clone();
        let cache = TableCache::new(fs, paths, options, block_cache, read_mode, open_tables);
        Arc::new(
            cache
                .with_statistics(self.statistics.clone())
                .with_memory(self.memory().cloned())
                .with_random_reads(self.options.advise_random_on_open)
                .with_rate_limiter(self.options.rate_limiter.clone()),
        )
    }

    /// Returns the settings that the tables of a flush share. A compaction changes the fields that depend on its level.
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

    /// Creates a new, empty WAL for memtables of up to `write_buffer_size` bytes.
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
            ..WritableOptions::default()
        };
        let file = self.fs.new_writable(&filename::wal_file_name(&self.wal_dir, number), opts)?;
        Ok(LogWriter::new(file, number))
    }
}
