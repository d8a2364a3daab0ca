//! Properties by RocksDB's names: numbers and short reports about a running database.

use super::column_family::{ColumnFamilyData, ColumnFamilyState};
use super::state::{DbInner, State};
use crate::cache::Cache;
use crate::compaction::picker::LevelShape;
use crate::env::sync::atomic::{AtomicU64, Ordering};
use std::fmt::Write;
use std::sync::Arc;

const MIB: f64 = 1024.0 * 1024.0;

/// What writers count under their own lock.
struct Written {
    user_bytes: u64,
    live_wal_bytes: u64,
}

impl DbInner {
    /// A property of a family, or `None` where there is no such property.
    pub(crate) fn property(&self, family: &ColumnFamilyData, name: &str) -> Option<String> {
        let name = name.strip_prefix("rocksdb.").or_else(|| name.strip_prefix("ferrolith."))?;
        let written = self.written();
        let state = self.state.lock();
        let cf = state.families.get(&family.id)?;
        if let Some(level) = name.strip_prefix("num-files-at-level") {
            let level: usize = level.parse().ok()?;
            return (level < cf.current.num_levels())
                .then(|| cf.current.num_files(level).to_string());
        }
        match name {
            "stats" | "cfstats" | "cfstats-no-file-histogram" => {
                Some(self.stats_text(cf, &written))
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
            "estimate-live-data-size" | "live-sst-files-size" | "total-sst-files-size" => {
                cf.current.total_bytes()
            }
            "estimate-table-readers-mem" => table_readers_memory(cf),
            "estimate-pending-compaction-bytes" => cf.pending_compaction_bytes,
            "num-snapshots" => self.snapshots.count() as u64,
            "oldest-snapshot-sequence" => self.snapshots.oldest().unwrap_or(0),
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

    /// Writes the figures that properties report into LOG, a line each.
    pub(crate) fn dump_stats(&self) {
        let written = self.written();
        let state = self.state.lock();
        let mut text = String::from("------- DUMPING STATS -------");
        for cf in state.families.values() {
            text.push_str(&self.family_stats_text(cf));
        }
        drop(state);
        text.push_str(&self.db_stats_text(&written));
        if let Some(statistics) = &self.statistics {
            text.push_str("STATISTICS:\n");
            text.push_str(&statistics.to_text());
        }
        text.lines().for_each(|line| self.info_log.info(format_args!("{line}")));
    }

    /// Taken before the state's lock, which is the inner one.
    fn written(&self) -> Written {
        let write = self.write.lock();
        Written { user_bytes: write.user_bytes, live_wal_bytes: write.wal.size() }
    }

    fn stats_text(&self, cf: &ColumnFamilyState, written: &Written) -> String {
        self.family_stats_text(cf) + &self.db_stats_text(written)
    }

    fn family_stats_text(&self, cf: &ColumnFamilyState) -> String {
        let mut out = format!("\n** Compaction Stats [{}] **\n", cf.data.name);
        out.push_str(&level_table(cf));
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64 / MIB;
        let c = &self.totals;
        let _ = writeln!(
            out,
            "Flush(MB): {:.1} in {} jobs, Compaction(MB): {:.1} read, {:.1} written in {} jobs",
            get(&c.flush_bytes),
            c.flush_count.load(Ordering::Relaxed),
            get(&c.compaction_read_bytes),
            get(&c.compaction_write_bytes),
            c.compaction_count.load(Ordering::Relaxed),
        );
        let _ =
            writeln!(out, "Estimated pending compaction bytes: {}", cf.pending_compaction_bytes);
        out
    }

    fn db_stats_text(&self, written: &Written) -> String {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let c = &self.totals;
        format!(
            "\n** DB Stats **\nUser bytes written: {}, WAL bytes: {}, WAL syncs: {}\n\
             Cumulative stall: {:.3} seconds\n",
            written.user_bytes,
            get(&c.wal_bytes) + written.live_wal_bytes,
            get(&c.wal_syncs),
            self.controller.stalled_us() as f64 / 1e6,
        )
    }
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

fn level_table(cf: &ColumnFamilyState) -> String {
    let mut out = String::from("Level    Files   Size(MB)   Score\n");
    let shape = LevelShape::new(&cf.current, &cf.data.options());
    for level in 0..cf.current.num_levels() {
        let files = cf.current.num_files(level);
        let size = cf.current.level_bytes(level) as f64 / MIB;
        let score = shape.score(level);
        if files > 0 {
            let _ = writeln!(out, "  L{level} {files:10} {size:10.2} {score:7.2}");
        }
    }
    let _ = writeln!(out, " Sum {:18.2}", cf.current.total_bytes() as f64 / MIB);
    out
}

fn tables_text(cf: &ColumnFamilyState) -> String {
    let mut out = String::new();
    for level in 0..cf.current.num_levels() {
        let _ = writeln!(out, "--- level {level} ---");
        for file in cf.current.files(level) {
            let _ = writeln!(out, " {}:{}", file.number, file.file_size);
        }
    }
    out
}
