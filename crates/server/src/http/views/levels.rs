//! The levels of partitions, their memtables, and how often their writers had to wait.

use super::super::App;
use super::super::query::Query;
use super::super::refusal::Refusal;
use crate::store::{self, Partition};
use schemars::JsonSchema;
use serde::Serialize;

/// The partitions in one reply.
const PARTITIONS_MAX: usize = 256;

/// The levels of partitions.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Levels {
    /// The memory of the memtables of all partitions.
    memtables: Memtables,
    /// The partitions: those of one table, or all; at most 256.
    partitions: Vec<PartitionLevels>,
    /// Whether there are more partitions.
    is_cut: bool,
}

/// Memtables of all partitions together.
#[derive(Debug, Serialize, JsonSchema)]
struct Memtables {
    /// Bytes in use.
    bytes: u64,
    /// Bytes from which on memtables are flushed although they are not full.
    budget_bytes: u64,
}

/// The levels of a partition.
#[derive(Debug, Serialize, JsonSchema)]
struct PartitionLevels {
    /// The name of its table.
    table: String,
    /// Its number.
    partition: u32,
    /// Bytes of its active memtable.
    active_memtable_bytes: u64,
    /// Bytes of all its memtables.
    memtable_bytes: u64,
    /// Its memtables that wait to be flushed.
    waiting_memtables: u64,
    /// Bytes that compactions have to rewrite before all levels are as small as they should be.
    pending_compaction_bytes: u64,
    /// The level that level 0 is merged into.
    base_level: u64,
    /// Its levels, from 0 on.
    levels: Vec<Level>,
    /// How often its writers had to wait since the start, by cause.
    stalls: Vec<StallCause>,
}

/// A level.
#[derive(Debug, Serialize, JsonSchema)]
struct Level {
    /// Its number.
    level: usize,
    /// Its table files.
    files: usize,
    /// Those that a compaction reads now.
    busy_files: usize,
    /// Their bytes.
    bytes: u64,
    /// Entries of any kind in them.
    entries: u64,
    /// Tombstones among the entries.
    tombstones: u64,
    /// How urgent its compaction is: from 1 on it is due. The last level has 0.
    score: f64,
}

/// A cause of waiting.
#[derive(Debug, Serialize, JsonSchema)]
struct StallCause {
    /// The cause, in the engine's words: `l0-file-count-limit-stops`, for example.
    cause: String,
    /// How often.
    count: u64,
}

/// Returns the levels of the partitions of a table, or of all.
pub(in crate::http) fn get(app: &App, query: &Query<'_>) -> Result<Levels, Refusal> {
    let tables = match query.bytes("table") {
        None => app.parts.catalogue.list(),
        Some(name) => {
            let name = String::from_utf8_lossy(name);
            let table = app.parts.catalogue.by_name(&name);
            vec![table.ok_or_else(|| Refusal::missing(format!("there is no table {name:?}")))?]
        }
    };
    let memory = app.parts.store.memory();
    let (mut partitions, mut is_cut) = (Vec::new(), false);
    for table in tables.iter().filter(|table| table.is_available()) {
        for at in table.partitions() {
            is_cut |= partitions.len() >= PARTITIONS_MAX;
            if !is_cut {
                partitions.push(partition(app, &table.info().app_name, *at));
            }
        }
    }
    let memtables = Memtables { bytes: memory.memtables, budget_bytes: memory.memtables_max };
    Ok(Levels { memtables, partitions, is_cut })
}

fn partition(app: &App, table: &str, partition: Partition) -> PartitionLevels {
    let store = &app.parts.store;
    let figure = |name: &str| store.partition_figure(partition, name).unwrap_or(0);
    let level = |it: store::Level| Level {
        level: it.level,
        files: it.files,
        busy_files: it.busy_files,
        bytes: it.bytes,
        entries: it.entries,
        tombstones: it.tombstones,
        score: it.score,
    };
    let causes = store.stall_causes(partition).into_iter();
    PartitionLevels {
        table: table.to_owned(),
        partition: partition.0,
        active_memtable_bytes: figure("rocksdb.cur-size-active-mem-table"),
        memtable_bytes: figure("rocksdb.cur-size-all-mem-tables"),
        waiting_memtables: figure("rocksdb.num-immutable-mem-table"),
        pending_compaction_bytes: figure("rocksdb.estimate-pending-compaction-bytes"),
        base_level: figure("rocksdb.base-level"),
        levels: store.levels(partition).into_iter().map(level).collect(),
        stalls: causes.map(|(cause, count)| StallCause { cause, count }).collect(),
    }
}
