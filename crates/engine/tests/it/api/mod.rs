//! The public door: names at the root of the crate alone. Only files that fail come through the hidden one.

mod error_texts;
mod families;
mod iterators;
mod lookups;
mod options;
mod prefixes;
mod snapshots;

use ferrolith::{Db, Options};
use std::path::Path;

/// A new database in memory.
fn memory() -> Db {
    Db::open_with(Options::in_memory(), "/db").unwrap()
}

/// Every public type may go to another thread; handles may be shared between threads.
#[test]
fn types_are_send() {
    fn send<T: Send + std::fmt::Debug + 'static>() {}
    fn shared<T: Send + Sync + std::fmt::Debug + Clone + 'static>() {}
    shared::<Db>();
    shared::<ferrolith::ColumnFamily>();
    shared::<ferrolith::Snapshot>();
    shared::<ferrolith::ReadOptions>();
    shared::<ferrolith::WriteOptions>();
    shared::<ferrolith::WriteBatch>();
    shared::<Options>();
    shared::<ferrolith::ColumnFamilyOptions>();
    shared::<ferrolith::Value>();
    shared::<ferrolith::Key>();
    shared::<ferrolith::Error>();
    shared::<ferrolith::BlockBasedOptions>();
    shared::<std::sync::Arc<ferrolith::Cache>>();
    shared::<std::sync::Arc<ferrolith::RateLimiter>>();
    shared::<std::sync::Arc<ferrolith::WriteBufferManager>>();
    shared::<std::sync::Arc<ferrolith::SstFileManager>>();
    shared::<std::sync::Arc<ferrolith::Statistics>>();
    shared::<ferrolith::LiveFileMetaData>();
    shared::<ferrolith::ColumnFamilyMetaData>();
    shared::<ferrolith::ExportedColumnFamily>();
    shared::<ferrolith::CompactRangeOptions>();
    shared::<ferrolith::FlushOptions>();
    shared::<ferrolith::PlainTableOptions>();
    shared::<ferrolith::MemtableFactory>();
    send::<ferrolith::Changes>();
    send::<ferrolith::SstFileWriter>();
    send::<ferrolith::Iter>();
    send::<ferrolith::Cursor>();
}

#[test]
fn errors_have_kinds_files_and_sources() {
    use ferrolith::ErrorKind;
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path()).unwrap();
    db.put("key", vec![7; 100]).unwrap();
    db.flush().unwrap();
    let table = db.live_files()[0].path();
    db.close().unwrap();
    let mut bytes = std::fs::read(&table).unwrap();
    bytes[10] ^= 0xff;
    std::fs::write(&table, bytes).unwrap();
    let db = Db::open(dir.path()).unwrap();
    let error = db.get("key").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corruption);
    assert_eq!(error.file().unwrap().file_name(), table.file_name(), "{error}");
    assert_eq!(error.offset(), Some(0), "{error}");
    let io = std::io::Error::from(error);
    assert_eq!(io.kind(), std::io::ErrorKind::InvalidData);
    assert!(io.to_string().starts_with("Corruption: "), "{io}");
    drop(db);

    std::fs::remove_file(&table).unwrap();
    let error = Db::open(dir.path()).unwrap_err();
    assert_eq!(error.file().map(Path::file_name), Some(table.file_name()), "{error}");

    let second = tempfile::tempdir().unwrap();
    let first = Db::open(second.path()).unwrap();
    let error = Db::open(second.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy, "{error}");
    drop(first);
}

#[test]
fn values_compare_hash_and_convert() {
    use ferrolith::Value;
    use std::collections::HashSet;
    let db = memory();
    db.put("key", "value").unwrap();
    let value = db.get("key").unwrap().unwrap();
    assert_eq!(value, "value");
    assert_eq!(value, b"value");
    assert_eq!(value, *b"value");
    assert_eq!(value, b"value".to_vec());
    assert_eq!(value, b"value"[..]);
    assert_eq!(Some(value.clone()), Some("value".into()));
    let smaller = Value::from("valud");
    assert!(value > smaller);
    assert_eq!(format!("{value:?}"), "b\"value\"");
    let set: HashSet<Value> = [value.clone(), Value::from("other")].into();
    assert!(set.contains(&b"value"[..]));
    assert_eq!(Vec::from(value.clone()), b"value");
    assert_eq!(Box::<[u8]>::from(value), b"value".to_vec().into_boxed_slice());
    // Long values are pinned in their block, and outlive the database.
    let long = vec![9; 100_000];
    db.put("long", &long).unwrap();
    db.flush().unwrap();
    let pinned = db.get("long").unwrap().unwrap();
    let (key, _) = db.last().unwrap().unwrap();
    db.close().unwrap();
    drop(db);
    assert_eq!(pinned, long);
    assert_eq!(key, "long");
}

#[test]
fn a_batch_is_read_record_by_record() {
    use ferrolith::{Record, WriteBatch};
    let db = memory();
    let cf = db.create_cf("one").unwrap();
    let mut batch = WriteBatch::new();
    batch.put("a", "1").delete_cf(&cf, "b").single_delete("c").merge_cf(&cf, "d", "4");
    batch.delete_range("e", "f").put_log_data("note");
    let id = cf.id();
    let expected = [
        Record::Put { cf: 0, key: b"a", value: b"1" },
        Record::Delete { cf: id, key: b"b" },
        Record::SingleDelete { cf: 0, key: b"c" },
        Record::Merge { cf: id, key: b"d", operand: b"4" },
        Record::DeleteRange { cf: 0, begin: b"e", end: b"f" },
        Record::LogData(b"note"),
    ];
    assert_eq!(batch.iter().collect::<Vec<_>>(), expected);
    assert_eq!(batch.len(), 5);
    let copy = WriteBatch::from_data(batch.data()).unwrap();
    assert_eq!(copy.iter().collect::<Vec<_>>(), expected);
    batch.clear();
    assert!(batch.is_empty() && batch.iter().next().is_none());
}

#[test]
fn changes_go_on_across_logs_and_find_gaps() {
    use ferrolith::Record;
    use std::time::Duration;
    let dir = tempfile::tempdir().unwrap();
    let options = Options::new().create_if_missing(true).wal_ttl(Duration::from_secs(3600));
    let db = Db::open_with(options, dir.path()).unwrap();
    let cf = db.create_cf("one").unwrap();
    cf.put("k", [0]).unwrap();
    let mut changes = db.get_updates_since(1).unwrap();
    for n in 1..20 {
        // Other readers of the log, and logs that end.
        cf.put("k", [n]).unwrap();
        if n % 3 == 0 {
            db.put("other", [n]).unwrap();
            db.flush().unwrap();
            cf.flush().unwrap();
        }
        if n % 5 == 0 {
            assert!(changes.by_ref().count() > 0);
            assert!(changes.next().is_none());
        }
    }
    let all: Vec<_> = db.get_updates_since(1).unwrap().map(|change| change.unwrap()).collect();
    assert_eq!(all.len() as u64, db.latest_sequence_number());
    let in_cf =
        |record: &Record<'_>| matches!(record, Record::Put { cf: id, .. } if *id == cf.id());
    let puts = all.iter().flat_map(|change| change.batch.iter()).filter(in_cf);
    assert_eq!(puts.count(), 20);
}
