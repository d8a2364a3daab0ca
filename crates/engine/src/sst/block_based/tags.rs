//! Tags: a small table in memory beside a block that leads a point lookup straight to its entry.
//!
//! Per entry: two bytes of the user key's hash, where the entry is, and the *middle* of its key. A
//! delta-coded entry holds only the end of its key. The beginning that all keys of the block share
//! is kept once; the middle is what lies between. So a lookup compares tags and then one whole key,
//! and touches no other entry.
//!
//! The first equal tag is found without a branch on what was read. A branch would be guessed wrong
//! nearly always, and the guess would be settled only when the table has come from memory: nothing
//! of the next lookup could start before. Two bytes make a false match rare for the same reason.
//!
//! ```text
//! data = tag u16 * n padded to 8, offset u16 * n, middle [u8; width] * n, prefix
//! ```
//! The table lies inside the block's own object while it is small, so that a lookup waits for two
//! memory accesses, the object and the entry, and not for three.
//!
//! Only blocks that this suits get tags (**G1** every key's trailer lies in its own entry), and
//! only tables in bytewise order whose user keys do not span blocks use them.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::{BlockView, Found};
use super::cursor::Cursor;
use crate::base::hash::hash64;
use crate::base::key::TRAILER_SIZE;
use crate::error::Result;

/// How many tags are compared at once.
const LANES: usize = 8;

/// The widest middle that is worth keeping.
const WIDTH_MAX: usize = 32;

/// How many bytes lie inside the object: enough for a block of 4 KiB with values of 100 bytes.
const INLINE: usize = 216;

/// The tags of one block.
pub struct Tags {
    inline: [u8; INLINE],
    heap: Box<[u8]>,
    len: u32,
    n: u16,
    offsets_at: u16,
    middles_at: u32,
    prefix_at: u32,
    width: u8,
}

/// What is collected about one entry while building.
struct Item {
    tag: i16,
    offset: u16,
    shared: usize,
    user_key: Vec<u8>,
}

/// The bytes of a user key's hash that are its tag. The Bloom filter uses mostly the other bytes.
#[inline]
fn tag_of(hash: u64) -> i16 {
    hash as i16
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
        let offsets_at = 2 * n.next_multiple_of(LANES);
        let middles_at = offsets_at + 2 * n;
        let prefix_at = middles_at + width * n;
        if prefix_at + prefix_len > view.entries().len() / 2 {
            return None;
        }
        let mut data: Vec<u8> = Vec::with_capacity(prefix_at + prefix_len);
        data.extend(items.iter().flat_map(|i| i.tag.to_le_bytes()));
        data.resize(offsets_at, 0);
        data.extend(items.iter().flat_map(|i| i.offset.to_le_bytes()));
        for (i, item) in items.iter().enumerate() {
            let middle = item.user_key.get(prefix_len..item.shared.max(prefix_len))?;
            data.extend_from_slice(middle);
            data.resize(middles_at + width * (i + 1), 0);
        }
        data.extend_from_slice(first.user_key.get(..prefix_len)?);
        let mut inline = [0; INLINE];
        let heap = match inline.get_mut(..data.len()) {
            Some(place) => {
                place.copy_from_slice(&data);
                Box::default()
            }
            None => data.clone().into_boxed_slice(),
        };
        Some(Tags {
            inline,
            heap,
            len: data.len() as u32,
            n: u16::try_from(n).ok()?,
            offsets_at: u16::try_from(offsets_at).ok()?,
            middles_at: middles_at as u32,
            prefix_at: prefix_at as u32,
            width: width as u8,
        })
    }

    /// Bytes of memory besides the block's object.
    pub fn memory_usage(&self) -> usize {
        self.heap.len()
    }

    #[inline]
    fn data(&self) -> &[u8] {
        self.inline.get(..self.len as usize).unwrap_or(&self.heap)
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
        let mut i = self.first(tag_of(hash));
        while i < usize::from(self.n) {
            if let Some((t, value)) = self.entry_if_equal(view, i, user_key)?
                && t <= max_trailer
                && !visit(t, value)?
            {
                break;
            }
            i = self.next(tag_of(hash), i + 1);
        }
        Ok(Found::Finished)
    }

    #[inline]
    fn tags(&self) -> &[u8] {
        self.data().get(..self.offsets_at.into()).unwrap_or_default()
    }

    /// The first entry with this tag; `n` or more if there is none.
    #[inline]
    fn first(&self, tag: i16) -> usize {
        let mut first = [i16::MAX; LANES];
        let mut numbers: [i16; LANES] = [0, 1, 2, 3, 4, 5, 6, 7];
        for chunk in self.tags().as_chunks::<{ 2 * LANES }>().0 {
            let (tags, _) = chunk.as_chunks::<2>();
            for ((bytes, first), number) in tags.iter().zip(&mut first).zip(&mut numbers) {
                let found = if i16::from_le_bytes(*bytes) == tag { *number } else { i16::MAX };
                *first = found.min(*first);
                *number += LANES as i16;
            }
        }
        first.into_iter().fold(i16::MAX, i16::min) as usize
    }

    /// The first entry from `start` on with this tag; `n` or more if there is none.
    #[cold]
    fn next(&self, tag: i16, start: usize) -> usize {
        let (tags, _) = self.tags().as_chunks::<2>();
        let rest = tags.iter().skip(start);
        rest.take_while(|bytes| i16::from_le_bytes(**bytes) != tag).count() + start
    }

    /// Trailer and value of entry `i` if its user key is this one.
    #[inline]
    fn entry_if_equal<'a>(
        &self,
        view: BlockView<'a>,
        i: usize,
        user_key: &[u8],
    ) -> Result<Option<(u64, &'a [u8])>> {
        let offset = self
            .data()
            .get(usize::from(self.offsets_at) + 2 * i..)
            .and_then(|b| b.first_chunk::<2>());
        let entry =
            view.entry(usize::from(u16::from_le_bytes(offset.copied().unwrap_or_default())))?;
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
        let prefix = self.data().get(self.prefix_at as usize..).unwrap_or_default();
        let common = shared.min(prefix.len());
        if user_key.get(..common) != prefix.get(..common) {
            return false;
        }
        let start = self.middles_at as usize + i * usize::from(self.width);
        user_key.get(common..shared) == self.data().get(start..start + shared - common)
    }
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
