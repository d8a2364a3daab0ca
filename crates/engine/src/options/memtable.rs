//! Memtable representations.

/// The data structure that holds recent writes.
#[derive(Clone, Debug, PartialEq)]
pub enum MemtableFactory {
    /// `skip_list`: concurrent inserts, and reads in any order.
    SkipList {
        /// The number of entries that a seek may step over before it searches; accepted, has no effect.
        lookahead: usize,
    },
    /// `prefix_hash`: a skip list per prefix.
    HashSkipList {
        /// The number of buckets of the hash table.
        bucket_count: usize,
        /// The maximum tower height of a bucket's list.
        skiplist_height: i32,
        /// One in this many towers is a level taller.
        skiplist_branching_factor: i32,
    },
    /// `hash_linkedlist`: a sorted list per prefix.
    HashLinkList {
        /// The number of buckets of the hash table.
        bucket_count: usize,
    },
    /// `vector`: entries are appended, and sorted when first read.
    Vector {
        /// The initial capacity in entries.
        count: usize,
    },
}

impl Default for MemtableFactory {
    fn default() -> MemtableFactory {
        MemtableFactory::SkipList { lookahead: 0 }
    }
}

impl MemtableFactory {
    /// Returns RocksDB's defaults of `prefix_hash`.
    pub fn hash_skip_list() -> MemtableFactory {
        MemtableFactory::HashSkipList {
            bucket_count: 1_000_000,
            skiplist_height: 4,
            skiplist_branching_factor: 4,
        }
    }

    /// Returns the name in RocksDB's LOG and OPTIONS.
    pub fn name(&self) -> &'static str {
        match self {
            MemtableFactory::SkipList { .. } => "SkipListFactory",
            MemtableFactory::HashSkipList { .. } => "HashSkipListRepFactory",
            MemtableFactory::HashLinkList { .. } => "HashLinkListRepFactory",
            MemtableFactory::Vector { .. } => "VectorRepFactory",
        }
    }
}
