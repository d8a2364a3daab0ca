//! The names. RocksDB's, letter for letter, since dashboards look for them.

/// Makes an enum whose variants index counters, with a name for each.
macro_rules! named {
    ($(#[$doc:meta])* $kind:ident { $($(#[$row:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $kind {
            $($(#[$row])* $variant,)*
        }

        impl $kind {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [$kind] = &[$($kind::$variant,)*];

            /// How many there are.
            pub const COUNT: usize = $kind::ALL.len();

            /// RocksDB's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)*
                }
            }

            /// The one with this name.
            pub fn from_name(name: &str) -> Option<$kind> {
                $kind::ALL.iter().copied().find(|t| t.name() == name)
            }
        }
    };
}

named! {
    /// A count that only grows.
    Ticker {
        /// Blocks that were not in the block cache.
        BlockCacheMiss = "rocksdb.block.cache.miss",
        /// Blocks that were.
        BlockCacheHit = "rocksdb.block.cache.hit",
        /// Blocks put into the cache.
        BlockCacheAdd = "rocksdb.block.cache.add",
        /// Lookups that a table's filter ended before a data block.
        BloomFilterUseful = "rocksdb.bloom.filter.useful",
        /// Lookups that it let through.
        BloomFilterFullPositive = "rocksdb.bloom.filter.full.positive",
        /// Lookups answered by memtables.
        MemtableHit = "rocksdb.memtable.hit",
        /// Lookups that went on to files.
        MemtableMiss = "rocksdb.memtable.miss",
        /// Lookups answered by level 0.
        GetHitL0 = "rocksdb.l0.hit",
        /// Lookups answered by level 1.
        GetHitL1 = "rocksdb.l1.hit",
        /// Lookups answered by deeper levels.
        GetHitL2AndUp = "rocksdb.l2andup.hit",
        /// Entries dropped by compaction because a newer one hides them.
        CompactionKeyDropNewerEntry = "rocksdb.compaction.key.drop.new",
        /// Tombstones dropped because nothing older is left to hide.
        CompactionKeyDropObsolete = "rocksdb.compaction.key.drop.obsolete",
        /// Entries that compactions dropped because range tombstones hide them.
        CompactionKeyDropRangeDel = "rocksdb.compaction.key.drop.range_del",
        /// Entries that a compaction filter dropped.
        CompactionKeyDropUser = "rocksdb.compaction.key.drop.user",
        /// Range tombstones that compactions dropped because nothing is left to hide.
        CompactionRangeDelDropObsolete = "rocksdb.compaction.range_del.drop.obsolete",
        /// Keys written by the user.
        NumberKeysWritten = "rocksdb.number.keys.written",
        /// Keys looked up by the user.
        NumberKeysRead = "rocksdb.number.keys.read",
        /// Bytes of write batches.
        BytesWritten = "rocksdb.bytes.written",
        /// Bytes of values returned by lookups.
        BytesRead = "rocksdb.bytes.read",
        /// Calls of an iterator's seeks.
        NumberDbSeek = "rocksdb.number.db.seek",
        /// Calls of an iterator's `next`.
        NumberDbNext = "rocksdb.number.db.next",
        /// Calls of an iterator's `prev`.
        NumberDbPrev = "rocksdb.number.db.prev",
        /// Seeks that found an entry.
        NumberDbSeekFound = "rocksdb.number.db.seek.found",
        /// `next`s that found an entry.
        NumberDbNextFound = "rocksdb.number.db.next.found",
        /// `prev`s that found an entry.
        NumberDbPrevFound = "rocksdb.number.db.prev.found",
        /// Bytes of keys and values that iterators stood on.
        IterBytesRead = "rocksdb.db.iter.bytes.read",
        /// Iterators made.
        NoIteratorCreated = "rocksdb.num.iterator.created",
        /// Iterators dropped.
        NoIteratorDeleted = "rocksdb.num.iterator.deleted",
        /// Tables opened.
        NoFileOpens = "rocksdb.no.file.opens",
        /// Tables that could not be opened.
        NoFileErrors = "rocksdb.no.file.errors",
        /// Microseconds that writers were delayed or stopped.
        StallMicros = "rocksdb.stall.micros",
        /// Calls of `multi_get`.
        NumberMultigetCalls = "rocksdb.number.multiget.get",
        /// Keys looked up by them.
        NumberMultigetKeysRead = "rocksdb.number.multiget.keys.read",
        /// Bytes of values returned by them.
        NumberMultigetBytesRead = "rocksdb.number.multiget.bytes.read",
        /// Syncs of the WAL.
        WalFileSynced = "rocksdb.wal.synced",
        /// Bytes appended to the WAL.
        WalFileBytes = "rocksdb.wal.bytes",
        /// Writes that asked for the WAL.
        WriteWithWal = "rocksdb.write.wal",
        /// Bytes read by compactions.
        CompactReadBytes = "rocksdb.compact.read.bytes",
        /// Bytes written by compactions.
        CompactWriteBytes = "rocksdb.compact.write.bytes",
        /// Bytes written by flushes.
        FlushWriteBytes = "rocksdb.flush.write.bytes",
    }
}

named! {
    /// A distribution of sizes or of microseconds.
    HistogramType {
        /// A lookup.
        DbGet = "rocksdb.db.get.micros",
        /// A write, from call to return.
        DbWrite = "rocksdb.db.write.micros",
        /// A compaction, wall time.
        CompactionTime = "rocksdb.compaction.times.micros",
        /// A sync of the WAL.
        WalFileSyncMicros = "rocksdb.wal.file.sync.micros",
        /// A `multi_get`.
        DbMultiget = "rocksdb.db.multiget.micros",
        /// A seek of an iterator.
        DbSeek = "rocksdb.db.seek.micros",
        /// A writer's wait in a stall.
        WriteStall = "rocksdb.db.write.stall",
        /// A flush.
        FlushTime = "rocksdb.db.flush.micros",
        /// Bytes of a value that was read.
        BytesPerRead = "rocksdb.bytes.per.read",
        /// Bytes of a write batch.
        BytesPerWrite = "rocksdb.bytes.per.write",
    }
}

impl HistogramType {
    /// Whether it counts microseconds.
    pub fn is_time(self) -> bool {
        !matches!(self, HistogramType::BytesPerRead | HistogramType::BytesPerWrite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_found() {
        let mut seen = BTreeSet::new();
        for t in Ticker::ALL {
            assert!(seen.insert(t.name()), "{}", t.name());
            assert_eq!(Ticker::from_name(t.name()), Some(*t));
        }
        for h in HistogramType::ALL {
            assert!(seen.insert(h.name()), "{}", h.name());
            assert_eq!(HistogramType::from_name(h.name()), Some(*h));
        }
        assert_eq!(Ticker::from_name("rocksdb.nothing"), None);
        assert_eq!(Ticker::BlockCacheHit.name(), "rocksdb.block.cache.hit");
    }
}
