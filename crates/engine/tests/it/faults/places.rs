//! Places that cannot be written, and strange ones.

use super::super::support::{dump, small, temp_dir, wo};
use super::{DIR, faulty, flush, over};
use ferrolith::internal::db::Db;
use ferrolith::internal::fs::FileSystem;
use ferrolith::internal::fs::fault::{Fault, FaultFs, FaultKind, Op};
use ferrolith::internal::options::Options;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

fn write_some(options: &Options, path: &Path) {
    let db = Db::open(options, path).unwrap();
    db.put(&wo(), b"key", b"value").unwrap();
    db.close().unwrap();
}

fn has_some(options: &Options, path: &Path) {
    assert_eq!(dump(&Db::open(options, path).unwrap()).len(), 1, "{}", path.display());
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let dir = temp_dir();
    let path = dir.path().join("db");
    write_some(&small(), &path);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o555)).unwrap();
    if std::fs::write(path.join("probe"), "").is_ok() {
        eprintln!("SKIPPED: permissions do not bind this user (root)");
        std::fs::remove_file(path.join("probe")).unwrap();
    } else {
        let e = Db::open(&small(), &path).unwrap_err();
        assert!(e.message().contains("db"), "{e}");
    }
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    has_some(&small(), &path);
}

/// The same by injection, which works for root, too.
#[test]
fn an_open_that_may_write_nothing_changes_nothing() {
    let (mem, fs) = faulty();
    write_some(&over(mem.clone()), Path::new(DIR));
    fs.inject(Fault::writes_stop(0, FaultKind::Io));
    let e = Db::open(&over(fs.clone()), DIR).unwrap_err();
    assert!(e.message().contains("Injected") && e.message().contains(DIR), "{e}");
    fs.clear();
    has_some(&over(fs), Path::new(DIR));
}

#[test]
fn a_log_that_cannot_be_written_stops_nothing_but_the_open() {
    let (_, fs) = faulty();
    fs.inject(Fault::always(Op::Create, "/LOG", FaultKind::Io));
    let e = Db::open(&over(fs.clone()), DIR).unwrap_err();
    assert!(e.message().contains("/db/LOG"), "{e}");
    fs.clear();
    fs.inject(Fault::always(Op::Append, "/LOG", FaultKind::NoSpace));
    fs.inject(Fault::always(Op::Flush, "/LOG", FaultKind::NoSpace));
    write_some(&over(fs.clone()), Path::new(DIR));
    has_some(&over(fs), Path::new(DIR));
}

#[test]
fn options_files_are_not_needed() {
    let dir = temp_dir();
    write_some(&small(), dir.path());
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("OPTIONS-") {
            let text = std::fs::read(&path).unwrap();
            std::fs::write(&path, &text[..text.len() / 2]).unwrap();
        }
    }
    has_some(&small(), dir.path());
    let (_, fs) = faulty();
    fs.inject(Fault::always(Op::Create, ".dbtmp", FaultKind::NoSpace));
    let e = Db::open(&over(fs.clone()), DIR).unwrap_err();
    assert!(e.is_no_space(), "{e}");
    fs.clear();
    write_some(&over(fs.clone()), Path::new(DIR));
    fs.inject(Fault::always(Op::Rename, "OPTIONS", FaultKind::NoSpace));
    has_some(&over(fs), Path::new(DIR));
}

#[test]
fn a_wal_directory_is_made_or_named() {
    let dir = temp_dir();
    let mut options = small();
    // Only the last directory is made: a parent that is missing may be a disk that is not mounted.
    options.db.wal_dir = dir.path().join("a/b/wals");
    let e = Db::open(&options, dir.path().join("db")).unwrap_err();
    assert!(e.message().contains("a/b/wals"), "{e}");
    assert!(!dir.path().join("a").exists());
    std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
    write_some(&options, &dir.path().join("db"));
    has_some(&options, &dir.path().join("db"));
    std::fs::write(dir.path().join("file"), "x").unwrap();
    options.db.wal_dir = dir.path().join("file");
    let e = Db::open(&options, dir.path().join("db")).unwrap_err();
    assert!(e.message().contains("file' exists but is not a directory"), "{e}");
    options.db.wal_dir = dir.path().join("file/below");
    let e = Db::open(&options, dir.path().join("db")).unwrap_err();
    assert!(e.message().contains("file/below"), "{e}");
}

#[test]
fn odd_names_work_and_impossible_ones_are_named() {
    let dir = temp_dir();
    for name in [&b"\xFF\xFEraw"[..], "Größe 数据".as_bytes(), b"a b\tc\n'\"", &[b'n'; 255]] {
        let path = dir.path().join(OsStr::from_bytes(name));
        write_some(&small(), &path);
        has_some(&small(), &path);
        Db::destroy(&small().db, &path).unwrap();
        assert!(!path.exists());
    }
    let long = dir.path().join("n".repeat(256));
    let e = Db::open(&small(), &long).unwrap_err();
    assert!(e.message().contains("nnnn"), "{e}");
    let deep =
        std::iter::repeat_n("d".repeat(200), 25).fold(dir.path().to_owned(), |p, d| p.join(d));
    assert!(Db::open(&small(), &deep).is_err());
    assert!(Db::open(&small(), "nul\0byte").is_err());
}

/// "Cannot tell whether it is there" is not "it is not there": nothing is taken for missing.
#[test]
fn an_open_that_cannot_look_misses_nothing() {
    let (mem, _) = faulty();
    let db = Db::open(&over(mem.clone()), DIR).unwrap();
    db.put(&wo(), b"key", b"in the WAL").unwrap();
    let killed = mem.crash_clone_with(|_, loose| loose);
    drop(db);
    for nth in 0.. {
        let copy = killed.crash_clone_with(|_, loose| loose);
        let fs = FaultFs::new(Arc::new(copy));
        fs.inject(Fault::nth(Op::Stat, "", nth, FaultKind::Io));
        let opened = Db::open(&over(fs.clone()), DIR);
        let happened = fs.count(Op::Stat) > nth;
        fs.clear();
        drop(opened);
        has_some(&over(fs), Path::new(DIR));
        if !happened {
            assert!(nth > 3, "{nth}");
            break;
        }
    }
}

/// A bad moment of the system is no bad table.
#[test]
fn a_repair_that_cannot_open_a_table_sets_nothing_aside() {
    let (mem, fs) = faulty();
    let db = Db::open(&over(mem.clone()), DIR).unwrap();
    db.put(&wo(), b"key", b"in a table").unwrap();
    flush(&db).unwrap();
    db.close().unwrap();
    drop(db);
    for (op, times) in [(Op::Open, 1), (Op::Read, 1), (Op::Stat, 1)] {
        for name in mem.list_dir(Path::new(DIR)).unwrap() {
            if name == "CURRENT" || name.starts_with("MANIFEST") {
                mem.remove_file(&Path::new(DIR).join(name)).unwrap();
            }
        }
        fs.inject(Fault { times, ..Fault::always(op, ".sst", FaultKind::Io) });
        let repaired = Db::repair(&over(fs.clone()), DIR);
        fs.clear();
        if repaired.is_err() {
            Db::repair(&over(fs.clone()), DIR).unwrap();
        }
        has_some(&over(mem.clone()), Path::new(DIR));
    }
}
