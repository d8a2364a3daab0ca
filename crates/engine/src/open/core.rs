//! An open database: its owners, in dependency order.

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

/// The owners that make up an open database. Each depends on the ones before it, and on none after it.
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
    /// Held while options change or are written to a file, so that a later OPTIONS file is never older than an earlier
    /// one.
    pub(super) options_change: RankedMutex<(), OPTIONS>,
    /// Must stay the last field.
    pub(super) _sweep: Sweep,
}

/// The last field of a database. Its drop frees objects that the other fields have just retired, such as objects that
/// users passed in, so that they do not stay until the next database of the process is used.
#[derive(Debug, Default)]
pub(crate) struct Sweep;

impl Drop for Sweep {
    fn drop(&mut self) {
        epoch::synchronize();
    }
}
