//! Statistics of a database, read through the options that it was opened with.
//!
//! Numbers of tickers and histograms are RocksDB 10.10's. What the engine does not count is 0.

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

/// Counts from now on. A database counts if it is opened with these options after that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_enable_statistics(opt: *mut rocksdb_options_t) {
    quiet((), || {
        if let Some(opt) = opt.as_mut() {
            opt.inner.db.statistics = Some(Statistics::new());
        }
    });
}

/// Changes how much is counted, if anything is.
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

/// How much is counted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_get_statistics_level(
    opt: *mut rocksdb_options_t,
) -> c_int {
    let level = statistics(opt).map_or(StatsLevel::DisableAll, Statistics::level);
    level as c_int
}

/// Everything that was counted, a line each, for the caller to free; NULL without statistics.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_statistics_get_string(
    opt: *mut rocksdb_options_t,
) -> *mut c_char {
    quiet(ptr::null_mut(), || match statistics(opt) {
        Some(statistics) => c_string(&statistics.to_text()),
        None => ptr::null_mut(),
    })
}

/// One ticker.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_statistics_get_ticker_count(
    opt: *mut rocksdb_options_t,
    ticker_type: u32,
) -> u64 {
    let ticker = Ticker::from_number(ticker_type);
    let (Some(statistics), Some(ticker)) = (statistics(opt), ticker) else { return 0 };
    statistics.ticker(ticker)
}

/// One histogram.
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

/// New figures, all 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_statistics_histogram_data_create()
-> *mut rocksdb_statistics_histogram_data_t {
    give(rocksdb_statistics_histogram_data_t::default())
}

/// Gives them back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_statistics_histogram_data_destroy(
    data: *mut rocksdb_statistics_histogram_data_t,
) {
    destroy(data);
}
