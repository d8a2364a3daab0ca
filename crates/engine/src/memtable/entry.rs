//! Entries: one key and value each, written once into the arena. An entry never moves or changes (but for
//! `in_place.rs`).
//!
//! ```text
//! entry := varint32 length of the internal key, internal key, varint32 length of the value, value
//! ```
//! Unsafe, because an [`Entry`] has no static owner. Invariant **R1**: whoever holds an `Entry`
//! holds, directly or not, the memtable whose arena it lies in.

#![allow(unsafe_code)]

use crate::base::coding::varint_length;
use crate::base::key::TRAILER_SIZE;
use std::ptr::NonNull;

/// An entry in an arena: one pointer, copied freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry(NonNull<u8>);

// SAFETY: an entry is not changed after it was written, but for values under locks (`in_place.rs`);
// R1 keeps it alive.
unsafe impl Send for Entry {}
// SAFETY: as for `Send`.
unsafe impl Sync for Entry {}

impl Entry {
    /// How many bytes an entry takes.
    #[inline]
    pub fn size(user_key: &[u8], value: &[u8]) -> usize {
        let key_len = user_key.len() + TRAILER_SIZE;
        length_size(key_len) + key_len + length_size(value.len()) + value.len()
    }

    /// Writes an entry. The lengths must fit 32 bits, which batches have checked.
    ///
    /// # Safety
    /// `at` must be [`Entry::size`] writable bytes that nobody else uses.
    #[inline]
    pub unsafe fn write(at: NonNull<u8>, user_key: &[u8], trailer: u64, value: &[u8]) -> Entry {
        let key_len = user_key.len() + TRAILER_SIZE;
        debug_assert!(u32::try_from(key_len).is_ok() && u32::try_from(value.len()).is_ok());
        // SAFETY: the parts lie one after the other inside the bytes of the contract.
        unsafe {
            let key = write_length(at, key_len).as_ptr();
            key.copy_from_nonoverlapping(user_key.as_ptr(), user_key.len());
            key.add(user_key.len()).cast::<u64>().write_unaligned(trailer.to_le());
            let after = NonNull::new_unchecked(key.add(key_len));
            let to = write_length(after, value.len()).as_ptr();
            to.copy_from_nonoverlapping(value.as_ptr(), value.len());
        }
        Entry(at)
    }

    /// The entry at an address that [`Entry::as_ptr`] gave.
    ///
    /// # Safety
    /// The entry must still be alive.
    #[inline]
    pub unsafe fn from_ptr(ptr: NonNull<u8>) -> Entry {
        Entry(ptr)
    }

    /// Its address.
    #[inline]
    pub fn as_ptr(self) -> NonNull<u8> {
        self.0
    }

    /// The internal key.
    ///
    /// # Safety
    /// The arena must outlive `'a`.
    #[inline]
    pub unsafe fn internal_key<'a>(self) -> &'a [u8] {
        // SAFETY: written by `write`, alive by contract.
        unsafe {
            let (len, key) = read_length(self.0);
            std::slice::from_raw_parts(key.as_ptr(), len)
        }
    }

    /// The value.
    ///
    /// # Safety
    /// The arena must outlive `'a`.
    #[inline]
    pub unsafe fn value<'a>(self) -> &'a [u8] {
        // SAFETY: written by `write`, alive by contract.
        unsafe {
            let (key_len, key) = read_length(self.0);
            let (len, value) = read_length(key.add(key_len));
            std::slice::from_raw_parts(value.as_ptr(), len)
        }
    }
}

impl Entry {
    /// Puts `value` in the place of the value if it is not longer, and says so.
    ///
    /// # Safety
    /// Nobody else may look at the value meanwhile (`in_place.rs`), and the entry must be alive.
    pub unsafe fn overwrite_value(self, value: &[u8]) -> bool {
        // SAFETY: alive by contract. A length that is not greater takes no more bytes, so length and
        // value end where the old ones did, or before.
        unsafe {
            let (key_len, key) = read_length(self.0);
            let at = key.add(key_len);
            if value.len() > read_length(at).0 {
                return false;
            }
            let to = write_length(at, value.len()).as_ptr();
            to.copy_from_nonoverlapping(value.as_ptr(), value.len());
        }
        true
    }
}

/// How many bytes a length takes.
#[inline]
fn length_size(len: usize) -> usize {
    if len < 0x80 { 1 } else { varint_length(len as u64) }
}

/// Writes a length; what follows it.
///
/// # Safety
/// There must be [`length_size`] writable bytes.
#[inline]
unsafe fn write_length(mut at: NonNull<u8>, len: usize) -> NonNull<u8> {
    let mut rest = len;
    // SAFETY: one byte for every seven bits, as `length_size` counts.
    unsafe {
        while rest >= 0x80 {
            at.write(rest as u8 | 0x80);
            at = at.add(1);
            rest >>= 7;
        }
        at.write(rest as u8);
        at.add(1)
    }
}

/// A length that `write_length` wrote, and what follows it.
///
/// # Safety
/// It must have been written there.
#[inline]
unsafe fn read_length(at: NonNull<u8>) -> (usize, NonNull<u8>) {
    // SAFETY: by contract, and the last byte of a length has no high bit.
    unsafe {
        let first = at.read();
        if first < 0x80 { (first.into(), at.add(1)) } else { read_long_length(at) }
    }
}

/// # Safety
/// As for [`read_length`].
#[inline]
unsafe fn read_long_length(mut at: NonNull<u8>) -> (usize, NonNull<u8>) {
    let (mut len, mut shift) = (0, 0);
    loop {
        // SAFETY: as in `read_length`.
        let byte = unsafe { at.read() };
        // SAFETY: what follows is part of the entry, or its end.
        at = unsafe { at.add(1) };
        len |= usize::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return (len, at);
        }
        shift += 7;
    }
}
