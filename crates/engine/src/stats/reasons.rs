//! Why some counters of RocksDB stay 0. `docs/statistics.md` prints these sentences.

pub(super) const BLOBS: &str = "Blob files are not supported.";
pub(super) const SECONDARY_CACHE: &str = "There is no secondary cache.";
pub(super) const OTHER_CACHE: &str =
    "RocksDB has had no such cache for years; nothing feeds it there either.";
pub(super) const ROW_CACHE: &str = "There is no row cache: `row_cache` has no effect.";
pub(super) const READ_AMP: &str = "`read_amp_bytes_per_bit` has no effect.";
pub(super) const PARTS_ONCE: &str = "Index, filter and dictionary are charged to the cache with their table and cannot be added twice.";
pub(super) const SUPER_VERSIONS: &str =
    "Lookups pin an epoch and take no reference to a super-version.";
pub(super) const DB_MUTEX: &str =
    "There is no one mutex of the database; the locks that there are instead are not timed.";
pub(super) const NO_LEADER: &str =
    "No writer writes for others: each is counted in `rocksdb.write.self`.";
pub(super) const OPEN_TABLES: &str = "Properties always come from an open table.";
pub(super) const WRITE_PREPARED: &str = "Transactions write when they are committed; this belongs to those that write when they are prepared.";
pub(super) const TRASH: &str =
    "The trash belongs to the SST file manager, which databases with other statistics may share.";
pub(super) const RETRIES: &str =
    "A job that failed is run again by its own thread, and not counted apart.";
pub(super) const REMOTE: &str = "Compactions do not run on other machines.";
pub(super) const SCAN_FILTER: &str = "Scans do not ask the prefix filter.";
pub(super) const VALUE_READS: &str = "It would cost a branch for each value that is read.";
pub(super) const NO_ASYNC: &str = "Reads are synchronous.";
pub(super) const TAIL: &str =
    "Opening a table reads its footer, index and filter where they are, and prefetches no tail.";
pub(super) const TIMESTAMPS: &str = "Tables are not filtered by timestamps.";
pub(super) const TRIMMED: &str = "Readahead is not trimmed.";
pub(super) const TEMPERATURE: &str = "FIFO compaction does not change temperatures.";
pub(super) const RECONSTRUCT: &str = "No file system reconstructs damaged reads.";
pub(super) const NO_WBWI: &str = "Batches are not ingested as memtables.";
pub(super) const NO_INDEX_FACTORY: &str = "There are no indexes of the user.";
pub(super) const KEY_BY_KEY: &str =
    "With statistics the keys of a MultiGet are looked up one by one, not in batches per table.";
pub(super) const DISCARDED: &str =
    "It is `rocksdb.prefetch.bytes` less `rocksdb.prefetch.bytes.useful`.";
pub(super) const NO_MULTISCAN: &str = "There are no scans of several ranges.";
