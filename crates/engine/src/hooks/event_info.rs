//! The data of events for listeners: plain structs with RocksDB's names.

use super::{CompactionReason, FlushReason, TableFileCreationReason, WriteStallCondition};
use crate::base::SeqNo;
use crate::compress::CompressionType;
use crate::error::Result;
use std::path::PathBuf;

/// The figures in a table's properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableFigures {
    /// Bytes of data blocks.
    pub data_size: u64,
    /// Bytes of the index.
    pub index_size: u64,
    /// Bytes of the filter.
    pub filter_size: u64,
    /// Bytes of keys before compression.
    pub raw_key_size: u64,
    /// Bytes of values before compression.
    pub raw_value_size: u64,
    /// Data blocks.
    pub num_data_blocks: u64,
    /// Entries.
    pub num_entries: u64,
    /// Tombstones.
    pub num_deletions: u64,
    /// Merge operands.
    pub num_merge_operands: u64,
    /// The codec's name.
    pub compression_name: String,
}

/// A flush.
#[derive(Clone, Debug)]
pub struct FlushJobInfo {
    /// The column family's number.
    pub cf_id: u32,
    /// The column family's name.
    pub cf_name: String,
    /// The table it writes.
    pub file_path: PathBuf,
    /// The table's number.
    pub file_number: u64,
    /// The thread that runs it.
    pub thread_id: u64,
    /// The job's number, unique in an open database.
    pub job_id: i32,
    /// Whether level 0 has so many files that writers are delayed.
    pub triggered_writes_slowdown: bool,
    /// Whether level 0 has so many files that writers are stopped.
    pub triggered_writes_stop: bool,
    /// The oldest sequence number in the table; before the flush, the largest possible number.
    pub smallest_seqno: SeqNo,
    /// The newest sequence number in the table; before the flush, 0.
    pub largest_seqno: SeqNo,
    /// The table, once it is written.
    pub table_properties: TableFigures,
    /// Why the flush was started.
    pub flush_reason: FlushReason,
}

/// A flush that a user requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualFlushInfo {
    /// The column family's number.
    pub cf_id: u32,
    /// The column family's name.
    pub cf_name: String,
    /// Why the flush was started.
    pub flush_reason: FlushReason,
}

/// A file that a compaction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionFileInfo {
    /// Its level.
    pub level: i32,
    /// Its number.
    pub file_number: u64,
}

/// The figures of a compaction or a sub-compaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompactionJobStats {
    /// How long it took.
    pub elapsed_micros: u64,
    /// Processor time of the threads that ran it.
    pub cpu_micros: u64,
    /// Entries read.
    pub num_input_records: u64,
    /// Files read.
    pub num_input_files: usize,
    /// Files that were only moved to another level.
    pub num_input_files_trivially_moved: usize,
    /// Files read that were in the output level.
    pub num_input_files_at_output_level: usize,
    /// Entries written.
    pub num_output_records: u64,
    /// Files written.
    pub num_output_files: usize,
    /// Whether it read every file of the column family.
    pub is_full_compaction: bool,
    /// Whether a user requested it.
    pub is_manual_compaction: bool,
    /// Bytes of files read.
    pub total_input_bytes: u64,
    /// Bytes of files written.
    pub total_output_bytes: u64,
    /// Entries dropped because a newer one hides them.
    pub num_records_replaced: u64,
    /// Bytes of keys read.
    pub total_input_raw_key_bytes: u64,
    /// Bytes of values read.
    pub total_input_raw_value_bytes: u64,
    /// Tombstones read.
    pub num_input_deletion_records: u64,
    /// Tombstones dropped because they no longer hide any entry.
    pub num_expired_deletion_records: u64,
    /// Keys that could not be parsed.
    pub num_corrupt_keys: u64,
}

impl CompactionJobStats {
    /// Adds the input and output of a sub-compaction.
    pub fn add_output(&mut self, part: &CompactionJobStats) {
        self.cpu_micros += part.cpu_micros;
        self.num_input_records += part.num_input_records;
        self.num_output_records += part.num_output_records;
        self.num_output_files += part.num_output_files;
        self.total_output_bytes += part.total_output_bytes;
        self.num_records_replaced += part.num_records_replaced;
        self.num_input_deletion_records += part.num_input_deletion_records;
        self.num_expired_deletion_records += part.num_expired_deletion_records;
        self.num_corrupt_keys += part.num_corrupt_keys;
    }
}

/// A compaction.
#[derive(Clone, Debug)]
pub struct CompactionJobInfo {
    /// The column family's number.
    pub cf_id: u32,
    /// The column family's name.
    pub cf_name: String,
    /// The result.
    pub status: Result<()>,
    /// The thread that runs it.
    pub thread_id: u64,
    /// The job's number, unique in an open database.
    pub job_id: i32,
    /// Files in level 0.
    pub num_l0_files: usize,
    /// The first input level.
    pub base_input_level: i32,
    /// The output level.
    pub output_level: i32,
    /// The files that it reads.
    pub input_files: Vec<PathBuf>,
    /// The same files, with levels and numbers.
    pub input_file_infos: Vec<CompactionFileInfo>,
    /// The files that it wrote.
    pub output_files: Vec<PathBuf>,
    /// The same files, with levels and numbers.
    pub output_file_infos: Vec<CompactionFileInfo>,
    /// Why it was picked.
    pub compaction_reason: CompactionReason,
    /// The codec of its output.
    pub compression: CompressionType,
    /// Its figures.
    pub stats: CompactionJobStats,
}

/// A sub-compaction: a part of a compaction that runs on its own thread.
#[derive(Clone, Debug)]
pub struct SubcompactionJobInfo {
    /// The column family's number.
    pub cf_id: u32,
    /// The column family's name.
    pub cf_name: String,
    /// The result.
    pub status: Result<()>,
    /// The thread that runs it.
    pub thread_id: u64,
    /// The number of the compaction.
    pub job_id: i32,
    /// The number of the part.
    pub subcompaction_job_id: i32,
    /// The first input level of the compaction.
    pub base_input_level: i32,
    /// The output level.
    pub output_level: i32,
    /// Why the compaction was picked.
    pub compaction_reason: CompactionReason,
    /// The codec of its output.
    pub compression: CompressionType,
    /// Its figures.
    pub stats: CompactionJobStats,
}

/// A table that is being created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFileCreationBriefInfo {
    /// The database directory.
    pub db_name: PathBuf,
    /// The column family's name.
    pub cf_name: String,
    /// The path of the table.
    pub file_path: PathBuf,
    /// The job's number.
    pub job_id: i32,
    /// Why the table is created.
    pub reason: TableFileCreationReason,
}

/// A table that was created, or could not be.
#[derive(Clone, Debug)]
pub struct TableFileCreationInfo {
    /// The path of the table, and why it was created.
    pub brief: TableFileCreationBriefInfo,
    /// Its size in bytes.
    pub file_size: u64,
    /// The figures of its content.
    pub table_properties: TableFigures,
    /// The result.
    pub status: Result<()>,
}

/// A table that was deleted.
#[derive(Clone, Debug)]
pub struct TableFileDeletionInfo {
    /// The database directory.
    pub db_name: PathBuf,
    /// The path of the table.
    pub file_path: PathBuf,
    /// The job's number.
    pub job_id: i32,
    /// The result.
    pub status: Result<()>,
}

/// A memtable that accepts no more writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemTableInfo {
    /// The column family's name.
    pub cf_name: String,
    /// The sequence number of its first entry.
    pub first_seqno: SeqNo,
    /// No entry is older than this.
    pub earliest_seqno: SeqNo,
    /// The number of its entries.
    pub num_entries: u64,
    /// The number of its tombstones.
    pub num_deletes: u64,
}

/// An ingested file, which became part of the database.
#[derive(Clone, Debug)]
pub struct ExternalFileIngestionInfo {
    /// The column family's name.
    pub cf_name: String,
    /// The original path.
    pub external_file_path: PathBuf,
    /// The path in the database.
    pub internal_file_path: PathBuf,
    /// The sequence number that its entries got.
    pub global_seqno: SeqNo,
    /// The figures of its content.
    pub table_properties: TableFigures,
}

/// A column family whose stall condition has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteStallInfo {
    /// The column family's name.
    pub cf_name: String,
    /// The current condition.
    pub cur: WriteStallCondition,
    /// The previous condition.
    pub prev: WriteStallCondition,
}

/// A column family handle that is released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnFamilyHandleInfo {
    /// The column family's number.
    pub cf_id: u32,
    /// The column family's name.
    pub cf_name: String,
}
