//! Events about flushes and compactions for listeners.

use super::level_jobs::LevelJobs;
use super::reporter::Reporter;
use super::tree_shape::TreeShape;
use crate::compaction::plan::CompactionPlan;
use crate::error::Result;
use crate::fs::{filename, thread_number};
use crate::hooks::{
    CompactionFileInfo, CompactionJobInfo, CompactionJobStats, CompactionReason, FlushJobInfo,
    FlushReason, ManualFlushInfo, TableFigures,
};
use crate::session::ColumnFamilyData;
use crate::version::{DataPaths, FileMeta};
use std::path::PathBuf;

/// The data for listeners about a compaction, besides its plan.
#[derive(Default)]
pub(crate) struct CompactionReport {
    pub(crate) job_id: i32,
    pub(crate) stats: CompactionJobStats,
    /// The new files with their levels and paths.
    pub(crate) outputs: Vec<(CompactionFileInfo, PathBuf)>,
}

impl CompactionReport {
    /// Adds an output file.
    pub(crate) fn note_output(&mut self, paths: &DataPaths, level: usize, file: &FileMeta) {
        let (level, file_number) = (level as i32, file.number);
        self.outputs.push((CompactionFileInfo { level, file_number }, paths.table(file)));
    }

    /// Returns the figures for the per-level statistics.
    pub(crate) fn level_jobs(&self, plan: &CompactionPlan) -> LevelJobs {
        let here = plan.input_files().filter(|(level, _)| *level == plan.output_level);
        let here: u64 = here.map(|(_, file)| file.file_size).sum();
        let stats = &self.stats;
        if plan.trivial_move {
            return LevelJobs { moved: stats.total_input_bytes, ..LevelJobs::default() };
        }
        LevelJobs {
            micros: stats.elapsed_micros,
            cpu_micros: stats.cpu_micros,
            read: stats.total_input_bytes - here,
            read_here: here,
            written: stats.total_output_bytes,
            moved: 0,
            count: 1,
            keys_in: stats.num_input_records,
            keys_dropped: stats.num_input_records.saturating_sub(stats.num_output_records),
        }
    }

    /// Adds the records that the sub-compactions read and wrote. All inputs count as read, whatever each of them
    /// counted.
    pub(crate) fn note_records(&mut self, plan: &CompactionPlan, parts: &CompactionJobStats) {
        self.stats.add_output(parts);
        let files = || plan.input_files().map(|(_, file)| file.stats());
        self.stats.num_input_records = files().map(|f| f.num_entries).sum();
        self.stats.num_input_deletion_records = files().map(|f| f.num_deletions).sum();
    }
}

impl Reporter {
    // ---- jobs --------------------------------------------------------------------------------

    /// Reports that a user requested a flush.
    pub(crate) fn tell_manual_flush(
        &self,
        families: &[&ColumnFamilyData],
        flush_reason: FlushReason,
    ) {
        if self.has_listeners() {
            let info = |family: &&ColumnFamilyData| {
                let (cf_id, cf_name) = (family.id, family.name.clone());
                ManualFlushInfo { cf_id, cf_name, flush_reason }
            };
            let infos: Vec<_> = families.iter().map(info).collect();
            self.tell(|l| l.on_manual_flush_scheduled(self.event_db(), &infos));
        }
    }

    /// Reports that a flush is about to write table `file_number`. Returns the argument for
    /// [`Reporter::tell_flush_completed`], or `None` if there are no listeners.
    pub(crate) fn tell_flush_begin(
        &self,
        family: &ColumnFamilyData,
        job_id: i32,
        file_number: u64,
        flush_reason: FlushReason,
        tree: &TreeShape,
    ) -> Option<FlushJobInfo> {
        if !self.has_listeners() {
            return None;
        }
        let (triggered_writes_slowdown, triggered_writes_stop) = level0_triggers(family, tree);
        let info = FlushJobInfo {
            cf_id: family.id,
            cf_name: family.name.clone(),
            file_path: filename::table_file_name(family.paths.main(), file_number),
            file_number,
            thread_id: thread_number(),
            job_id,
            triggered_writes_slowdown,
            triggered_writes_stop,
            smallest_seqno: crate::base::MAX_SEQUENCE_NUMBER,
            largest_seqno: 0,
            table_properties: TableFigures::default(),
            flush_reason,
        };
        self.tell(|l| l.on_flush_begin(self.event_db(), &info));
        Some(info)
    }

    /// Reports that the flush described by `info` is installed.
    pub(crate) fn tell_flush_completed(
        &self,
        family: &ColumnFamilyData,
        mut info: FlushJobInfo,
        tree: &TreeShape,
    ) {
        (info.triggered_writes_slowdown, info.triggered_writes_stop) =
            level0_triggers(family, tree);
        self.tell(|l| l.on_flush_completed(self.event_db(), &info));
    }

    /// Reports that a compaction is about to run.
    pub(crate) fn tell_compaction_begin(
        &self,
        family: &ColumnFamilyData,
        plan: &CompactionPlan,
        report: &CompactionReport,
        tree: &TreeShape,
    ) {
        if self.has_listeners() {
            let info = compaction_info(family, plan, report, tree, Ok(()));
            self.tell(|l| l.on_compaction_begin(self.event_db(), &info));
        }
    }

    /// Reports that a compaction has ended.
    pub(crate) fn tell_compaction_completed(
        &self,
        family: &ColumnFamilyData,
        plan: &CompactionPlan,
        report: &CompactionReport,
        tree: &TreeShape,
        result: &Result<()>,
    ) {
        if self.has_listeners() {
            let info = compaction_info(family, plan, report, tree, result.clone());
            self.tell(|l| l.on_compaction_completed(self.event_db(), &info));
        }
    }

    /// Returns what is known about a compaction before it runs.
    pub(crate) fn compaction_report(&self, plan: &CompactionPlan, full: bool) -> CompactionReport {
        let at_output = plan.input_files().filter(|(level, _)| *level == plan.output_level);
        let files = || plan.input_files().map(|(_, file)| file.stats());
        let stats = CompactionJobStats {
            num_input_files: plan.num_input_files(),
            num_input_files_at_output_level: at_output.count(),
            num_input_files_trivially_moved: if plan.trivial_move {
                plan.num_input_files()
            } else {
                0
            },
            is_manual_compaction: plan.reason == CompactionReason::ManualCompaction,
            is_full_compaction: full,
            total_input_bytes: plan.input_bytes(),
            total_input_raw_key_bytes: files().map(|f| f.raw_key_size).sum(),
            total_input_raw_value_bytes: files().map(|f| f.raw_value_size).sum(),
            ..CompactionJobStats::default()
        };
        CompactionReport { job_id: self.new_job_id(), stats, outputs: Vec::new() }
    }
}

/// Returns whether level 0 has enough files that writers are delayed, and stopped.
fn level0_triggers(family: &ColumnFamilyData, tree: &TreeShape) -> (bool, bool) {
    let (files, limits) = (tree.level0_files(), family.stall_limits());
    let slowdown = limits.level0_slowdown.is_some_and(|limit| files >= limit);
    (slowdown, files >= limits.level0_stop)
}

fn compaction_info(
    family: &ColumnFamilyData,
    plan: &CompactionPlan,
    report: &CompactionReport,
    tree: &TreeShape,
    status: Result<()>,
) -> CompactionJobInfo {
    let inputs: Vec<CompactionFileInfo> = plan
        .input_files()
        .map(|(level, f)| CompactionFileInfo { level: level as i32, file_number: f.number })
        .collect();
    CompactionJobInfo {
        cf_id: family.id,
        cf_name: family.name.clone(),
        status,
        thread_id: thread_number(),
        job_id: report.job_id,
        num_l0_files: tree.level0_files(),
        base_input_level: plan.start_level as i32,
        output_level: plan.output_level as i32,
        input_files: plan.input_files().map(|(_, f)| family.paths.table(f)).collect(),
        input_file_infos: inputs,
        output_files: report.outputs.iter().map(|(_, path)| path.clone()).collect(),
        output_file_infos: report.outputs.iter().map(|(info, _)| *info).collect(),
        compaction_reason: plan.reason,
        compression: plan.compression,
        stats: report.stats.clone(),
    }
}
