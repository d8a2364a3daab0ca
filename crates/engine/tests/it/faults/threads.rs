//! The system refuses threads (EAGAIN). Others do their work, or the call fails and the next one works.

use super::super::support::{dump, small, temp_dir, wo};
use super::{eventually, flush};
use ferrolith::internal::db::Db;
use ferrolith::internal::db::backup::{BackupEngine, BackupEngineOptions};
use ferrolith::internal::env::threads::Refusals;
use ferrolith::internal::options::{CompactRangeOptions, Options};
use std::path::Path;

/// Options that ask for threads wherever there may be some.
fn many_threads() -> Options {
    let mut options = small();
    options.db.max_background_jobs = 6;
    options.db.max_subcompactions = 6;
    options.db.max_open_files = -1;
    options.db.max_file_opening_threads = 16;
    options
}

fn fill(db: &Db, round: u32) {
    for i in 0..300u32 {
        let key = i.wrapping_mul(2_654_435_761).to_be_bytes();
        db.put(&wo(), &key, &[round as u8; 500]).unwrap();
    }
}

/// Writes, flushes, compacts and backs up. Whatever is refused, this must work.
fn use_database(db: &Db, backups: &Path) {
    for round in 0..3 {
        fill(db, round);
        flush(db).unwrap();
    }
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    let mut options = BackupEngineOptions::new(backups);
    options.max_background_operations = 4;
    BackupEngine::open(options).unwrap().create_new_backup(db).unwrap();
    fill(db, 9);
    db.wait_for_compact().unwrap();
}

#[test]
fn refused_threads_lose_and_stop_nothing() {
    let (mut opened, mut refused) = (0, 0);
    for admitted in 0..16 {
        let dir = temp_dir();
        let path = dir.path().join("db");
        let expected = {
            let db = Db::open(&many_threads(), &path).unwrap();
            use_database(&db, &dir.path().join("before"));
            dump(&db)
        };
        let refusals = Refusals::after(admitted);
        match Db::open(&many_threads(), &path) {
            Ok(db) => {
                opened += 1;
                assert_eq!(dump(&db), expected);
                use_database(&db, &dir.path().join("backups"));
                refused += u32::from(refusals.count() > 0);
                db.close().unwrap();
            }
            Err(e) => {
                assert!(e.to_string().contains("starting a background thread"), "{e}");
                refused += 1;
            }
        }
        drop(refusals);
        let db = Db::open(&many_threads(), &path).unwrap();
        assert_eq!(dump(&db), expected, "{admitted} admitted");
    }
    assert!(opened >= 12, "{opened} of 16 opened");
    // How many threads a compaction asks for depends on what the writes before it have left.
    assert!(refused >= 10, "threads were refused in {refused} of 16 runs");
}

#[test]
fn refused_background_threads_start_when_they_can() {
    let dir = temp_dir();
    let refusals = Refusals::after(2);
    let db = Db::open(&many_threads(), dir.path()).unwrap();
    assert!(refusals.count() > 0);
    fill(&db, 1);
    flush(&db).unwrap();
    drop(refusals);
    eventually("all threads run", || {
        let log = std::fs::read_to_string(dir.path().join("LOG")).unwrap();
        log.contains("all background threads are running now")
    });
}

/// Where the child finds its database, and how it knows that it is one.
const CHILD: &str = "FERROLITH_THREAD_LIMIT_CHILD";

/// With a real limit: the operating system counts the threads of a user, but not those of root.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_threads_ends_no_process() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    for limit in 1..12 {
        let dir = temp_dir();
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        let exe = std::env::current_exe().unwrap();
        let mut child = std::process::Command::new("prlimit");
        child.arg(format!("--nproc={limit}:{limit}")).arg(exe).env(CHILD, dir.path());
        let this = "faults::threads::child_with_a_limit_on_threads";
        child.args(["--exact", this, "--nocapture", "--test-threads=1"]);
        // A user that nobody else is.
        child.uid(100_000 + std::process::id() % 50_000 + limit);
        let done = match child.output() {
            Ok(done) => done,
            Err(e) => return eprintln!("SKIPPED: cannot run prlimit as another user: {e}"),
        };
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "limit {limit}: {}: {said}", done.status);
        let db = Db::open(&many_threads(), dir.path().join("db")).unwrap();
        if said.contains("USED") {
            assert_eq!(dump(&db).len(), 300, "limit {limit}");
        }
        assert!(said.contains("USED") || limit < 6, "limit {limit}: {said}");
    }
}

/// Runs in the process that [`a_limit_on_threads_ends_no_process`] starts.
#[test]
fn child_with_a_limit_on_threads() {
    let Some(dir) = std::env::var_os(CHILD) else { return };
    let dir = Path::new(&dir);
    match Db::open(&many_threads(), dir.join("db")) {
        Ok(db) => {
            use_database(&db, &dir.join("backups"));
            db.close().unwrap();
            eprintln!("USED");
        }
        Err(e) => assert!(e.to_string().contains("starting a background thread"), "{e}"),
    }
}
