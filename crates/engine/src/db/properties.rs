//! Properties by RocksDB's names: numbers and short reports about a running database.

use super::column_family::ColumnFamilyState;
use super::db_stats::Written;
use super::state::{DbInner, State};
use crate::cache::Cache;
use crate::compaction::picker::LevelShape;
use crate::env::sync::atomic::{AtomicU64, Ordering};
use crate::session::ColumnFamilyData;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

const MIB: f64 = 1024.0 * 1024.0;

/// A walk over a cache serves reports for so long, if somebody asks and if LOG wants it.
const STATS_AGE: Duration = Duration::from_secs(10);
const STATS_AGE_IN_LOG: Duration = Duration::from_secs(180);

impl DbInner {
    /// A property of a family, or `None` where there is no such property.
    pub(crate) fn property(&self, family: &ColumnFamilyData, name: &str) -> Option<String> {
        let name = name.strip_prefix("rocksdb.").or_else(|| name.strip_prefix("ferrolith."))?;
        if let Some(level) = name.strip_prefix("aggregated-table-properties") {
            return self.aggregated_table_properties(family, level);
        }
        let written = self.written();
        let state = self.state.lock();
        let cf = state.families.get(&family.id)?;
        if let Some(level) = name.strip_prefix("num-files-at-level") {
            let level: usize = level.parse().ok()?;
            return (level < cf.current.num_levels())
                .then(|| cf.current.num_files(level).to_string());
        }
        if let Some(level) = name.strip_prefix("compression-ratio-at-level") {
            let level: usize = level.parse().ok()?;
            return (level < cf.current.num_levels())
                .then(|| format!("{:.6}", compression_ratio(cf, level)));
        }
        if let Some(temperature) = name.strip_prefix("live-sst-files-size-at-temperature") {
            // Files have none: all are of the unknown one.
            let temperature: u32 = temperature.parse().ok()?;
            return Some(if temperature == 0 { cf.current.total_bytes() } else { 0 }.to_string());
        }
        match name {
            "stats" => Some(self.stats_text(cf, &written)),
            "cfstats-no-file-histogram" => Some(self.family_stats_text(cf, STATS_AGE, false)),
            "cfstats" => {
                Some(self.family_stats_text(cf, STATS_AGE, false) + &file_histogram(&cf.data.name))
            }
            "cf-file-histogram" => Some(file_histogram(&cf.data.name)),
            "cf-write-stall-stats" => Some(cf.jobs.stall_text()),
            "db-write-stall-stats" => Some(self.memory_stall_text()),
            "blob-stats" => Some(NO_BLOBS.to_owned()),
            "block-cache-entry-stats" => block_cache(cf).map(|cache| cache_text(&cache, STATS_AGE)),
            "fast-block-cache-entry-stats" => {
                block_cache(cf).map(|cache| cache_text(&cache, Duration::MAX))
            }
            "dbstats" => Some(self.db_stats_text(&written)),
            "levelstats" => Some(level_stats(cf)),
            "sstables" => Some(tables_text(cf)),
            "options-statistics" => self.statistics.as_ref().map(|s| s.to_text()),
            _ => self.number(&state, cf, &written, name).map(|n| n.to_string()),
        }
    }

    /// The sum of a number over all families; `None` where it is no such property of any.
    pub(crate) fn aggregated_property_int(&self, name: &str) -> Option<u64> {
        let name = name.strip_prefix("rocksdb.").or_else(|| name.strip_prefix("ferrolith."))?;
        let written = self.written();
        let state = self.state.lock();
        let mut numbers = state.families.values().map(|cf| self.number(&state, cf, &written, name));
        numbers.try_fold(0, |sum, number| Some(sum + number?))
    }

    fn number(
        &self,
        state: &State,
        cf: &ColumnFamilyState,
        written: &Written,
        name: &str,
    ) -> Option<u64> {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let immutables = || cf.immutables.iter().map(|i| &i.mem);
        let c = &self.totals;
        Some(match name {
            "num-immutable-mem-table" => cf.immutables.len() as u64,
            "num-immutable-mem-table-flushed" => 0,
            "mem-table-flush-pending" => u64::from(cf.wants_flush()),
            "num-running-flushes" => state.running_flushes as u64,
            "num-running-compactions" => state.running_compactions as u64,
            "compaction-pending" => {
                let moment = self.moment();
                u64::from(cf.picker.needs_compaction(&cf.current, &cf.data.options(), &moment))
            }
            "background-errors" => u64::from(state.error.is_some() && !self.read_only),
            "cur-size-active-mem-table" => cf.mem.approximate_memory_usage() as u64,
            "cur-size-all-mem-tables" | "size-all-mem-tables" => {
                let all = immutables().map(|m| m.approximate_memory_usage()).sum::<usize>();
                (cf.mem.approximate_memory_usage() + all) as u64
            }
            "num-entries-active-mem-table" => cf.mem.num_entries(),
            "num-entries-imm-mem-tables" => immutables().map(|m| m.num_entries()).sum(),
            "num-deletes-active-mem-table" => cf.mem.num_deletes(),
            "num-deletes-imm-mem-tables" => immutables().map(|m| m.num_deletes()).sum(),
            "estimate-num-keys" => estimate_keys(cf),
            "estimate-live-data-size" => live_data_size(cf),
            "live-sst-files-size" | "total-sst-files-size" => cf.current.total_bytes(),
            "obsolete-sst-files-size" | "num-running-compaction-sorted-runs" => 0,
            "min-obsolete-sst-number-to-keep" => u64::MAX,
            "num-blob-files"
            | "total-blob-file-size"
            | "live-blob-file-size"
            | "live-blob-file-garbage-size" => 0,
            "estimate-table-readers-mem" => table_readers_memory(cf),
            "estimate-pending-compaction-bytes" => cf.pending_compaction_bytes,
            "num-snapshots" => self.snapshots.count() as u64,
            "oldest-snapshot-sequence" => self.snapshots.oldest().unwrap_or(0),
            "oldest-snapshot-time" => self.snapshots.oldest_time().unwrap_or(0),
            "num-live-versions" => 1,
            "current-super-version-number" => cf.memtables_made,
            "min-log-number-to-keep" => state.wals.front().map_or(0, |w| w.number),
            "base-level" => LevelShape::new(&cf.current, &cf.data.options()).base_level as u64,
            "actual-delayed-write-rate" => self.controller.delayed_write_rate(),
            "is-write-stopped" => u64::from(self.controller.is_stopped()),
            "is-file-deletions-enabled" => u64::from(self.file_deletions.paused() == 0),
            "block-cache-capacity" => block_cache(cf)?.capacity() as u64,
            "block-cache-usage" => block_cache(cf)?.usage() as u64,
            "block-cache-pinned-usage" => block_cache(cf)?.pinned_usage() as u64,
            // Ours: what amplification figures are made of.
            "bytes-written" => written.user_bytes,
            "wal-bytes" => get(&c.wal_bytes) + written.live_wal_bytes,
            "wal-syncs" => get(&c.wal_syncs),
            "flush-write-bytes" => get(&c.flush_bytes),
            "flush-count" => get(&c.flush_count),
            "compaction-read-bytes" => get(&c.compaction_read_bytes),
            "compaction-write-bytes" => get(&c.compaction_write_bytes),
            "compaction-count" => get(&c.compaction_count),
            "write-stall-micros" => self.controller.stalled_us(),
            _ => return None,
        })
    }

    /// Writes the figures that properties report into LOG. As in RocksDB all of them are one entry of
    /// many lines, by which tools find where it ends.
    pub(crate) fn dump_stats(&self) {
        let mut text = self.db_stats_text(&self.written());
        let state = self.state.lock();
        for cf in state.families.values() {
            text.push_str(&self.family_stats_text(cf, STATS_AGE_IN_LOG, true));
            text.push_str(&file_histogram(&cf.data.name));
        }
        drop(state);
        self.info_log.info(format_args!("------- DUMPING STATS -------"));
        self.info_log.info(format_args!("{text}"));
        if let Some(statistics) = &self.statistics {
            self.info_log.info(format_args!("STATISTICS:\n {}", statistics.to_text()));
        }
    }

    fn stats_text(&self, cf: &ColumnFamilyState, written: &Written) -> String {
        let family = self.family_stats_text(cf, STATS_AGE, false) + &file_histogram(&cf.data.name);
        family + &self.db_stats_text(written)
    }

    fn family_stats_text(
        &self,
        cf: &ColumnFamilyState,
        cache_age_max: Duration,
        for_log: bool,
    ) -> String {
        let mut out = super::level_jobs::level_table(cf);
        let _ = write!(
            out,
            "\nBlob file count: 0, total size: 0.0 GB, garbage size: 0.0 GB, space amp: 0.0\n\n\
             {}Estimated pending compaction bytes: {}\n{}",
            cf.jobs.totals_text(self.uptime(), for_log),
            cf.pending_compaction_bytes,
            cf.jobs.stall_text()
        );
        if let Some(cache) = block_cache(cf) {
            out.push_str(&cache_text(&cache, cache_age_max));
        }
        out
    }
}

/// Times of reads by level: only the head, since they are not kept apart.
fn file_histogram(family: &str) -> String {
    format!("\n** File Read Latency Histogram By Level [{family}] **\n")
}

/// A cache in two lines, from a walk over it that is `age_max` old at most.
fn cache_text(cache: &Cache, age_max: Duration) -> String {
    let (mib, used) = (cache.capacity() as f64 / MIB, cache.usage() as f64 / 1024.0);
    let (name, stats) = (cache.name(), cache.entry_stats(age_max));
    let own = usize::from(stats.own_bytes > 0);
    let role = |role: &str, count: usize, bytes: usize| {
        if count == 0 {
            return String::new();
        }
        let share = bytes as f64 * 100.0 / cache.capacity().max(1) as f64;
        format!(" {role}({count},{:.2} KB,{share:.6}%)", bytes as f64 / 1024.0)
    };
    format!(
        "Block cache {name}@{cache:p} capacity: {mib:.2} MB seed: 0 usage: {used:.2} KB table_size: 0 \
         occupancy: {} collections: {} last_copies: {} last_secs: {} secs_since: {}\n\
         Block cache entry stats(count,size,portion):{}{}\n",
        stats.objects + own,
        stats.collections,
        stats.last_copies,
        stats.last_elapsed.as_secs_f64(),
        stats.age.as_secs(),
        role("DataBlock", stats.objects, stats.object_bytes),
        role("Misc", own, stats.own_bytes),
    )
}

fn block_cache(cf: &ColumnFamilyState) -> Option<Arc<Cache>> {
    match &cf.data.options().table_factory {
        crate::options::TableFactory::BlockBased(opts) => opts.block_cache.clone(),
        _ => None,
    }
}

/// What open readers hold outside of the cache.
fn table_readers_memory(cf: &ColumnFamilyState) -> u64 {
    let readers = cf.current.all_files().filter_map(|(_, file)| file.pinned_reader());
    readers.map(|table| table.memory_usage() as u64).sum()
}

/// Entries less twice the tombstones, as RocksDB estimates.
fn estimate_keys(cf: &ColumnFamilyState) -> u64 {
    let mut entries = cf.mem.num_entries();
    let mut deletes = cf.mem.num_deletes();
    for immutable in &cf.immutables {
        entries += immutable.mem.num_entries();
        deletes += immutable.mem.num_deletes();
    }
    for level in 0..cf.current.num_levels() {
        for file in cf.current.files(level) {
            entries += file.stats().num_entries;
            deletes += file.stats().num_deletions;
        }
    }
    entries.saturating_sub(2 * deletes)
}

fn level_stats(cf: &ColumnFamilyState) -> String {
    let mut out = String::from("Level Files Size(MB)\n--------------------\n");
    for level in 0..cf.current.num_levels() {
        let size = cf.current.level_bytes(level) as f64 / MIB;
        let _ = writeln!(out, "{level:3} {:8} {size:8.0}", cf.current.num_files(level));
    }
    out
}

fn tables_text(cf: &ColumnFamilyState) -> String {
    let mut out = String::new();
    let side = |key: &[u8]| {
        let (user, trailer) = key.split_at(key.len().saturating_sub(8));
        let hex: String = user.iter().map(|byte| format!("{byte:02X}")).collect();
        let kind = trailer.first().copied().unwrap_or(0);
        format!("'{hex}' seq:{}, type:{kind}", crate::base::key::sequence(key))
    };
    for level in 0..cf.current.num_levels() {
        let _ = writeln!(out, "--- level {level} --- version# {} ---", cf.memtables_made);
        for file in cf.current.files(level) {
            let _ = writeln!(
                out,
                " {}:{}[{} .. {}][{} .. {}]({})",
                file.number,
                file.file_size,
                file.smallest_seqno,
                file.largest_seqno,
                side(&file.smallest),
                side(&file.largest),
                file.oldest_blob_file_number
            );
        }
    }
    out
}

/// Raw bytes for each byte of a level's files; -1 where there are none.
fn compression_ratio(cf: &ColumnFamilyState, level: usize) -> f64 {
    let (mut raw, mut stored) = (0, 0);
    for file in cf.current.files(level) {
        raw += file.stats().raw_key_size + file.stats().raw_value_size;
        stored += file.file_size;
    }
    if stored == 0 { -1.0 } else { raw as f64 / stored as f64 }
}

/// Bytes of files that no deeper, or older, file overlaps: RocksDB's estimate of what is alive.
fn live_data_size(cf: &ColumnFamilyState) -> u64 {
    let order = cf.current.order();
    let mut counted: Vec<(&[u8], &[u8])> = Vec::new();
    let mut size = 0;
    for level in (0..cf.current.num_levels()).rev() {
        for file in cf.current.files(level) {
            let (first, last) = (file.smallest_user_key(), file.largest_user_key());
            // Ranges that were counted are disjoint and in order.
            let at = counted.partition_point(|(_, end)| order.compare_user(end, first).is_lt());
            let overlaps =
                counted.get(at).is_some_and(|(start, _)| order.compare_user(start, last).is_le());
            if !overlaps {
                counted.insert(at, (first, last));
                size += file.file_size;
            }
        }
    }
    size
}

const NO_BLOBS: &str = "Number of blob files: 0\nTotal size of blob files: 0\nTotal size of garbage in \
    blob files: 0\nBlob file space amplification: 0\n";
