//! Fingerprints: a small in-memory table beside a block that leads a point lookup directly to its entry.
//!
//! The table has for each entry one byte of the user key's hash, the entry's offset, and the *middle* of its key. A
//! delta-coded entry contains only the end of its key. The beginning that all keys of the block share is stored once;
//! the middle is the part in between. So a lookup compares fingerprints and then, nearly always, one whole key, and
//! reads no other entry.
//!
//! The fingerprints are compared sixteen at a time, which produces words with one bit per candidate, without a branch
//! on the loaded bytes. Such a branch would nearly always be mispredicted and resolved only after the table has arrived
//! from memory; no part of the next lookup could start before.
//!
//! ```text
//! table   = prefix, fingerprint u8 * n, offset * n, middles
//! offset  = u8, what a straight line through the block lacks, or u16 where one byte is not enough
//! middles = [u8; width] * 2, before and from an entry on, or * n where they change more than once
//! ```
//! The last word of fingerprints extends into the offsets; matches there are ignored.
//!
//! A small table is stored inside the block's object, so that a lookup waits for two memory accesses, the object and
//! the entry, instead of three. Of a larger table, the object contains as many fingerprints as fit into the same space,
//! and the heap contains the prefix and the rest. The linear fit of the offsets is accurate enough to prefetch an entry
//! together with its offset, so these lookups also wait only twice.
//!
//! The table is kept small because every cached block pays for it, even one without lookups: two bytes of hash would
//! save one false candidate in fifteen lookups and cost a hundredth of the cache.
//!
//! Only suitable blocks get fingerprints (**G1** every key's trailer is inside its own entry), and only tables in
//! bytewise order whose user keys do not span blocks use them.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::view::{BlockView, Found};
use crate::base::key::TRAILER_SIZE;
use crate::base::prefetch::{LINE, prefetch, prefetch_bytes};
use crate::base::short;
use crate::cache::Memory;
use crate::error::Result;
use wide::u8x16;

/// The number of fingerprints in one word.
const LANES: usize = 8;
/// The number of fingerprints that produce one word of candidates.
const GROUP: usize = 64;

/// The minimum and maximum number of bytes of an entry to prefetch. The hardware prefetcher covers
/// the bytes after these.
const ASK_MIN: usize = 3 * LINE;
const ASK_MAX: usize = 10 * LINE;

/// The number of bytes inside the object: enough for a block of 4 KiB with values of 100 bytes.
pub(super) const INLINE: usize = 136;

/// The number of fingerprints inside the object of a block with a larger table: the space besides the address of the
/// rest, in whole words.
pub(super) const FIRST: usize = INLINE - size_of::<Memory>();

/// The number of fractional bits of a slope.
pub(super) const FRACTION: u32 = 4;

/// The fingerprints of one block. The common fields are inside the variants, where they take no extra memory.
pub enum Fingerprints {
    /// The whole table, which is small enough for the block's object.
    Inline(Head, [u8; INLINE]),
    /// The first fingerprints, and separate memory for the rest of the table.
    Heap(Head, [u8; FIRST], Memory),
}

/// The layout of the data: the whole of a small table, or a larger table without its first fingerprints. Positions fit
/// 16 bits, since the table is smaller than its block's entries.
#[derive(Clone, Copy)]
pub struct Head {
    /// The number of entries.
    pub(super) n: u16,
    /// The length of the prefix.
    pub(super) prefix: u16,
    /// The slope of the linear fit per entry, with [`FRACTION`] fractional bits; 0 without a fit.
    pub(super) slope: u16,
    /// The first entry with the second of two middles; 0 if each entry has its own.
    pub(super) split: u16,
    /// The maximum distance of the fit above the offsets.
    pub(super) bias: u8,
    /// The size of an offset: 1 or 2 bytes.
    pub(super) size: u8,
    /// The width of a middle in bytes.
    pub(super) width: u8,
    /// The number of fingerprints that are not in the data.
    pub(super) apart: u8,
}

impl Head {
    /// The bytes of the data that are compared as fingerprints: whole words.
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

    /// The minimum length of the data, so that all words of fingerprints are inside.
    pub(super) fn room(self, len: usize) -> usize {
        let fingerprints = self.offsets_at() - usize::from(self.prefix);
        len.max(usize::from(self.prefix) + fingerprints.next_multiple_of(LANES))
    }

    /// The smallest possible offset of entry `i`, if offsets have one byte.
    #[inline]
    fn floor(self, i: usize) -> usize {
        line(self.slope, i).wrapping_sub(self.bias.into())
    }

    /// The average length of entries.
    #[inline]
    fn rise(self) -> usize {
        line(self.slope, 1)
    }
}

/// The value of a fit with this slope at entry `i`.
#[inline]
pub(super) fn line(slope: u16, i: usize) -> usize {
    (i * usize::from(slope)) >> FRACTION
}

/// The byte of a user key's hash that is its fingerprint. The Bloom filter mostly uses the other bytes.
#[inline]
pub(super) fn tag_of(hash: u64) -> u8 {
    hash as u8
}

impl Fingerprints {
    /// The memory besides the block's object, in bytes.
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

    /// Like [`BlockView::find`], for a block of a table that suits fingerprints. `hash` is the user key's hash.
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

    /// The candidates for a user key in the two groups of fingerprints that begin at `at`.
    #[inline]
    fn candidates(&self, at: usize, hash: u64) -> Candidates {
        let fingerprint = tag_of(hash);
        if let Fingerprints::Inline(head, data) = self
            && head.n <= GROUP as u16
            && let Some(group) =
                data.get(head.prefix.into()..).and_then(|d| d.first_chunk::<GROUP>())
        {
            // The case of nearly every block: compares the maximum number of words, regardless of the number of
            // fingerprints.
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

    /// The first candidates for a user key. Prefetches their entries.
    #[inline(always)]
    pub fn ask_candidates(&self, view: BlockView<'_>, hash: u64) -> Candidates {
        if let Fingerprints::Heap(_, _, data) = self {
            // The prefix, and the fingerprints outside the object.
            prefetch_bytes(data.as_ptr(), 2 * LINE);
        }
        let found = self.candidates(0, hash);
        self.ask_all(view, 0, found.bits);
        self.ask_all(view, GROUP, found.behind);
        found
    }

    /// Prefetches the entries of a group's candidates.
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

    /// Like [`Fingerprints::find`], but starts with known candidates.
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
                    break; // A match in the offsets.
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

/// Entries in two groups of fingerprints that may have the key.
#[derive(Clone, Copy, Default)]
pub struct Candidates {
    /// The first entry of the first group.
    at: u32,
    /// The first entry after the two groups.
    next: u32,
    /// One bit for each entry of the first group, then of the second; bits beyond the last fingerprint are meaningless.
    bits: u64,
    behind: u64,
}

/// The offset of entry `i`.
#[inline]
fn offset((head, data): (Head, &[u8]), i: usize) -> usize {
    if head.size == 1 {
        let lacking = data.get(head.offsets_at() + i).copied().unwrap_or_default();
        return head.floor(i).wrapping_add(lacking.into());
    }
    let bytes = data.get(head.offsets_at() + 2 * i..).and_then(|b| b.first_chunk::<2>());
    u16::from_le_bytes(bytes.copied().unwrap_or_default()).into()
}

/// Prefetches the whole entry `i` at once: only its first line shows where its value is, so the value's lines would be
/// waited for after that one. Short entries prefetch a fixed number of lines, since a loop that ends after two or three
/// iterations is mispredicted too often.
#[inline(always)]
fn ask((head, data): (Head, &[u8]), view: BlockView<'_>, i: usize) {
    let start = if head.apart > 0 && head.size == 1 {
        // The offset must be loaded from memory: prefetch it and, at the position predicted by the fit, the entry.
        prefetch(data.as_ptr().wrapping_add(head.offsets_at() + i));
        head.floor(i)
    } else {
        offset((head, data), i)
    };
    let len = match head.size {
        1 => head.rise(),
        // For the last entry this reads a middle, which is as good as any number that is too small or too large.
        _ => offset((head, data), i + 1).saturating_sub(start),
    };
    let first = view.entries().as_ptr().wrapping_add(start);
    prefetch_bytes(first, ASK_MIN);
    if len > ASK_MIN {
        prefetch_bytes(first.wrapping_add(ASK_MIN), len.min(ASK_MAX) - ASK_MIN);
    }
}

/// The trailer and value of entry `i` if its user key is `user_key`.
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

/// Whether the first `shared` bytes of entry `i`'s key equal those of `user_key`.
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

/// The candidates of the first group and of the second, if there are that many fingerprints.
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

/// One bit for each of at most [`GROUP`] fingerprints that equals `fingerprint`, in order.
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

/// One bit for each fingerprint of two words that equals `fingerprint`.
#[inline]
fn equal_in(pair: [u8; 2 * LANES], fingerprint: u8) -> u64 {
    u8x16::new(pair).simd_eq(u8x16::splat(fingerprint)).to_bitmask().into()
}

#[cfg(test)]
#[path = "fingerprints_test.rs"]
mod tests;
