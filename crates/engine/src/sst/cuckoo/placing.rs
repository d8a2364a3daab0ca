//! The assignment of a bucket to every entry, by cuckoo hashing.
//!
//! An entry is put into the first free bucket of its path. If all are taken, some entry must move along its own path: a
//! breadth-first search over the relation "the entry in this bucket could also be in that one" finds the shortest chain
//! of moves that ends in a free bucket. If there is no chain within the depth that the options allow, all keys get one
//! more hash; placed entries stay where they are, since their paths only get longer.
//!
//! **CU1** holds: an entry moves only after the search has found that no bucket of its path is free, or to the first
//! free one, and a bucket never becomes free again.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::HASHES_MAX;
use super::layout::Layout;
use crate::error::{Error, Result};

/// An empty bucket.
pub(super) const FREE: u32 = u32::MAX;

/// The user keys of entries, by entry number.
pub(super) trait Keys {
    /// The user key of an entry.
    fn user_key(&self, entry: u32) -> &[u8];
}

/// A step of the search.
#[derive(Clone, Copy)]
struct Node {
    bucket: u64,
    /// The node whose entry would move to this bucket; `None` for the buckets of the searched path
    /// itself.
    parent: Option<u32>,
    depth: u32,
}

/// The buckets while they are being filled.
struct Placing<'a, K> {
    keys: &'a K,
    layout: &'a mut Layout,
    depth_max: u32,
    /// The entry in each bucket.
    buckets: Vec<u32>,
    /// The last search that visited each bucket.
    seen: Vec<u32>,
    search: u32,
    nodes: Vec<Node>,
}

/// Places entries `0..count`. Returns the entry in each bucket, or [`FREE`]. May add hashes to the
/// layout.
pub(super) fn place<K: Keys>(
    keys: &K,
    count: u32,
    layout: &mut Layout,
    depth_max: u32,
) -> Result<Vec<u32>> {
    let buckets = layout.buckets().unwrap_or(u64::MAX);
    if buckets >= u64::from(u32::MAX) {
        return Err(Error::not_supported("Number of keys in a file must be < 2^32-1"));
    }
    let buckets = buckets as usize;
    let mut placing = Placing {
        keys,
        layout,
        depth_max,
        buckets: vec![FREE; buckets],
        seen: vec![0; buckets],
        search: 0,
        nodes: Vec::new(),
    };
    for entry in 0..count {
        placing.insert(entry)?;
    }
    Ok(placing.buckets)
}

impl<K: Keys> Placing<'_, K> {
    fn insert(&mut self, entry: u32) -> Result<()> {
        let key = self.keys.user_key(entry);
        loop {
            let free = self.layout.path(key).find(|&b| self.at(b) == FREE);
            if let Some(free) = free {
                self.set(free, entry);
                return Ok(());
            }
            if let Some(end) = self.find_chain(key) {
                self.move_along(end, entry);
                return Ok(());
            }
            if self.layout.hashes >= HASHES_MAX {
                return Err(Error::not_supported("Too many collisions. Unable to hash."));
            }
            self.layout.hashes += 1;
        }
    }

    #[inline]
    fn at(&self, bucket: u64) -> u32 {
        self.buckets.get(bucket as usize).copied().unwrap_or(FREE)
    }

    fn set(&mut self, bucket: u64, entry: u32) {
        if let Some(place) = self.buckets.get_mut(bucket as usize) {
            *place = entry;
        }
    }

    /// Searches from the path of a key, all of whose buckets are taken. Returns the node of a free
    /// bucket.
    fn find_chain(&mut self, key: &[u8]) -> Option<u32> {
        self.search += 1;
        self.nodes.clear();
        self.look_at(key, None, 0);
        let mut next = 0;
        while let Some(node) = self.nodes.get(next) {
            let (bucket, depth) = (node.bucket, node.depth);
            if depth >= self.depth_max {
                return None;
            }
            let mover = self.keys.user_key(self.at(bucket));
            if let Some(end) = self.look_at(mover, Some(next as u32), depth + 1) {
                return Some(end);
            }
            next += 1;
        }
        None
    }

    /// Adds the buckets of a path that this search has not visited, up to a free one.
    fn look_at(&mut self, key: &[u8], parent: Option<u32>, depth: u32) -> Option<u32> {
        for bucket in self.layout.path(key) {
            match self.seen.get_mut(bucket as usize) {
                Some(seen) if *seen != self.search => *seen = self.search,
                _ => continue,
            }
            self.nodes.push(Node { bucket, parent, depth });
            if self.buckets.get(bucket as usize) == Some(&FREE) {
                return Some(self.nodes.len() as u32 - 1);
            }
        }
        None
    }

    /// Moves the entries of a chain by one step each, starting at its free end, and puts `entry` at
    /// the start of the chain.
    fn move_along(&mut self, end: u32, entry: u32) {
        let mut node = self.nodes.get(end as usize).copied();
        while let Some(Node { bucket, parent, .. }) = node {
            node = parent.and_then(|parent| self.nodes.get(parent as usize)).copied();
            self.set(bucket, node.map_or(entry, |from| self.at(from.bucket)));
        }
    }
}

#[cfg(test)]
#[path = "placing_test.rs"]
mod tests;
