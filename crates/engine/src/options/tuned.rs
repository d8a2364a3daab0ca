//! Presets of several settings for one purpose each. The values are RocksDB's.

use super::{
    BlockBasedTableOptions, ColumnFamilyOptions, CompactionStyle, DataBlockIndexType, DbOptions,
    FilterPolicy, Options, TableFactory,
};
use crate::cache::Cache;
use crate::compress::CompressionType;

impl Options {
    /// Prepares for bulk loading: nothing is compacted and no writer is stalled until the program compacts everything
    /// manually.
    pub fn prepare_for_bulk_load(&mut self) {
        let (db, cf) = (&mut self.db, &mut self.cf);
        cf.level0_file_num_compaction_trigger = 1 << 30;
        cf.level0_slowdown_writes_trigger = 1 << 30;
        cf.level0_stop_writes_trigger = 1 << 30;
        cf.soft_pending_compaction_bytes_limit = 0;
        cf.hard_pending_compaction_bytes_limit = 0;
        cf.disable_auto_compactions = true;
        // The one manual compaction moves all of level 0 into one other level.
        cf.max_compaction_bytes = 1 << 60;
        cf.num_levels = 2;
        cf.max_write_buffer_number = 6;
        cf.min_write_buffer_number_to_merge = 1;
        db.max_background_flushes = 4;
        db.max_background_compactions = 2;
        cf.target_file_size_base = 256 << 20;
    }
}

impl DbOptions {
    /// Sets the number of concurrent background jobs.
    pub fn increase_parallelism(&mut self, total_threads: i32) {
        self.max_background_jobs = total_threads;
    }
}

impl ColumnFamilyOptions {
    /// Optimises for lookups of single keys, with a block cache of this many MiB.
    pub fn optimize_for_point_lookup(&mut self, block_cache_size_mb: u64) {
        let bytes = block_cache_size_mb.saturating_mul(1 << 20);
        self.table_factory = TableFactory::BlockBased(BlockBasedTableOptions {
            data_block_index_type: DataBlockIndexType::BinaryAndHash,
            data_block_hash_table_util_ratio: 0.75,
            filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
            block_cache: Some(Cache::new_lru(usize::try_from(bytes).unwrap_or(usize::MAX))),
            ..BlockBasedTableOptions::default()
        });
        self.memtable_prefix_bloom_size_ratio = 0.02;
        self.memtable_whole_key_filtering = true;
    }

    /// Chooses levels that suit memtables with this many bytes in total.
    pub fn optimize_level_style_compaction(&mut self, memtable_memory_budget: u64) {
        self.set_memtables(memtable_memory_budget);
        // Level 0 is compacted when it is as large as all memtables.
        self.level0_file_num_compaction_trigger = 2;
        self.target_file_size_base = memtable_memory_budget / 8;
        self.max_bytes_for_level_base = memtable_memory_budget;
        self.compaction_style = CompactionStyle::Level;
        let codec = |level| if level < 2 { CompressionType::None } else { CompressionType::Lz4 };
        self.compression_per_level = (0..self.num_levels).map(codec).collect();
    }

    /// Chooses universal compaction that suits memtables with this many bytes in total.
    pub fn optimize_universal_style_compaction(&mut self, memtable_memory_budget: u64) {
        self.set_memtables(memtable_memory_budget);
        self.compaction_style = CompactionStyle::Universal;
        self.compaction_options_universal.compression_size_percent = 80;
    }

    fn set_memtables(&mut self, budget: u64) {
        self.write_buffer_size = usize::try_from(budget / 4).unwrap_or(usize::MAX);
        self.min_write_buffer_number_to_merge = 2;
        self.max_write_buffer_number = 6;
    }
}
