//! Listeners: what they are told, in which order, and what they may do meanwhile.

use super::support::{ro, small, temp_dir, wo};
use ferrolith::Error;
use ferrolith::internal::db::Db;
use ferrolith::internal::fs::fault::{Fault, FaultFs, FaultKind, Op};
use ferrolith::internal::fs::info_log::{LogLevel, Logger};
use ferrolith::internal::hooks::{
    BackgroundErrorReason, ColumnFamilyHandleInfo, CompactionJobInfo, CompactionReason, EventDb,
    EventListener, FlushJobInfo, FlushReason, ManualFlushInfo, MemTableInfo, SubcompactionJobInfo,
    TableFileCreationBriefInfo, TableFileCreationInfo, TableFileCreationReason,
    TableFileDeletionInfo, WriteStallCondition, WriteStallInfo,
};
use ferrolith::internal::options::{CompactRangeOptions, FlushOptions, Options, WriteOptions};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// Keeps everything it is told.
#[derive(Default)]
struct Recorder {
    order: Mutex<Vec<String>>,
    flushes: Mutex<Vec<FlushJobInfo>>,
    compactions: Mutex<Vec<CompactionJobInfo>>,
    parts: Mutex<Vec<SubcompactionJobInfo>>,
    sealed: Mutex<Vec<MemTableInfo>>,
    created: Mutex<Vec<TableFileCreationInfo>>,
    stalls: Mutex<Vec<WriteStallInfo>>,
    errors: Mutex<Vec<(BackgroundErrorReason, String)>>,
    forgives: AtomicBool,
}

impl Recorder {
    fn note(&self, what: impl Into<String>) {
        self.order.lock().unwrap().push(what.into());
    }

    /// The events of these kinds, in order.
    fn only(&self, kinds: &[&str]) -> Vec<String> {
        let order = self.order.lock().unwrap();
        order.iter().filter(|e| kinds.iter().any(|k| e.starts_with(k))).cloned().collect()
    }
}

impl EventListener for Recorder {
    fn on_flush_begin(&self, db: EventDb<'_>, info: &FlushJobInfo) {
        // Calls from a listener must not block: no lock of the engine is held.
        let db = Db::of_event(db).expect("a handle");
        assert!(db.property("rocksdb.stats").is_some());
        let no_wait = WriteOptions { no_slowdown: true, ..wo() };
        let _ = db.put(&no_wait, b"from a listener", b"x");
        assert_eq!((info.smallest_seqno, info.largest_seqno), ((1 << 56) - 1, 0));
        self.note("flush begin");
    }
    fn on_flush_completed(&self, db: EventDb<'_>, info: &FlushJobInfo) {
        assert!(db.path.join(info.file_path.file_name().unwrap()) == info.file_path);
        self.flushes.lock().unwrap().push(info.clone());
        self.note("flush completed");
    }
    fn on_manual_flush_scheduled(&self, _: EventDb<'_>, infos: &[ManualFlushInfo]) {
        self.note(format!(
            "manual flush of {} for {}",
            infos[0].cf_name,
            infos[0].flush_reason.name()
        ));
    }
    fn on_compaction_begin(&self, _: EventDb<'_>, info: &CompactionJobInfo) {
        assert!(info.output_files.is_empty());
        self.note(format!("compaction begin {}", info.job_id));
    }
    fn on_compaction_completed(&self, _: EventDb<'_>, info: &CompactionJobInfo) {
        self.compactions.lock().unwrap().push(info.clone());
        self.note(format!("compaction completed {}", info.job_id));
    }
    fn on_subcompaction_begin(&self, _: &SubcompactionJobInfo) {
        self.note("subcompaction begin");
    }
    fn on_subcompaction_completed(&self, info: &SubcompactionJobInfo) {
        self.parts.lock().unwrap().push(info.clone());
        self.note("subcompaction completed");
    }
    fn on_table_file_creation_started(&self, info: &TableFileCreationBriefInfo) {
        self.note(format!("table started {}", info.reason.name()));
    }
    fn on_table_file_created(&self, info: &TableFileCreationInfo) {
        self.created.lock().unwrap().push(info.clone());
        self.note("table created");
    }
    fn on_table_file_deleted(&self, info: &TableFileDeletionInfo) {
        assert!(info.status.is_ok() && !info.file_path.exists());
        self.note("table deleted");
    }
    fn on_memtable_sealed(&self, info: &MemTableInfo) {
        self.sealed.lock().unwrap().push(info.clone());
        self.note("memtable sealed");
    }
    fn on_column_family_handle_deletion_started(&self, info: &ColumnFamilyHandleInfo) {
        self.note(format!("handle of {}", info.cf_name));
    }
    fn on_background_error(&self, reason: BackgroundErrorReason, error: &mut Option<Error>) {
        let text = error.as_ref().unwrap().to_string();
        self.errors.lock().unwrap().push((reason, text));
        if self.forgives.load(Ordering::SeqCst) {
            *error = None;
        }
    }
    fn on_error_recovery_begin(&self, _: BackgroundErrorReason, _: &Error) {
        self.note("recovery begin");
    }
    fn on_error_recovery_completed(&self, _: &Error) {
        self.note("recovery completed");
    }
    fn on_stall_conditions_changed(&self, info: &WriteStallInfo) {
        self.stalls.lock().unwrap().push(info.clone());
    }
}

fn listened() -> (Arc<Recorder>, Options) {
    let recorder = Arc::new(Recorder::default());
    let mut options = small();
    options.cf.write_buffer_size = 1 << 20;
    options.cf.disable_auto_compactions = true;
    options.db.components.listeners.push(Arc::clone(&recorder) as Arc<dyn EventListener>);
    (recorder, options)
}

fn eventually(what: &str, done: impl Fn() -> bool) {
    for _ in 0..500 {
        if done() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("never: {what}");
}

#[test]
fn a_flush_is_told_from_the_sealed_memtable_to_the_table() {
    let (recorder, options) = listened();
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    db.put(&wo(), b"a", b"1").unwrap();
    db.delete(&wo(), b"b").unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    eventually("the flush is told", || recorder.flushes.lock().unwrap().len() == 1);
    assert_eq!(
        *recorder.order.lock().unwrap(),
        [
            "manual flush of default for Manual Flush",
            "memtable sealed",
            "flush begin",
            "table started flush",
            "table created",
            "flush completed",
        ]
    );
    let sealed = &recorder.sealed.lock().unwrap()[0];
    assert_eq!((sealed.num_entries, sealed.num_deletes, sealed.first_seqno), (2, 1, 1));
    let flush = &recorder.flushes.lock().unwrap()[0];
    assert_eq!((flush.cf_id, flush.cf_name.as_str()), (0, "default"));
    assert_eq!((flush.smallest_seqno, flush.largest_seqno), (1, 2));
    assert_eq!(flush.flush_reason, FlushReason::ManualFlush);
    assert_eq!((flush.triggered_writes_slowdown, flush.triggered_writes_stop), (false, false));
    assert_eq!(flush.table_properties.num_entries, 2);
    assert!(flush.job_id > 0 && flush.thread_id > 0 && flush.file_path.exists());
    let created = &recorder.created.lock().unwrap()[0];
    assert_eq!(created.brief.reason, TableFileCreationReason::Flush);
    assert_eq!(created.brief.file_path, flush.file_path);
    assert_eq!(created.file_size, flush.file_path.metadata().unwrap().len());
    assert_eq!(db.get(&ro(), b"from a listener").unwrap().as_deref(), Some(&b"x"[..]));
    db.destroy_column_family_handle(db.default_cf());
    assert_eq!(recorder.only(&["handle"]), ["handle of default"]);
}

#[test]
fn a_full_memtable_gives_its_reason() {
    let (recorder, mut options) = listened();
    options.cf.write_buffer_size = 64 << 10;
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..2000u32 {
        db.put(&wo(), &i.to_be_bytes(), &[7; 100]).unwrap();
    }
    eventually("a flush", || !recorder.flushes.lock().unwrap().is_empty());
    assert_eq!(recorder.flushes.lock().unwrap()[0].flush_reason, FlushReason::WriteBufferFull);
}

#[test]
fn a_compaction_is_told_with_its_files_and_figures() {
    let (recorder, mut options) = listened();
    options.db.max_subcompactions = 2;
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    for round in 0..2u8 {
        for i in 0..100u8 {
            db.put(&wo(), &[i], &[round; 100]).unwrap();
        }
        db.delete(&wo(), &[200]).unwrap();
        db.flush(&FlushOptions::default()).unwrap();
    }
    recorder.order.lock().unwrap().clear();
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    let compactions = recorder.compactions.lock().unwrap();
    let [job] = &compactions[..] else { panic!("{compactions:?}") };
    assert!(job.status.is_ok());
    assert_eq!(job.compaction_reason, CompactionReason::ManualCompaction);
    assert_eq!((job.base_input_level, job.output_level), (0, 6));
    assert_eq!(job.num_l0_files, 0);
    assert_eq!((job.input_files.len(), job.output_file_infos.len()), (3, job.output_files.len()));
    let written: u64 = job.output_files.iter().map(|f| f.metadata().unwrap().len()).sum();
    let s = &job.stats;
    assert!(s.is_manual_compaction && s.is_full_compaction);
    assert_eq!(s.num_input_records, 204);
    assert_eq!(s.num_output_records, 101, "{s:?}");
    assert_eq!(s.num_input_deletion_records, 2);
    assert_eq!(s.total_output_bytes, written);
    assert!(s.total_input_bytes > s.total_output_bytes);
    let parts = recorder.parts.lock().unwrap();
    assert!(parts.iter().all(|p| p.job_id == job.job_id && p.status.is_ok()));
    assert_eq!(parts.iter().map(|p| p.stats.num_output_records).sum::<u64>(), 101);
    let order = recorder.only(&["compaction", "subcompaction begin", "table started"]);
    assert_eq!(order[1], format!("compaction begin {}", job.job_id), "{order:?}");
    assert_eq!(order.last().unwrap(), &format!("compaction completed {}", job.job_id));
    eventually("inputs are deleted", || recorder.only(&["table deleted"]).len() == 3);
}

#[test]
fn stalls_are_told_when_they_begin_and_end() {
    let (recorder, mut options) = listened();
    options.cf.disable_auto_compactions = false;
    options.cf.level0_file_num_compaction_trigger = 3;
    options.cf.level0_slowdown_writes_trigger = 3;
    options.cf.level0_stop_writes_trigger = 30;
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..3u8 {
        db.put(&wo(), b"k", &[i]).unwrap();
        db.flush(&FlushOptions::default()).unwrap();
    }
    db.wait_for_compact().unwrap();
    use WriteStallCondition::{Delayed, Normal};
    eventually("both changes", || recorder.stalls.lock().unwrap().len() >= 2);
    let stalls = recorder.stalls.lock().unwrap();
    let changes: Vec<_> = stalls.iter().map(|s| (s.prev, s.cur)).collect();
    assert_eq!(changes[..2], [(Normal, Delayed), (Delayed, Normal)]);
    assert_eq!(stalls[0].cf_name, "default");
}

/// Fails the next flushes until the returned file system is told otherwise.
fn failing(options: &mut Options) -> FaultFs {
    let fs = FaultFs::new(ferrolith::internal::fs::posix());
    options.db.components.file_system = Some(Arc::new(fs.clone()));
    fs
}

fn break_tables(fs: &FaultFs) {
    fs.inject(Fault::always(Op::Append, ".sst", FaultKind::NoSpace));
}

#[test]
fn an_error_is_told_and_so_is_its_cure() {
    let (recorder, mut options) = listened();
    let fs = failing(&mut options);
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    break_tables(&fs);
    assert!(db.flush(&FlushOptions::default()).is_err());
    let (reason, text) = recorder.errors.lock().unwrap()[0].clone();
    assert_eq!(reason, BackgroundErrorReason::Flush);
    assert!(text.contains("No space"), "{text}");
    let failed = recorder.created.lock().unwrap()[0].clone();
    assert!(failed.status.is_err());
    fs.clear();
    eventually("writes go on", || db.put(&wo(), b"k", b"w").is_ok());
    eventually("told", || recorder.only(&["recovery"]).contains(&"recovery completed".into()));
    assert_eq!(recorder.only(&["recovery"])[0], "recovery begin");
}

#[test]
fn a_listener_can_forgive() {
    let (recorder, mut options) = listened();
    recorder.forgives.store(true, Ordering::SeqCst);
    let fs = failing(&mut options);
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    break_tables(&fs);
    db.flush(&FlushOptions { wait: false, ..FlushOptions::default() }).unwrap();
    eventually("the error", || !recorder.errors.lock().unwrap().is_empty());
    db.put(&wo(), b"k", b"w").expect("writes go on");
    fs.clear();
    eventually("the flush", || db.property_int("rocksdb.num-files-at-level0") == Some(1));
}

/// Keeps the lines that it gets.
#[derive(Default)]
struct Lines(Mutex<Vec<(LogLevel, String)>>);

impl Logger for Lines {
    fn log(&self, level: LogLevel, text: &str) {
        self.0.lock().unwrap().push((level, text.to_owned()));
    }
}

/// What programs search LOG for: the head, options with their spacing, and events as JSON.
#[test]
fn lines_have_rocksdbs_words() {
    let lines = Arc::new(Lines::default());
    let mut options = small();
    options.db.components.info_log = Some(Arc::clone(&lines) as Arc<dyn Logger>);
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    assert!(!dir.path().join("LOG").exists(), "the logger has the lines");
    for value in [b"v", b"w"] {
        db.put(&wo(), b"k", value).unwrap();
        db.flush(&FlushOptions::default()).unwrap();
    }
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    db.close().unwrap();
    let all: Vec<String> = lines.0.lock().unwrap().iter().map(|(_, text)| text.clone()).collect();
    assert_eq!(all[0], "RocksDB version: 10.10.1", "what has no effect is told after the head");
    for line in [
        "\tkZSTD supported: 1",
        "\tkBZip2Compression supported: 1",
        "\tkXpressCompression supported: 0",
        "Jemalloc supported: 0",
        "DB SUMMARY",
        "                        Options.error_if_exists: 0",
        "         Options.compression: Snappy",
        "--------------- Options for column family [default]:",
    ] {
        assert!(all.iter().any(|l| l == line), "{line}");
    }
    let event = |name: &str| {
        let name = format!("\"event\": \"{name}\"");
        let found = all.iter().find(|l| l.contains(&name)).unwrap_or_else(|| panic!("{name}"));
        assert!(found.starts_with("EVENT_LOG_v1 {\"time_micros\": ") && found.ends_with('}'));
        found.clone()
    };
    let started = event("flush_started");
    assert!(started.contains("\"job\": 2, ") && started.contains("\"num_memtables\": 1, "));
    assert!(started.contains("\"flush_reason\": \"Manual Flush\""));
    assert!(event("table_file_creation").contains("\"cf_name\": \"default\", \"job\": 2, "));
    assert!(event("flush_finished").contains("\"lsm_state\": [1, 0, 0, 0, 0, 0, 0], "));
    assert!(event("compaction_started").contains("\"compaction_reason\": \"ManualCompaction\""));
    assert!(event("compaction_started").contains("\"score\": -1, "));
    event("table_file_deletion");
    let crc = all.iter().find(|l| l.starts_with("Fast CRC32 supported: ")).expect("the line");
    assert!(crc.contains("upported on "), "{crc}");
    assert!(all.iter().any(|l| l.starts_with("CRC32C instructions found at run time: ")));
}

/// A reopened database tells of its recovery, and every event is JSON.
#[test]
fn recovery_is_told() {
    let lines = Arc::new(Lines::default());
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    drop(db);
    let mut options = small();
    options.db.components.info_log = Some(Arc::clone(&lines) as Arc<dyn Logger>);
    let db = Db::open(&options, dir.path()).unwrap();
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    db.close().unwrap();
    let all: Vec<String> = lines.0.lock().unwrap().iter().map(|(_, text)| text.clone()).collect();
    assert!(all.iter().any(|l| l.starts_with("Recovered from manifest file:")));
    assert!(all.iter().any(|l| l.starts_with("Column family [default] (ID 0), log number is ")));
    let events: Vec<serde_json::Value> = all
        .iter()
        .filter_map(|line| line.strip_prefix("EVENT_LOG_v1 "))
        .map(|json| serde_json::from_str(json).unwrap())
        .collect();
    let event = |name: &str| events.iter().find(|e| e["event"] == name).expect(name);
    let started = event("recovery_started");
    assert_eq!(started["job"], 1);
    assert_eq!(started["wal_files"].as_array().unwrap().len(), 1, "{started}");
    assert_eq!(event("recovery_finished")["status"], "OK");
    let table = event("table_file_creation");
    assert_eq!((&table["job"], &table["status"]), (&1.into(), &"OK".into()));
    assert_eq!(table["table_properties"]["key_largest_seqno"], 1);
}

/// Pauses deletions while it is told of one.
#[derive(Default)]
struct Pauser {
    db: OnceLock<Db>,
    paused: AtomicBool,
}

impl EventListener for Pauser {
    fn on_table_file_deleted(&self, _: &TableFileDeletionInfo) {
        if let Some(db) = self.db.get() {
            db.disable_file_deletions().unwrap();
            db.enable_file_deletions().unwrap();
            self.paused.store(true, Ordering::SeqCst);
        }
    }
}

#[test]
fn a_listener_may_pause_deletions_while_it_is_told_of_one() {
    let (pauser, mut options) = (Arc::new(Pauser::default()), small());
    options.db.components.listeners.push(pauser.clone());
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    assert!(pauser.db.set(db.clone()).is_ok());
    for _ in 0..2 {
        db.put(&wo(), b"k", b"v").unwrap();
        db.flush(&FlushOptions::default()).unwrap();
    }
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    eventually("it was told", || pauser.paused.load(Ordering::SeqCst));
    db.close().unwrap();
}
