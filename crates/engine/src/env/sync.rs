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
