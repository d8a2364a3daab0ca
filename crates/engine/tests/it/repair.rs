//! Repair: what tables and WALs still have comes back when the MANIFEST is lost.

use super::support::{dump, dump_cf, open_three, small, temp_dir, with_cf, wo};
use ferrolith::internal::db::{ColumnFamilyDescriptor, Db};
use ferrolith::internal::options::{
    ColumnFamilyOptions, CompactRangeOptions, FlushOptions, Options,
};
use std::path::{Path, PathBuf};

fn options() -> Options {
    with_cf(&small(), |cf| cf.write_buffer_size = 1 << 20)
}

/// Tables on several levels, tombstones, overwritten keys, and a WAL.
fn fill(db: &Db) {
    for round in 0..4u32 {
        for i in 0..500u32 {
            db.put(&wo(), &(i * 3 % 700).to_be_bytes(), &[round as u8; 60]).unwrap();
        }
        for i in 0..40u32 {
            db.delete(&wo(), &(i * (round + 2)).to_be_bytes()).unwrap();
        }
        db.flush(&FlushOptions::default()).unwrap();
        if round == 1 {
            db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
        }
    }
    db.delete_range(&wo(), &100u32.to_be_bytes(), &120u32.to_be_bytes()).unwrap();
    db.put(&wo(), b"in the WAL", b"v").unwrap();
    db.wait_for_compact().unwrap();
}

fn files(dir: &Path, part: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.file_name().unwrap().to_string_lossy().contains(part));
    paths.sort();
    paths
}

fn lose_manifest(dir: &Path) {
    files(dir, "MANIFEST").into_iter().for_each(|p| std::fs::remove_file(p).unwrap());
    std::fs::remove_file(dir.join("CURRENT")).unwrap();
}

#[test]
fn everything_comes_back_without_a_manifest() {
    let dir = temp_dir();
    let db = Db::open(&options(), dir.path()).unwrap();
    fill(&db);
    let (expected, sequence) = (dump(&db), db.latest_sequence_number());
    drop(db);
    lose_manifest(dir.path());
    assert!(Db::open(&options(), dir.path()).is_err(), "the test would prove nothing");
    Db::repair(&options(), dir.path()).unwrap();
    let db = Db::open(&options(), dir.path()).unwrap();
    assert_eq!(dump(&db), expected);
    assert_eq!(db.latest_sequence_number(), sequence);
    db.put(&wo(), b"later", b"v").unwrap();
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert_eq!(dump(&db).len(), expected.len() + 1);
    assert!(!files(&dir.path().join("lost"), ".log").is_empty());
}

#[test]
fn a_damaged_manifest_and_a_damaged_table_are_set_aside() {
    let dir = temp_dir();
    let db = Db::open(&options(), dir.path()).unwrap();
    fill(&db);
    drop(db);
    let tables = files(dir.path(), ".sst");
    let newest = tables.last().unwrap();
    let mut bytes = std::fs::read(newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[20] ^= 0xff;
    bytes[middle] ^= 0xff;
    std::fs::write(newest, bytes).unwrap();
    std::fs::write(&files(dir.path(), "MANIFEST")[0], b"garbage").unwrap();
    Db::repair(&options(), dir.path()).unwrap();
    let lost = files(&dir.path().join("lost"), "");
    let names: Vec<_> = lost.iter().map(|p| p.file_name().unwrap().to_string_lossy()).collect();
    assert!(names.iter().any(|name| name.starts_with("MANIFEST-")), "{names:?}");
    assert!(names.iter().any(|name| name.ends_with(".sst")), "{names:?}");
    let db = Db::open(&options(), dir.path()).unwrap();
    assert!(dump(&db).len() > 100);
}

#[test]
fn column_families_are_found_by_their_tables() {
    let dir = temp_dir();
    let (db, families) = open_three(&options(), dir.path());
    for (i, cf) in families.iter().enumerate() {
        for key in 0..50u8 {
            db.put_cf(&wo(), cf, &[key], &[i as u8]).unwrap();
        }
        db.flush_cf(&FlushOptions::default(), cf).unwrap();
        db.put_cf(&wo(), cf, b"in the WAL", &[i as u8]).unwrap();
    }
    let expected: Vec<_> = families.iter().map(|cf| dump_cf(&db, cf)).collect();
    drop((db, families));
    lose_manifest(dir.path());
    Db::repair(&options(), dir.path()).unwrap();
    let mut names = Db::list_column_families(&options().db, dir.path()).unwrap();
    names.sort();
    assert_eq!(names, ["default", "one", "two"]);
    let (db, families) = open_three(&options(), dir.path());
    let found: Vec<_> = families.iter().map(|cf| dump_cf(&db, cf)).collect();
    assert_eq!(found, expected);
    drop((db, families));
    // Without options for it a family is set aside.
    lose_manifest(dir.path());
    let known = ["default", "one"]
        .map(|name| ColumnFamilyDescriptor::new(name, ColumnFamilyOptions::default()));
    Db::repair_cf(&options().db, dir.path(), &known, None).unwrap();
    let names = Db::list_column_families(&options().db, dir.path()).unwrap();
    assert_eq!(names, ["default", "one"]);
}

#[test]
fn nothing_to_repair_is_an_error() {
    let dir = temp_dir();
    let e = Db::repair(&options(), dir.path()).unwrap_err().to_string();
    assert!(e.ends_with("repair found no files"), "{e}");
    let db = Db::open(&options(), dir.path()).unwrap();
    assert!(Db::repair(&options(), dir.path()).is_err(), "it is open");
    drop(db);
}
