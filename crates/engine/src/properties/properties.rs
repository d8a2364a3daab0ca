//! Properties by RocksDB's names: numbers and short reports about a running database.

use super::db_figures::DbFigures;
use super::level_table::level_table;
use super::tree_texts::{
    compression_ratio, estimate_keys, level_stats, live_data_size, tables_text,
};
use crate::cache::Cache;
use crate::catalog::{Catalog, ColumnFamilyState, State};
use crate::commit::{CommitQueue, Written};
use crate::env::sync::Mutex;
use crate::files::FileKeeper;
use crate::report::Reporter;
use crate::session::{ColumnFamilyData, Session};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

const MIB: f64 = 1024.0 * 1024.0;

/// Reports may reuse a walk over a cache for this long, both those on request and those for LOG.
const STATS_AGE: Duration = Duration::from_secs(10);
const STATS_AGE_IN_LOG: Duration = Duration::from_secs(180);

/// Computes the properties of a database.
pub(crate) struct Properties {
    session: Arc<Session>,
    pub(super) reporter: Arc<Reporter>,
    files: Arc<FileKeeper>,
    pub(super) catalog: Arc<Catalog>,
    commit: Arc<CommitQueue>,
    /// The figures of the last report, where the current interval begins.
    pub(super) reported: Mutex<DbFigures>,
}

impl Properties {
    /// Creates the properties of a database with these parts.
    pub(crate) fn new(
        (session, reporter, files): (Arc<Session>, Arc<Reporter>, Arc<FileKeeper>),
        catalog: Arc<Catalog>,
        commit: Arc<CommitQueue>,
    ) -> Properties {
        Properties { session, reporter, files, catalog, commit, reported: Mutex::default() }
    }

    /// Returns a property of a family, or `None` if there is no such property.
    pub(crate) fn property(&self, family: &ColumnFamilyData, name: &str) -> Option<String> {
        let name = name.strip_prefix("rocksdb.").or_else(|| name.strip_prefix("ferrolith."))?;
        if let Some(level) = name.strip_prefix("aggregated-table-properties") {
            return self.aggregated_table_properties(family, level);
        }
        let written = self.written_for(name);
        let state = self.catalog.state();
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
        if let Some(level) = name.strip_prefix("compaction-score-at-level") {
            let level: usize = level.parse().ok()?;
            return (level < cf.current.num_levels())
                .then(|| format!("{:.6}", cf.level_shape().score(level)));
        }
        if let Some(temperature) = name.strip_prefix("live-sst-files-size-at-temperature") {
            // Files have no temperature, so all are counted as unknown.
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
            "memory-by-owner" => self.session.memory().map(|account| account.text()),
            "dbstats" => Some(self.db_stats_text(&written)),
            "levelstats" => Some(level_stats(cf)),
            "sstables" => Some(tables_text(cf)),
            "options-statistics" => self.session.statistics.as_ref().map(|s| s.to_text()),
            _ => self.number(&state, cf, &written, name).map(|n| n.to_string()),
        }
    }

    /// Returns the sum of a numeric property over all families, or `None` if there is no such property.
    pub(crate) fn aggregated_property_int(&self, name: &str) -> Option<u64> {
        let name = name.strip_prefix("rocksdb.").or_else(|| name.strip_prefix("ferrolith."))?;
        let written = self.written_for(name);
        let state = self.catalog.state();
        let mut numbers = state.families.values().map(|cf| self.number(&state, cf, &written, name));
        numbers.try_fold(0, |sum, number| Some(sum + number?))
    }

    /// Returns what writers counted, for the properties that show it. The others take no lock of a write, so that
    /// programs may poll them.
    fn written_for(&self, name: &str) -> Written {
        match name {
            "stats" | "dbstats" | "bytes-written" | "wal-bytes" => self.commit.written(),
            _ => Written::default(),
        }
    }

    fn number(
        &self,
        state: &State,
        cf: &ColumnFamilyState,
        written: &Written,
        name: &str,
    ) -> Option<u64> {
        let immutables = || cf.immutables.iter().map(|i| &i.mem);
        let c = self.reporter.totals();
        Some(match name {
            "num-immutable-mem-table" => cf.immutables.len() as u64,
            "num-immutable-mem-table-flushed" => 0,
            "mem-table-flush-pending" => u64::from(cf.wants_flush()),
            "num-running-flushes" => state.running.flushes() as u64,
            "num-running-compactions" => state.running.compactions() as u64,
            "compaction-pending" => u64::from(cf.needs_compaction(&self.catalog.pick_context())),
            "background-errors" => {
                u64::from(self.session.health.error().is_some() && !self.session.read_only)
            }
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
            "estimate-pending-compaction-bytes" => cf.pending_compaction_bytes(),
            "num-snapshots" => self.catalog.snapshots().count() as u64,
            "oldest-snapshot-sequence" => self.catalog.snapshots().oldest().unwrap_or(0),
            "oldest-snapshot-time" => self.catalog.snapshots().oldest_time().unwrap_or(0),
            "num-live-versions" => 1,
            "current-super-version-number" => cf.memtables_made,
            "min-log-number-to-keep" => state.wals.oldest(),
            "base-level" => cf.level_targets().base_level as u64,
            "actual-delayed-write-rate" => self.catalog.controller().delayed_write_rate(),
            "is-write-stopped" => u64::from(self.catalog.controller().is_stopped()),
            "is-file-deletions-enabled" => u64::from(self.files.paused() == 0),
            "block-cache-capacity" => block_cache(cf)?.capacity() as u64,
            "block-cache-usage" => block_cache(cf)?.usage() as u64,
            "block-cache-pinned-usage" => block_cache(cf)?.pinned_usage() as u64,
            // Our own property, for amplification figures.
            "bytes-written" => written.user_bytes,
            "wal-bytes" => c.wal_bytes.get() + written.live_wal_bytes,
            "wal-syncs" => c.wal_syncs.get(),
            "flush-write-bytes" => c.flush_bytes.get(),
            "flush-count" => c.flush_count.get(),
            "compaction-read-bytes" => c.compaction_read_bytes.get(),
            "compaction-write-bytes" => c.compaction_write_bytes.get(),
            "compaction-count" => c.compaction_count.get(),
            "write-stall-micros" => self.catalog.controller().stalled_us(),
            _ => return self.memory_number(name),
        })
    }

    /// Returns a number of the memory account, if the database has one.
    fn memory_number(&self, name: &str) -> Option<u64> {
        let account = self.session.memory()?;
        match name {
            "memory-limit" => Some(account.limit() as u64),
            "memory-usage" => Some(account.usage() as u64),
            _ => None,
        }
    }

    /// Writes the figures of properties to LOG. As in RocksDB, they form one entry of many lines; tools rely on this to
    /// find its end.
    pub(crate) fn dump(&self) {
        let mut text = self.db_stats_text(&self.commit.written());
        let state = self.catalog.state();
        for cf in state.families.values() {
            text.push_str(&self.family_stats_text(cf, STATS_AGE_IN_LOG, true));
            text.push_str(&file_histogram(&cf.data.name));
        }
        drop(state);
        self.session.info_log.info(format_args!("------- DUMPING STATS -------"));
        self.session.info_log.info(format_args!("{text}"));
        if let Some(statistics) = &self.session.statistics {
            self.session.info_log.info(format_args!("STATISTICS:\n {}", statistics.to_text()));
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
        let mut out = level_table(cf);
        let _ = write!(
            out,
            "\nBlob file count: 0, total size: 0.0 GB, garbage size: 0.0 GB, space amp: 0.0\n\n\
             {}Estimated pending compaction bytes: {}\n{}",
            cf.jobs.totals_text(self.reporter.uptime(), for_log),
            cf.pending_compaction_bytes(),
            cf.jobs.stall_text()
        );
        if let Some(cache) = block_cache(cf) {
            out.push_str(&cache_text(&cache, cache_age_max));
        }
        out
    }
}

/// Returns only the header of the read-time histograms by level, because they are not recorded separately.
fn file_histogram(family: &str) -> String {
    format!("\n** File Read Latency Histogram By Level [{family}] **\n")
}

/// Returns a cache's description in two lines, from a walk over it that is at most `age_max` old.
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

/// Returns the memory that open readers use outside the cache.
fn table_readers_memory(cf: &ColumnFamilyState) -> u64 {
    let readers = cf.current.all_files().filter_map(|(_, file)| file.pinned_reader());
    readers.map(|table| table.memory_usage() as u64).sum()
}

const NO_BLOBS: &str = "Number of blob files: 0\nTotal size of blob files: 0\nTotal size of garbage in \
    blob files: 0\nBlob file space amplification: 0\n";
