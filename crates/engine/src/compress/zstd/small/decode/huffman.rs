//! Huffman trees: their descriptions, and the decoding tables that follow from them. RFC 8878, section 4.2.

#![allow(clippy::indexing_slicing)] // Indexes are masked by the arrays' sizes, or those of constant slices.

use super::bits::{Backward, WORD};
use super::fault::{Fault, Result};
use super::fse::{Cell, Distribution, Spread};
use super::processor;
use wide::u8x16;

/// The largest number of bits of a symbol.
pub(super) const BITS_MAX: u32 = 11;
/// The smallest number of bits that a table is indexed by. Trees without long codes fill such a table, too, so that
/// the loops that use it need not exist for every number of bits.
pub(super) const LOG_MIN: u32 = 8;

/// The number of symbols: bytes.
const BYTES: usize = 256;
/// The largest binary logarithm of the size of the table for weights.
const WEIGHTS_LOG_MAX: u32 = 6;
/// The number of states of that table.
const WEIGHTS_STATES: usize = 1 << WEIGHTS_LOG_MAX;
const PART: &str = "Huffman tree";

/// The symbols of one weight, one bit each.
type Members = [u64; BYTES / 64];

/// A decoding table. It is indexed by the next `log` bits.
pub(super) struct Table {
    /// The number of bits in the low byte, the symbol in the high one. The first 2^`log` entries are in use.
    pub(super) entries: [u16; 1 << BITS_MAX],
    /// The number of bits of the longest code, at least [`LOG_MIN`]; 0 before there is a tree.
    pub(super) log: u32,
    /// The table for the tree's weights, which has no use afterwards.
    weights: States,
}

impl Default for Table {
    fn default() -> Table {
        Table { entries: [0; 1 << BITS_MAX], log: 0, weights: States::default() }
    }
}

/// Weights of symbols, in their order. The last symbol's is missing: it follows from the others.
struct Weights {
    of: [u8; BYTES],
    count: usize,
}

impl Table {
    /// Replaces the table by that of the tree which is described at `at`. Returns where the description ends.
    pub(super) fn read(&mut self, frame: &[u8], at: usize) -> Result<usize> {
        processor::run(Read { table: self, frame, at })
    }

    /// The task of [`Read`].
    #[inline(always)]
    fn replace(&mut self, frame: &[u8], at: usize) -> Result<usize> {
        self.log = 0;
        let mut weights = Weights { of: [0; BYTES], count: 0 };
        let head = usize::from(*frame.get(at).ok_or(Fault::Ends(PART))?);
        let (at, end) = (at + 1, at + 1 + if head < 128 { head } else { (head - 126) / 2 });
        let described = frame.get(..end).ok_or(Fault::Ends(PART))?;
        match head {
            0..128 => weights.decode(described, at, &mut self.weights)?,
            _ => weights.unpack(described.get(at..).unwrap_or_default(), head - 127),
        }
        self.build(&weights)?;
        Ok(end)
    }

    /// Fills the table: symbols of small weight, thus with long codes, come first. A symbol has one entry for each
    /// value of the bits that its code does not use.
    #[inline(always)]
    fn build(&mut self, weights: &Weights) -> Result<()> {
        let mut members = [[0; BYTES / 64]; BITS_MAX as usize + 1];
        weights.find_members(&mut members)?;
        let longest = complete(&mut members, weights.count)?;
        let log = longest.max(LOG_MIN);
        let mut at = 0;
        for (weight, members) in (1..).zip(&members[1..=longest as usize]) {
            let bits = longest + 1 - weight;
            at = match log - bits {
                0 => self.fill::<1>(at, members, bits, 1),
                1 => self.fill::<2>(at, members, bits, 1),
                2 => self.fill::<4>(at, members, bits, 1),
                3 => self.fill::<8>(at, members, bits, 1),
                unused => self.fill::<16>(at, members, bits, 1 << (unused - 4)),
            };
        }
        self.log = log;
        Ok(())
    }

    /// Gives each of the members, from the entry `at` on, `times` runs of `N` entries. Returns where they end.
    #[inline(always)]
    fn fill<const N: usize>(
        &mut self,
        mut at: usize,
        members: &Members,
        bits: u32,
        times: usize,
    ) -> usize {
        for (first, &word) in (0_u16..).step_by(64).zip(members) {
            let mut left = word;
            while left != 0 {
                let entry = (first + left.trailing_zeros() as u16) << 8 | bits as u16;
                left &= left - 1;
                for _ in 0..times {
                    if let Some(run) = self.entries.get_mut(at..at + N) {
                        run.copy_from_slice(&[entry; N]);
                    }
                    at += N;
                }
            }
        }
        at
    }
}

/// The reading of a tree and the construction of its table.
struct Read<'a> {
    table: &'a mut Table,
    frame: &'a [u8],
    at: usize,
}

impl processor::Task for Read<'_> {
    type Output = Result<usize>;

    #[inline(always)]
    fn run(self) -> Result<usize> {
        self.table.replace(self.frame, self.at)
    }
}

impl Weights {
    /// Takes over `count` weights of four bits each.
    fn unpack(&mut self, bytes: &[u8], count: usize) {
        for (pair, &byte) in self.of.chunks_exact_mut(2).zip(bytes) {
            pair.copy_from_slice(&[byte >> 4, byte & 15]);
        }
        // Of an odd number, the last four bits have no meaning.
        self.of[count % BYTES] = 0;
        self.count = count;
    }

    /// Decodes weights, whose distribution is at `at`, and whose bits end with `frame`.
    #[inline(always)]
    fn decode(&mut self, frame: &[u8], at: usize, table: &mut States) -> Result<()> {
        let bytes = frame.get(at..).unwrap_or_default();
        let symbols_max = BITS_MAX as usize + 1;
        let (distribution, len) =
            Distribution::read(bytes, symbols_max, WEIGHTS_LOG_MAX, "weights of a Huffman tree")?;
        table.build(&distribution.counts[..distribution.symbols], distribution.log);
        let start = at + len;
        if start >= frame.len() {
            return Err(Fault::Ends(PART));
        }
        let mut bits = Backward::new(frame, frame.len(), PART)?;
        let window = bits.window(frame).ok_or(Fault::Ends(PART))?;
        let log = distribution.log;
        let states = [log, 2 * log].map(|end| window.field(end, log) as usize % WEIGHTS_STATES);
        bits.skip(2 * log as usize);
        if bits.position() < start * 8 {
            return Err(Fault::Ends(PART));
        }
        let (start, table, of) = (start * 8, &*table, &mut self.of);
        let count = Follow { frame, bits, start, table, states, of }.run();
        self.count = count
            .ok_or_else(|| Fault::above("number of weights in a Huffman tree", BYTES - 1, BYTES))?;
        Ok(())
    }

    /// Finds the symbols of each weight but 0.
    #[inline(always)]
    fn find_members(&self, members: &mut [Members; BITS_MAX as usize + 1]) -> Result<()> {
        let largest = self.of.iter().fold(0, |largest, &weight| weight.max(largest));
        if u32::from(largest) > BITS_MAX {
            return Err(Fault::above(
                "weight in a Huffman tree",
                BITS_MAX as usize,
                largest.into(),
            ));
        }
        let (chunks, _) = self.of.as_chunks::<16>();
        let (words, _) = chunks.as_chunks::<4>();
        let used = self.count.div_ceil(64);
        for (weight, members) in (1..=largest).zip(&mut members[1..]) {
            let weight = u8x16::splat(weight);
            let equal = |chunk: [u8; 16]| u64::from(u8x16::new(chunk).simd_eq(weight).to_bitmask());
            for (members, word) in members.iter_mut().zip(words).take(used) {
                let [a, b, c, d] = word.map(equal);
                *members = a | b << 16 | c << 32 | d << 48;
            }
        }
        Ok(())
    }
}

/// The table for weights. Each weight waits for the one before the last, so arrays of bytes are used, which are the
/// fastest to index.
struct States {
    weights: Bytes,
    /// The numbers of bits of the next states.
    bits: Bytes,
    /// [`PEEKED`] less these numbers.
    shifts: Bytes,
    /// The next states, to which bits are added.
    next: Bytes,
}

/// Bytes by state. Only [`WEIGHTS_STATES`] are in use. There are more than sums of two of these bytes can be, so that
/// such a sum is an index that need not be checked.
type Bytes = [u8; 512];

/// Bits of which those of the next state are taken: one more than they can be.
const PEEKED: u32 = WEIGHTS_LOG_MAX + 1;

impl Default for States {
    fn default() -> States {
        States { weights: [0; 512], bits: [0; 512], shifts: [0; 512], next: [0; 512] }
    }
}

impl States {
    /// Returns the state after this one, and removes its bits from the high end of a word.
    #[inline(always)]
    fn follow(&self, state: usize, word: &mut u64) -> usize {
        let peeked = (*word >> (64 - PEEKED)) as usize;
        let next = usize::from(self.next[state]) + peeked.wrapping_shr(self.shifts[state].into());
        *word = word.wrapping_shl(self.bits[state].into());
        next
    }

    /// Replaces the table by that of a distribution.
    #[inline(always)]
    fn build(&mut self, counts: &[i16], log: u32) {
        let mut spread = Spread::<128>::new(counts, log);
        for state in 0..WEIGHTS_STATES.min(1 << log) {
            let Cell { symbol, bits, next } = spread.next(log);
            self.weights[state] = symbol as u8;
            self.bits[state] = bits as u8;
            self.shifts[state] = (PEEKED - bits) as u8;
            self.next[state] = next as u8;
        }
    }
}

/// The loop over weights, which come from two states that alternate until the bits from the position `start` on are
/// used up.
struct Follow<'a> {
    frame: &'a [u8],
    bits: Backward,
    start: usize,
    table: &'a States,
    states: [usize; 2],
    of: &'a mut [u8; BYTES],
}

/// Weights that are decoded from one window, whatever they are: 48 bits.
const GROUP: usize = WORD as usize / (2 * WEIGHTS_LOG_MAX as usize) * 2;

impl Follow<'_> {
    /// Returns the number of weights, or `None` if they are too many.
    #[inline(always)]
    fn run(self) -> Option<usize> {
        let Follow { frame, mut bits, start, table, states: [mut turn, mut other], of } = self;
        let (groups, _) = of.as_chunks_mut::<GROUP>();
        let mut count = 0;
        // The last weights are those for which the bits may end.
        for group in &mut groups[..BYTES / GROUP - 1] {
            if bits.position() - start < GROUP * WEIGHTS_LOG_MAX as usize {
                break;
            }
            let mut word = bits.word(frame)? | 1;
            for weight in group {
                *weight = table.weights[turn];
                (turn, other) = (other, table.follow(turn, &mut word));
            }
            bits.skip(word.trailing_zeros() as usize);
            count += GROUP;
        }
        // One window has all bits that are left, or those of as many weights as there may still be.
        let (mut word, left, mut used) = (bits.word(frame)?, bits.position() - start, 0);
        while count + 2 < BYTES {
            of[count] = table.weights[turn];
            used += usize::from(table.bits[turn]);
            if left < used {
                // The bits end: what the other state stands for is the last weight.
                of[count + 1] = table.weights[other];
                return Some(count + 2);
            }
            (turn, other) = (other, table.follow(turn, &mut word));
            count += 1;
        }
        None
    }
}

/// Adds the last symbol, whose weight makes the sum a power of two. Returns the number of bits of the longest code.
#[inline(always)]
fn complete(members: &mut [Members; BITS_MAX as usize + 1], last: usize) -> Result<u32> {
    let mut sum = 0;
    for (weight, members) in members.iter().enumerate().skip(1) {
        let count = members.iter().map(|word| word.count_ones()).sum::<u32>();
        sum += count << (weight - 1);
    }
    if sum == 0 {
        return Err(Fault::not(PART, "a symbol with a weight"));
    }
    let log = sum.ilog2() + 1;
    if log > BITS_MAX {
        return Err(Fault::above("bits of a Huffman code", BITS_MAX as usize, log as usize));
    }
    let left = (1 << log) - sum;
    if !left.is_power_of_two() {
        return Err(Fault::not(PART, "weights that leave a power of two for the last symbol"));
    }
    let weight = left.ilog2() as usize + 1;
    members[weight % (BITS_MAX as usize + 1)][last / 64 % (BYTES / 64)] |= 1 << (last % 64);
    Ok(log)
}
