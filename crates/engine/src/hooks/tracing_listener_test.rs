//! A process-wide subscriber collects the events of real databases.

use super::*;
use crate::db::Db;
use crate::fs::fault::{Fault, FaultFs, FaultKind, Op};
use crate::options::{CompactRangeOptions, FlushOptions, Options, ReadOptions, WriteOptions};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;
use std::sync::{Arc, Mutex, Once};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

#[derive(Clone, Debug)]
struct Seen {
    target: String,
    level: Level,
    fields: BTreeMap<String, String>,
}

impl Seen {
    fn has(&self, field: &str, value: &str) -> bool {
        self.fields.get(field).is_some_and(|v| v == value)
    }
}

static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());

struct Collector;

impl Visit for Seen {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name().to_owned(), value.to_owned());
    }
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("ferrolith::")
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let (target, level) = (event.metadata().target().to_owned(), *event.metadata().level());
        let mut seen = Seen { target, level, fields: BTreeMap::new() };
        event.record(&mut seen);
        SEEN.lock().unwrap().push(seen);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn collect() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Collector).unwrap());
}

/// Returns the events with this message, and with `value` in `field`.
fn with(message: &str, field: &str, value: &str) -> Vec<Seen> {
    let seen = SEEN.lock().unwrap();
    seen.iter().filter(|s| s.has("message", message) && s.has(field, value)).cloned().collect()
}

fn options() -> Options {
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options.db.components.listeners = vec![Arc::new(TracingListener::new())];
    options
}

fn put_and_flush(db: &Db, key: &str) -> crate::Result<()> {
    db.put(&WriteOptions::default(), key.as_bytes(), b"value")?;
    db.flush(&FlushOptions::default())
}

fn path(dir: &Path) -> String {
    dir.canonicalize().unwrap().display().to_string()
}

#[test]
fn jobs_and_tables_are_reported() {
    collect();
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(&options(), dir.path()).unwrap();
    put_and_flush(&db, "a").unwrap();
    put_and_flush(&db, "a").unwrap();
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert!(db.get(&ReadOptions::default(), b"a").unwrap().is_some());
    db.close().unwrap();
    let name = path(dir.path());
    for (message, target, level, count) in [
        ("flush started", "ferrolith::flush", Level::DEBUG, 2),
        ("flush completed", "ferrolith::flush", Level::INFO, 2),
        ("compaction started", "ferrolith::compaction", Level::DEBUG, 1),
        ("compaction completed", "ferrolith::compaction", Level::INFO, 1),
        ("table created", "ferrolith::table", Level::DEBUG, 3),
        ("table deleted", "ferrolith::table", Level::DEBUG, 2),
    ] {
        let seen = with(message, "db", &name);
        assert_eq!(seen.len(), count, "{message}: {seen:?}");
        assert!(seen.iter().all(|s| s.target == target && s.level == level), "{seen:?}");
    }
    let flush = &with("flush completed", "db", &name)[0];
    assert!(flush.has("family", "default") && flush.has("reason", "Manual Flush"), "{flush:?}");
    assert!(flush.has("entries", "1"), "{flush:?}");
    let compaction = &with("compaction completed", "db", &name)[0];
    assert!(compaction.has("input_files", "2") && compaction.has("output_files", "1"));
}

#[test]
fn failures_and_stalls_are_reported() {
    collect();
    let dir = tempfile::tempdir().unwrap();
    let faults = FaultFs::new(crate::fs::posix());
    let mut options = options();
    options.db.components.file_system = Some(Arc::new(faults.clone()));
    let db = Db::open(&options, dir.path()).unwrap();
    faults.inject(Fault::always(Op::Sync, ".sst", FaultKind::Io));
    assert!(put_and_flush(&db, "a").is_err());
    let name = path(dir.path());
    let failed = with("table not created", "db", &name);
    assert_eq!((failed.len(), failed[0].level), (1, Level::ERROR), "{failed:?}");
    let errors = with("background error", "reason", "Flush");
    assert!(errors.iter().any(|e| e.level == Level::ERROR && e.target == "ferrolith::error"));
    faults.clear();

    let mut stall = WriteStallInfo {
        cf_name: "stalled".to_owned(),
        cur: WriteStallCondition::Stopped,
        prev: WriteStallCondition::Normal,
    };
    TracingListener.on_stall_conditions_changed(&stall);
    stall.cur = WriteStallCondition::Delayed;
    TracingListener.on_stall_conditions_changed(&stall);
    stall.cur = WriteStallCondition::Normal;
    TracingListener.on_stall_conditions_changed(&stall);
    for (message, level) in [
        ("writes stopped", Level::WARN),
        ("writes delayed", Level::WARN),
        ("writes at full speed", Level::INFO),
    ] {
        let seen = with(message, "family", "stalled");
        assert_eq!((seen.len(), seen[0].level), (1, level), "{message}");
    }
}
