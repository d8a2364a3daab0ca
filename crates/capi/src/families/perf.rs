//! The perf context: the cost of the calling thread's operations.
//!
//! As in RocksDB, a handle means the context of the thread that uses it; there is one per thread.

use crate::bytes::c_string;
use crate::errptr::quiet;
use crate::handles::{destroy, give};
use ferrolith::internal::base::perf::{self, PerfLevel, PerfMetric};
use std::ffi::{c_char, c_int, c_uchar};
use std::ptr;

/// The context of the thread that uses it.
pub struct rocksdb_perfcontext_t {
    _unused: u8,
}

/// Sets what this thread counts from now on. A number that is not a level changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_set_perf_level(level: c_int) {
    if let Some(level) = u8::try_from(level).ok().and_then(PerfLevel::from_number) {
        perf::set_level(level);
    }
}

/// Creates a handle. Counting begins when a process creates its first handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_create() -> *mut rocksdb_perfcontext_t {
    let _ = perf::value(PerfMetric::BlockReadCount);
    give(rocksdb_perfcontext_t { _unused: 0 })
}

/// Resets all counts of this thread to 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_reset(_context: *mut rocksdb_perfcontext_t) {
    perf::reset();
}

/// Returns this thread's counts as text, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_report(
    _context: *mut rocksdb_perfcontext_t,
    exclude_zero_counters: c_uchar,
) -> *mut c_char {
    quiet(ptr::null_mut(), || c_string(&perf::report(exclude_zero_counters != 0)))
}

/// Returns one of this thread's counts by number; 0 for an unknown number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_metric(
    _context: *mut rocksdb_perfcontext_t,
    metric: c_int,
) -> u64 {
    let metric = usize::try_from(metric).ok().and_then(PerfMetric::from_number);
    metric.map_or(0, perf::value)
}

/// Destroys the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_destroy(context: *mut rocksdb_perfcontext_t) {
    destroy(context);
}
