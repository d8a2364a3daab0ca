//! Tables of finite state entropy: distributions as frames store them, and the decoding tables that follow from them.
//! RFC 8878, section 4.1.

#![allow(clippy::indexing_slicing)] // All indexes are masked by the arrays' sizes, or below a checked number of symbols.

use super::super::codes::Code;
use super::bits::Forward;
use super::fault::{Fault, Result};

/// More symbols than any alphabet has: 53 codes of matches' lengths.
pub(super) const SYMBOLS: usize = 64;

/// The smallest binary logarithm of a table's size.
const LOG_MIN: u32 = 5;

/// A state: what it decodes to, and how the next state follows. One number, so that it can wait in a register. From
/// the low end: the number of bits of the next state, the number of extra bits, a byte each; the next state, to which
/// bits are added, two bytes; the value of the symbol's code, to which extra bits are added. Numbers of bits are below
/// 32; code that reads only five bits of them needs no mask when it shifts.
#[derive(Clone, Copy)]
pub(super) struct Entry(u64);

impl Entry {
    const EMPTY: Entry = Entry(0);

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
        (self.0 >> 8) as u32 & 31
    }

    /// Returns the number of bits that are added to the next state.
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        self.0 as u32 & 31
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
    #[inline(always)]
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
#[inline(always)]
fn read_count(bits: &mut Forward<'_>, left: u32) -> i32 {
    // Values up to `left` + 1 occur. Small ones take a bit less than others, as far as there are codes to spare. Which
    // ones do cannot be predicted: there is no branch.
    let most = left + 1;
    let width = most.ilog2() + 1;
    let half = 1 << (width - 1);
    let spare = 2 * half - 1 - most;
    let word = bits.peek() as u32;
    let (short, long) = (word & (half - 1), word & (2 * half - 1));
    let is_long = short >= spare;
    bits.skip(width - 1 + u32::from(is_long));
    let value = short + if is_long & (long >= half) { half - spare } else { 0 };
    value as i32 - 1
}

/// Reads how many symbols without a probability follow one.
#[inline(always)]
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
    pub(super) const fn fixed(counts: &[i16], log: u32, codes: &Codes) -> Table<N> {
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
    pub(super) fn build_single(&mut self, code: Entry) {
        self.log = 0;
        self.entries[0] = code;
    }

    /// Replaces the table by that of a distribution. `log` is at most the binary logarithm of `N`; `counts` has at most
    /// [`SYMBOLS`] members.
    #[inline(always)]
    pub(super) const fn build(&mut self, counts: &[i16], log: u32, codes: &Codes) {
        self.log = log;
        // Most tables are small: then the rest of the row need not be cleared.
        if log <= 6 {
            self.fill(Spread::<128>::new(counts, log), log, codes);
        } else {
            self.fill(Spread::<1024>::new(counts, log), log, codes);
        }
    }

    /// Fills the entries, one state after the other.
    #[inline(always)]
    const fn fill<const M: usize>(&mut self, mut spread: Spread<M>, log: u32, codes: &Codes) {
        let (entries, _) = self.entries.split_at_mut(1 << log);
        let mut state = 0;
        while state < entries.len() {
            let Cell { symbol, bits, next } = spread.next(log);
            entries[state] = Entry(codes[symbol].0 | (next as u64) << 16 | bits as u64);
            state += 1;
        }
    }
}

/// The codes of an alphabet: entries without a next state.
pub(super) type Codes = [Entry; SYMBOLS];

/// Returns the codes as tables are filled with them.
pub(super) const fn codes(of: &[Code]) -> Codes {
    let mut codes = [Entry::EMPTY; SYMBOLS];
    let mut symbol = 0;
    while symbol < of.len() {
        codes[symbol] = Entry((of[symbol].base as u64) << 32 | (of[symbol].bits as u64) << 8);
        symbol += 1;
    }
    codes
}

/// Bytes that are written at once.
const WIDE: usize = 8;

/// A state of a table.
pub(super) struct Cell {
    pub(super) symbol: usize,
    /// The number of bits that are added to the next state.
    pub(super) bits: u32,
    /// The next state.
    pub(super) next: u32,
}

/// The states of a distribution, from the first one on.
pub(super) struct Spread<const M: usize> {
    /// The symbol of each state, in the order that `stride` says.
    row: [u8; M],
    /// Where the symbol of the next state is in the row.
    at: usize,
    /// How far the symbols of two successive states are apart, modulo the table's size.
    stride: usize,
    /// The number of each symbol's next state. Those of a symbol are numbered from its probability on.
    next: [u16; SYMBOLS],
}

impl<const M: usize> Spread<M> {
    /// Gives the symbols their states. `M` is a power of two, and at least the table's size and [`WIDE`].
    #[inline(always)]
    pub(super) const fn new(counts: &[i16], log: u32) -> Spread<M> {
        let (mut row, mut next) = ([0_u8; M], [0_u16; SYMBOLS]);
        let (mut symbol, mut len, mut rare) = (0, 0, 0);
        while symbol < counts.len() {
            let count = counts[symbol];
            next[symbol % SYMBOLS] = count.unsigned_abs();
            rare += (count < 0) as usize;
            let end = len + if count > 0 { count as usize } else { 0 };
            // Writes several cells at once; the next symbol overwrites the surplus.
            let mut at = len;
            while at < end {
                if let Some((_, to)) = row.split_at_mut_checked(at)
                    && let Some(to) = to.first_chunk_mut::<WIDE>()
                {
                    *to = [symbol as u8; WIDE];
                }
                at += WIDE;
            }
            len = end;
            symbol += 1;
        }
        if rare > 0 {
            return Spread { row: place(&row, counts, log, rare), at: 0, stride: 1, next };
        }
        // Neighbours in the row are a step apart in the table. Neighbours in the table are the inverse of that apart in
        // the row, so that the symbols need not be written to their states first.
        Spread { row, at: 0, stride: INVERSES[log as usize % INVERSES.len()], next }
    }

    /// Returns the next state.
    #[inline(always)]
    pub(super) const fn next(&mut self, log: u32) -> Cell {
        let size = 1 << log;
        let symbol = self.row[self.at % M] as usize % SYMBOLS;
        self.at = (self.at + self.stride) & (size - 1);
        let nth = self.next[symbol] as u32;
        self.next[symbol] = nth as u16 + 1;
        // The logarithm of the size less that of the number.
        let bits = nth.leading_zeros().wrapping_sub((size as u32).leading_zeros());
        Cell { symbol, bits, next: (nth << (bits & 31)).wrapping_sub(size as u32) }
    }
}

/// Returns the symbol of each state of a table with `rare` symbols whose probability is below 1. These have one state
/// each, from the last one down. The others, which `row` has in their order, pass over them.
const fn place<const M: usize>(row: &[u8; M], counts: &[i16], log: u32, rare: usize) -> [u8; M] {
    let size = 1 << log;
    let mut symbols = [0_u8; M];
    let (mut symbol, mut last) = (0, size);
    while symbol < counts.len() {
        if counts[symbol] < 0 {
            last -= 1;
            symbols[last % M] = symbol as u8;
        }
        symbol += 1;
    }
    let (mut i, mut state, free) = (0, 0, size - rare);
    while i < free {
        symbols[state % M] = row[i % M];
        i += 1;
        state = (state + step(log)) & (size - 1);
        while state >= free {
            state = (state + step(log)) & (size - 1);
        }
    }
    symbols
}

/// Returns how far the states of a symbol's neighbours in a row are apart, modulo the table's size.
const fn step(log: u32) -> usize {
    let size = 1 << log;
    size / 2 + size / 8 + 3
}

/// For each logarithm, the number whose product with [`step`] is 1, modulo the table's size.
const INVERSES: [usize; 16] = {
    let mut inverses = [0; 16];
    let mut log = LOG_MIN;
    while log < 16 {
        let mut inverse = 1;
        while (inverse * step(log)) & ((1 << log) - 1) != 1 {
            inverse += 2;
        }
        inverses[log as usize] = inverse;
        log += 1;
    }
    inverses
};

#[cfg(test)]
#[path = "fse_test.rs"]
mod tests;
