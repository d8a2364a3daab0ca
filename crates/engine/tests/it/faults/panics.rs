//! Code of the user's that panics in the background: the job fails, writes stop, reads go on, and the
//! database closes and opens again.

use super::super::support::{ro, small, temp_dir, wo};
use super::{eventually, flush};
use ferrolith::internal::db::Db;
use ferrolith::internal::hooks::{EventDb, EventListener, FlushJobInfo, MergeOperator};
use ferrolith::internal::options::{CompactRangeOptions, Options};
use std::path::Path;
use std::sync::Arc;

struct PanickingMerge;

impl MergeOperator for PanickingMerge {
    fn name(&self) -> &str {
        "StringAppendOperator"
    }
    fn full_merge(&self, _: &[u8], _: Option<&[u8]>, _: &[&[u8]]) -> Option<Vec<u8>> {
        panic!("a merge operator that panics")
    }
}

struct PanickingListener;

impl EventListener for PanickingListener {
    fn on_flush_begin(&self, _: EventDb<'_>, _: &FlushJobInfo) {
        panic!("a listener that panics")
    }
}

/// Writes do not go on, reads do, and after closing everything is there.
fn check(db: Db, dir: &Path, what: &str) {
    eventually(what, || db.put(&wo(), b"more", b"x").is_err());
    let e = db.put(&wo(), b"more", b"x").unwrap_err();
    assert!(e.to_string().contains(what), "{e}");
    assert_eq!(db.get(&ro(), b"key").unwrap().unwrap(), b"value");
    drop(db);
    let db = Db::open(&small(), dir).unwrap();
    assert_eq!(db.get(&ro(), b"key").unwrap().unwrap(), b"value");
    assert_eq!(db.get(&ro(), b"merged").unwrap().unwrap(), b"a,b");
    flush(&db).unwrap();
}

fn filled(options: &Options, dir: &Path) -> Db {
    let db = Db::open(options, dir).unwrap();
    db.put(&wo(), b"key", b"value").unwrap();
    db.put(&wo(), b"merged", b"a").unwrap();
    db.merge(&wo(), b"merged", b"b").unwrap();
    db
}

#[test]
fn a_panic_in_a_flush_is_its_error() {
    let mut merge = small();
    merge.cf.merge_operator = Some(Arc::new(PanickingMerge));
    let mut listener = small();
    listener.db.components.listeners.push(Arc::new(PanickingListener));
    for (options, what) in
        [(merge, "a merge operator that panics"), (listener, "a listener that panics")]
    {
        let dir = temp_dir();
        let db = filled(&options, dir.path());
        let e = flush(&db).unwrap_err();
        assert!(e.to_string().contains(what), "{e}");
        check(db, dir.path(), what);
    }
}

#[test]
fn a_panic_in_a_compaction_is_its_error() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.disable_auto_compactions = true;
    let db = filled(&options, dir.path());
    flush(&db).unwrap();
    db.merge(&wo(), b"merged", b"c").unwrap();
    flush(&db).unwrap();
    drop(db);
    options.cf.merge_operator = Some(Arc::new(PanickingMerge));
    let db = Db::open(&options, dir.path()).unwrap();
    let compacted = db.compact_range(&CompactRangeOptions::default(), None, None);
    let e = compacted.unwrap_err();
    assert!(e.to_string().contains("a merge operator that panics"), "{e}");
    // It was a user's job: its caller knows, and nothing else has failed.
    db.put(&wo(), b"more", b"x").unwrap();
    options.cf.merge_operator = small().cf.merge_operator;
    drop(db);
    let db = Db::open(&options, dir.path()).unwrap();
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert_eq!(db.get(&ro(), b"merged").unwrap().unwrap(), b"a,b,c");
}
