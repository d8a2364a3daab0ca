//! Opening for reading only: what is seen, what is refused, and that nothing is written.

use super::support::{dump, open_three, ro, small, temp_dir, with_cf, wo};
use ferrolith::internal::db::backup::{
    BackupEngine, BackupEngineOptions, CreateBackupOptions, RestoreOptions,
};
use ferrolith::internal::db::{Checkpoint, ColumnFamilyDescriptor, Db};
use ferrolith::internal::error::rocksdb_text;
use ferrolith::internal::options::{
    ColumnFamilyOptions, CompactRangeOptions, DbOptions, FlushOptions, Options, ReadOptions,
};
use std::collections::BTreeMap;
use std::path::Path;

const REFUSED: &str = "Not implemented: Not supported operation in read only mode.";

/// Every file with its bytes, LOCK excepted.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    entries
        .filter(|path| path.is_file())
        .map(|path| (path.display().to_string(), std::fs::read(&path).unwrap()))
        .collect()
}

fn read_only(options: &Options, dir: &Path) -> Db {
    Db::open_for_read_only(options, dir, false).unwrap()
}

#[test]
fn tables_and_wals_are_read_and_no_byte_changes() {
    let dir = temp_dir();
    let options = with_cf(&small(), |cf| cf.write_buffer_size = 1 << 20);
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..3000u32 {
        db.put(&wo(), &i.to_be_bytes(), &[7; 30]).unwrap();
        if i == 1000 {
            db.flush(&FlushOptions::default()).unwrap();
        }
    }
    db.merge(&wo(), b"merged", b"a").unwrap();
    db.merge(&wo(), b"merged", b"b").unwrap();
    db.delete(&wo(), &5u32.to_be_bytes()).unwrap();
    let (contents, sequence) = (dump(&db), db.latest_sequence_number());
    db.close().unwrap();

    let before = files(dir.path());
    // Smaller memtables than what the WAL holds: still no table is written.
    let first = read_only(&small(), dir.path());
    let second = read_only(&options, dir.path());
    for db in [&first, &second] {
        assert_eq!(dump(db), contents);
        assert_eq!(db.latest_sequence_number(), sequence);
        assert_eq!(db.get(&ro(), b"merged").unwrap().as_deref(), Some(&b"a,b"[..]));
        assert_eq!(db.property("rocksdb.background-errors").as_deref(), Some("0"));
        db.wait_for_compact().unwrap();
    }
    let snapshot = first.snapshot();
    let at = ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
    assert_eq!(first.get(&at, &6u32.to_be_bytes()).unwrap(), Some(vec![7; 30]));
    drop((first, second, snapshot));
    assert_eq!(files(dir.path()), before);
}

#[test]
fn everything_that_writes_is_refused() {
    let dir = temp_dir();
    drop(Db::open(&small(), dir.path()).unwrap());
    let before = files(dir.path());
    let db = read_only(&small(), dir.path());
    let cf = ColumnFamilyOptions::default();
    let compact = CompactRangeOptions::default();
    let refusals = [
        db.put(&wo(), b"k", b"v"),
        db.delete(&wo(), b"k"),
        db.single_delete(&wo(), b"k"),
        db.merge(&wo(), b"k", b"v"),
        db.flush(&FlushOptions::default()),
        db.flush_wal(false),
        db.flush_wal(true),
        db.sync_wal(),
        db.compact_range(&compact, None, None),
        db.create_cf("new", &cf).map(|_| ()),
        db.drop_cf(&db.default_cf()),
        db.resume(),
    ];
    for (i, refusal) in refusals.into_iter().enumerate() {
        assert_eq!(rocksdb_text(&refusal.unwrap_err()), REFUSED, "operation {i}");
    }
    db.close().unwrap();
    assert_eq!(files(dir.path()), before);
}

#[test]
fn some_families_are_enough_and_unknown_ones_are_not() {
    let dir = temp_dir();
    let (db, families) = open_three(&small(), dir.path());
    let name = families[1].name().to_owned();
    db.put_cf(&wo(), &families[1], b"k", b"v").unwrap();
    db.put(&wo(), b"d", b"1").unwrap();
    let open = |names: &[&str]| {
        let described =
            names.iter().map(|n| ColumnFamilyDescriptor::new(*n, small().cf)).collect::<Vec<_>>();
        Db::open_cf_for_read_only(&DbOptions::default(), dir.path(), described, false)
    };
    let (reader, handles) = open(&[&name, "default"]).unwrap();
    assert_eq!(reader.get_cf(&ro(), &handles[0], b"k").unwrap().as_deref(), Some(&b"v"[..]));
    assert_eq!(reader.get_cf(&ro(), &handles[1], b"d").unwrap().as_deref(), Some(&b"1"[..]));
    assert!(open(&["default"]).is_ok());
    let unknown = rocksdb_text(&open(&["default", "zz"]).unwrap_err());
    assert_eq!(unknown, "Invalid argument: Column family not found: zz");
    let alone = open(&[&name]).unwrap_err().to_string();
    assert_eq!(alone, "Invalid argument: Default column family not specified");
}

#[test]
fn a_directory_without_a_database_stays_as_it_is() {
    let dir = temp_dir();
    let mut options = small();
    options.db.create_if_missing = true;
    for path in [dir.path().to_owned(), dir.path().join("none")] {
        let e = Db::open_for_read_only(&options, &path, false).unwrap_err();
        assert!(rocksdb_text(&e).starts_with("IO error: No such file or directory: While"), "{e}");
        assert!(e.to_string().contains("CURRENT"), "{e}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_wal_can_be_made_an_error() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    let e = Db::open_for_read_only(&small(), dir.path(), true).unwrap_err();
    assert!(e.to_string().starts_with("Corruption: The db was opened in readonly mode"), "{e}");
}

#[test]
fn readers_open_while_the_writer_flushes_and_see_a_prefix_of_its_writes() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for i in 0..20_000u32 {
                db.put(&wo(), &i.to_be_bytes(), &[1; 100]).unwrap();
            }
        });
        for _ in 0..20 {
            // The writer deletes what it compacted away: then opening fails, as RocksDB's does.
            let Ok(reader) = Db::open_for_read_only(&small(), dir.path(), false) else { continue };
            let seen = dump(&reader).len() as u64;
            assert_eq!(seen, reader.latest_sequence_number(), "a hole in the writes");
        }
    });
}

#[test]
fn options_change_for_the_reader_alone() {
    let dir = temp_dir();
    drop(Db::open(&small(), dir.path()).unwrap());
    let before = files(dir.path());
    let db = read_only(&small(), dir.path());
    db.set_options(&[("write_buffer_size", "12345678")]).unwrap();
    db.set_db_options(&[("max_background_jobs", "7")]).unwrap();
    assert_eq!(db.db_options().max_background_jobs, 7);
    let e = db.set_options(&[("nonsense", "1")]).unwrap_err();
    assert!(e.to_string().starts_with("Invalid argument: "), "{e}");
    db.close().unwrap();
    assert_eq!(files(dir.path()), before);
}

#[test]
fn a_reader_makes_checkpoints_and_backups_with_what_only_wals_hold() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    db.put(&wo(), b"table", b"1").unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    db.put(&wo(), b"wal", b"2").unwrap();
    let content = dump(&db);
    // While the writer is there, and after it.
    for round in ["beside", "alone"] {
        let before = files(dir.path());
        let reader = read_only(&small(), dir.path());
        let copies = temp_dir();
        let copy = copies.path().join("checkpoint");
        Checkpoint::new(&reader).create(&copy, 0).unwrap();
        assert_eq!(dump(&Db::open(&small(), &copy).unwrap()), content, "{round}");
        let backups = BackupEngineOptions::new(copies.path().join("backups"));
        let mut engine = BackupEngine::open(backups).unwrap();
        let how = CreateBackupOptions { flush_before_backup: true, ..Default::default() };
        engine.create_new_backup_with(&reader, &how).unwrap();
        let copy = copies.path().join("restored");
        engine.restore_from_latest(&copy, &copy, &RestoreOptions::default()).unwrap();
        assert_eq!(dump(&Db::open(&small(), &copy).unwrap()), content, "{round}");
        // The writer may still be deleting a log.
        assert!(round == "beside" || files(dir.path()) == before);
        db.close().unwrap();
    }
}
