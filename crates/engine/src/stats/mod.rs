//! What the engine counts: tickers and histograms under RocksDB's names.
//!
//! A database holds `Option<Arc<Statistics>>`. Where it is `None` nothing is counted and nothing is
//! timed: the cost is one branch ([`add`], [`record`], [`Timer`]). Where it is on, a thread adds to
//! counters of its own shard without ordering, so readers may see a moment that never was; totals
//! never lose an event. Only what is really counted has a name here: a ticker that stays 0 because
//! nobody feeds it would mislead whoever reads it.

mod histogram;
mod level;
mod statistics;
mod tickers;

pub use histogram::{Histogram, HistogramData, bucket_limits};
pub use level::StatsLevel;
pub use statistics::{Statistics, Timer, add, record};
pub use tickers::{HistogramType, Ticker};
