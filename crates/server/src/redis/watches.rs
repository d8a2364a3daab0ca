//! WATCH: which clients watch which keys, and whether a watched key changed.
//!
//! * **RW1** A client begins to watch a key while it holds the key's latch, and a writer marks watched keys after its
//!   commit while it still holds their latches. So a commit is either seen by the client's later reads, or marks it.
//! * **RW2** The table is exact: a key that nobody writes never aborts a transaction.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A key, with the index of its database. A client keeps its index when SWAPDB exchanges the contents of two.
pub type DatabaseKey = (u32, Box<[u8]>);

/// Whether a key that a client watches changed.
#[derive(Debug, Default)]
pub struct Mark(AtomicBool);

impl Mark {
    /// Returns whether a watched key changed.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Notes that a watched key changed.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// All watched keys.
#[derive(Debug, Default)]
pub struct Watches {
    keys: Mutex<HashMap<DatabaseKey, Vec<Arc<Mark>>>>,
    count: AtomicUsize,
}

impl Watches {
    /// Returns whether nobody watches anything: then writers need not name their keys.
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Begins to watch a key.
    pub fn add(&self, database: u32, key: &[u8], mark: &Arc<Mark>) {
        let mut keys = self.keys.lock();
        keys.entry((database, key.into())).or_default().push(mark.clone());
        self.count.fetch_add(1, Ordering::AcqRel);
    }

    /// Ends watching a key.
    pub fn remove(&self, key: &DatabaseKey, mark: &Arc<Mark>) {
        let mut keys = self.keys.lock();
        let Some(marks) = keys.get_mut(key) else { return };
        if let Some(at) = marks.iter().position(|other| Arc::ptr_eq(other, mark)) {
            marks.swap_remove(at);
            self.count.fetch_sub(1, Ordering::AcqRel);
        }
        if marks.is_empty() {
            keys.remove(key);
        }
    }

    /// Notes that a key changed.
    pub fn changed(&self, key: &DatabaseKey) {
        if let Some(marks) = self.keys.lock().get(key) {
            marks.iter().for_each(|mark| mark.set());
        }
    }

    /// Returns the watched keys of a database.
    pub fn keys_of(&self, database: u32) -> Vec<Box<[u8]>> {
        let keys = self.keys.lock();
        keys.keys().filter(|(at, _)| *at == database).map(|(_, key)| key.clone()).collect()
    }
}
