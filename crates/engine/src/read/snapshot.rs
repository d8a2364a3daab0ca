//! The sequence numbers that some user still reads at.

use crate::base::SeqNo;
use crate::env::sync::Mutex;
use std::collections::BTreeMap;

/// Live snapshots: sequence number to how many hold it.
#[derive(Debug, Default)]
pub struct SnapshotList {
    live: Mutex<BTreeMap<SeqNo, usize>>,
}

impl SnapshotList {
    /// Takes a snapshot of what `latest` says while the list is locked, so that a compaction that
    /// reads the list either sees it or has only dropped what it cannot see.
    pub fn take(&self, latest: impl FnOnce() -> SeqNo) -> SeqNo {
        let mut live = self.live.lock();
        let seq = latest();
        *live.entry(seq).or_insert(0) += 1;
        seq
    }

    /// Gives one snapshot back.
    pub fn release(&self, seq: SeqNo) {
        let mut live = self.live.lock();
        if let Some(count) = live.get_mut(&seq) {
            *count -= 1;
            if *count == 0 {
                live.remove(&seq);
            }
        }
    }

    /// The live sequence numbers, ascending.
    pub fn sequences(&self) -> Vec<SeqNo> {
        self.live.lock().keys().copied().collect()
    }

    /// How many snapshots are live.
    pub fn count(&self) -> usize {
        self.live.lock().values().sum()
    }

    /// The oldest live sequence number.
    pub fn oldest(&self) -> Option<SeqNo> {
        self.live.lock().keys().next().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_number_lives_as_long_as_one_holder() {
        let list = SnapshotList::default();
        list.take(|| 5);
        list.take(|| 5);
        list.take(|| 9);
        assert_eq!((list.sequences(), list.count()), (vec![5, 9], 3));
        list.release(5);
        assert_eq!(list.oldest(), Some(5));
        list.release(5);
        assert_eq!(list.sequences(), vec![9]);
        list.release(9);
        assert_eq!(list.oldest(), None);
    }
}
