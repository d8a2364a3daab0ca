//! The range tombstones of a memtable, kept apart from its entries.
//!
//! Writers are rare and take a lock. Readers read immutable runs of fragments (`rangedel`): an
//! addition publishes a new list of runs. As in a binary counter, a new run of one tombstone is
//! merged with the last run while that is not larger. So there are few runs, and the number of
//! times that a tombstone is fragmented again is at most logarithmic in the number of tombstones.

use crate::base::{KeyOrder, SeqNo};
use crate::env::epoch::{EpochCell, Guard};
use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicUsize, Ordering};
use crate::rangedel::{Fragments, Tombstone};
use std::sync::Arc;

type Runs = Vec<Arc<Fragments>>;

/// The range tombstones of a memtable.
pub(super) struct RangeDels {
    runs: EpochCell<Runs>,
    adding: Mutex<()>,
    memory: AtomicUsize,
}

impl RangeDels {
    pub(super) fn new() -> RangeDels {
        RangeDels {
            runs: EpochCell::new(None),
            adding: Mutex::new(()),
            memory: AtomicUsize::new(0),
        }
    }

    /// Adds `[begin, end) @ seq`.
    pub(super) fn add(&self, order: &KeyOrder, tombstone: Tombstone<'_>) {
        let _adding = self.adding.lock();
        let mut runs = self.runs();
        runs.push(Arc::new(Fragments::new(order, [tombstone])));
        while let [.., before, last] = &*runs
            && before.num_tombstones() <= last.num_tombstones()
        {
            let joined = join(order, &[Arc::clone(before), Arc::clone(last)]);
            runs.truncate(runs.len() - 2);
            runs.push(joined);
        }
        self.publish(runs);
    }

    /// Merges all runs into one; called when no more tombstones will be added.
    pub(super) fn seal(&self, order: &KeyOrder) {
        let _adding = self.adding.lock();
        let runs = self.runs();
        if runs.len() > 1 {
            self.publish(vec![join(order, &runs)]);
        }
    }

    /// The sequence number of the newest tombstone over `user_key` that a reader at `at` sees; 0 if
    /// there is none.
    pub(super) fn newest_over(&self, user_key: &[u8], at: SeqNo, guard: &Guard) -> SeqNo {
        let runs = self.runs.load(guard).map_or(&[][..], |runs| runs);
        runs.iter().map(|run| run.newest_over(user_key, at)).max().unwrap_or(0)
    }

    /// All tombstones added so far.
    pub(super) fn runs(&self) -> Runs {
        self.runs.load_arc().map_or_else(Vec::new, |runs| Vec::clone(&runs))
    }

    /// The memory in use, in bytes.
    #[inline]
    pub(super) fn memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    fn publish(&self, runs: Runs) {
        let memory = runs.iter().map(|run| run.memory_usage()).sum();
        self.memory.store(memory, Ordering::Relaxed);
        self.runs.replace(Some(Arc::new(runs)));
    }
}

fn join(order: &KeyOrder, runs: &[Arc<Fragments>]) -> Arc<Fragments> {
    Arc::new(Fragments::joined(order, runs))
}
