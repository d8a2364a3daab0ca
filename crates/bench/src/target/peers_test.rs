//! One program for all engines that were built in: what the suites rely on, and what a returned write survives.

use super::*;
use std::path::Path;
use std::process::Command;

/// The engines of this build, and ForestDB if the environment names its library.
fn engines() -> Vec<&'static str> {
    let mut all = vec!["ferrolith"];
    all.extend(cfg!(feature = "lmdb").then_some("lmdb"));
    all.extend(cfg!(feature = "fjall").then_some("fjall"));
    all.extend(cfg!(feature = "redb").then_some("redb"));
    all.extend(forestdb::test_library().map(|_| "forestdb"));
    all
}

fn flags(engine: &str, dir: &Path, more: &[&str]) -> Flags {
    let mut args = vec![format!("--engine={engine}"), format!("--db={}", dir.display())];
    args.push("--num=100".to_owned());
    // ForestDB has one cache for all databases of a process.
    args.push("--cache_size=1048576".to_owned());
    if engine == "forestdb" {
        args.extend(forestdb::test_library().map(|path| format!("--engine_lib={path}")));
    }
    args.extend(more.iter().map(|flag| (*flag).to_owned()));
    match crate::flags::parse(&args).unwrap() {
        crate::flags::Parsed::Run(flags, _) => *flags,
        crate::flags::Parsed::Print(text) => panic!("{text}"),
    }
}

fn open(name: &str, dir: &Path, more: &[&str]) -> Arc<dyn Target> {
    engine(&flags(name, dir, more)).unwrap().open().unwrap()
}

fn session(target: &Arc<dyn Target>, write: WriteMode) -> Box<dyn Session + '_> {
    target.session(ReadMode::default(), write).unwrap()
}

fn key(i: u32) -> Vec<u8> {
    format!("key{i:05}").into_bytes()
}

fn all_keys(session: &mut dyn Session) -> Vec<Vec<u8>> {
    session.open_iterator(None, None).unwrap();
    session.seek_to_first();
    let mut keys = Vec::new();
    while session.valid() {
        keys.push(session.key().to_vec());
        session.next();
    }
    session.status().unwrap();
    session.close_iterator();
    keys
}

#[test]
fn every_engine_reads_what_was_written_also_after_it_is_opened_again() {
    for name in engines() {
        let dir = tempfile::tempdir().unwrap();
        {
            let target = open(name, dir.path(), &[]);
            assert!(has_database(dir.path()), "{name}");
            let mut session = session(&target, WriteMode::default());
            for i in 0..10 {
                session.put(&key(i), b"old").unwrap();
                assert_eq!(session.get(&key(i)).unwrap(), Some(&b"old"[..]), "{name}");
            }
            session.delete(&key(0)).unwrap();
            assert_eq!(session.get(&key(0)).unwrap(), None, "{name}");
            for i in 5..15 {
                session.batch_put(&key(i), b"new");
            }
            session.batch_delete(&key(1));
            assert_eq!(session.get(&key(5)).unwrap(), Some(&b"old"[..]), "{name}: not written yet");
            session.batch_write().unwrap();
            session.batch_write().unwrap();
            assert_eq!(session.get(&key(5)).unwrap(), Some(&b"new"[..]), "{name}");
            let keys = [key(2), key(1), key(14)].concat();
            assert_eq!(session.multi_get(&keys, 8).unwrap(), (2, 6), "{name}");
        }
        for more in [&[][..], &["--sync=true"]] {
            let target = open(name, dir.path(), more);
            let mut session = session(&target, WriteMode { sync: true, ..Default::default() });
            assert_eq!(all_keys(&mut *session), (2..15).map(key).collect::<Vec<_>>(), "{name}");
            assert_eq!(session.get(&key(2)).unwrap(), Some(&b"old"[..]), "{name}");
            session.put(b"synced", b"").unwrap();
            assert_eq!(session.get(b"synced").unwrap(), Some(&b""[..]), "{name}");
            session.delete(b"synced").unwrap();
        }
        engine(&flags(name, dir.path(), &[])).unwrap().destroy().unwrap();
        assert!(!has_database(dir.path()), "{name}");
        let target = open(name, dir.path(), &[]);
        assert_eq!(all_keys(&mut *session(&target, WriteMode::default())).len(), 0, "{name}");
    }
}

#[test]
fn iterators_go_both_ways_from_any_key_and_see_one_point_in_time() {
    for name in engines() {
        let dir = tempfile::tempdir().unwrap();
        let target = open(name, dir.path(), &[]);
        let mut session = session(&target, WriteMode::default());
        for i in (0..100).step_by(10) {
            session.put(&key(i), &i.to_le_bytes()).unwrap();
        }
        session.open_iterator(None, None).unwrap();
        assert!(!session.valid(), "{name}: it begins nowhere");
        let mut other = target.session(ReadMode::default(), WriteMode::default()).unwrap();
        // LMDB has one transaction per thread.
        let later = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut writer = target.session(ReadMode::default(), WriteMode::default()).unwrap();
                writer.put(&key(55), b"later").unwrap();
            });
            key(55)
        });
        session.seek(&key(41));
        assert_eq!((session.key(), session.value()), (&key(50)[..], &50u32.to_le_bytes()[..]));
        session.next();
        assert_eq!(session.key(), key(60), "{name}: {later:?} is not in the iterator's view");
        session.prev();
        session.prev();
        assert_eq!(session.key(), key(40), "{name}");
        if name != "lmdb" {
            session.next();
            assert_eq!(session.key(), key(50), "{name}: it turns");
        }
        session.seek(&key(91));
        assert!(!session.valid(), "{name}");
        session.seek_to_last();
        assert_eq!(session.key(), key(90), "{name}");
        session.prev();
        assert_eq!(session.key(), key(80), "{name}");
        session.seek_to_first();
        session.prev();
        assert!(!session.valid(), "{name}");
        session.status().unwrap();
        session.close_iterator();
        if name != "lmdb" {
            assert_eq!(other.get(&key(55)).unwrap(), Some(&b"later"[..]), "{name}");
        }
    }
}

#[test]
fn iterators_keep_to_their_bounds() {
    for name in engines().into_iter().filter(|name| *name != "lmdb") {
        let dir = tempfile::tempdir().unwrap();
        let target = open(name, dir.path(), &[]);
        let mut session = session(&target, WriteMode::default());
        (0..100).for_each(|i| session.put(&key(i), b"v").unwrap());
        session.open_iterator(Some(&key(20)), Some(&key(30))).unwrap();
        session.seek(&key(28));
        session.next();
        assert_eq!(session.key(), key(29), "{name}");
        session.next();
        assert!(!session.valid(), "{name}");
        session.seek_to_last();
        assert_eq!(session.key(), key(29), "{name}");
        session.seek(&key(5));
        assert_eq!(session.key(), key(20), "{name}");
        session.prev();
        assert!(!session.valid(), "{name}");
        for beyond in [key(30), key(31), key(99)] {
            session.seek(&beyond);
            assert!(!session.valid(), "{name}");
        }
        session.status().unwrap();
    }
}

/// Writes, and ends as a process ends that crashes. The test below runs it.
#[test]
#[ignore = "a child process of the next test"]
fn crash() {
    let dir = std::env::var("PEERS_TEST_CRASH").unwrap();
    for name in engines() {
        let target = open(name, &Path::new(&dir).join(name), &[]);
        let mut session = session(&target, WriteMode::default());
        (0..500).for_each(|i| session.put(&key(i), b"v").unwrap());
        (500..600).for_each(|i| session.batch_put(&key(i), b"v"));
        session.batch_write().unwrap();
        // No destructor runs.
        std::mem::forget(session);
        std::mem::forget(target);
    }
    std::process::abort();
}

#[test]
fn returned_writes_survive_a_crash_of_the_process() {
    let dir = tempfile::tempdir().unwrap();
    for name in engines() {
        std::fs::create_dir(dir.path().join(name)).unwrap();
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "target::peers_test::crash", "--ignored"]);
    let output = child.env("PEERS_TEST_CRASH", dir.path()).output().unwrap();
    assert!(!output.status.success(), "it did not crash");
    for name in engines() {
        let target = open(name, &dir.path().join(name), &[]);
        let mut session = session(&target, WriteMode::default());
        let count = all_keys(&mut *session).len();
        assert_eq!(count, 600, "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn maintenance_keeps_all_entries() {
    for name in engines() {
        let dir = tempfile::tempdir().unwrap();
        let target = open(name, dir.path(), &["--write_buffer_size=65536"]);
        {
            let mut session = session(&target, WriteMode::default());
            for i in 0..2000 {
                session.put(&key(i % 700), &[7; 200]).unwrap();
            }
        }
        target.flush().unwrap();
        target.compact(false).unwrap();
        target.wait_for_compaction().unwrap();
        let mut session = session(&target, WriteMode::default());
        assert_eq!(all_keys(&mut *session).len(), 700, "{name}");
        let keys = target.property("rocksdb.estimate-num-keys").unwrap();
        assert!(keys.parse::<u64>().unwrap() >= 700, "{name}: {keys}");
    }
}

#[test]
fn other_threads_see_a_write_at_the_latest_with_their_next_transaction() {
    for name in engines() {
        let dir = tempfile::tempdir().unwrap();
        let more = ["--lmdb_read_txn=call", "--redb_read_txn=call"];
        let target = open(name, dir.path(), &more);
        let mut reader = session(&target, WriteMode::default());
        assert_eq!(reader.get(b"k").unwrap(), None);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                session(&target, WriteMode::default()).put(b"k", b"v").unwrap();
            });
            writer.join().unwrap();
        });
        assert_eq!(reader.get(b"k").unwrap(), Some(&b"v"[..]), "{name}");
    }
}

#[test]
fn what_an_engine_does_not_have_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    for name in engines().into_iter().filter(|name| *name != "ferrolith") {
        let refused = |more: &[&str], expected: &str| {
            let error = engine(&flags(name, dir.path(), more)).err().unwrap();
            assert!(error.contains(expected) && error.contains(name), "{error}");
        };
        refused(&["--readonly"], "--readonly");
        refused(&["--transaction_db"], "--transaction_db");
        refused(&["--options_string=x=1"], "--options_string");
        refused(&["--num_column_families=2"], "--num_column_families");
        refused(&["--expire_style=compaction_filter"], "--expire_style");
        let target = open(name, dir.path(), &[]);
        let mut session = session(&target, WriteMode::default());
        let merge = session.merge(b"k", b"1").unwrap_err();
        assert!(
            merge.to_lowercase().contains(&format!("{name} does not support merges")),
            "{merge}"
        );
        assert!(session.delete_range(b"a", b"b").unwrap_err().contains("only on Ferrolith"));
        assert!(session.transaction(TransactionMode::default()).is_err(), "{name}");
        drop(session);
        let notices =
            engine(&flags(name, dir.path(), &["--compaction_style=1"])).unwrap().notices();
        assert!(notices.iter().any(|line| line.starts_with("--compaction_style: ")), "{notices:?}");
    }
    if cfg!(feature = "fjall") {
        let error = |more: &[&str]| engine(&flags("fjall", dir.path(), more)).err().unwrap();
        assert!(error(&["--compression_type=zstd"]).contains("fjall has none and lz4"));
        assert!(error(&["--block_size=5"]).contains("1024 to 1048576"));
        assert!(error(&["--open_files=3"]).contains("at least 10"));
        let target = open("fjall", dir.path(), &[]);
        let no_log = WriteMode { disable_wal: true, ..Default::default() };
        assert!(target.session(ReadMode::default(), no_log).err().unwrap().contains("disable_wal"));
    }
}

#[test]
fn engines_that_were_not_built_in_are_named_with_their_feature() {
    let dir = tempfile::tempdir().unwrap();
    for (word, built) in [("fjall", cfg!(feature = "fjall")), ("redb", cfg!(feature = "redb"))] {
        match engine(&flags(word, dir.path(), &[])) {
            Ok(engine) => {
                assert!(built);
                let name = engine.name();
                let version = name.split(&[' ', ';'][..]).nth(1).unwrap();
                assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{name}");
            }
            Err(error) => {
                assert!(!built && error.contains(&format!("--features {word}")), "{error}")
            }
        }
    }
}
