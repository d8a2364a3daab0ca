//! The sequence numbers that some user still reads at.
//!
//! The list is in parts, one of which a thread uses that takes a snapshot: threads that take many do not
//! meet. A job looks through all parts, one after the other, before it reads anything.
//!
//! Why a job spares what it must. A snapshot that is in its part when the job looks there is seen. One
//! that comes later asks for the latest sequence number later than the job began to look, so it is not
//! older than anything that the job may drop entries for.

use crate::base::{MAX_SEQUENCE_NUMBER, SeqNo};
use crate::env::clock;
use crate::env::lock_rank::{INNERMOST, RankedMutex};
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::env::thread_number;
use std::collections::BTreeMap;

/// How many parts there are.
const PARTS: usize = 8;

/// The snapshots that some threads took, by their sequence numbers. On a cache line pair of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Part(RankedMutex<BTreeMap<SeqNo, Holders>, INNERMOST>);

/// Live snapshots.
#[derive(Debug, Default)]
pub struct SnapshotList {
    parts: [Part; PARTS],
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

/// A snapshot that was taken, to be given back.
#[derive(Debug)]
pub struct Taken {
    sequence: SeqNo,
    checking: bool,
    part: usize,
}

impl Taken {
    /// The moment that it shows.
    pub fn sequence(&self) -> SeqNo {
        self.sequence
    }
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

    /// Whether snapshots show one moment of every family.
    pub fn show_moments(&self) -> bool {
        !self.without_moments.load(Ordering::Acquire)
    }

    /// Says what [`SnapshotList::show_moments`] tells.
    pub fn set_show_moments(&self, yes: bool) {
        self.without_moments.store(!yes, Ordering::Release);
    }

    /// Gives one snapshot back.
    pub fn release(&self, taken: &Taken) {
        let Some(part) = self.parts.get(taken.part) else { return };
        let mut live = part.0.lock();
        if let Some(holders) = live.get_mut(&taken.sequence) {
            holders.count -= 1;
            holders.checking -= usize::from(taken.checking);
            if holders.count == 0 {
                live.remove(&taken.sequence);
            }
        }
    }

    /// What a job that begins now has to spare.
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

    /// How many snapshots are live.
    pub fn count(&self) -> usize {
        let of_part = |part: &Part| part.0.lock().values().map(|h| h.count).sum::<usize>();
        self.parts.iter().map(of_part).sum()
    }

    /// The oldest live sequence number.
    pub fn oldest(&self) -> Option<SeqNo> {
        self.first().map(|(seq, _)| seq)
    }

    /// When the oldest one was taken, in seconds since 1970.
    pub fn oldest_time(&self) -> Option<u64> {
        self.first().map(|(_, since)| since)
    }

    /// The oldest live sequence number and when it was first taken.
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
        // Given back by another thread than took it.
        taken.iter().filter(|taken| taken.sequence() < 45).for_each(|taken| list.release(taken));
        assert_eq!((list.for_job().sequences, list.oldest()), ((45..=50).collect(), Some(45)));
    }
}
