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
//! data = tag u8 * n padded to 8, offset u16 * n, middle [u8; width] * n, prefix
//! ```
//! The table lies inside the block's own object while it is small, so that a lookup waits for two
//! memory accesses, the object and the entry, and not for three. It is as small as it is because
//! every cached block pays for it, looked up or not: two bytes of hash would save one false candidate
//! in fifteen lookups and cost a hundredth of the cache.
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

/// How many tags one word holds.
const LANES: usize = 8;
/// How many tags give one word of candidates.
const GROUP: usize = 64;

/// The widest middle that is worth keeping.
const WIDTH_MAX: usize = 32;

/// How many bytes lie inside the object: enough for a block of 4 KiB with values of 100 bytes.
const INLINE: usize = 144;

/// The tags of one block. Positions fit 16 bits: the table is smaller than its block's entries.
pub struct Tags {
    data: Data,
    n: u16,
    middles_at: u16,
    prefix_at: u16,
    len: u16,
    width: u8,
}

enum Data {
    Inline([u8; INLINE]),
    Heap(Box<[u8]>),
}

/// What is collected about one entry while building.
struct Item {
    tag: u8,
    offset: u16,
    shared: usize,
    user_key: Vec<u8>,
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
        let items = collect(view)?;
        let first = items.first()?;
        let prefix_len = items.iter().fold(first.user_key.len(), |len, item| {
            let common = first.user_key.iter().zip(&item.user_key).take_while(|(a, b)| a == b);
            len.min(common.count())
        });
        let width = items.iter().map(|i| i.shared.saturating_sub(prefix_len)).max()?;
        if width > WIDTH_MAX {
            return None;
        }
        let n = items.len();
        let offsets_at = n.next_multiple_of(LANES);
        let middles_at = offsets_at + 2 * n;
        let prefix_at = middles_at + width * n;
        let len = prefix_at + prefix_len;
        if len > view.entries().len() / 2 {
            return None;
        }
        let mut data: Vec<u8> = Vec::with_capacity(len);
        data.extend(items.iter().map(|i| i.tag));
        data.resize(offsets_at, 0);
        data.extend(items.iter().flat_map(|i| i.offset.to_le_bytes()));
        for (i, item) in items.iter().enumerate() {
            let middle = item.user_key.get(prefix_len..item.shared.max(prefix_len))?;
            data.extend_from_slice(middle);
            data.resize(middles_at + width * (i + 1), 0);
        }
        data.extend_from_slice(first.user_key.get(..prefix_len)?);
        let mut inline = [0; INLINE];
        let data = match inline.get_mut(..len) {
            Some(place) => {
                place.copy_from_slice(&data);
                Data::Inline(inline)
            }
            None => Data::Heap(data.into_boxed_slice()),
        };
        Some(Tags {
            data,
            n: u16::try_from(n).ok()?,
            middles_at: u16::try_from(middles_at).ok()?,
            prefix_at: u16::try_from(prefix_at).ok()?,
            len: u16::try_from(len).ok()?,
            width: width as u8,
        })
    }

    /// Bytes of memory besides the block's object.
    pub fn memory_usage(&self) -> usize {
        match &self.data {
            Data::Inline(_) => 0,
            Data::Heap(data) => data.len(),
        }
    }

    #[inline]
    fn data(&self) -> &[u8] {
        match &self.data {
            Data::Inline(data) => data,
            Data::Heap(data) => data,
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
        mut visit: impl FnMut(u64, &'a [u8]) -> Result<bool>,
    ) -> Result<Found> {
        let tags = self.data().get(..self.offsets_at()).unwrap_or_default();
        for (group, tags) in tags.chunks(GROUP).enumerate() {
            let mut candidates = candidates(tags, tag_of(hash));
            while candidates != 0 {
                let i = group * GROUP + candidates.trailing_zeros() as usize;
                candidates &= candidates - 1;
                if i >= self.n.into() {
                    break; // Padding.
                }
                if let Some((t, value)) = self.entry_if_equal(view, i, user_key)?
                    && t <= max_trailer
                    && !visit(t, value)?
                {
                    return Ok(Found::Finished);
                }
            }
        }
        Ok(Found::Finished)
    }

    /// Asks for the entry that is looked at first, if there is one.
    #[inline]
    pub fn walk_ahead(&self, view: BlockView<'_>, hash: u64) {
        let tags = self.data().get(..self.offsets_at().min(GROUP)).unwrap_or_default();
        let i = candidates(tags, tag_of(hash)).trailing_zeros() as usize;
        if i < usize::from(self.n).min(GROUP) {
            let entry = view.entries().as_ptr().wrapping_add(self.offset(i));
            prefetch_bytes(entry, 3 * LINE);
        }
    }

    #[inline]
    fn offset(&self, i: usize) -> usize {
        let bytes = self.data().get(self.offsets_at() + 2 * i..).and_then(|b| b.first_chunk::<2>());
        u16::from_le_bytes(bytes.copied().unwrap_or_default()).into()
    }

    #[inline]
    fn offsets_at(&self) -> usize {
        usize::from(self.n).next_multiple_of(LANES)
    }

    /// Trailer and value of entry `i` if its user key is this one.
    #[inline]
    fn entry_if_equal<'a>(
        &self,
        view: BlockView<'a>,
        i: usize,
        user_key: &[u8],
    ) -> Result<Option<(u64, &'a [u8])>> {
        let entry = view.entry(self.offset(i))?;
        let Some((end, t)) =
            view.slice(entry.suffix, entry.value).split_last_chunk::<TRAILER_SIZE>()
        else {
            return Ok(None);
        };
        let equal = entry.shared + end.len() == user_key.len()
            && user_key.ends_with(end)
            && self.begins(user_key, i, entry.shared);
        if !equal {
            return Ok(None);
        }
        Ok(Some((u64::from_le_bytes(*t), view.slice(entry.value, entry.end))))
    }

    /// Whether the first `shared` bytes of entry `i`'s key are those of `user_key`.
    #[inline]
    fn begins(&self, user_key: &[u8], i: usize, shared: usize) -> bool {
        let prefix = self.data().get(self.prefix_at.into()..self.len.into()).unwrap_or_default();
        let common = shared.min(prefix.len());
        if user_key.get(..common) != prefix.get(..common) {
            return false;
        }
        let start = usize::from(self.middles_at) + i * usize::from(self.width);
        user_key.get(common..shared) == self.data().get(start..start + shared - common)
    }
}

/// A bit for each of at most [`GROUP`] tags that are equal to `tag`, in their order.
#[inline]
fn candidates(tags: &[u8], tag: u8) -> u64 {
    let words = tags.as_chunks::<LANES>().0.iter().enumerate();
    words.fold(0, |bits, (at, word)| {
        bits | gather(equal_bytes(u64::from_le_bytes(*word), tag)) << (LANES * at)
    })
}

/// Every entry of the block; `None` if it has none or does not suit tags.
fn collect(view: BlockView<'_>) -> Option<Vec<Item>> {
    if view.entries().len() > usize::from(u16::MAX) {
        return None;
    }
    let mut items = Vec::new();
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
        items.push(Item { tag, offset, shared, user_key: user_key.to_vec() });
    }
    Some(items)
}

#[cfg(test)]
#[path = "tags_test.rs"]
mod tests;
