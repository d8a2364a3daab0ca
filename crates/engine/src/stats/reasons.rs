//! The reasons why some of RocksDB's counters stay 0. `docs/statistics.md` prints these sentences.

pub(super) const BLOBS: &str = "Blob files are not supported.";
pub(super) const SECONDARY_CACHE: &str = "There is no secondary cache.";
pub(super) const OTHER_CACHE: &str =
    "RocksDB no longer has this cache and does not count it either.";
pub(super) const ROW_CACHE: &str = "There is no row cache: `row_cache` has no effect.";
pub(super) const READ_AMP: &str = "`read_amp_bytes_per_bit` has no effect.";
pub(super) const PARTS_ONCE: &str = "Indexes, filters and dictionaries are charged to the cache \
    when their table is opened and cannot be added twice.";
pub(super) const SUPER_VERSIONS: &str =
    "Lookups pin an epoch and take no reference to a super-version.";
pub(super) const DB_MUTEX: &str =
    "There is no single database mutex, and the other locks are not timed.";
pub(super) const NO_LEADER: &str =
    "Every write counts as `rocksdb.write.self`, because writers do not write for each other.";
pub(super) const OPEN_TABLES: &str = "Properties are always read from an open table.";
pub(super) const WRITE_PREPARED: &str =
    "The transaction policies write-prepared and write-unprepared are not supported.";
pub(super) const TRASH: &str =
    "The SST file manager owns the trash, and databases with different statistics may share it.";
pub(super) const RETRIES: &str =
    "The thread of a failed job retries it and does not count retries.";
pub(super) const REMOTE: &str = "Remote compaction is not supported.";
pub(super) const VALUE_READS: &str = "Counting it would cost a branch for each value read.";
pub(super) const NO_ASYNC: &str = "Reads in the background count as usual.";
pub(super) const TAIL: &str = "Footer, index and filter are read separately when a table is \
    opened; the tail is not prefetched.";
pub(super) const TIMESTAMPS: &str = "Tables are not filtered by timestamps.";
pub(super) const TEMPERATURE: &str = "FIFO compaction does not change temperatures.";
pub(super) const RECONSTRUCT: &str =
    "Ferrolith does not retry damaged reads with a file system that can reconstruct data.";
pub(super) const NO_WBWI: &str = "Batches are not ingested as memtables.";
pub(super) const NO_INDEX_FACTORY: &str = "User-defined indexes are not supported.";
pub(super) const KEY_BY_KEY: &str =
    "MultiGet reads each uncached block by itself instead of in batches per table.";
pub(super) const DISCARDED: &str =
    "It equals `rocksdb.prefetch.bytes` minus `rocksdb.prefetch.bytes.useful`.";
pub(super) const NO_MULTISCAN: &str = "Multi-range scans are not supported.";
pub(super) const NO_FILE_CHECKSUMS: &str = "Whole-file checksums are not supported.";
