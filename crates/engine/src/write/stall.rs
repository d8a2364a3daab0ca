//! Slows writers down before the tree falls behind, and stops them when it has.
//!
//! Three debts are watched: immutable memtables, level-0 files, and bytes that compaction still
//! has to move. Between RocksDB's soft and hard limits the allowed rate falls continuously, so
//! that a writer near its sustainable rate sees small delays instead of a cliff. A delay is a debt
//! in nanoseconds that each write adds to and then waits out; there is no fixed sleep.
//!
//! Before any debt there is the *pace*. Writers that fill the last memtable allowed while another one
//! is being flushed go at a twentieth of the speed of the last flushes, so that the flush is done
//! when a twentieth of the memtable is full. If it takes longer, the rate falls with what they have written since.
//! Otherwise a writer that is faster than the flush doubles the memory in use just before it has to
//! stop anyway. The pace is no delay in RocksDB's sense: it shows in no property, and `no_slowdown`
//! does not fail by it. Writers wait for it rarely and then longer, so that small writes do not see it in
//! the 99.9th percentile and large ones, of which a memtable holds few, not in the 99th. Large ones do not
//! wait before half the memtable is full: their flush is bound by memory, as they are, and done by then.

use crate::env::clock::Instant;
use crate::env::lock_rank::{INNERMOST, RankedMutex};
use crate::env::sync::Condvar;
use crate::env::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Why writers are held up. The names are those of RocksDB's statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StallCause {
    /// Memtables wait for flushes.
    Memtable,
    /// Too many files in level 0.
    Level0FileCount,
    /// Too many bytes wait for compaction.
    PendingCompactionBytes,
}

/// What is measured, for one column family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StallInputs {
    /// Immutable memtables that are not flushed.
    pub immutables: usize,
    /// One of them is being flushed or will be as soon as a thread is free.
    pub flush_due: bool,
    /// Files in level 0.
    pub level0_files: usize,
    /// Bytes that compaction has to move before the tree is in shape.
    pub pending_compaction_bytes: u64,
}

/// Where delays and stops begin; from the options of one column family.
#[derive(Clone, Copy, Debug)]
pub struct StallLimits {
    /// `write_buffer_size`.
    pub memtable_bytes: usize,
    /// `max_write_buffer_number`.
    pub immutables_stop: usize,
    /// `level0_slowdown_writes_trigger`; `None` never delays.
    pub level0_slowdown: Option<usize>,
    /// `level0_stop_writes_trigger`.
    pub level0_stop: usize,
    /// `soft_pending_compaction_bytes_limit`; 0 never delays.
    pub pending_soft: u64,
    /// `hard_pending_compaction_bytes_limit`; 0 never stops.
    pub pending_hard: u64,
}

/// The verdict over one column family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stall {
    /// Writers go at full speed.
    None,
    /// Writers keep to the pace: they fill the last memtable allowed, of so many bytes, during a
    /// flush.
    Pace(usize),
    /// Writers are slowed: 0 is the soft limit, 1 the hard one.
    Delay(StallCause, f64),
    /// Writers wait.
    Stop(StallCause),
}

impl StallLimits {
    /// The verdict for these measurements.
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

/// Holds writers up. One per database; writers look at one flag when there is nothing to do.
pub struct WriteController {
    active: AtomicBool,
    state: RankedMutex<ControllerState, INNERMOST>,
    changed: Condvar,
    /// `delayed_write_rate`, bytes per second at half pressure.
    base_rate: AtomicU64,
    stalled_us: AtomicU64,
}

struct ControllerState {
    /// Writers are delayed or stopped.
    stalled: bool,
    /// How many hold writers back for a moment, whatever the stalls say.
    holders: usize,
    stopped: Option<StallCause>,
    /// Bytes per second; `None` is unlimited.
    rate: Option<f64>,
    /// Instead of a rate, while the pace is kept.
    pace: Option<Pace>,
    /// Bytes of memtables per second, of the last flushes.
    flush_speed: f64,
    /// One was measured.
    flush_speed_known: bool,
    /// When the writes admitted so far are paid for.
    paid_until: Instant,
    closed: bool,
    /// Writes fail: what writers wait for may never come.
    failed: bool,
}

/// Writes into the last memtable allowed, since the flush of another began.
#[derive(Clone, Copy)]
struct Pace {
    memtable_bytes: usize,
    written: usize,
}

/// Debts smaller than this are carried over instead of waited for.
const DEBT_FREE: Duration = Duration::from_micros(100);
/// The same for the pace, unless it has fallen. A wait of 100 us takes three times as long where processors are
/// busy, and many short ones are seen by more writers than a few long ones.
const PACE_DEBT_FREE: Duration = Duration::from_millis(8);
/// A write that costs more is large. Of those one in five hundred would wait for that debt; of smaller ones
/// hardly one in ten thousand does, as few of a memtable's are written beside a flush.
const PACE_COST_LARGE: Duration = Duration::from_micros(16);
/// What of the flush's speed small writes have, and of the memtable by the time the flush is done.
const PACE_SHARE: f64 = 0.05;
/// What of the memtable large writes fill before they wait: a flush of large entries is nearly done by
/// then. They leave room for half as much again if it is late.
const PACE_SHARE_LARGE: f64 = 0.5;
/// So much is always written before the pace falls: less memory is not worth it. Flushes of less say
/// little about their speed.
const PACE_BYTES_MIN: usize = 1 << 20;
/// What a flush is taken for until one was measured: that of a memtable into the page cache.
const FLUSH_SPEED_UNKNOWN: f64 = 512.0 * 1048576.0;

impl Pace {
    /// Bytes per second for small writes, beside a flush of this speed. Falls to a 64th when as much
    /// again is written as the writers have.
    fn rate(&self, flush_speed: f64) -> f64 {
        let free = (self.memtable_bytes as f64 * PACE_SHARE).max(PACE_BYTES_MIN as f64);
        let over = (self.written as f64 / free - 1.0).clamp(0.0, 1.0);
        flush_speed * PACE_SHARE * 64f64.powf(-over)
    }

    /// Bytes per second for large writes, once they have filled what is theirs: from the flush's speed
    /// down to a 64th when half as much again is written.
    fn rate_of_large(&self, flush_speed: f64) -> Option<f64> {
        let free = (self.memtable_bytes as f64 * PACE_SHARE_LARGE).max(PACE_BYTES_MIN as f64);
        let over = 2.0 * (self.written as f64 / free - 1.0);
        (over > 0.0).then(|| flush_speed * 64f64.powf(-over.min(1.0)))
    }

    /// Whether a write of so many bytes is large: one that costs little keeps its debt for others.
    fn is_large(bytes: usize, flush_speed: f64) -> bool {
        bytes as f64 > PACE_COST_LARGE.as_secs_f64() * PACE_SHARE * flush_speed
    }
}
/// One wait is never longer than this, so that a changed rate is seen soon.
const WAIT_MAX: Duration = Duration::from_millis(10);

impl WriteController {
    /// A controller around `delayed_write_rate` bytes per second.
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

    /// Takes the worst verdict over all column families.
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

    /// Takes note of a flush: so many bytes of memtables in so much time.
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

    /// Keeps new writers waiting until the result is dropped. Those that were admitted go on.
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

    /// Four times the base rate at the soft limit, a sixteenth of it at the hard one, geometric
    /// between: each further file or gigabyte costs the same factor.
    fn rate_at(&self, pressure: f64) -> f64 {
        self.base_rate.load(Ordering::Relaxed) as f64 * 4.0 * 64f64.powf(-pressure)
    }

    /// Changes the rate around which writers are delayed; [`WriteController::set`] applies it.
    pub fn set_base_rate(&self, delayed_write_rate: u64) {
        self.base_rate.store(delayed_write_rate.max(1), Ordering::Relaxed);
    }

    /// Whether writers are held up now.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.active.load(Ordering::Acquire)
    }

    /// Whether writers are stopped now.
    pub fn is_stopped(&self) -> bool {
        self.is_active() && self.state.lock().stopped.is_some()
    }

    /// The rate that delayed writers share, in bytes per second; 0 while there is no delay.
    pub fn delayed_write_rate(&self) -> u64 {
        self.state.lock().rate.map_or(0, |r| r as u64)
    }

    /// Microseconds that writers were held up, in total.
    pub fn stalled_us(&self) -> u64 {
        self.stalled_us.load(Ordering::Relaxed)
    }

    /// Waits as long as a write of `bytes` has to. With `no_slowdown` it does not wait and returns
    /// `None` where it would have to. Returns how long a stall held the write up: nothing for most writes.
    #[cold]
    pub fn admit(&self, bytes: usize, no_slowdown: bool) -> Option<Duration> {
        let began = Instant::now();
        let mut stalled = false;
        let mut state = self.state.lock();
        while (state.stopped.is_some() || state.holders > 0) && !state.closed && !state.failed {
            // Who holds writers lets go soon: that is no stall.
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
            // What a large write itself has taken is a part of what it costs.
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
                // Whoever changes the rate wakes us; what is still owed counts at the next write.
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

    /// Lets everybody go, to be told the error that stopped writes; or holds them up again.
    pub fn set_failed(&self, failed: bool) {
        self.state.lock().failed = failed;
        self.changed.notify_all();
    }

    /// Lets everybody go: the database is closing.
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
