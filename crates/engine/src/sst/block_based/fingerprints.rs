//! Fingerprints: a small table in memory beside a block that leads a point lookup straight to its entry.
//!
//! Per entry: one byte of the user key's hash, where the entry is, and the *middle* of its key. A
//! delta-coded entry holds only the end of its key. The beginning that all keys of the block share
//! is kept once; the middle is what lies between. So a lookup compares fingerprints and then, nearly always,
//! one whole key, and touches no other entry.
//!
//! The fingerprints are compared sixteen at a time and give words with a bit per candidate, without a branch
//! on what was read. A branch would be guessed wrong nearly always, and the guess would be settled
//! only when the table has come from memory: nothing of the next lookup could start before.
//!
//! ```text
//! table   = prefix, fingerprint u8 * n, offset * n, middles
//! offset  = u8, what a straight line through the block lacks, or u16 where one byte is not enough
//! middles = [u8; width] * 2, before and from an entry on, or * n where they change more than once
//! ```
//! The last word of fingerprints runs into the offsets; what looks like a candidate there is none.
//!
//! The table lies inside the block's own object while it is small, so that a lookup waits for two
//! memory accesses, the object and the entry, and not for three. Of a larger one the object has as many
//! fingerprints as fit, and the heap the prefix and what follows: the place is there anyway. Where an entry is, the
//! line says well enough to ask for it and for its offset at once, so that these lookups wait twice as well.
//!
//! The table is as small as it is because every cached block pays for it, looked up or not: two bytes of
//! hash would save one false candidate in fifteen lookups and cost a hundredth of the cache.
//!
//! Only blocks that this suits get fingerprints (**G1** every key's trailer lies in its own entry), and
//! only tables in bytewise order whose user keys do not span blocks use them.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::view::{BlockView, Found};
use crate::base::key::TRAILER_SIZE;
use crate::base::prefetch::{LINE, prefetch, prefetch_bytes};
use crate::base::short;
use crate::cache::Memory;
use crate::error::Result;
use wide::u8x16;

/// How many fingerprints one word holds.
const LANES: usize = 8;
/// How many fingerprints give one word of candidates.
const GROUP: usize = 64;

/// So much of an entry is asked for at least and at most. What lies behind, the processor guesses.
const ASK_MIN: usize = 3 * LINE;
const ASK_MAX: usize = 10 * LINE;

/// How many bytes lie inside the object: enough for a block of 4 KiB with values of 100 bytes.
pub(super) const INLINE: usize = 136;

/// How many fingerprints lie inside the object of a block whose table is larger: what the address of the rest
/// leaves, in whole words.
pub(super) const FIRST: usize = INLINE - size_of::<Memory>();

/// How many bits of a slope are behind the point.
pub(super) const FRACTION: u32 = 4;

/// The fingerprints of one block. What all of them have is inside the variants, since it takes no room
/// there.
pub enum Fingerprints {
    /// The table is small enough to lie in the block's object.
    Inline(Head, [u8; INLINE]),
    /// The first fingerprints, and memory of its own for the rest of the table.
    Heap(Head, [u8; FIRST], Memory),
}

/// Where the parts of the data are: all of a small table, of a larger one what is left without the first
/// fingerprints. Positions fit 16 bits: the table is smaller than its block's entries.
#[derive(Clone, Copy)]
pub struct Head {
    /// How many entries there are.
    pub(super) n: u16,
    /// How long the prefix is.
    pub(super) prefix: u16,
    /// By how much the line rises from entry to entry, with [`FRACTION`]; 0 without a line.
    pub(super) slope: u16,
    /// The first entry with the second of two middles; 0 if each entry has one of its own.
    pub(super) split: u16,
    /// How far the line is above the offsets at most.
    pub(super) bias: u8,
    /// Of an offset: 1 or 2.
    pub(super) size: u8,
    /// Of a middle.
    pub(super) width: u8,
    /// How many fingerprints are not in the data.
    pub(super) apart: u8,
}

impl Head {
    /// The bytes of the data that are looked at for fingerprints: whole words.
    #[inline]
    fn fingerprints(self, data: &[u8]) -> &[u8] {
        let (start, n) = (usize::from(self.prefix), usize::from(self.n) - usize::from(self.apart));
        data.get(start..start + n.next_multiple_of(LANES)).unwrap_or_default()
    }

    #[inline]
    fn offsets_at(self) -> usize {
        usize::from(self.prefix) + usize::from(self.n) - usize::from(self.apart)
    }

    #[inline]
    fn middles_at(self) -> usize {
        self.offsets_at() + usize::from(self.size) * usize::from(self.n)
    }

    /// How long the data must be at least, so that all words of fingerprints lie inside.
    pub(super) fn room(self, len: usize) -> usize {
        let fingerprints = self.offsets_at() - usize::from(self.prefix);
        len.max(usize::from(self.prefix) + fingerprints.next_multiple_of(LANES))
    }

    /// Where entry `i` is at the earliest, if offsets have one byte.
    #[inline]
    fn floor(self, i: usize) -> usize {
        line(self.slope, i).wrapping_sub(self.bias.into())
    }

    /// How long entries are on average.
    #[inline]
    fn rise(self) -> usize {
        line(self.slope, 1)
    }
}

/// Where a line with this slope is at entry `i`.
#[inline]
pub(super) fn line(slope: u16, i: usize) -> usize {
    (i * usize::from(slope)) >> FRACTION
}

/// The byte of a user key's hash that is its fingerprint. The Bloom filter uses mostly the other bytes.
#[inline]
pub(super) fn tag_of(hash: u64) -> u8 {
    hash as u8
}

impl Fingerprints {
    /// Bytes of memory besides the block's object.
    pub fn memory_usage(&self) -> usize {
        match self {
            Fingerprints::Inline(..) => 0,
            Fingerprints::Heap(_, _, data) => data.len(),
        }
    }

    #[inline]
    fn parts(&self) -> (Head, &[u8]) {
        match self {
            Fingerprints::Inline(head, data) => (*head, data),
            Fingerprints::Heap(head, _, data) => (*head, data),
        }
    }

    /// As [`BlockView::find`], for a block of a table that suits fingerprints. `hash` is the user key's.
    #[inline]
    pub fn find<'a>(
        &self,
        view: BlockView<'a>,
        hash: u64,
        user_key: &[u8],
        max_trailer: u64,
        visit: impl FnMut(u64, &'a [u8]) -> Result<bool>,
    ) -> Result<Found> {
        self.find_from(self.ask_candidates(view, hash), view, hash, user_key, max_trailer, visit)
    }

    /// The candidates for a user key among two groups of fingerprints that begin with this one.
    #[inline]
    fn candidates(&self, at: usize, hash: u64) -> Candidates {
        let fingerprint = tag_of(hash);
        if let Fingerprints::Inline(head, data) = self
            && head.n <= GROUP as u16
            && let Some(group) =
                data.get(head.prefix.into()..).and_then(|d| d.first_chunk::<GROUP>())
        {
            // Nearly every block: as many words as there may be, whatever its number of fingerprints is.
            let bits =
                candidates(group, fingerprint) & (u64::MAX >> ((GROUP as u16 - head.n) % 64));
            return Candidates { at: 0, next: head.n.into(), bits, behind: 0 };
        }
        if let (0, Fingerprints::Heap(_, first, _)) = (at, self) {
            let (bits, behind) = candidates_of_two(first, fingerprint);
            return Candidates { at: 0, next: FIRST as u32, bits, behind };
        }
        let (head, data) = self.parts();
        let fingerprints =
            head.fingerprints(data).get(at - usize::from(head.apart)..).unwrap_or_default();
        let (bits, behind) = candidates_of_two(fingerprints, fingerprint);
        let (at, next) = (at as u32, (at + 2 * GROUP) as u32);
        Candidates { at, next, bits, behind }
    }

    /// The first candidates for a user key. Asks for their entries.
    #[inline(always)]
    pub fn ask_candidates(&self, view: BlockView<'_>, hash: u64) -> Candidates {
        if let Fingerprints::Heap(_, _, data) = self {
            // The prefix, and the fingerprints that are not here.
            prefetch_bytes(data.as_ptr(), 2 * LINE);
        }
        let found = self.candidates(0, hash);
        self.ask_all(view, 0, found.bits);
        self.ask_all(view, GROUP, found.behind);
        found
    }

    /// Asks for the entries of a group's candidates.
    #[inline(always)]
    fn ask_all(&self, view: BlockView<'_>, at: usize, mut bits: u64) {
        let (head, data) = self.parts();
        while bits != 0 {
            let i = at + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if i < usize::from(head.n) {
                ask((head, data), view, i);
            }
        }
    }

    /// As [`Fingerprints::find`], from candidates on that are known already.
    #[inline]
    pub fn find_from<'a>(
        &self,
        mut from: Candidates,
        view: BlockView<'a>,
        hash: u64,
        user_key: &[u8],
        max_trailer: u64,
        mut visit: impl FnMut(u64, &'a [u8]) -> Result<bool>,
    ) -> Result<Found> {
        let (head, data) = self.parts();
        loop {
            while from.bits != 0 {
                let i = (from.at + from.bits.trailing_zeros()) as usize;
                from.bits &= from.bits - 1;
                if i >= head.n.into() {
                    break; // An offset.
                }
                if let Some((t, value)) = entry_if_equal((head, data), view, i, user_key)?
                    && t <= max_trailer
                    && !visit(t, value)?
                {
                    return Ok(Found::Finished);
                }
            }
            if from.behind != 0 {
                let at = from.at + GROUP as u32;
                from = Candidates { at, bits: from.behind, behind: 0, ..from };
            } else if from.next >= head.n.into() {
                return Ok(Found::Finished);
            } else {
                from = self.candidates(from.next as usize, hash);
            }
        }
    }
}

/// Entries of two groups of fingerprints that may be a key's.
#[derive(Clone, Copy, Default)]
pub struct Candidates {
    /// The first entry of the first group.
    at: u32,
    /// The first one that is in neither.
    next: u32,
    /// A bit for each entry of the first group and of the second; one beyond the last fingerprint means nothing.
    bits: u64,
    behind: u64,
}

/// Where entry `i` is.
#[inline]
fn offset((head, data): (Head, &[u8]), i: usize) -> usize {
    if head.size == 1 {
        let lacking = data.get(head.offsets_at() + i).copied().unwrap_or_default();
        return head.floor(i).wrapping_add(lacking.into());
    }
    let bytes = data.get(head.offsets_at() + 2 * i..).and_then(|b| b.first_chunk::<2>());
    u16::from_le_bytes(bytes.copied().unwrap_or_default()).into()
}

/// Asks for all of entry `i` at once: where its value is, only its first line tells, and the value's lines
/// would be waited for after that one. The number of lines is guessed for short entries: a loop that
/// ends after two or three is mispredicted too often.
#[inline(always)]
fn ask((head, data): (Head, &[u8]), view: BlockView<'_>, i: usize) {
    let start = if head.apart > 0 && head.size == 1 {
        // The offset has to come from memory: ask for it and, as far as the line knows, for the entry.
        prefetch(data.as_ptr().wrapping_add(head.offsets_at() + i));
        head.floor(i)
    } else {
        offset((head, data), i)
    };
    let len = match head.size {
        1 => head.rise(),
        // Of the last entry this reads a middle: as good as any number that is too small or too large.
        _ => offset((head, data), i + 1).saturating_sub(start),
    };
    let first = view.entries().as_ptr().wrapping_add(start);
    prefetch_bytes(first, ASK_MIN);
    if len > ASK_MIN {
        prefetch_bytes(first.wrapping_add(ASK_MIN), len.min(ASK_MAX) - ASK_MIN);
    }
}

/// Trailer and value of entry `i` if its user key is this one.
#[inline]
fn entry_if_equal<'a>(
    parts: (Head, &[u8]),
    view: BlockView<'a>,
    i: usize,
    user_key: &[u8],
) -> Result<Option<(u64, &'a [u8])>> {
    let entry = view.entry(offset(parts, i))?;
    let Some((end, t)) = view.slice(entry.suffix, entry.value).split_last_chunk::<TRAILER_SIZE>()
    else {
        return Ok(None);
    };
    let equal = entry.shared + end.len() == user_key.len()
        && short::ends_with(user_key, end)
        && begins(parts, user_key, i, entry.shared);
    if !equal {
        return Ok(None);
    }
    Ok(Some((u64::from_le_bytes(*t), view.slice(entry.value, entry.end))))
}

/// Whether the first `shared` bytes of entry `i`'s key are those of `user_key`.
#[inline]
fn begins((head, data): (Head, &[u8]), user_key: &[u8], i: usize, shared: usize) -> bool {
    let prefix = data.get(..head.prefix.into()).unwrap_or_default();
    let common = shared.min(prefix.len());
    let rest = prefix.get(..common).and_then(|start| short::strip_prefix(user_key, start));
    let Some(rest) = rest.and_then(|rest| rest.get(..shared - common)) else { return false };
    if rest.is_empty() {
        return true;
    }
    let middle = if head.split == 0 { i } else { usize::from(i >= head.split.into()) };
    let start = head.middles_at() + middle * usize::from(head.width);
    data.get(start..start + rest.len()).is_some_and(|middle| short::equal(rest, middle))
}

/// The candidates of the first group and of the second, as far as there are so many fingerprints.
#[inline]
fn candidates_of_two(fingerprints: &[u8], fingerprint: u8) -> (u64, u64) {
    match fingerprints.split_at_checked(GROUP) {
        Some((group, rest)) => (
            candidates(group, fingerprint),
            candidates(rest.get(..GROUP).unwrap_or(rest), fingerprint),
        ),
        None => (candidates(fingerprints, fingerprint), 0),
    }
}

/// A bit for each of at most [`GROUP`] fingerprints that are equal to `fingerprint`, in their order.
#[inline]
fn candidates(fingerprints: &[u8], fingerprint: u8) -> u64 {
    let (pairs, rest) = fingerprints.as_chunks::<{ 2 * LANES }>();
    let mut bits = 0;
    for (at, pair) in pairs.iter().enumerate() {
        bits |= equal_in(*pair, fingerprint) << (2 * LANES * at);
    }
    let Some(word) = rest.first_chunk::<LANES>() else { return bits };
    let mut pair = [0; 2 * LANES];
    pair[..LANES].copy_from_slice(word);
    bits | (equal_in(pair, fingerprint) & 0xFF) << (2 * LANES * pairs.len())
}

/// A bit for each fingerprint of two words that is equal to `fingerprint`.
#[inline]
fn equal_in(pair: [u8; 2 * LANES], fingerprint: u8) -> u64 {
    u8x16::new(pair).simd_eq(u8x16::splat(fingerprint)).to_bitmask().into()
}

#[cfg(test)]
#[path = "fingerprints_test.rs"]
mod tests;
