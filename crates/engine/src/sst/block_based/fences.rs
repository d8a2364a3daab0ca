//! Fences: the index of a table, decoded at open into flat arrays.
//!
//! There is one fence per data block: a key that is not smaller than the block's last key and
//! smaller than the next block's first, and the block's handle. A lookup needs the first fence that
//! is not smaller than its key. In bytewise order, eight bytes of each key nearly always decide:
//! those after the prefix that all fences share, as a big-endian number. These numbers are searched
//! as a pointer-free tree of nodes with sixteen numbers each ([`Ranks`]); only equal numbers
//! require a comparison of whole keys.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::index::compare_fence;
use crate::base::KeyOrder;
use crate::base::key::TRAILER_SIZE;
use crate::base::prefetch::prefetch_bytes;
use crate::base::short::{self, first_eight};
use crate::env::mapping::LargeVec;
use crate::error::{Error, Result};
use crate::sst::format::BlockHandle;
use std::cmp::Ordering;

/// The numbers in a node: two cache lines.
const WIDTH: usize = 16;
/// The numbers in one step of the search in a node, which takes two steps.
const STEP: usize = 4;
/// The size of the shortest entry of an index in bytes: two lengths and a handle.
const ENTRY_MIN: usize = 3;
/// Levels up to this size are assumed to be in the processor's cache when many keys are searched.
const SMALL: usize = 8 << 10;

/// Sorted numbers, aligned to cache lines.
#[derive(Clone, Copy)]
#[repr(align(128))]
struct RankNode([u64; WIDTH]);

impl RankNode {
    /// The number of numbers smaller than `x`: first counts whole steps, then single numbers. No branch depends on the
    /// loaded numbers, and both lines are loaded at the same time.
    #[inline]
    fn rank(&self, x: u64) -> usize {
        let steps = self.0.as_chunks::<STEP>().0;
        let whole: usize = steps.iter().take(3).map(|[.., last]| usize::from(*last < x)).sum();
        let rest =
            steps.get(whole).map_or(0, |step| step.iter().map(|n| usize::from(*n < x)).sum());
        STEP * whole + rest
    }
}

/// Sorted numbers, searched by rank. The last level holds them all, padded to whole nodes; each
/// level before it holds the last number of each node in the next level, up to the first level,
/// which has one node.
struct Ranks {
    levels: Vec<LargeVec<RankNode>>,
}

impl Ranks {
    /// The `len` numbers that `number` returns for 0, 1 and so on; it is called in this order.
    fn new(len: usize, number: impl FnMut(usize) -> u64) -> Ranks {
        let mut levels = vec![Ranks::level(len, number)];
        while let Some(below) = levels.last().filter(|level| level.len() > 1) {
            let last = |i| below.get(i).map_or(u64::MAX, |RankNode([.., last])| *last);
            levels.push(Ranks::level(below.len(), last));
        }
        levels.reverse();
        Ranks { levels }
    }

    fn level(len: usize, mut number: impl FnMut(usize) -> u64) -> LargeVec<RankNode> {
        let mut nodes = LargeVec::filled(RankNode([u64::MAX; WIDTH]), len.div_ceil(WIDTH));
        for (n, node) in nodes.iter_mut().enumerate() {
            let first = n * WIDTH;
            for (i, slot) in node.0.iter_mut().enumerate().take(len - first) {
                *slot = number(first + i);
            }
        }
        nodes
    }

    /// The number of numbers smaller than `x`; at most the padded length.
    #[inline]
    fn rank(&self, x: u64) -> usize {
        self.levels.iter().fold(0, |node, level| Ranks::down(level, node, x))
    }

    /// The node in the next level that `x` belongs to, starting from a node of this level.
    #[inline]
    fn down(level: &[RankNode], node: usize, x: u64) -> usize {
        level.get(node).map_or(usize::MAX / WIDTH, |numbers| node * WIDTH + numbers.rank(x))
    }

    #[inline]
    fn number(&self, i: usize) -> u64 {
        let node = self.levels.last().and_then(|level| level.get(i / WIDTH));
        node.and_then(|node| node.0.get(i % WIDTH)).copied().unwrap_or_default()
    }

    /// Prefetches the node that a search visits next.
    #[inline]
    fn ask(&self, search: &Search) {
        if let Some(level) = self.levels.get(search.level as usize) {
            let node = level.as_ptr().wrapping_add(search.at as usize);
            prefetch_bytes(node.cast(), size_of::<RankNode>());
        }
    }

    fn memory_usage(&self) -> usize {
        self.levels.iter().map(|level| size_of::<RankNode>() * level.len()).sum()
    }
}

/// A search that runs one level at a time; see [`Fences::begin`].
#[derive(Clone, Copy, Default)]
pub struct Search {
    x: u64,
    /// The next level to visit; the search is finished past the last one.
    level: u32,
    /// The node in that level, or the result.
    at: u32,
}

impl Search {
    #[inline]
    fn descend(&mut self, level: &[RankNode]) {
        self.at = narrow(Ranks::down(level, self.at as usize, self.x));
        self.level += 1;
    }
}

/// The number of a fence or node as 32 bits. Larger numbers do not occur: [`Fences::push`] accepts
/// 4 GiB of keys.
#[inline]
fn narrow(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The level of a search whose result is final without a search of numbers.
const SETTLED: u32 = u32::MAX;

/// The offsets of the blocks, in half the memory for tables below 4 GiB.
enum Offsets {
    Narrow(LargeVec<u32>),
    Wide(LargeVec<u64>),
}

impl Offsets {
    #[inline]
    fn push(&mut self, offset: u64) {
        match (&mut *self, u32::try_from(offset)) {
            (Offsets::Narrow(offsets), Ok(offset)) => offsets.push(offset),
            (Offsets::Wide(offsets), _) => offsets.push(offset),
            (Offsets::Narrow(offsets), Err(_)) => {
                let so_far = offsets.iter().copied().map(u64::from);
                *self = Offsets::Wide(so_far.chain([offset]).collect());
            }
        }
    }

    #[inline]
    fn get(&self, i: usize) -> Option<u64> {
        match self {
            Offsets::Narrow(offsets) => offsets.get(i).copied().map(u64::from),
            Offsets::Wide(offsets) => offsets.get(i).copied(),
        }
    }

    fn shrink_to_fit(&mut self) {
        match self {
            Offsets::Narrow(offsets) => offsets.shrink_to_fit(),
            Offsets::Wide(offsets) => offsets.shrink_to_fit(),
        }
    }

    fn memory_usage(&self) -> usize {
        match self {
            Offsets::Narrow(offsets) => 4 * offsets.capacity(),
            Offsets::Wide(offsets) => 8 * offsets.capacity(),
        }
    }
}

/// The decoded index.
pub struct Fences {
    /// All keys, concatenated.
    keys: LargeVec<u8>,
    /// The end of each key.
    ends: LargeVec<u32>,
    /// Whether keys lack the trailer.
    user_keys: bool,
    /// The offset and the size of each block.
    offsets: Offsets,
    sizes: LargeVec<u32>,
    /// The length of the prefix that all keys share, and, in bytewise order, the numbers that
    /// follow it.
    common: usize,
    ranks: Option<Ranks>,
}

impl Fences {
    /// An empty collection of fences whose keys are user keys or internal keys.
    pub fn collect(user_keys: bool) -> Fences {
        let (keys, ends, sizes) = (LargeVec::new(), LargeVec::new(), LargeVec::new());
        let offsets = Offsets::Narrow(LargeVec::new());
        Fences { keys, ends, user_keys, offsets, sizes, common: 0, ranks: None }
    }

    /// Reserves memory for an index block of `bytes` bytes with an expected number of `entries`. [`Fences::finish`]
    /// releases the excess.
    pub fn reserve(&mut self, bytes: usize, entries: u64) {
        // A file can claim any number, but every entry has a minimum size.
        let entries = usize::try_from(entries).unwrap_or(usize::MAX).min(bytes / ENTRY_MIN);
        self.keys.reserve(bytes);
        self.ends.reserve(entries);
        self.sizes.reserve(entries);
        if let Offsets::Narrow(offsets) = &mut self.offsets {
            offsets.reserve(entries);
        }
    }

    /// Adds the next fence.
    #[inline]
    pub fn push(&mut self, key: &[u8], handle: BlockHandle) -> Result<()> {
        let Ok(size) = u32::try_from(handle.size) else {
            return Err(bad_fence("a data block", handle.size));
        };
        if !self.user_keys && key.len() < TRAILER_SIZE {
            return Err(bad_fence("a key", key.len() as u64));
        }
        let Ok(end) = u32::try_from(self.keys.len() + key.len()) else {
            return Err(Error::corruption("index: more than 4 GiB of keys"));
        };
        self.keys.extend_from_slice(key);
        self.ends.push(end);
        self.offsets.push(handle.offset);
        self.sizes.push(size);
        Ok(())
    }

    /// Checks the order and makes the fences searchable.
    pub fn finish(&mut self, order: &KeyOrder) -> Result<()> {
        let numbers_ascend = order.is_bytewise() && self.number_keys();
        if !numbers_ascend {
            self.check_order(order)?;
        }
        // This memory is held as long as the table is open.
        self.keys.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.offsets.shrink_to_fit();
        self.sizes.shrink_to_fit();
        Ok(())
    }

    /// Computes the numbers of the keys. Returns whether the numbers alone prove that the keys
    /// ascend.
    fn number_keys(&mut self) -> bool {
        let Some(last) = self.len().checked_sub(1) else { return true };
        // If keys are sorted, all of them share what the first and the last share.
        let (first, last) = (self.user_part(0), self.user_part(last));
        let common_len = short::common_prefix(first, last);
        let common = first.get(..common_len).unwrap_or_default();
        let (mut before, mut ascend) = (None, true);
        let ranks = Ranks::new(self.len(), |i| {
            let rest = short::strip_prefix(self.user_part(i), common);
            let x = first_eight(rest.unwrap_or_default());
            // With equal preceding bytes, a smaller number means a smaller key.
            ascend &= rest.is_some() && before.is_none_or(|before| before < x);
            before = Some(x);
            x
        });
        (self.common, self.ranks) = (common_len, Some(ranks));
        ascend
    }

    fn check_order(&self, order: &KeyOrder) -> Result<()> {
        for i in 1..self.len() {
            let (a, b) = (self.key(i - 1), self.key(i));
            let order = if self.user_keys { order.compare_user(a, b) } else { order.compare(a, b) };
            if order == Ordering::Greater {
                return Err(Error::corruption(format!("index: entry {i} is out of order")));
            }
        }
        Ok(())
    }

    /// The number of blocks.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The prefix that all fences share; `None` if their order is not bytewise.
    pub fn common(&self) -> Option<&[u8]> {
        self.ranks.as_ref()?;
        self.keys.get(..self.common)
    }

    /// Whether all entries of a user key are in one block.
    #[inline]
    pub fn keys_stay_in_one_block(&self) -> bool {
        self.user_keys
    }

    /// The handle of block `i`.
    #[inline]
    pub fn handle(&self, i: usize) -> Option<BlockHandle> {
        let (offset, &size) = (self.offsets.get(i)?, self.sizes.get(i)?);
        Some(BlockHandle { offset, size: size.into() })
    }

    /// The first block that may contain an entry at or after `(user_key, t)`; `len` if there is
    /// none.
    #[inline]
    pub fn find(&self, order: &KeyOrder, user_key: &[u8], t: u64) -> usize {
        let Some(ranks) = &self.ranks else {
            return self.find_between(order, user_key, t, 0, self.len());
        };
        match self.number_of(user_key) {
            Ok(x) => self.find_from_rank(order, user_key, t, x, ranks.rank(x)),
            Err(outside) => outside,
        }
    }

    /// Begins a [`Fences::find`] that runs in steps, so that searches for different keys can be interleaved and their
    /// memory accesses overlap: `begin`, then `descend` until it returns false, then `end`. Each step prefetches what
    /// the next one reads.
    #[inline]
    pub fn begin(&self, order: &KeyOrder, user_key: &[u8], t: u64) -> Search {
        let settled = |at| Search { x: 0, level: SETTLED, at: narrow(at) };
        let Some(ranks) = &self.ranks else {
            return settled(self.find_between(order, user_key, t, 0, self.len()));
        };
        let x = match self.number_of(user_key) {
            Ok(x) => x,
            Err(outside) => return settled(outside),
        };
        let mut search = Search { x, ..Search::default() };
        let is_small = |level: &&LargeVec<RankNode>| size_of_val(&level[..]) <= SMALL;
        for level in ranks.levels.iter().take_while(is_small) {
            search.descend(level);
        }
        ranks.ask(&search);
        search
    }

    /// Takes the next step of a search; false if there was none left.
    #[inline]
    pub fn descend(&self, search: &mut Search) -> bool {
        let Some(ranks) = &self.ranks else { return false };
        let Some(level) = ranks.levels.get(search.level as usize) else { return false };
        search.descend(level);
        ranks.ask(search);
        true
    }

    /// The result of a search after its last step.
    #[inline]
    pub fn end(&self, order: &KeyOrder, user_key: &[u8], t: u64, search: &Search) -> usize {
        if search.level == SETTLED {
            return search.at as usize;
        }
        self.find_from_rank(order, user_key, t, search.x, search.at as usize)
    }

    /// The number of a user key that begins with the prefix of all fences; otherwise the block that
    /// the key belongs to.
    #[inline]
    pub fn number_of(&self, user_key: &[u8]) -> std::result::Result<u64, usize> {
        let common = self.keys.get(..self.common).unwrap_or_default();
        match short::strip_prefix(user_key, common) {
            Some(rest) => Ok(first_eight(rest)),
            None if user_key < common => Err(0),
            None => Err(self.len()),
        }
    }

    /// The rest of a search, starting from the rank of the key's number `x`.
    #[inline]
    fn find_from_rank(
        &self,
        order: &KeyOrder,
        user_key: &[u8],
        t: u64,
        x: u64,
        rank: usize,
    ) -> usize {
        let low = rank.min(self.len());
        if low == self.len() || self.number_at(low) != x {
            return low;
        }
        self.find_among_equals(order, user_key, t, x, low)
    }

    /// Searches among fences whose numbers equal the key's.
    #[cold]
    fn find_among_equals(
        &self,
        order: &KeyOrder,
        user_key: &[u8],
        t: u64,
        x: u64,
        low: usize,
    ) -> usize {
        let high = match x.checked_add(1) {
            Some(next) => self.ranks.as_ref().map_or(low, |ranks| ranks.rank(next)),
            None => self.len(),
        };
        self.find_between(order, user_key, t, low, high.min(self.len()))
    }

    fn find_between(
        &self,
        order: &KeyOrder,
        user_key: &[u8],
        t: u64,
        mut low: usize,
        mut high: usize,
    ) -> usize {
        while low < high {
            let middle = low + (high - low) / 2;
            let fence = compare_fence(order, self.user_keys, self.key(middle), user_key, t);
            if fence == Ordering::Less { low = middle + 1 } else { high = middle }
        }
        low
    }

    #[inline]
    fn number_at(&self, i: usize) -> u64 {
        self.ranks.as_ref().map_or(0, |ranks| ranks.number(i))
    }

    #[inline]
    fn key(&self, i: usize) -> &[u8] {
        let start = i.checked_sub(1).and_then(|i| self.ends.get(i)).copied().unwrap_or(0);
        let end = self.ends.get(i).copied().unwrap_or(0);
        self.keys.get(start as usize..end as usize).unwrap_or_default()
    }

    #[inline]
    fn user_part(&self, i: usize) -> &[u8] {
        let key = self.key(i);
        let cut = if self.user_keys { 0 } else { TRAILER_SIZE };
        key.get(..key.len().saturating_sub(cut)).unwrap_or_default()
    }

    /// The memory in use, in bytes.
    pub fn memory_usage(&self) -> usize {
        let arrays =
            4 * (self.ends.capacity() + self.sizes.capacity()) + self.offsets.memory_usage();
        self.keys.capacity() + arrays + self.ranks.as_ref().map_or(0, Ranks::memory_usage)
    }
}

#[cold]
fn bad_fence(what: &str, bytes: u64) -> Error {
    Error::corruption(format!("index: {what} of {bytes} bytes"))
}

#[cfg(test)]
#[path = "fences_test.rs"]
mod tests;
