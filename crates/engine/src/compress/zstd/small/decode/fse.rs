//! Tables of finite state entropy: distributions as frames store them, and the decoding tables that follow from them.
//! RFC 8878, section 4.1.

#![allow(clippy::indexing_slicing)] // All indexes are masked by the arrays' sizes, or below a checked number of symbols.

use super::super::codes::Code;
use super::bits::Forward;
use super::fault::{Fault, Result};

/// More symbols than any alphabet has: 53 codes of matches' lengths.
pub(super) const SYMBOLS: usize = 64;

/// Room for the symbols of the largest table, 512, and for what is written too much.
const ROW: usize = 1024;

/// The smallest binary logarithm of a table's size.
const LOG_MIN: u32 = 5;

/// A state: what it decodes to, and how the next state follows. One number, so that it can wait in a register. From
/// the low end: the number of bits of the next state, the number of extra bits, a byte each; the next state, to which
/// bits are added, two bytes; the value of the symbol's code, to which extra bits are added.
#[derive(Clone, Copy)]
pub(super) struct Entry(u64);

impl Entry {
    const EMPTY: Entry = Entry(0);

    const fn new(code: Code, next: u16, bits: u32) -> Entry {
        Entry(
            (code.base as u64) << 32 | (next as u64) << 16 | (code.bits as u64) << 8 | bits as u64,
        )
    }

    /// Returns the value of the symbol's code.
    #[inline(always)]
    pub(super) fn base(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Returns the next state, to which bits are added.
    #[inline(always)]
    pub(super) fn next(self) -> u32 {
        ((self.0 >> 16) as u16).into()
    }

    /// Returns the number of bits that are added to the value.
    #[inline(always)]
    pub(super) fn extra(self) -> u32 {
        ((self.0 >> 8) as u8).into()
    }

    /// Returns the number of bits that are added to the next state.
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        (self.0 as u8).into()
    }
}

/// The probabilities of symbols, in units of 1 / 2^`log`. -1 is a probability below 1.
pub(super) struct Distribution {
    pub(super) counts: [i16; SYMBOLS],
    /// The number of symbols, of which the last has a probability.
    pub(super) symbols: usize,
    pub(super) log: u32,
}

impl Distribution {
    /// Reads a distribution of at most `symbols_max` symbols. Returns it and its length in bytes.
    pub(super) fn read(
        bytes: &[u8],
        symbols_max: usize,
        log_max: u32,
        part: &'static str,
    ) -> Result<(Distribution, usize)> {
        let mut bits = Forward::new(bytes);
        let log = (bits.peek() & 15) as u32 + LOG_MIN;
        bits.skip(4);
        if log > log_max {
            return Err(Fault::above(part, log_max as usize, log as usize));
        }
        let mut counts = [0; SYMBOLS];
        let (mut symbols, mut left) = (0, 1_u32 << log);
        while left > 0 {
            if symbols >= symbols_max {
                return Err(Fault::not(part, "probabilities that add up to 1"));
            }
            let count = read_count(&mut bits, left);
            left -= count.unsigned_abs();
            counts[symbols % SYMBOLS] = count as i16;
            symbols += 1;
            if count == 0 {
                symbols += read_zeros(&mut bits, symbols_max);
            }
        }
        Ok((Distribution { counts, symbols, log }, bits.finish(part)?))
    }
}

/// Reads a probability of at most `left`, or -1.
#[inline]
fn read_count(bits: &mut Forward<'_>, left: u32) -> i32 {
    // Values up to `left` + 1 occur. Small ones take a bit less than others, as far as there are codes to spare.
    let most = left + 1;
    let width = most.ilog2() + 1;
    let spare = (1 << width) - 1 - most;
    let word = bits.peek() as u32;
    let short = word & ((1 << (width - 1)) - 1);
    let value = if short < spare {
        bits.skip(width - 1);
        short
    } else {
        bits.skip(width);
        let long = word & ((1 << width) - 1);
        if long >> (width - 1) == 0 { long } else { long - spare }
    };
    value as i32 - 1
}

/// Reads how many symbols without a probability follow one.
fn read_zeros(bits: &mut Forward<'_>, symbols_max: usize) -> usize {
    let mut zeros = 0;
    loop {
        let more = (bits.peek() & 3) as usize;
        bits.skip(2);
        zeros += more;
        if more < 3 || zeros > symbols_max {
            return zeros;
        }
    }
}

/// A decoding table. Only the first 2^`log` entries are in use.
pub(super) struct Table<const N: usize> {
    pub(super) entries: [Entry; N],
    pub(super) log: u32,
}

impl<const N: usize> Default for Table<N> {
    fn default() -> Table<N> {
        Table { entries: [Entry::EMPTY; N], log: 0 }
    }
}

impl<const N: usize> Table<N> {
    /// Returns the table of a distribution that is known when this is compiled.
    pub(super) const fn fixed(counts: &[i16], log: u32, codes: &[Code]) -> Table<N> {
        let mut table = Table { entries: [Entry::EMPTY; N], log: 0 };
        table.build(counts, log, codes);
        table
    }

    /// Replaces the table by another one.
    pub(super) fn copy_from(&mut self, other: &Table<N>) {
        let size = (1 << other.log).min(N);
        self.entries[..size].copy_from_slice(&other.entries[..size]);
        self.log = other.log;
    }

    /// Replaces the table by that of one symbol, which takes no bits.
    pub(super) fn build_single(&mut self, code: Code) {
        self.log = 0;
        self.entries[0] = Entry::new(code, 0, 0);
    }

    /// Replaces the table by that of a distribution. `log` is at most the binary logarithm of `N`; `counts` and `codes`
    /// have at most [`SYMBOLS`] members, and there is a code for each count.
    pub(super) const fn build(&mut self, counts: &[i16], log: u32, codes: &[Code]) {
        let size = 1_usize << log;
        self.log = log;
        let (symbols, mut next) = spread::<N>(counts, size);
        let mut state = 0;
        while state < size {
            let symbol = symbols[state & (N - 1)] as usize % SYMBOLS;
            let nth = next[symbol];
            next[symbol] = nth + 1;
            // `nth` is not 0; the bit spares a check.
            let bits = log.wrapping_sub((nth | 1).ilog2());
            let from = ((nth as u32) << bits).wrapping_sub(size as u32) as u16;
            self.entries[state & (N - 1)] = Entry::new(codes[symbol], from, bits);
            state += 1;
        }
    }
}

/// Returns the symbol of each state, and the first number of each symbol's states: its probability.
const fn spread<const N: usize>(counts: &[i16], size: usize) -> ([u8; N], [u16; SYMBOLS]) {
    let (mut symbols, mut next) = ([0_u8; N], [0_u16; SYMBOLS]);
    // Symbols of a probability below 1 have one state each, from the last one down.
    let (mut symbol, mut free) = (0, size);
    while symbol < counts.len() {
        let count = counts[symbol];
        next[symbol % SYMBOLS] = count.unsigned_abs();
        if count < 0 {
            free -= 1;
            symbols[free & (N - 1)] = symbol as u8;
        }
        symbol += 1;
    }
    // First one symbol after the other, then at the places of the states: loops of known length are easy to predict.
    let mut row = [0_u8; ROW];
    let (mut symbol, mut len) = (0, 0);
    while symbol < counts.len() {
        let count = counts[symbol];
        let mut done = 0;
        while done < count as i32 {
            // Eight at once: what is too much is overwritten.
            if let Some(to) = row.split_at_mut(len + done as usize).1.first_chunk_mut::<8>() {
                *to = [symbol as u8; 8];
            }
            done += 8;
        }
        len += if count > 0 { count as usize } else { 0 };
        symbol += 1;
    }
    let step = size / 2 + size / 8 + 3;
    let (mut i, mut state) = (0, 0);
    while i < free {
        symbols[state & (N - 1)] = row[i % ROW];
        i += 1;
        state = (state + step) & (size - 1);
        while state >= free {
            state = (state + step) & (size - 1);
        }
    }
    (symbols, next)
}
