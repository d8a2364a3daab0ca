//! Event listeners, which are notified of the engine's work.
//!
//! Listeners are called on the engine's threads and on writing threads, never under a lock of the engine: a listener
//! may read and write the database. It must be quick, because the job that calls it waits. It must not close the
//! database or wait for the job that called it.

use super::{
    BackgroundErrorReason, ColumnFamilyHandleInfo, CompactionJobInfo, ExternalFileIngestionInfo,
    FlushJobInfo, ManualFlushInfo, MemTableInfo, SubcompactionJobInfo, TableFileCreationBriefInfo,
    TableFileCreationInfo, TableFileDeletionInfo, WriteStallInfo,
};
use crate::error::Error;
use std::any::Any;
use std::path::Path;

/// The database of an event. `Db::of_event` creates a handle of it.
#[derive(Clone, Copy)]
pub struct EventDb<'a> {
    /// The database directory.
    pub path: &'a Path,
    /// The engine's object from which handles are created.
    pub(crate) inner: &'a (dyn Any + Send + Sync),
}

impl std::fmt::Debug for EventDb<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EventDb({})", self.path.display())
    }
}

/// Callbacks for events. The default implementations do nothing. The names are RocksDB's.
#[expect(unused_variables, reason = "the names of parameters are documentation")]
pub trait EventListener: Send + Sync {
    /// Called when a flush is about to write its table.
    fn on_flush_begin(&self, db: EventDb<'_>, info: &FlushJobInfo) {}
    /// Called when a flush has added its table to the database.
    fn on_flush_completed(&self, db: EventDb<'_>, info: &FlushJobInfo) {}
    /// Called when a user has requested a flush.
    fn on_manual_flush_scheduled(&self, db: EventDb<'_>, infos: &[ManualFlushInfo]) {}
    /// Called when a compaction is about to run.
    fn on_compaction_begin(&self, db: EventDb<'_>, info: &CompactionJobInfo) {}
    /// Called when a compaction has ended, successfully or not.
    fn on_compaction_completed(&self, db: EventDb<'_>, info: &CompactionJobInfo) {}
    /// Called when a sub-compaction is about to run.
    fn on_subcompaction_begin(&self, info: &SubcompactionJobInfo) {}
    /// Called when a sub-compaction has ended, successfully or not.
    fn on_subcompaction_completed(&self, info: &SubcompactionJobInfo) {}
    /// Called when a table is about to be written.
    fn on_table_file_creation_started(&self, info: &TableFileCreationBriefInfo) {}
    /// Called when a table was written, or could not be.
    fn on_table_file_created(&self, info: &TableFileCreationInfo) {}
    /// Called when a table was deleted.
    fn on_table_file_deleted(&self, info: &TableFileDeletionInfo) {}
    /// Called when a memtable accepts no more writes.
    fn on_memtable_sealed(&self, info: &MemTableInfo) {}
    /// Called when a column family handle is being released.
    fn on_column_family_handle_deletion_started(&self, info: &ColumnFamilyHandleInfo) {}
    /// Called when an ingested file has become part of the database.
    fn on_external_file_ingested(&self, db: EventDb<'_>, info: &ExternalFileIngestionInfo) {}
    /// Called when an operation failed and writes are about to stop. The listener may change `error`; with `None`,
    /// writes continue.
    fn on_background_error(&self, reason: BackgroundErrorReason, error: &mut Option<Error>) {}
    /// Called when the engine is about to retry by itself.
    fn on_error_recovery_begin(&self, reason: BackgroundErrorReason, error: &Error) {}
    /// Called when writes resume after this error.
    fn on_error_recovery_completed(&self, old_error: &Error) {}
    /// Called when the stall condition of a column family has changed.
    fn on_stall_conditions_changed(&self, info: &WriteStallInfo) {}
}
