//! Statistics of a database, which are read through the options with which it was opened.
//!
//! The numbers of tickers and histograms are RocksDB 10.10's. Counters that the engine does not update are 0.

use super::rocksdb_options_t;
use crate::bytes::c_string;
use crate::errptr::quiet;
use crate::handles::{destroy, give};
use ferrolith::internal::stats::{HistogramData, HistogramType, Statistics, StatsLevel, Ticker};
use std::ffi::{c_char, c_int};
use std::ptr;

/// The figures of a histogram.
#[derive(Default)]
pub struct rocksdb_statistics_histogram_data_t {
    pub(crate) data: HistogramData,
}

unsafe fn statistics<'a>(opt: *mut rocksdb_options_t) -> Option<&'a Statistics> {
    opt.as_ref()?.inner.db.statistics.as_deref()
}

/// Enables statistics. They are used by databases that are opened with these options afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_enable_statistics(opt: *mut rocksdb_options_t) {
    quiet((), || {
        if let Some(opt) = opt.as_mut() {
            opt.inner.db.statistics = Some(Statistics::new());
        }
    });
}

/// Sets the level of statistics, if they are enabled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_statistics_level(
    opt: *mut rocksdb_options_t,
    level: c_int,
) {
    if let Some(statistics) = statistics(opt) {
        let highest = StatsLevel::ALL.len() - 1;
        let at = usize::try_from(level).unwrap_or(0).min(highest);
        statistics.set_level(StatsLevel::ALL[at]);
    }
}

/// Returns the level of statistics.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_get_statistics_level(
    opt: *mut rocksdb_options_t,
) -> c_int {
    let level = statistics(opt).map_or(StatsLevel::DisableAll, Statistics::level);
    level as c_int
}

/// Returns all statistics, one per line, for the caller to free; NULL if they are disabled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_statistics_get_string(
    opt: *mut rocksdb_options_t,
) -> *mut c_char {
    quiet(ptr::null_mut(), || match statistics(opt) {
        Some(statistics) => c_string(&statistics.to_text()),
        None => ptr::null_mut(),
    })
}

/// Returns a ticker.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_statistics_get_ticker_count(
    opt: *mut rocksdb_options_t,
    ticker_type: u32,
) -> u64 {
    let ticker = Ticker::from_number(ticker_type);
    let (Some(statistics), Some(ticker)) = (statistics(opt), ticker) else { return 0 };
    statistics.ticker(ticker)
}

/// Returns a histogram.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_statistics_get_histogram_data(
    opt: *mut rocksdb_options_t,
    histogram_type: u32,
    data: *mut rocksdb_statistics_histogram_data_t,
) {
    let histogram = HistogramType::from_number(histogram_type);
    let found = statistics(opt).zip(histogram).map(|(s, h)| s.histogram(h));
    if let Some(out) = data.as_mut() {
        out.data = found.unwrap_or_default();
    }
}

/// Creates figures, all 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_statistics_histogram_data_create()
-> *mut rocksdb_statistics_histogram_data_t {
    give(rocksdb_statistics_histogram_data_t::default())
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_statistics_histogram_data_destroy(
    data: *mut rocksdb_statistics_histogram_data_t,
) {
    destroy(data);
}
