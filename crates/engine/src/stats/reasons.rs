//! Why some counters of RocksDB stay 0. `docs/statistics.md` prints these sentences.

pub(super) const BLOBS: &str = "Blob files are not supported.";
pub(super) const SECONDARY_CACHE: &str = "There is no secondary cache.";
pub(super) const OTHER_CACHE: &str =
    "RocksDB no longer has this cache and does not count it either.";
pub(super) const ROW_CACHE: &str = "There is no row cache: `row_cache` has no effect.";
pub(super) const READ_AMP: &str = "`read_amp_bytes_per_bit` has no effect.";
pub(super) const PARTS_ONCE: &str = "Index, filter and dictionary are charged to the cache with their table and cannot be added twice.";
pub(super) const SUPER_VERSIONS: &str =
    "Lookups pin an epoch and take no reference to a super-version.";
pub(super) const DB_MUTEX: &str =
    "There is no single database mutex, and the other locks are not timed.";
pub(super) const NO_LEADER: &str =
    "Each writer writes for itself and is counted in `rocksdb.write.self`.";
pub(super) const OPEN_TABLES: &str = "Properties always come from an open table.";
pub(super) const WRITE_PREPARED: &str =
    "It concerns the policies write-prepared and write-unprepared, which are not supported.";
pub(super) const TRASH: &str =
    "The trash belongs to the SST file manager, which databases with other statistics may share.";
pub(super) const RETRIES: &str =
    "A failed job is retried by its own thread and not counted separately.";
pub(super) const REMOTE: &str = "Remote compaction is not supported.";
pub(super) const VALUE_READS: &str = "Counting it would cost a branch for each value read.";
pub(super) const NO_ASYNC: &str = "Reads are synchronous.";
pub(super) const TAIL: &str =
    "Opening a table reads footer, index and filter separately and prefetches no tail.";
pub(super) const TIMESTAMPS: &str = "Tables are not filtered by timestamps.";
pub(super) const TRIMMED: &str = "Readahead is not trimmed.";
pub(super) const TEMPERATURE: &str = "FIFO compaction does not change temperatures.";
pub(super) const RECONSTRUCT: &str = "No file system reconstructs damaged reads.";
pub(super) const NO_WBWI: &str = "Batches are not ingested as memtables.";
pub(super) const NO_INDEX_FACTORY: &str = "User-defined indexes are not supported.";
pub(super) const KEY_BY_KEY: &str =
    "With statistics the keys of a MultiGet are looked up one by one, not in batches per table.";
pub(super) const DISCARDED: &str =
    "It equals `rocksdb.prefetch.bytes` minus `rocksdb.prefetch.bytes.useful`.";
pub(super) const NO_MULTISCAN: &str = "Scans of several ranges are not supported.";
pub(super) const NO_FILE_CHECKSUMS: &str = "Files have no checksums as a whole.";
