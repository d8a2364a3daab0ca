//! The contract of every iterator over internal keys.

use crate::error::Result;

/// An iterator over internal keys in order.
///
/// The contract, which other files cite by number:
/// * **I1** A new iterator is not valid. Only the four seeks make it valid.
/// * **I2** `key`, `value`, `next` and `prev` may be called only while `valid`.
/// * **I3** The slices that `key` and `value` return are valid until the iterator moves or is
///   dropped.
/// * **I4** After an error, an iterator is not valid, and `status` returns the error until the next
///   seek; after moving past either end, it is not valid and its `status` is `Ok`.
/// * **I5** `seek` moves to the first entry `>= target`, `seek_for_prev` to the last `<= target`;
///   targets are internal keys.
/// * **I6** An iterator owns, by reference count, the memory that its slices point into: it depends
///   on no other object's lifetime, and it may move between threads.
pub trait InternalIterator: Send {
    /// Whether the iterator is on an entry.
    fn valid(&self) -> bool;
    /// Moves to the first entry.
    fn seek_to_first(&mut self);
    /// Moves to the last entry.
    fn seek_to_last(&mut self);
    /// Moves to the first entry `>= target`.
    fn seek(&mut self, target: &[u8]);
    /// Moves to the last entry `<= target`.
    fn seek_for_prev(&mut self, target: &[u8]);
    /// Like `seek_for_prev`, for a reader that needs no entry before the user key `lower`, and whose keys all have its
    /// prefix. If only unneeded entries are left, the iterator may end before the first one instead (I4).
    fn seek_for_prev_within(&mut self, target: &[u8], _lower: &[u8]) {
        self.seek_for_prev(target);
    }
    /// Moves to the next entry.
    fn next(&mut self);
    /// Moves to the previous entry.
    fn prev(&mut self);
    /// The internal key.
    fn key(&self) -> &[u8];
    /// The value.
    fn value(&self) -> &[u8];
    /// The error that stopped the iterator, if any.
    fn status(&self) -> Result<()>;

    /// Calls `next` and returns the new key; `None` if the iterator is no longer valid.
    ///
    /// This takes one virtual call instead of three: the body is compiled for every iterator type,
    /// with its own `next`, `valid` and `key` inlined.
    fn next_key(&mut self) -> Option<&[u8]> {
        self.next();
        if self.valid() { Some(self.key()) } else { None }
    }

    /// Prefetches the memory that a seek to this key reads: first in step 0, then in step 1.
    /// Merging iterators run each step for all children, so that their cache misses overlap. This
    /// is only a hint.
    fn walk_ahead(&self, _target: &[u8], _step: usize) {}

    /// Releases references to cached data; the iterator must not be used before the next seek. Returns true if that
    /// seek will see all writes made in the meantime, so that a later reader may reuse the iterator.
    fn release(&mut self) -> bool {
        false
    }

    /// Like `seek`, for a valid iterator and a target that is not before its key and has the same
    /// prefix. It may be faster than `seek` for an iterator that can search ahead of its position.
    fn skip_to(&mut self, target: &[u8]) {
        self.seek(target);
    }
}

/// Implements the iterator trait for an enum by forwarding each method to the variant. A closed set of iterators is an
/// enum, so that a step of a scan is no virtual call.
macro_rules! iterator_of_variants {
    ($type:ty: $($variant:path),+) => {
        impl $crate::base::InternalIterator for $type {
            #[inline]
            fn valid(&self) -> bool {
                match self { $($variant(it) => it.valid()),+ }
            }
            fn seek_to_first(&mut self) {
                match self { $($variant(it) => it.seek_to_first()),+ }
            }
            fn seek_to_last(&mut self) {
                match self { $($variant(it) => it.seek_to_last()),+ }
            }
            #[inline]
            fn seek(&mut self, target: &[u8]) {
                match self { $($variant(it) => it.seek(target)),+ }
            }
            fn seek_for_prev(&mut self, target: &[u8]) {
                match self { $($variant(it) => it.seek_for_prev(target)),+ }
            }
            fn seek_for_prev_within(&mut self, target: &[u8], lower: &[u8]) {
                match self { $($variant(it) => it.seek_for_prev_within(target, lower)),+ }
            }
            #[inline]
            fn next(&mut self) {
                match self { $($variant(it) => it.next()),+ }
            }
            fn prev(&mut self) {
                match self { $($variant(it) => it.prev()),+ }
            }
            #[inline]
            fn key(&self) -> &[u8] {
                match self { $($variant(it) => it.key()),+ }
            }
            #[inline]
            fn value(&self) -> &[u8] {
                match self { $($variant(it) => it.value()),+ }
            }
            fn status(&self) -> $crate::error::Result<()> {
                match self { $($variant(it) => it.status()),+ }
            }
            #[inline]
            fn next_key(&mut self) -> Option<&[u8]> {
                match self { $($variant(it) => it.next_key()),+ }
            }
            #[inline]
            fn walk_ahead(&self, target: &[u8], step: usize) {
                match self { $($variant(it) => it.walk_ahead(target, step)),+ }
            }
            fn release(&mut self) -> bool {
                match self { $($variant(it) => it.release()),+ }
            }
            #[inline]
            fn skip_to(&mut self, target: &[u8]) {
                match self { $($variant(it) => it.skip_to(target)),+ }
            }
        }
    };
}
pub(crate) use iterator_of_variants;

impl<I: InternalIterator + ?Sized> InternalIterator for Box<I> {
    fn valid(&self) -> bool {
        (**self).valid()
    }
    fn seek_to_first(&mut self) {
        (**self).seek_to_first();
    }
    fn seek_to_last(&mut self) {
        (**self).seek_to_last();
    }
    fn seek(&mut self, target: &[u8]) {
        (**self).seek(target);
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        (**self).seek_for_prev(target);
    }
    fn seek_for_prev_within(&mut self, target: &[u8], lower: &[u8]) {
        (**self).seek_for_prev_within(target, lower);
    }
    fn next(&mut self) {
        (**self).next();
    }
    fn prev(&mut self) {
        (**self).prev();
    }
    fn key(&self) -> &[u8] {
        (**self).key()
    }
    fn value(&self) -> &[u8] {
        (**self).value()
    }
    fn status(&self) -> Result<()> {
        (**self).status()
    }
    fn next_key(&mut self) -> Option<&[u8]> {
        (**self).next_key()
    }
    fn walk_ahead(&self, target: &[u8], step: usize) {
        (**self).walk_ahead(target, step);
    }
    fn release(&mut self) -> bool {
        (**self).release()
    }
    fn skip_to(&mut self, target: &[u8]) {
        (**self).skip_to(target);
    }
}

/// An iterator over nothing, possibly with an error.
#[derive(Debug, Default)]
pub struct EmptyIterator {
    error: Option<crate::error::Error>,
}

impl EmptyIterator {
    /// An iterator over nothing.
    pub fn new() -> EmptyIterator {
        EmptyIterator::default()
    }

    /// An iterator over nothing with this error.
    pub fn with_error(error: crate::error::Error) -> EmptyIterator {
        EmptyIterator { error: Some(error) }
    }
}

impl InternalIterator for EmptyIterator {
    fn valid(&self) -> bool {
        false
    }
    fn seek_to_first(&mut self) {}
    fn seek_to_last(&mut self) {}
    fn seek(&mut self, _target: &[u8]) {}
    fn seek_for_prev(&mut self, _target: &[u8]) {}
    fn next(&mut self) {
        debug_assert!(false, "next on an iterator that is not valid");
    }
    fn prev(&mut self) {
        debug_assert!(false, "prev on an iterator that is not valid");
    }
    fn key(&self) -> &[u8] {
        &[]
    }
    fn value(&self) -> &[u8] {
        &[]
    }
    fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }
}
