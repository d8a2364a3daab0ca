//! The perf context: what the calling thread's operations cost.
//!
//! As in RocksDB a handle stands for the context of the thread that uses it; there is one per thread.

use crate::bytes::c_string;
use crate::errptr::quiet;
use crate::handles::{destroy, give};
use ferrolith::internal::base::perf::{self, PerfLevel, PerfMetric};
use std::ffi::{c_char, c_int, c_uchar};
use std::ptr;

/// The context of whichever thread uses it.
pub struct rocksdb_perfcontext_t {
    _unused: u8,
}

/// What this thread counts from now on; a number that is no level changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_set_perf_level(level: c_int) {
    if let Some(level) = u8::try_from(level).ok().and_then(PerfLevel::from_number) {
        perf::set_level(level);
    }
}

/// A handle. Counts begin with the first one that a process makes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_create() -> *mut rocksdb_perfcontext_t {
    let _ = perf::value(PerfMetric::BlockReadCount);
    give(rocksdb_perfcontext_t { _unused: 0 })
}

/// All of this thread's counts are 0 again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_reset(_context: *mut rocksdb_perfcontext_t) {
    perf::reset();
}

/// This thread's counts as text for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_report(
    _context: *mut rocksdb_perfcontext_t,
    exclude_zero_counters: c_uchar,
) -> *mut c_char {
    quiet(ptr::null_mut(), || c_string(&perf::report(exclude_zero_counters != 0)))
}

/// One of this thread's counts by its number; 0 for a number that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_metric(
    _context: *mut rocksdb_perfcontext_t,
    metric: c_int,
) -> u64 {
    let metric = usize::try_from(metric).ok().and_then(PerfMetric::from_number);
    metric.map_or(0, perf::value)
}

/// Gives the handle back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_destroy(context: *mut rocksdb_perfcontext_t) {
    destroy(context);
}
