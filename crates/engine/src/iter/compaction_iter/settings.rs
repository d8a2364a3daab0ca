//! Creation and settings of a compaction iterator.

use super::filter::Filter;
use super::rules::Hides;
use super::{CompactionIter, CompactionIterStats, Interrupt, ValueIn};
use crate::base::{InternalIterator, KeyOrder, MAX_SEQUENCE_NUMBER, SeqNo, WalkKey};
use crate::env::sync::atomic::AtomicBool;
use crate::hooks::{CompactionFilter, MergeOperator};
use crate::iter::merge_helper::MergeOperands;
use crate::stats::Statistics;
use std::sync::Arc;

impl CompactionIter {
    /// Creates an iterator over the entries of `input` that readers at `snapshots` and at the newest
    /// sequence number need.
    ///
    /// `is_last_level_for_key` is called with ascending user keys and returns whether no older entry of
    /// the key exists outside the input (see `Version::deeper_keys`). If `bottommost` is true, this
    /// holds for all keys of the input.
    pub fn new(
        input: Box<dyn InternalIterator>,
        order: KeyOrder,
        mut snapshots: Vec<SeqNo>,
        merge_operator: Option<Arc<dyn MergeOperator>>,
        bottommost: bool,
        is_last_level_for_key: impl FnMut(&[u8]) -> bool + Send + 'static,
    ) -> CompactionIter {
        snapshots.sort_unstable();
        snapshots.dedup();
        CompactionIter {
            input,
            order,
            snapshots,
            merge_operator,
            bottommost,
            is_last_level_for_key: Box::new(is_last_level_for_key),
            enforce_single_del_contracts: true,
            check_from: MAX_SEQUENCE_NUMBER,
            cancel: None,
            interrupt: None,
            filter: None,
            valid: false,
            key: WalkKey::default(),
            value_in: ValueIn::Nowhere,
            has_key: false,
            hides: Hides::Nothing,
            kept: false,
            clears_next: false,
            merged: Vec::new(),
            changed: Vec::new(),
            operands: MergeOperands::default(),
            trailers: Vec::new(),
            stats: CompactionIterStats::default(),
            statistics: None,
            error: None,
        }
    }

    /// Sets whether a single delete over a delete is Corruption. RocksDB's default is true.
    #[must_use]
    pub fn with_enforce_single_del_contracts(mut self, enforce: bool) -> CompactionIter {
        self.enforce_single_del_contracts = enforce;
        self
    }

    /// Sets the snapshot after which transactions must detect every write of a key (CI7).
    #[must_use]
    pub fn with_check_from(mut self, check_from: SeqNo) -> CompactionIter {
        self.check_from = check_from;
        self
    }

    /// Ends the iteration with ShutdownInProgress soon after the flag is set, even while many entries are dropped.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Arc<AtomicBool>) -> CompactionIter {
        self.cancel = Some(cancel);
        self
    }

    /// Ends the iteration soon after `interrupt` returns an error.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: Option<Interrupt>) -> CompactionIter {
        self.interrupt = interrupt;
        self
    }

    /// Sets a filter (CI6) and the level that is passed to it.
    #[must_use]
    pub fn with_filter(
        mut self,
        hook: Option<Arc<dyn CompactionFilter>>,
        level: usize,
    ) -> CompactionIter {
        self.filter = hook.map(|hook| Filter { hook, level });
        self
    }

    /// Sets the statistics that record merges and filter calls.
    #[must_use]
    pub fn with_statistics(mut self, statistics: Option<Arc<Statistics>>) -> CompactionIter {
        self.statistics = statistics;
        self
    }
}
