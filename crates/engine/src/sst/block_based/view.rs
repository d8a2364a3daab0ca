//! The format of blocks, which are sequences of entries with delta-coded keys, and searches in them.
//!
//! ```text
//! block       = entry*, restart array, [hash index], fixed32 word
//! entry       = varint32 shared, varint32 non_shared, varint32 value_len, key suffix, value
//! restarts    = fixed32 offset of an entry with shared = 0, one per interval
//! hash index  = u8 per bucket, fixed16 number of buckets
//! word        = bits 0-27 number of restarts, 28 keys and values apart, 29 a hint on keys,
//!               31 hash index
//! ```
//! [`BlockView`] borrows a block's bytes and searches them; `cursor` iterates. Entries are checked as they are decoded
//! (**BV1**: every range in an [`Entry`] is inside the entries).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::base::coding::{fixed32_at, get_varint32};
use crate::base::hash::hash32;
use crate::base::key::{TRAILER_SIZE, trailer};
use crate::base::{KeyOrder, ValueType};
use crate::error::{Error, Result};
use std::cmp::Ordering;

const COUNT_MASK: u32 = 0x0FFF_FFFF;
/// Set if keys and values are separate.
pub(super) const SEPARATED_BIT: u32 = 1 << 28;
const RESERVED_BIT: u32 = 1 << 30;
/// Set if a hash index follows the restart array.
pub(super) const HASH_INDEX_BIT: u32 = 1 << 31;
/// The seed of the hash index.
pub(super) const HASH_INDEX_SEED: u32 = 397;
/// A bucket without keys.
pub(super) const EMPTY_BUCKET: u8 = 255;
/// A bucket with keys of several intervals.
pub(super) const COLLISION: u8 = 254;

/// The locations of a block's parts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    /// The offset of the restart array, which is the end of the entries.
    pub(super) restarts: u32,
    pub(super) num_restarts: u32,
    /// 0 without a hash index.
    pub(super) num_buckets: u16,
    pub(super) hashed: bool,
}

impl Layout {
    pub(super) fn parse(bytes: &[u8]) -> Result<Layout> {
        let bad = |what: &str| Error::corruption(format!("block of {} bytes: {what}", bytes.len()));
        let word_at = bytes.len().checked_sub(4).ok_or_else(|| bad("too short"))?;
        let word = fixed32_at(bytes, word_at).unwrap_or_default();
        if word & (RESERVED_BIT | SEPARATED_BIT) != 0 {
            return Err(bad(&format!("unknown bits in its last word {word:#010x}")));
        }
        let num_restarts = (word & COUNT_MASK) as usize;
        let mut end = word_at;
        let mut num_buckets = 0u16;
        if word & HASH_INDEX_BIT != 0 {
            end = end.checked_sub(2).ok_or_else(|| bad("no room for a hash index"))?;
            let count = bytes.get(end..word_at).and_then(|b| <[u8; 2]>::try_from(b).ok());
            num_buckets = u16::from_le_bytes(count.unwrap_or_default());
            end = end.checked_sub(num_buckets.into()).ok_or_else(|| bad("hash index too long"))?;
        }
        let restarts = num_restarts.checked_mul(4).and_then(|n| end.checked_sub(n));
        let restarts =
            restarts.ok_or_else(|| bad(&format!("no room for {num_restarts} restarts")))?;
        let restarts = u32::try_from(restarts).map_err(|_| bad("too long"))?;
        let hashed = word & HASH_INDEX_BIT != 0;
        Ok(Layout { restarts, num_restarts: num_restarts as u32, num_buckets, hashed })
    }

    /// The length of the block.
    pub(super) fn len(&self) -> usize {
        let hash_index = if self.hashed { usize::from(self.num_buckets) + 2 } else { 0 };
        self.restarts as usize + 4 * self.num_restarts as usize + hash_index + 4
    }
}

/// The location of an entry in its block.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The number of key bytes shared with the previous entry.
    pub shared: usize,
    /// The offset of the rest of the key.
    pub suffix: usize,
    /// The offset of the value, which is the end of the rest of the key.
    pub value: usize,
    /// The offset of the end of the value, where the next entry begins.
    pub end: usize,
}

/// Decodes the entry at `at`; `None` if it does not fit into `entries`.
#[inline(always)]
pub(super) fn decode_entry(entries: &[u8], at: usize) -> Option<Entry> {
    let head = entries.get(at..)?;
    let (shared, non_shared, value_len, n) = match *head {
        [a, b, c, ..] if (a | b | c) < 0x80 => (a.into(), b.into(), c.into(), 3),
        _ => decode_long_header(head)?,
    };
    let suffix = at + n;
    let value = suffix + non_shared as usize;
    let end = value + value_len as usize;
    if end > entries.len() {
        return None;
    }
    Some(Entry { shared: shared as usize, suffix, value, end })
}

#[inline]
pub(super) fn decode_long_header(head: &[u8]) -> Option<(u32, u32, u32, usize)> {
    let (shared, a) = get_varint32(head)?;
    let (non_shared, b) = get_varint32(head.get(a..)?)?;
    let (value_len, c) = get_varint32(head.get(a + b..)?)?;
    Some((shared, non_shared, value_len, a + b + c))
}

/// The outcome of a point lookup in one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The visitor needs no more entries, or the lookup reached a larger user key.
    Finished,
    /// The block ended first: the next block may contain more entries of the user key.
    RanOff,
}

/// A borrowed block.
#[derive(Clone, Copy)]
pub struct BlockView<'a> {
    bytes: &'a [u8],
    layout: Layout,
}

impl<'a> BlockView<'a> {
    /// A view of bytes with a known layout.
    #[inline]
    pub(super) fn of(bytes: &'a [u8], layout: Layout) -> BlockView<'a> {
        BlockView { bytes, layout }
    }

    /// Parses a block.
    pub fn new(bytes: &'a [u8]) -> Result<BlockView<'a>> {
        Ok(BlockView { bytes, layout: Layout::parse(bytes)? })
    }

    /// The bytes of the entries.
    #[inline]
    pub fn entries(&self) -> &'a [u8] {
        self.bytes.get(..self.layout.restarts as usize).unwrap_or_default()
    }

    /// The part `from..to` of the entries; empty if it is out of range.
    #[inline]
    pub fn slice(&self, from: usize, to: usize) -> &'a [u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }

    /// The entry at `at`.
    #[inline]
    pub fn entry(&self, at: usize) -> Result<Entry> {
        decode_entry(self.entries(), at).ok_or_else(|| bad_entry(at))
    }

    #[inline]
    pub(super) fn num_restarts(&self) -> usize {
        self.layout.num_restarts as usize
    }

    #[inline]
    pub(super) fn restart(&self, i: usize) -> usize {
        let at = self.layout.restarts as usize + 4 * i;
        fixed32_at(self.bytes, at).map_or(usize::MAX, |v| v as usize)
    }

    /// The whole key at restart `i`.
    #[inline]
    pub(super) fn restart_key(&self, i: usize) -> Result<&'a [u8]> {
        let at = self.restart(i);
        match decode_entry(self.entries(), at) {
            Some(e) if e.shared == 0 => Ok(self.slice(e.suffix, e.value)),
            _ => Err(bad_entry(at)),
        }
    }

    /// The last restart whose key is `Less` than the target, or 0 if there is none. `compare`
    /// returns the order of a key relative to the target.
    #[inline]
    pub(super) fn last_restart_before(&self, compare: impl Fn(&[u8]) -> Ordering) -> Result<usize> {
        let (mut low, mut high) = (0, self.num_restarts().saturating_sub(1));
        while low < high {
            let middle = (low + high).div_ceil(2);
            if compare(self.restart_key(middle)?) == Ordering::Less {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Ok(low)
    }

    /// The interval that the hash index gives for a user key; `None` if it gives none.
    fn hashed_interval(&self, user_key: &[u8]) -> Option<usize> {
        let buckets = usize::from(self.layout.num_buckets);
        if buckets == 0 {
            return None;
        }
        let bucket = hash32(user_key, HASH_INDEX_SEED) as usize % buckets;
        let table = self.layout.restarts as usize + 4 * self.num_restarts();
        match *self.bytes.get(table + bucket)? {
            COLLISION => None,
            // The key may be between the last entry and the separator to the next block, in no
            // interval.
            EMPTY_BUCKET => self.num_restarts().checked_sub(1),
            i if usize::from(i) < self.num_restarts() => Some(i.into()),
            _ => None,
        }
    }

    /// Visits the entries of `user_key` whose trailer is at most `max_trailer`, newest first, until
    /// the visitor returns false. Allocates nothing for keys up to 256 bytes.
    pub fn find(
        &self,
        order: &KeyOrder,
        user_key: &[u8],
        max_trailer: u64,
        mut visit: impl FnMut(u64, &'a [u8]) -> Result<bool>,
    ) -> Result<Found> {
        if self.layout.num_restarts == 0 {
            return Ok(Found::RanOff);
        }
        let compare = |key: &[u8]| compare_to(order, key, user_key, max_trailer);
        let interval = match self.hashed_interval(user_key) {
            Some(i) if order.is_bytewise() => i,
            _ => self.last_restart_before(compare)?,
        };
        let mut key = KeyBuffer::new();
        let mut at = self.restart(interval);
        let entries = self.entries();
        while at < entries.len() {
            let entry = self.entry(at)?;
            key.put_together(entry.shared, self.slice(entry.suffix, entry.value), at)?;
            at = entry.end;
            let (user, t) = split(key.bytes(), at)?;
            match order.compare_user(user, user_key) {
                Ordering::Less => {}
                Ordering::Greater => return Ok(Found::Finished),
                Ordering::Equal if t > max_trailer => {}
                Ordering::Equal => {
                    if !visit(t, self.slice(entry.value, entry.end))? {
                        return Ok(Found::Finished);
                    }
                }
            }
        }
        Ok(Found::RanOff)
    }
}

#[cold]
pub(super) fn bad_entry(at: usize) -> Error {
    Error::corruption(format!("bad entry in block at {at}"))
}

/// Splits a stored internal key into user key and trailer.
#[inline]
fn split(key: &[u8], at: usize) -> Result<(&[u8], u64)> {
    match key.split_last_chunk::<TRAILER_SIZE>() {
        Some((user, t)) => Ok((user, u64::from_le_bytes(*t))),
        None => Err(bad_entry(at)),
    }
}

/// The order of an internal key relative to `(user_key, trailer)`.
#[inline]
pub(super) fn compare_to(order: &KeyOrder, key: &[u8], user_key: &[u8], t: u64) -> Ordering {
    let user = key.get(..key.len().saturating_sub(TRAILER_SIZE)).unwrap_or_default();
    order.compare_user(user, user_key).then_with(|| t.cmp(&trailer(key)))
}

/// A key that is assembled from entry to entry, on the stack while it is short.
struct KeyBuffer {
    inline: [u8; KeyBuffer::INLINE],
    heap: Vec<u8>,
    len: usize,
}

impl KeyBuffer {
    const INLINE: usize = 264;

    #[inline]
    fn new() -> KeyBuffer {
        KeyBuffer { inline: [0; KeyBuffer::INLINE], heap: Vec::new(), len: 0 }
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        let inline = if self.heap.is_empty() { self.inline.get(..self.len) } else { None };
        inline.unwrap_or(&self.heap)
    }

    /// Keeps `shared` bytes and appends `suffix`. Once on the heap, it stays there.
    #[inline]
    fn put_together(&mut self, shared: usize, suffix: &[u8], at: usize) -> Result<()> {
        if shared > self.len {
            return Err(bad_entry(at));
        }
        let len = shared + suffix.len();
        match self.inline.get_mut(shared..len) {
            Some(place) if self.heap.is_empty() => place.copy_from_slice(suffix),
            _ => self.put_together_on_heap(shared, suffix),
        }
        self.len = len;
        Ok(())
    }

    #[cold]
    fn put_together_on_heap(&mut self, shared: usize, suffix: &[u8]) {
        if self.heap.is_empty() {
            self.heap.extend_from_slice(self.inline.get(..shared).unwrap_or_default());
        }
        self.heap.truncate(shared);
        self.heap.extend_from_slice(suffix);
    }
}

/// The kind of an entry, by its trailer.
#[inline]
pub fn kind_of(t: u64) -> Result<ValueType> {
    ValueType::from_byte(t as u8)
        .ok_or_else(|| Error::corruption(format!("internal key: unknown value type {}", t as u8)))
}
