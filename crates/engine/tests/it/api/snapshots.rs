//! A snapshot, and every option made from it, pins what it shows.

use super::memory;
use ferrolith::{Cursor, Db, ErrorKind, Options, ReadOptions};

/// Makes all versions of all keys go that no reader pins.
fn flush_and_compact(db: &Db) {
    db.flush().unwrap();
    db.compact().unwrap();
    db.wait_for_compact().unwrap();
}

#[test]
fn read_options_keep_their_snapshot_alive() {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path()).unwrap();
    db.put("key", "old").unwrap();
    let options = ReadOptions::new().snapshot(&db.snapshot());
    // The `Snapshot` itself is gone now.
    db.put("key", "new").unwrap();
    flush_and_compact(&db);
    assert_eq!(db.get_opt("key", &options).unwrap().unwrap(), "old");
    let copy = options.clone();
    drop(options);
    db.put("key", "newest").unwrap();
    flush_and_compact(&db);
    assert_eq!(db.get_opt("key", &copy).unwrap().unwrap(), "old");
    assert_eq!(db.multi_get_opt(["key"], &copy)[0].as_ref().unwrap().as_ref().unwrap(), "old");
    let read = |mut cursor: Cursor| {
        cursor.seek_to_first();
        cursor.value().map(<[u8]>::to_vec)
    };
    assert_eq!(read(db.cursor_opt(&copy)).unwrap(), b"old");
    assert_eq!(db.iter_opt(&copy).next().unwrap().unwrap().1, "old");
    assert_eq!(db.property_int("rocksdb.num-snapshots"), Some(1));
    drop(copy);
    assert_eq!(db.property_int("rocksdb.num-snapshots"), Some(0), "the last holder is gone");
}

#[test]
fn a_snapshot_reads_by_itself() {
    let db = memory();
    let cf = db.create_cf("one").unwrap();
    db.put("a", "1").unwrap();
    cf.put("a", "2").unwrap();
    let snapshot = db.snapshot();
    for key in ["a", "b"] {
        db.put(key, "new").unwrap();
        cf.put(key, "new").unwrap();
    }
    flush_and_compact(&db);
    assert_eq!(snapshot.get("a").unwrap().unwrap(), "1");
    assert_eq!(snapshot.get("b").unwrap(), None);
    assert_eq!(snapshot.get_cf(&cf, "a").unwrap().unwrap(), "2");
    assert_eq!(snapshot.iter().map(|item| item.unwrap().1).collect::<Vec<_>>(), ["1"]);
    assert_eq!(snapshot.iter_cf(&cf).map(|item| item.unwrap().1).collect::<Vec<_>>(), ["2"]);
    assert_eq!(snapshot.range("a"..).count(), 1);
    assert_eq!(snapshot.prefix_cf(&cf, "b").count(), 0);
    let mut cursor = snapshot.cursor_cf(&cf);
    cursor.seek("a");
    assert_eq!(cursor.value(), Some(&b"2"[..]));
    // It owns what it needs.
    drop((db, cf, cursor));
    let read = std::thread::spawn(move || snapshot.get("a").unwrap().unwrap());
    assert_eq!(read.join().unwrap(), "1");
}

#[test]
fn a_snapshot_of_another_database_is_an_error() {
    let db = memory();
    let other = Db::open_with(Options::in_memory(), "/db").unwrap();
    let cf = db.create_cf("one").unwrap();
    let foreign = ReadOptions::new().snapshot(&other.snapshot());
    let is_refused = |error: ferrolith::Error| {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    };
    is_refused(db.get_opt("key", &foreign).unwrap_err());
    is_refused(cf.get_opt("key", &foreign).unwrap_err());
    for result in db.multi_get_opt(["a", "b"], &foreign) {
        is_refused(result.unwrap_err());
    }
    for result in cf.multi_get_opt(["a", "b"], &foreign) {
        is_refused(result.unwrap_err());
    }
    for mut iter in [
        db.iter_opt(&foreign),
        db.range_opt("a".., &foreign),
        db.prefix_opt("a", &foreign),
        cf.iter_opt(&foreign),
        cf.range_opt("a".., &foreign),
        cf.prefix_opt("a", &foreign),
    ] {
        is_refused(iter.next_back().unwrap().unwrap_err());
        assert!(iter.next().is_none());
    }
    is_refused(db.cursor_opt(&foreign).status().unwrap_err());
    is_refused(cf.cursor_opt(&foreign).status().unwrap_err());
}
