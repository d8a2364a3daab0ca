//! What listeners are told and what is done to files, in one order.

use crate::error::Error;
use crate::fs::FileSystem;
use crate::fs::fault::Op;
use crate::fs::mem::MemFs;
use crate::hooks::{
    BackgroundErrorReason, CompactionFileInfo, CompactionJobInfo, EventDb, EventListener,
    FlushJobInfo, MemTableInfo, SubcompactionJobInfo, TableFileCreationBriefInfo,
    TableFileCreationInfo, TableFileDeletionInfo, WriteStallInfo,
};
use crate::options::WalRecoveryMode;
use crate::version::VersionEdit;
use crate::version::testing::show_edit;
use crate::wal::{LogReader, ReadOutcome};
use std::path::Path;
use std::sync::{Condvar, Mutex};

/// Collects lines. Can hold syncs of WALs up.
pub(super) struct Trace {
    mem: MemFs,
    lines: Mutex<Vec<String>>,
    /// Edits of the MANIFEST that were shown: its name and how many.
    shown: Mutex<(String, usize)>,
    gate: Mutex<Gate>,
    changed: Condvar,
}

/// Holds syncs of WALs up.
#[derive(Default)]
struct Gate {
    closed: bool,
    waiting: usize,
}

impl Trace {
    pub(super) fn new(mem: MemFs) -> Trace {
        Trace {
            mem,
            lines: Mutex::default(),
            shown: Mutex::default(),
            gate: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// The lines since the last call. Tables that are deleted together are in the order of their numbers: their last
    /// holders may let go of them on any thread of the process.
    pub(super) fn take(&self) -> String {
        let mut lines = std::mem::take(&mut *self.lines.lock().unwrap());
        for deleted in lines.chunk_by_mut(|a, b| is_deletion(a) && is_deletion(b)) {
            deleted.sort_by_key(|line| line.rsplit(' ').next().unwrap_or("").to_owned());
        }
        lines.into_iter().map(|line| format!("  {line}\n")).collect()
    }

    /// Syncs of WALs wait from now on.
    pub(super) fn hold(&self) {
        self.gate.lock().unwrap().closed = true;
    }

    /// They go on.
    pub(super) fn release(&self) {
        self.gate.lock().unwrap().closed = false;
        self.changed.notify_all();
    }

    /// If syncs are held up, waits until there is one.
    pub(super) fn wait_for_sync(&self) {
        let mut gate = self.gate.lock().unwrap();
        while gate.closed && gate.waiting == 0 {
            gate = self.changed.wait(gate).unwrap();
        }
    }

    /// Waits while syncs are held up.
    fn pass(&self) {
        let mut gate = self.gate.lock().unwrap();
        gate.waiting += 1;
        self.changed.notify_all();
        while gate.closed {
            gate = self.changed.wait(gate).unwrap();
        }
        gate.waiting -= 1;
    }

    fn note(&self, line: String) {
        self.lines.lock().unwrap().push(line);
    }

    /// Called before every file operation.
    pub(super) fn file_operation(&self, op: Op, path: &Path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_wal = name.ends_with(".log");
        let is_manifest = name.starts_with("MANIFEST");
        if op == Op::SyncDir {
            return self.note("sync the directory".into());
        }
        if !is_wal && !is_manifest && !name.ends_with(".sst") {
            return;
        }
        let what = match op {
            Op::Create => "create",
            Op::Append if is_wal => "append to",
            Op::Sync => "sync",
            Op::Remove => "delete",
            _ => return,
        };
        if is_manifest && op == Op::Sync {
            self.note_edits(path, &name);
        }
        self.note(format!("{what} {name}"));
        if is_wal && op == Op::Sync {
            self.pass();
        }
    }

    /// The edits that were appended to a MANIFEST since they were last shown.
    fn note_edits(&self, path: &Path, name: &str) {
        let mut reader = LogReader::manifest(self.mem.open_random_access(path, false).unwrap());
        let mut edits = Vec::new();
        let mode = WalRecoveryMode::TolerateCorruptedTailRecords;
        while let ReadOutcome::Record(record) = reader.read_record(mode).unwrap() {
            edits.push(show_edit(&VersionEdit::decode(record).unwrap()));
        }
        let mut shown = self.shown.lock().unwrap();
        let known = if shown.0 == name { shown.1 } else { 0 };
        edits[known..].iter().for_each(|edit| self.note(format!("edit {edit}")));
        *shown = (name.to_owned(), edits.len());
    }
}

/// Whether a line is about a table that is deleted.
fn is_deletion(line: &str) -> bool {
    line.starts_with("TABLE DELETED") || (line.starts_with("delete ") && line.ends_with(".sst"))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn files(files: &[CompactionFileInfo]) -> String {
    let each = files.iter().map(|f| format!(" L{} {}", f.level, f.file_number));
    each.collect()
}

impl EventListener for Trace {
    fn on_flush_begin(&self, _: EventDb<'_>, info: &FlushJobInfo) {
        let (cf, number, reason) = (&info.cf_name, info.file_number, info.flush_reason.name());
        self.note(format!("FLUSH BEGINS: job {}, {cf}, table {number}, {reason}", info.job_id));
    }
    fn on_flush_completed(&self, _: EventDb<'_>, info: &FlushJobInfo) {
        let table = &info.table_properties;
        self.note(format!(
            "FLUSH COMPLETED: job {}, {}, table {}, {} entries, sequence numbers {}-{}",
            info.job_id,
            info.cf_name,
            info.file_number,
            table.num_entries,
            info.smallest_seqno,
            info.largest_seqno
        ));
    }
    fn on_compaction_begin(&self, _: EventDb<'_>, info: &CompactionJobInfo) {
        self.note(format!(
            "COMPACTION BEGINS: job {},{} to level {}, {}",
            info.job_id,
            files(&info.input_file_infos),
            info.output_level,
            info.compaction_reason.name()
        ));
    }
    fn on_compaction_completed(&self, _: EventDb<'_>, info: &CompactionJobInfo) {
        let result = info.status.as_ref().map_or_else(|e| format!("error: {e}"), |()| "ok".into());
        self.note(format!(
            "COMPACTION COMPLETED: job {},{}; {} entries read, {} written, {} replaced; {result}",
            info.job_id,
            files(&info.output_file_infos),
            info.stats.num_input_records,
            info.stats.num_output_records,
            info.stats.num_records_replaced,
        ));
    }
    fn on_subcompaction_begin(&self, info: &SubcompactionJobInfo) {
        self.note(format!("PART {} BEGINS", info.subcompaction_job_id));
    }
    fn on_subcompaction_completed(&self, info: &SubcompactionJobInfo) {
        let (read, written) = (info.stats.num_input_records, info.stats.num_output_records);
        let part = info.subcompaction_job_id;
        let result = if info.status.is_ok() { "" } else { ", failed" };
        self.note(format!("PART {part} COMPLETED: {read} entries read, {written} written{result}"));
    }
    fn on_table_file_creation_started(&self, info: &TableFileCreationBriefInfo) {
        let (table, reason) = (file_name(&info.file_path), info.reason.name());
        self.note(format!("TABLE BEGINS: job {}, {table}, {reason}", info.job_id));
    }
    fn on_table_file_created(&self, info: &TableFileCreationInfo) {
        let table = file_name(&info.brief.file_path);
        self.note(match &info.status {
            Ok(()) => {
                format!("TABLE CREATED: {table}, {} entries", info.table_properties.num_entries)
            }
            Err(_) => format!("TABLE FAILED: {table}"),
        });
    }
    fn on_table_file_deleted(&self, info: &TableFileDeletionInfo) {
        self.note(format!("TABLE DELETED: {}", file_name(&info.file_path)));
    }
    fn on_memtable_sealed(&self, info: &MemTableInfo) {
        let (entries, deletes) = (info.num_entries, info.num_deletes);
        let (cf, first) = (&info.cf_name, info.first_seqno);
        let what = format!("{cf}, {entries} entries, {deletes} deletions");
        self.note(match entries {
            0 => format!("MEMTABLE SEALED: {what}"),
            _ => format!("MEMTABLE SEALED: {what}, from sequence number {first}"),
        });
    }
    fn on_background_error(&self, reason: BackgroundErrorReason, error: &mut Option<Error>) {
        let error = error.as_ref().map_or_else(String::new, Error::to_string);
        self.note(format!("BACKGROUND ERROR: {}: {error}", reason.name()));
    }
    fn on_error_recovery_begin(&self, reason: BackgroundErrorReason, _: &Error) {
        self.note(format!("RECOVERY BEGINS: {}", reason.name()));
    }
    fn on_error_recovery_completed(&self, _: &Error) {
        self.note("RECOVERY COMPLETED".into());
    }
    fn on_stall_conditions_changed(&self, info: &WriteStallInfo) {
        self.note(format!("STALL: {}, {:?} to {:?}", info.cf_name, info.prev, info.cur));
    }
}
