//! Compaction filters and their factories, end to end.

use super::support::{dump, ro, small, temp_dir, wo};
use ferrolith::Code;
use ferrolith::internal::db::Db;
use ferrolith::internal::hooks::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, FilterDecision,
    TableFileCreationReason,
};
use ferrolith::internal::options::{
    CompactRangeOptions, FlushOptions, Options, newest_options_file,
};
use std::sync::{Arc, Mutex};

/// Drops keys that begin with `_`, and turns values `%` into `secret`.
struct Underscores {
    spares_snapshots: bool,
}

impl CompactionFilter for Underscores {
    fn name(&self) -> &str {
        "Underscores"
    }
    fn filter(&self, _level: usize, key: &[u8], value: &[u8]) -> FilterDecision {
        match (key, value) {
            ([b'_', ..], _) => FilterDecision::Remove,
            (_, b"%") => FilterDecision::ChangeValue(b"secret".to_vec()),
            _ => FilterDecision::Keep,
        }
    }
    fn ignore_snapshots(&self) -> bool {
        !self.spares_snapshots
    }
}

/// Makes [`Underscores`], and remembers what for.
#[derive(Default)]
struct Factory {
    at_flush: bool,
    contexts: Mutex<Vec<CompactionFilterContext>>,
}

impl CompactionFilterFactory for Factory {
    fn name(&self) -> &str {
        "UnderscoresFactory"
    }
    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        self.contexts.lock().unwrap().push(*context);
        Some(Box::new(Underscores { spares_snapshots: false }))
    }
    fn should_filter_table_file_creation(&self, reason: TableFileCreationReason) -> bool {
        reason == TableFileCreationReason::Compaction || self.at_flush
    }
}

fn fill(db: &Db) {
    for (key, value) in [("_key", "v"), ("a", "1"), ("k", "%")] {
        db.put(&wo(), key.as_bytes(), value.as_bytes()).unwrap();
    }
}

fn quiet() -> Options {
    let mut options = small();
    options.cf.disable_auto_compactions = true;
    options
}

#[test]
fn a_filter_sees_what_is_compacted_by_hand() {
    let dir = temp_dir();
    let mut options = quiet();
    options.db.statistics = Some(ferrolith::internal::stats::Statistics::new());
    options.cf.compaction_filter = Some(Arc::new(Underscores { spares_snapshots: false }));
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db);
    db.flush(&FlushOptions::default()).unwrap();
    assert_eq!(db.get(&ro(), b"_key").unwrap().as_deref(), Some(&b"v"[..]), "not at a flush");
    // One table without anything below would only move, were there no filter.
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    let left = vec![(b"a".to_vec(), b"1".to_vec()), (b"k".to_vec(), b"secret".to_vec())];
    assert_eq!(dump(&db), left);
    let ticker = ferrolith::internal::stats::Ticker::CompactionKeyDropUser;
    assert_eq!(db.statistics().unwrap().take_ticker(ticker), 1);
    drop(db);
    let path =
        newest_options_file(&*ferrolith::internal::fs::posix(), dir.path()).unwrap().unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("\n  compaction_filter=Underscores\n"), "{text}");
}

#[test]
fn data_on_the_last_level_is_filtered_again() {
    let dir = temp_dir();
    let db = Db::open(&quiet(), dir.path()).unwrap();
    fill(&db);
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert_eq!(dump(&db).len(), 3);
    db.close().unwrap();
    let mut options = quiet();
    let factory = Arc::new(Factory::default());
    options.cf.compaction_filter_factory = Some(factory.clone());
    let db = Db::open(&options, dir.path()).unwrap();
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert_eq!(dump(&db).len(), 2);
    let contexts = factory.contexts.lock().unwrap().clone();
    let expected = CompactionFilterContext {
        is_full_compaction: true,
        is_manual_compaction: true,
        input_start_level: Some(6),
        column_family_id: 0,
        reason: TableFileCreationReason::Compaction,
    };
    assert_eq!(contexts, [expected]);
}

#[test]
fn a_factory_may_filter_flushes_and_recovery() {
    let dir = temp_dir();
    let mut options = quiet();
    let factory = Arc::new(Factory { at_flush: true, ..Factory::default() });
    options.cf.compaction_filter_factory = Some(factory.clone());
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db);
    db.flush(&FlushOptions::default()).unwrap();
    assert_eq!(dump(&db).len(), 2);
    fill(&db);
    assert_eq!(dump(&db).len(), 3);
    drop(db);
    let db = Db::open(&options, dir.path()).unwrap();
    assert_eq!(dump(&db).len(), 2);
    let reasons: Vec<_> = factory.contexts.lock().unwrap().iter().map(|c| c.reason).collect();
    assert_eq!(reasons, [TableFileCreationReason::Flush, TableFileCreationReason::Recovery]);
}

#[test]
fn a_filter_that_spares_snapshots_is_refused() {
    let dir = temp_dir();
    let mut options = quiet();
    options.cf.compaction_filter = Some(Arc::new(Underscores { spares_snapshots: true }));
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db);
    let e = db.compact_range(&CompactRangeOptions::default(), None, None).unwrap_err();
    assert_eq!(e.code(), Code::NotSupported);
    let text =
        "Not implemented: CompactionFilter::IgnoreSnapshots() = false is not supported anymore.";
    assert_eq!(e.to_string(), text);
    assert_eq!(dump(&db).len(), 3);
}

#[test]
fn a_closed_database_lets_its_filter_go() {
    let dir = temp_dir();
    let filter = Arc::new(Underscores { spares_snapshots: false });
    let mut options = quiet();
    options.cf.compaction_filter = Some(filter.clone());
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db);
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    drop(options);
    drop(db);
    assert_eq!(Arc::strong_count(&filter), 1);
}
