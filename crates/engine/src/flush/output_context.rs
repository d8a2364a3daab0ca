//! What all tables of one flush or compaction have in common.

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

/// What all tables of one job have in common.
pub struct OutputContext<'a> {
    /// Where files are made.
    pub fs: &'a Arc<dyn FileSystem>,
    /// The database directory.
    pub dir: &'a Path,
    /// Where the column family's tables are.
    pub paths: &'a DataPaths,
    /// Which of these the tables go to.
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
    /// Identity of the database.
    pub db_id: &'a str,
    /// Identity of this opening of the database.
    pub session_id: &'a str,
    /// The host's name.
    pub host: &'a str,
    /// The level the tables are for.
    pub level: usize,
    /// The codec of their blocks.
    pub compression: CompressionType,
    /// The size at which the job starts another table; 0 if it makes one only.
    pub target_file_size: u64,
    /// Nothing lies below them.
    pub bottommost: bool,
    /// When the oldest data in them was written, in seconds since 1970; 0 unknown.
    pub oldest_ancestor_time: u64,
    /// Gives out file numbers.
    pub counters: &'a Counters,
    /// The number of the table, where the job makes one and gave it a number before.
    pub file_number: Option<u64>,
    /// The job's number.
    pub job_id: i32,
    /// Where lines about the tables go.
    pub info_log: &'a Arc<InfoLog>,
    /// What the job does.
    pub reason: TableFileCreationReason,
    /// Whether the database is closing: jobs stop soon after it is set.
    pub cancelled: &'a Arc<AtomicBool>,
    /// Space that the job leaves to others.
    pub kept_free: Option<Arc<KeptFree>>,
}

impl OutputContext<'_> {
    /// The directory that the tables go to.
    pub(crate) fn table_dir(&self) -> &Path {
        self.paths.dir(self.path_id)
    }
}

/// Seconds since 1970.
pub(crate) fn now_seconds() -> u64 {
    clock::since_1970().as_secs()
}
