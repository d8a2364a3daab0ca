//! Tickers by the numbers that they have in the RocksDB of the bindings. `ferrolith-capi` has RocksDB 10.10's numbers,
//! and each version of RocksDB inserts new tickers among the old ones.

use crate::bindings;

/// `count` tickers with consecutive numbers, here and in RocksDB 10.10.
pub(crate) struct Run {
    /// The first one's number in the RocksDB of these bindings.
    pub(crate) first: u32,
    /// The first one's number in RocksDB 10.10.
    pub(crate) capi: u32,
    pub(crate) count: u32,
}

/// Returns the value of a ticker: 0 if RocksDB 10.10 has no such ticker.
///
/// # Safety
/// `opt` is NULL or an options object that is not destroyed meanwhile.
pub unsafe extern "C" fn rocksdb_options_statistics_get_ticker_count(
    opt: *mut bindings::rocksdb_options_t,
    ticker_type: u32,
) -> u64 {
    match number(&crate::TICKERS, ticker_type) {
        // SAFETY: the caller's promise.
        Some(number) => unsafe {
            bindings::rocksdb_options_statistics_get_ticker_count(opt, number)
        },
        None => 0,
    }
}

/// The number in RocksDB 10.10 of the ticker with this number in the RocksDB of the bindings.
fn number(runs: &[Run], ticker: u32) -> Option<u32> {
    let run = runs.iter().rfind(|run| run.first <= ticker)?;
    let offset = ticker - run.first;
    (offset < run.count).then_some(run.capi + offset)
}
