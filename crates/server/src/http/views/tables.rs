//! Tables and their partitions.

use super::super::App;
use super::super::refusal::Refusal;
use crate::store::{Format, Partition};
use crate::tables::state;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// All tables.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Tables {
    /// The tables, in the order of their ids. Redis's database N is the table `redis.N`.
    tables: Vec<Table>,
}

/// A table.
#[derive(Debug, Serialize, JsonSchema)]
struct Table {
    /// Its id.
    id: i32,
    /// Its name.
    name: String,
    /// `redis` or `pegasus`: what its rows are.
    format: &'static str,
    /// `available`, `creating` or `dropped`.
    state: &'static str,
    /// Its environments, for a Pegasus table.
    environments: BTreeMap<String, String>,
    /// Its partitions, in order.
    partitions: Vec<PartitionState>,
}

/// A partition.
#[derive(Debug, Serialize, JsonSchema)]
struct PartitionState {
    /// Its number, which no other table's partition has.
    partition: u32,
    /// Bytes of its table files.
    table_file_bytes: u64,
    /// Bytes of its rows that wait to be flushed.
    memtable_bytes: u64,
    /// Estimated rows.
    rows: u64,
    /// Bytes that compactions have to rewrite.
    pending_compaction_bytes: u64,
    /// Rows written per second in the latest five seconds; null if the partition is not among the 256 with the most.
    written_rows_per_second: Option<f64>,
    /// `normal`, `delayed` or `stopped`: whether writes wait for flushes and compactions.
    writes: &'static str,
}

/// Returns all tables.
pub(in crate::http) fn get(app: &App) -> Result<Tables, Refusal> {
    let conditions: BTreeMap<_, _> = app.parts.store.events().conditions().into_iter().collect();
    let table = |table: &std::sync::Arc<crate::tables::Table>| {
        let info = table.info();
        Table {
            id: info.app_id,
            name: info.app_name.clone(),
            format: match table.format() {
                Format::Redis => "redis",
                Format::Pegasus => "pegasus",
            },
            state: match info.status {
                state::AVAILABLE => "available",
                state::CREATING => "creating",
                _ => "dropped",
            },
            environments: info.envs.clone(),
            partitions: table
                .partitions()
                .iter()
                .map(|it| partition(app, *it, &conditions))
                .collect(),
        }
    };
    Ok(Tables { tables: app.parts.catalogue.list().iter().map(table).collect() })
}

fn partition(
    app: &App,
    partition: Partition,
    conditions: &BTreeMap<String, &'static str>,
) -> PartitionState {
    let store = &app.parts.store;
    let figure = |name: &str| store.partition_figure(partition, name).unwrap_or(0);
    let condition = store.family(partition).and_then(|family| conditions.get(&family));
    PartitionState {
        partition: partition.0,
        table_file_bytes: figure("rocksdb.live-sst-files-size"),
        memtable_bytes: figure("rocksdb.cur-size-all-mem-tables"),
        rows: figure("rocksdb.estimate-num-keys"),
        pending_compaction_bytes: figure("rocksdb.estimate-pending-compaction-bytes"),
        written_rows_per_second: app.heat.latest(partition).map(|cell| cell.written_rows),
        writes: condition.copied().unwrap_or("normal"),
    }
}
