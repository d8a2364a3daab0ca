//! The public API: the types and functions that programs use, re-exported at the root of the crate.
//!
//! Everything here is a thin layer over the other folders: types that own what they need, methods with and without
//! options, and checks that a handle or a snapshot belongs to the database with which it is used. No other folder
//! imports this one.

#![deny(missing_debug_implementations)]

#[cfg(feature = "tokio")]
pub mod async_db;
pub mod backup;
mod batch;
pub mod changes;
pub mod checkpoint;
mod column_family;
mod cursor;
mod db;
mod error;
pub mod events;
mod exports;
mod hooks;
pub mod ingest;
#[doc(hidden)]
#[allow(missing_docs)]
pub mod internal;
mod iter;
mod key_range;
mod lookups;
mod maintenance;
pub mod merge;
mod open;
mod options;
mod read_options;
mod snapshot;
pub mod transaction;
mod value;

#[cfg(feature = "tokio")]
pub use async_db::{AsyncDb, AsyncIter};
pub use batch::{Record, Records, ToBatch, WriteBatch};
pub use changes::{Change, Changes};
pub use column_family::ColumnFamily;
pub use cursor::Cursor;
pub use db::Db;
pub use error::ErrorKind;
pub use exports::ExportedColumnFamily;
pub use hooks::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, Comparator, FilterDecision,
    MergeOperator, SliceTransform,
};
pub use ingest::SstFileWriter;
pub use iter::Iter;
pub use key_range::KeyRange;
pub use options::{
    BlockBasedOptions, ColumnFamilyOptions, CompactionPri, CompactionStyle, CompressionType,
    DbPath, InfoLogLevel, MemtableFactory, Options, PlainTableOptions, WalRecoveryMode,
};
pub use read_options::{IoPriority, ReadOptions, ReadTier, WriteOptions};
pub use snapshot::Snapshot;
pub use value::{Key, Value};

pub use crate::base::{ReverseBytewiseComparator, SeqNo};
pub use crate::budget::{MemoryAccount, RateLimiter, SstFileManager, WriteBufferManager};
pub use crate::cache::Cache;
pub use crate::error::{Code, Severity, SubCode};
pub use crate::external::{ColumnFamilyMetaData, LevelMetaData, LiveFileMetaData};
pub use crate::fs::info_log::{LogLevel, Logger};
pub use crate::hooks::RemoveEmptyValueFilter;
pub use crate::options::{
    BottommostLevelCompaction, CompactRangeOptions, FlushOptions, IngestExternalFileOptions,
    WaitForCompactOptions,
};
pub use crate::stats::{
    HistogramData, HistogramType, PROMETHEUS_CONTENT_TYPE, Statistics, StatsLevel, Ticker,
    prometheus_text,
};

#[cfg(feature = "tracing")]
pub use crate::hooks::TracingListener;
