//! Released snapshots, for which files of the last level may still keep entries.

use crate::base::SeqNo;
use crate::env::sync::atomic::AtomicU64;

/// The oldest snapshot as of the last relevant release, and the threshold above which a release makes files worth
/// checking again.
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
