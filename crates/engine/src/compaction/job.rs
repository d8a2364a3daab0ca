//! The compaction job: turns a plan into new tables. It does not depend on a database and takes no lock.
//!
//! With sub-compactions, the key range is divided into parts ([`super::part`]), which the job's thread shares with
//! helper threads. The outputs of the parts are concatenated in key order.

use super::outputs::Outputs;
use super::part::{Part, parts};
use super::plan::{CompactionPlan, CompactionReason, partitioner};
use super::plan_check::check_outputs;
use crate::base::InternalIterator;
use crate::budget::{IoPriority, reads_at};
use crate::env::clock::Instant;
use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicUsize, Ordering::Relaxed};
use crate::env::threads::together;
use crate::error::{Error, Result};
use crate::flush::{OutputContext, spares_no_snapshots};
use crate::fs::{thread_cpu_time, thread_number};
use crate::hooks::{
    CompactionFilter, CompactionFilterContext, CompactionJobStats, SubcompactionJobInfo,
};
use crate::iter::{CompactionIter, Interrupt, merging_iterator};
use crate::rangedel::{Fragments, JobTombstones, OutputTombstones};
use crate::read::JobSnapshots;
use crate::sst::{BlockAccess, ReadaheadOptions, TableIterOptions};
use crate::stats::{self, Activity, HistogramType, Timer, busy_with};
use crate::version::Source;
use crate::version::TableCache;
use crate::version::{FileMeta, Level, LevelIter, Version};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The inputs and settings of a compaction.
pub struct CompactionInputs<'a> {
    /// The files to read and the settings of the outputs.
    pub plan: &'a CompactionPlan,
    /// The version that the plan was made for.
    pub version: &'a Arc<Version>,
    /// The snapshots that readers and transactions still need.
    pub snapshots: JobSnapshots,
    /// Opens the input tables.
    pub tables: &'a Arc<TableCache>,
    /// The maximum number of threads that share the work.
    pub max_subcompactions: usize,
    /// Interrupts a manual compaction that was cancelled.
    pub interrupt: Option<Interrupt>,
    /// The readahead of each input in bytes; 0 means the usual one.
    pub readahead: usize,
    /// The settings that all output tables share.
    pub output: OutputContext<'a>,
}

/// The result of a compaction.
#[derive(Debug, Default)]
pub struct CompactionOutput {
    /// The new tables, in key order.
    pub files: Vec<FileMeta>,
    /// Entries read.
    pub records_in: u64,
    /// Entries dropped because a newer one hides them.
    pub records_hidden: u64,
    /// Tombstones dropped because they no longer hide anything.
    pub records_obsolete: u64,
    /// The tombstones among them that were not at the last level.
    pub records_optimized: u64,
    /// Entries dropped by a compaction filter.
    pub records_filtered: u64,
    /// The statistics for listeners.
    pub stats: CompactionJobStats,
    /// Entries dropped because range tombstones hide them.
    pub records_range_deleted: u64,
    /// Range tombstones dropped because they no longer hide anything.
    pub tombstones_obsolete: u64,
}

/// Runs the plan and syncs the new tables and their directory entries. After an error no new tables
/// are left.
pub fn run(inputs: &CompactionInputs<'_>) -> Result<CompactionOutput> {
    let parts = counted_parts(inputs);
    let tombstones = tombstones(inputs)?;
    let tombstones = tombstones.as_ref();
    let results = match &parts[..] {
        [part] => vec![run_told(inputs, 0, part, tombstones)],
        parts => run_parts(inputs, parts, tombstones),
    };
    // The parts do not count entries that range tombstones hide.
    let hidden = tombstones.map_or(0, JobTombstones::num_hidden);
    let mut all = CompactionOutput {
        records_in: hidden,
        records_range_deleted: hidden,
        ..CompactionOutput::default()
    };
    let mut error = None;
    for result in results {
        match result {
            Ok(output) => {
                all.files.extend(output.files);
                all.records_in += output.records_in;
                all.records_hidden += output.records_hidden;
                all.records_obsolete += output.records_obsolete;
                all.records_optimized += output.records_optimized;
                all.records_filtered += output.records_filtered;
                all.stats.add_output(&output.stats);
                all.tombstones_obsolete += output.tombstones_obsolete;
            }
            Err(e) => error = Some(e),
        }
    }
    if let Some(e) = error {
        super::outputs::remove(&inputs.output, &all.files);
        return Err(e);
    }
    check_outputs(inputs.plan, inputs.output.order, &all.files);
    if !all.files.is_empty() {
        let ctx = &inputs.output;
        let synced = ctx.fs.sync_dir(ctx.table_dir());
        synced.inspect_err(|_| super::outputs::remove(ctx, &all.files))?;
    }
    Ok(all)
}

/// Runs the parts on as many threads as there are parts, or on fewer. Results are in the order of the parts; after an
/// error, parts that had not begun have no result.
fn run_parts(
    inputs: &CompactionInputs<'_>,
    parts: &[Part],
    tombstones: Option<&JobTombstones>,
) -> Vec<Result<CompactionOutput>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(parts.len()));
    together("ferro-part", parts.len() - 1, || {
        loop {
            let i = next.fetch_add(1, Relaxed);
            let Some(part) = parts.get(i) else { return };
            let run = AssertUnwindSafe(|| run_told(inputs, i, part, tombstones));
            let result = catch_unwind(run).unwrap_or_else(|_| Err(panicked()));
            if result.is_err() {
                next.store(parts.len(), Relaxed);
            }
            done.lock().push((i, result));
        }
    });
    let mut done = done.into_inner();
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

fn panicked() -> Error {
    Error::corruption("compaction: a sub-compaction panicked")
}

/// Returns the parts of the plan, and records their number if the work may be shared.
fn counted_parts(inputs: &CompactionInputs<'_>) -> Vec<Part> {
    let statistics = &inputs.output.db_options.statistics;
    if inputs.max_subcompactions < 2 {
        return vec![Part::default()];
    }
    let timer = Timer::start(statistics, HistogramType::SubcompactionSetupTime);
    let parts = parts(inputs.plan, inputs.output.order, inputs.max_subcompactions);
    drop(timer);
    if parts.len() > 1 {
        stats::record(statistics, HistogramType::NumSubcompactionsScheduled, parts.len() as u64);
    }
    parts
}

/// The filter of this part: the one in the options, or a new one from the factory.
fn filter(inputs: &CompactionInputs<'_>) -> Result<Option<Arc<dyn CompactionFilter>>> {
    let options = &inputs.output.options;
    if let Some(filter) = &options.compaction_filter {
        return spares_no_snapshots(Some(Arc::clone(filter)));
    }
    let reason = inputs.output.reason;
    let Some(factory) = &options.compaction_filter_factory else { return Ok(None) };
    if !factory.should_filter_table_file_creation(reason) {
        return Ok(None);
    }
    let plan = inputs.plan;
    let filter = factory.create(&CompactionFilterContext {
        is_full_compaction: is_full(inputs),
        is_manual_compaction: plan.reason == CompactionReason::ManualCompaction,
        input_start_level: Some(plan.start_level),
        column_family_id: plan.cf_id,
        reason,
    });
    spares_no_snapshots(filter.map(Arc::from))
}

/// Runs a part and notifies listeners before and after it.
fn run_told(
    inputs: &CompactionInputs<'_>,
    index: usize,
    part: &Part,
    tombstones: Option<&JobTombstones>,
) -> Result<CompactionOutput> {
    let listeners = &inputs.output.db_options.components.listeners;
    if listeners.is_empty() {
        return run_part(inputs, part, tombstones);
    }
    let (ctx, plan) = (&inputs.output, inputs.plan);
    let mut info = SubcompactionJobInfo {
        cf_id: ctx.column_family_id,
        cf_name: ctx.column_family_name.to_owned(),
        status: Ok(()),
        thread_id: thread_number(),
        job_id: ctx.job_id,
        subcompaction_job_id: index as i32,
        base_input_level: plan.start_level as i32,
        output_level: plan.output_level as i32,
        compaction_reason: plan.reason,
        compression: ctx.compression,
        stats: CompactionJobStats::default(),
    };
    listeners.iter().for_each(|l| l.on_subcompaction_begin(&info));
    let start = Instant::now();
    let result = run_part(inputs, part, tombstones);
    match &result {
        Ok(output) => info.stats = output.stats.clone(),
        Err(e) => info.status = Err(e.clone()),
    }
    info.stats.elapsed_micros = start.elapsed().as_micros() as u64;
    listeners.iter().for_each(|l| l.on_subcompaction_completed(&info));
    result
}

/// Whether the compaction reads all tables of the version.
fn is_full(inputs: &CompactionInputs<'_>) -> bool {
    inputs.plan.num_input_files() == inputs.version.all_files().count()
}

/// The range tombstones of all input files.
fn tombstones(inputs: &CompactionInputs<'_>) -> Result<Option<JobTombstones>> {
    let mut found = Vec::new();
    for (_, file) in inputs.plan.input_files() {
        if file.known_stats().is_none_or(|stats| stats.num_range_deletions > 0) {
            found.extend(inputs.tables.find(file)?.range_tombstones().cloned());
        }
    }
    Ok(JobTombstones::new(inputs.output.order, &found, &inputs.snapshots.sequences))
}

/// Whether nothing older than the inputs has keys in an inclusive range.
fn is_last(inputs: &CompactionInputs<'_>, begin: &[u8], end: &[u8]) -> bool {
    let plan = inputs.plan;
    let deeper = plan.output_level + 1..inputs.version.num_levels();
    if inputs.output.options.cf_allow_ingest_behind {
        return false;
    }
    plan.bottommost
        || (plan.output_level > 0
            && !deeper.into_iter().any(|n| inputs.version.overlaps(n, Some(begin), Some(end))))
}

fn run_part(
    inputs: &CompactionInputs<'_>,
    part: &Part,
    tombstones: Option<&JobTombstones>,
) -> Result<CompactionOutput> {
    let _reads = reads_at(IoPriority::Low);
    let _busy = busy_with(Activity::Compaction);
    let cpu_start = thread_cpu_time();
    let ctx = &inputs.output;
    let plan = inputs.plan;
    // Older data of level 0 is below an output on level 0, too, so it never drops entries by key.
    let stays_on_level_0 = plan.output_level == 0;
    // Older data may be ingested below at any time.
    let keeps = stays_on_level_0 || ctx.options.cf_allow_ingest_behind;
    let mut deeper = inputs.version.deeper_keys(plan.output_level);
    let mut input = part.limit(ctx.order, input_iterator(inputs)?);
    if let Some(tombstones) = tombstones {
        input = tombstones.hide(ctx.order, input);
    }
    let mut entries = CompactionIter::new(
        input,
        ctx.order.clone(),
        inputs.snapshots.sequences.clone(),
        ctx.options.merge_operator.clone(),
        plan.bottommost,
        move |key: &[u8]| !keeps && !deeper.may_contain(key),
    )
    .with_filter(filter(inputs)?, plan.start_level)
    .with_check_from(inputs.snapshots.check_from)
    .with_statistics(ctx.db_options.statistics.clone())
    .with_enforce_single_del_contracts(ctx.db_options.enforce_single_del_contracts)
    .with_interrupt(inputs.interrupt.clone())
    .with_cancel(Arc::clone(ctx.cancelled));
    part.seek_to_first(&mut entries);
    let to_write = tombstones.map(|tombstones| {
        let (begin, end) = (part.begin.as_deref(), part.end.as_deref());
        tombstones.to_write(begin, end, |begin, end| is_last(inputs, begin, end))
    });
    let tombstones_obsolete = to_write.as_ref().map_or(0, OutputTombstones::num_dropped);
    let bytes_under = |tombstones: &Fragments| match plan.bottommost {
        true => 0,
        false => inputs.version.bytes_under(plan.output_level + 1, tombstones, inputs.tables),
    };
    let partitioner = partitioner(&ctx.options, plan, ctx.order, is_full(inputs));
    let mut outputs = Outputs::new(ctx, plan, partitioner, to_write, &bytes_under);
    let result = write_all(&mut entries, &mut outputs);
    let stats = *entries.stats();
    match result.and_then(|()| outputs.finish()) {
        Ok(files) => Ok(CompactionOutput {
            stats: CompactionJobStats {
                num_input_records: stats.num_input_records,
                num_output_records: files.iter().map(|f| f.stats().num_entries).sum(),
                num_output_files: files.len(),
                total_output_bytes: files.iter().map(|f| f.file_size).sum(),
                num_records_replaced: stats.num_record_drop_hidden,
                num_input_deletion_records: stats.num_input_deletion_records,
                num_expired_deletion_records: stats.num_record_drop_obsolete,
                cpu_micros: thread_cpu_time().saturating_sub(cpu_start).as_micros() as u64,
                ..CompactionJobStats::default()
            },
            files,
            records_in: stats.num_input_records,
            records_hidden: stats.num_record_drop_hidden,
            records_obsolete: stats.num_record_drop_obsolete,
            records_optimized: stats.num_optimized_del_drop_obsolete,
            records_filtered: stats.num_record_drop_user,
            records_range_deleted: 0,
            tombstones_obsolete,
        }),
        Err(e) => {
            outputs.remove_all();
            Err(e)
        }
    }
}

fn write_all(entries: &mut CompactionIter, outputs: &mut Outputs<'_>) -> Result<()> {
    while entries.valid() {
        outputs.add(entries.key(), entries.value())?;
        entries.next();
    }
    entries.status()
}

/// Creates the input iterator: one source per file of level 0, and one per deeper level.
fn input_iterator(inputs: &CompactionInputs<'_>) -> Result<Box<dyn InternalIterator>> {
    let read = TableIterOptions {
        verify_checksums: true,
        access: BlockAccess { fill_cache: false, ..BlockAccess::default() },
        total_order: true,
        within_one_prefix: false,
        readahead: ReadaheadOptions::fixed(match inputs.readahead {
            0 => inputs.output.db_options.compaction_readahead_size,
            limited => limited,
        }),
        for_compaction: true,
        pin: false,
    };
    let mut children = Vec::new();
    for level in &inputs.plan.inputs {
        if level.level == 0 {
            for file in &level.files {
                children.push(Source::Table(inputs.tables.find(file)?.iter(&read)));
            }
        } else if !level.files.is_empty() {
            let run = Level::new(inputs.output.order.clone(), level.files.clone());
            children.push(Source::Level(LevelIter::new(&Arc::new(run), inputs.tables, &read)));
        }
    }
    Ok(merging_iterator(inputs.output.order.clone(), children))
}

#[cfg(test)]
#[path = "job_test.rs"]
mod tests;
