//! Released snapshots, whose entries files of the last level may still keep.

use crate::base::SeqNo;
use crate::env::sync::atomic::AtomicU64;

/// Which snapshots were released, and which release is worth while to look at files again.
#[derive(Debug)]
pub(crate) struct ReleasedSnapshots {
    /// See [`PickContext::oldest_snapshot`].
    pub(super) oldest: AtomicU64,
    /// See [`bottommost_threshold`].
    pub(super) threshold: AtomicU64,
}

impl Default for ReleasedSnapshots {
    fn default() -> ReleasedSnapshots {
        ReleasedSnapshots { oldest: AtomicU64::new(0), threshold: AtomicU64::new(SeqNo::MAX) }
    }
}
