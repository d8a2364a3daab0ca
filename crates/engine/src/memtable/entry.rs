//! Entries: one key and value each, written once into the arena. An entry never moves and, except through
//! `in_place.rs`, never changes.
//!
//! ```text
//! entry := varint32 length of the internal key, internal key, varint32 length of the value, value
//! ```
//! The module needs `unsafe` because an [`Entry`] has no static owner. Invariant **R1**: the holder of an `Entry` also
//! holds, directly or indirectly, the memtable whose arena contains it.

#![allow(unsafe_code)]

use crate::base::coding::varint_length;
use crate::base::key::TRAILER_SIZE;
use std::ptr::NonNull;

/// An entry in an arena: one pointer, copied freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry(NonNull<u8>);

// SAFETY: an entry does not change after it was written, except for values under locks
// (`in_place.rs`); R1 keeps it alive.
unsafe impl Send for Entry {}
// SAFETY: as for `Send`.
unsafe impl Sync for Entry {}

impl Entry {
    /// The size of an entry in bytes.
    #[inline]
    pub fn size(user_key: &[u8], value: &[u8]) -> usize {
        let key_len = user_key.len() + TRAILER_SIZE;
        length_size(key_len) + key_len + length_size(value.len()) + value.len()
    }

    /// Writes an entry. The lengths must fit 32 bits, which batches have checked.
    ///
    /// # Safety
    /// `at` must point to [`Entry::size`] writable bytes that nothing else uses.
    #[inline]
    pub unsafe fn write(at: NonNull<u8>, user_key: &[u8], trailer: u64, value: &[u8]) -> Entry {
        let key_len = user_key.len() + TRAILER_SIZE;
        debug_assert!(u32::try_from(key_len).is_ok() && u32::try_from(value.len()).is_ok());
        // SAFETY: the parts are consecutive and lie inside the bytes of the contract.
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

    /// The entry at an address that [`Entry::as_ptr`] returned.
    ///
    /// # Safety
    /// The entry must still be alive.
    #[inline]
    pub unsafe fn from_ptr(ptr: NonNull<u8>) -> Entry {
        Entry(ptr)
    }

    /// The entry's address.
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
    /// Overwrites the value with `value` if that is not longer. Returns whether it did.
    ///
    /// # Safety
    /// No other thread may access the value during the call (`in_place.rs`), and the entry must be
    /// alive.
    pub unsafe fn overwrite_value(self, value: &[u8]) -> bool {
        // SAFETY: alive by contract. A smaller or equal length takes no more bytes, so length and value end no later
        // than the old ones did.
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

/// The encoded size of a length in bytes.
#[inline]
fn length_size(len: usize) -> usize {
    if len < 0x80 { 1 } else { varint_length(len as u64) }
}

/// Writes a length. Returns the address after it.
///
/// # Safety
/// `at` must point to [`length_size`] writable bytes.
#[inline]
unsafe fn write_length(mut at: NonNull<u8>, len: usize) -> NonNull<u8> {
    let mut rest = len;
    // SAFETY: one byte for every seven bits, as `length_size` computes.
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

/// Reads a length that `write_length` wrote. Returns it and the address after it.
///
/// # Safety
/// `write_length` must have written a length at `at`.
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
        // SAFETY: the next byte is part of the entry, or its end.
        at = unsafe { at.add(1) };
        len |= usize::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return (len, at);
        }
        shift += 7;
    }
}
