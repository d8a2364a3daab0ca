//! Statistics: tickers and histograms with RocksDB's names.
//!
//! A database holds `Option<Arc<Statistics>>`. If it is `None`, nothing is counted or timed: the cost is one branch
//! ([`add`], [`record`], [`Timer`]). Otherwise a thread adds to the counters of its own shard without ordering. So
//! readers may see a combination of values that never existed at one time, but totals never lose an event. All names
//! and numbers of RocksDB 10.10 exist, because programs use the numbers. Counters that the engine does not update stay
//! 0; `docs/statistics.md` lists them.

mod activity;
mod histogram;
mod histogram_types;
mod level;
mod named;
mod prometheus;
mod reasons;
mod statistics;
mod tickers;

pub use activity::{Activity, Busy, activity, busy_unless_known, busy_with};
pub use histogram::{Histogram, HistogramData};
pub use histogram_types::HistogramType;
pub use level::StatsLevel;
pub use prometheus::{PROMETHEUS_CONTENT_TYPE, prometheus_text};
pub use statistics::{LocalCounters, Statistics, Timer, add, record};
pub use tickers::Ticker;

#[cfg(test)]
#[path = "page_test.rs"]
mod page_tests;
