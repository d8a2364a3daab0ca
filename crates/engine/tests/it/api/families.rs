//! A handle of another database, or of a dropped family, is an error wherever it is used.

use super::memory;
use ferrolith::{
    ColumnFamily, Db, Error, ErrorKind, IngestExternalFileOptions, Options, Result, SstFileWriter,
    WriteBatch, WriteOptions,
};
use std::fmt::Debug;

/// Calls everything of `db` that takes a handle, and shows the errors.
fn every_use_in_the_database(db: &Db, cf: &ColumnFamily) -> Vec<Error> {
    fn error<T: Debug>(result: Result<T>) -> Error {
        result.unwrap_err()
    }
    let mut cursor = db.cursor_cf(cf);
    cursor.seek_to_first();
    let snapshot = db.snapshot();
    vec![
        error(db.put_cf(cf, "k", "v")),
        error(db.delete_cf(cf, "k")),
        error(db.single_delete_cf(cf, "k")),
        error(db.delete_range_cf(cf, "k", "l")),
        error(db.merge_cf(cf, "k", "v")),
        error(db.get_cf(cf, "k")),
        error(db.iter_cf(cf).next().unwrap()),
        error(db.range_cf(cf, "k"..).next().unwrap()),
        error(db.prefix_cf(cf, "k").next_back().unwrap()),
        error(cursor.status()),
        error(snapshot.get_cf(cf, "k")),
        error(snapshot.iter_cf(cf).next().unwrap()),
        error(snapshot.range_cf(cf, "k"..).next().unwrap()),
        error(snapshot.prefix_cf(cf, "k").next().unwrap()),
        error(snapshot.cursor_cf(cf).status()),
        error(db.flush_cfs([cf])),
        error(db.ingest_external_files([(cf, vec!["/none"])], &Default::default())),
    ]
}

/// A batch for each kind of record.
fn batches(cf: &ColumnFamily) -> Vec<WriteBatch> {
    let mut batches = vec![WriteBatch::new(); 5];
    batches[0].put_cf(cf, "k", "v");
    batches[1].delete_cf(cf, "k");
    batches[2].single_delete_cf(cf, "k");
    batches[3].merge_cf(cf, "k", "v");
    batches[4].delete_range_cf(cf, "k", "l");
    batches
}

fn merging() -> Options {
    let last = |_: &[u8], _: Option<&[u8]>, operands: &[&[u8]]| Some(operands.last()?.to_vec());
    Options::in_memory().merge_operator("last", last)
}

#[test]
fn a_foreign_handle_is_an_error_and_writes_nothing() {
    let db = Db::open_with(merging(), "/db").unwrap();
    let other = Db::open_with(merging(), "/db").unwrap();
    // The family with the same number.
    let own = db.create_cf_with("own", merging()).unwrap();
    let foreign = other.create_cf_with("foreign", merging()).unwrap();
    assert_eq!(own.id(), foreign.id());
    for error in every_use_in_the_database(&db, &foreign) {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.to_string().contains("another database"), "{error}");
    }
    for mut batch in batches(&foreign) {
        batch.put("also", "nothing");
        for result in [
            db.write(batch.clone()),
            db.write(&batch),
            db.write(&mut batch),
            db.write_opt(&batch, &WriteOptions::new().sync(true)),
        ] {
            assert_eq!(result.unwrap_err().kind(), ErrorKind::InvalidArgument);
        }
        other.write(batch).unwrap();
    }
    // Handles of both in one batch: neither takes it.
    let mut mixed = WriteBatch::new();
    mixed.put_cf(&own, "k", "v").put_cf(&foreign, "k", "v");
    assert!(mixed.error().is_some());
    assert!(db.write(&mixed).is_err() && other.write(&mixed).is_err());
    let mut appended = WriteBatch::new();
    appended.put_cf(&own, "k", "v").append(&batches(&foreign)[0]);
    assert!(db.write(&appended).is_err() && other.write(&appended).is_err());
    appended.clear();
    appended.put_cf(&foreign, "k", "v");
    other.write(&appended).unwrap();

    assert_eq!(own.iter().count(), 0, "something was written into the family of the same number");
    assert_eq!(db.iter().count(), 0);
}

#[test]
fn a_handle_of_an_earlier_opening_is_foreign() {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path()).unwrap();
    let old = db.create_cf("one").unwrap();
    db.close().unwrap();
    let db = Db::open(dir.path()).unwrap();
    assert_eq!(db.put_cf(&old, "k", "v").unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(old.put("k", "v").unwrap_err().kind(), ErrorKind::Closed);
    db.cf("one").unwrap().put("k", "v").unwrap();
}

#[test]
fn a_dropped_handle_is_an_error_in_every_method() {
    fn is_dropped<T: Debug>(result: Result<T>) {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ColumnFamilyDropped, "{error}");
    }
    let db = Db::open_with(merging(), "/db").unwrap();
    let cf = db.create_cf_with("one", merging()).unwrap();
    cf.put("k", "v").unwrap();
    let before = batches(&cf);
    let mut open = cf.iter();
    db.drop_cf("one").unwrap();
    for error in every_use_in_the_database(&db, &cf) {
        assert_eq!(error.kind(), ErrorKind::ColumnFamilyDropped, "{error}");
    }
    for batch in batches(&cf) {
        is_dropped(db.write(batch));
    }
    // Batches that were filled before the family was dropped.
    for batch in before {
        assert!(db.write(&batch).is_err(), "{batch:?}");
        db.write_opt(batch, &WriteOptions::new().ignore_missing_column_families(true)).unwrap();
    }
    is_dropped(cf.put("k", "v"));
    is_dropped(cf.put_opt("k", "v", &WriteOptions::new()));
    is_dropped(cf.delete("k"));
    is_dropped(cf.delete_opt("k", &WriteOptions::new()));
    is_dropped(cf.single_delete("k"));
    is_dropped(cf.delete_range("k", "l"));
    is_dropped(cf.merge("k", "v"));
    is_dropped(cf.merge_opt("k", "v", &WriteOptions::new()));
    is_dropped(cf.get("k"));
    is_dropped(cf.get_opt("k", &ferrolith::ReadOptions::new()));
    is_dropped(cf.get_with("k", <[u8]>::len));
    is_dropped(cf.contains_key("k"));
    is_dropped(cf.multi_get(["k"]).remove(0));
    is_dropped(cf.first());
    is_dropped(cf.last());
    is_dropped(cf.iter().next().unwrap());
    is_dropped(cf.range(.."z").next_back().unwrap());
    is_dropped(cf.prefix("k").next().unwrap());
    is_dropped(cf.cursor().status());
    is_dropped(cf.flush());
    is_dropped(cf.compact());
    is_dropped(cf.compact());
    is_dropped(cf.delete_files_in_range("a", "z"));
    is_dropped(cf.export("/nothing"));
    is_dropped(cf.metadata());
    is_dropped(cf.approximate_sizes(&[("a", "b")]));
    is_dropped(cf.ingest_external_file(["/nothing"]));
    is_dropped(cf.set_options(&[("write_buffer_size", "1M")]));
    assert_eq!(cf.property("rocksdb.stats"), None);
    assert_eq!(db.drop_cf("one").unwrap_err().kind(), ErrorKind::NotFound);
    // What was being read goes on.
    assert_eq!(open.next().unwrap().unwrap().1, "v");
    // A new family of that name is another one.
    let new = db.create_cf("one").unwrap();
    assert_ne!(new.id(), cf.id());
    is_dropped(db.put_cf(&cf, "k", "v"));
    assert_eq!(new.iter().count(), 0);
}

#[test]
fn families_open_by_themselves() {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path()).unwrap();
    db.create_cf("one").unwrap().put("k", "1").unwrap();
    drop(db);
    let db = Db::open_cf(Options::new(), dir.path(), ["two", "default", "one"]).unwrap();
    db.cf("two").unwrap().put("k", "2").unwrap();
    assert_eq!(db.cf("one").unwrap().get("k").unwrap().unwrap(), "1");
    drop(db);
    let strict =
        Options::new().create_missing_column_families(false).column_family("three", Options::new());
    assert_eq!(Db::open_with(strict, dir.path()).unwrap_err().kind(), ErrorKind::InvalidArgument);
    let db = Db::open_read_only(Options::new(), dir.path()).unwrap();
    assert_eq!(db.cf("two").unwrap().get("k").unwrap().unwrap(), "2");
    assert!(db.put("k", "v").is_err());
    assert_eq!(Db::list_cf(Options::new(), dir.path()).unwrap(), ["default", "one", "two"]);
    drop(db);
    Db::destroy(Options::new(), dir.path()).unwrap();
    assert!(!dir.path().exists());
}

#[test]
fn the_default_family_has_a_handle() {
    let db = memory();
    let default = db.default_cf();
    let mut batch = WriteBatch::new();
    batch.put_cf(&default, "k", "v");
    db.write(batch).unwrap();
    assert_eq!(db.get("k").unwrap(), default.get("k").unwrap());
    assert_eq!(db.drop_cf("default").unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn the_last_handle_of_a_dropped_family_deletes_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let tables = || {
        let names = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.extension().is_some_and(|e| e == "sst")).count()
    };
    let db = Db::open(dir.path()).unwrap();
    let cf = db.create_cf("one").unwrap();
    cf.put("k", "v").unwrap();
    cf.flush().unwrap();
    assert_eq!(tables(), 1);
    db.drop_cf("one").unwrap();
    drop(db);
    assert_eq!(tables(), 1, "a handle is left");
    drop(cf);
    assert_eq!(tables(), 0);
}

#[test]
fn files_of_several_families_are_added_together_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path().join("db")).unwrap();
    let (one, two) = (db.create_cf("one").unwrap(), db.create_cf("two").unwrap());
    let file = |name: &str, value: &str| {
        let path = dir.path().join(name);
        let mut writer = SstFileWriter::create(Options::new(), &path).unwrap();
        writer.put("k", value).unwrap();
        writer.finish().unwrap();
        path
    };
    one.put("k", "old").unwrap();
    let options = IngestExternalFileOptions::default();
    let missing = dir.path().join("missing");
    let files = [(&one, vec![file("a", "1")]), (&two, vec![missing])];
    db.ingest_external_files(files, &options).unwrap_err();
    assert_eq!(one.get("k").unwrap().unwrap(), "old");
    assert!(two.get("k").unwrap().is_none());
    // Of two files with a key, the last one counts.
    let files = [(&one, vec![file("b", "1"), file("c", "2")]), (&two, vec![file("d", "3")])];
    db.ingest_external_files(files, &options).unwrap();
    assert_eq!(one.get("k").unwrap().unwrap(), "2");
    assert_eq!(two.get("k").unwrap().unwrap(), "3");
}
