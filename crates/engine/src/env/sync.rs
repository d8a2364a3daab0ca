//! Locks and atomics: the standard ones, or loom's under `cfg(loom)`.

#[cfg(not(loom))]
pub use std::sync::Arc;
#[cfg(not(loom))]
pub use std::sync::atomic;
#[cfg(not(loom))]
pub use std::thread;

#[cfg(loom)]
pub use loom::sync::Arc;
#[cfg(loom)]
pub use loom::sync::atomic;
#[cfg(loom)]
pub use loom::thread;

pub use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};

/// The lock of a protocol that is modelled: under `cfg(loom)` its models know what it orders.
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
