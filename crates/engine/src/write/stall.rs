//! Write stalls: slow writers down before the tree falls behind, and stop them when it has.
//!
//! Three debts are watched: immutable memtables, level-0 files, and the bytes that compaction still has to move.
//! Between RocksDB's soft and hard limits the allowed rate falls continuously, so that a writer near its sustainable
//! rate sees small delays instead of a cliff. A delay is a debt in nanoseconds: each write adds to it and then waits
//! until it is paid. There is no fixed sleep.
//!
//! Up to `max_write_buffer_number`, full memtables are no debt: writers fill the next one at full speed while earlier
//! ones are flushed. The memory for memtables is therefore bounded by `write_buffer_size` times that number.

use crate::env::clock::Instant;
use crate::env::lock_rank::{INNERMOST, RankedMutex};
use crate::env::sync::Condvar;
use crate::env::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Why writers are stalled. The names are those of RocksDB's statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StallCause {
    /// Memtables wait to be flushed.
    Memtable,
    /// Too many files in level 0.
    Level0FileCount,
    /// Too many bytes wait for compaction.
    PendingCompactionBytes,
}

/// The measurements for one column family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StallInputs {
    /// The number of immutable memtables that are not flushed.
    pub immutables: usize,
    /// The number of files in level 0.
    pub level0_files: usize,
    /// The number of bytes that compaction has to move before the tree is in shape.
    pub pending_compaction_bytes: u64,
}

/// The limits at which delays and stops begin, from the options of one column family.
#[derive(Clone, Copy, Debug)]
pub struct StallLimits {
    /// `max_write_buffer_number`.
    pub immutables_stop: usize,
    /// `level0_slowdown_writes_trigger`; `None` means no delay.
    pub level0_slowdown: Option<usize>,
    /// `level0_stop_writes_trigger`.
    pub level0_stop: usize,
    /// `soft_pending_compaction_bytes_limit`; 0 means no delay.
    pub pending_soft: u64,
    /// `hard_pending_compaction_bytes_limit`; 0 means no stop.
    pub pending_hard: u64,
}

/// The stall condition of one column family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stall {
    /// Writers are not limited.
    None,
    /// Writers are delayed. The pressure is 0 at the soft limit and 1 at the hard limit.
    Delay(StallCause, f64),
    /// Writers are stopped.
    Stop(StallCause),
}

impl StallLimits {
    /// Returns the stall condition for these measurements.
    pub fn judge(&self, inputs: &StallInputs) -> Stall {
        let pending = inputs.pending_compaction_bytes;
        if inputs.immutables >= self.immutables_stop {
            return Stall::Stop(StallCause::Memtable);
        }
        if inputs.level0_files >= self.level0_stop {
            return Stall::Stop(StallCause::Level0FileCount);
        }
        if self.pending_hard > 0 && pending >= self.pending_hard {
            return Stall::Stop(StallCause::PendingCompactionBytes);
        }
        let mut worst = Stall::None;
        let mut consider = |cause, pressure: f64| {
            if !matches!(worst, Stall::Delay(_, p) if p >= pressure) {
                worst = Stall::Delay(cause, pressure.clamp(0.0, 1.0));
            }
        };
        if let Some(slowdown) = self.level0_slowdown
            && inputs.level0_files >= slowdown
        {
            let span = self.level0_stop.saturating_sub(slowdown).max(1);
            let pressure = (inputs.level0_files - slowdown) as f64 / span as f64;
            consider(StallCause::Level0FileCount, pressure);
        }
        if self.pending_soft > 0 && pending >= self.pending_soft {
            let span = self.pending_hard.saturating_sub(self.pending_soft).max(1);
            let pressure = (pending - self.pending_soft) as f64 / span as f64;
            consider(StallCause::PendingCompactionBytes, pressure);
        }
        worst
    }
}

/// Delays and stops writers. There is one per database. If there is nothing to do, writers only read one flag.
pub struct WriteController {
    active: AtomicBool,
    state: RankedMutex<ControllerState, INNERMOST>,
    changed: Condvar,
    /// `delayed_write_rate`: bytes per second at half pressure.
    base_rate: AtomicU64,
    stalled_us: AtomicU64,
}

struct ControllerState {
    /// Whether writers are delayed or stopped.
    stalled: bool,
    /// The number of threads that hold writers briefly, regardless of stalls.
    holders: usize,
    stopped: Option<StallCause>,
    /// The allowed rate in bytes per second; `None` means unlimited.
    rate: Option<f64>,
    /// When the debt of the writes admitted so far is paid.
    paid_until: Instant,
    closed: bool,
    /// Whether writes fail: the event that stopped writers wait for may never happen.
    failed: bool,
}

/// Debts smaller than this are carried over instead of waited for. A sleep costs two context switches and takes 50 us
/// longer than asked. During long fills, more than one of a hundred small writes slept with 100 us here, less than one
/// with 500 us; RocksDB's writes sleep for 1 ms at least, one of five hundred.
const DEBT_FREE: Duration = Duration::from_micros(500);
/// The longest single wait, so that a changed rate takes effect soon.
const WAIT_MAX: Duration = Duration::from_millis(10);

impl WriteController {
    /// Creates a controller with a base rate of `delayed_write_rate` bytes per second.
    pub fn new(delayed_write_rate: u64) -> WriteController {
        WriteController {
            active: AtomicBool::new(false),
            state: RankedMutex::new(ControllerState {
                stalled: false,
                holders: 0,
                stopped: None,
                rate: None,
                paid_until: Instant::now(),
                closed: false,
                failed: false,
            }),
            changed: Condvar::new(),
            base_rate: AtomicU64::new(delayed_write_rate.max(1)),
            stalled_us: AtomicU64::new(0),
        }
    }

    /// Sets the worst stall condition of all column families.
    pub fn set(&self, stall: Stall) {
        let mut state = self.state.lock();
        (state.stopped, state.rate) = match stall {
            Stall::None => (None, None),
            Stall::Delay(_, pressure) => (None, Some(self.rate_at(pressure))),
            Stall::Stop(cause) => (Some(cause), None),
        };
        state.stalled = !matches!(stall, Stall::None);
        self.active.store(state.stalled || state.holders > 0, Ordering::Release);
        drop(state);
        self.changed.notify_all();
    }

    /// Holds new writers until the result is dropped. Writers that were admitted continue.
    pub fn hold(&self) -> WritersHeld<'_> {
        let mut state = self.state.lock();
        state.holders += 1;
        self.active.store(true, Ordering::Release);
        WritersHeld(self)
    }

    fn let_go(&self) {
        let mut state = self.state.lock();
        state.holders -= 1;
        self.active.store(state.stalled || state.holders > 0, Ordering::Release);
        drop(state);
        self.changed.notify_all();
    }

    /// Returns the rate at a pressure: four times the base rate at the soft limit, a sixteenth of it at the hard limit,
    /// and geometric in between. So each further file or gigabyte costs the same factor.
    fn rate_at(&self, pressure: f64) -> f64 {
        self.base_rate.load(Ordering::Relaxed) as f64 * 4.0 * 64f64.powf(-pressure)
    }

    /// Changes the base rate for delayed writers; [`WriteController::set`] applies it.
    pub fn set_base_rate(&self, delayed_write_rate: u64) {
        self.base_rate.store(delayed_write_rate.max(1), Ordering::Relaxed);
    }

    /// Returns whether writers are delayed, stopped or held now.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.active.load(Ordering::Acquire)
    }

    /// Returns whether writers are stopped now.
    pub fn is_stopped(&self) -> bool {
        self.is_active() && self.state.lock().stopped.is_some()
    }

    /// Returns the rate that delayed writers share, in bytes per second; 0 while there is no delay.
    pub fn delayed_write_rate(&self) -> u64 {
        self.state.lock().rate.map_or(0, |r| r as u64)
    }

    /// Returns the total time that writers were stalled, in microseconds.
    pub fn stalled_us(&self) -> u64 {
        self.stalled_us.load(Ordering::Relaxed)
    }

    /// Waits as long as a write of `bytes` has to. Returns how long a stall delayed the write; 0 for most
    /// writes. With `no_slowdown` it does not wait, and returns `None` if it would have to.
    #[cold]
    pub fn admit(&self, bytes: usize, no_slowdown: bool) -> Option<Duration> {
        let began = Instant::now();
        let mut stalled = false;
        let mut state = self.state.lock();
        while (state.stopped.is_some() || state.holders > 0) && !state.closed && !state.failed {
            // Held writers are released soon, so this is no stall.
            if no_slowdown && state.stopped.is_some() {
                return None;
            }
            stalled |= state.stopped.is_some();
            state.wait(&self.changed);
        }
        if let Some(rate) = state.rate
            && !state.closed
            && !state.failed
        {
            let now = Instant::now();
            let cost = Duration::from_secs_f64(bytes as f64 / rate);
            state.paid_until = state.paid_until.max(now) + cost;
            let debt = state.paid_until.duration_since(now);
            if debt > DEBT_FREE {
                if no_slowdown {
                    state.paid_until -= cost;
                    return None;
                }
                // A change of the rate wakes this thread. The remaining debt counts at the next write.
                stalled = true;
                state.wait_for(&self.changed, debt.min(WAIT_MAX));
            }
        }
        drop(state);
        if !stalled {
            return Some(Duration::ZERO);
        }
        let waited = began.elapsed();
        self.stalled_us.fetch_add(waited.as_micros() as u64, Ordering::Relaxed);
        Some(waited)
    }

    /// Releases all waiting writers, which then get the error that stopped writes; or ends this state.
    pub fn set_failed(&self, failed: bool) {
        self.state.lock().failed = failed;
        self.changed.notify_all();
    }

    /// Releases all waiting writers, because the database is closing.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.changed.notify_all();
    }
}

/// See [`WriteController::hold`].
pub struct WritersHeld<'a>(&'a WriteController);

impl Drop for WritersHeld<'_> {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

#[cfg(test)]
#[path = "stall_test.rs"]
mod tests;
