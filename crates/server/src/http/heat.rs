//! Writes to each partition over time.
//!
//! The rows that were written to a partition are those of its sealed memtables, which the engine reports when it seals
//! one, and those of its active memtable. So nothing is counted for this when a row is written. Reads are not told
//! apart by partition: counting them would cost each read.

use super::App;
use crate::store::{Inspect, Partition};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, VecDeque};

/// The seconds between two samples of the finer ring.
pub(super) const STEP_S: u64 = 5;
/// Fine samples that are kept: ten minutes.
const FINE_MAX: usize = 120;
/// Samples per minute that are kept: six hours.
const MINUTES_MAX: usize = 360;
/// The partitions in a sample: those with the most writes.
const PARTITIONS_MAX: usize = 256;

/// One partition in a sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// Rows written per second.
    pub(super) written_rows: f64,
    /// Bytes of its table files and memtables.
    pub(super) bytes: u64,
}

type Column = (u64, Vec<(Partition, Cell)>);

/// Samples of one resolution.
#[derive(Default)]
struct Ring {
    /// The rows that were written to each partition by the last sample, and its time.
    last: HashMap<Partition, u64>,
    last_us: u64,
    columns: VecDeque<Column>,
}

/// The rings.
#[derive(Default)]
pub(super) struct Heat(Mutex<[Ring; 2]>);

/// Writes to partitions over time. The oldest sample is first.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct HeatMap {
    /// The seconds between two samples.
    resolution_seconds: u64,
    /// When each sample was taken, in milliseconds since 1970.
    at_ms: Vec<u64>,
    /// The partitions; at most 256 in each sample, those with the most writes.
    partitions: Vec<HeatRow>,
}

/// One partition over time.
#[derive(Debug, Serialize, JsonSchema)]
struct HeatRow {
    /// The number of the partition.
    partition: u32,
    /// Rows written per second in each sample; null where the partition is not in the sample.
    written_rows: Vec<Option<f64>>,
    /// Bytes of its table files and memtables in each sample; null where the partition is not in the sample.
    bytes: Vec<Option<u64>>,
}

impl Ring {
    fn push(&mut self, (at_us, at_ms): (u64, u64), all: &[(Partition, u64, u64)], max: usize) {
        let seconds = at_us.saturating_sub(self.last_us).max(1) as f64 / 1e6;
        let is_first = self.columns.is_empty();
        let cell = |(partition, rows, bytes): &(Partition, u64, u64)| {
            // A partition that is new since the last sample began with no rows.
            let new = if is_first { *rows } else { 0 };
            let before = self.last.get(partition).copied().unwrap_or(new);
            let written_rows = rows.saturating_sub(before) as f64 / seconds;
            (*partition, Cell { written_rows, bytes: *bytes })
        };
        let mut cells: Vec<_> = all.iter().map(cell).collect();
        cells.sort_by(|(_, a), (_, b)| b.written_rows.total_cmp(&a.written_rows));
        cells.truncate(PARTITIONS_MAX);
        // Between the sealing of a memtable and its report a partition seems to have fewer rows.
        let rows = all.iter().map(|(partition, rows, _)| {
            let before = self.last.get(partition).copied().unwrap_or(0);
            (*partition, before.max(*rows))
        });
        let rows = rows.collect();
        (self.last, self.last_us) = (rows, at_us);
        if self.columns.len() >= max {
            self.columns.pop_front();
        }
        self.columns.push_back((at_ms, cells));
    }
}

impl Heat {
    /// Takes a sample. Called every [`STEP_S`] seconds.
    pub(super) fn sample(&self, app: &App) {
        let store = &*app.parts.store;
        let mut all = Vec::new();
        for table in app.parts.catalogue.list().iter().filter(|table| table.is_available()) {
            for partition in table.partitions() {
                all.push((*partition, rows(store, *partition), bytes(store, *partition)));
            }
        }
        let clock = &app.parts.server.clock;
        let now = (clock.monotonic_us(), clock.wall_ms());
        let mut rings = self.0.lock();
        let [fine, minutes] = &mut *rings;
        fine.push(now, &all, FINE_MAX);
        if minutes.columns.is_empty() || now.0.saturating_sub(minutes.last_us) >= 60_000_000 {
            minutes.push(now, &all, MINUTES_MAX);
        }
    }

    /// Returns the newest cell of a partition.
    pub(super) fn latest(&self, partition: Partition) -> Option<Cell> {
        let rings = self.0.lock();
        let [fine, _] = &*rings;
        let (_, cells) = fine.columns.back()?;
        cells.iter().find(|(it, _)| *it == partition).map(|(_, cell)| *cell)
    }

    /// Returns a ring.
    pub(super) fn map(&self, by_minute: bool) -> HeatMap {
        let rings = self.0.lock();
        let [fine, minutes] = &*rings;
        let ring = if by_minute { minutes } else { fine };
        let partitions: BTreeSet<_> = ring
            .columns
            .iter()
            .flat_map(|(_, cells)| cells.iter().map(|(partition, _)| *partition))
            .collect();
        let columns: Vec<HashMap<Partition, Cell>> =
            ring.columns.iter().map(|(_, cells)| cells.iter().copied().collect()).collect();
        let row = |partition: Partition| {
            let cells = columns.iter().map(|column| column.get(&partition));
            HeatRow {
                partition: partition.0,
                written_rows: cells.clone().map(|cell| Some(cell?.written_rows)).collect(),
                bytes: cells.map(|cell| Some(cell?.bytes)).collect(),
            }
        };
        HeatMap {
            resolution_seconds: if by_minute { 60 } else { STEP_S },
            at_ms: ring.columns.iter().map(|(at_ms, _)| *at_ms).collect(),
            partitions: partitions.into_iter().map(row).collect(),
        }
    }
}

/// Returns the rows that were written to a partition since the start.
fn rows(store: &dyn Inspect, partition: Partition) -> u64 {
    let sealed = store.family(partition).map_or(0, |family| store.events().sealed_entries(&family));
    let active = store.partition_figure(partition, "rocksdb.num-entries-active-mem-table");
    sealed + active.unwrap_or(0)
}

/// Returns the bytes of a partition.
pub(super) fn bytes(store: &dyn Inspect, partition: Partition) -> u64 {
    let figure = |name: &str| store.partition_figure(partition, name).unwrap_or(0);
    figure("rocksdb.live-sst-files-size") + figure("rocksdb.cur-size-all-mem-tables")
}

#[cfg(test)]
#[path = "heat_test.rs"]
mod tests;
