//! The index builder: collects one separator per data block and writes the index; `index` describes
//! the format.

use super::block_builder::{BlockBuilder, BlockLimit};
use crate::base::coding::{put_length_prefixed, put_varsignedint64};
use crate::base::key::{TRAILER_SIZE, ValueType, pack_trailer, user_key};
use crate::base::{KeyOrder, MAX_SEQUENCE_NUMBER};
use crate::env::mapping::LargeVec;
use crate::options::{BlockBasedTableOptions, IndexShorteningMode, IndexType};
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use std::cmp::Ordering;

/// The index of a table under construction.
pub struct IndexBuilder {
    order: KeyOrder,
    format_version: u32,
    restart_interval: usize,
    shortening: IndexShorteningMode,
    /// Whether blocks are contiguous, so that their sizes determine their offsets.
    side_by_side: bool,
    /// Separators as internal keys, and the handles of the blocks.
    keys: KeyList,
    handles: LargeVec<BlockHandle>,
    /// The first key of each block, for the index type that stores it.
    first_keys: Option<KeyList>,
    /// Whether two neighbouring blocks contain the same user key, so that separators need their
    /// trailers.
    needs_trailers: bool,
}

/// Keys, concatenated.
#[derive(Default)]
struct KeyList {
    bytes: LargeVec<u8>,
    ends: LargeVec<usize>,
}

impl KeyList {
    fn push(&mut self, parts: &[&[u8]]) {
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        self.ends.push(self.bytes.len());
    }

    fn get(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }
}

/// One partition of an index: the number of its last separator, and its bytes.
pub struct IndexPart {
    /// The number of the separator that bounds the partition.
    pub last: usize,
    /// The block.
    pub bytes: LargeVec<u8>,
}

impl IndexBuilder {
    /// An empty index.
    pub fn new(order: KeyOrder, opts: &BlockBasedTableOptions) -> IndexBuilder {
        // RocksDB finds prefixes by restarts, so each entry needs one.
        let is_hashed = opts.index_type == IndexType::HashSearch;
        let with_first = opts.index_type == IndexType::BinarySearchWithFirstKey;
        IndexBuilder {
            order,
            format_version: opts.format_version,
            restart_interval: if is_hashed { 1 } else { opts.index_block_restart_interval },
            shortening: opts.index_shortening,
            side_by_side: !opts.block_align,
            keys: KeyList::default(),
            handles: LargeVec::new(),
            first_keys: with_first.then(KeyList::default),
            needs_trailers: false,
        }
    }

    /// The number of added blocks.
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// Whether keys lack the trailer. Valid after all blocks were added.
    pub fn user_keys(&self) -> bool {
        self.format_version >= 3 && !self.needs_trailers
    }

    /// Whether values may be deltas.
    pub fn delta_values(&self) -> bool {
        self.format_version >= 4 && self.side_by_side
    }

    /// Adds a block with keys from `first` to `last`, followed by a block that begins with `next`.
    pub fn add(&mut self, first: &[u8], last: &[u8], next: Option<&[u8]>, handle: BlockHandle) {
        match self.separator(user_key(last), next.map(user_key)) {
            Some(short) => {
                // It sorts before every entry of its user key, if such entries exist. The type byte
                // has no meaning; this one is the largest that RocksDB 7.8.3 supports.
                let t = pack_trailer(MAX_SEQUENCE_NUMBER, ValueType::WideColumnEntity);
                self.keys.push(&[&short, &t.to_le_bytes()]);
            }
            None => self.keys.push(&[last]),
        }
        if let Some(first_keys) = &mut self.first_keys {
            first_keys.push(&[first]);
        }
        self.handles.push(handle);
    }

    /// A short key at or after `last` and before `next`; `None` if `last` itself must be used.
    fn separator(&mut self, last: &[u8], next: Option<&[u8]>) -> Option<Vec<u8>> {
        let mut short = last.to_vec();
        match (next, self.shortening) {
            (Some(next), _) if self.order.equal_user(last, next) => {
                self.needs_trailers = true;
                return None;
            }
            (_, IndexShorteningMode::NoShortening) => return None,
            (Some(next), _) => {
                self.order.user_comparator().find_shortest_separator(&mut short, next);
            }
            (None, IndexShorteningMode::ShortenSeparatorsAndSuccessor) => {
                self.order.user_comparator().find_short_successor(&mut short);
            }
            (None, IndexShorteningMode::ShortenSeparators) => return None,
        }
        let shorter =
            short.len() <= last.len() && self.order.compare_user(last, &short) == Ordering::Less;
        Some(short).filter(|_| shorter)
    }

    /// The whole index as one block.
    pub fn finish(&self) -> LargeVec<u8> {
        let mut block = BlockWriter::new(self);
        for i in 0..self.len() {
            block.add(self.keys.get(i), self.handles[i], self.first_key(i));
        }
        block.block.take()
    }

    /// The index in partitions of about `size` bytes.
    pub fn parts(&self, size: usize, deviation: i32) -> Vec<IndexPart> {
        let mut parts = Vec::new();
        let mut block = BlockWriter::new(self);
        let limit = BlockLimit::new(size, deviation);
        for i in 0..self.len() {
            let key = block.cut(self.keys.get(i));
            if block.block.is_full(limit, key, &[0; 8]) {
                parts.push(IndexPart { last: i - 1, bytes: block.block.take() });
                block = BlockWriter::new(self);
            }
            block.add(self.keys.get(i), self.handles[i], self.first_key(i));
        }
        if let Some(last) = self.len().checked_sub(1) {
            parts.push(IndexPart { last, bytes: block.block.take() });
        }
        parts
    }

    /// The block that lists the partitions of the index, bounded by these separators.
    pub fn top_level(&self, parts: &[(usize, BlockHandle)]) -> LargeVec<u8> {
        self.over(parts.iter().map(|&(last, handle)| (self.keys.get(last).to_vec(), handle)))
    }

    /// A block in the index's format that lists other blocks, each bounded by an internal key.
    pub fn over(&self, blocks: impl Iterator<Item = (Vec<u8>, BlockHandle)>) -> LargeVec<u8> {
        let mut block = BlockWriter::new(self);
        for (key, handle) in blocks {
            block.add(&key, handle, None);
        }
        block.block.take()
    }

    fn first_key(&self, i: usize) -> Option<&[u8]> {
        self.first_keys.as_ref().map(|keys| keys.get(i))
    }
}

/// Writes one index block.
struct BlockWriter {
    block: BlockBuilder,
    user_keys: bool,
    delta_values: bool,
    previous: BlockHandle,
    full: Vec<u8>,
    delta: Vec<u8>,
}

impl BlockWriter {
    fn new(index: &IndexBuilder) -> BlockWriter {
        BlockWriter {
            block: BlockBuilder::new(index.restart_interval),
            user_keys: index.user_keys(),
            delta_values: index.delta_values(),
            previous: BlockHandle::default(),
            full: Vec::new(),
            delta: Vec::new(),
        }
    }

    /// The key in its stored form.
    fn cut<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        let cut = if self.user_keys { TRAILER_SIZE } else { 0 };
        &key[..key.len() - cut]
    }

    fn add(&mut self, key: &[u8], handle: BlockHandle, first_key: Option<&[u8]>) {
        self.full.clear();
        handle.encode(&mut self.full);
        if let Some(first) = first_key {
            put_length_prefixed(&mut self.full, first);
        }
        if self.delta_values {
            debug_assert!(self.previous.size == 0 || follows(self.previous, handle));
            self.delta.clear();
            let delta = handle.size.wrapping_sub(self.previous.size) as i64;
            put_varsignedint64(&mut self.delta, delta);
            if let Some(first) = first_key {
                put_length_prefixed(&mut self.delta, first);
            }
            self.block.add_without_length(self.cut(key), &self.full, &self.delta);
        } else {
            self.block.add(self.cut(key), &self.full);
        }
        self.previous = handle;
    }
}

/// Whether the second block directly follows the first. Deltas do not contain offsets, so blocks
/// must be contiguous.
fn follows(previous: BlockHandle, handle: BlockHandle) -> bool {
    handle.offset == previous.offset + previous.size + BLOCK_TRAILER_SIZE as u64
}
