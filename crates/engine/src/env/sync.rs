//! Locks and atomics: the standard ones, or loom's under `cfg(loom)`.

use std::time::Duration;

#[cfg(not(loom))]
pub use std::sync::atomic;

#[cfg(loom)]
pub use loom::sync::Arc;
#[cfg(loom)]
pub use loom::sync::atomic;

/// Operations on threads besides atomics that a protocol needs: parking and yielding.
pub mod thread {
    #[cfg(loom)]
    pub use loom::thread::{Thread, current, park, yield_now};
    #[cfg(not(loom))]
    pub use std::thread::{Thread, current, park, yield_now};
}

/// Atomics that no model covers: counters, statics, and memory of a given layout. They are the standard ones under
/// loom, too, since loom's can be neither static nor used outside a model.
pub use std::sync::atomic as std_atomic;
pub use std::sync::{LazyLock, OnceLock};

/// A cell whose value may fail to load: one thread at a time tries, the others wait for it, and all of them wake when
/// it has loaded the value. With a mutex each would have to get a processor before it woke the next one.
pub use once_cell::sync::OnceCell;

pub use parking_lot::{Mutex, MutexGuard, RwLock};

/// A condition variable whose timeouts use [`clock`](super::clock).
#[derive(Debug, Default)]
pub struct Condvar(parking_lot::Condvar);

impl Condvar {
    /// A condition variable without waiters.
    pub const fn new() -> Condvar {
        Condvar(parking_lot::Condvar::new())
    }

    /// Waits until notified.
    #[inline]
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        self.0.wait(guard);
    }

    /// Waits until notified, at most for `timeout`. Returns whether the time ran out.
    #[inline]
    pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, timeout: Duration) -> bool {
        #[cfg(test)]
        if super::clock::manual::current().is_some() {
            MutexGuard::unlocked(guard, || super::clock::sleep(timeout));
            return true;
        }
        self.0.wait_for(guard, timeout).timed_out()
    }

    /// Wakes one waiting thread.
    #[inline]
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Wakes all waiting threads.
    #[inline]
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// The lock of a modelled protocol: under `cfg(loom)` the models track the order that it
/// establishes.
#[cfg(not(loom))]
pub use parking_lot::Mutex as ModelMutex;

#[cfg(loom)]
mod model {
    /// Loom's lock with the interface of the usual one.
    #[derive(Default)]
    pub struct ModelMutex<T>(loom::sync::Mutex<T>);

    impl<T> ModelMutex<T> {
        /// Waits for the lock.
        pub fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
            self.0.lock().unwrap()
        }
    }
}
#[cfg(loom)]
pub use model::ModelMutex;
