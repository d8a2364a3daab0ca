//! The queue that every write goes through: the WAL, and who gets which sequence number.

use crate::base::SeqNo;
use crate::catalog::Catalog;
use crate::env::lock_rank::{COMMIT_QUEUE, RankedMutex};
use crate::env::sync::Mutex;
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::error::Result;
use crate::files::FileKeeper;
use crate::fs::FileSyncer;
use crate::memtable::SpareChunks;
use crate::report::Reporter;
use crate::session::Session;
use crate::wal::LogWriter;
use crate::write::{Sections, SyncGroup, TurnAllocator};
use std::sync::Arc;

/// The queue of commits. Its lock is the middle one of the order in `catalog/catalog.rs`, and is held for a fraction
/// of a microsecond.
pub(crate) struct CommitQueue {
    pub(super) session: Arc<Session>,
    pub(super) reporter: Arc<Reporter>,
    pub(super) files: Arc<FileKeeper>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) write: RankedMutex<WriteState, COMMIT_QUEUE>,
    pub(super) sync_group: SyncGroup,
    /// Of flushed memtables, for the next ones.
    pub(super) spare_chunks: Arc<SpareChunks>,
    /// Some write skipped the WAL since the database was opened.
    unlogged_data: AtomicBool,
    /// What recovery found prepared, until a database with transactions takes it.
    recovered: Mutex<Sections>,
}

/// A full WAL with records that no sync covered.
#[derive(Clone)]
pub(super) struct UnsyncedWal {
    pub(super) number: u64,
    pub(super) syncer: Arc<dyn FileSyncer>,
}

/// Guarded by the write lock.
pub(super) struct WriteState {
    pub(super) wal: LogWriter,
    /// Sequence numbers and places in the order of commits.
    pub(super) turns: TurnAllocator,
    /// Bytes of batches that were written since the database was opened.
    pub(super) user_bytes: u64,
    /// Bytes of records in the WAL, without what frames them.
    pub(super) logged_bytes: u64,
    /// Batches that were written since then, and their entries.
    pub(super) writes: u64,
    pub(super) keys: u64,
    /// The count of `user_bytes` at which limits of the whole database are looked at.
    pub(super) next_limit_check: u64,
    /// Records appended ever: the tickets of `SyncGroup`.
    pub(super) ticket: u64,
    /// The live WAL takes no more records.
    pub(super) wal_lost: bool,
    /// The newest ticket of a WAL that was replaced since it failed.
    pub(super) lost_ticket: u64,
    /// Older WALs that still have records which no sync covered.
    pub(super) unsynced: Vec<UnsyncedWal>,
    /// The newest ticket that a sync covered, when it is the live WAL's.
    pub(super) synced_ticket: u64,
    /// The newest WAL whose directory entry is on the device, as far as known. Synced bytes under a
    /// name that a power failure takes are lost all the same.
    pub(super) named_wal: u64,
}

/// What writers count under their own lock.
pub(crate) struct Written {
    pub(crate) user_bytes: u64,
    pub(crate) live_wal_bytes: u64,
    pub(crate) logged_bytes: u64,
    pub(crate) logged_writes: u64,
    pub(crate) writes: u64,
    pub(crate) keys: u64,
}

impl WriteState {
    /// Before the first write into `wal`.
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

impl CommitQueue {
    /// Of a database whose live WAL is `wal`; recovery found `sections` prepared.
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
            spare_chunks: Arc::default(),
            unlogged_data: AtomicBool::new(false),
            recovered: Mutex::new(sections),
        }
    }

    /// Waits until every writer that was admitted has its sequence numbers.
    pub(crate) fn wait_for_admitted(&self) {
        drop(self.write.lock());
    }

    /// Has the next write check the limits of the whole database.
    pub(crate) fn check_limits_soon(&self) {
        self.write.lock().next_limit_check = 0;
    }

    /// The number of the WAL that takes records.
    pub(crate) fn live_wal(&self) -> u64 {
        self.write.lock().wal.log_number()
    }

    /// Memory that flushed memtables left.
    pub(crate) fn spare_chunks(&self) -> &SpareChunks {
        &self.spare_chunks
    }

    /// Some write skips the WAL.
    #[inline]
    pub(super) fn note_unlogged(&self) {
        if !self.unlogged_data.load(Ordering::Relaxed) {
            self.unlogged_data.store(true, Ordering::Relaxed);
        }
    }

    /// Whether some write skipped the WAL.
    #[inline]
    pub(crate) fn has_unlogged(&self) -> bool {
        self.unlogged_data.load(Ordering::Relaxed)
    }

    /// What recovery found prepared; at the second call nothing.
    pub(crate) fn take_recovered(&self) -> Sections {
        std::mem::take(&mut self.recovered.lock())
    }

    /// Deletes WALs, or moves them to the archive if the options keep some.
    pub(crate) fn delete_wals(&self, numbers: &[u64]) {
        if !numbers.is_empty() {
            self.write.lock().unsynced.retain(|wal| !numbers.contains(&wal.number));
            self.files.delete_wals(numbers);
        }
    }

    /// What writers have counted. Takes the write lock, so not under the catalogue's state.
    pub(crate) fn written(&self) -> Written {
        let write = self.write.lock();
        Written {
            user_bytes: write.user_bytes,
            live_wal_bytes: write.wal.size(),
            logged_bytes: write.logged_bytes,
            // Each record takes one.
            logged_writes: write.ticket,
            writes: write.writes,
            keys: write.keys,
        }
    }

    /// Cuts the WALs to their lengths, and lets go of everything that the catalogue has in memory.
    pub(crate) fn close(&self) -> Result<()> {
        let mut write = self.write.lock();
        let full = self.catalog.state().wals.take_to_close();
        self.catalog.close();
        self.spare_chunks.close();
        let result = full.into_iter().try_for_each(|mut wal| wal.close());
        result.and_then(|()| write.wal.close())
    }
}
