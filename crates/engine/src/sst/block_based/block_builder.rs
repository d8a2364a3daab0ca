//! The block builder: encodes entries into a block; `view` describes the format.

use super::view::{COLLISION, EMPTY_BUCKET, HASH_INDEX_BIT, HASH_INDEX_SEED};
use crate::base::WalkKey;
use crate::base::coding::{put_varint32, varint_length};
use crate::base::hash::hash32;
use crate::base::short::common_prefix;
use crate::env::mapping::LargeVec;
use crate::sst::format::BLOCK_TRAILER_SIZE;

/// A hash index stores an interval in one byte, whose two largest values are reserved.
const INTERVAL_MAX: usize = 253;
/// Blocks above this size have no hash index.
const HASHED_SIZE_MAX: usize = 64 << 10;

/// The intended size of a block.
#[derive(Clone, Copy, Debug)]
pub struct BlockLimit {
    size: usize,
    /// A block of more bytes ends if the next entry would exceed `size`.
    nearly: usize,
}

impl BlockLimit {
    /// Blocks of about `size` bytes, which end when they are within `deviation` percent of it and the next entry would
    /// exceed it; 0 percent lets them exceed it.
    pub fn new(size: usize, deviation: i32) -> BlockLimit {
        let deviation = deviation.clamp(0, 100) as usize;
        let nearly = (size * (100 - deviation)).div_ceil(100);
        BlockLimit { size, nearly: nearly.min(size.saturating_sub(1)) }
    }
}

/// A block under construction. Keys must ascend.
pub struct BlockBuilder {
    restart_interval: usize,
    /// Ended blocks with their trailers, and the current block.
    buffer: LargeVec<u8>,
    /// The offset of the current block in `buffer`.
    start: usize,
    restarts: LargeVec<u32>,
    /// The number of entries since the last restart.
    counter: usize,
    /// The key of the last entry, which may be in an earlier block.
    last_key: WalkKey,
    /// Whether keys omit the prefix that they share with the previous key.
    shares: bool,
    hash: Option<HashIndexBuilder>,
}

impl BlockBuilder {
    /// An empty block with a restart every `restart_interval` entries.
    pub fn new(restart_interval: usize) -> BlockBuilder {
        BlockBuilder {
            restart_interval: restart_interval.max(1),
            buffer: LargeVec::new(),
            start: 0,
            restarts: LargeVec::filled(0, 1),
            counter: 0,
            last_key: WalkKey::default(),
            shares: true,
            hash: None,
        }
    }

    /// Adds a hash index with this fill ratio.
    pub fn with_hash_index(mut self, util_ratio: f64) -> BlockBuilder {
        let ratio = if util_ratio > 0.0 { util_ratio } else { 0.75 };
        self.hash = Some(HashIndexBuilder { ratio, entries: Vec::new(), usable: true });
        self
    }

    /// Sets whether keys are delta-coded; if not, they are stored whole.
    pub fn with_sharing(mut self, shares: bool) -> BlockBuilder {
        self.shares = shares;
        self
    }

    /// Whether the next entry belongs into another block: this block has reached its intended size, or has nearly and
    /// the entry would exceed it.
    #[inline]
    pub fn is_full(&self, limit: BlockLimit, key: &[u8], value: &[u8]) -> bool {
        let size = self.size_estimate();
        size > limit.nearly
            && !self.is_empty()
            && (size >= limit.size || self.size_estimate_with(key, value) > limit.size)
    }

    /// The key of the last entry of this or an earlier block; empty before the first entry.
    #[inline]
    pub fn last_key(&self) -> &[u8] {
        &self.last_key
    }

    /// Whether the block has no entries.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.buffer.len() == self.start
    }

    /// The length of the block's entries in bytes.
    #[inline]
    fn len(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// The size in bytes if the block were finished now.
    #[inline]
    pub fn size_estimate(&self) -> usize {
        let hash = self.hash.as_ref().filter(|h| h.usable).map_or(0, HashIndexBuilder::size);
        self.len() + 4 * self.restarts.len() + 4 + hash
    }

    /// The approximate size in bytes with one more entry, assuming that its key shares nothing.
    pub fn size_estimate_with(&self, key: &[u8], value: &[u8]) -> usize {
        let restart = if self.counter >= self.restart_interval { 4 } else { 0 };
        let lengths = 4 + varint_length(key.len() as u64) + varint_length(value.len() as u64);
        self.size_estimate() + key.len() + value.len() + restart + lengths
    }

    /// Appends an entry of a data block or of a metadata block.
    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        self.add_after(common_prefix(&self.last_key, key), key, value);
    }

    /// The same for a key that has `common` bytes in common with the last one.
    #[inline]
    pub fn add_after(&mut self, common: usize, key: &[u8], value: &[u8]) {
        let shared = self.begin_entry(common, key);
        put_varint32(&mut self.buffer, shared as u32);
        put_varint32(&mut self.buffer, (key.len() - shared) as u32);
        put_varint32(&mut self.buffer, value.len() as u32);
        self.buffer.extend_from_slice(&key[shared..]);
        self.buffer.extend_from_slice(value);
    }

    /// Appends an index entry whose value has no length prefix: `delta` if the key shares bytes
    /// with the previous one, otherwise `full`.
    pub fn add_without_length(&mut self, key: &[u8], full: &[u8], delta: &[u8]) {
        let shared = self.begin_entry(common_prefix(&self.last_key, key), key);
        put_varint32(&mut self.buffer, shared as u32);
        put_varint32(&mut self.buffer, (key.len() - shared) as u32);
        self.buffer.extend_from_slice(&key[shared..]);
        self.buffer.extend_from_slice(if shared == 0 { full } else { delta });
    }

    /// Adds the user key of the last added entry to the hash index.
    #[inline]
    pub fn add_to_hash_index(&mut self, user_key: &[u8]) {
        let interval = self.restarts.len() - 1;
        if let Some(hash) = &mut self.hash {
            hash.add(user_key, interval);
        }
    }

    /// Returns the number of shared bytes of a key that has `common` bytes in common with the last one, and begins a
    /// new interval if one is due.
    #[inline]
    fn begin_entry(&mut self, common: usize, key: &[u8]) -> usize {
        let shared = if self.counter >= self.restart_interval {
            self.restarts.push(self.len() as u32);
            self.counter = 0;
            0
        } else if self.is_empty() || !self.shares {
            0
        } else {
            common
        };
        self.counter += 1;
        self.last_key.splice(shared, &key[shared..]);
        shared
    }

    /// Finishes the block and returns its bytes; nothing may be added after this.
    pub fn finish(&mut self) -> &[u8] {
        let mut word = self.restarts.len() as u32;
        for restart in self.restarts.iter() {
            self.buffer.extend_from_slice(&restart.to_le_bytes());
        }
        if let Some(hash) = &self.hash
            && hash.usable
            && self.len() + 4 + hash.size() <= HASHED_SIZE_MAX
        {
            hash.write(&mut self.buffer);
            word |= HASH_INDEX_BIT;
        }
        self.buffer.extend_from_slice(&word.to_le_bytes());
        &self.buffer[self.start..]
    }

    /// Finishes the block, and appends the trailer that `trailer` returns for its bytes. The next block begins behind
    /// it in the same memory. Returns the size of the block without the trailer.
    pub fn end(&mut self, trailer: impl FnOnce(&[u8]) -> [u8; BLOCK_TRAILER_SIZE]) -> usize {
        let block = self.finish();
        let (size, trailer) = (block.len(), trailer(block));
        self.buffer.extend_from_slice(&trailer);
        self.start = self.buffer.len();
        self.reset();
        size
    }

    /// The ended blocks with their trailers.
    pub fn ended(&self) -> &[u8] {
        &self.buffer[..self.start]
    }

    /// Removes the ended blocks; the current block must be empty.
    pub fn forget_ended(&mut self) {
        debug_assert!(self.is_empty(), "a block has begun");
        self.buffer.clear();
        self.start = 0;
    }

    /// Finishes the block and takes its bytes; the builder starts the next block. There must be no ended blocks.
    pub fn take(&mut self) -> LargeVec<u8> {
        debug_assert_eq!(self.start, 0, "ended blocks would be taken, too");
        self.finish();
        let bytes = std::mem::take(&mut self.buffer);
        self.reset();
        bytes
    }

    /// Reuses the memory of a taken block for the next one, which must still be empty.
    pub fn give_back(&mut self, mut bytes: LargeVec<u8>) {
        bytes.clear();
        self.buffer = bytes;
    }

    fn reset(&mut self) {
        self.restarts.clear();
        self.restarts.push(0);
        self.counter = 0;
        if let Some(hash) = &mut self.hash {
            hash.entries.clear();
            hash.usable = true;
        }
    }
}

/// The hash index of one block.
struct HashIndexBuilder {
    ratio: f64,
    /// The hash and interval of every entry.
    entries: Vec<(u32, u8)>,
    usable: bool,
}

impl HashIndexBuilder {
    fn add(&mut self, user_key: &[u8], interval: usize) {
        if interval > INTERVAL_MAX {
            self.usable = false;
            return;
        }
        self.entries.push((hash32(user_key, HASH_INDEX_SEED), interval as u8));
    }

    fn buckets(&self) -> usize {
        ((self.entries.len() as f64 / self.ratio) as usize).min(usize::from(u16::MAX)) | 1
    }

    fn size(&self) -> usize {
        self.buckets() + 2
    }

    fn write(&self, out: &mut LargeVec<u8>) {
        let mut table = vec![EMPTY_BUCKET; self.buckets()];
        for &(hash, interval) in &self.entries {
            let bucket = &mut table[hash as usize % self.buckets()];
            if *bucket == EMPTY_BUCKET {
                *bucket = interval;
            } else if *bucket != interval {
                *bucket = COLLISION;
            }
        }
        out.extend_from_slice(&table);
        out.extend_from_slice(&(table.len() as u16).to_le_bytes());
    }
}
