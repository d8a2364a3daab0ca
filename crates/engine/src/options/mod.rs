//! Settings: plain data with RocksDB's names and the defaults of RocksDB 10.10.
//!
//! `Default` is the documentation of defaults. Parts that a user supplies (comparator, merge
//! operator, cache, file system) sit beside the plain settings as counted objects.

mod cf;
mod db;
mod file;
pub mod parse;
mod read_write;
pub mod registry;
mod sanitize;
mod table;

pub use cf::{
    ColumnFamilyOptions, CompactionPri, CompactionStyle, CompressionOptions, MemtableFactory,
};
pub use db::{DbOptions, Options, WalRecoveryMode};
pub use file::{
    OptionsFile, ROCKSDB_VERSION, newest_options_file, options_file_text, read_options_file,
    write_options_file,
};
pub use read_write::{
    BottommostLevelCompaction, CompactRangeOptions, FlushOptions, ReadOptions, WriteOptions,
};
pub use registry::{OptionSet, Row, Support};
pub use sanitize::{
    PLAIN_TABLE_FILE_SIZE_MAX, background_job_limits, sanitize, sanitize_cf, sanitize_db,
    settings_without_effect, validate, validate_cf, validate_db,
};
pub use table::{
    BlockBasedTableOptions, ChecksumType, DataBlockIndexType, FilterPolicy, IndexType,
    PlainTableEncoding, PlainTableOptions, TableFactory,
};
