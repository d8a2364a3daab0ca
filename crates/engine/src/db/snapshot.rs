//! Snapshots: moments that reads can go back to.

use super::handles::{CloseOnDrop, Db};
use crate::base::SeqNo;
use crate::env::sharded::ShardRef;
use crate::read::Taken;

/// A moment of the database that reads can go back to. Keeps the database open.
pub struct Snapshot {
    shared: ShardRef<CloseOnDrop>,
    taken: Taken,
}

impl Snapshot {
    /// What to put into [`ReadOptions::snapshot`](crate::options::ReadOptions::snapshot).
    pub fn sequence(&self) -> SeqNo {
        self.taken.sequence()
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        let core = &self.shared.core;
        core.catalog.snapshots().release(&self.taken);
        core.catalog.snapshot_released();
    }
}

impl Db {
    /// Whether snapshots show one moment. With `inplace_update_support` in some column family they
    /// do not: a value that takes the place of an older one is seen by all readers.
    pub fn supports_snapshots(&self) -> bool {
        self.core().catalog.snapshots().show_moments()
    }

    /// A snapshot of this moment; see [`Db::supports_snapshots`].
    pub fn snapshot(&self) -> Snapshot {
        self.take_snapshot(false)
    }

    /// A snapshot for a transaction, which asks of keys whether they were written later: also where
    /// nothing is left to read, a trace of that stays as long as the snapshot.
    pub(crate) fn snapshot_to_check(&self) -> Snapshot {
        self.take_snapshot(true)
    }

    fn take_snapshot(&self, checking: bool) -> Snapshot {
        let core = self.core();
        let taken = core.catalog.snapshots().take(checking, || core.catalog.order().visible());
        Snapshot { shared: self.hold(), taken }
    }

    /// The newest sequence number that readers see.
    pub fn latest_sequence_number(&self) -> SeqNo {
        self.core().catalog.order().visible()
    }
}
