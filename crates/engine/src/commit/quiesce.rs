//! Quiescing the commit queue briefly: for file ingestion, for copies, and for new families.

use super::queue::{CommitQueue, WriteState};
use crate::base::SeqNo;
use crate::catalog::{ColumnFamilyState, LiveWal};
use crate::env::lock_rank::RankedGuard;
use crate::error::Result;
use crate::session::ColumnFamilyData;
use crate::version::{Version, VersionEdit, VersionSet};
use std::sync::Arc;

/// The MANIFEST and the commit queue, locked while every write that has a sequence number is visible. No write is in
/// flight, so ingested files can get sequence numbers above all others.
pub(crate) struct Quiesced<'a> {
    queue: &'a CommitQueue,
    versions: RankedGuard<'a, VersionSet>,
    write: RankedGuard<'a, WriteState>,
}

impl<'a> Quiesced<'a> {
    /// Takes both locks. Call it while new writers are blocked: writers that were admitted earlier need these locks to
    /// finish.
    pub(crate) fn begin(queue: &'a CommitQueue) -> Result<Quiesced<'a>> {
        loop {
            let versions = queue.catalog.versions();
            let write = queue.write.lock();
            queue.session.health.check_writable()?;
            if queue.catalog.order().visible() == write.turns.last_allocated() {
                return Ok(Quiesced { queue, versions, write });
            }
            drop(write);
            drop(versions);
            crate::env::threads::yield_now();
        }
    }

    /// Returns the newest sequence number. Every write up to it is visible.
    pub(crate) fn last_sequence(&self) -> SeqNo {
        self.write.turns.last_allocated()
    }

    /// Installs edits that add ingested files, whose sequence numbers go up to `newest`, and makes the files visible.
    pub(crate) fn install(mut self, edits: Vec<VersionEdit>, newest: SeqNo) -> Result<()> {
        let catalog = &self.queue.catalog;
        let changed: Vec<u32> = edits.iter().map(|edit| edit.column_family).collect();
        let installed = catalog.change_versions(&mut self.versions, edits, |state| {
            changed
                .iter()
                .filter_map(|id| state.families.get(id))
                .for_each(|family| family.data.change_content());
        });
        // Also after a failure: the record may be on the device, so its sequence numbers count as used.
        if newest > self.last_sequence() {
            let count = newest - self.last_sequence();
            // No write is in flight, so there is room.
            let room = self.write.turns.has_room(catalog.order());
            debug_assert!(room, "expected room for a turn while nothing is in flight");
            catalog.order().publish(&self.write.turns.reserve(count));
        }
        debug_assert_eq!(
            catalog.order().visible(),
            self.last_sequence(),
            "expected all allocated sequence numbers to be visible"
        );
        let manifests = self.versions.take_obsolete_manifests();
        drop(self.write);
        drop(self.versions);
        catalog.after_install(&manifests);
        installed
    }
}

/// The write lock, and the live WAL as it is while the lock is held.
pub(crate) struct HeldWal<'a> {
    live: LiveWal,
    _write: RankedGuard<'a, WriteState>,
}

impl<'a> HeldWal<'a> {
    /// Locks the queue and writes buffered records to the file, so that a copy of the file contains them.
    pub(crate) fn begin(queue: &'a CommitQueue) -> Result<HeldWal<'a>> {
        let mut write = queue.write.lock();
        // With `manual_wal_flush`, records wait in a buffer.
        if !queue.session.read_only {
            queue.flush_live_wal(&mut write)?;
        }
        let live = LiveWal { number: write.wal.log_number(), size: write.wal.size() };
        Ok(HeldWal { live, _write: write })
    }

    /// Returns the number of the live WAL and its size in bytes.
    pub(crate) fn live(&self) -> LiveWal {
        self.live
    }
}

/// Adds a new family between two writes. Its memtable takes entries of the live WAL and of later writes.
pub(crate) fn add_family(queue: &CommitQueue, data: Arc<ColumnFamilyData>, current: Arc<Version>) {
    let write = queue.write.lock();
    let mut state = queue.catalog.state();
    let (wal, last) = (write.wal.log_number(), write.turns.last_allocated());
    let spare = queue.session.memtable_spares();
    let family = ColumnFamilyState::new(data, current, (wal, last), spare);
    queue.catalog.add_family(&mut state, family);
}
