//! Options: RocksDB's names and the defaults of RocksDB 10.10.
//!
//! An option of a database, family or table format is one row of a table: [`DbOptions`] in `db.rs`,
//! [`ColumnFamilyOptions`] in `cf.rs`, the formats in `block_based.rs` and `table.rs`, and nested options in
//! `compaction.rs` and `compression.rs`. The row has the field and its docs, the default, the engine's support for the
//! option, whether the option is changeable while the database is open, and its line in LOG. [`registry`] explains
//! rows. Options of single calls (`read_write.rs`, `ingest.rs`) have no rows. Limits on values, and on combinations of
//! options, are in `sanitize.rs`. To add an option, follow the table "How to change" in ARCHITECTURE.md.
//!
//! Most fields are plain values. Objects that a program supplies are `Arc`s. Those that RocksDB names in OPTIONS files
//! or LOG (comparator, merge operator, block cache) have a row; the others are [`Components`].

mod block_based;
mod cf;
mod change;
mod compaction;
mod components;
mod compression;
mod db;
mod dump;
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
pub use components::Components;
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
    PLAIN_TABLE_FILE_SIZE_MAX, background_job_limits, default_arena_block_size, inherit_from_db,
    sanitize_cf, sanitize_db, settings_without_effect, validate_cf, validate_db,
};
pub use table::{CuckooTableOptions, PlainTableEncoding, PlainTableOptions, TableFactory};
