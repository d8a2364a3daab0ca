use super::*;
use crate::error::Code;
use crate::hooks::{EventListener, FlushJobInfo, StringAppendOperator};
use crate::options::FlushOptions;
use crate::utilities::BatchIterator;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

fn options() -> Options {
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options.cf.merge_operator = Some(Arc::new(StringAppendOperator::default()));
    options
}

fn both_kinds(check: impl Fn(&AnyDb)) {
    let dirs = [(); 2].map(|()| tempfile::tempdir().unwrap());
    check(&AnyDb::open(&options(), dirs[0].path()).unwrap());
    check(&AnyDb::open_with_ttl(&options(), dirs[1].path(), 0, false).unwrap());
}

const LARGE: [u8; 9000] = [7; 9000];

/// Writes the same values with each way of writing, into the default family and another one.
fn fill(db: &AnyDb) -> ColumnFamily {
    let (wo, cf) = (WriteOptions::default(), db.create_cf("other", &options().cf).unwrap());
    db.put(&wo, b"put", b"value").unwrap();
    db.put_cf(&wo, &cf, b"put", b"value").unwrap();
    db.put(&wo, b"large", &LARGE).unwrap();
    db.put_cf(&wo, &cf, b"large", &LARGE).unwrap();
    for operand in [b"x", b"y"] {
        db.merge(&wo, b"merged", operand).unwrap();
        db.merge_cf(&wo, &cf, b"merged", operand).unwrap();
    }
    let mut batch = WriteBatch::new();
    batch.put(b"batch", b"").unwrap();
    batch.put_cf(cf.id(), b"batch", b"").unwrap();
    db.write(&wo, &mut batch).unwrap();
    cf
}

const ENTRIES: [(&[u8], &[u8]); 4] =
    [(b"batch", b""), (b"large", &LARGE), (b"merged", b"x,y"), (b"put", b"value")];

#[test]
fn every_read_returns_what_was_written() {
    both_kinds(|db| {
        let (ro, cf) = (ReadOptions::default(), fill(db));
        for (key, value) in ENTRIES.iter().copied().map(|(key, value)| (key, Some(value))) {
            check_reads(db, &cf, &ro, key, value);
        }
        check_reads(db, &cf, &ro, b"missing", None);
        let keys = ENTRIES.map(|(key, _)| key);
        for found in [db.multi_get(&ro, &keys), db.multi_get_cf(&ro, &cf, &keys)] {
            let found: Vec<_> = found.into_iter().map(|value| value.unwrap().unwrap()).collect();
            assert!(found.iter().map(|value| &**value).eq(ENTRIES.map(|(_, value)| value)));
        }
    });
}

fn check_reads(db: &AnyDb, cf: &ColumnFamily, ro: &ReadOptions, key: &[u8], value: Option<&[u8]>) {
    assert_eq!(db.get(ro, key).unwrap().as_deref(), value);
    assert_eq!(db.get_cf(ro, cf, key).unwrap().as_deref(), value);
    let mut out = b"before".to_vec();
    let is_right = |found: bool, out: &[u8]| {
        assert_eq!((found, out), (value.is_some(), value.unwrap_or_default()));
    };
    is_right(db.get_into(ro, key, &mut out).unwrap(), &out);
    is_right(db.get_into_cf(ro, cf, key, &mut out).unwrap(), &out);
    let mut buffer = ValueBuffer::new();
    buffer.copy(b"before");
    is_right(db.get_pinned_into(ro, key, &mut buffer).unwrap(), &buffer);
    is_right(db.get_pinned_into_cf(ro, cf, key, &mut buffer).unwrap(), &buffer);
    for cf in [None, Some(cf)] {
        let given = db.get_with(ro, cf, key, <[u8]>::to_vec).unwrap();
        assert_eq!(given.as_deref(), value);
    }
}

#[test]
fn iterators_show_what_was_written_in_both_directions() {
    both_kinds(|db| {
        let (ro, cf) = (ReadOptions::default(), fill(db));
        for mut iter in [db.iter(&ro).unwrap(), db.iter_cf(&ro, &cf).unwrap()] {
            assert!(iter.value().is_empty(), "before the first seek");
            iter.seek_to_first();
            for entry in ENTRIES {
                assert_eq!((iter.key(), iter.value()), entry);
                iter.next();
            }
            assert!(!iter.valid() && iter.value().is_empty());
            iter.refresh().unwrap();
            iter.seek_to_last();
            for entry in ENTRIES.into_iter().rev() {
                assert_eq!((iter.key(), iter.value()), entry);
                iter.prev();
            }
            iter.status().unwrap();
        }
    });
}

#[test]
fn an_indexed_batch_is_read_over_the_database() {
    both_kinds(|db| {
        let (ro, cf) = (ReadOptions::default(), fill(db));
        let mut batch = IndexedBatch::default();
        batch.put_cf(cf.id(), b"new", b"in the batch").unwrap();
        let get = |key| db.get_with_batch(&batch, &ro, &cf, key).unwrap().unwrap().into_vec();
        assert_eq!(get(b"new"), b"in the batch");
        assert_eq!(get(b"put"), b"value");
        let mut iter = BatchIterator::new(db.iter_cf(&ro, &cf).unwrap(), &batch, &cf, &ro);
        iter.seek(b"merged");
        assert_eq!((iter.key(), iter.value()), (&b"merged"[..], &b"x,y"[..]));
        iter.next();
        assert_eq!((iter.key(), iter.value()), (&b"new"[..], &b"in the batch"[..]));
    });
}

#[test]
fn only_a_database_with_a_time_to_live_stamps_values() {
    both_kinds(|db| {
        fill(db);
        let stored = db.plain().get(&ReadOptions::default(), b"put").unwrap().unwrap();
        let stamp = if matches!(db, AnyDb::Ttl(_)) { 4 } else { 0 };
        assert_eq!(stored.len(), 5 + stamp);
        assert_eq!(&stored[..5], b"value");
    });
}

#[test]
fn every_lookup_reports_a_missing_stamp() {
    let dir = tempfile::tempdir().unwrap();
    let db = AnyDb::open_with_ttl(&options(), dir.path(), 0, false).unwrap();
    let (ro, cf) = (ReadOptions::default(), db.default_cf());
    db.plain().put(&WriteOptions::default(), b"k", b"abc").unwrap();
    let mut out = b"before".to_vec();
    let mut buffer = ValueBuffer::new();
    buffer.copy(b"before");
    let batch = IndexedBatch::default();
    let errors = [
        db.get(&ro, b"k").err(),
        db.get_cf(&ro, &cf, b"k").err(),
        db.get_into(&ro, b"k", &mut out).err(),
        db.get_into_cf(&ro, &cf, b"k", &mut out).err(),
        db.get_pinned_into(&ro, b"k", &mut buffer).err(),
        db.get_pinned_into_cf(&ro, &cf, b"k", &mut buffer).err(),
        db.get_with(&ro, None, b"k", |_| ()).err(),
        db.get_with_batch(&batch, &ro, &cf, b"k").err(),
        db.multi_get(&ro, &[b"k"]).remove(0).err(),
        db.multi_get_cf(&ro, &cf, &[b"k"]).remove(0).err(),
    ];
    let text = "Corruption: Error: value's length less than timestamp's\n";
    for error in errors {
        assert_eq!(error.unwrap().to_string(), text);
    }
    assert!(out.is_empty() && buffer.is_empty());
    // Iterators do not check stamps.
    let mut iter = db.iter(&ro).unwrap();
    iter.seek_to_first();
    assert_eq!((iter.key(), iter.value()), (&b"k"[..], &b""[..]));
    iter.status().unwrap();
}

/// Reads a key through the handle that each event gives, and sends what it finds.
struct Reader(Sender<Option<Vec<u8>>>);

impl EventListener for Reader {
    fn on_flush_completed(&self, db: EventDb<'_>, _info: &FlushJobInfo) {
        let db = AnyDb::of_event(db).unwrap();
        self.0.send(db.get(&ReadOptions::default(), b"k").unwrap()).unwrap();
    }
}

#[test]
fn handles_of_other_handles_are_of_the_same_kind() {
    for with_ttl in [false, true] {
        let (dir, (sender, found)) = (tempfile::tempdir().unwrap(), channel());
        let mut options = options();
        options.db.components.listeners.push(Arc::new(Reader(sender)));
        let db = match with_ttl {
            false => AnyDb::open(&options, dir.path()).unwrap(),
            true => AnyDb::open_with_ttl(&options, dir.path(), 0, false).unwrap(),
        };
        db.put(&WriteOptions::default(), b"k", b"value").unwrap();
        db.flush(&FlushOptions::default()).unwrap();
        // Listeners may be told after `flush` has returned.
        let found = found.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(found.as_deref(), Some(&b"value"[..]));
        let weak = db.without_keeping_open();
        assert_eq!(weak.get(&ReadOptions::default(), b"k").unwrap().unwrap(), b"value");
        db.close().unwrap();
    }
}

#[test]
fn a_time_to_live_of_a_family_needs_one_of_the_database() {
    both_kinds(|db| {
        let created = db.create_cf_with_ttl("brief", &options().cf, 10);
        match db {
            AnyDb::Ttl(_) => assert_eq!(created.unwrap().name(), "brief"),
            AnyDb::Plain(_) => assert_eq!(created.unwrap_err().code(), Code::InvalidArgument),
        }
    });
}

#[test]
fn merge_operands_are_refused_with_a_time_to_live() {
    both_kinds(|db| {
        let (ro, cf) = (ReadOptions::default(), fill(db));
        let operands = db.merge_operands_cf(&ro, &cf, b"merged");
        match db {
            AnyDb::Plain(_) => assert_eq!(operands.unwrap(), [b"x", b"y"]),
            AnyDb::Ttl(_) => assert_eq!(operands.unwrap_err().code(), Code::NotSupported),
        }
    });
}

/// A method that is missing here would be found by `Deref` and show stamps.
#[test]
fn every_method_that_sees_values_is_passed_on() {
    let public = |source: &'static str| {
        let names = source.lines().filter_map(|line| line.trim().strip_prefix("pub fn "));
        names.map(|name| name.split(['(', '<']).next().unwrap()).collect::<Vec<_>>()
    };
    let mut names = public(include_str!("../db/reads.rs"));
    assert!(names.contains(&"get_pinned_cf") && names.contains(&"multi_get"));
    let without_values = ["delete", "single_delete", "flush_wal", "sync_wal"];
    let writes = public(include_str!("../db/writes.rs")).into_iter();
    names.extend(writes.filter(|name| without_values.iter().all(|other| !name.starts_with(other))));
    assert!(names.contains(&"put_cf") && names.contains(&"write"));
    let source = include_str!("any_db.rs");
    for name in names {
        let is_here = ["(", "[", "<"].iter().any(|end| source.contains(&format!("fn {name}{end}")));
        assert!(is_here, "AnyDb has no method {name}");
    }
}
