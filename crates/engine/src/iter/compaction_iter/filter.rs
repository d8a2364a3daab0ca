//! Calls of the compaction filter (CI6).

use super::{CompactionIter, NextStep, user_key_of};
use crate::base::MAX_SEQUENCE_NUMBER;
use crate::base::key::{TRAILER_SIZE, append_internal_key, seek_trailer};
use crate::env::clock::Instant;
use crate::hooks::{CompactionFilter, FilterDecision};
use crate::stats::Ticker;
use std::sync::Arc;

/// A filter and the level that is passed to it.
pub(super) struct Filter {
    pub(super) hook: Arc<dyn CompactionFilter>,
    pub(super) level: usize,
}

impl CompactionIter {
    /// Applies CI6 to the value on which the input is. A target that is not ahead is ignored.
    pub(super) fn filter_value(&self) -> FilterDecision {
        let Some(Filter { hook, level }) = &self.filter else { return FilterDecision::Keep };
        let key = user_key_of(&self.key);
        self.only_ahead(self.timed(|| hook.filter(*level, key, self.input.value())))
    }

    /// Applies CI6 to the operand on which the input is.
    #[inline]
    pub(super) fn filter_operand(&self, trailer: u64) -> FilterDecision {
        let Some(Filter { hook, level }) = &self.filter else { return FilterDecision::Keep };
        if self.snapshots.last().is_some_and(|&newest| trailer >> 8 <= newest) {
            return FilterDecision::Keep;
        }
        let key = user_key_of(&self.key);
        let value = self.input.value();
        self.only_ahead(self.timed(|| hook.filter_merge_operand(*level, key, value)))
    }

    /// Calls the filter and records its time if the statistics include detailed timers.
    #[inline]
    fn timed(&self, ask: impl FnOnce() -> FilterDecision) -> FilterDecision {
        let stats = self.statistics.as_deref().filter(|stats| stats.has_detailed_timers());
        let Some(stats) = stats else { return ask() };
        let start = Instant::now();
        let decision = ask();
        stats.add(Ticker::FilterOperationTotalTime, start.elapsed().as_nanos() as u64);
        decision
    }

    fn only_ahead(&self, decision: FilterDecision) -> FilterDecision {
        match &decision {
            FilterDecision::RemoveAndSkipUntil(to)
                if self.order.compare_user(to, user_key_of(&self.key)).is_le() =>
            {
                FilterDecision::Keep
            }
            _ => decision,
        }
    }

    /// Skips all entries before `user_key`.
    pub(super) fn skip_until(&mut self, user_key: &[u8]) -> NextStep {
        self.has_key = false;
        let mut target = Vec::with_capacity(user_key.len() + TRAILER_SIZE);
        append_internal_key(&mut target, user_key, seek_trailer(MAX_SEQUENCE_NUMBER));
        self.input.seek(&target);
        if self.input.valid() {
            self.stats.count_input(self.input.key());
        }
        NextStep::Stay
    }
}
