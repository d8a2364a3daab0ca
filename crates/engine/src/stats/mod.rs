//! What the engine counts: tickers and histograms under RocksDB's names.
//!
//! A database holds `Option<Arc<Statistics>>`. Where it is `None` nothing is counted and nothing is
//! timed: the cost is one branch ([`add`], [`record`], [`Timer`]). Where it is on, a thread adds to
//! counters of its own shard without ordering, so readers may see a moment that never was; totals
//! never lose an event. Every name and number of RocksDB 10.10 is
//! there, as programs ask by number; those that nothing feeds stay 0, and `docs/statistics.md` says
//! which.

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
