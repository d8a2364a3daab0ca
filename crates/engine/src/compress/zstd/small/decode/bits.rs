//! Bit streams: those that are read from their end, of symbols, and those that are read forward, of distributions.

use super::fault::{Fault, Result};

/// Bits that [`Backward::word`] returns at least.
pub(super) const WORD: u32 = 56;

/// The position in a stream that is read from its end.
///
/// Positions are numbers of bits from the frame's beginning. A reader that passes the beginning of its stream reads
/// what is before: at least the frame's header. Streams are therefore checked once, when they are finished, for the
/// position at which they must end.
#[derive(Clone, Copy)]
pub(super) struct Backward {
    /// The number of bits of the frame before the next bit to be read, including it.
    pub(super) at: usize,
}

impl Backward {
    /// Begins to read the stream that ends before the byte `end`. `end` must be at least 8 bytes into the frame.
    pub(super) fn new(frame: &[u8], end: usize, part: &'static str) -> Result<Backward> {
        match end.checked_sub(1).and_then(|last| frame.get(last)) {
            // The highest bit that is set is not part of the stream.
            Some(&last) if last != 0 => Ok(Backward { at: (end - 1) * 8 + last.ilog2() as usize }),
            _ => Err(Fault::not(part, "a last byte that is not 0")),
        }
    }

    /// Returns the next [`WORD`] or more bits in the highest bits of a word; what follows them is arbitrary. Returns
    /// `None` if the position is not within the frame, or too near to its beginning.
    #[inline(always)]
    pub(super) fn word(self, frame: &[u8]) -> Option<u64> {
        let word = load(frame, (self.at >> 3).wrapping_sub(7))?;
        Some(word << (8 - (self.at & 7)))
    }

    /// Returns the next [`WORD`] or more bits, or `None` as [`Backward::word`] does.
    #[inline(always)]
    pub(super) fn window(self, frame: &[u8]) -> Option<Window> {
        let word = load(frame, (self.at >> 3).wrapping_sub(7))?;
        Some(Window { word, len: WORD + (self.at & 7) as u32 })
    }

    /// Passes so many bits.
    #[inline(always)]
    pub(super) fn skip(&mut self, bits: usize) {
        self.at = self.at.wrapping_sub(bits);
    }

    /// Checks that all of the stream that begins with the byte `start` was read, and no more.
    pub(super) fn finish(self, start: usize, part: &'static str) -> Result<()> {
        if self.at != start * 8 {
            return Err(Fault::not(part, "a stream that ends with its last symbol"));
        }
        Ok(())
    }
}

/// Returns 8 bytes as a little-endian number.
#[inline(always)]
pub(super) fn load(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get(at..at.wrapping_add(8))?;
    Some(u64::from_le_bytes(word.try_into().ok()?))
}

/// Bits of a stream, of which fields are read at distances from the first one.
#[derive(Clone, Copy)]
pub(super) struct Window {
    word: u64,
    /// The number of bits, at the low end of the word.
    len: u32,
}

impl Window {
    /// Returns the `count` bits that end after the first `end` bits, which are at most [`WORD`]. If they are more, the
    /// value is arbitrary.
    #[inline(always)]
    pub(super) fn field(self, end: u32, count: u32) -> u32 {
        let bits = self.word >> (self.len.wrapping_sub(end) & 63);
        (bits & ((1 << (count & 63)) - 1)) as u32
    }
}

/// A reader from the lowest bit of the first byte on. Bits behind the end are 0.
pub(super) struct Forward<'a> {
    bytes: &'a [u8],
    /// The number of bits read.
    at: usize,
}

impl Forward<'_> {
    pub(super) fn new(bytes: &[u8]) -> Forward<'_> {
        Forward { bytes, at: 0 }
    }

    /// Returns the next bits, 32 or more, without passing them.
    #[inline]
    pub(super) fn peek(&self) -> u64 {
        let byte = self.at >> 3;
        let word = load(self.bytes, byte).unwrap_or_else(|| {
            let rest = self.bytes.get(byte..).unwrap_or_default();
            rest.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
        });
        word >> (self.at & 7)
    }

    #[inline]
    pub(super) fn skip(&mut self, bits: u32) {
        self.at += bits as usize;
    }

    /// Returns the number of bytes read, the last of which may have unused bits. Fails if the bytes were too few.
    pub(super) fn finish(self, part: &'static str) -> Result<usize> {
        let len = self.at.div_ceil(8);
        if len > self.bytes.len() {
            return Err(Fault::Ends(part));
        }
        Ok(len)
    }
}
