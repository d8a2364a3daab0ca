//! Who wants to be told what the engine does.
//!
//! Calls come from the engine's threads and from threads that write, never under a lock of the
//! engine: a listener may read and write the database. It must be quick, since the job that tells
//! it waits, and it must not close the database or wait for the job that it is told of.

use super::{
    BackgroundErrorReason, ColumnFamilyHandleInfo, CompactionJobInfo, ExternalFileIngestionInfo,
    FlushJobInfo, ManualFlushInfo, MemTableInfo, SubcompactionJobInfo, TableFileCreationBriefInfo,
    TableFileCreationInfo, TableFileDeletionInfo, WriteStallInfo,
};
use crate::error::Error;
use std::any::Any;
use std::path::Path;

/// The database that something happened in. `Db::of_event` makes a handle of it.
#[derive(Clone, Copy)]
pub struct EventDb<'a> {
    /// The directory.
    pub path: &'a Path,
    /// What the engine makes handles of.
    pub(crate) inner: &'a (dyn Any + Send + Sync),
}

impl std::fmt::Debug for EventDb<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EventDb({})", self.path.display())
    }
}

/// Callbacks for events; each does nothing unless it is given a body. The names are RocksDB's.
#[expect(unused_variables, reason = "the names of parameters are documentation")]
pub trait EventListener: Send + Sync {
    /// A flush is about to write its table.
    fn on_flush_begin(&self, db: EventDb<'_>, info: &FlushJobInfo) {}
    /// A flush has made its table part of the database.
    fn on_flush_completed(&self, db: EventDb<'_>, info: &FlushJobInfo) {}
    /// A user asked for a flush.
    fn on_manual_flush_scheduled(&self, db: EventDb<'_>, infos: &[ManualFlushInfo]) {}
    /// A compaction is about to run.
    fn on_compaction_begin(&self, db: EventDb<'_>, info: &CompactionJobInfo) {}
    /// A compaction has ended, well or not.
    fn on_compaction_completed(&self, db: EventDb<'_>, info: &CompactionJobInfo) {}
    /// A part of a compaction is about to run.
    fn on_subcompaction_begin(&self, info: &SubcompactionJobInfo) {}
    /// A part of a compaction has ended, well or not.
    fn on_subcompaction_completed(&self, info: &SubcompactionJobInfo) {}
    /// A table is about to be written.
    fn on_table_file_creation_started(&self, info: &TableFileCreationBriefInfo) {}
    /// A table was written, or could not be.
    fn on_table_file_created(&self, info: &TableFileCreationInfo) {}
    /// A table was deleted.
    fn on_table_file_deleted(&self, info: &TableFileDeletionInfo) {}
    /// A memtable takes no more writes.
    fn on_memtable_sealed(&self, info: &MemTableInfo) {}
    /// A handle of a column family is let go.
    fn on_column_family_handle_deletion_started(&self, info: &ColumnFamilyHandleInfo) {}
    /// A file became part of the database.
    fn on_external_file_ingested(&self, db: EventDb<'_>, info: &ExternalFileIngestionInfo) {}
    /// Something failed, and writes are about to stop. What the listener leaves in `error` counts:
    /// with `None` writes go on.
    fn on_background_error(&self, reason: BackgroundErrorReason, error: &mut Option<Error>) {}
    /// The engine is about to try again by itself.
    fn on_error_recovery_begin(&self, reason: BackgroundErrorReason, error: &Error) {}
    /// Writes go on after this error.
    fn on_error_recovery_completed(&self, old_error: &Error) {}
    /// Writers of a column family go faster or slower than before.
    fn on_stall_conditions_changed(&self, info: &WriteStallInfo) {}
}
