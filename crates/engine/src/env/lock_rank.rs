//! Mutexes with a rank, which is their place in the lock order of ARCHITECTURE.md.
//!
//! In debug builds, each thread records the ranks that it holds, and [`RankedMutex::lock`] panics if the thread already
//! holds the same rank or an inner one. Two threads that take locks in opposite orders deadlock only if they meet; the
//! panic does not need the meeting. Locks of different databases share ranks, because databases with common budgets
//! call each other.
//!
//! In release builds, a `RankedMutex` is a plain mutex, and nothing is recorded.

use super::sync::{Condvar, Mutex, MutexGuard};
use std::ops::{Deref, DerefMut};
use std::time::Duration;

/// Held while options change or are written to a file.
pub const OPTIONS: usize = 0;
/// The version set with its MANIFEST. Held over writes and syncs of the MANIFEST.
pub const VERSIONS: usize = 1;
/// The commit queue: the WAL and the allocation of sequence numbers.
pub const COMMIT_QUEUE: usize = 2;
/// The catalogue's state. Not held over I/O.
pub const CATALOG_STATE: usize = 3;
/// Held while obsolete files are deleted.
pub const DELETIONS: usize = 4;
/// Locks under which no other ranked lock is taken.
pub const INNERMOST: usize = 5;

/// The names of the ranks, for messages.
#[cfg(debug_assertions)]
const NAMES: [&str; 6] =
    ["options", "versions", "commit queue", "catalogue state", "deletions", "innermost"];

/// A mutex of rank `RANK`.
#[derive(Debug, Default)]
pub struct RankedMutex<T, const RANK: usize>(Mutex<T>);

impl<T, const RANK: usize> RankedMutex<T, RANK> {
    /// Returns an unlocked mutex.
    pub const fn new(value: T) -> RankedMutex<T, RANK> {
        RankedMutex(Mutex::new(value))
    }

    /// Waits for the lock. In debug builds, panics if the thread holds a lock that must be taken after this one.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn lock(&self) -> RankedGuard<'_, T> {
        let held = Held::new(RANK);
        RankedGuard { guard: self.0.lock(), _held: held }
    }

    /// Takes the lock if it is free. The lock order holds here, too: locks may be taken under this one.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn try_lock(&self) -> Option<RankedGuard<'_, T>> {
        let guard = self.0.try_lock()?;
        Some(RankedGuard { guard, _held: Held::new(RANK) })
    }
}

/// The right to use what a [`RankedMutex`] guards.
#[must_use]
pub struct RankedGuard<'a, T> {
    guard: MutexGuard<'a, T>,
    _held: Held,
}

impl<T> RankedGuard<'_, T> {
    /// Gives the lock up until `condition` is notified.
    pub fn wait(&mut self, condition: &Condvar) {
        condition.wait(&mut self.guard);
    }

    /// Gives the lock up until `condition` is notified. Returns false if that takes longer than `patience`.
    pub fn wait_for(&mut self, condition: &Condvar, patience: Duration) -> bool {
        !condition.wait_for(&mut self.guard, patience)
    }
}

impl<T> Deref for RankedGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for RankedGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

/// Asserts in debug builds that this thread holds no lock of rank `from` or an inner one, for calls that must not be
/// made under it.
#[inline]
#[cfg_attr(debug_assertions, track_caller)]
pub fn assert_free_from(from: usize) {
    #[cfg(debug_assertions)]
    tracked::check(from, "this call is made");
    #[cfg(not(debug_assertions))]
    let _ = from;
}

/// Asserts in debug builds that this thread holds no lock that must not be held over the wait for a device.
#[inline]
#[cfg_attr(debug_assertions, track_caller)]
pub fn assert_may_wait_for_device() {
    assert_free_from(CATALOG_STATE);
}

/// Records in debug builds that the thread holds a rank. Nothing in release builds.
struct Held {
    #[cfg(debug_assertions)]
    rank: usize,
}

impl Held {
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    fn new(rank: usize) -> Held {
        #[cfg(debug_assertions)]
        {
            tracked::check(rank, NAMES[rank]);
            tracked::set(rank, true);
            Held { rank }
        }
        #[cfg(not(debug_assertions))]
        {
            let _ = rank;
            Held {}
        }
    }
}

#[cfg(debug_assertions)]
impl Drop for Held {
    fn drop(&mut self) {
        tracked::set(self.rank, false);
    }
}

#[cfg(debug_assertions)]
mod tracked {
    use super::NAMES;
    use std::cell::Cell;

    thread_local! {
        /// One bit per held rank.
        static RANKS: Cell<u32> = const { Cell::new(0) };
    }

    /// Panics if the thread holds `rank` or an inner one.
    #[track_caller]
    pub(super) fn check(rank: usize, what: &str) {
        let inner = RANKS.get() >> rank;
        assert!(
            inner == 0 || std::thread::panicking(),
            "lock order: {what} under the lock `{}`",
            NAMES[rank + inner.trailing_zeros() as usize]
        );
    }

    pub(super) fn set(rank: usize, held: bool) {
        let bit = 1 << rank;
        RANKS.set(if held { RANKS.get() | bit } else { RANKS.get() & !bit });
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn message(wrong: impl FnOnce()) -> String {
        let payload = catch_unwind(AssertUnwindSafe(wrong)).unwrap_err();
        payload.downcast_ref::<String>().unwrap().clone()
    }

    #[test]
    fn locks_are_taken_inwards_and_given_up_in_any_order() {
        let (versions, state) =
            (RankedMutex::<_, VERSIONS>::new(1), RankedMutex::<_, CATALOG_STATE>::new(2));
        let outer = versions.lock();
        let inner = state.lock();
        drop(outer);
        assert_eq!(*inner, 2);
        drop(inner);
        assert_eq!(*versions.try_lock().unwrap(), 1);
    }

    #[test]
    fn a_wrong_order_panics_and_leaves_the_lock_free() {
        let (versions, state) =
            (RankedMutex::<_, VERSIONS>::new(()), RankedMutex::<_, CATALOG_STATE>::new(()));
        let inner = state.lock();
        let told = message(|| drop(versions.lock()));
        assert_eq!(told, "lock order: versions under the lock `catalogue state`");
        let told = message(|| drop(state.try_lock().unwrap_or_else(|| state.lock())));
        assert_eq!(told, "lock order: catalogue state under the lock `catalogue state`");
        let told = message(|| assert_free_from(COMMIT_QUEUE));
        assert_eq!(told, "lock order: this call is made under the lock `catalogue state`");
        drop(inner);
        drop(versions.lock());
        assert_free_from(OPTIONS);
    }
}
