//! The encoder of LZ4 blocks; `decode` describes the format.
//!
//! A table has the last position of each hash of four bytes. The encoder looks up one position after the other until
//! the bytes at the position in the table are the same, extends this match in both directions, and goes on after it.
//! The longer it finds nothing, the longer its steps: a block of random bytes costs little.
//!
//! Blocks are small, so fixed costs count. A thread keeps its table from block to block, and the positions of each
//! block are numbered from where those of the block before ended. So the table need not be cleared, and an entry of an
//! earlier block is recognised by its number.
//!
//! A wrong block would lose data, so every index is checked; if a check fails, `encode` returns that it cannot.

#![allow(unsafe_code)]

use super::decode::{CHUNK, LONG, MATCH_MIN, WIDE, copy_chunk};
use crate::base::short::common_prefix;
use crate::compress::position::Position;
use std::cell::RefCell;
use std::hint::select_unpredictable;

/// The last match ends at least this many bytes before the end of the block,
const LAST_LITERALS: usize = 5;
/// and begins at least this many bytes before it. Other decoders rely on both.
const MATCH_LIMIT: usize = 12;
/// The largest offset of a match.
const OFFSET_MAX: usize = u16::MAX as usize;
/// The binary logarithm of the number of entries in a table.
const TABLE_BITS: u32 = 12;
/// Steps get longer by one after so many positions (its binary logarithm) without a match,
const PATIENCE_BITS: u32 = 5;
/// and after so many if the last match came after at least `MANY` literals: then many will come again.
const PATIENCE_BITS_LOW: u32 = 2;
const MANY: usize = 32;
/// The last positions of hashes.
struct Table<N> {
    numbers: Box<[N; 1 << TABLE_BITS]>,
    /// The number of the block's first position. Entries with smaller numbers are empty or of earlier blocks.
    base: usize,
}

impl<N: Position> Table<N> {
    fn new() -> Table<N> {
        Table { numbers: Box::new([N::new(0); 1 << TABLE_BITS]), base: 1 }
    }

    /// Makes room for the numbers of a block's positions, which must be fewer than `N::MAX`.
    fn begin(&mut self, len: usize) {
        if len > N::MAX - self.base {
            self.numbers.fill(N::new(0));
            self.base = 1;
        }
    }

    /// Replaces the position of these four bytes with `at`. Returns the earlier position, or one that any earlier
    /// position of the block may replace: 0.
    #[inline(always)]
    fn exchange(&mut self, bytes: u32, at: usize) -> usize {
        // Fibonacci hashing. The index has TABLE_BITS bits, so the entry exists.
        let hash = bytes.wrapping_mul(0x9E37_79B1) >> (32 - TABLE_BITS);
        let Some(entry) = self.numbers.get_mut(hash as usize) else { return 0 };
        let before = std::mem::replace(entry, N::new(self.base + at)).get();
        // An entry of an earlier block becomes a very large number. A branch would be mispredicted often.
        let position = before.wrapping_sub(self.base);
        select_unpredictable(position < at, position, 0)
    }
}

/// A table that is made when it is first needed.
type Slot<N> = RefCell<Option<Table<N>>>;

thread_local! {
    /// The tables of this thread, for blocks that 16 bits can number and for longer ones.
    static TABLES: (Slot<u16>, Slot<u32>) = const { (RefCell::new(None), RefCell::new(None)) };
}

/// Appends the compressed form of a block to `out`. Returns false if it cannot, without a change of `out`.
pub(super) fn encode(raw: &[u8], out: &mut Vec<u8>) -> bool {
    let encoded = TABLES.try_with(|(short, long)| match raw.len() < u16::MAX.into() {
        true => with_table(short, raw, out),
        false => with_table(long, raw, out),
    });
    // At the thread's end there are no tables.
    encoded.unwrap_or(false)
}

fn with_table<N: Position>(table: &Slot<N>, raw: &[u8], out: &mut Vec<u8>) -> bool {
    let Ok(mut table) = table.try_borrow_mut() else { return false };
    if raw.len() >= N::MAX {
        return false;
    }
    let table = table.get_or_insert_with(Table::new);
    table.begin(raw.len());
    let start = out.len();
    // Matches only make a block shorter, literals need one more byte for 255 of them.
    out.resize(start + raw.len() + raw.len() / 255 + 16, 0);
    let place = out.get_mut(start..).unwrap_or_default();
    let n = encode_with(table, raw, place);
    table.base += raw.len();
    out.truncate(start + n.unwrap_or(0));
    n.is_some()
}

/// Encodes a block to `out`, and returns the number of bytes; `None` if they do not fit.
fn encode_with<N: Position>(table: &mut Table<N>, raw: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut writer = Writer { out, len: 0 };
    // The first byte that is not written yet.
    let mut done = 0;
    // The last position at which a match may begin.
    if let Some(last) = raw.len().checked_sub(MATCH_LIMIT) {
        table.exchange(four(raw, 0)?, 0);
        let (mut at, mut patience_bits) = (1, PATIENCE_BITS);
        while let Some(found) = search(table, raw, at, last, patience_bits) {
            let end =
                found.to + MATCH_MIN + same(raw, found.from + MATCH_MIN, found.to + MATCH_MIN);
            let begin = found.to - equal_before(raw, &found, done);
            writer.sequence(raw, done, begin, found.to - found.from, end - begin)?;
            patience_bits = if begin - done < MANY { PATIENCE_BITS } else { PATIENCE_BITS_LOW };
            done = end;
            if done > last {
                break;
            }
            // The end of the match is likely to be the beginning of another.
            table.exchange(four(raw, done - 2)?, done - 2);
            at = done;
        }
    }
    writer.last(raw.get(done..)?)?;
    Some(writer.len)
}

/// Two positions with the same four bytes, the earlier first.
struct Match {
    from: usize,
    to: usize,
}

/// Searches for a match from position `at` to `last`.
#[inline(always)]
fn search<N: Position>(
    table: &mut Table<N>,
    raw: &[u8],
    at: usize,
    last: usize,
    patience_bits: u32,
) -> Option<Match> {
    let (mut to, mut tried) = (at, 1_usize << patience_bits);
    while to <= last {
        // SAFETY: `to` is at most `last`, after which there are more than four bytes, and `from` is before `to`.
        let bytes = unsafe { four_unchecked(raw, to) };
        let from = table.exchange(bytes, to);
        // SAFETY: as above.
        if unsafe { four_unchecked(raw, from) } == bytes && to - from <= OFFSET_MAX {
            return Some(Match { from, to });
        }
        to += tried >> patience_bits;
        tried += 1;
    }
    None
}

/// The number of equal bytes before a match, as far as they are not written yet.
#[inline(always)]
fn equal_before(raw: &[u8], found: &Match, done: usize) -> usize {
    let most = (found.to - done).min(found.from);
    let (earlier, later) = (eight_before(raw, found.from), eight_before(raw, found.to));
    let mut n = 0;
    if let (Some(earlier), Some(later)) = (earlier, later) {
        let equal = ((earlier ^ later).leading_zeros() / 8) as usize;
        n = equal.min(most);
        if equal < 8 {
            return n;
        }
    }
    while n < most && raw.get(found.to - n - 1) == raw.get(found.from - n - 1) {
        n += 1;
    }
    n
}

/// The number of equal bytes from two positions on, the earlier first, without the block's last literals.
#[inline(always)]
fn same(raw: &[u8], from: usize, to: usize) -> usize {
    let end = raw.len() - LAST_LITERALS;
    let (earlier, later) = (raw.get(from..), raw.get(to..end));
    common_prefix(earlier.unwrap_or_default(), later.unwrap_or_default())
}

/// The eight bytes before a position, the last one highest.
#[inline(always)]
fn eight_before(raw: &[u8], at: usize) -> Option<u64> {
    raw.get(..at)?.last_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The four bytes at a position.
#[inline(always)]
fn four(raw: &[u8], at: usize) -> Option<u32> {
    raw.get(at..at + 4)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// Like [`four`], without a check: with checks in the search, the encoder took 15 % more time.
///
/// # Safety
/// At least four bytes follow the position.
#[inline(always)]
unsafe fn four_unchecked(raw: &[u8], at: usize) -> u32 {
    debug_assert!(raw.len() >= 4 && at <= raw.len() - 4);
    // SAFETY: by contract. A load of four bytes needs no alignment.
    u32::from_le_bytes(unsafe { raw.as_ptr().add(at).cast::<[u8; 4]>().read() })
}

/// Writes sequences. Each function returns `None` if there is no room.
struct Writer<'a> {
    out: &'a mut [u8],
    len: usize,
}

impl Writer<'_> {
    /// Writes the literals in `from..to`, and a match of `len` bytes.
    #[inline(always)]
    fn sequence(
        &mut self,
        raw: &[u8],
        from: usize,
        to: usize,
        offset: usize,
        len: usize,
    ) -> Option<()> {
        let (literals, rest) = (to - from, len - MATCH_MIN);
        self.byte((literals.min(LONG) << 4 | rest.min(LONG)) as u8)?;
        if literals >= LONG {
            self.length(literals - LONG)?;
        }
        self.literals(raw, from, literals)?;
        let place = self.out.get_mut(self.len..)?.first_chunk_mut()?;
        *place = (offset as u16).to_le_bytes();
        self.len += 2;
        if rest >= LONG {
            self.length(rest - LONG)?;
        }
        Some(())
    }

    /// Writes the last literals.
    fn last(&mut self, literals: &[u8]) -> Option<()> {
        self.byte((literals.len().min(LONG) << 4) as u8)?;
        if let Some(rest) = literals.len().checked_sub(LONG) {
            self.length(rest)?;
        }
        self.out.get_mut(self.len..self.len + literals.len())?.copy_from_slice(literals);
        self.len += literals.len();
        Some(())
    }

    #[inline(always)]
    fn byte(&mut self, byte: u8) -> Option<()> {
        *self.out.get_mut(self.len)? = byte;
        self.len += 1;
        Some(())
    }

    /// Writes the part of a length that a token does not have.
    #[inline(always)]
    fn length(&mut self, mut rest: usize) -> Option<()> {
        while rest >= 255 {
            self.byte(255)?;
            rest -= 255;
        }
        self.byte(rest as u8)
    }

    /// Copies literals, in whole chunks where both sides have room. What follows overwrites the surplus.
    #[inline(always)]
    fn literals(&mut self, raw: &[u8], from: usize, len: usize) -> Option<()> {
        let mut at = 0;
        // Most runs fit into one wide chunk: a loop whose number of rounds nobody can predict costs more.
        if copy_chunk::<WIDE>(raw.get(from..), self.out.get_mut(self.len..)) {
            at = WIDE;
        }
        while at < len {
            if !copy_chunk::<CHUNK>(raw.get(from + at..), self.out.get_mut(self.len + at..)) {
                let place = self.out.get_mut(self.len + at..self.len + len)?;
                place.copy_from_slice(raw.get(from + at..from + len)?);
                break;
            }
            at += CHUNK;
        }
        self.len += len;
        Some(())
    }
}
