//! Setters of options of one column family, for [`ColumnFamilyOptions`] and, for the default family, [`Options`].

use super::{
    BlockBasedOptions, ColumnFamilyOptions, CompactionPri, CompactionStyle, CompressionType,
    MemtableFactory, Options, PlainTableOptions,
};
use crate::api::hooks;
use crate::base::{Comparator, ReverseBytewiseComparator};
use crate::hooks::{
    CappedPrefixTransform, CompactionFilterFactory, FilterDecision, FixedPrefixTransform,
    MergeOperator, UInt64AddOperator,
};
use crate::options::TableFactory;
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

/// Setters that store their argument in the field of the same name.
macro_rules! plain {
    ($options:ident $($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        impl $options {$(
            $(#[$doc])*
            #[must_use]
            pub fn $name(mut self, $name: $type) -> $options {
                self.family().$name = $name;
                self
            }
        )*}
    };
}

macro_rules! setters {
    ($($options:ident)*) => {$(
        plain! { $options
            /// The size of a memtable in bytes at which it is flushed. Default: 64 MiB.
            write_buffer_size: usize;
            /// The maximum number of memtables in memory before writers wait for a flush. Default: 2.
            max_write_buffer_number: i32;
            /// The minimum number of memtables that are flushed together. Default: 1.
            min_write_buffer_number_to_merge: i32;
            /// The number of range deletions after which a memtable is flushed; 0 means never. Default: 0.
            memtable_max_range_deletions: u32;
            /// The structure of memtables. Default: an ordered tree.
            memtable_factory: MemtableFactory;
            /// The size of a memtable's Bloom filter as a fraction of the write buffer; 0 means no filter. Default: 0.
            memtable_prefix_bloom_size_ratio: f64;
            /// Adds whole keys to the memtable's Bloom filter. Default: false.
            memtable_whole_key_filtering: bool;
            /// The size in bytes of a memtable's memory chunks; 0 lets the engine choose. Default: 0.
            arena_block_size: usize;
            /// Lets puts overwrite the value in the memtable if it fits; snapshots then show the new value. Default:
            /// false.
            inplace_update_support: bool;
            /// The number of levels. Default: 7.
            num_levels: i32;
            /// The number of level-0 files at which a compaction starts. Default: 4.
            level0_file_num_compaction_trigger: i32;
            /// The number of level-0 files at which writers are delayed. Default: 20.
            level0_slowdown_writes_trigger: i32;
            /// The number of level-0 files at which writers are stopped. Default: 36.
            level0_stop_writes_trigger: i32;
            /// The size in bytes of a table of level 1. Default: 64 MiB.
            target_file_size_base: u64;
            /// The factor by which table sizes grow from level to level. Default: 1.
            target_file_size_multiplier: i32;
            /// The size in bytes of level 1. Default: 256 MiB.
            max_bytes_for_level_base: u64;
            /// The factor by which level sizes grow from level to level. Default: 10.
            max_bytes_for_level_multiplier: f64;
            /// Derives the sizes of levels from the last one. Default: true.
            level_compaction_dynamic_level_bytes: bool;
            /// The maximum number of bytes that one compaction reads; 0 means 25 tables. Default: 0.
            max_compaction_bytes: u64;
            /// The bytes of pending compactions at which writers are delayed; 0 means never. Default: 64 GiB.
            soft_pending_compaction_bytes_limit: u64;
            /// The bytes of pending compactions at which writers are stopped; 0 means never. Default: 256 GiB.
            hard_pending_compaction_bytes_limit: u64;
            /// The compaction style. Default: `Level`.
            compaction_style: CompactionStyle;
            /// The order in which the tables of a level are compacted. Default: `MinOverlappingRatio`.
            compaction_pri: CompactionPri;
            /// Disables automatic compactions. Default: false.
            disable_auto_compactions: bool;
            /// The codec of blocks. Default: `Snappy`.
            compression: CompressionType;
            /// Omits filters from the tables of the last level. Default: false.
            optimize_filters_for_hits: bool;
            /// After this many consecutive hidden entries, an iterator reseeks. Default: 8.
            max_sequential_skip_in_iterations: u64;
            /// Reads every new table again and checks it. Default: false.
            paranoid_file_checks: bool;
        }

        impl $options {
            /// Sets the codec of each level. Levels beyond the list use its last codec.
            #[must_use]
            pub fn compression_per_level(
                mut self,
                levels: impl IntoIterator<Item = CompressionType>,
            ) -> $options {
                self.family().compression_per_level = levels.into_iter().collect();
                self
            }

            /// Sets the codec of the last level. Default: the same as for other levels.
            #[must_use]
            pub fn bottommost_compression(mut self, codec: CompressionType) -> $options {
                self.family().bottommost_compression = Some(codec);
                self
            }

            /// Sets the compression level, as in `zstd -19`. Default: the codec's own.
            #[must_use]
            pub fn compression_level(mut self, level: i32) -> $options {
                self.family().compression_opts.level = level;
                self
            }

            /// Sets the time after which data is compacted to the next level or, with FIFO compaction, dropped
            /// (RocksDB's `ttl`), in whole seconds; zero means never. Default: 30 days.
            #[must_use]
            pub fn ttl(mut self, time: Duration) -> $options {
                self.family().ttl = time.as_secs();
                self
            }

            /// Sets the time after which a table is rewritten (RocksDB's `periodic_compaction_seconds`), in whole
            /// seconds; zero means never. Default: 30 days with universal compaction or a compaction filter.
            #[must_use]
            pub fn periodic_compaction(mut self, time: Duration) -> $options {
                self.family().periodic_compaction_seconds = time.as_secs();
                self
            }

            /// Writes tables of the block-based format with these options. This is the default format.
            #[must_use]
            pub fn block_based_table(mut self, options: BlockBasedOptions) -> $options {
                self.family().table_factory = TableFactory::BlockBased(options.inner);
                self
            }

            /// Writes tables of the plain format, for memory maps ([`Options::allow_mmap_reads`]).
            #[must_use]
            pub fn plain_table(mut self, options: PlainTableOptions) -> $options {
                self.family().table_factory = TableFactory::Plain(options);
                self
            }

            /// Sets a merge operator from a closure. The closure gets the key, the value below (`None` if there is
            /// none) and all operands, oldest first. It returns the new value; `None` makes the read or the compaction
            /// fail. Tables record the name, but opening does not compare it: use the operator for which the operands
            /// were written.
            #[must_use]
            pub fn merge_operator<F>(mut self, name: &str, full_merge: F) -> $options
            where
                F: Fn(&[u8], Option<&[u8]>, &[&[u8]]) -> Option<Vec<u8>> + Send + Sync + 'static,
            {
                self.family().merge_operator = Some(hooks::merge_operator(name, full_merge));
                self
            }

            /// Like [`merge_operator`](Self::merge_operator), for operands that can be merged with each other without
            /// the value below (a sum, a set union). Compactions merge them early.
            #[must_use]
            pub fn merge_operator_associative<F>(mut self, name: &str, merge: F) -> $options
            where
                F: Fn(&[u8], Option<&[u8]>, &[&[u8]]) -> Option<Vec<u8>> + Send + Sync + 'static,
            {
                self.family().merge_operator = Some(hooks::associative(name, merge));
                self
            }

            /// Sets a merge operator from a type that implements [`MergeOperator`].
            #[must_use]
            pub fn merge_operator_object(mut self, operator: impl MergeOperator) -> $options {
                self.family().merge_operator = Some(Arc::new(operator));
                self
            }

            /// Sets a merge operator that adds little-endian `u64`s: RocksDB's `uint64add`. As there, a value or
            /// operand of another length counts as 0.
            #[must_use]
            pub fn merge_operator_uint64_add(self) -> $options {
                self.merge_operator_object(UInt64AddOperator)
            }

            /// Sets a compaction filter from a closure, which is called for every value that a compaction would keep.
            /// It gets the level, the key and the value. Several threads may call it at once.
            #[must_use]
            pub fn compaction_filter<F>(mut self, name: &str, filter: F) -> $options
            where
                F: Fn(usize, &[u8], &[u8]) -> FilterDecision + Send + Sync + 'static,
            {
                self.family().compaction_filter = Some(hooks::compaction_filter(name, filter));
                self
            }

            /// Sets a factory that creates a compaction filter for each job.
            #[must_use]
            pub fn compaction_filter_factory(
                mut self,
                factory: impl CompactionFilterFactory,
            ) -> $options {
                self.family().compaction_filter_factory = Some(Arc::new(factory));
                self
            }

            /// Sets a comparator from a closure. Its name is recorded in the database, and opening the database with
            /// another name is an error. The order must be total and must never change.
            #[must_use]
            pub fn comparator<F>(mut self, name: &str, compare: F) -> $options
            where
                F: Fn(&[u8], &[u8]) -> Ordering + Send + Sync + 'static,
            {
                self.family().comparator = hooks::comparator(name, compare);
                self
            }

            /// Sets a comparator from a type that implements [`Comparator`].
            #[must_use]
            pub fn comparator_object(mut self, comparator: impl Comparator) -> $options {
                self.family().comparator = Arc::new(comparator);
                self
            }

            /// Orders keys bytewise from the largest to the smallest: RocksDB's `ReverseBytewiseComparator`.
            #[must_use]
            pub fn reverse_order(self) -> $options {
                self.comparator_object(ReverseBytewiseComparator)
            }

            /// Sets a prefix extractor from a closure, for prefix filters. The closure returns `None` for a key without
            /// a prefix. The name is recorded in tables. A prefix must be the beginning of its keys and its own prefix,
            /// and prefixes must sort like their keys. Otherwise scans that use filters
            /// ([`Db::prefix`](crate::Db::prefix)) may miss keys.
            #[must_use]
            pub fn prefix_extractor<F>(mut self, name: &str, prefix: F) -> $options
            where
                F: Fn(&[u8]) -> Option<&[u8]> + Send + Sync + 'static,
            {
                self.family().prefix_extractor = Some(hooks::prefix_extractor(name, prefix));
                self
            }

            /// Uses the first `bytes` bytes of a key as its prefix. Shorter keys have no prefix.
            #[must_use]
            pub fn fixed_prefix(mut self, bytes: usize) -> $options {
                let prefix = FixedPrefixTransform::new(bytes);
                self.family().prefix_extractor = Some(Arc::new(prefix));
                self
            }

            /// Uses the first `bytes` bytes of a key as its prefix. A shorter key is its own prefix.
            #[must_use]
            pub fn capped_prefix(mut self, bytes: usize) -> $options {
                let prefix = CappedPrefixTransform::new(bytes);
                self.family().prefix_extractor = Some(Arc::new(prefix));
                self
            }
        }
    )*};
}

setters! { Options ColumnFamilyOptions }

impl ColumnFamilyOptions {
    /// Sets the time to live of entries, in whole seconds, for a database opened with
    /// [`Db::open_with_ttl`](crate::Db::open_with_ttl).
    #[must_use]
    pub fn time_to_live(mut self, time: Duration) -> ColumnFamilyOptions {
        self.ttl = Some(time);
        self
    }
}
