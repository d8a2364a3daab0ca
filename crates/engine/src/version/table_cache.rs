//! The table cache: finds or opens the reader of a file.
//!
//! It has two modes, like RocksDB's `max_open_files`. With -1 a reader stays open as long as its
//! [`FileMeta`] lives, and a lookup finds it without a lock or a reference count. Otherwise
//! [`OpenTables`] keeps a bounded number of readers, shared by all column families, and closes
//! approximately the least recently used one. Closing only drops a reference: active users keep the
//! file open.
//!
//! The cache may be used from many threads. Two threads may open the same file concurrently; one
//! reader is kept, and both work.

use super::{DataPaths, FileMeta, FileStats};
use crate::base::KeyOrder;
use crate::base::checksum::unique_id;
use crate::base::iterator::EmptyIterator;
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::budget::{EvictsTables, LimitedReads, MemoryAccount, RateLimiter};
use crate::cache::Cache;
use crate::env::sync::RwLock;
use crate::env::sync::std_atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::error::{Error, Result};
use crate::fs::counted::CountedReads;
use crate::fs::filename::leveldb_table_file_name;
use crate::fs::{FileSystem, RandomAccessFile, ReadMode};
use crate::hooks::SliceTransform;
use crate::options::{ColumnFamilyOptions, TableFactory};
use crate::sst::{Table, TableIterOptions, TableIterator, TableReadContext as Context};
use crate::stats::{self, HistogramType, Statistics, Ticker, Timer};
use std::collections::HashMap;
use std::sync::Arc;

type Reader = Arc<dyn RandomAccessFile>;
type Opened = Result<Arc<Table>>;

/// Opens the tables of one column family and keeps their readers.
pub struct TableCache {
    fs: Arc<dyn FileSystem>,
    paths: DataPaths,
    order: KeyOrder,
    factory: TableFactory,
    prefix_extractor: Option<Arc<dyn SliceTransform>>,
    block_cache: Option<Arc<Cache>>,
    read_mode: ReadMode,
    /// Whether the system is told that tables are read at random.
    random_reads: bool,
    /// `None` means that every reader stays open with its file.
    open_tables: Option<Arc<OpenTables>>,
    rate_limiter: Option<Arc<RateLimiter>>,
    statistics: Option<Arc<Statistics>>,
    memory: Option<Arc<MemoryAccount>>,
}

impl TableCache {
    /// A cache for the tables in `paths`. Without `open_tables`, readers stay open with their
    /// files.
    pub fn new(
        fs: Arc<dyn FileSystem>,
        paths: DataPaths,
        opts: &ColumnFamilyOptions,
        block_cache: Option<Arc<Cache>>,
        read_mode: ReadMode,
        open_tables: Option<Arc<OpenTables>>,
    ) -> TableCache {
        TableCache {
            fs,
            paths,
            order: KeyOrder::new(Arc::clone(&opts.comparator)),
            factory: opts.table_factory.clone(),
            prefix_extractor: opts.prefix_extractor.clone(),
            block_cache,
            read_mode,
            random_reads: false,
            open_tables,
            rate_limiter: None,
            statistics: None,
            memory: None,
        }
    }

    /// Sets the account to which the memory of tables and their iterators is charged.
    #[must_use]
    pub fn with_memory(mut self, memory: Option<Arc<MemoryAccount>>) -> TableCache {
        self.memory = memory;
        self
    }

    /// Sets whether the system is told that tables are read at random, if they are read through the page cache.
    #[must_use]
    pub fn with_random_reads(mut self, yes: bool) -> TableCache {
        self.random_reads = yes && self.read_mode == ReadMode::Buffered;
        self
    }

    /// The account of the database's memory, if it has a limit.
    pub(crate) fn memory(&self) -> Option<&Arc<MemoryAccount>> {
        self.memory.as_ref()
    }

    /// Sets the statistics that count opened files and uses of filters and of the block cache.
    #[must_use]
    pub fn with_statistics(mut self, statistics: Option<Arc<Statistics>>) -> TableCache {
        self.statistics = statistics;
        self
    }

    /// Whether an opened reader stays open as long as its file's metadata lives.
    #[inline]
    pub fn pins_readers(&self) -> bool {
        self.open_tables.is_none()
    }

    /// Sets a rate limiter for reads from the files.
    #[must_use]
    pub fn with_rate_limiter(mut self, limiter: Option<Arc<RateLimiter>>) -> TableCache {
        self.rate_limiter = limiter;
        self
    }

    /// The reader of a file, which is opened if necessary.
    pub fn find(&self, file: &FileMeta) -> Result<Arc<Table>> {
        self.find_or(file, Table::open)
    }

    /// Like `find`, for one of many files that are not read yet; see [`Table::open_late`].
    pub fn find_late(&self, file: &FileMeta, memory: &mut Vec<u8>) -> Result<Arc<Table>> {
        self.find_or(file, |reader, ctx| Table::open_late(reader, ctx, memory))
    }

    fn find_or(&self, file: &FileMeta, open: impl FnOnce(Reader, &Context) -> Opened) -> Opened {
        match &self.open_tables {
            None => match file.pinned_reader() {
                Some(table) => Ok(Arc::clone(table)),
                None => Ok(Arc::clone(file.pin_reader(self.open(file, open)?))),
            },
            Some(open_tables) => match open_tables.get(file.number) {
                Some(table) => Ok(table),
                None => {
                    let table = self.open(file, open)?;
                    open_tables.insert(file.number, Arc::clone(&table));
                    Ok(table)
                }
            },
        }
    }

    /// Returns an iterator over a file, or over the error of opening it.
    pub fn iter(&self, file: &FileMeta, options: &TableIterOptions) -> TableIterator {
        match self.find(file) {
            Ok(table) => table.iter(options),
            Err(e) => TableIterator::Failed(EmptyIterator::with_error(e)),
        }
    }

    /// Removes the reader of a file that is about to be deleted.
    pub fn evict(&self, number: u64) {
        if let Some(open_tables) = &self.open_tables {
            open_tables.remove(number);
        }
    }

    /// Opens a file and checks its size and unique id against the MANIFEST.
    fn open(&self, file: &FileMeta, open: impl FnOnce(Reader, &Context) -> Opened) -> Opened {
        let timer = Timer::start(&self.statistics, HistogramType::TableOpenIoMicros);
        let perf_timer = PerfTimer::start(PerfMetric::FindTableNanos);
        let opened = self.open_and_check(file, open);
        drop((perf_timer, timer));
        let outcome = if opened.is_ok() { Ticker::NoFileOpens } else { Ticker::NoFileErrors };
        stats::add(&self.statistics, outcome, 1);
        opened
    }

    fn open_and_check(
        &self,
        file: &FileMeta,
        open: impl FnOnce(Reader, &Context) -> Opened,
    ) -> Opened {
        let reader = self.open_file(file)?;
        let (statistics, is_last) = (self.statistics.as_ref(), file.is_at_last_level());
        let reader = LimitedReads::wrap(reader, self.rate_limiter.as_ref(), statistics);
        let reader = CountedReads::wrap(reader, statistics, is_last, file.temperature);
        let ctx = Context {
            cache: self.block_cache.clone(),
            statistics: self.statistics.clone(),
            memory: self.memory.clone(),
            random_reads: self.random_reads,
            at_last_level: is_last,
            ..self.bare_context(file)
        };
        check_opened(file, reader, &ctx, open)
    }

    /// Opens a file for itself, past the caches and without statistics.
    #[cfg(any(test, debug_assertions))]
    pub(super) fn open_apart(&self, file: &FileMeta) -> Opened {
        check_opened(file, self.open_file(file)?, &self.bare_context(file), Table::open)
    }

    /// Where a file is.
    #[cfg(any(test, debug_assertions))]
    pub(super) fn path(&self, file: &FileMeta) -> std::path::PathBuf {
        self.paths.table(file)
    }

    /// What a reader needs that uses no cache and counts nothing.
    fn bare_context(&self, file: &FileMeta) -> Context {
        Context {
            order: self.order.clone(),
            factory: self.factory.clone(),
            prefix_extractor: self.prefix_extractor.clone(),
            cache: None,
            mmap: self.read_mode == ReadMode::Mapped,
            file_number: file.number,
            global_seqno: Some(file.largest_seqno),
            statistics: None,
            memory: None,
            random_reads: false,
            at_last_level: false,
        }
    }

    /// Opens `N.sst`, or `N.ldb` if only that exists.
    fn open_file(&self, file: &FileMeta) -> Result<Arc<dyn RandomAccessFile>> {
        let path = self.paths.table(file);
        self.read_mode.open(&*self.fs, &path).or_else(|error| {
            let old = leveldb_table_file_name(self.paths.dir(file.path_id), file.number);
            if !error.is_path_not_found() || !self.fs.exists(&old)? {
                return Err(error);
            }
            self.read_mode.open(&*self.fs, &old)
        })
    }
}

/// Opens a table and compares it with its metadata: size and unique id.
fn check_opened(
    file: &FileMeta,
    reader: Reader,
    ctx: &Context,
    open: impl FnOnce(Reader, &Context) -> Opened,
) -> Opened {
    let path = reader.path().to_path_buf();
    if reader.size() != file.file_size {
        return Err(Error::corruption(format!(
            "Sst file size mismatch between expected {} and file system {} sstable: {}: the expected size \
             comes from the MANIFEST",
            file.file_size,
            reader.size(),
            path.display()
        ))
        .explained(format!(
            "table {} has {} bytes; the MANIFEST says {}",
            path.display(),
            reader.size(),
            file.file_size
        ))
.about_file(&path));
    }
    let mut table = open(reader, ctx)?;
    if let Some(table) = Arc::get_mut(&mut table) {
        table.clip_range_tombstones(&file.smallest, &file.largest);
    }
    let p = table.properties();
    let found = unique_id(&p.db_id, &p.db_session_id, p.orig_file_number);
    if file.unique_id.is_some() && file.unique_id != found {
        return Err(Error::corruption(format!(
            "{}: Mismatch in unique ID on table file {}: expected {} as in the MANIFEST, \
             found {} in its properties",
            path.display(),
            file.number,
            hex(file.unique_id),
            hex(found)
        )));
    }
    file.set_stats(FileStats::of(p));
    Ok(table)
}

fn hex(id: Option<[u8; 16]>) -> String {
    id.map_or("none".to_owned(), |id| id.iter().map(|b| format!("{b:02x}")).collect())
}

/// A bounded number of open readers, by file number. It uses the CLOCK algorithm: a hit sets a bit
/// under a shared lock; the hand clears bits and closes the first reader whose bit is not set.
pub struct OpenTables {
    clock: RwLock<Clock>,
    capacity: AtomicUsize,
}

#[derive(Default)]
struct Clock {
    slot_of: HashMap<u64, usize>,
    slots: Vec<Slot>,
    hand: usize,
}

struct Slot {
    number: u64,
    table: Arc<Table>,
    used: AtomicBool,
}

impl OpenTables {
    /// Room for `capacity` readers, at least one.
    pub fn new(capacity: usize) -> OpenTables {
        OpenTables {
            clock: RwLock::new(Clock::default()),
            capacity: AtomicUsize::new(capacity.max(1)),
        }
    }

    /// Changes the maximum number of readers. All are dropped; those in use will be opened again.
    pub fn set_capacity(&self, capacity: usize) {
        self.capacity.store(capacity.max(1), Ordering::Relaxed);
        let _closed = std::mem::take(&mut *self.clock.write());
    }

    /// The number of readers.
    pub fn len(&self) -> usize {
        self.clock.read().slots.len()
    }

    /// Whether there are no readers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn get(&self, number: u64) -> Option<Arc<Table>> {
        let clock = self.clock.read();
        let slot = &clock.slots[*clock.slot_of.get(&number)?];
        slot.used.store(true, Ordering::Relaxed);
        Some(Arc::clone(&slot.table))
    }

    fn insert(&self, number: u64, table: Arc<Table>) {
        // Dropped after the lock is released: closing a file may take long.
        let _closed =
            self.clock.write().insert(number, table, self.capacity.load(Ordering::Relaxed));
    }

    pub(crate) fn remove(&self, number: u64) {
        let _closed = self.clock.write().remove(number);
    }
}

impl EvictsTables for OpenTables {
    fn evict(&self, bytes: usize) -> usize {
        let mut closed = Vec::new();
        let mut freed = 0;
        let mut clock = self.clock.write();
        // Each reader may be passed twice: the first time the hand clears its bit.
        for _ in 0..2 * clock.slots.len() {
            if freed >= bytes || clock.slots.is_empty() {
                break;
            }
            let victim = clock.next_victim();
            let slot = &clock.slots[victim];
            if Arc::strong_count(&slot.table) == 1 {
                freed += slot.table.memory_usage();
                let number = slot.number;
                closed.extend(clock.remove(number));
            }
        }
        // Dropped after the lock is released: closing a file may take long.
        drop(clock);
        drop(closed);
        freed
    }
}

impl Clock {
    fn insert(&mut self, number: u64, table: Arc<Table>, capacity: usize) -> Option<Slot> {
        if self.slot_of.contains_key(&number) {
            return None;
        }
        let slot = Slot { number, table, used: AtomicBool::new(true) };
        if self.slots.len() < capacity {
            self.slot_of.insert(number, self.slots.len());
            self.slots.push(slot);
            return None;
        }
        let victim = self.next_victim();
        self.slot_of.remove(&self.slots[victim].number);
        self.slot_of.insert(number, victim);
        Some(std::mem::replace(&mut self.slots[victim], slot))
    }

    fn next_victim(&mut self) -> usize {
        loop {
            let at = self.hand % self.slots.len();
            self.hand = at + 1;
            if !self.slots[at].used.swap(false, Ordering::Relaxed) {
                return at;
            }
        }
    }

    fn remove(&mut self, number: u64) -> Option<Slot> {
        let at = self.slot_of.remove(&number)?;
        let slot = self.slots.swap_remove(at);
        if let Some(moved) = self.slots.get(at) {
            self.slot_of.insert(moved.number, at);
        }
        Some(slot)
    }
}

#[cfg(test)]
#[path = "table_cache_test.rs"]
mod tests;
