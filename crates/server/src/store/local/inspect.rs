//! Figures of the engine for operators.

use super::LocalStore;
use crate::store::events::{Causes, Events};
use crate::store::inspect::{Inspect, Level, Memory};
use crate::store::{Partition, Store};
use ferrolith::ColumnFamily;
use std::path::Path;
use std::sync::Arc;

/// Figures of the whole database, which the engine gives for each family: their sum over families means nothing.
pub(super) const SHARED: [&str; 20] = [
    "rocksdb.actual-delayed-write-rate",
    "rocksdb.background-errors",
    "rocksdb.block-cache-capacity",
    "rocksdb.block-cache-pinned-usage",
    "rocksdb.block-cache-usage",
    "rocksdb.bytes-written",
    "rocksdb.compaction-count",
    "rocksdb.compaction-read-bytes",
    "rocksdb.compaction-write-bytes",
    "rocksdb.flush-count",
    "rocksdb.flush-write-bytes",
    "rocksdb.is-file-deletions-enabled",
    "rocksdb.is-write-stopped",
    "rocksdb.min-log-number-to-keep",
    "rocksdb.num-running-compactions",
    "rocksdb.num-running-flushes",
    "rocksdb.num-snapshots",
    "rocksdb.oldest-snapshot-time",
    "rocksdb.wal-bytes",
    "rocksdb.write-stall-micros",
];

impl LocalStore {
    /// Returns a figure of the database: of shared figures one, of others the sum over families.
    pub(super) fn total(&self, name: &str) -> Option<u64> {
        match SHARED.binary_search(&name) {
            Ok(_) => self.db.property_int(name),
            Err(_) => self.db.aggregated_property_int(name),
        }
    }
}

/// Returns how often writes to a family were delayed or stopped, by cause.
pub(super) fn stall_causes(family: &ColumnFamily) -> Causes {
    // `Write Stall (count): CAUSE: COUNT, CAUSE: COUNT`. The totals repeat the others.
    let text = family.property("rocksdb.cf-write-stall-stats").unwrap_or_default();
    let causes = text.trim().split_once("): ").map_or("", |(_, causes)| causes);
    let cause = |part: &str| {
        let (cause, count) = part.split_once(": ")?;
        Some((cause.to_owned(), count.parse().ok()?))
    };
    let causes = causes.split(", ").filter_map(cause);
    causes.filter(|(cause, count)| *count > 0 && !cause.starts_with("total-")).collect()
}

impl Inspect for LocalStore {
    fn partition_figure(&self, partition: Partition, name: &str) -> Option<u64> {
        self.with_family(partition, |family| family.property_int(name)).ok()?
    }

    fn levels(&self, partition: Partition) -> Vec<Level> {
        let levels = self.with_family(partition, |family| {
            let metadata = family.metadata().ok()?;
            let level = |it: &ferrolith::LevelMetaData| {
                let score =
                    family.property(&format!("rocksdb.compaction-score-at-level{}", it.level));
                Level {
                    level: it.level,
                    files: it.files.len(),
                    busy_files: it.files.iter().filter(|file| file.being_compacted).count(),
                    bytes: it.size,
                    entries: it.files.iter().map(|file| file.num_entries).sum(),
                    tombstones: it.files.iter().map(|file| file.num_deletions).sum(),
                    score: score.and_then(|score| score.parse().ok()).unwrap_or(0.0),
                }
            };
            Some(metadata.levels.iter().map(level).collect())
        });
        levels.ok().flatten().unwrap_or_default()
    }

    fn stall_causes(&self, partition: Partition) -> Vec<(String, u64)> {
        self.with_family(partition, stall_causes).unwrap_or_default()
    }

    fn family(&self, partition: Partition) -> Option<String> {
        self.with_family(partition, |family| family.name().to_owned()).ok()
    }

    fn memory(&self) -> Memory {
        let (memtables, memtables_max, cache_charged) = self.options.memtables();
        let figure = |name: &str| self.figure(name).unwrap_or(0);
        Memory {
            memtables,
            memtables_max,
            cache: figure("rocksdb.block-cache-usage"),
            cache_charged,
            cache_max: figure("rocksdb.block-cache-capacity"),
            rows: figure("ferrolith.row-cache-usage"),
            table_readers: figure("rocksdb.estimate-table-readers-mem"),
        }
    }

    fn events(&self) -> &Arc<Events> {
        &self.events
    }

    fn has_full_disk(&self) -> bool {
        self.full_disk.is_full(&self.path)
    }

    fn directory(&self) -> &Path {
        &self.path
    }
}
