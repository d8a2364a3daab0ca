//! The operation for which a thread reads and writes files, so that the time is recorded in the operation's histogram.
//!
//! It is kept per thread, and read only when a file is read or written with statistics on. So the layers between an
//! operation and its file need not pass it on.

use super::HistogramType;
use std::cell::Cell;

/// The operation of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Activity {
    /// Any other operation: reads and writes are recorded in no operation's histogram.
    #[default]
    Other,
    /// A flush.
    Flush,
    /// A compaction.
    Compaction,
    /// Opening a database.
    DbOpen,
    /// A lookup of one key.
    Get,
    /// A lookup of many keys.
    MultiGet,
    /// A scan.
    Iterator,
    /// Verifying the checksums of blocks.
    VerifyDbChecksum,
}

thread_local! {
    static CURRENT: Cell<Activity> = const { Cell::new(Activity::Other) };
}

/// Sets this thread's activity until the result is dropped.
#[must_use]
pub fn busy_with(activity: Activity) -> Busy {
    Busy(CURRENT.replace(activity))
}

/// Does the same as [`busy_with`], unless the thread already has an activity: a table that a flush opens is read for
/// the flush.
#[must_use]
pub fn busy_unless_known(activity: Activity) -> Busy {
    let before = CURRENT.get();
    if before == Activity::Other {
        CURRENT.set(activity);
    }
    Busy(before)
}

/// Restores the thread's previous activity.
#[derive(Debug)]
pub struct Busy(Activity);

impl Drop for Busy {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// Returns this thread's activity.
pub fn activity() -> Activity {
    CURRENT.get()
}

impl Activity {
    /// Returns the histogram for the times of table reads.
    pub fn read_histogram(self) -> Option<HistogramType> {
        Some(match self {
            Activity::Other => return None,
            Activity::Flush => HistogramType::FileReadFlushMicros,
            Activity::Compaction => HistogramType::FileReadCompactionMicros,
            Activity::DbOpen => HistogramType::FileReadDbOpenMicros,
            Activity::Get => HistogramType::FileReadGetMicros,
            Activity::MultiGet => HistogramType::FileReadMultigetMicros,
            Activity::Iterator => HistogramType::FileReadDbIteratorMicros,
            Activity::VerifyDbChecksum => HistogramType::FileReadVerifyDbChecksumMicros,
        })
    }

    /// Returns the histogram for the times of table writes.
    pub fn write_histogram(self) -> Option<HistogramType> {
        match self {
            Activity::Flush => Some(HistogramType::FileWriteFlushMicros),
            Activity::Compaction => Some(HistogramType::FileWriteCompactionMicros),
            Activity::DbOpen => Some(HistogramType::FileWriteDbOpenMicros),
            _ => None,
        }
    }

    /// Returns the histogram for the times of table syncs.
    pub fn sync_histogram(self) -> Option<HistogramType> {
        match self {
            Activity::Flush | Activity::DbOpen => Some(HistogramType::TableSyncMicros),
            Activity::Compaction => Some(HistogramType::CompactionOutfileSyncMicros),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_activity_ends_with_its_scope_and_is_the_threads_own() {
        let flush = busy_with(Activity::Flush);
        let open = busy_unless_known(Activity::DbOpen);
        assert_eq!(activity(), Activity::Flush);
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(activity(), Activity::Other));
        });
        drop(open);
        {
            let _get = busy_with(Activity::Get);
            assert_eq!(activity().read_histogram(), Some(HistogramType::FileReadGetMicros));
        }
        assert_eq!(activity().write_histogram(), Some(HistogramType::FileWriteFlushMicros));
        drop(flush);
        assert_eq!(activity().read_histogram(), None);
    }
}
