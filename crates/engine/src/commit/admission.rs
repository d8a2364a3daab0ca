//! The waits of a writer before it enters the commit queue: for a stall to end, for memtable memory, and for its share
//! of the I/O rate.

use super::queue::CommitQueue;
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::budget::{IoPriority, MemtableShare, WriteBufferManager};
use crate::error::{Code, Error, Result};
use crate::hooks::FlushReason;
use crate::options::WriteOptions;
use crate::stats::{HistogramType, Ticker};
use std::sync::Arc;
use std::time::Duration;

/// The flush of a memtable smaller than this part of its budget frees too little to wait for: the memory is held by
/// other databases, which flush their own.
const WORTH_A_FLUSH: usize = 64;
/// A writer that waits for memory rechecks at least this often.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

impl CommitQueue {
    // ---- stalls ------------------------------------------------------------------------------

    /// Waits as long as a stall requires. Returns false if the write must not wait.
    #[cold]
    pub(super) fn wait_in_stall(&self, bytes: usize, no_slowdown: bool) -> bool {
        let _timer = PerfTimer::start(PerfMetric::WriteDelayTime);
        let admitted = self.catalog.controller().admit(bytes, no_slowdown);
        if let (Some(stalled), Some(stats)) = (admitted, &self.session.statistics)
            && !stalled.is_zero()
        {
            stats.add(Ticker::StallMicros, stalled.as_micros() as u64);
            stats.record(HistogramType::WriteStall, stalled.as_micros() as u64);
        }
        admitted.is_some()
    }

    // ---- memory of memtables -----------------------------------------------------------------

    /// Waits until the budgets admit a write: first for memtable memory, then for its share of the I/O rate. Runs
    /// before the write takes its place in the commit order.
    #[inline]
    pub(super) fn wait_for_budgets(&self, wo: &WriteOptions, bytes: usize) -> Result<()> {
        for share in &self.session.memtable_shares {
            if share.manager().should_stall() {
                self.wait_for_memory(share, wo.no_slowdown)?;
            }
        }
        if wo.rate_limiter_priority != IoPriority::Total {
            self.limit_wal(wo, bytes)?;
        }
        Ok(())
    }

    #[cold]
    fn wait_for_memory(&self, share: &MemtableShare, no_slowdown: bool) -> Result<()> {
        let spares_writers = share.manager().spares_writers();
        if no_slowdown {
            let stalled = Err(Error::new(Code::Incomplete, "Write stall"));
            return if spares_writers { Ok(()) } else { stalled };
        }
        self.reporter.totals().memory_stalls.add(1);
        while share.manager().should_stall() {
            self.session.health.check_writable()?;
            if !self.flush_for_memory(share.manager())? && spares_writers {
                return Ok(());
            }
            share.manager().wait_for_memory(LOOK_AGAIN);
        }
        Ok(())
    }

    /// Starts a flush of the largest memtable, unless there are immutable ones to flush. Returns whether there is a
    /// flush to wait for.
    fn flush_for_memory(&self, manager: &WriteBufferManager) -> Result<bool> {
        let mut write = self.write.lock();
        let mut state = self.catalog.state();
        self.catalog.report_memory(&state);
        let waits = state.request_flushes_for_memory();
        let floor = match manager.spares_writers() {
            true => manager.buffer_size() / WORTH_A_FLUSH,
            false => 0,
        };
        let largest = if waits { None } else { state.largest_memtable() };
        let largest = largest.filter(|cf| cf.mem.approximate_memory_usage() >= floor);
        let largest = largest.map(|cf| Arc::clone(&cf.data));
        drop(state);
        let frees_memory = waits || largest.is_some();
        if let Some(family) = largest {
            self.seal_and_flush(&mut write, &family, FlushReason::WriteBufferManager)?;
        } else if waits {
            self.catalog.notify_jobs();
        }
        drop(write);
        self.reporter.deliver();
        Ok(frees_memory)
    }

    // ---- I/O rate ----------------------------------------------------------------------------

    #[cold]
    fn limit_wal(&self, wo: &WriteOptions, bytes: usize) -> Result<()> {
        if wo.rate_limiter_priority != IoPriority::User {
            return Err(Error::invalid_argument(
                "WriteOptions::rate_limiter_priority only allow Env::IO_TOTAL and Env::IO_USER due \
                 to implementation constraints",
            ));
        }
        if wo.disable_wal || self.session.options.manual_wal_flush {
            return Err(Error::invalid_argument(
                "WriteOptions::rate_limiter_priority currently only supports automatic WAL flush, \
                 which requires `WriteOptions::disableWAL` and `DBOptions::manual_wal_flush` both \
                 set to false",
            ));
        }
        if let Some(limiter) = &self.session.options.rate_limiter
            && limiter.limits_writes()
        {
            limiter.request(bytes, IoPriority::User);
        }
        Ok(())
    }
}
