//! Construction of the [`Fingerprints`] of a block, at the block's second lookup or later.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::cursor::Cursor;
use super::fingerprints::{FIRST, FRACTION, Fingerprints, Head, INLINE, line, tag_of};
use super::view::BlockView;
use crate::base::hash::hash64;
use crate::base::key::TRAILER_SIZE;
use crate::base::short::common_prefix;
use crate::cache::Memory;
use std::ops::Range;

/// The maximum width of a middle.
const WIDTH_MAX: usize = 32;

/// The lengths of an entry and of a key for which memory is reserved.
const ENTRY_ABOUT: usize = 64;
const KEY_ABOUT: usize = 32;

/// The data collected about one entry.
struct Item {
    fingerprint: u8,
    offset: u16,
    shared: usize,
    /// The range of the user key in `Items::keys`.
    user_key: Range<usize>,
}

/// Every entry of a block and all user keys.
struct Items {
    items: Vec<Item>,
    keys: Vec<u8>,
}

impl Fingerprints {
    /// Builds the fingerprints of a block; `None` if it does not suit them.
    pub fn build(view: BlockView<'_>) -> Option<Fingerprints> {
        let items = Items::collect(view)?;
        let (prefix, width) = items.common()?;
        let n = items.items.len();
        let (split, middles) = match items.two_middles(prefix.len(), width) {
            Some(two) => two,
            None => (0, items.all_middles(prefix.len(), width)),
        };
        let (line, offsets) = items.offsets();
        let len = prefix.len() + n + offsets.len() + middles.len();
        if len > view.entries().len() / 2 {
            return None;
        }
        let head = Head {
            n: u16::try_from(n).ok()?,
            prefix: u16::try_from(prefix.len()).ok()?,
            slope: line.slope,
            split: u16::try_from(split).ok()?,
            bias: line.bias,
            size: line.size,
            width: width as u8,
            apart: 0,
        };
        let fingerprints: Vec<u8> = items.items.iter().map(|item| item.fingerprint).collect();
        if head.room(len) <= INLINE {
            let mut inline = [0; INLINE];
            let table = [prefix, &fingerprints, &offsets, &middles].concat();
            inline.get_mut(..len)?.copy_from_slice(&table);
            return Some(Fingerprints::Inline(head, inline));
        }
        let (near, far) = fingerprints.split_at_checked(n.min(FIRST))?;
        let head = Head { apart: near.len() as u8, ..head };
        let mut first = [0; FIRST];
        first.get_mut(..near.len())?.copy_from_slice(near);
        let mut data = [prefix, far, &offsets, &middles].concat();
        data.resize(head.room(data.len()), 0);
        Some(Fingerprints::Heap(head, first, Memory::copy_of(&data)))
    }
}

/// A linear fit of a block's offsets, from the first entry to the last.
struct LinearFit {
    /// The fields are those of [`Head`].
    slope: u16,
    bias: u8,
    size: u8,
}

impl LinearFit {
    /// The value used if no fit is accurate enough.
    const NONE: LinearFit = LinearFit { slope: 0, bias: 0, size: 2 };

    /// The fit through these offsets and the differences from it; `None` if a difference does not fit a byte.
    fn through(offsets: &[u16]) -> Option<(LinearFit, Vec<u8>)> {
        let last = usize::from(*offsets.last()?);
        let slope = (last << FRACTION).checked_div(offsets.len() - 1).unwrap_or(0);
        let slope = u16::try_from(slope).ok()?;
        let above = |(i, &offset): (usize, &u16)| i32::from(offset) - line(slope, i) as i32;
        // This is at most 0, since the first offset is 0.
        let lowest = offsets.iter().enumerate().map(above).min()?;
        let line = LinearFit { slope, bias: u8::try_from(-lowest).ok()?, size: 1 };
        let mut lacking = Vec::with_capacity(offsets.len());
        for at in offsets.iter().enumerate() {
            lacking.push(u8::try_from(above(at) - lowest).ok()?);
        }
        Some((line, lacking))
    }
}

impl Items {
    /// Collects all entries; `None` if the block does not suit fingerprints.
    fn collect(view: BlockView<'_>) -> Option<Items> {
        if view.entries().len() > usize::from(u16::MAX) {
            return None;
        }
        // Vectors that grow would ask the allocator several times, whose locks all threads share.
        let about = view.entries().len() / ENTRY_ABOUT;
        let (mut items, mut keys) =
            (Vec::with_capacity(about), Vec::with_capacity(about * KEY_ABOUT));
        let mut cursor = Cursor::default();
        cursor.rewind_to_start();
        while cursor.next(&view).ok()? {
            let (user_key, _) = cursor.key().split_last_chunk::<TRAILER_SIZE>()?;
            let shared = cursor.shared(&view)?;
            if shared > user_key.len() {
                return None;
            }
            let fingerprint = tag_of(hash64(user_key));
            let offset = u16::try_from(cursor.offset()).ok()?;
            let place = keys.len()..keys.len() + user_key.len();
            items.push(Item { fingerprint, offset, shared, user_key: place });
            keys.extend_from_slice(user_key);
        }
        Some(Items { items, keys })
    }

    fn key(&self, item: &Item) -> &[u8] {
        self.keys.get(item.user_key.clone()).unwrap_or_default()
    }

    /// The prefix that all keys share, and the maximum length of the key part between it and an
    /// entry's own part.
    fn common(&self) -> Option<(&[u8], usize)> {
        let first = self.key(self.items.first()?);
        let len = self
            .items
            .iter()
            .fold(first.len(), |len, item| len.min(common_prefix(first, self.key(item))));
        let widths = self.items.iter().map(|item| item.shared.saturating_sub(len));
        let width = widths.max().filter(|width| *width <= WIDTH_MAX)?;
        Some((first.get(..len)?, width))
    }

    /// The part of the key that neither the prefix nor the entry contains.
    fn middle(&self, item: &Item, prefix_len: usize) -> &[u8] {
        self.key(item).get(prefix_len..item.shared).unwrap_or_default()
    }

    fn all_middles(&self, prefix_len: usize, width: usize) -> Vec<u8> {
        let mut all = Vec::with_capacity(width * self.items.len());
        for (i, item) in self.items.iter().enumerate() {
            all.extend_from_slice(self.middle(item, prefix_len));
            all.resize(width * (i + 1), 0);
        }
        all
    }

    /// The entry at which the middle changes, and the two middles; `None` if there are more. An entry that contains
    /// more of its key needs only the beginning of a middle.
    fn two_middles(&self, prefix_len: usize, width: usize) -> Option<(usize, Vec<u8>)> {
        let mut split = 0;
        let (mut before, mut middle): (&[u8], &[u8]) = (&[], &[]);
        for (i, item) in self.items.iter().enumerate() {
            let next = self.middle(item, prefix_len);
            if next.starts_with(middle) {
                middle = next;
            } else if !middle.starts_with(next) {
                if split > 0 {
                    return None;
                }
                (split, before, middle) = (i, middle, next);
            }
        }
        if split == 0 {
            (split, before) = (self.items.len(), middle);
        }
        let mut two = before.to_vec();
        two.resize(width, 0);
        two.extend_from_slice(middle);
        two.resize(2 * width, 0);
        Some((split, two))
    }

    /// The offsets in their stored form.
    fn offsets(&self) -> (LinearFit, Vec<u8>) {
        let offsets: Vec<u16> = self.items.iter().map(|item| item.offset).collect();
        LinearFit::through(&offsets).unwrap_or_else(|| {
            (LinearFit::NONE, offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect())
        })
    }
}
