//! A value that is replaced as a whole while others read it.

use super::epoch::EpochCell;
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

    /// Makes `value` the newest.
    pub fn replace(&self, value: T) {
        self.0.replace(Some(Arc::new(value)));
    }
}
