//! The names of transactions, each of which belongs to one transaction of a database at a time.

use crate::env::sync::Mutex;
use std::collections::BTreeSet;

/// The names in use. A name stays in use as long as something undecided stands under it in a WAL:
/// two sections of one name could not be told apart.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<BTreeSet<Vec<u8>>>);

impl Names {
    /// Takes a name; false if another transaction has it.
    pub(super) fn take(&self, name: &[u8]) -> bool {
        self.0.lock().insert(name.to_vec())
    }

    /// Gives a name back.
    pub(super) fn give(&self, name: &[u8]) {
        self.0.lock().remove(name);
    }
}
