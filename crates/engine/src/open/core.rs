//! An open database: its owners, from the ground up.

use crate::catalog::Catalog;
use crate::commit::CommitQueue;
use crate::env::epoch;
use crate::env::lock_rank::{OPTIONS, RankedMutex};
use crate::env::sync::Mutex;
use crate::files::FileKeeper;
use crate::fs::FileLock;
use crate::jobs::Scheduler;
use crate::properties::Properties;
use crate::report::Reporter;
use crate::session::Session;
use std::sync::Arc;

/// The owners of what an open database consists of. Each knows those before it and none after it.
pub(crate) struct Core {
    pub(crate) session: Arc<Session>,
    pub(crate) reporter: Arc<Reporter>,
    pub(crate) files: Arc<FileKeeper>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) commit: Arc<CommitQueue>,
    pub(crate) properties: Arc<Properties>,
    pub(crate) jobs: Arc<Scheduler>,
    /// Dropped when the database is closed.
    pub(super) lock: Mutex<Option<Box<dyn FileLock>>>,
    /// Held while options change or are written to a file: a later file is never older.
    pub(super) options_change: RankedMutex<(), OPTIONS>,
    /// Last.
    pub(super) _sweep: Sweep,
}

/// The last field of a database: frees what its other fields have just retired, such as parts that
/// users gave it, instead of leaving that to the next database of the process.
#[derive(Debug, Default)]
pub(crate) struct Sweep;

impl Drop for Sweep {
    fn drop(&mut self) {
        epoch::synchronize();
    }
}
