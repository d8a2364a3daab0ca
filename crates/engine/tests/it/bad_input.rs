//! Bad input: a clear error that names the file, nothing lost, nothing deleted.

use super::support::{dump, small, temp_dir, with_cf, wo};
use ferrolith::Code;
use ferrolith::internal::base::ReverseBytewiseComparator;
use ferrolith::internal::db::Db;
use ferrolith::internal::error::rocksdb_text;
use ferrolith::internal::options::{CompressionOptions, FlushOptions, Options};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A small database with tables, closed.
fn made() -> tempfile::TempDir {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    for i in 0..3000u32 {
        db.put(&wo(), &i.to_be_bytes(), &[5; 60]).unwrap();
    }
    db.flush(&FlushOptions::default()).unwrap();
    db.wait_for_compact().unwrap();
    db.put(&wo(), b"in the log", b"v").unwrap();
    drop(db);
    dir
}

/// Every file of a directory with its content, LOG files and LOCK aside.
fn content(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let kept = entries.filter(|p| {
        let name = p.file_name().unwrap().to_string_lossy().into_owned();
        !name.starts_with("LOG") && name != "LOCK"
    });
    kept.map(|p| (p.clone(), std::fs::read(p).unwrap())).collect()
}

fn file(dir: &Path, prefix: &str, ending: &str) -> PathBuf {
    let names = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let fits = |p: &PathBuf| {
        let name = p.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with(prefix) && name.ends_with(ending)
    };
    names.filter(fits).max().unwrap_or_else(|| panic!("no {prefix}*{ending}"))
}

/// Damages one file, expects an error that names it, and that nothing else changed.
fn refuses(prefix: &str, ending: &str, damage: impl Fn(&mut Vec<u8>)) -> ferrolith::Error {
    let dir = made();
    let path = file(dir.path(), prefix, ending);
    let mut bytes = std::fs::read(&path).unwrap();
    let good = bytes.clone();
    damage(&mut bytes);
    std::fs::write(&path, &bytes).unwrap();
    let before = content(dir.path());
    let e = Db::open(&small(), dir.path()).expect_err("the damage was not noticed");
    assert_eq!(content(dir.path()), before, "files changed after: {e}");
    // With the damage undone everything is there.
    std::fs::write(&path, good).unwrap();
    assert_eq!(dump(&Db::open(&small(), dir.path()).unwrap()).len(), 3001);
    e
}

fn names(e: &ferrolith::Error, what: &str) {
    assert!(e.to_string().contains(what), "{what} is not in: {e}");
}

#[test]
fn a_missing_or_strange_directory_is_not_touched() {
    let dir = temp_dir();
    let mut options = small();
    options.db.create_if_missing = false;
    let missing = dir.path().join("missing");
    let e = Db::open(&options, &missing).unwrap_err();
    assert_eq!(e.code(), Code::InvalidArgument);
    names(&e, "does not exist (create_if_missing is false)");
    assert!(!missing.exists());

    let plain_file = dir.path().join("file");
    std::fs::write(&plain_file, "hello").unwrap();
    names(&Db::open(&small(), &plain_file).unwrap_err(), "exists but is not a directory");
    assert_eq!(std::fs::read(&plain_file).unwrap(), b"hello");

    options.db.create_if_missing = true;
    options.db.error_if_exists = true;
    Db::open(&options, dir.path().join("new")).unwrap();
    names(&Db::open(&options, dir.path().join("new")).unwrap_err(), "error_if_exists is true");
}

#[test]
fn a_directory_that_lost_current_is_not_made_new() {
    let dir = made();
    std::fs::remove_file(dir.path().join("CURRENT")).unwrap();
    let before = content(dir.path());
    names(&Db::open(&small(), dir.path()).unwrap_err(), "CURRENT is missing");
    assert_eq!(content(dir.path()), before);

    // What a process that was killed while it made a database leaves is no loss.
    let dir = temp_dir();
    std::fs::write(dir.path().join("MANIFEST-000001"), b"the beginning").unwrap();
    Db::open(&small(), dir.path()).unwrap();
}

#[test]
fn a_second_opener_gets_the_lock_error() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    let e = Db::open(&small(), dir.path()).unwrap_err();
    assert_eq!(e.code(), Code::Busy);
    names(&e, "already open in this process");
    db.put(&wo(), b"k", b"v").unwrap();
    assert!(Db::destroy(&small().db, dir.path()).is_err());
    drop(db);
    Db::destroy(&small().db, dir.path()).unwrap();
    assert!(!dir.path().exists());
}

#[test]
fn another_comparator_is_refused() {
    let dir = made();
    let reverse = with_cf(&small(), |cf| cf.comparator = Arc::new(ReverseBytewiseComparator));
    let e = Db::open(&reverse, dir.path()).unwrap_err();
    assert_eq!(e.code(), Code::InvalidArgument);
    names(&e, "leveldb.BytewiseComparator");
    names(&e, "rocksdb.ReverseBytewiseComparator");
}

#[test]
fn damaged_current_and_manifest_are_named() {
    names(&refuses("CURRENT", "", |b| b.clear()), "CURRENT");
    names(&refuses("CURRENT", "", |b| b.truncate(b.len() - 1)), "CURRENT");
    names(&refuses("CURRENT", "", |b| *b = b"MANIFEST-999999\n".to_vec()), "MANIFEST-999999");
    names(&refuses("MANIFEST-", "", |b| b[20] ^= 0xFF), "MANIFEST-");
    names(&refuses("MANIFEST-", "", |b| b.clear()), "MANIFEST-");
}

#[test]
fn damaged_tables_are_named() {
    names(&refuses("", ".sst", |b| b.truncate(b.len() / 2)), ".sst");
    names(&refuses("", ".sst", |b| b.clear()), ".sst");
    // The footer's format version and magic.
    names(
        &refuses("", ".sst", |b| {
            let n = b.len();
            b[n - 12] = 99;
        }),
        "99",
    );
    names(
        &refuses("", ".sst", |b| {
            let n = b.len();
            b[n - 1] ^= 1;
        }),
        ".sst",
    );
}

#[test]
fn a_flipped_bit_in_a_data_block_is_found_when_read() {
    let dir = made();
    let path = file(dir.path(), "", ".sst");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[100] ^= 4;
    std::fs::write(&path, bytes).unwrap();
    let db = Db::open(&small(), dir.path()).unwrap();
    let mut iter = db.iter(&Default::default()).unwrap();
    iter.seek_to_first();
    while iter.valid() {
        iter.next();
    }
    let e = iter.status().unwrap_err();
    assert!(e.is_corruption());
    names(&e, "checksum");
    names(&e, ".sst");
}

#[test]
fn missing_tables_are_named() {
    let dir = made();
    let path = file(dir.path(), "", ".sst");
    std::fs::remove_file(&path).unwrap();
    let e = Db::open(&small(), dir.path()).unwrap_err();
    names(&e, path.file_name().unwrap().to_str().unwrap());
}

#[test]
fn impossible_options_are_named() {
    let refused = |change: &dyn Fn(&mut Options), what: &str| {
        let dir = temp_dir();
        let mut options = small();
        change(&mut options);
        let e = Db::open(&options, dir.path().join("db")).expect_err(what);
        names(&e, what);
        assert!(!dir.path().join("db").exists(), "{what} left a directory");
    };
    refused(&|o| o.db.allow_mmap_writes = true, "allow_mmap_writes");
    refused(&|o| (o.db.allow_mmap_reads, o.db.use_direct_reads) = (true, true), "use_direct_reads");
    // With concurrent writes, which are the default.
    refused(&|o| o.cf.inplace_update_support = true, "inplace_update_support");
    refused(
        &|o| {
            o.cf.compression_opts =
                CompressionOptions { zstd_max_train_bytes: 5, ..Default::default() }
        },
        "max_dict_bytes",
    );
    refused(
        &|o| o.cf.compaction_options_universal.incremental = true,
        "compaction_options_universal.incremental",
    );
    refused(
        &|o| o.cf.compression = ferrolith::internal::compress::CompressionType::Xpress,
        "Xpress",
    );
}

#[test]
fn destroying_leaves_what_is_not_the_databases() {
    let dir = temp_dir();
    let (path, wals) = (dir.path().join("db"), dir.path().join("wals"));
    let mut options = small();
    options.db.wal_dir = wals.clone();
    Db::open(&options, &path).unwrap().put(&wo(), b"k", b"v").unwrap();
    std::fs::create_dir_all(wals.join("archive")).unwrap();
    for file in [path.join("mine"), wals.join("000007.sst"), wals.join("archive/000001.log")] {
        std::fs::write(file, "x").unwrap();
    }
    Db::destroy(&options.db, &path).unwrap();
    let names = |dir: &std::path::Path| {
        let entries = std::fs::read_dir(dir).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(names(&path), ["mine"]);
    assert_eq!(names(&wals), ["000007.sst"], "another database may have its tables there");
    Db::destroy(&options.db, dir.path().join("never")).unwrap();
    let error = Db::destroy(&options.db, dir.path().join("no/such")).unwrap_err();
    let error = rocksdb_text(&error);
    let expected = "IO error: No such file or directory: while open a file for lock: ";
    assert!(error.starts_with(expected), "{error}");
}
