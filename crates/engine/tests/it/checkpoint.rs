//! Checkpoints: what is in them, when they are refused, and that a failure leaves nothing.

use crate::support::{dump, dump_cf, open_three, small, temp_dir, try_open_three, wo};
use ferrolith::internal::db::{Checkpoint, Db};
use ferrolith::internal::error::rocksdb_text;
use ferrolith::internal::fs::FileSystem;
use ferrolith::internal::fs::fault::{Fault, FaultFs, FaultKind};
use ferrolith::internal::fs::mem::MemFs;
use ferrolith::internal::options::{FlushOptions, Options, WriteOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn key(i: u32) -> Vec<u8> {
    format!("key{i:06}").into_bytes()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_checkpoint_has_what_was_written_before_it_and_nothing_after() {
    for log_size_for_flush in [0, 1 << 30, u64::MAX] {
        let dir = temp_dir();
        let (db, families) = open_three(&small(), &dir.path().join("db"));
        for i in 0..1000 {
            db.put_cf(&wo(), &families[i as usize % 3], &key(i), &[b'v'; 200]).unwrap();
        }
        let expected: Vec<_> = families.iter().map(|cf| dump_cf(&db, cf)).collect();
        let copy = dir.path().join("copy");
        let at = Checkpoint::new(&db).create(&copy, log_size_for_flush).unwrap();
        assert_eq!(at, 1000);
        db.put(&wo(), b"later", b"1").unwrap();
        db.delete(&wo(), &key(3)).unwrap();

        let logs = names(&copy).into_iter().filter(|name| name.ends_with(".log"));
        let logged: u64 = logs.map(|name| std::fs::metadata(copy.join(name)).unwrap().len()).sum();
        assert_eq!(logged == 0, log_size_for_flush == 0, "{:?}", names(&copy));
        assert!(!dir.path().join("copy.tmp").exists());
        let (opened, copied) = open_three(&small(), &copy);
        assert_eq!(opened.latest_sequence_number(), 1000);
        for (cf, expected) in copied.iter().zip(&expected) {
            assert_eq!(&dump_cf(&opened, cf), expected);
        }
        // Each goes its own way from here, although they share files.
        opened.put(&wo(), b"copy", b"1").unwrap();
        opened.compact_range(&Default::default(), None, None).unwrap();
        db.compact_range(&Default::default(), None, None).unwrap();
        assert!(dump(&db).iter().all(|(key, _)| key != b"copy"));
        assert!(dump(&opened).iter().all(|(key, _)| key != b"later"));
        assert_eq!(db.property_int("rocksdb.is-file-deletions-enabled"), Some(1));
    }
}

#[test]
fn unlogged_and_buffered_writes_are_in_a_checkpoint() {
    let dir = temp_dir();
    let mut options = small();
    options.db.manual_wal_flush = true;
    let db = Db::open(&options, dir.path().join("db")).unwrap();
    let unlogged = WriteOptions { disable_wal: true, ..wo() };
    db.put(&unlogged, b"unlogged", b"1").unwrap();
    Checkpoint::new(&db).create(dir.path().join("flushed"), 0).unwrap();
    assert_eq!(dump(&Db::open(&options, dir.path().join("flushed")).unwrap()).len(), 1);
    db.put(&wo(), b"buffered", b"1").unwrap();
    Checkpoint::new(&db).create(dir.path().join("logged"), u64::MAX).unwrap();
    assert_eq!(dump(&Db::open(&options, dir.path().join("logged")).unwrap()).len(), 2);
}

#[test]
fn refusals_have_rocksdbs_words() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path().join("db")).unwrap();
    let create = |name: &Path| rocksdb_text(&Checkpoint::new(&db).create(name, 0).unwrap_err());
    let exists = dir.path().join("db");
    assert_eq!(create(&exists), "Invalid argument: Directory exists");
    assert_eq!(create(Path::new("")), "Invalid argument: invalid checkpoint directory name");
    let missing = create(&dir.path().join("no/such"));
    assert!(missing.starts_with("IO error: No such file or directory: While mkdir: "), "{missing}");
    db.close().unwrap();
    assert!(create(&dir.path().join("new")).starts_with("Shutdown in progress"));
}

#[test]
fn writers_and_flushes_go_on_and_every_checkpoint_is_a_moment() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.write_buffer_size = 16 << 10;
    let (db, families) = open_three(&options, &dir.path().join("db"));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Each round writes the same number into all families in one batch.
            for round in 0u64.. {
                let mut batch = ferrolith::internal::batch::WriteBatch::new();
                for cf in &families {
                    let value = [round.to_be_bytes().as_slice(), &[0; 100]].concat();
                    batch.put_cf(cf.id(), b"round", &value).unwrap();
                    batch.put_cf(cf.id(), &round.to_be_bytes(), &value).unwrap();
                }
                db.write(&wo(), &mut batch).unwrap();
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        for i in 0..8 {
            let copy = dir.path().join(format!("copy{i}"));
            let threshold = [0, u64::MAX, 40 << 10][i % 3];
            let at = Checkpoint::new(&db).create(&copy, threshold).unwrap();
            let (opened, copied) = open_three(&options, &copy);
            assert!(opened.latest_sequence_number() >= at);
            let dumps: Vec<_> = copied.iter().map(|cf| dump_cf(&opened, cf)).collect();
            assert_eq!(dumps[0], dumps[1]);
            assert_eq!(dumps[0], dumps[2]);
            // Rounds are there from the first to the newest.
            for (n, (key, value)) in dumps[0].iter().rev().skip(1).rev().enumerate() {
                assert_eq!(key.as_slice(), (n as u64).to_be_bytes());
                assert_eq!(value[..8], (n as u64).to_be_bytes());
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_power_failure_after_a_checkpoint_loses_nothing_of_it() {
    let fs = MemFs::new();
    let mut options = small();
    options.db.components.file_system = Some(Arc::new(fs.clone()));
    let (db, families) = open_three(&options, Path::new("/db"));
    for i in 0..300 {
        db.put_cf(&wo(), &families[i as usize % 3], &key(i), &[b'v'; 300]).unwrap();
    }
    Checkpoint::new(&db).create("/copy", u64::MAX).unwrap();
    let expected: Vec<_> = families.iter().map(|cf| dump_cf(&db, cf)).collect();
    let after = fs.crash_clone();
    options.db.components.file_system = Some(Arc::new(after));
    let (opened, copied) = open_three(&options, Path::new("/copy"));
    let found: Vec<_> = copied.iter().map(|cf| dump_cf(&opened, cf)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_checkpoint_that_fails_anywhere_leaves_no_directory_and_the_database_as_it_was() {
    let memory = MemFs::new();
    let faults = FaultFs::new(Arc::new(memory.clone()));
    let mut options: Options = small();
    options.db.components.file_system = Some(Arc::new(faults.clone()));
    let (db, families) = open_three(&options, Path::new("/db"));
    for i in 0..30 {
        db.put_cf(&wo(), &families[i as usize % 3], &key(i), b"v").unwrap();
    }
    db.flush(&FlushOptions::default()).unwrap();
    let expected: Vec<_> = families.iter().map(|cf| dump_cf(&db, cf)).collect();
    let mut failures = 0;
    for nth in 0.. {
        let path_contains = "/copy".to_owned();
        faults.inject(Fault { op: None, path_contains, skip: nth, times: 1, kind: FaultKind::Io });
        let made = Checkpoint::new(&db).create("/copy", u64::MAX);
        faults.clear();
        if made.is_ok() {
            break;
        }
        failures += 1;
        if memory.exists(Path::new("/copy")).unwrap() {
            // Only what comes after the rename may have failed: the copy is whole.
            memory.rename(Path::new("/copy"), Path::new("/away")).unwrap();
        }
        assert_eq!(db.property_int("rocksdb.is-file-deletions-enabled"), Some(1));
        db.put(&wo(), b"key000000", b"v").unwrap();
    }
    assert!(failures > 5, "{failures}");
    let (opened, copied) = try_open_three(&options, Path::new("/copy")).unwrap();
    let found: Vec<_> = copied.iter().map(|cf| dump_cf(&opened, cf)).collect();
    assert_eq!(found, expected);
}
