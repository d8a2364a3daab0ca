//! The live WAL meets a fault: shared blocks on a full XFS, another process that cuts it, a full disk under a log
//! that is not mapped, limits of memory and of file size. Never a signal, nothing acknowledged is lost, and writes
//! go on when the cause is gone.
//!
//! What may end the process runs in a child: this test binary again, with `CHILD` set.

use super::super::support::{ro, small, temp_dir, wo};
use super::disk_full::Mounted;
use super::{eventually, synced};
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{Options, WalRecoveryMode, WriteOptions};
use std::path::{Path, PathBuf};
use std::process::Command;

const CHILD: &str = "FERROLITH_LOG_FAULT_CHILD";

/// Runs a task in a child, which must succeed.
fn in_child(task: &str, dir: &Path) {
    let out = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::log_faults::child_entry", "--nocapture", "--test-threads=1"])
        .env(CHILD, format!("{task}:{}", dir.display()))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{task} in {}: {}: {text}", dir.display(), out.status);
}

#[test]
fn child_entry() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (task, dir) = task.split_once(':').unwrap();
    let dir = PathBuf::from(dir);
    match task {
        "shared blocks" => shared_blocks(&dir),
        "cut" => cut_by_another(&dir),
        "full at opening" => full_at_opening(&dir),
        "file size" => limited_file_size(&dir),
        _ => full_disk(&dir, task),
    }
}

/// Options under which nothing but the log is written for a while.
fn options() -> Options {
    let mut options = small();
    options.cf.write_buffer_size = 32 << 20;
    // Copies are made of directories in use.
    options.cf.disable_auto_compactions = true;
    options.db.wal_recovery_mode = WalRecoveryMode::AbsoluteConsistency;
    options
}

fn key(i: u32) -> Vec<u8> {
    i.wrapping_mul(2_654_435_761).to_be_bytes().to_vec()
}

fn value(i: u32, large: bool) -> Vec<u8> {
    let len = if large && i.is_multiple_of(8) { 70_000 } else { 500 };
    (0..len)
        .map(|j: u32| (i.wrapping_mul(31).wrapping_add(j).wrapping_mul(7919) >> 7) as u8)
        .collect()
}

/// A database, and how many of its keys were acknowledged.
struct Filled {
    db: Db,
    count: u32,
    large: bool,
}

impl Filled {
    fn put(&mut self, wo: &WriteOptions) -> ferrolith::Result<()> {
        let result = self.db.put(wo, &key(self.count), &value(self.count, self.large));
        self.count += u32::from(result.is_ok());
        result
    }

    /// Writes until there is an error.
    fn fill(&mut self, wo: &WriteOptions) -> ferrolith::Error {
        for _ in 0..400_000 {
            if let Err(e) = self.put(wo) {
                return e;
            }
        }
        panic!("nothing fails");
    }

    /// Writes go on, by themselves.
    fn goes_on(&mut self) {
        for _ in 0..200 {
            eventually("writes go on", || self.put(&wo()).is_ok());
        }
        eventually("synced writes go on", || self.put(&synced()).is_ok());
    }

    fn check(&self) {
        for i in 0..self.count {
            let found = self.db.get(&ro(), &key(i)).unwrap();
            assert!(found == Some(value(i, self.large)), "{i} of {}", self.count);
        }
    }
}

/// What a process that was killed now would leave, read by another.
fn check_copy(path: &Path, count: u32, large: bool) {
    let copy = temp_dir();
    let to = copy.path().join("db");
    assert!(Command::new("cp").arg("-r").arg(path).arg(&to).status().unwrap().success());
    Filled { db: Db::open(&options(), &to).unwrap(), count, large }.check();
}

fn write_ballast(path: &Path) {
    let mut file = std::fs::File::create(path).unwrap();
    for size in [1 << 20, 64 << 10, 4 << 10] {
        while std::io::Write::write_all(&mut file, &vec![1; size]).is_ok() {}
    }
    let _ = file.sync_all();
}

#[test]
fn a_full_disk_ends_no_process_whose_log_has_shared_blocks() {
    let Some(disk) = Mounted::device("xfs", 400 << 20) else { return };
    in_child("shared blocks", disk.path());
}

fn shared_blocks(dir: &Path) {
    let path = dir.join("db");
    let ballast = dir.join("ballast");
    for large in [false, true] {
        let db = Db::open(&options(), &path).unwrap();
        let mut filled = Filled { db, count: 0, large };
        for _ in 0..500 {
            filled.put(&wo()).unwrap();
        }
        let mut copy = Command::new("cp");
        copy.args(["-r", "--reflink=always"]).arg(&path).arg(dir.join("copy"));
        assert!(copy.status().unwrap().success());
        write_ballast(&ballast);
        let error = filled.fill(&wo());
        assert!(error.is_no_space(), "{error}");
        filled.check();
        check_copy(&path, filled.count, large);
        std::fs::remove_file(&ballast).unwrap();
        filled.goes_on();
        filled.check();
        check_copy(&path, filled.count, large);
        let Filled { db, count, .. } = filled;
        drop(db);
        Filled { db: Db::open(&options(), &path).unwrap(), count, large }.check();
        std::fs::remove_dir_all(&path).unwrap();
        std::fs::remove_dir_all(dir.join("copy")).unwrap();
    }
}

#[test]
fn a_log_that_another_process_cuts_is_replaced() {
    for base in ["/dev/shm", "."] {
        let Ok(dir) = tempfile::tempdir_in(base) else { continue };
        in_child("cut", dir.path());
    }
}

fn cut_by_another(dir: &Path) {
    for (number, large) in [false, true].into_iter().enumerate() {
        let path = dir.join(number.to_string());
        let db = Db::open(&options(), &path).unwrap();
        let mut filled = Filled { db, count: 0, large };
        for round in 0..4 {
            for _ in 0..300 {
                filled.put(&wo()).unwrap();
            }
            let logs = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
            let live = logs.filter(|path| path.extension().is_some_and(|e| e == "log")).max();
            let live = std::fs::File::options().write(true).open(live.unwrap()).unwrap();
            live.set_len([0, 4096, 100, 70_000][round]).unwrap();
            let error = filled.fill(&wo());
            assert!(error.to_string().contains("another process truncated it"), "{error}");
            filled.check();
            filled.goes_on();
            filled.check();
            check_copy(&path, filled.count, large);
        }
        filled.db.close().unwrap();
        let Filled { db, count, .. } = filled;
        drop(db);
        Filled { db: Db::open(&options(), &path).unwrap(), count, large }.check();
    }
}

#[test]
fn a_full_disk_passes_for_every_kind_of_log() {
    for task in ["mapped", "not mapped", "flushed by hand"] {
        let Some(disk) = Mounted::tmpfs("24m") else { return };
        in_child(task, disk.path());
        let Some(disk) = Mounted::device("btrfs", 120 << 20) else { continue };
        in_child(task, disk.path());
    }
}

fn full_disk(dir: &Path, task: &str) {
    for large in [false, true] {
        let path = dir.join("db");
        let ballast = dir.join("ballast");
        let mut options = options();
        options.db.allow_fallocate = task == "mapped";
        options.db.manual_wal_flush = task == "flushed by hand";
        let mut filled = Filled { db: Db::open(&options, &path).unwrap(), count: 0, large };
        for _ in 0..100 {
            filled.put(&wo()).unwrap();
        }
        write_ballast(&ballast);
        let error = filled.fill(&wo());
        assert!(error.is_no_space(), "{error}");
        filled.check();
        let by_hand = options.db.manual_wal_flush;
        if !by_hand {
            check_copy(&path, filled.count, large);
        }
        std::fs::remove_file(&ballast).unwrap();
        filled.goes_on();
        eventually("the log is flushed", || filled.db.flush_wal(true).is_ok());
        filled.check();
        check_copy(&path, filled.count, large);
        let Filled { db, count, .. } = filled;
        db.close().unwrap();
        drop(db);
        Filled { db: Db::open(&options, &path).unwrap(), count, large }.check();
        std::fs::remove_dir_all(&path).unwrap();
    }
}

#[test]
fn a_limit_of_file_size_ends_no_process() {
    let dir = temp_dir();
    in_child("file size", dir.path());
}

/// As `ulimit -f`, below what is allocated ahead.
fn limited_file_size(dir: &Path) {
    let pid = std::process::id().to_string();
    let mut limit = Command::new("prlimit");
    limit.args(["--pid", &pid, "--fsize=300000"]);
    if !limit.status().is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no prlimit");
        return;
    }
    let mut options = options();
    options.cf.target_file_size_base = 100 << 10;
    for allow_fallocate in [true, false] {
        options.db.allow_fallocate = allow_fallocate;
        let path = dir.join(allow_fallocate.to_string());
        let db = Db::open(&options, &path).unwrap();
        let mut filled = Filled { db, count: 0, large: false };
        // A log that is as large as files may be is replaced.
        let mut errors = 0;
        while filled.count < 2000 {
            if let Err(e) = filled.put(&wo()) {
                assert!(e.to_string().contains("File too large"), "{e}");
                errors += 1;
                eventually("writes go on", || filled.put(&wo()).is_ok());
            }
        }
        assert!(errors > 0);
        filled.check();
    }
}

/// Opening needs no room: everything can be read, and writes go on when there is some.
#[test]
fn a_database_opens_on_a_full_disk() {
    let Some(disk) = Mounted::tmpfs("24m") else { return };
    in_child("full at opening", disk.path());
    let Some(disk) = Mounted::device("ext4", 64 << 20) else { return };
    in_child("full at opening", disk.path());
}

fn full_at_opening(dir: &Path) {
    let (path, ballast) = (dir.join("db"), dir.join("ballast"));
    let mut options = options();
    let db = Db::open(&options, dir.join("first")).unwrap();
    let mut filled = Filled { db, count: 0, large: false };
    for _ in 0..8000 {
        filled.put(&wo()).unwrap();
    }
    // As a process leaves it that was killed.
    let mut copy = Command::new("cp");
    copy.arg("-r").arg(dir.join("first")).arg(&path);
    assert!(copy.status().unwrap().success());
    let count = filled.count;
    drop(filled);
    std::fs::remove_dir_all(dir.join("first")).unwrap();
    write_ballast(&ballast);
    // Also where recovery would write tables on the way.
    options.cf.write_buffer_size = 256 << 10;
    let db = Db::open_for_read_only(&options, &path, false).unwrap();
    Filled { db, count, large: false }.check();
    for _ in 0..2 {
        let mut filled = Filled { db: Db::open(&options, &path).unwrap(), count, large: false };
        filled.check();
        let error = filled.put(&wo()).unwrap_err();
        assert!(error.is_no_space(), "{error}");
        let error = filled.db.flush_wal(true).unwrap_err();
        assert!(error.is_no_space(), "{error}");
        let _ = filled.db.close();
    }
    let mut filled = Filled { db: Db::open(&options, &path).unwrap(), count, large: false };
    std::fs::remove_file(&ballast).unwrap();
    filled.goes_on();
    filled.check();
    check_copy(&path, filled.count, false);
    let Filled { db, count, .. } = filled;
    drop(db);
    Filled { db: Db::open(&options, &path).unwrap(), count, large: false }.check();
    std::fs::remove_dir_all(&path).unwrap();
}
