//! The compressed block, and bits that are appended to it.

// Each index is clamped to the buffer's size, or masked.
#![allow(clippy::indexing_slicing)]

use super::super::codes::MAX_BLOCK;
use super::zeroed;

/// The size of the buffer: more than any block that is worth keeping.
const SIZE: usize = 2 * MAX_BLOCK;
/// The last position at which a word can be written. A block that reaches it is not kept, because it did not shrink.
const LIMIT: usize = SIZE - 8;

/// A buffer of fixed size. Writing past its end is no error: the last bytes are overwritten, and the length is then
/// larger than that of any content.
pub(super) struct Output {
    bytes: Box<[u8; SIZE]>,
    len: usize,
}

impl Output {
    pub(super) fn new() -> Output {
        Output { bytes: zeroed(), len: 0 }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Shortens the output, or lengthens it by bytes that [`Output::put_at`] defines later.
    #[inline(always)]
    pub(super) fn set_len(&mut self, len: usize) {
        self.len = len.min(LIMIT);
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len.min(LIMIT)]
    }

    /// Appends the low `count` bytes of a little-endian number, at most eight.
    #[inline(always)]
    pub(super) fn put(&mut self, value: u64, count: usize) {
        self.put_at(self.len, value);
        self.set_len(self.len + count);
    }

    /// Writes a word at a position. Its bytes beyond the output's length are overwritten by the next ones.
    #[inline(always)]
    pub(super) fn put_at(&mut self, at: usize, value: u64) {
        let at = at.min(LIMIT);
        if let Some(place) = self.bytes[at..].first_chunk_mut() {
            *place = value.to_le_bytes();
        }
    }

    /// Replaces the bytes at a position that was written before.
    pub(super) fn replace(&mut self, at: usize, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// Appends bytes.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        match self.bytes.get_mut(self.len..self.len + bytes.len()) {
            Some(room) => room.copy_from_slice(bytes),
            None => self.len = LIMIT,
        }
        self.set_len(self.len + bytes.len());
    }
}

/// Appends bits, the first ones in the lowest places. The decoder reads most bit streams from their end.
pub(super) struct Bits<'a> {
    out: &'a mut Output,
    pending: u64,
    /// The number of pending bits: at most 7 after a flush.
    count: u32,
}

impl<'a> Bits<'a> {
    pub(super) fn new(out: &'a mut Output) -> Bits<'a> {
        Bits { out, pending: 0, count: 0 }
    }

    /// Adds a number of `bits` bits. At most 57 bits fit between two flushes.
    #[inline(always)]
    pub(super) fn add(&mut self, value: u64, bits: u32) {
        debug_assert!(self.count + bits <= 64 && value.checked_shr(bits).unwrap_or(0) == 0);
        self.pending |= value << (self.count & 63);
        self.count += bits;
    }

    #[inline(always)]
    pub(super) fn flush(&mut self) {
        self.out.put_at(self.out.len(), self.pending);
        self.out.set_len(self.out.len() + self.count as usize / 8);
        self.pending = self.pending.checked_shr(self.count & !7).unwrap_or(0);
        self.count &= 7;
    }

    /// Fills the last byte with zeros.
    pub(super) fn finish(mut self) {
        self.flush();
        self.out.set_len(self.out.len() + usize::from(self.count > 0));
    }

    /// Adds the bit by which a decoder finds the end of the stream, and fills the last byte with zeros.
    pub(super) fn finish_marked(mut self) {
        self.flush();
        self.add(1, 1);
        self.finish();
    }
}
