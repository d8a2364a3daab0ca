//! Databases with merge operands and without the operator that folds them.

use super::support::{small, temp_dir, wo};
use ferrolith::internal::base::KeyOrder;
use ferrolith::internal::batch::{IndexedBatch, WriteBatch};
use ferrolith::internal::db::{ColumnFamilyDescriptor, Db};
use ferrolith::internal::error::rocksdb_text;
use ferrolith::internal::hooks::UInt64AddOperator;
use ferrolith::internal::options::{
    BottommostLevelCompaction, CompactRangeOptions, FlushOptions, Options, ReadOptions,
    WriteOptions,
};
use ferrolith::internal::txn::{
    OptimisticTransactionDb, OptimisticTransactionOptions, TransactionDb, TransactionDbOptions,
    TransactionOptions,
};
use std::path::Path;
use std::sync::Arc;

const NEEDS_OPERATOR: &str =
    "Invalid argument: Merge requires `ColumnFamilyOptions::merge_operator != nullptr`";

fn without_operator() -> Options {
    let mut options = small();
    options.cf.merge_operator = None;
    options
}

/// Keys `a` to `e`: values, one value with operands, and operands over nothing and over a tombstone.
fn write_all(db: &Db) {
    db.put(&wo(), b"a", b"1").unwrap();
    db.put(&wo(), b"b", b"1").unwrap();
    db.merge(&wo(), b"b", b"2").unwrap();
    db.merge(&wo(), b"b", b"3").unwrap();
    db.merge(&wo(), b"c", b"1").unwrap();
    db.put(&wo(), b"d", b"0").unwrap();
    db.delete(&wo(), b"d").unwrap();
    db.merge(&wo(), b"d", b"1").unwrap();
    db.put(&wo(), b"e", b"1").unwrap();
}

fn check_all(db: &Db) {
    let ro = ReadOptions::default();
    let expected: [(&[u8], &[u8]); 5] =
        [(b"a", b"1"), (b"b", b"1,2,3"), (b"c", b"1"), (b"d", b"1"), (b"e", b"1")];
    for (key, value) in expected {
        assert_eq!(db.get(&ro, key).unwrap().as_deref(), Some(value), "{key:?}");
    }
}

/// Values are read; operands are an error that names what is missing, and harms nothing else.
fn check_without(db: &Db) {
    let ro = ReadOptions::default();
    for key in [b"a", b"e"] {
        assert_eq!(db.get(&ro, key).unwrap().as_deref(), Some(&b"1"[..]));
    }
    for key in [b"b", b"c", b"d"] {
        let error = rocksdb_text(&db.get(&ro, key).unwrap_err());
        assert_eq!(error, "Invalid argument: merge_operator is not properly initialized.");
    }
    let mut iter = db.iter(&ro).unwrap();
    let must_be_set = "Invalid argument: merge_operator_ must be set.";
    iter.seek_to_first();
    assert_eq!(iter.key(), b"a");
    iter.next();
    assert!(!iter.valid());
    assert_eq!(rocksdb_text(&iter.status().unwrap_err()), must_be_set);
    iter.seek_to_last();
    assert_eq!(iter.key(), b"e");
    iter.prev();
    assert!(!iter.valid());
    assert_eq!(rocksdb_text(&iter.status().unwrap_err()), must_be_set);
    iter.seek(b"e");
    assert_eq!((iter.valid(), iter.key()), (true, &b"e"[..]));
    iter.status().unwrap();
}

fn compact(db: &Db) {
    let everywhere = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..CompactRangeOptions::default()
    };
    db.compact_range(&everywhere, None, None).unwrap();
}

fn open_without(dir: &Path) -> Db {
    Db::open(&without_operator(), dir).unwrap()
}

#[test]
fn operands_outlive_openings_without_their_operator() {
    let dir = temp_dir();
    let with = || Db::open(&small(), dir.path()).unwrap();
    write_all(&with());
    // Out of the log.
    check_without(&open_without(dir.path()));
    check_all(&with());
    // Out of the log into a table, and from there into another one.
    let db = open_without(dir.path());
    db.flush(&FlushOptions::default()).unwrap();
    check_without(&db);
    compact(&db);
    check_without(&db);
    db.put(&wo(), b"a", b"1").unwrap();
    drop(db);
    let db = open_without(dir.path());
    check_without(&db);
    drop(db);
    let db = with();
    check_all(&db);
    compact(&db);
    check_all(&db);
}

#[test]
fn a_key_with_operands_can_be_written_without_their_operator() {
    let dir = temp_dir();
    write_all(&Db::open(&small(), dir.path()).unwrap());
    let db = open_without(dir.path());
    db.put(&wo(), b"b", b"new").unwrap();
    db.delete(&wo(), b"c").unwrap();
    let ro = ReadOptions::default();
    assert_eq!(db.get(&ro, b"b").unwrap().unwrap(), b"new");
    assert_eq!(db.get(&ro, b"c").unwrap(), None);
    compact(&db);
    assert_eq!(db.get(&ro, b"b").unwrap().unwrap(), b"new");
    assert_eq!(db.get(&ro, b"c").unwrap(), None);
    assert!(db.get(&ro, b"d").is_err());
    let error = rocksdb_text(&db.merge(&wo(), b"d", b"2").unwrap_err());
    assert_eq!(error, "Not implemented: Provide a merge_operator when opening DB");
}

#[test]
fn an_operator_of_another_name_opens_the_database() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    db.merge(&wo(), b"k", &7u64.to_le_bytes()).unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    drop(db);
    let mut options = small();
    options.cf.merge_operator = Some(Arc::new(UInt64AddOperator));
    let db = Db::open(&options, dir.path()).unwrap();
    db.merge(&wo(), b"k", &1u64.to_le_bytes()).unwrap();
    let value = db.get(&ReadOptions::default(), b"k").unwrap();
    assert_eq!(value.unwrap(), 8u64.to_le_bytes());
}

/// The default family has no operator, the family `sums` has one.
fn families() -> Vec<ColumnFamilyDescriptor> {
    vec![
        ColumnFamilyDescriptor::new("default", without_operator().cf),
        ColumnFamilyDescriptor::new("sums", small().cf),
    ]
}

#[test]
fn a_batch_needs_operators_for_its_operands_only() {
    let dir = temp_dir();
    let (db, cfs) = Db::open_cf(&small().db, dir.path(), families()).unwrap();
    let ro = ReadOptions::default();
    let mut batch = WriteBatch::new();
    batch.put(b"k", b"1").unwrap();
    batch.merge_cf(cfs[1].id(), b"k", b"1").unwrap();
    db.write(&wo(), &mut batch).unwrap();
    assert_eq!(db.get_cf(&ro, &cfs[1], b"k").unwrap().unwrap(), b"1");
    // Refused as a whole, and before it is in the log: what follows is read again after a restart.
    for default_only in [true, false] {
        let mut batch = WriteBatch::new();
        batch.put(b"refused", b"1").unwrap();
        if !default_only {
            batch.merge_cf(cfs[1].id(), b"k", b"refused").unwrap();
        }
        batch.merge(b"k", b"2").unwrap();
        assert_eq!(rocksdb_text(&db.write(&wo(), &mut batch).unwrap_err()), NEEDS_OPERATOR);
    }
    let mut elsewhere = WriteBatch::new();
    elsewhere.merge_cf(77, b"k", b"1").unwrap();
    elsewhere.put(b"after", b"1").unwrap();
    let ignoring = WriteOptions { ignore_missing_column_families: true, ..wo() };
    db.write(&ignoring, &mut elsewhere).unwrap();
    drop((db, cfs));
    let (db, cfs) = Db::open_cf(&small().db, dir.path(), families()).unwrap();
    assert_eq!(db.get(&ro, b"refused").unwrap(), None);
    assert_eq!(db.get(&ro, b"after").unwrap().unwrap(), b"1");
    assert_eq!(db.get_cf(&ro, &cfs[1], b"k").unwrap().unwrap(), b"1");
}

#[test]
fn a_batch_of_operands_without_operator_is_not_read() {
    let dir = temp_dir();
    let (db, cfs) = Db::open_cf(&small().db, dir.path(), families()).unwrap();
    let mut batch = IndexedBatch::new(KeyOrder::bytewise(), 0);
    batch.put_cf(0, b"k", b"1").unwrap();
    batch.merge_cf(0, b"k", b"2").unwrap();
    batch.put_cf(1, b"k", b"1").unwrap();
    batch.merge_cf(1, b"k", b"2").unwrap();
    let ro = ReadOptions::default();
    let error = rocksdb_text(&db.get_with_batch(&batch, &ro, &cfs[0], b"k").err().unwrap());
    assert_eq!(error, "Invalid argument: Merge operator must be set for column family");
    let value = db.get_with_batch(&batch, &ro, &cfs[1], b"k").unwrap().unwrap();
    assert_eq!(&*value, b"1,2");
}

#[test]
fn transactions_need_operators_for_their_operands_only() {
    let dir = temp_dir();
    let ro = ReadOptions::default();
    let options = TransactionDbOptions::default();
    let (db, cfs) = TransactionDb::open_cf(&small().db, &options, dir.path(), families()).unwrap();
    for (named, key) in [(false, b"1"), (true, b"2")] {
        let mut txn = db.begin(&wo(), &TransactionOptions::default());
        txn.put(&cfs[0], key, b"1").unwrap();
        txn.merge(&cfs[1], key, b"1").unwrap();
        if named {
            txn.set_name(b"two phases").unwrap();
            txn.prepare().unwrap();
        }
        txn.commit().unwrap();
        assert_eq!(db.db().get_cf(&ro, &cfs[1], key).unwrap().unwrap(), b"1");
    }
    let mut refused = db.begin(&wo(), &TransactionOptions::default());
    refused.merge(&cfs[0], b"1", b"1").unwrap();
    refused.set_name(b"refused").unwrap();
    assert_eq!(rocksdb_text(&refused.prepare().unwrap_err()), NEEDS_OPERATOR);
    drop((refused, cfs, db));

    let dir = temp_dir();
    let (db, cfs) = OptimisticTransactionDb::open_cf(&small().db, dir.path(), families()).unwrap();
    let mut txn = db.begin(&wo(), &OptimisticTransactionOptions::default());
    txn.put(&cfs[0], b"3", b"1").unwrap();
    txn.merge(&cfs[1], b"3", b"1").unwrap();
    txn.commit().unwrap();
    assert_eq!(db.db().get_cf(&ro, &cfs[1], b"3").unwrap().unwrap(), b"1");
    let mut refused = db.begin(&wo(), &OptimisticTransactionOptions::default());
    refused.merge(&cfs[0], b"3", b"1").unwrap();
    assert_eq!(rocksdb_text(&refused.commit().unwrap_err()), NEEDS_OPERATOR);
    db.db().put(&wo(), b"4", b"1").unwrap();
}

#[test]
fn the_operands_of_a_key_are_returned_oldest_first() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.merge_operator = Some(Arc::new(UInt64AddOperator));
    let db = Db::open(&options, dir.path()).unwrap();
    write_all(&db);
    let all = |db: &Db| -> Vec<String> {
        let cf = db.default_cf();
        let of = |key: &[u8]| {
            let operands = db.merge_operands_cf(&ReadOptions::default(), &cf, key).unwrap();
            String::from_utf8(operands.join(&b' ')).unwrap()
        };
        ["a", "b", "c", "d", "e", "none"].map(|key| of(key.as_bytes())).to_vec()
    };
    let expected = ["1", "1 2 3", "1", "1", "1", ""];
    assert_eq!(all(&db), expected, "in the memtable");
    db.flush(&FlushOptions::default()).unwrap();
    db.merge(&wo(), b"b", b"4").unwrap();
    let b = &all(&db)[1];
    assert!(b.ends_with(" 4"), "the memtable's operand is the newest: {b}");
    db.delete(&wo(), b"b").unwrap();
    assert_eq!(all(&db)[1], "");
}
