//! The sequence numbers at which users still read.
//!
//! The list is sharded by thread, so that threads that take many snapshots do not contend. A job reads all shards, one
//! after the other, before it reads any data.
//!
//! A job keeps every entry that a snapshot needs, for this reason: if a snapshot is in its shard when the job reads
//! that shard, the job sees it. A snapshot that is taken later loads the latest sequence number after the job began to
//! read the list, so it is not older than anything for which the job may drop entries.

use crate::base::{MAX_SEQUENCE_NUMBER, SeqNo};
use crate::env::clock;
use crate::env::lock_rank::{INNERMOST, RankedMutex};
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::env::thread_number;
use std::collections::BTreeMap;

/// The number of shards.
const PARTS: usize = 8;

/// The snapshots that some threads took, by sequence number. Each shard has a pair of cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Part(RankedMutex<BTreeMap<SeqNo, Holders>, INNERMOST>);

/// The list of live snapshots.
#[derive(Debug, Default)]
pub struct SnapshotList {
    parts: [Part; PARTS],
    /// Whether the values of some family are updated in place, so that snapshots are not consistent.
    without_moments: AtomicBool,
}

/// The holders of one sequence number.
#[derive(Clone, Copy, Debug, Default)]
struct Holders {
    count: usize,
    /// The number of holders that check for later writes, whatever became of those writes.
    checking: usize,
    /// When the first holder took it, in seconds since 1970.
    since: u64,
}

/// A snapshot that was taken and must be released.
#[derive(Debug)]
pub struct Taken {
    sequence: SeqNo,
    checking: bool,
    part: usize,
}

impl Taken {
    /// Returns the sequence number of the snapshot.
    pub fn sequence(&self) -> SeqNo {
        self.sequence
    }
}

/// A snapshot that is released on drop.
pub struct Moment<'a> {
    list: &'a SnapshotList,
    taken: Taken,
}

impl Moment<'_> {
    /// Returns the sequence number of the snapshot.
    pub fn sequence(&self) -> SeqNo {
        self.taken.sequence()
    }
}

impl Drop for Moment<'_> {
    fn drop(&mut self) {
        self.list.release(&self.taken);
    }
}

/// The snapshots for which a flush or a compaction must keep entries.
#[derive(Clone, Debug)]
pub struct JobSnapshots {
    /// The live sequence numbers, ascending.
    pub sequences: Vec<SeqNo>,
    /// Transactions check whether a key was written after this sequence number. If it was, a job keeps the key's newest
    /// entry, even a tombstone that hides nothing.
    pub check_from: SeqNo,
}

impl Default for JobSnapshots {
    fn default() -> JobSnapshots {
        JobSnapshots { sequences: Vec::new(), check_from: MAX_SEQUENCE_NUMBER }
    }
}

impl SnapshotList {
    /// Takes a snapshot at the sequence number that `latest` returns while the list is locked. So a compaction that
    /// reads the list either sees the snapshot, or drops only entries that the snapshot cannot see. With `checking`,
    /// the holder checks for later writes, including those that left no value to read.
    pub fn take(&self, checking: bool, latest: impl FnOnce() -> SeqNo) -> Taken {
        let part = thread_number() % PARTS;
        let mut live = self.parts[part].0.lock();
        let sequence = latest();
        let holders = live.entry(sequence).or_default();
        if holders.count == 0 {
            holders.since = clock::since_1970().as_secs();
        }
        holders.count += 1;
        holders.checking += usize::from(checking);
        Taken { sequence, checking, part }
    }

    /// Takes a snapshot as [`SnapshotList::take`] does, which is released when the result is dropped.
    pub fn moment(&self, latest: impl FnOnce() -> SeqNo) -> Moment<'_> {
        Moment { list: self, taken: self.take(false, latest) }
    }

    /// Returns whether snapshots are consistent in every family.
    pub fn show_moments(&self) -> bool {
        !self.without_moments.load(Ordering::Acquire)
    }

    /// Sets the result of [`SnapshotList::show_moments`].
    pub fn set_show_moments(&self, yes: bool) {
        self.without_moments.store(!yes, Ordering::Release);
    }

    /// Releases one snapshot.
    pub fn release(&self, taken: &Taken) {
        let Some(part) = self.parts.get(taken.part) else { return };
        let mut live = part.0.lock();
        debug_assert!(
            live.contains_key(&taken.sequence),
            "expected snapshot {} in the list to be released, found {:?}",
            taken.sequence,
            live.keys()
        );
        if let Some(holders) = live.get_mut(&taken.sequence) {
            debug_assert!(
                holders.checking <= holders.count && holders.count > 0,
                "expected holders of snapshot {}, found {holders:?}",
                taken.sequence
            );
            holders.count -= 1;
            holders.checking -= usize::from(taken.checking);
            if holders.count == 0 {
                live.remove(&taken.sequence);
            }
        }
    }

    /// Returns the snapshots for which a job that begins now must keep entries.
    pub fn for_job(&self) -> JobSnapshots {
        let mut found = JobSnapshots::default();
        for part in &self.parts {
            let live = part.0.lock();
            let checking = live.iter().find(|(_, holders)| holders.checking > 0);
            found.check_from =
                checking.map_or(found.check_from, |(seq, _)| found.check_from.min(*seq));
            found.sequences.extend(live.keys());
        }
        found.sequences.sort_unstable();
        found.sequences.dedup();
        found
    }

    /// Returns the number of live snapshots.
    pub fn count(&self) -> usize {
        let of_part = |part: &Part| part.0.lock().values().map(|h| h.count).sum::<usize>();
        self.parts.iter().map(of_part).sum()
    }

    /// Returns the oldest live sequence number.
    pub fn oldest(&self) -> Option<SeqNo> {
        self.first().map(|(seq, _)| seq)
    }

    /// Returns when the oldest snapshot was taken, in seconds since 1970.
    pub fn oldest_time(&self) -> Option<u64> {
        self.first().map(|(_, since)| since)
    }

    /// Returns the oldest live sequence number and when it was first taken.
    fn first(&self) -> Option<(SeqNo, u64)> {
        let of_part = |part: &Part| part.0.lock().iter().next().map(|(seq, h)| (*seq, h.since));
        self.parts.iter().filter_map(of_part).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_number_lives_as_long_as_one_holder() {
        let list = SnapshotList::default();
        assert_eq!((list.oldest(), list.oldest_time()), (None, None));
        let (one, two) = (list.take(false, || 5), list.take(false, || 5));
        let three = list.take(false, || 9);
        assert_eq!((list.for_job().sequences, list.count()), (vec![5, 9], 3));
        assert!(list.oldest_time() > Some(1_700_000_000));
        list.release(&one);
        assert_eq!((list.oldest(), two.sequence()), (Some(5), 5));
        list.release(&two);
        assert_eq!(list.for_job().sequences, vec![9]);
        list.release(&three);
        assert_eq!(list.oldest(), None);
    }

    #[test]
    fn the_oldest_that_looks_for_later_writes_is_told() {
        let list = SnapshotList::default();
        let _plain = list.take(false, || 5);
        assert_eq!(list.for_job().check_from, MAX_SEQUENCE_NUMBER);
        let checking = list.take(true, || 7);
        let _same = list.take(false, || 7);
        let later = list.take(true, || 9);
        assert_eq!(list.for_job().check_from, 7);
        list.release(&checking);
        assert_eq!(list.for_job().check_from, 9);
        list.release(&later);
        assert_eq!(list.for_job().check_from, MAX_SEQUENCE_NUMBER);
        assert_eq!(list.for_job().sequences, [5, 7]);
    }

    #[test]
    fn snapshots_of_many_threads_are_one_list() {
        let list = SnapshotList::default();
        let take = |seq| std::thread::scope(|s| s.spawn(|| list.take(seq == 40, || seq)).join());
        let taken: Vec<Taken> = (0..30).map(|i| take(50 - i % 20).unwrap()).collect();
        let expected: Vec<SeqNo> = (31..=50).collect();
        assert_eq!((list.for_job().sequences, list.count()), (expected, 30));
        assert_eq!((list.for_job().check_from, list.oldest()), (40, Some(31)));
        // Release these from a thread other than the one that took them.
        taken.iter().filter(|taken| taken.sequence() < 45).for_each(|taken| list.release(taken));
        assert_eq!((list.for_job().sequences, list.oldest()), ((45..=50).collect(), Some(45)));
    }
}
