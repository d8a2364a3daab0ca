//! The index and Bloom filter that `store_index_in_file` adds to a file, for RocksDB's readers.
//! This engine's reader does not use them: it has its own index (`index.rs`).
//!
//! ```text
//! index  = varint32 index size, varint32 prefixes, fixed32 bucket * index size, sub-index
//! bucket = 0x7FFFFFFF                     no prefix has this hash
//!        | offset of a row                 one indexed row
//!        | 1 << 31 | offset in sub-index   several
//! sub-index entry = varint32 count, fixed32 row offset * count
//! ```
//! The index contains the first row of each prefix and then one of every `index_sparseness` rows.
//! The bucket of a prefix is its Hash32 (seed 397) modulo the index size. In total order mode all
//! rows belong to the empty prefix.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::base::coding::{put_fixed32, put_varint32};
use crate::base::hash::hash32;

/// RocksDB's seed for hashes of slices.
const SEED: u32 = 397;
const EMPTY: u32 = 0x7FFF_FFFF;
const SEVERAL: u32 = 1 << 31;
const PROBES: u32 = 6;

/// The hash of a prefix in both blocks.
pub(super) fn prefix_hash(prefix: &[u8]) -> u32 {
    hash32(prefix, SEED)
}

/// Collects the rows for the index, in order.
#[derive(Debug, Default)]
pub(super) struct StoredIndex {
    sparseness: usize,
    hash_table_ratio: f64,
    prefixes: u32,
    last_prefix: Vec<u8>,
    last_hash: u32,
    rows_of_prefix: usize,
    /// The hash of the prefix and the offset of the row.
    records: Vec<(u32, u32)>,
}

impl StoredIndex {
    /// An empty index. A ratio of 0 means total order mode: one bucket.
    pub(super) fn new(sparseness: usize, hash_table_ratio: f64) -> StoredIndex {
        StoredIndex { sparseness: sparseness.max(1), hash_table_ratio, ..StoredIndex::default() }
    }

    /// Adds the next row and its prefix.
    pub(super) fn add(&mut self, prefix: &[u8], offset: u32) {
        if self.prefixes == 0 || self.last_prefix != prefix {
            self.prefixes += 1;
            self.rows_of_prefix = 0;
            self.last_hash = prefix_hash(prefix);
            self.last_prefix.clear();
            self.last_prefix.extend_from_slice(prefix);
        }
        if self.rows_of_prefix.is_multiple_of(self.sparseness) {
            self.records.push((self.last_hash, offset));
        }
        self.rows_of_prefix += 1;
    }

    /// The maximum size of the block so far, in bytes.
    pub(super) fn max_len(&self) -> u64 {
        let buckets = u64::from(self.index_size());
        16 + 4 * buckets + 9 * self.records.len() as u64
    }

    fn index_size(&self) -> u32 {
        if self.hash_table_ratio <= 0.0 {
            return 1;
        }
        (f64::from(self.prefixes) / self.hash_table_ratio) as u32 + 1
    }

    /// Encodes the block.
    pub(super) fn encode(&self) -> Vec<u8> {
        let size = self.index_size();
        let mut by_bucket: Vec<(u32, u32)> =
            self.records.iter().map(|&(hash, offset)| (hash % size, offset)).collect();
        // Offsets already ascend; a stable sort keeps their order inside each bucket.
        by_bucket.sort_by_key(|&(bucket, _)| bucket);
        let mut buckets = vec![EMPTY; size as usize];
        let mut sub_index = Vec::new();
        for rows in by_bucket.chunk_by(|a, b| a.0 == b.0) {
            let Some(&(bucket, first)) = rows.first() else { continue };
            let Some(bucket) = buckets.get_mut(bucket as usize) else { continue };
            if rows.len() == 1 {
                *bucket = first;
                continue;
            }
            *bucket = SEVERAL | sub_index.len() as u32;
            put_varint32(&mut sub_index, rows.len() as u32);
            for &(_, offset) in rows {
                put_fixed32(&mut sub_index, offset);
            }
        }
        let mut out = Vec::with_capacity(10 + 4 * buckets.len() + sub_index.len());
        put_varint32(&mut out, size);
        put_varint32(&mut out, self.prefixes);
        for bucket in buckets {
            put_fixed32(&mut out, bucket);
        }
        out.extend_from_slice(&sub_index);
        out
    }
}

/// The bytes of a Bloom filter over these hashes, without cache locality.
pub(super) fn bloom_block(hashes: &[u32], total_bits: u32) -> Vec<u8> {
    let total_bits = u64::from(total_bits).next_multiple_of(8).max(8);
    let mut bits = vec![0u8; (total_bits / 8) as usize];
    for &hash in hashes {
        let (mut h, delta) = (hash, hash.rotate_right(17));
        for _ in 0..PROBES {
            let bit = u64::from(h) % total_bits;
            if let Some(byte) = bits.get_mut((bit / 8) as usize) {
                *byte |= 1 << (bit % 8);
            }
            h = h.wrapping_add(delta);
        }
    }
    bits
}
