//! Counters of a table's iterators.

use super::table::BlockBasedTable;
use crate::base::perf::{self, PerfMetric};
use crate::stats::{self, Ticker};

impl BlockBasedTable {
    /// Counts an iterator, which uses the index.
    pub(super) fn count_iterator(&self) {
        if let Some(cached) = &self.cached {
            cached.count_index_use(&self.statistics);
        }
    }

    /// Counts the prefix filter's answer to a seek.
    pub(super) fn count_seek_filter(&self, may_match: bool) {
        let metric = match may_match {
            true => PerfMetric::BloomSstHitCount,
            false => PerfMetric::BloomSstMissCount,
        };
        perf::count(metric, 1);
        let ticker = match (self.at_last_level, may_match) {
            (true, true) => Ticker::LastLevelSeekFilterMatch,
            (true, false) => Ticker::LastLevelSeekFiltered,
            (false, true) => Ticker::NonLastLevelSeekFilterMatch,
            (false, false) => Ticker::NonLastLevelSeekFiltered,
        };
        stats::add(&self.statistics, ticker, 1);
    }

    /// Counts the first block that an iterator reads after a seek.
    #[cold]
    pub(super) fn count_seek(&self) {
        let ticker = match self.at_last_level {
            true => Ticker::LastLevelSeekData,
            false => Ticker::NonLastLevelSeekData,
        };
        stats::add(&self.statistics, ticker, 1);
    }
}
