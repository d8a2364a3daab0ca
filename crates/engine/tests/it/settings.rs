//! Options that change while the database is open: in force at once, recorded, and all or none.

use super::support::{small, temp_dir, with_cf, wo};
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{
    ColumnFamilyOptions, DbOptions, FlushOptions, Leniency, newest_options_file, read_options_file,
};
use std::path::Path;

fn stored(dir: &Path) -> (DbOptions, ColumnFamilyOptions) {
    let fs = ferrolith::internal::fs::posix();
    let path = newest_options_file(&*fs, dir).unwrap().expect("an OPTIONS file");
    let file = read_options_file(&*fs, &path, &small(), Leniency::default()).unwrap();
    let cf = file.column_families.into_iter().find(|(name, _)| name == "default").unwrap().1;
    (file.db, cf)
}

fn level0_files(db: &Db) -> u64 {
    db.property_int("rocksdb.num-files-at-level0").unwrap()
}

#[test]
fn automatic_compactions_can_be_turned_on() {
    let dir = temp_dir();
    let options = with_cf(&small(), |cf| cf.disable_auto_compactions = true);
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..6u32 {
        db.put(&wo(), b"k", &i.to_be_bytes()).unwrap();
        db.flush(&FlushOptions::default()).unwrap();
    }
    db.wait_for_compact().unwrap();
    assert_eq!(level0_files(&db), 6);
    let changes =
        [("disable_auto_compactions", "false"), ("level0_file_num_compaction_trigger", "3")];
    db.set_options(&changes).unwrap();
    db.wait_for_compact().unwrap();
    assert!(level0_files(&db) < 3);
    assert!(!db.default_cf().options().disable_auto_compactions);
    let (_, cf) = stored(dir.path());
    assert!(!cf.disable_auto_compactions);
    assert_eq!(cf.level0_file_num_compaction_trigger, 3);
}

#[test]
fn a_smaller_write_buffer_counts_for_the_memtable_that_is_there() {
    let dir = temp_dir();
    let options = with_cf(&small(), |cf| cf.write_buffer_size = 64 << 20);
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..2000u32 {
        db.put(&wo(), &i.to_be_bytes(), &[0; 500]).unwrap();
    }
    assert_eq!(db.property("rocksdb.num-entries-active-mem-table").as_deref(), Some("2000"));
    db.set_options(&[("write_buffer_size", "131072")]).unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    let active = db.property_int("rocksdb.num-entries-active-mem-table").unwrap();
    assert!(active < 10, "{active}");
}

#[test]
fn nothing_changes_if_one_change_is_refused() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    let before = db.default_cf().options().write_buffer_size;
    let e = db.set_options(&[("write_buffer_size", "2097152"), ("nosuch", "1")]).unwrap_err();
    assert_eq!(e.to_string(), "Invalid argument: Extra option not recognized: nosuch");
    assert_eq!(db.default_cf().options().write_buffer_size, before);
    assert_eq!(stored(dir.path()).1.write_buffer_size, before);
    let e = db.set_options(&[("num_levels", "5")]).unwrap_err();
    assert_eq!(e.to_string(), "Invalid argument: Option not changeable: num_levels");
    assert_eq!(db.set_options(&[]).unwrap_err().to_string(), "Invalid argument: empty input");
    let read_only = Db::open_for_read_only(&small(), dir.path(), false).unwrap();
    read_only.set_options(&[("write_buffer_size", "2097152")]).unwrap();
    assert_eq!(read_only.default_cf().options().write_buffer_size, 2_097_152);
    assert_eq!(stored(dir.path()).1.write_buffer_size, before, "the reader writes nothing");
}

#[test]
fn database_options_change_too() {
    let dir = temp_dir();
    let mut options = small();
    options.db.max_open_files = 100;
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..3000u32 {
        db.put(&wo(), &(i % 1000).to_be_bytes(), &[i as u8; 100]).unwrap();
    }
    db.set_db_options(&[
        ("max_background_jobs", "6"),
        ("max_open_files", "20"),
        ("max_total_wal_size", "1048576"),
        ("delayed_write_rate", "8388608"),
        ("stats_dump_period_sec", "0"),
    ])
    .unwrap();
    assert_eq!(db.db_options().max_background_jobs, 6);
    assert_eq!(stored(dir.path()).0.max_background_jobs, 6);
    for i in 0..3000u32 {
        db.put(&wo(), &(i % 1000).to_be_bytes(), &[i as u8; 100]).unwrap();
    }
    db.set_db_options(&[("max_background_jobs", "1")]).unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    db.wait_for_compact().unwrap();
    let e = db.set_db_options(&[("wal_dir", "/tmp")]).unwrap_err();
    assert_eq!(e.to_string(), "NotFound: Unrecognized option: wal_dir");
    drop(db);
    let db = Db::open(&options, dir.path()).unwrap();
    assert_eq!(super::support::dump(&db).len(), 1000);
}
