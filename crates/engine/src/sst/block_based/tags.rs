//! Tags: a small table in memory beside a block that leads a point lookup straight to its entry.
//!
//! Per entry: one byte of the user key's hash, where the entry is, and the *middle* of its key. A
//! delta-coded entry holds only the end of its key. The beginning that all keys of the block share
//! is kept once; the middle is what lies between. So a lookup compares tags and then, nearly always,
//! one whole key, and touches no other entry.
//!
//! The tags are compared eight at a time and give one word with a bit per candidate, without a branch
//! on what was read. A branch would be guessed wrong nearly always, and the guess would be settled
//! only when the table has come from memory: nothing of the next lookup could start before.
//!
//! ```text
//! table = tag u8 * n, offset u16 * n, middle [u8; width] * n, prefix
//! ```
//! The last word of tags runs into the offsets; what looks like a candidate there is none.
//!
//! The table lies inside the block's own object while it is small, so that a lookup waits for two
//! memory accesses, the object and the entry, and not for three. Of a larger one the object has as many
//! tags as fit, and the heap what follows: the place is there anyway, and a lookup compares tags while it
//! waits for the rest. It is as small as it is because every cached block pays for it, looked up or not:
//! two bytes of hash would save one false candidate in fifteen lookups and cost a hundredth of the cache.
//!
//! Only blocks that this suits get tags (**G1** every key's trailer lies in its own entry), and
//! only tables in bytewise order whose user keys do not span blocks use them.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::{BlockView, Found};
use super::cursor::Cursor;
use crate::base::hash::hash64;
use crate::base::key::TRAILER_SIZE;
use crate::base::prefetch::{LINE, prefetch_bytes};
use crate::error::Result;
use std::ops::Range;

/// How many tags one word holds.
const LANES: usize = 8;
/// How many tags give one word of candidates.
const GROUP: usize = 64;

/// The widest middle that is worth keeping.
const WIDTH_MAX: usize = 32;

/// So much of an entry is asked for at least and at most. What lies behind, the processor guesses.
const ASK_MIN: usize = 3 * LINE;
const ASK_MAX: usize = 10 * LINE;

/// How many bytes lie inside the object: enough for a block of 4 KiB with values of 100 bytes.
const INLINE: usize = 136;

/// How many tags lie inside the object of a block whose table is larger: what a box leaves, in whole words.
const FIRST: usize = INLINE - size_of::<Box<[u8]>>();

/// The tags of one block. What all of them have is inside the variants, since it takes no room
/// there.
pub enum Tags {
    /// The table is small enough to lie in the block's object.
    Inline(Head, [u8; INLINE]),
    /// The first tags, and memory of its own for the rest of the table.
    Heap(Head, [u8; FIRST], Box<[u8]>),
}

/// Where the parts of the data are: all of a small table, of a larger one what is behind the first tags.
/// Positions fit 16 bits: the table is smaller than its block's entries.
#[derive(Clone, Copy)]
pub struct Head {
    n: u16,
    /// Of the data.
    len: u16,
    width: u8,
    /// How many tags are not in the data.
    apart: u8,
}

impl Head {
    #[inline]
    fn offsets_at(self) -> usize {
        usize::from(self.n) - usize::from(self.apart)
    }

    #[inline]
    fn middles_at(self) -> usize {
        self.offsets_at() + 2 * usize::from(self.n)
    }

    #[inline]
    fn prefix_at(self) -> usize {
        self.middles_at() + usize::from(self.width) * usize::from(self.n)
    }

    /// The bytes of the data that are looked at for tags: whole words.
    #[inline]
    fn words(self) -> usize {
        self.offsets_at().next_multiple_of(LANES)
    }
}

/// What is collected about one entry while building.
struct Item {
    tag: u8,
    offset: u16,
    shared: usize,
    /// Where the user key is among all of them.
    user_key: Range<usize>,
}

/// The byte of a user key's hash that is its tag. The Bloom filter uses mostly the other bytes.
#[inline]
fn tag_of(hash: u64) -> u8 {
    hash as u8
}

/// The high bit of every byte of `word` that is equal to `tag`, and nothing else.
#[inline]
fn equal_bytes(word: u64, tag: u8) -> u64 {
    const LOW_SEVEN: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let x = word ^ (u64::from(tag) * 0x0101_0101_0101_0101);
    !(((x & LOW_SEVEN) + LOW_SEVEN) | x | LOW_SEVEN)
}

/// The high bits of the bytes of a word as one byte.
#[inline]
fn gather(high_bits: u64) -> u64 {
    (high_bits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

impl Tags {
    /// The tags of a block; `None` if it does not suit them.
    pub fn build(view: BlockView<'_>) -> Option<Tags> {
        let (items, keys) = collect(view)?;
        let key_of = |item: &Item| keys.get(item.user_key.clone()).unwrap_or_default();
        let first = key_of(items.first()?);
        let prefix_len = items.iter().fold(first.len(), |len, item| {
            let common = first.iter().zip(key_of(item)).take_while(|(a, b)| a == b);
            len.min(common.count())
        });
        let width = items.iter().map(|i| i.shared.saturating_sub(prefix_len)).max()?;
        if width > WIDTH_MAX {
            return None;
        }
        let n = items.len();
        let len = 3 * n + width * n + prefix_len;
        if len > view.entries().len() / 2 {
            return None;
        }
        let mut data: Vec<u8> = Vec::with_capacity(len);
        data.extend(items.iter().map(|i| i.tag));
        data.extend(items.iter().flat_map(|i| i.offset.to_le_bytes()));
        for item in &items {
            let middle = key_of(item).get(prefix_len..item.shared.max(prefix_len))?;
            data.extend_from_slice(middle);
            data.resize(data.len() + width - middle.len(), 0);
        }
        data.extend_from_slice(first.get(..prefix_len)?);
        let n = u16::try_from(n).ok()?;
        let head = Head { n, len: u16::try_from(len).ok()?, width: width as u8, apart: 0 };
        let mut inline = [0; INLINE];
        if let Some(place) = inline.get_mut(..len) {
            place.copy_from_slice(&data);
            return Some(Tags::Inline(head, inline));
        }
        Tags::build_large(head, &data)
    }

    fn build_large(head: Head, table: &[u8]) -> Option<Tags> {
        let apart = usize::from(head.n).min(FIRST);
        let (tags, data) = table.split_at_checked(apart)?;
        let len = u16::try_from(data.len()).ok()?;
        let head = Head { len, apart: apart as u8, ..head };
        let mut first = [0; FIRST];
        first.get_mut(..apart)?.copy_from_slice(tags);
        let mut data = data.to_vec();
        data.resize(data.len().max(head.words()), 0);
        Some(Tags::Heap(head, first, data.into_boxed_slice()))
    }

    /// Bytes of memory besides the block's object.
    pub fn memory_usage(&self) -> usize {
        match self {
            Tags::Inline(..) => 0,
            Tags::Heap(_, _, data) => data.len(),
        }
    }

    #[inline]
    fn parts(&self) -> (Head, &[u8]) {
        match self {
            Tags::Inline(head, data) => (*head, data),
            Tags::Heap(head, _, data) => (*head, data),
        }
    }

    /// As [`BlockView::find`], for a block of a table that suits tags. `hash` is the user key's.
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

    /// The candidates for a user key in a group of tags.
    #[inline]
    fn candidates(&self, group: usize, hash: u64) -> Candidates {
        let (head, data) = self.parts();
        let tags = data.get(..head.words()).unwrap_or_default();
        let (at, tag) = (GROUP * group, tag_of(hash));
        let bits = match self {
            Tags::Inline(..) => candidates(group_from(tags, at, GROUP), tag),
            Tags::Heap(_, first, _) => {
                let near = group_from(first, at, GROUP);
                let far = group_from(tags, at.saturating_sub(FIRST), GROUP - near.len());
                let behind = candidates(far, tag).checked_shl(near.len() as u32);
                candidates(near, tag) | behind.unwrap_or_default()
            }
        };
        Candidates { group, bits }
    }

    /// The first candidates for a user key. Asks for their entries.
    #[inline(always)]
    pub fn ask_candidates(&self, view: BlockView<'_>, hash: u64) -> Candidates {
        let (head, data) = self.parts();
        let found = self.candidates(0, hash);
        let mut bits = found.bits;
        while bits != 0 {
            let i = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if i < usize::from(head.n) {
                ask((head, data), view, i);
            }
        }
        found
    }

    /// As [`Tags::find`], from candidates on that are known already.
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
                let i = from.group * GROUP + from.bits.trailing_zeros() as usize;
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
            if (from.group + 1) * GROUP >= head.n.into() {
                return Ok(Found::Finished);
            }
            from = self.candidates(from.group + 1, hash);
        }
    }
}

/// Entries of one group of tags that may be a key's.
#[derive(Clone, Copy, Default)]
pub struct Candidates {
    group: usize,
    /// A bit for each; one beyond the last tag means nothing.
    bits: u64,
}

/// Where entry `i` is.
#[inline]
fn offset((head, data): (Head, &[u8]), i: usize) -> usize {
    let bytes = data.get(head.offsets_at() + 2 * i..).and_then(|b| b.first_chunk::<2>());
    u16::from_le_bytes(bytes.copied().unwrap_or_default()).into()
}

/// Asks for all of entry `i` at once: where its value is, only its first line tells, and the value's lines
/// would be waited for after that one. The number of lines is guessed for short entries: a loop that
/// ends after two or three is mispredicted too often.
#[inline(always)]
fn ask((head, data): (Head, &[u8]), view: BlockView<'_>, i: usize) {
    let start = offset((head, data), i);
    let first = view.entries().as_ptr().wrapping_add(start);
    prefetch_bytes(first, ASK_MIN);
    // Of the last entry this reads a middle: as good as any number that is too small or too large.
    let len = offset((head, data), i + 1).saturating_sub(start);
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
        && user_key.ends_with(end)
        && begins(parts, user_key, i, entry.shared);
    if !equal {
        return Ok(None);
    }
    Ok(Some((u64::from_le_bytes(*t), view.slice(entry.value, entry.end))))
}

/// Whether the first `shared` bytes of entry `i`'s key are those of `user_key`.
#[inline]
fn begins((head, data): (Head, &[u8]), user_key: &[u8], i: usize, shared: usize) -> bool {
    let prefix = data.get(head.prefix_at()..head.len.into()).unwrap_or_default();
    let common = shared.min(prefix.len());
    if user_key.get(..common) != prefix.get(..common) {
        return false;
    }
    let start = head.middles_at() + i * usize::from(head.width);
    user_key.get(common..shared) == data.get(start..start + shared - common)
}

/// The tags from this one on, `len` at most.
#[inline]
fn group_from(tags: &[u8], at: usize, len: usize) -> &[u8] {
    let tags = tags.get(at..).unwrap_or_default();
    tags.get(..len).unwrap_or(tags)
}

/// A bit for each of at most [`GROUP`] tags that are equal to `tag`, in their order.
#[inline]
fn candidates(tags: &[u8], tag: u8) -> u64 {
    let words = tags.as_chunks::<LANES>().0.iter().enumerate();
    words.fold(0, |bits, (at, word)| {
        bits | gather(equal_bytes(u64::from_le_bytes(*word), tag)) << (LANES * at)
    })
}

/// Every entry of the block and all user keys; `None` if it does not suit tags.
fn collect(view: BlockView<'_>) -> Option<(Vec<Item>, Vec<u8>)> {
    if view.entries().len() > usize::from(u16::MAX) {
        return None;
    }
    let (mut items, mut keys) = (Vec::new(), Vec::new());
    let mut cursor = Cursor::default();
    cursor.rewind_to_start();
    while cursor.next(&view).ok()? {
        let (user_key, _) = cursor.key().split_last_chunk::<TRAILER_SIZE>()?;
        let shared = cursor.shared(&view)?;
        if shared > user_key.len() {
            return None;
        }
        let tag = tag_of(hash64(user_key));
        let offset = u16::try_from(cursor.offset()).ok()?;
        items.push(Item { tag, offset, shared, user_key: keys.len()..keys.len() + user_key.len() });
        keys.extend_from_slice(user_key);
    }
    Some((items, keys))
}

#[cfg(test)]
#[path = "tags_test.rs"]
mod tests;
