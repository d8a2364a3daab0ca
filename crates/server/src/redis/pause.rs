//! CLIENT PAUSE: commands wait until a time.

use super::command::{Command, MAY_REPLICATE};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::sync::Notify;

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
    ended: Notify,
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
        // Those that wait look again at the end of their time.
        self.ended.notify_waiters();
    }

    /// Ends the pause.
    pub fn end(&self) {
        *self.which.lock() = None;
        self.until_ms.store(0, Ordering::Release);
        self.ended.notify_waiters();
    }

    /// Returns whether a pause may be running: if not, nobody needs to know the time.
    #[inline]
    pub fn is_possible(&self) -> bool {
        self.until_ms.load(Ordering::Relaxed) != 0
    }

    /// Returns the end of the pause if it is running and a command must wait.
    pub fn applies(&self, command: &Command, has_writes: bool, now_ms: u64) -> Option<u64> {
        let until_ms = self.until_ms.load(Ordering::Acquire);
        if until_ms <= now_ms {
            return None;
        }
        let waits = match *self.which.lock() {
            None => false,
            Some(Paused::All) => !is_exempt(command),
            Some(Paused::Writes) => {
                has_writes || command.is_write() || command.flags.has(MAY_REPLICATE)
            }
        };
        waits.then_some(until_ms)
    }

    /// Returns the number of clients that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Waits until a pause ends or changes.
    pub async fn wait(&self) {
        let _waiting = Waiting::new(&self.waiting);
        self.ended.notified().await;
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

/// Returns whether a command runs during a pause of all others: that which ends it.
fn is_exempt(command: &Command) -> bool {
    command.full_name == "client|unpause"
}
