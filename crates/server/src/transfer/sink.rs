//! Where imported keys go.

use crate::dump::Entry;
use crate::error::Result;
use crate::redis::entries::Moved;

/// A receiver of keys and libraries of functions.
pub trait Sink {
    /// Writes keys of one database. They may be visible one after the other.
    ///
    /// # Errors
    ///
    /// A key exists and must not, or cannot be written. Keys before it may be written.
    fn put(&mut self, entries: Vec<Entry>) -> Result<Moved>;

    /// Loads a library of functions. Returns whether it was loaded: one of the same name may stay as it is.
    ///
    /// # Errors
    ///
    /// The library exists and must not, or does not load.
    fn put_function(&mut self, code: Vec<u8>) -> Result<bool>;

    /// Makes everything so far survive a crash of the machine, if the receiver can.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    fn finish(&mut self) -> Result<()>;
}

/// What an import did.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Summary {
    /// What became of the keys.
    pub keys: Moved,
    /// Libraries of functions that were loaded.
    pub functions: u64,
    /// Bytes of the file.
    pub bytes: u64,
}
