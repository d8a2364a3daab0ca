//! Collects one separator per data block and writes the index block; see `index` for the bytes.

use super::block_builder::BlockBuilder;
use crate::base::coding::put_varsignedint64;
use crate::base::key::{TRAILER_SIZE, ValueType, pack_trailer, user_key};
use crate::base::{KeyOrder, MAX_SEQUENCE_NUMBER};
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use std::cmp::Ordering;

/// The index of a table that is being written.
pub struct IndexBuilder {
    order: KeyOrder,
    format_version: u32,
    restart_interval: usize,
    /// Separators as internal keys, one after the other, and where each ends.
    keys: Vec<u8>,
    ends: Vec<usize>,
    handles: Vec<BlockHandle>,
    /// Two neighbouring blocks hold the same user key, so separators need their trailers.
    needs_trailers: bool,
}

/// A finished index.
pub struct FinishedIndex {
    /// The block.
    pub bytes: Vec<u8>,
    /// Its keys lack the trailer.
    pub user_keys: bool,
    /// Its values may be deltas.
    pub delta_values: bool,
}

impl IndexBuilder {
    /// An empty index.
    pub fn new(order: KeyOrder, format_version: u32, restart_interval: usize) -> IndexBuilder {
        IndexBuilder {
            order,
            format_version,
            restart_interval,
            keys: Vec::new(),
            ends: Vec::new(),
            handles: Vec::new(),
            needs_trailers: false,
        }
    }

    /// Adds a block that ends with `last` and is followed by `next`.
    pub fn add(&mut self, last: &[u8], next: Option<&[u8]>, handle: BlockHandle) {
        let last_user = user_key(last);
        let mut separator = None;
        if let Some(next) = next {
            let next_user = user_key(next);
            if self.order.equal_user(last_user, next_user) {
                self.needs_trailers = true;
            } else {
                let mut short = last_user.to_vec();
                self.order.user_comparator().find_shortest_separator(&mut short, next_user);
                let shorter = short.len() <= last_user.len()
                    && self.order.compare_user(last_user, &short) == Ordering::Less;
                separator = Some(short).filter(|_| shorter);
            }
        }
        match separator {
            Some(short) => {
                // It sorts before every entry of its user key, should there be one. The type byte
                // means nothing; this one is the largest that RocksDB 7.8.3 knows.
                let t = pack_trailer(MAX_SEQUENCE_NUMBER, ValueType::WideColumnEntity);
                self.keys.extend_from_slice(&short);
                self.keys.extend_from_slice(&t.to_le_bytes());
            }
            None => self.keys.extend_from_slice(last),
        }
        self.ends.push(self.keys.len());
        self.handles.push(handle);
    }

    /// The index block.
    pub fn finish(&self) -> FinishedIndex {
        let user_keys = self.format_version >= 3 && !self.needs_trailers;
        let delta_values = self.format_version >= 4;
        let mut block = BlockBuilder::new(self.restart_interval);
        let mut previous = BlockHandle::default();
        let mut start = 0;
        let (mut full, mut delta) = (Vec::new(), Vec::new());
        for (&end, &handle) in self.ends.iter().zip(&self.handles) {
            let cut = if user_keys { TRAILER_SIZE } else { 0 };
            let key = &self.keys[start..end - cut];
            start = end;
            full.clear();
            handle.encode(&mut full);
            if delta_values {
                debug_assert!(previous.size == 0 || follows(previous, handle));
                delta.clear();
                put_varsignedint64(&mut delta, handle.size.wrapping_sub(previous.size) as i64);
                block.add_without_length(key, &full, &delta);
            } else {
                block.add(key, &full);
            }
            previous = handle;
        }
        FinishedIndex { bytes: block.take(), user_keys, delta_values }
    }
}

/// Deltas say nothing about offsets: blocks must lie side by side.
fn follows(previous: BlockHandle, handle: BlockHandle) -> bool {
    handle.offset == previous.offset + previous.size + BLOCK_TRAILER_SIZE as u64
}
