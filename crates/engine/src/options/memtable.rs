//! Structures of memtables.

/// Which structure holds recent writes in order.
#[derive(Clone, Debug, PartialEq)]
pub enum MemtableFactory {
    /// `skip_list`: concurrent inserts, any order of reading.
    SkipList {
        /// Entries that a seek may step over before it searches; accepted, has no effect.
        lookahead: usize,
    },
    /// `prefix_hash`: a skip list per prefix.
    HashSkipList {
        /// Buckets of the hash table.
        bucket_count: usize,
        /// Tallest tower of a bucket's list.
        skiplist_height: i32,
        /// One tower in so many is a level taller.
        skiplist_branching_factor: i32,
    },
    /// `hash_linkedlist`: a sorted list per prefix.
    HashLinkList {
        /// Buckets of the hash table.
        bucket_count: usize,
    },
    /// `vector`: appended, sorted when first read.
    Vector {
        /// Entries that there is room for at first.
        count: usize,
    },
}

impl Default for MemtableFactory {
    fn default() -> MemtableFactory {
        MemtableFactory::SkipList { lookahead: 0 }
    }
}

impl MemtableFactory {
    /// RocksDB's defaults of `prefix_hash`.
    pub fn hash_skip_list() -> MemtableFactory {
        MemtableFactory::HashSkipList {
            bucket_count: 1_000_000,
            skiplist_height: 4,
            skiplist_branching_factor: 4,
        }
    }

    /// The name in RocksDB's LOG and OPTIONS.
    pub fn name(&self) -> &'static str {
        match self {
            MemtableFactory::SkipList { .. } => "SkipListFactory",
            MemtableFactory::HashSkipList { .. } => "HashSkipListRepFactory",
            MemtableFactory::HashLinkList { .. } => "HashLinkListRepFactory",
            MemtableFactory::Vector { .. } => "VectorRepFactory",
        }
    }
}
