//! Finite state entropy: tables that encode symbols by their probabilities (RFC 8878, section 4.1).

// Symbols are below 64 and cells below 512: each index is masked, or a loop's that ends before the array does.
#![allow(clippy::indexing_slicing)]

use super::cost::log2;
use super::output::{Bits, Output};

/// A size for arrays with one entry per symbol.
pub(super) const SYMBOLS: usize = 64;
/// The largest tables of the format have 2^9 cells.
const CELLS: usize = 512;
/// The smallest ones that a frame can describe.
const LOG_MIN: u32 = 5;

/// Probabilities of symbols, as numbers of cells. -1 is a cell at the end of the table.
pub(super) type Probabilities = [i16; SYMBOLS];

/// How a symbol changes a state.
#[derive(Clone, Copy)]
struct Change {
    /// Added to a state, this is the number of bits to write, times 2^16.
    bits: u32,
    /// Added to the rest of a state, this is the index of the next one.
    next: i32,
    /// The index of the state to begin with.
    first: u16,
}

/// A table that encodes.
pub(super) struct Table {
    log: u32,
    /// The states, from 2^log to 2^(log + 1), of all symbols: those of a symbol in ascending order.
    states: [u16; CELLS],
    changes: [Change; SYMBOLS],
}

impl Table {
    pub(super) const fn new() -> Table {
        let change = Change { bits: 0, next: 0, first: 0 };
        Table { log: 0, states: [0; CELLS], changes: [change; SYMBOLS] }
    }

    /// The table of a distribution whose cells are 2^log in total.
    pub(super) const fn of(probabilities: &[i16], log: u32) -> Table {
        let mut table = Table::new();
        table.fill(probabilities, log);
        table
    }

    /// Turns into the table of one symbol, which takes no bits.
    pub(super) fn fill_with_one(&mut self, symbol: u8) {
        self.log = 0;
        self.states[0] = 1;
        self.changes[usize::from(symbol) % SYMBOLS] = Change { bits: 0, next: -1, first: 0 };
    }

    /// Turns into the table of a distribution.
    pub(super) const fn fill(&mut self, probabilities: &[i16], log: u32) {
        self.log = log;
        let size = 1 << log;
        let mut next_index = [0_u16; SYMBOLS];
        let (mut symbol, mut index) = (0, 0_u16);
        while symbol < probabilities.len() {
            let count = probabilities[symbol].unsigned_abs();
            if count > 0 {
                next_index[symbol] = index;
                self.changes[symbol] = Change {
                    bits: change_bits(count, log),
                    next: index as i32 - count as i32,
                    first: index,
                };
                index += count;
            }
            symbol += 1;
        }
        let cells = spread(probabilities, log);
        let mut cell = 0;
        while cell < size {
            let next = &mut next_index[cells[cell] as usize % SYMBOLS];
            self.states[*next as usize % CELLS] = (size + cell) as u16;
            *next += 1;
            cell += 1;
        }
    }
}

/// Returns what [`Change::bits`] is for a symbol with `count` cells: from a certain state on, it takes one bit more.
const fn change_bits(count: u16, log: u32) -> u32 {
    let most = if count == 1 { log } else { log - (count as u32 - 1).ilog2() };
    (most << 16) - ((count as u32) << most)
}

/// Returns the symbol of each cell.
const fn spread(probabilities: &[i16], log: u32) -> [u8; CELLS] {
    let size = 1_usize << log;
    let mut cells = [0; CELLS];
    let (mut symbol, mut free) = (0, size);
    while symbol < probabilities.len() {
        if probabilities[symbol] < 0 {
            free -= 1;
            cells[free] = symbol as u8;
        }
        symbol += 1;
    }
    let step = (size >> 1) + (size >> 3) + 3;
    let (mut symbol, mut at) = (0, 0);
    while symbol < probabilities.len() {
        let mut left = probabilities[symbol];
        while left > 0 {
            cells[at % CELLS] = symbol as u8;
            at = (at + step) & (size - 1);
            while at >= free {
                at = (at + step) & (size - 1);
            }
            left -= 1;
        }
        symbol += 1;
    }
    cells
}

/// The state of an encoder. Symbols are encoded from the last one to the first one.
pub(super) struct State<'a> {
    table: &'a Table,
    value: u32,
}

impl<'a> State<'a> {
    /// Encodes the last symbol. The state has the smallest value: its decoder always reads bits after this symbol, and
    /// so notices that there are none.
    #[inline(always)]
    pub(super) fn new(table: &'a Table, symbol: u8) -> State<'a> {
        let first = table.changes[usize::from(symbol) % SYMBOLS].first;
        State { table, value: u32::from(table.states[usize::from(first) % CELLS]) }
    }

    /// Encodes a symbol: adds up to 9 bits.
    #[inline(always)]
    pub(super) fn encode(&mut self, symbol: u8, bits: &mut Bits<'_>) {
        let change = &self.table.changes[usize::from(symbol) % SYMBOLS];
        let count = (self.value + change.bits) >> 16;
        bits.add(u64::from(self.value & ((1 << (count & 31)) - 1)), count);
        let next = (self.value >> (count & 31)) as i32 + change.next;
        self.value = u32::from(self.table.states[next as usize % CELLS]);
    }

    /// Adds the state itself.
    #[inline(always)]
    pub(super) fn finish(self, bits: &mut Bits<'_>) {
        bits.add(u64::from(self.value & ((1 << self.table.log) - 1)), self.table.log);
    }
}

/// Returns a good size for the table of `total` symbols, of which `used` differ, as an exponent of two.
pub(super) fn table_log(total: u32, used: u32, max: u32) -> u32 {
    // More cells describe probabilities more exactly than the symbols justify. Beyond 64 cells they save little, and
    // the decoder has to fill them.
    let bits = total.max(1).ilog2();
    let enough = bits.saturating_sub(if bits < 8 { 1 } else { 2 });
    let least = used.max(1).ilog2() + 1;
    enough.max(least).clamp(LOG_MIN, max)
}

/// Returns the distribution of symbols in a table of 2^log cells, which must be at least as many as there are symbols.
pub(super) fn normalized(counts: &[u32], total: u32, log: u32) -> Probabilities {
    let mut cells = [0; SYMBOLS];
    let mut left = 1_i32 << log;
    let (mut largest, mut symbol) = (0, 0);
    // One division for all symbols.
    let share = (1_u64 << (log + 32)) / u64::from(total.max(1));
    for (cell, &count) in cells.iter_mut().zip(counts) {
        if count > 0 {
            let scaled = (u64::from(count) * share + (1 << 31)) >> 32;
            *cell = scaled.max(1) as i16;
            left -= i32::from(*cell);
            largest = if count > counts[largest] { symbol } else { largest };
        }
        symbol += 1;
    }
    // To the most frequent symbol, a few cells matter least.
    if left.unsigned_abs() * 4 <= u32::from(cells[largest].unsigned_abs()) {
        cells[largest] += left as i16;
        return cells;
    }
    while left > 0 {
        // A cell more saves about count / cells bits.
        let most = best(&cells, counts, |(a, cells_a), (b, cells_b)| a * cells_b > b * cells_a);
        cells[most] += 1;
        left -= 1;
    }
    while left < 0 {
        // Symbols with one cell keep it.
        let least = best(&cells, counts, |(a, cells_a), (b, cells_b)| {
            cells_a > 1 && (cells_b == 1 || a * (cells_b - 1) < b * (cells_a - 1))
        });
        cells[least] -= 1;
        left += 1;
    }
    cells
}

/// Returns the symbol that is better than the others. Symbols that do not occur are not considered.
fn best(
    cells: &Probabilities,
    counts: &[u32],
    better: impl Fn((u64, u64), (u64, u64)) -> bool,
) -> usize {
    let of = |symbol: usize| (u64::from(counts[symbol]), cells[symbol] as u64);
    let mut used = (0..counts.len().min(SYMBOLS)).filter(|&symbol| counts[symbol] > 0);
    let first = used.next().unwrap_or_default();
    used.fold(first, |best, symbol| if better(of(symbol), of(best)) { symbol } else { best })
}

/// Returns the bits that a symbol takes, in units of 1/256 bit.
pub(super) const fn symbol_cost(probability: i16, log: u32) -> u32 {
    (log << 8) - log2(probability.unsigned_abs() as u32)
}

/// Appends the description of a distribution.
pub(super) fn describe(probabilities: &Probabilities, log: u32, out: &mut Output) {
    let mut bits = Bits::new(out);
    bits.add(u64::from(log - LOG_MIN), 4);
    let mut left = 1_u32 << log;
    let mut symbol = 0;
    while left > 0 && symbol < SYMBOLS {
        let probability = probabilities[symbol];
        symbol += 1;
        describe_one((probability + 1) as u32, left, &mut bits);
        left -= u32::from(probability.unsigned_abs()).min(left);
        if probability == 0 {
            let zeros = probabilities[symbol..].iter().take_while(|&&p| p == 0).count();
            symbol += zeros;
            for _ in 0..zeros / 3 {
                bits.add(3, 2);
                bits.flush();
            }
            bits.add((zeros % 3) as u64, 2);
        }
        bits.flush();
    }
    bits.finish();
}

/// Adds a number from 0 to `left` + 1. Small ones have one bit less, as far as there are unused numbers.
fn describe_one(value: u32, left: u32, bits: &mut Bits<'_>) {
    let most = left + 1;
    let width = most.ilog2() + 1;
    let (half, unused) = (1 << (width - 1), (1 << width) - 1 - most);
    if value < unused {
        bits.add(u64::from(value), width - 1);
    } else if value < half {
        bits.add(u64::from(value), width);
    } else {
        bits.add(u64::from(value + unused), width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_fill_their_table() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..3000 {
            let used = rng.usize(2..=53);
            let spread = rng.u32(0..14);
            let mut counts = [0; SYMBOLS];
            for count in counts.iter_mut().take(used) {
                *count = rng.u32(..1 + (1 << spread));
            }
            counts[used - 1] = 1;
            let total = counts.iter().sum();
            let log = table_log(total, used as u32, 9);
            let cells = normalized(&counts, total, log);
            assert_eq!(cells.iter().map(|&n| u32::from(n as u16)).sum::<u32>(), 1 << log);
            for (count, cells) in counts.iter().zip(cells) {
                assert_eq!(*count > 0, cells > 0);
            }
        }
    }

    #[test]
    fn a_description_has_the_bits_of_the_format() {
        // RFC 8878: with 100 of 256 cells used, 0 to 97 take 7 bits, 98 to 127 and 128 to 157 take 8.
        for (value, bits, written) in [(97, 7, 97), (98, 8, 98), (127, 8, 127), (128, 8, 226)] {
            let mut out = Output::new();
            let mut writer = Bits::new(&mut out);
            describe_one(value, 156, &mut writer);
            writer.add(1, 1);
            writer.finish();
            let read = u16::from_le_bytes([out.bytes()[0], *out.bytes().get(1).unwrap_or(&0)]);
            assert_eq!(read, written | 1 << bits, "{value}");
        }
    }

    #[test]
    fn states_lead_back() {
        let cells = [9, 0, 3, -1, 17, 2];
        let table = Table::of(&cells, 5);
        let symbols = spread(&cells, 5);
        for (symbol, _) in cells.iter().enumerate().filter(|(_, n)| **n != 0) {
            for from in 32..64 {
                let mut out = Output::new();
                let mut bits = Bits::new(&mut out);
                let mut state = State { table: &table, value: from };
                state.encode(symbol as u8, &mut bits);
                assert_eq!(usize::from(symbols[state.value as usize - 32]), symbol);
            }
        }
    }
}
