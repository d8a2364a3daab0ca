//! A value that can be replaced as a whole while other threads read it.

use super::epoch::{self, EpochCell};
use std::sync::Arc;

/// A cell with the newest of several values. Readers take no lock; the values that they have loaded
/// do not change.
pub struct Live<T: Send + Sync + 'static>(EpochCell<T>);

impl<T: Send + Sync + 'static> Live<T> {
    /// A cell with `value`.
    pub fn new(value: T) -> Live<T> {
        Live(EpochCell::new(Some(Arc::new(value))))
    }

    /// The newest value.
    pub fn load(&self) -> Arc<T> {
        self.0.load_arc().expect("a cell that is never emptied")
    }

    /// Calls `f` with the newest value, which `f` must not keep, since no reference is counted.
    pub fn read<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        let guard = epoch::pin();
        f(self.0.load(&guard).expect("a cell that is never emptied"))
    }

    /// Makes `value` the newest.
    pub fn replace(&self, value: T) {
        self.0.replace(Some(Arc::new(value)));
    }
}
