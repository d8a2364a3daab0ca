//! The block builder: encodes entries into a block; `view` describes the format.

use super::view::{COLLISION, EMPTY_BUCKET, HASH_INDEX_BIT, HASH_INDEX_SEED};
use crate::base::coding::{put_varint32, varint_length};
use crate::base::hash::hash32;
use crate::base::short::common_prefix;
use crate::env::mapping::LargeVec;

/// A hash index stores an interval in one byte, whose two largest values are reserved.
const INTERVAL_MAX: usize = 253;
/// Blocks above this size have no hash index.
const HASHED_SIZE_MAX: usize = 64 << 10;

/// A block under construction. Keys must ascend.
pub struct BlockBuilder {
    restart_interval: usize,
    buffer: LargeVec<u8>,
    restarts: LargeVec<u32>,
    /// The number of entries since the last restart.
    counter: usize,
    last_key: Vec<u8>,
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
            restarts: LargeVec::filled(0, 1),
            counter: 0,
            last_key: Vec::new(),
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

    /// Whether the next entry belongs into another block. `limit` is the intended size: this block
    /// has reached it, or is within `deviation` percent of it and the entry would exceed it.
    pub fn is_full(&self, limit: usize, deviation: i32, key: &[u8], value: &[u8]) -> bool {
        if self.is_empty() {
            return false;
        }
        let size = self.size_estimate();
        if size >= limit {
            return true;
        }
        let deviation = deviation.clamp(0, 100) as usize;
        let nearly = (limit * (100 - deviation)).div_ceil(100);
        deviation > 0 && size > nearly && self.size_estimate_with(key, value) > limit
    }

    /// Whether the block has no entries.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// The size in bytes if the block were finished now.
    pub fn size_estimate(&self) -> usize {
        let hash = self.hash.as_ref().filter(|h| h.usable).map_or(0, HashIndexBuilder::size);
        self.buffer.len() + 4 * self.restarts.len() + 4 + hash
    }

    /// The approximate size in bytes with one more entry, assuming that its key shares nothing.
    pub fn size_estimate_with(&self, key: &[u8], value: &[u8]) -> usize {
        let restart = if self.counter >= self.restart_interval { 4 } else { 0 };
        let lengths = 4 + varint_length(key.len() as u64) + varint_length(value.len() as u64);
        self.size_estimate() + key.len() + value.len() + restart + lengths
    }

    /// Appends an entry of a data block or of a metadata block.
    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        let shared = self.begin_entry(key);
        put_varint32(&mut self.buffer, shared as u32);
        put_varint32(&mut self.buffer, (key.len() - shared) as u32);
        put_varint32(&mut self.buffer, value.len() as u32);
        self.buffer.extend_from_slice(&key[shared..]);
        self.buffer.extend_from_slice(value);
    }

    /// Appends an index entry whose value has no length prefix: `delta` if the key shares bytes
    /// with the previous one, otherwise `full`.
    pub fn add_without_length(&mut self, key: &[u8], full: &[u8], delta: &[u8]) {
        let shared = self.begin_entry(key);
        put_varint32(&mut self.buffer, shared as u32);
        put_varint32(&mut self.buffer, (key.len() - shared) as u32);
        self.buffer.extend_from_slice(&key[shared..]);
        self.buffer.extend_from_slice(if shared == 0 { full } else { delta });
    }

    /// Adds the user key of the last added entry to the hash index.
    pub fn add_to_hash_index(&mut self, user_key: &[u8]) {
        let interval = self.restarts.len() - 1;
        if let Some(hash) = &mut self.hash {
            hash.add(user_key, interval);
        }
    }

    /// Returns the number of shared bytes of the key, and begins a new interval if one is due.
    fn begin_entry(&mut self, key: &[u8]) -> usize {
        let shared = if self.counter >= self.restart_interval {
            self.restarts.push(self.buffer.len() as u32);
            self.counter = 0;
            0
        } else if self.buffer.is_empty() || !self.shares {
            0
        } else {
            common_prefix(&self.last_key, key)
        };
        self.counter += 1;
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(&key[shared..]);
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
            && self.buffer.len() + 4 + hash.size() <= HASHED_SIZE_MAX
        {
            hash.write(&mut self.buffer);
            word |= HASH_INDEX_BIT;
        }
        self.buffer.extend_from_slice(&word.to_le_bytes());
        &self.buffer
    }

    /// Finishes the block and takes its bytes; the builder starts the next block.
    pub fn take(&mut self) -> LargeVec<u8> {
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
        self.last_key.clear();
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
