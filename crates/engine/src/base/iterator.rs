//! The contract of every iterator over internal keys.

use crate::error::Result;

/// Walks internal keys in their order.
///
/// Contract, cited by number elsewhere:
/// * **I1** A new iterator is not valid. Only the four seeks make it valid.
/// * **I2** `key`, `value`, `next` and `prev` may be called only while `valid`.
/// * **I3** The slices of `key` and `value` live until the iterator moves or is dropped.
/// * **I4** An iterator that met an error is not valid and says the error in `status` until the
///   next seek; one that ran off either end is not valid and its `status` is `Ok`.
/// * **I5** `seek` goes to the first entry `>= target`, `seek_for_prev` to the last `<= target`;
///   targets are internal keys.
/// * **I6** An iterator owns (by count) whatever its slices point into: nothing outside need
///   outlive it, and it may move between threads.
pub trait InternalIterator: Send {
    /// Whether it stands on an entry.
    fn valid(&self) -> bool;
    /// Goes to the first entry.
    fn seek_to_first(&mut self);
    /// Goes to the last entry.
    fn seek_to_last(&mut self);
    /// Goes to the first entry `>= target`.
    fn seek(&mut self, target: &[u8]);
    /// Goes to the last entry `<= target`.
    fn seek_for_prev(&mut self, target: &[u8]);
    /// Goes one entry on.
    fn next(&mut self);
    /// Goes one entry back.
    fn prev(&mut self);
    /// The internal key.
    fn key(&self) -> &[u8];
    /// The value.
    fn value(&self) -> &[u8];
    /// The error that stopped it, if one did.
    fn status(&self) -> Result<()>;

    /// `next`, and the key it came to; `None` where it is not valid any more.
    ///
    /// One virtual call instead of three: this body is compiled for every iterator type, with its
    /// own `next`, `valid` and `key` inlined.
    fn next_key(&mut self) -> Option<&[u8]> {
        self.next();
        if self.valid() { Some(self.key()) } else { None }
    }

    /// Asks for what a seek to this key reads from memory: in step 0 first, in step 1 then. Merging
    /// iterators take each step with all children, whose cache misses overlap so. Only a hint.
    fn walk_ahead(&self, _target: &[u8], _step: usize) {}

    /// Lets go of what it holds in caches; it is not to be used again before a seek. True if that seek
    /// will see all that was written meanwhile, so that a later reader may have it.
    fn release(&mut self) -> bool {
        false
    }

    /// `seek`, for a valid iterator and a target that is not before its key and has the same
    /// prefix. An iterator that knows what lies ahead of it may be faster than with `seek`.
    fn skip_to(&mut self, target: &[u8]) {
        self.seek(target);
    }
}

/// Makes an enum of iterators one: each method is that of the variant's. A closed set of iterators is
/// an enum, so that a step of a scan is no virtual call.
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

/// An iterator over nothing, or over an error.
#[derive(Debug, Default)]
pub struct EmptyIterator {
    error: Option<crate::error::Error>,
}

impl EmptyIterator {
    /// An iterator over nothing.
    pub fn new() -> EmptyIterator {
        EmptyIterator::default()
    }

    /// An iterator that only says this error.
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
