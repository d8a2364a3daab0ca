//! The sequence numbers that some user still reads at.

use crate::base::{MAX_SEQUENCE_NUMBER, SeqNo};
use crate::env::sync::Mutex;
use crate::env::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// Live snapshots by their sequence numbers.
#[derive(Debug, Default)]
pub struct SnapshotList {
    live: Mutex<BTreeMap<SeqNo, Holders>>,
    /// Some family's values change in place.
    without_moments: AtomicBool,
}

/// Who holds one sequence number.
#[derive(Clone, Copy, Debug, Default)]
struct Holders {
    count: usize,
    /// Those of them that look for later writes, whatever became of these.
    checking: usize,
    /// When the first of them came, in seconds since 1970.
    since: u64,
}

/// What a flush or a compaction has to spare.
#[derive(Clone, Debug)]
pub struct JobSnapshots {
    /// The live sequence numbers, ascending.
    pub sequences: Vec<SeqNo>,
    /// Transactions ask of each key whether it was written after this moment: the newest entry of a
    /// key stays if it was, though it be a tombstone over nothing.
    pub check_from: SeqNo,
}

impl Default for JobSnapshots {
    fn default() -> JobSnapshots {
        JobSnapshots { sequences: Vec::new(), check_from: MAX_SEQUENCE_NUMBER }
    }
}

impl SnapshotList {
    /// Takes a snapshot of what `latest` says while the list is locked, so that a compaction that
    /// reads the list either sees it or has only dropped what it cannot see. With `checking` its
    /// holder wants to know of later writes, even of those that left nothing to read.
    pub fn take(&self, checking: bool, latest: impl FnOnce() -> SeqNo) -> SeqNo {
        let mut live = self.live.lock();
        let seq = latest();
        let holders = live.entry(seq).or_default();
        if holders.count == 0 {
            let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
            holders.since = since_1970.map_or(0, |d| d.as_secs());
        }
        holders.count += 1;
        holders.checking += usize::from(checking);
        seq
    }

    /// Whether snapshots show one moment of every family.
    pub fn show_moments(&self) -> bool {
        !self.without_moments.load(Ordering::Acquire)
    }

    /// Says what [`SnapshotList::show_moments`] tells.
    pub fn set_show_moments(&self, yes: bool) {
        self.without_moments.store(!yes, Ordering::Release);
    }

    /// Gives one snapshot back; `checking` as it was taken.
    pub fn release(&self, checking: bool, seq: SeqNo) {
        let mut live = self.live.lock();
        if let Some(holders) = live.get_mut(&seq) {
            holders.count -= 1;
            holders.checking -= usize::from(checking);
            if holders.count == 0 {
                live.remove(&seq);
            }
        }
    }

    /// What a job that begins now has to spare.
    pub fn for_job(&self) -> JobSnapshots {
        let live = self.live.lock();
        let checking = live.iter().find(|(_, holders)| holders.checking > 0);
        JobSnapshots {
            sequences: live.keys().copied().collect(),
            check_from: checking.map_or(MAX_SEQUENCE_NUMBER, |(seq, _)| *seq),
        }
    }

    /// How many snapshots are live.
    pub fn count(&self) -> usize {
        self.live.lock().values().map(|holders| holders.count).sum()
    }

    /// The oldest live sequence number.
    pub fn oldest(&self) -> Option<SeqNo> {
        self.live.lock().keys().next().copied()
    }

    /// When the oldest one was taken, in seconds since 1970.
    pub fn oldest_time(&self) -> Option<u64> {
        self.live.lock().values().next().map(|holders| holders.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_number_lives_as_long_as_one_holder() {
        let list = SnapshotList::default();
        assert_eq!((list.oldest(), list.oldest_time()), (None, None));
        list.take(false, || 5);
        list.take(false, || 5);
        list.take(false, || 9);
        assert_eq!((list.for_job().sequences, list.count()), (vec![5, 9], 3));
        assert!(list.oldest_time() > Some(1_700_000_000));
        list.release(false, 5);
        assert_eq!(list.oldest(), Some(5));
        list.release(false, 5);
        assert_eq!(list.for_job().sequences, vec![9]);
        list.release(false, 9);
        assert_eq!(list.oldest(), None);
    }

    #[test]
    fn the_oldest_that_looks_for_later_writes_is_told() {
        let list = SnapshotList::default();
        list.take(false, || 5);
        assert_eq!(list.for_job().check_from, MAX_SEQUENCE_NUMBER);
        list.take(true, || 7);
        list.take(false, || 7);
        list.take(true, || 9);
        assert_eq!(list.for_job().check_from, 7);
        list.release(true, 7);
        assert_eq!(list.for_job().check_from, 9);
        list.release(true, 9);
        assert_eq!(list.for_job().check_from, MAX_SEQUENCE_NUMBER);
        assert_eq!(list.for_job().sequences, [5, 7]);
    }
}
