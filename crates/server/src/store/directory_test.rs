//! Directories of two versions of the server: this one, and one with a further format.

use super::*;
use crate::backup::{self, Access, BackupProgress, Creation, Vault};
use crate::store::local::{LocalStore, SYSTEM, StoreOptions};
use crate::store::{Batch, Durability, Store};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The formats of a later server.
const LATER: &[FormatVersion] =
    &[FORMATS[0], FormatVersion { number: 2, name: "packed lists", since: "9.0.0" }];

fn open(path: &Path, formats: &'static [FormatVersion]) -> Result<Arc<LocalStore>> {
    let mut options = StoreOptions::new(Durability::Os, 32 << 20, 1);
    options.formats = formats;
    LocalStore::open(path, options)
}

fn put(store: &LocalStore, key: &[u8]) {
    let mut batch = Batch::default();
    store.put(&mut batch, SYSTEM, key, b"1").unwrap();
    store.commit(&mut batch).unwrap();
}

fn has(store: &LocalStore, key: &[u8]) -> bool {
    store.get(SYSTEM, key, None, &mut |_| {}).unwrap()
}

/// The names and bytes of all files, and when they were changed.
fn files(path: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let content = |path: &PathBuf| {
        (std::fs::read(path).unwrap(), path.metadata().unwrap().modified().unwrap())
    };
    entries.filter(|path| path.is_file()).map(|path| (path.clone(), content(&path))).collect()
}

#[track_caller]
fn refused(path: &Path) -> String {
    let before = files(path);
    let error = open(path, FORMATS).err().expect("an older server must not open it").to_string();
    assert!(files(path) == before, "the refusal changed files");
    error
}

#[test]
fn numbers_are_in_order() {
    let numbers: Vec<_> = FORMATS.iter().map(|format| format.number).collect();
    assert_eq!(numbers, (1..=FORMATS.len() as u32).collect::<Vec<_>>());
}

#[test]
fn a_later_server_keeps_the_format_until_it_is_finalized() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("db");
    let store = open(&path, FORMATS).unwrap();
    assert_eq!((store.format().current(), store.format().newest()), (FORMATS[0], FORMATS[0]));
    put(&store, b"old");
    store.close().unwrap();
    drop(store);
    // There and back.
    let store = open(&path, LATER).unwrap();
    assert!(has(&store, b"old") && store.format().allows(1) && !store.format().allows(2));
    put(&store, b"between");
    store.close().unwrap();
    drop(store);
    let store = open(&path, FORMATS).unwrap();
    assert!(has(&store, b"between"));
    store.finalize().unwrap();
    assert_eq!(store.format().current().number, 1);
    store.close().unwrap();
    drop(store);
    let store = open(&path, LATER).unwrap();
    store.finalize().unwrap();
    assert!(store.format().allows(2));
    store.close().unwrap();
    drop(store);
    let error = refused(&path);
    let expected = "has format 2 (packed lists), which ferrolith-server 9.0.0 and later read; this is version ";
    assert!(error.contains(expected), "{error}");
    assert!(has(&open(&path, LATER).unwrap(), b"between"));
}

#[test]
fn new_directories_have_the_newest_format() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path(), LATER).unwrap().close().unwrap();
    assert!(open(dir.path(), LATER).unwrap().format().allows(2));
    refused(dir.path());
}

/// A file `FORMAT` by hand, and one that says nothing.
#[test]
fn the_file_is_checked_before_anything_else() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path(), FORMATS).unwrap().close().unwrap();
    let file = dir.path().join(FORMAT_FILE);
    let later = "number = 7\nname = \"by hand\"\nsince = \"3.1.0\"\nfurther = true\n";
    std::fs::write(&file, later).unwrap();
    let error = refused(dir.path());
    assert!(error.contains("format 7 (by hand), which ferrolith-server 3.1.0"), "{error}");
    for text in ["", "number = \"x\"", "\u{0}\u{1}", "number = -1\nname = \"\"\nsince = \"\""] {
        std::fs::write(&file, text).unwrap();
        let error = refused(dir.path());
        assert!(error.contains("FORMAT: expected a number"), "{error}");
    }
    // Without data, it counts, too.
    let empty = tempfile::tempdir().unwrap();
    std::fs::write(empty.path().join(FORMAT_FILE), later).unwrap();
    refused(empty.path());
}

/// Directories of builds that wrote no file are those of the first format.
#[test]
fn a_directory_without_a_file_gets_one() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path(), FORMATS).unwrap().close().unwrap();
    std::fs::remove_file(dir.path().join(FORMAT_FILE)).unwrap();
    let store = open(dir.path(), LATER).unwrap();
    assert!(!store.format().allows(2));
    assert!(dir.path().join(FORMAT_FILE).exists());
}

/// Backups have the row, and no file.
#[test]
fn a_restored_directory_keeps_its_format() {
    let dir = tempfile::tempdir().unwrap();
    let (from, to, backups) =
        (dir.path().join("from"), dir.path().join("to"), dir.path().join("backups"));
    std::fs::create_dir(&backups).unwrap();
    let store = open(&from, LATER).unwrap();
    let mut vault = Vault::open(&backups, Access::Write, 0).unwrap();
    let progress = Arc::<BackupProgress>::default();
    let id = store.back_up(&mut vault, &Creation::default(), &progress).unwrap();
    backup::restore(&vault, id, &to).unwrap();
    assert!(!to.join(FORMAT_FILE).exists());
    let error = refused(&to);
    assert!(error.contains("has format 2 (packed lists)"), "{error}");
    assert!(open(&to, LATER).unwrap().format().allows(2));
}

/// A kill between the file and the row leaves a directory of the new format.
#[test]
fn an_interrupted_change_is_completed() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path(), FORMATS).unwrap().close().unwrap();
    std::fs::write(dir.path().join(FORMAT_FILE), text(LATER[1])).unwrap();
    let store = open(dir.path(), LATER).unwrap();
    assert!(store.format().allows(2));
    assert_eq!(row(store.db()).unwrap(), Some(LATER[1].into()));
}

/// The file was edited, or is that of another directory.
#[test]
fn a_row_of_a_later_format_counts() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path(), LATER).unwrap().close().unwrap();
    std::fs::write(dir.path().join(FORMAT_FILE), text(FORMATS[0])).unwrap();
    let error = open(dir.path(), FORMATS).err().expect("the row must count").to_string();
    assert!(error.contains("has format 2 (packed lists)"), "{error}");
    let store = open(dir.path(), LATER).unwrap();
    assert!(store.format().allows(2));
    assert_eq!(std::fs::read_to_string(dir.path().join(FORMAT_FILE)).unwrap(), text(LATER[1]));
}
