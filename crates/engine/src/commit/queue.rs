//! The commit queue, which every write passes through. It owns the WAL and the allocation of sequence numbers.

use crate::base::SeqNo;
use crate::catalog::Catalog;
use crate::env::lock_rank::{COMMIT_QUEUE, RankedMutex};
use crate::env::sync::Mutex;
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::error::Result;
use crate::files::FileKeeper;
use crate::fs::FileSyncer;
use crate::memtable::SequenceAllocator;
use crate::report::Reporter;
use crate::session::Session;
use crate::wal::LogWriter;
use crate::write::{Sections, SyncGroup, TurnAllocator};
use std::sync::Arc;

/// The commit queue. Its lock is the middle one in the lock order of `catalog/catalog.rs`, and is held for a fraction
/// of a microsecond.
pub(crate) struct CommitQueue {
    pub(super) session: Arc<Session>,
    pub(super) reporter: Arc<Reporter>,
    pub(super) files: Arc<FileKeeper>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) write: RankedMutex<WriteState, COMMIT_QUEUE>,
    pub(super) sync_group: SyncGroup,
    /// Whether any write has skipped the WAL since the database was opened.
    unlogged_data: AtomicBool,
    /// The prepared sections that recovery found, until a transaction database takes them.
    recovered: Mutex<Sections>,
}

/// A full WAL that has records not yet covered by a sync.
#[derive(Clone)]
pub(super) struct UnsyncedWal {
    pub(super) number: u64,
    pub(super) syncer: Arc<dyn FileSyncer>,
}

/// State that the write lock guards.
pub(super) struct WriteState {
    pub(super) wal: LogWriter,
    /// Allocates sequence numbers and positions in the commit order.
    pub(super) turns: TurnAllocator,
    /// Bytes of the batches written since the database was opened.
    pub(super) user_bytes: u64,
    /// Bytes of the records written to WALs, without framing.
    pub(super) logged_bytes: u64,
    /// The number of batches written since the database was opened, and of their entries.
    pub(super) writes: u64,
    pub(super) keys: u64,
    /// The value of `user_bytes` at which the database-wide limits are checked next.
    pub(super) next_limit_check: u64,
    /// The number of records ever appended. These are the tickets of `SyncGroup`.
    pub(super) ticket: u64,
    /// Whether the live WAL has failed and takes no more records.
    pub(super) wal_lost: bool,
    /// The newest ticket of the last WAL that failed and was replaced.
    pub(super) lost_ticket: u64,
    /// Older WALs that still have records not covered by a sync.
    pub(super) unsynced: Vec<UnsyncedWal>,
    /// The newest ticket that a sync of the live WAL has covered.
    pub(super) synced_ticket: u64,
    /// The newest WAL whose directory entry is known to be on the device. If a power failure removes the name, the
    /// synced bytes are lost too.
    pub(super) named_wal: u64,
}

/// Counters that writers update under the write lock.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) user_bytes: u64,
    pub(crate) live_wal_bytes: u64,
    pub(crate) logged_bytes: u64,
    pub(crate) logged_writes: u64,
    pub(crate) writes: u64,
    pub(crate) keys: u64,
}

impl WriteState {
    /// The state before the first write into `wal`.
    fn new(wal: LogWriter, last_allocated: SeqNo) -> WriteState {
        WriteState {
            wal,
            turns: TurnAllocator::new(last_allocated),
            user_bytes: 0,
            logged_bytes: 0,
            writes: 0,
            keys: 0,
            next_limit_check: 0,
            ticket: 0,
            wal_lost: false,
            lost_ticket: 0,
            unsynced: Vec::new(),
            synced_ticket: 0,
            named_wal: 0,
        }
    }
}

impl SequenceAllocator for CommitQueue {
    fn newest_allocated(&self) -> Option<SeqNo> {
        self.write.try_lock().map(|write| write.turns.last_allocated())
    }
}

impl CommitQueue {
    /// Creates the queue of a database whose live WAL is `wal`, with the prepared `sections` that recovery found.
    pub(crate) fn new(
        (session, reporter, files): (Arc<Session>, Arc<Reporter>, Arc<FileKeeper>),
        catalog: Arc<Catalog>,
        wal: LogWriter,
        sections: Sections,
    ) -> CommitQueue {
        let last_sequence = catalog.order().visible();
        CommitQueue {
            session,
            reporter,
            files,
            catalog,
            write: RankedMutex::new(WriteState::new(wal, last_sequence)),
            sync_group: SyncGroup::default(),
            unlogged_data: AtomicBool::new(false),
            recovered: Mutex::new(sections),
        }
    }

    /// Waits until every writer that was admitted has its sequence numbers.
    pub(crate) fn wait_for_admitted(&self) {
        drop(self.write.lock());
    }

    /// Makes the next write check the database-wide limits.
    pub(crate) fn check_limits_soon(&self) {
        self.write.lock().next_limit_check = 0;
    }

    /// Returns the number of the live WAL.
    pub(crate) fn live_wal(&self) -> u64 {
        self.write.lock().wal.log_number()
    }

    /// Notes that a write skips the WAL.
    #[inline]
    pub(super) fn note_unlogged(&self) {
        if !self.unlogged_data.load(Ordering::Relaxed) {
            self.unlogged_data.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether any write has skipped the WAL.
    #[inline]
    pub(crate) fn has_unlogged(&self) -> bool {
        self.unlogged_data.load(Ordering::Relaxed)
    }

    /// Returns the prepared sections that recovery found. Later calls return nothing.
    pub(crate) fn take_recovered(&self) -> Sections {
        std::mem::take(&mut self.recovered.lock())
    }

    /// Deletes WALs, or moves them to the archive if the options keep some.
    pub(crate) fn delete_wals(&self, numbers: &[u64]) {
        if !numbers.is_empty() {
            let mut write = self.write.lock();
            let live = write.wal.log_number();
            debug_assert!(
                numbers.iter().all(|number| *number < live),
                "expected WALs older than the live one, {live}, to be deleted, found {numbers:?}"
            );
            write.unsynced.retain(|wal| !numbers.contains(&wal.number));
            drop(write);
            self.files.delete_wals(numbers);
        }
    }

    /// Returns the writers' counters. Takes the write lock, so it must not be called under the catalogue's state lock.
    pub(crate) fn written(&self) -> Written {
        let write = self.write.lock();
        Written {
            user_bytes: write.user_bytes,
            live_wal_bytes: write.wal.size(),
            logged_bytes: write.logged_bytes,
            // Each record takes one ticket.
            logged_writes: write.ticket,
            writes: write.writes,
            keys: write.keys,
        }
    }

    /// Truncates the WALs to their used lengths, and releases everything that the catalogue holds in memory.
    pub(crate) fn close(&self) -> Result<()> {
        let mut write = self.write.lock();
        let full = self.catalog.state().wals.take_to_close();
        self.catalog.close();
        self.session.spare_chunks.close();
        let result = full.into_iter().try_for_each(|mut wal| wal.close());
        result.and_then(|()| write.wal.close())
    }
}
