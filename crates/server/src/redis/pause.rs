//! CLIENT PAUSE: commands wait until a time.

use super::command::{Command, MAY_REPLICATE};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::sync::watch;

/// Which commands wait.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Paused {
    /// Those that may write.
    Writes,
    /// All.
    All,
}

/// Whether commands wait.
#[derive(Debug, Default)]
pub struct Pause {
    /// The end by the monotonic clock, in milliseconds; 0 if nothing waits. It is read before each command.
    until_ms: AtomicU64,
    which: Mutex<Option<Paused>>,
    waiting: AtomicUsize,
    /// Counts beginnings and ends of pauses.
    changes: watch::Sender<u64>,
}

/// That a command must wait.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Wait {
    /// Until when, by the monotonic clock in milliseconds.
    pub until_ms: u64,
    /// The number of changes of the pause so far.
    changes: u64,
}

impl Pause {
    /// Makes commands wait. A pause of all commands stays one, and the later end counts.
    pub fn begin(&self, which: Paused, until_ms: u64) {
        let mut present = self.which.lock();
        let is_running = self.until_ms.load(Ordering::Relaxed) != 0;
        if !is_running || *present != Some(Paused::All) {
            *present = Some(which);
        }
        self.until_ms.fetch_max(until_ms.max(1), Ordering::Release);
        drop(present);
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Ends the pause.
    pub fn end(&self) {
        *self.which.lock() = None;
        self.until_ms.store(0, Ordering::Release);
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Returns whether a pause may be running: if not, nobody needs to know the time.
    #[inline]
    pub fn is_possible(&self) -> bool {
        self.until_ms.load(Ordering::Relaxed) != 0
    }

    /// Returns whether a command must wait, and until when. `writes` says whether it, or a command that it executes,
    /// may write.
    pub fn applies(&self, command: &Command, writes: bool, now_ms: u64) -> Option<Wait> {
        let changes = *self.changes.borrow();
        let until_ms = self.until_ms.load(Ordering::Acquire);
        if until_ms <= now_ms {
            return None;
        }
        let waits = match *self.which.lock() {
            None => false,
            Some(Paused::All) => !is_exempt(command),
            Some(Paused::Writes) => writes,
        };
        waits.then_some(Wait { until_ms, changes })
    }

    /// Returns the number of clients that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Waits until a pause ends or changes.
    pub async fn changed(&self, wait: Wait) {
        let _waiting = Waiting::new(&self.waiting);
        // The sender lives as long as `self`.
        _ = self.changes.subscribe().wait_for(|changes| *changes != wait.changes).await;
    }
}

/// Counts a client as waiting while it lives.
struct Waiting<'p>(&'p AtomicUsize);

impl Waiting<'_> {
    fn new(count: &AtomicUsize) -> Waiting<'_> {
        count.fetch_add(1, Ordering::Relaxed);
        Waiting(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns whether a command may change rows, or what subscribers see.
pub fn may_write(command: &Command) -> bool {
    command.is_write() || command.flags.has(MAY_REPLICATE)
}

/// Returns whether a command runs during a pause of all others: that which ends it.
fn is_exempt(command: &Command) -> bool {
    command.full_name == "client|unpause"
}
