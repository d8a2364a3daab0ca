//! Options: RocksDB's names and the defaults of RocksDB 10.10.
//!
//! `Default` is the documentation of defaults. The structs hold plain values, and beside them the objects that a user
//! supplies (comparator, merge operator, cache, file system) as `Arc`s, which no text form contains but by their names.

mod block_based;
mod cf;
mod change;
mod compaction;
mod compression;
mod db;
mod dump;
mod dump_lines;
mod file;
mod ingest;
mod kinds;
mod memtable;
pub mod parse;
mod read_write;
pub mod registry;
mod sanitize;
mod table;
mod tuned;
mod unnamed;

pub use crate::budget::IoPriority;
pub use crate::stats::StatsLevel;
pub use block_based::{
    BlockBasedTableOptions, ChecksumType, DataBlockIndexType, FilterPolicy, IndexShorteningMode,
    IndexType, MetadataCacheOptions, PinningTier, PrepopulateBlockCache,
};
pub use cf::ColumnFamilyOptions;
pub use change::{change_cf, change_db};
pub use compaction::{
    CompactOnDeletion, CompactionPri, CompactionStopStyle, CompactionStyle, FifoCompactionOptions,
    FileTemperatureAge, PrepopulateBlobCache, UniversalCompactionOptions,
};
pub use compression::CompressionOptions;
pub use db::{DbOptions, Options, WalRecoveryMode};
pub use dump::{dump_cf_options, dump_db_options};
pub use file::{
    Leniency, OptionsFile, ROCKSDB_VERSION, newest_options_file, options_file_text,
    read_options_file, write_options_file,
};
pub use ingest::{ImportColumnFamilyOptions, IngestExternalFileOptions};
pub use kinds::{CacheTier, DbPath, InfoLogLevel, Temperature};
pub use memtable::MemtableFactory;
pub use read_write::{
    BottommostLevelCompaction, CompactRangeOptions, FlushOptions, ReadOptions, ReadTier,
    SizeApproximationOptions, WaitForCompactOptions, WriteOptions,
};
pub use registry::{InFile, OptionSet, Support};
pub use sanitize::{
    PLAIN_TABLE_FILE_SIZE_MAX, background_job_limits, inherit_from_db, sanitize_cf, sanitize_db,
    settings_without_effect, validate_cf, validate_db,
};
pub use table::{CuckooTableOptions, PlainTableEncoding, PlainTableOptions, TableFactory};
