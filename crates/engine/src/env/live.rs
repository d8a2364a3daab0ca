//! A value that is replaced as a whole while others read it.

use super::epoch::{self, EpochCell};
use std::sync::Arc;

/// Holds the newest of several values. Readers take no lock; what they took stays as it was.
pub struct Live<T: Send + Sync + 'static>(EpochCell<T>);

impl<T: Send + Sync + 'static> Live<T> {
    /// Begins with `value`.
    pub fn new(value: T) -> Live<T> {
        Live(EpochCell::new(Some(Arc::new(value))))
    }

    /// The newest value.
    pub fn load(&self) -> Arc<T> {
        self.0.load_arc().expect("a cell that is never emptied")
    }

    /// What `f` says of the newest value, which it must not keep: nothing is counted for it.
    pub fn read<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        let guard = epoch::pin();
        f(self.0.load(&guard).expect("a cell that is never emptied"))
    }

    /// Makes `value` the newest.
    pub fn replace(&self, value: T) {
        self.0.replace(Some(Arc::new(value)));
    }
}
