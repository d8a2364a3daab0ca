//! The content of a block, where matches are looked for.

// A position is masked to the size of the buffer, which has room for one more word behind the last position.
#![allow(clippy::indexing_slicing)]

use super::super::codes::MAX_BLOCK;
use super::zeroed;

/// The bytes that may be read or written in one step behind the last byte of a block.
pub(super) const PADDING: usize = 64;

/// A copy of the content. Copying costs less than checks that a position is inside the caller's slice, and reads may go
/// past the end: the bytes there are those of an earlier block.
pub(super) struct Input {
    bytes: Box<[u8; MAX_BLOCK + PADDING]>,
    len: usize,
}

impl Input {
    pub(super) fn new() -> Input {
        Input { bytes: zeroed(), len: 0 }
    }

    /// Replaces the content. The part of `raw` beyond [`MAX_BLOCK`] is ignored.
    pub(super) fn load(&mut self, raw: &[u8]) {
        self.len = raw.len().min(MAX_BLOCK);
        self.bytes[..self.len].copy_from_slice(&raw[..self.len]);
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the eight bytes at a position, which must be below [`MAX_BLOCK`], as a little-endian number.
    #[inline(always)]
    pub(super) fn word(&self, at: usize) -> u64 {
        debug_assert!(at < MAX_BLOCK);
        let at = at & (MAX_BLOCK - 1);
        u64::from_le_bytes(self.bytes[at..at + 8].try_into().unwrap_or_default())
    }

    /// Returns 32 bytes from a position below [`MAX_BLOCK`].
    #[inline(always)]
    pub(super) fn piece(&self, at: usize) -> [u8; 32] {
        debug_assert!(at < MAX_BLOCK);
        let at = at & (MAX_BLOCK - 1);
        self.bytes[at..at + 32].try_into().unwrap_or_default()
    }

    /// Whether the bytes before two positions are equal.
    #[inline(always)]
    pub(super) fn same_before(&self, a: usize, b: usize) -> bool {
        self.bytes[(a - 1) & (MAX_BLOCK - 1)] == self.bytes[(b - 1) & (MAX_BLOCK - 1)]
    }

    /// Returns how many bytes from `at` on are equal to those from `from` on, which is smaller.
    #[inline(always)]
    pub(super) fn common_length(&self, at: usize, from: usize) -> usize {
        let (mut a, mut b) = (at, from);
        while a < self.len {
            let different = self.word(a) ^ self.word(b);
            if different != 0 {
                a += different.trailing_zeros() as usize / 8;
                break;
            }
            a += 8;
            b += 8;
        }
        a.min(self.len) - at.min(self.len)
    }
}
