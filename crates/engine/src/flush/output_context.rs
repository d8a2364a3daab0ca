//! The settings that all tables of one flush or compaction share.

use crate::base::KeyOrder;
use crate::budget::KeptFree;
use crate::compress::CompressionType;
use crate::env::clock;
use crate::env::sync::atomic::AtomicBool;
use crate::fs::FileSystem;
use crate::fs::info_log::InfoLog;
use crate::hooks::TableFileCreationReason;
use crate::options::{ColumnFamilyOptions, DbOptions};
use crate::version::{Counters, DataPaths};
use std::path::Path;
use std::sync::Arc;

/// The settings that all tables of one job share.
pub struct OutputContext<'a> {
    /// The file system in which files are created.
    pub fs: &'a Arc<dyn FileSystem>,
    /// The database directory.
    pub dir: &'a Path,
    /// The directories of the column family's tables.
    pub paths: &'a DataPaths,
    /// The index of the directory for the tables.
    pub path_id: u32,
    /// The database's options.
    pub db_options: Arc<DbOptions>,
    /// The column family's options.
    pub options: Arc<ColumnFamilyOptions>,
    /// The order of keys.
    pub order: &'a KeyOrder,
    /// The column family's number.
    pub column_family_id: u32,
    /// The column family's name.
    pub column_family_name: &'a str,
    /// The identity of the database.
    pub db_id: &'a str,
    /// The identity of this opening of the database.
    pub session_id: &'a str,
    /// The host's name.
    pub host: &'a str,
    /// The level of the tables.
    pub level: usize,
    /// The codec of their blocks.
    pub compression: CompressionType,
    /// The size in bytes at which the job starts another table; 0 if it writes only one.
    pub target_file_size: u64,
    /// Whether there is no data below these tables.
    pub bottommost: bool,
    /// When the oldest data in them was written, in seconds since 1970; 0 if unknown.
    pub oldest_ancestor_time: u64,
    /// Allocates file numbers.
    pub counters: &'a Counters,
    /// The number of the table, if the job writes only one and has allocated its number already.
    pub file_number: Option<u64>,
    /// The job's number.
    pub job_id: i32,
    /// The destination of log lines about the tables.
    pub info_log: &'a Arc<InfoLog>,
    /// The reason for creating the tables.
    pub reason: TableFileCreationReason,
    /// Whether the database is closing; jobs stop soon after it is set.
    pub cancelled: &'a Arc<AtomicBool>,
    /// Space that the job must leave free.
    pub kept_free: Option<Arc<KeptFree>>,
}

impl OutputContext<'_> {
    /// Returns the directory of the tables.
    pub(crate) fn table_dir(&self) -> &Path {
        self.paths.dir(self.path_id)
    }
}

/// Returns the seconds since 1970.
pub(crate) fn now_seconds() -> u64 {
    clock::since_1970().as_secs()
}
