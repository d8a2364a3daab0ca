//! Write stalls: slow writers down before the tree falls behind, and stop them when it has.
//!
//! Three debts are watched: immutable memtables, level-0 files, and the bytes that compaction still has to move.
//! Between RocksDB's soft and hard limits the allowed rate falls continuously, so that a writer near its sustainable
//! rate sees small delays instead of a cliff. A delay is a debt in nanoseconds: each write adds to it and then waits
//! until it is paid. There is no fixed sleep.
//!
//! Before any debt there is the *pace*. Writers that fill the last allowed memtable while another one is being flushed
//! are limited to a twentieth of the speed of recent flushes, so that the flush finishes when a twentieth of the
//! memtable is full. If the flush takes longer, the rate falls with the amount written since. Without the pace, a
//! writer that is faster than the flush would double the memory in use just before it has to stop anyway. The pace is
//! no stall condition in RocksDB's sense: listeners and the properties of stall conditions do not show it, and
//! `no_slowdown` does not fail because of it. The time that writers wait for it does count as stall time.
//!
//! A few writes wait long for the pace, instead of many writes a little. So it does not affect the 99.9th percentile of
//! small writes. A memtable holds few large writes, and the pace would affect their 99th percentile; therefore large
//! writes do not wait before half the memtable is full. By then the flush is finished, since memory speed limits it as
//! it limits large writes.

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
    /// Whether one of them is being flushed, or will be as soon as a thread is free.
    pub flush_due: bool,
    /// The number of files in level 0.
    pub level0_files: usize,
    /// The number of bytes that compaction has to move before the tree is in shape.
    pub pending_compaction_bytes: u64,
}

/// The limits at which delays and stops begin, from the options of one column family.
#[derive(Clone, Copy, Debug)]
pub struct StallLimits {
    /// `write_buffer_size`.
    pub memtable_bytes: usize,
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
    /// Writers keep the pace: during a flush they fill the last allowed memtable, of this many bytes.
    Pace(usize),
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
        let last_memtable = inputs.immutables + 1 >= self.immutables_stop;
        let mut worst = match last_memtable && inputs.flush_due {
            true => Stall::Pace(self.memtable_bytes),
            false => Stall::None,
        };
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
    /// Replaces the rate while the pace is kept.
    pace: Option<Pace>,
    /// The speed of recent flushes, in memtable bytes per second.
    flush_speed: f64,
    /// Whether a flush was measured.
    flush_speed_known: bool,
    /// When the debt of the writes admitted so far is paid.
    paid_until: Instant,
    closed: bool,
    /// Whether writes fail: the event that stopped writers wait for may never happen.
    failed: bool,
}

/// Writes into the last allowed memtable since the flush of another one began.
#[derive(Clone, Copy)]
struct Pace {
    memtable_bytes: usize,
    written: usize,
}

/// Debts smaller than this are carried over instead of waited for.
const DEBT_FREE: Duration = Duration::from_micros(100);
/// The same for the pace, unless the rate has fallen. A wait of 100 us takes three times as long when processors are
/// busy, and many short waits affect more writers than a few long ones.
const PACE_DEBT_FREE: Duration = Duration::from_millis(8);
/// A write that costs more than this is large. With the debt of small writes, one in five hundred large writes would
/// wait. Of the small ones, hardly one in ten thousand does, because few of them happen during a flush.
const PACE_COST_LARGE: Duration = Duration::from_micros(16);
/// The share of the flush speed that small writes get, and the share of the memtable that they fill during the flush.
const PACE_SHARE: f64 = 0.05;
/// The share of the memtable that large writes fill before they wait: a flush of large entries is nearly done by then.
/// If the flush is late, there is room for half as much again.
const PACE_SHARE_LARGE: f64 = 0.5;
/// The rate does not fall before this many bytes are written during a flush: saving less memory is not worthwhile.
/// Smaller flushes say little about the flush speed.
const PACE_BYTES_MIN: usize = 1 << 20;
/// The assumed flush speed until a flush is measured: that of writing a memtable into the page cache.
const FLUSH_SPEED_UNKNOWN: f64 = 512.0 * 1048576.0;

impl Pace {
    /// Returns the rate for small writes in bytes per second, given the flush speed. It falls to a 64th when writers
    /// have written twice their share.
    fn rate(&self, flush_speed: f64) -> f64 {
        let free = (self.memtable_bytes as f64 * PACE_SHARE).max(PACE_BYTES_MIN as f64);
        let over = (self.written as f64 / free - 1.0).clamp(0.0, 1.0);
        flush_speed * PACE_SHARE * 64f64.powf(-over)
    }

    /// Returns the rate for large writes in bytes per second, once they have filled their share: from the flush speed
    /// down to a 64th of it when they have written half as much again.
    fn rate_of_large(&self, flush_speed: f64) -> Option<f64> {
        let free = (self.memtable_bytes as f64 * PACE_SHARE_LARGE).max(PACE_BYTES_MIN as f64);
        let over = 2.0 * (self.written as f64 / free - 1.0);
        (over > 0.0).then(|| flush_speed * 64f64.powf(-over.min(1.0)))
    }

    /// Returns whether a write of this many bytes is large. A write that costs little leaves its debt to later writes.
    fn is_large(bytes: usize, flush_speed: f64) -> bool {
        bytes as f64 > PACE_COST_LARGE.as_secs_f64() * PACE_SHARE * flush_speed
    }
}
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
                pace: None,
                flush_speed: FLUSH_SPEED_UNKNOWN,
                flush_speed_known: false,
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
        let written = state.pace.map_or(0, |pace| pace.written);
        (state.stopped, state.rate, state.pace) = match stall {
            Stall::None => (None, None, None),
            Stall::Pace(memtable_bytes) => (None, None, Some(Pace { memtable_bytes, written })),
            Stall::Delay(_, pressure) => (None, Some(self.rate_at(pressure)), None),
            Stall::Stop(cause) => (Some(cause), None, None),
        };
        state.stalled = !matches!(stall, Stall::None);
        self.active.store(state.stalled || state.holders > 0, Ordering::Release);
        drop(state);
        self.changed.notify_all();
    }

    /// Notes a flush: the bytes of its memtables and the time it took.
    pub fn flushed(&self, bytes: u64, took: Duration) {
        if bytes >= PACE_BYTES_MIN as u64 {
            let speed = bytes as f64 / took.as_secs_f64().max(1e-6);
            let mut state = self.state.lock();
            state.flush_speed = match state.flush_speed_known {
                true => (state.flush_speed + speed) / 2.0,
                false => speed,
            };
            state.flush_speed_known = true;
        }
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

    /// Waits as long as a write of `bytes` has to. Returns how long a stall or the pace delayed the write; 0 for most
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
        let flush_speed = state.flush_speed;
        let large = state.pace.is_some() && Pace::is_large(bytes, flush_speed);
        let rate = match &mut state.pace {
            Some(pace) => {
                pace.written = pace.written.saturating_add(bytes);
                match large {
                    true => pace.rate_of_large(flush_speed),
                    false => Some(pace.rate(flush_speed)),
                }
            }
            None => state.rate,
        };
        if let Some(rate) = rate
            && !state.closed
            && !state.failed
        {
            let now = Instant::now();
            let cost = Duration::from_secs_f64(bytes as f64 / rate);
            // The time that a large write itself took counts towards its cost.
            let since = if large { now.checked_sub(cost).unwrap_or(now) } else { now };
            state.paid_until = state.paid_until.max(since) + cost;
            let debt = state.paid_until.duration_since(now);
            let rarely = state.pace.is_some() && (large || cost <= PACE_COST_LARGE);
            let free = if rarely { PACE_DEBT_FREE } else { DEBT_FREE };
            if debt > free {
                if no_slowdown {
                    state.paid_until -= cost;
                    return state.pace.is_some().then_some(Duration::ZERO);
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
