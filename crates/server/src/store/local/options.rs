//! The engine's options, derived from few settings of the server.

use crate::error::Result;
use crate::rows::{pegasus, redis};
use crate::store::directory::{FORMATS, FormatVersion};
use crate::store::filter::{FamilySlot, RedisFilterFactory};
use crate::store::pegasus_filter::PegasusFilterFactory;
use crate::store::{Durability, Format, Horizons, Partition};
use ferrolith::{
    BlockBasedOptions, Cache, ColumnFamilyOptions, CompressionType, Db, Options, WriteBufferManager,
};
use std::path::Path;
use std::sync::Arc;

/// The cache of rows has one byte in so many.
const ROWS_SHARE: usize = 4;

/// The names of prefix extractors. Tables record them: filters of tables with another name are not asked for prefixes.
/// Whoever changes which prefix a key has must change the name.
const REDIS_PREFIX: &str = "ferrolith-server.redis.collection";
const PEGASUS_PREFIX: &str = "ferrolith-server.pegasus.hash-key";

/// Settings of a store.
#[derive(Clone)]
pub struct StoreOptions {
    /// When commits reach the device.
    pub durability: Durability,
    /// Bytes for cached rows, cached blocks and memtables together.
    pub memory_bytes: usize,
    /// Flushes and compactions that run at once.
    pub background_jobs: i32,
    /// The formats of directories that may be opened.
    pub formats: &'static [FormatVersion],
    cache: Arc<Cache>,
    memtables: Arc<WriteBufferManager>,
}

impl StoreOptions {
    /// Returns settings with this much memory: a quarter of it for the cache of rows, and the rest for the block cache,
    /// to which memtables are charged, at most another quarter.
    ///
    /// A cached row takes its own bytes instead of a block's, and less time. Blocks keep more than half of the memory,
    /// because they also hold indexes and filters (a hundredth of the data), and serve scans and absent keys.
    pub fn new(durability: Durability, memory_bytes: usize, background_jobs: i32) -> StoreOptions {
        let cache = Cache::new_hyper_clock(memory_bytes - StoreOptions::rows_bytes(memory_bytes));
        let bytes = StoreOptions::memtables_bytes(memory_bytes);
        let memtables = WriteBufferManager::with_cache(bytes, Some(cache.clone()), false);
        StoreOptions {
            durability,
            memory_bytes,
            background_jobs,
            formats: FORMATS,
            cache,
            memtables,
        }
    }

    /// Returns the share of a store's memory for cached rows, in bytes.
    pub fn rows_bytes(memory_bytes: usize) -> usize {
        memory_bytes / ROWS_SHARE
    }

    /// Returns the bytes for cached rows.
    pub(super) fn row_cache_bytes(&self) -> usize {
        StoreOptions::rows_bytes(self.memory_bytes)
    }

    /// Returns the share of a store's memory for memtables, in bytes: all partitions flush when it is used up.
    pub fn memtables_bytes(memory_bytes: usize) -> usize {
        memory_bytes / 4
    }

    /// Returns the size at which a partition's memtable is flushed, in bytes.
    pub fn memtable_bytes(memory_bytes: usize) -> usize {
        (memory_bytes / 8).clamp(1 << 20, 64 << 20)
    }

    /// Returns the size of the log at which the oldest memtables are flushed, in bytes.
    pub fn log_bytes(memory_bytes: usize) -> u64 {
        (memory_bytes as u64).max(256 << 20)
    }

    /// Returns the options to open a database with, and its partitions.
    #[expect(clippy::type_complexity, reason = "three parts, taken apart at once")]
    pub(super) fn opening(
        &self,
        path: &Path,
        horizons: &Arc<Horizons>,
    ) -> Result<(Options, Vec<(Partition, FamilySlot, String)>)> {
        let mut options = Options::new()
            .create_if_missing(true)
            .max_background_jobs(self.background_jobs)
            .write_buffer_manager(&self.memtables)
            .max_total_wal_size(StoreOptions::log_bytes(self.memory_bytes))
            .block_based_table(self.table());
        let exists = path.join("CURRENT").exists();
        let names = if exists { Db::list_cf(Options::new(), path)? } else { Vec::new() };
        let mut partitions = Vec::new();
        for name in names {
            let Some((partition, format)) = parse_family_name(&name) else { continue };
            let slot = FamilySlot::default();
            options = options.column_family(name.clone(), self.family(format, horizons, &slot));
            partitions.push((partition, slot, name));
        }
        Ok((options, partitions))
    }

    /// Returns the options of a partition's family.
    pub(super) fn family(
        &self,
        format: Format,
        horizons: &Arc<Horizons>,
        slot: &FamilySlot,
    ) -> ColumnFamilyOptions {
        let options = ColumnFamilyOptions::new()
            .write_buffer_size(StoreOptions::memtable_bytes(self.memory_bytes))
            .compression(CompressionType::Lz4)
            .level_compaction_dynamic_level_bytes(true)
            .block_based_table(self.table());
        // With the prefixes in the tables' filters, a read of one collection skips tables that have nothing of it.
        match format {
            Format::Redis => options
                .prefix_extractor(REDIS_PREFIX, redis::collection_of)
                .compaction_filter_factory(RedisFilterFactory {
                    horizons: horizons.clone(),
                    family: slot.clone(),
                }),
            Format::Pegasus => options
                .prefix_extractor(PEGASUS_PREFIX, pegasus::hash_key_prefix)
                .compaction_filter_factory(PegasusFilterFactory { horizons: horizons.clone() }),
        }
    }

    /// Returns the options of files of rows that are written for partitions of a format.
    pub(super) fn sorted_file(&self, format: Format) -> Options {
        let options =
            Options::new().compression(CompressionType::Lz4).block_based_table(self.table());
        match format {
            Format::Redis => options.prefix_extractor(REDIS_PREFIX, redis::collection_of),
            Format::Pegasus => options.prefix_extractor(PEGASUS_PREFIX, pegasus::hash_key_prefix),
        }
    }

    /// Returns the bytes of memtables, those from which on they are flushed, and what the cache is charged for them.
    pub(super) fn memtables(&self) -> (u64, u64, u64) {
        let all = &self.memtables;
        let charged = all.dummy_entries_in_cache_usage();
        (all.memory_usage() as u64, all.buffer_size() as u64, charged as u64)
    }

    fn table(&self) -> BlockBasedOptions {
        BlockBasedOptions::new().block_cache(&self.cache).bloom_filter(10.0)
    }
}

/// Returns the name of a partition's family.
pub(super) fn family_name(partition: Partition, format: Format) -> String {
    let letter = match format {
        Format::Redis => 'r',
        Format::Pegasus => 'p',
    };
    format!("{letter}{}", partition.0)
}

fn parse_family_name(name: &str) -> Option<(Partition, Format)> {
    let (format, number) = match name.split_at_checked(1)? {
        ("r", number) => (Format::Redis, number),
        ("p", number) => (Format::Pegasus, number),
        _ => return None,
    };
    Some((Partition(number.parse().ok()?), format))
}

#[cfg(test)]
#[path = "options_test.rs"]
mod tests;
