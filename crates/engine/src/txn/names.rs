//! The names of transactions. Each belongs to at most one transaction of a database at a time.

use crate::env::sync::Mutex;
use std::collections::BTreeSet;

/// The names in use. A name stays in use while a WAL holds an undecided section with that name, because two sections
/// with the same name could not be distinguished.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<BTreeSet<Vec<u8>>>);

impl Names {
    /// Takes a name. Returns false if another transaction has it.
    pub(super) fn take(&self, name: &[u8]) -> bool {
        self.0.lock().insert(name.to_vec())
    }

    /// Releases a name.
    pub(super) fn give(&self, name: &[u8]) {
        self.0.lock().remove(name);
    }
}
