//! Processor time of one operation, for the perf context.

use super::thread_cpu_time;
use crate::base::perf::{self, PerfLevel, PerfMetric};
use std::time::Duration;

/// Adds the processor time between its creation and its drop to a metric. Reads the clock only if the thread's
/// performance level asks for it.
#[must_use]
pub(crate) struct CpuTimer(Option<(PerfMetric, Duration)>);

impl CpuTimer {
    /// Starts a timer.
    #[inline]
    pub(crate) fn start(metric: PerfMetric) -> CpuTimer {
        if perf::is_used() { CpuTimer::start_used(metric) } else { CpuTimer(None) }
    }

    // Out of line, like `note`: hot paths contain timers, which are nearly always off.
    #[cold]
    #[inline(never)]
    fn start_used(metric: PerfMetric) -> CpuTimer {
        let wanted = perf::level() >= PerfLevel::EnableTimeAndCpuTimeExceptForMutex;
        CpuTimer(wanted.then(|| (metric, thread_cpu_time())))
    }

    #[cold]
    #[inline(never)]
    fn note(metric: PerfMetric, start: Duration) {
        perf::count(metric, thread_cpu_time().saturating_sub(start).as_nanos() as u64);
    }
}

impl Drop for CpuTimer {
    #[inline]
    fn drop(&mut self) {
        if let Some((metric, start)) = self.0 {
            CpuTimer::note(metric, start);
        }
    }
}
