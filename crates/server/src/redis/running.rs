//! Scripts that run: SCRIPT KILL finds them here, and commands that come while one runs too long.
//!
//! * **RL1** A script is in the list from the first question of its interpreter until it ends or begins anew.
//! * **RL2** While a script of the list is late, commands without the flag `allow_busy` are refused, and nobody waits
//!   for latches. Only scripts with threads of their own become late, so all workers go on.
//! * **RL3** A key whose waiters could not be served because its latches were not free is postponed. The thread of a
//!   late script serves these keys after its commit.

use super::failure::{Done, Failure};
use super::server::Server;
use super::watches::DatabaseKey;
use crate::store::{Guards, Mode};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The error while a script of EVAL runs too long.
const BUSY_SCRIPT: &str =
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
/// The error while a function runs too long.
const BUSY_FUNCTION: &str =
    "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.";
const NOT_BUSY: &str = "NOTBUSY No scripts in execution right now.";
const UNKILLABLE: &str = "UNKILLABLE Sorry the script already executed write commands against \
    the dataset. You can either wait the script termination or kill the server in a hard way \
    using the SHUTDOWN NOSAVE command.";

/// A script that has run for some time.
#[derive(Debug)]
pub struct Running {
    /// The SHA-1 of the script or the name of the function.
    pub name: String,
    /// Whether EVAL or EVALSHA runs it.
    pub is_eval: bool,
    /// The command and its arguments.
    pub args: Vec<Vec<u8>>,
    /// When it began, by the monotonic clock.
    pub started_us: u64,
    /// Whether it called a command that writes.
    pub has_written: AtomicBool,
    is_killed: AtomicBool,
    is_late: AtomicBool,
}

impl Running {
    /// Returns the entry of a script that began at this time of the monotonic clock and has not written.
    pub fn new(name: &str, is_eval: bool, args: Vec<Vec<u8>>, started_us: u64) -> Running {
        let (has_written, is_killed) = (AtomicBool::new(false), AtomicBool::new(false));
        let (name, is_late) = (name.to_owned(), AtomicBool::new(false));
        Running { name, is_eval, args, started_us, has_written, is_killed, is_late }
    }

    /// Returns whether a client asked to end it.
    pub fn is_killed(&self) -> bool {
        self.is_killed.load(Ordering::Relaxed)
    }

    /// Returns whether it runs too long.
    pub fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    fn busy_text(&self) -> &'static str {
        if self.is_eval { BUSY_SCRIPT } else { BUSY_FUNCTION }
    }
}

/// The scripts that run.
#[derive(Debug, Default)]
pub struct RunningScripts {
    list: Mutex<Vec<Arc<Running>>>,
    /// The number of late ones. It changes under the lock of the list, and is read before each command.
    late: AtomicUsize,
    /// Keys whose waiters are served later.
    postponed: Mutex<Vec<DatabaseKey>>,
}

impl RunningScripts {
    /// Adds a script.
    pub fn add(&self, running: Arc<Running>) {
        self.list.lock().push(running);
    }

    /// Removes a script. Returns whether a client had asked to end it.
    pub fn remove(&self, running: &Arc<Running>) -> bool {
        let mut list = self.list.lock();
        list.retain(|other| !Arc::ptr_eq(other, running));
        if running.is_late.swap(false, Ordering::Relaxed) {
            // Under the lock of the postponed keys, so that none is added when nobody is late.
            let _postponed = self.postponed.lock();
            self.late.fetch_sub(1, Ordering::Release);
        }
        running.is_killed()
    }

    /// Notes that a script of the list runs too long.
    pub fn set_late(&self, running: &Running) {
        let _list = self.list.lock();
        if !running.is_late.swap(true, Ordering::Relaxed) {
            self.late.fetch_add(1, Ordering::Release);
        }
    }

    /// Returns the script that has run longest.
    pub fn longest(&self) -> Option<Arc<Running>> {
        self.list.lock().first().cloned()
    }

    /// Returns whether a script runs too long.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.late.load(Ordering::Acquire) != 0
    }

    /// Returns the error of commands that come while a script runs too long; `None` if none does.
    pub fn busy_text(&self) -> Option<&'static str> {
        if !self.is_busy() {
            return None;
        }
        let list = self.list.lock();
        list.iter().find(|running| running.is_late()).map(|running| running.busy_text())
    }

    /// Asks a script of EVAL, or a function, to end: a late one if there is one.
    ///
    /// # Errors
    ///
    /// None runs, or those that run have written or are of the other kind.
    pub fn kill(&self, is_eval: bool) -> Done {
        let list = self.list.lock();
        let Some(first) = list.iter().find(|running| running.is_late()).or(list.first()) else {
            return Err(NOT_BUSY.into());
        };
        let victims = list.iter().filter(|running| {
            running.is_eval == is_eval && !running.has_written.load(Ordering::Relaxed)
        });
        match victims.min_by_key(|running| (running.is_killed(), !running.is_late())) {
            Some(victim) => {
                victim.is_killed.store(true, Ordering::Relaxed);
                Ok(())
            }
            None if first.has_written.load(Ordering::Relaxed) => Err(UNKILLABLE.into()),
            None => Err(first.busy_text().into()),
        }
    }

    /// Leaves a key to the thread of a late script, which serves its waiters later. Returns `false` if there is none.
    pub fn postpone(&self, key: &DatabaseKey) -> bool {
        let mut postponed = self.postponed.lock();
        let is_busy = self.is_busy();
        if is_busy && !postponed.contains(key) {
            postponed.push(key.clone());
        }
        is_busy
    }

    /// Returns and forgets the postponed keys.
    pub fn take_postponed(&self) -> Vec<DatabaseKey> {
        std::mem::take(&mut self.postponed.lock())
    }
}

impl Server {
    /// Returns whether a script runs too long, so that most commands are refused.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.scripts.running.is_busy()
    }

    /// Waits for the latches of keys, given with their databases.
    ///
    /// # Errors
    ///
    /// The latches are not free, and a script runs too long.
    pub(super) fn latch<'a>(
        &self,
        keys: impl IntoIterator<Item = (u32, &'a [u8])>,
        mode: Mode,
    ) -> Done<Guards<'_>> {
        let guards = self.latches.lock_unless(keys, mode, || self.is_busy());
        guards.ok_or_else(|| self.busy_failure())
    }

    /// Waits for all latches, exclusively.
    ///
    /// # Errors
    ///
    /// As [`latch`](Server::latch).
    pub(super) fn latch_all(&self) -> Done<Guards<'_>> {
        let guards = self.latches.lock_all_unless(Mode::Exclusive, || self.is_busy());
        guards.ok_or_else(|| self.busy_failure())
    }

    fn busy_failure(&self) -> Failure {
        // The script may have ended meanwhile; the client tries again in either case.
        self.scripts.running.busy_text().unwrap_or(BUSY_SCRIPT).into()
    }
}

#[cfg(test)]
#[path = "running_test.rs"]
mod tests;
