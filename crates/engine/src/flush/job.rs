//! The flush job: reads memtables and writes at most one level-0 table.

use super::output_context::OutputContext;
use super::table_output::TableOutput;
use crate::error::{Error, Result};
use crate::hooks::{CompactionFilter, CompactionFilterContext, TableFigures};
use crate::iter::{CompactionIter, merging_iterator};
use crate::memtable::MemTable;
use crate::rangedel::{Fragments, JobTombstones};
use crate::read::JobSnapshots;
use crate::version::FileMeta;
use std::sync::Arc;

/// The inputs of a flush.
pub struct FlushInputs<'a> {
    /// The memtables, oldest first. No thread inserts into them any more.
    pub memtables: Vec<Arc<MemTable>>,
    /// The snapshots for which entries must be kept.
    pub snapshots: JobSnapshots,
    /// The settings that the table shares with others.
    pub output: OutputContext<'a>,
}

/// The result of a flush.
#[derive(Debug, Default)]
pub struct FlushOutput {
    /// The table; `None` if no entries were left to write.
    pub file: Option<FileMeta>,
    /// Entries read from the memtables.
    pub records_in: u64,
    /// The figures in the table's properties.
    pub figures: TableFigures,
    /// The range tombstones in the table.
    pub tombstones: Option<Fragments>,
}

/// Returns the factory's filter, if the factory wants to filter flushes. A filter set without a factory is not used.
fn filter(ctx: &OutputContext<'_>) -> Result<Option<Arc<dyn CompactionFilter>>> {
    let Some(factory) = &ctx.options.compaction_filter_factory else { return Ok(None) };
    if !factory.should_filter_table_file_creation(ctx.reason) {
        return Ok(None);
    }
    let filter = factory.create(&CompactionFilterContext {
        is_full_compaction: false,
        is_manual_compaction: false,
        input_start_level: None,
        column_family_id: ctx.column_family_id,
        reason: ctx.reason,
    });
    spares_no_snapshots(filter.map(Arc::from))
}

/// Returns the filter, or an error if it does not ignore snapshots.
pub(crate) fn spares_no_snapshots(
    filter: Option<Arc<dyn CompactionFilter>>,
) -> Result<Option<Arc<dyn CompactionFilter>>> {
    match &filter {
        Some(filter) if !filter.ignore_snapshots() => Err(Error::not_supported(
            "CompactionFilter::IgnoreSnapshots() = false is not supported anymore.",
        )),
        _ => Ok(filter),
    }
}

/// Asserts that each memtable ends before the next one begins.
fn check_ages(memtables: &[Arc<MemTable>]) {
    for pair in memtables.windows(2) {
        let (older, newer) = (&pair[0], &pair[1]);
        debug_assert!(
            older.id() < newer.id(),
            "expected the oldest memtable first, found {} before {}",
            older.id(),
            newer.id()
        );
        debug_assert!(
            newer.is_empty() || older.last_sequence() < newer.first_sequence(),
            "expected numbers above {} in memtable {}, found {}",
            older.last_sequence(),
            newer.id(),
            newer.first_sequence()
        );
    }
    for mem in memtables {
        debug_assert!(mem.is_immutable(), "expected memtable {} to be immutable", mem.id());
    }
}

/// Writes the memtables to one table, and syncs it and its directory entry.
pub fn run(inputs: FlushInputs<'_>) -> Result<FlushOutput> {
    let ctx = &inputs.output;
    check_ages(&inputs.memtables);
    let children = inputs.memtables.iter().rev().map(|mem| mem.iter(true)).collect();
    let mut merged = merging_iterator(ctx.order.clone(), children);
    let tombstones: Vec<_> = inputs.memtables.iter().flat_map(|m| m.range_tombstones()).collect();
    let tombstones = JobTombstones::new(ctx.order, &tombstones, &inputs.snapshots.sequences);
    if let Some(tombstones) = &tombstones {
        merged = tombstones.hide(ctx.order, merged);
    }
    let merge_operator = ctx.options.merge_operator.clone();
    let filter = filter(ctx)?;
    let mut entries = CompactionIter::new(
        merged,
        ctx.order.clone(),
        inputs.snapshots.sequences,
        merge_operator,
        false,
        |_key: &[u8]| false,
    )
    .with_filter(filter, 0)
    .with_check_from(inputs.snapshots.check_from)
    .with_statistics(ctx.db_options.statistics.clone())
    .with_enforce_single_del_contracts(ctx.db_options.enforce_single_del_contracts)
    .with_cancel(Arc::clone(ctx.cancelled));
    let mut output = None;
    let mut written = None;
    entries.seek_to_first();
    while entries.valid() {
        let table = match &mut output {
            Some(table) => table,
            None => output.insert(TableOutput::create(ctx)?),
        };
        table.add(entries.key(), entries.value())?;
        entries.next();
    }
    entries.status()?;
    if let Some(tombstones) = &tombstones {
        let table = match &mut output {
            Some(table) => table,
            None => output.insert(TableOutput::create(ctx)?),
        };
        let tombstones = tombstones.to_write(None, None, |_, _| false).take(None);
        table.add_tombstones(&tombstones)?;
        written = Some(tombstones);
    }
    let records_in = inputs.memtables.iter().map(|mem| mem.num_entries()).sum();
    let Some(table) = output else {
        return Ok(FlushOutput { records_in, ..FlushOutput::default() });
    };
    let (file, figures) = table.finish_with_figures()?;
    if let Err(e) = ctx.fs.sync_dir(ctx.table_dir()) {
        // The next attempt writes another table. On a failing device, unused tables must not accumulate.
        let _ = ctx.fs.remove_file(&ctx.paths.table(&file));
        return Err(e);
    }
    Ok(FlushOutput { file: Some(file), records_in, figures, tombstones: written })
}

#[cfg(test)]
#[path = "job_test.rs"]
mod tests;
