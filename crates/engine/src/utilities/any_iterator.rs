//! The iterator of [`AnyDb`](super::AnyDb).

use crate::db::DbIterator;
use std::ops::{Deref, DerefMut};

/// An iterator over a column family of a database, plain or with a time to live. Everything except the value comes from
/// the `DbIterator`.
pub struct AnyIterator {
    iter: DbIterator,
    /// The number of bytes at the end of each stored value that are hidden from users; 0 in a plain database.
    cut: usize,
}

impl AnyIterator {
    /// Wraps an iterator and hides the last `cut` bytes of each value.
    pub(super) fn cutting(iter: DbIterator, cut: usize) -> AnyIterator {
        AnyIterator { iter, cut }
    }

    /// Returns the current value; empty if the iterator is not valid.
    #[inline]
    pub fn value(&self) -> &[u8] {
        let stored = self.iter.value();
        &stored[..stored.len().saturating_sub(self.cut)]
    }
}

impl From<DbIterator> for AnyIterator {
    #[inline]
    fn from(iter: DbIterator) -> AnyIterator {
        AnyIterator { iter, cut: 0 }
    }
}

impl Deref for AnyIterator {
    type Target = DbIterator;

    #[inline]
    fn deref(&self) -> &DbIterator {
        &self.iter
    }
}

impl DerefMut for AnyIterator {
    #[inline]
    fn deref_mut(&mut self) -> &mut DbIterator {
        &mut self.iter
    }
}
