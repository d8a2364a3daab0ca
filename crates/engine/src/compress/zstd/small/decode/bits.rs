//! Bit streams: those that are read from their end, of symbols, and those that are read forward, of distributions.

use super::fault::{Fault, Result};

/// Bits that [`Backward::word`] returns at least.
pub(super) const WORD: u32 = 57;

/// The position in a stream that is read from its end.
///
/// Positions are numbers of bits from the frame's beginning. A reader that passes the beginning of its stream reads
/// what is before: at least the frame's header. Streams are therefore checked once, when they are finished, for the
/// position at which they must end.
#[derive(Clone, Copy)]
pub(super) struct Backward {
    /// The position less [`WORD`]: so the number of bytes in it is where the next word begins, and one comparison
    /// finds that there is none.
    at: usize,
}

impl Backward {
    /// Returns the reader at a position: a number of bits of the frame before the next bit to be read, including it.
    fn at(position: usize) -> Backward {
        Backward { at: position.wrapping_sub(WORD as usize) }
    }

    /// Returns the position. It may have wrapped around.
    #[inline(always)]
    pub(super) fn position(self) -> usize {
        self.at.wrapping_add(WORD as usize)
    }

    /// Begins to read the stream that ends before the byte `end`. `end` must be at least 8 bytes into the frame.
    pub(super) fn new(frame: &[u8], end: usize, part: &'static str) -> Result<Backward> {
        match end.checked_sub(1).and_then(|last| frame.get(last)) {
            // The highest bit that is set is not part of the stream.
            Some(&last) if last != 0 => Ok(Backward::at((end - 1) * 8 + last.ilog2() as usize)),
            _ => Err(Fault::not(part, "a last byte that is not 0")),
        }
    }

    /// Returns the next [`WORD`] or more bits in the highest bits of a word; what follows them is arbitrary. Returns
    /// `None` if the position is not within the frame, or too near to its beginning.
    #[inline(always)]
    pub(super) fn word(self, frame: &[u8]) -> Option<u64> {
        let word = load(frame, self.at >> 3)?;
        Some(word << (!self.at & 7))
    }

    /// Returns the next [`WORD`] or more bits, or `None` as [`Backward::word`] does.
    #[inline(always)]
    pub(super) fn window(self, frame: &[u8]) -> Option<Window> {
        let word = load(frame, self.at >> 3)?;
        Some(Window { word, len: WORD + (self.at & 7) as u32 })
    }

    /// Passes so many bits.
    #[inline(always)]
    pub(super) fn skip(&mut self, bits: usize) {
        self.at = self.at.wrapping_sub(bits);
    }

    /// Checks that all of the stream that begins with the byte `start` was read, and no more.
    pub(super) fn finish(self, start: usize, part: &'static str) -> Result<()> {
        if self.position() != start * 8 {
            return Err(Fault::not(part, "a stream that ends with its last symbol"));
        }
        Ok(())
    }
}

/// A stream from which bits are taken at the high end of a word, by shifts to the left.
///
/// The word's lowest bit is set first: the zeros below it are as many as the bits taken. Bits that replace those taken
/// are loaded from a position that is known before the last ones are taken, so that nothing waits for the load.
pub(super) struct Ahead {
    /// The bits, 63 at first, and the one that is set.
    pub(super) word: u64,
    /// The position of the bits behind the first 63.
    next: Backward,
}

impl Ahead {
    /// The bits in the word besides the one that is set.
    const FULL: usize = 63;

    /// Begins at a position. Returns `None` as [`Backward::word`] does.
    #[inline(always)]
    pub(super) fn begin(frame: &[u8], bits: Backward) -> Option<Ahead> {
        let (mut low, mut next) = (bits, bits);
        low.skip(32);
        next.skip(Self::FULL);
        let word = bits.word(frame)? & !0 << 32 | low.word(frame)? >> 32 | 1;
        Some(Ahead { word, next })
    }

    /// Replaces the bits that were taken, at most [`WORD`]. Returns `None` as [`Backward::word`] does.
    #[inline(always)]
    pub(super) fn refill(&mut self, frame: &[u8]) -> Option<()> {
        let (word, taken) = (self.word, self.word.trailing_zeros());
        let next = self.next.word(frame)?.wrapping_shr(Self::FULL as u32 - taken);
        self.next.skip(taken as usize);
        // Without the bit that was set, and with it.
        self.word = word & word.wrapping_sub(1) | next | 1;
        Some(())
    }

    /// Returns a reader at the position. All bits taken must have been replaced.
    #[inline(always)]
    pub(super) fn bits(self) -> Backward {
        Backward { at: self.next.at.wrapping_add(Self::FULL) }
    }
}

/// Returns 8 bytes as a little-endian number. `at` is far below the largest number.
#[inline(always)]
fn load(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get(at..at + 8)?;
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
    #[inline(always)]
    pub(super) fn peek(&self) -> u64 {
        let byte = self.at >> 3;
        let word = load(self.bytes, byte).unwrap_or_else(|| {
            let rest = self.bytes.get(byte..).unwrap_or_default();
            rest.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
        });
        word >> (self.at & 7)
    }

    #[inline(always)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_has_the_same_bits_with_and_without_looking_ahead() {
        let mut rng = fastrand::Rng::with_seed(8);
        for _ in 0..200 {
            let frame: Vec<u8> = (0..100).map(|_| rng.u8(1..)).collect();
            let mut bits = Backward::new(&frame, frame.len(), "").unwrap();
            let mut ahead = Ahead::begin(&frame, bits).unwrap();
            while bits.position() > 2 * 64 {
                let word = bits.word(&frame).unwrap();
                assert_eq!(word >> (64 - WORD), ahead.word >> (64 - WORD));
                assert_eq!(bits.window(&frame).unwrap().field(WORD, WORD), word_low(word));
                let taken = rng.u32(1..=WORD);
                bits.skip(taken as usize);
                ahead.word <<= taken;
                if ahead.refill(&frame).is_none() {
                    break;
                }
            }
            assert!(bits.position() <= 2 * 64);
        }
    }

    /// Returns the last 32 of a word's bits.
    fn word_low(word: u64) -> u32 {
        (word >> (64 - WORD)) as u32
    }

    #[test]
    fn words_are_in_the_frame() {
        let frame = [0xFF; 20];
        let mut bits = Backward::new(&frame, 20, "").unwrap();
        assert_eq!(bits.position(), 159);
        assert!(bits.word(&frame).is_some());
        bits.skip(159 - WORD as usize);
        assert_eq!(bits.word(&frame).unwrap() >> (64 - WORD), (1 << WORD) - 1);
        bits.skip(1);
        assert!(bits.word(&frame).is_none() && Ahead::begin(&frame, bits).is_none());
        assert!(Backward::new(&frame, 5, "").unwrap().window(&frame).is_none());
    }
}
