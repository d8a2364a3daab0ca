//! Snapshots: consistent views of the database at one point in time.

use super::handles::{CloseOnDrop, Db};
use crate::base::SeqNo;
use crate::env::sharded::ShardRef;
use crate::read::Taken;

/// A consistent, read-only view of the database at one point in time. It keeps the database open.
pub struct Snapshot {
    shared: ShardRef<CloseOnDrop>,
    taken: Taken,
}

impl Snapshot {
    /// Returns the value for [`ReadOptions::snapshot`](crate::options::ReadOptions::snapshot).
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
    /// Returns whether snapshots are consistent. They are not if some column family uses `inplace_update_support`: a
    /// value that is updated in place is visible to all readers.
    pub fn supports_snapshots(&self) -> bool {
        self.core().catalog.snapshots().show_moments()
    }

    /// Takes a snapshot; see [`Db::supports_snapshots`].
    pub fn snapshot(&self) -> Snapshot {
        self.take_snapshot(false)
    }

    /// Takes a snapshot for a transaction, which checks whether keys were written later. Evidence of such writes is
    /// kept as long as the snapshot exists, even if no value is left to read.
    pub(crate) fn snapshot_to_check(&self) -> Snapshot {
        self.take_snapshot(true)
    }

    fn take_snapshot(&self, checking: bool) -> Snapshot {
        let core = self.core();
        let taken = core.catalog.snapshots().take(checking, || core.catalog.order().visible());
        Snapshot { shared: self.hold(), taken }
    }

    /// Returns the newest sequence number that is visible to readers.
    pub fn latest_sequence_number(&self) -> SeqNo {
        self.core().catalog.order().visible()
    }
}
