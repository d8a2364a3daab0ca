//! Ingestion: what counts afterwards, what snapshots see, and that failures change nothing.

use crate::support::{dump, dump_cf, open_three, option_sets, ro, small, temp_dir, wo};
use ferrolith::internal::db::{Db, IngestExternalFileArg};
use ferrolith::internal::external::SstFileWriter;
use ferrolith::internal::fs::FileSystem;
use ferrolith::internal::fs::fault::{Fault, FaultFs, FaultKind};
use ferrolith::internal::fs::mem::MemFs;
use ferrolith::internal::hooks::{EventDb, EventListener, ExternalFileIngestionInfo, FlushJobInfo};
use ferrolith::internal::options::{
    CompactRangeOptions, CompactionStyle, FlushOptions, IngestExternalFileOptions, Options,
    ReadOptions, WriteOptions,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

fn key(i: u32) -> Vec<u8> {
    format!("key{i:06}").into_bytes()
}

/// A file of ours with these entries; `None` deletes.
fn table(options: &Options, path: &Path, entries: &[(Vec<u8>, Option<Vec<u8>>)]) -> PathBuf {
    let mut writer = SstFileWriter::new(options);
    writer.open(path).unwrap();
    for (key, value) in entries {
        match value {
            Some(value) => writer.put(key, value).unwrap(),
            None => writer.delete(key).unwrap(),
        }
    }
    writer.finish().unwrap();
    path.to_owned()
}

fn of(keys: std::ops::Range<u32>, value: &[u8]) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    keys.map(|i| (key(i), Some(value.to_vec()))).collect()
}

fn levels(db: &Db) -> Vec<usize> {
    db.live_files_metadata().iter().map(|f| f.level).collect()
}

#[test]
fn ingested_keys_replace_older_ones_and_are_replaced_by_newer_ones() {
    let dir = temp_dir();
    let options = small();
    let db = Db::open(&options, dir.path().join("db")).unwrap();
    db.put(&wo(), &key(1), b"in a table").unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    db.put(&wo(), &key(2), b"in the memtable").unwrap();
    let mut entries = of(0..5, b"ingested");
    entries[3].1 = None;
    db.put(&wo(), &key(3), b"deleted").unwrap();
    let file = table(&options, &dir.path().join("a.sst"), &entries);
    let before = db.latest_sequence_number();
    db.ingest_external_file(&[&file], &IngestExternalFileOptions::default()).unwrap();
    assert_eq!(db.latest_sequence_number(), before + 1);
    assert!(file.exists(), "it was copied");
    db.put(&wo(), &key(4), b"newer").unwrap();
    let expected = |db: &Db| {
        let value = |i: u32| db.get(&ro(), &key(i)).unwrap();
        assert_eq!(value(0).unwrap(), b"ingested");
        assert_eq!(value(1).unwrap(), b"ingested");
        assert_eq!(value(2).unwrap(), b"ingested");
        assert_eq!(value(3), None);
        assert_eq!(value(4).unwrap(), b"newer");
        assert_eq!(dump(db).len(), 4);
    };
    expected(&db);
    db.close().unwrap();
    let db = Db::open(&options, dir.path().join("db")).unwrap();
    expected(&db);
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    expected(&db);
}

#[test]
fn a_file_that_overlaps_nothing_goes_to_the_last_level_without_a_number() {
    let dir = temp_dir();
    let options = small();
    let db = Db::open(&options, dir.path().join("db")).unwrap();
    db.put(&wo(), b"a", b"1").unwrap();
    db.put(&wo(), b"z", b"1").unwrap();
    let file = table(&options, &dir.path().join("a.sst"), &of(0..100, b"v"));
    let move_files = IngestExternalFileOptions {
        move_files: true,
        allow_global_seqno: false,
        allow_blocking_flush: false,
        fail_if_not_bottommost_level: true,
        verify_checksums_before_ingest: true,
        ..IngestExternalFileOptions::default()
    };
    db.ingest_external_file(&[&file], &move_files).unwrap();
    assert!(!file.exists(), "it was moved");
    assert_eq!(db.latest_sequence_number(), 2);
    assert_eq!(levels(&db), [6]);
    assert_eq!(db.live_files_metadata()[0].largest_seqno, 0);
    assert_eq!(dump(&db).len(), 102);
    let again = table(&options, &dir.path().join("b.sst"), &of(200..300, b"v"));
    let link = IngestExternalFileOptions { link_files: true, move_files: false, ..move_files };
    db.ingest_external_file(&[&again], &link).unwrap();
    assert!(again.exists(), "it has two names");
    assert_eq!(dump(&db).len(), 202);
}

#[test]
fn snapshots_see_what_was_there_before() {
    for consistent in [true, false] {
        let dir = temp_dir();
        let options = small();
        let db = Db::open(&options, dir.path().join("db")).unwrap();
        db.put(&wo(), &key(0), b"old").unwrap();
        let snapshot = db.snapshot();
        let at = ReadOptions { snapshot: Some(snapshot.sequence()), ..ro() };
        let mut iter = db.iter(&ro()).unwrap();
        let replaces = table(&options, &dir.path().join("a.sst"), &of(0..1, b"new"));
        let adds = table(&options, &dir.path().join("b.sst"), &of(5..9, b"new"));
        let how =
            IngestExternalFileOptions { snapshot_consistency: consistent, ..Default::default() };
        db.ingest_external_file(&[&replaces, &adds], &how).unwrap();
        assert_eq!(db.get(&at, &key(0)).unwrap().unwrap(), b"old");
        assert_eq!(db.get(&at, &key(5)).unwrap().is_none(), consistent);
        assert_eq!(db.get(&ro(), &key(5)).unwrap().unwrap(), b"new");
        iter.seek_to_first();
        assert_eq!((iter.key(), iter.value()), (&key(0)[..], &b"old"[..]));
        iter.next();
        assert!(!iter.valid(), "an iterator keeps what it began with");
        db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
        assert_eq!(db.get(&at, &key(0)).unwrap().unwrap(), b"old");
        assert_eq!(db.get(&at, &key(5)).unwrap().is_none(), consistent);
    }
}

#[test]
fn several_families_get_all_or_nothing() {
    let dir = temp_dir();
    let options = small();
    let (db, families) = open_three(&options, &dir.path().join("db"));
    for cf in &families {
        db.put_cf(&wo(), cf, &key(1), b"old").unwrap();
    }
    let file = |name: &str, value: &[u8]| table(&options, &dir.path().join(name), &of(0..3, value));
    let arg = |i: usize, files: Vec<PathBuf>| IngestExternalFileArg {
        column_family: families[i].clone(),
        external_files: files,
        options: IngestExternalFileOptions::default(),
    };
    let bad = [arg(0, vec![file("a", b"a")]), arg(1, vec![dir.path().join("missing")])];
    assert!(db.ingest_external_files(&bad).is_err());
    assert_eq!(dump(&db).len(), 1);
    let twice = [arg(0, vec![file("a", b"a")]), arg(0, vec![file("b", b"b")])];
    let error = db.ingest_external_files(&twice).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Invalid argument: ingestion args have duplicate column families"
    );
    let error = db.ingest_external_files(&[]).unwrap_err();
    assert_eq!(error.to_string(), "Invalid argument: ingestion arg list is empty");
    let error = db.ingest_external_files(&[arg(1, vec![])]).unwrap_err();
    assert_eq!(error.to_string(), "Invalid argument: external_files[0] is empty");

    let good = [arg(0, vec![file("a", b"a"), file("b", b"b")]), arg(2, vec![file("c", b"c")])];
    let before = db.latest_sequence_number();
    db.ingest_external_files(&good).unwrap();
    assert_eq!(db.latest_sequence_number(), before + 2);
    let all = |value: &[u8]| (0..3).map(|i| (key(i), value.to_vec())).collect::<Vec<_>>();
    assert_eq!(dump_cf(&db, &families[0]), all(b"b"), "the later file counts");
    assert_eq!(dump_cf(&db, &families[1]), [(key(1), b"old".to_vec())]);
    assert_eq!(dump_cf(&db, &families[2]), all(b"c"));
    db.drop_cf(&families[2]).unwrap();
    let error = db.ingest_external_files(&[arg(2, vec![file("d", b"d")])]).unwrap_err();
    let dropped = "Column family dropped: column family \"two\" was dropped";
    assert_eq!(error.to_string(), dropped);
}

#[test]
fn refusals_leave_no_file_behind() {
    let dir = temp_dir();
    let options = small();
    let db = Db::open(&options, dir.path().join("db")).unwrap();
    db.put(&wo(), &key(1), b"old").unwrap();
    let file = table(&options, &dir.path().join("a.sst"), &of(0..3, b"new"));
    let default = IngestExternalFileOptions::default();
    let refused = |options| db.ingest_external_file(&[&file], &options).unwrap_err().to_string();
    assert_eq!(
        refused(IngestExternalFileOptions { allow_blocking_flush: false, ..default }),
        "Invalid argument: External file requires flush"
    );
    assert_eq!(
        refused(IngestExternalFileOptions { allow_global_seqno: false, ..default }),
        "Invalid argument: Global seqno is required, but disabled"
    );
    assert_eq!(
        refused(IngestExternalFileOptions { ingest_behind: true, ..default }),
        "Invalid argument: Can't ingest_behind file in ColumnFamily default with \
         cf_allow_ingest_behind=false"
    );
    assert_eq!(
        refused(IngestExternalFileOptions { move_files: true, link_files: true, ..default }),
        "Invalid argument: `move_files` and `link_files` can not both be true."
    );
    assert!(
        refused(IngestExternalFileOptions { write_global_seqno: true, ..default })
            .starts_with("Not implemented: ")
    );
    // The second refusal came after the flush.
    let tables = db.live_files_metadata().len();
    let names = std::fs::read_dir(dir.path().join("db")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.ends_with(".sst")).count(), tables);
    assert!(file.exists());
    db.put(&wo(), &key(2), b"goes on").unwrap();
    assert_eq!(dump(&db).len(), 2);
}

#[test]
fn every_option_set_agrees_with_a_model() {
    for (name, options) in option_sets() {
        let dir = temp_dir();
        let db = Db::open(&options, dir.path().join("db")).unwrap();
        let mut model = BTreeMap::new();
        let mut rng = fastrand::Rng::with_seed(7);
        for round in 0..40u32 {
            let value = format!("round {round}").into_bytes();
            if round % 3 == 0 {
                let mut chosen: Vec<u32> = (0..30).map(|_| rng.u32(..400)).collect();
                chosen.sort_unstable();
                chosen.dedup();
                let entries: Vec<_> = chosen
                    .iter()
                    .map(|&i| (key(i), (rng.u32(..4) > 0).then(|| value.clone())))
                    .collect();
                let file = table(&options, &dir.path().join(format!("{round}.sst")), &entries);
                let how = IngestExternalFileOptions { move_files: true, ..Default::default() };
                db.ingest_external_file(&[file], &how).unwrap();
                for (key, value) in entries {
                    match value {
                        Some(value) => model.insert(key, value),
                        None => model.remove(&key),
                    };
                }
            } else {
                for _ in 0..40 {
                    let key = key(rng.u32(..400));
                    if rng.u32(..5) == 0 {
                        db.delete(&wo(), &key).unwrap();
                        model.remove(&key);
                    } else {
                        db.put(&wo(), &key, &value).unwrap();
                        model.insert(key, value.clone());
                    }
                }
            }
            if round % 11 == 5 {
                db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
            }
            let expected: Vec<_> = model.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
            assert_eq!(dump(&db), expected, "{name}, round {round}");
            for i in (0..400).step_by(7) {
                let found = db.get(&ro(), &key(i)).unwrap();
                assert_eq!(found.as_ref(), model.get(&key(i)), "{name}, round {round}, {i}");
            }
        }
    }
}

#[test]
fn range_tombstones_of_files_delete_what_is_older_and_nothing_of_their_file() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.disable_auto_compactions = true;
    let db = Db::open(&options, dir.path().join("db")).unwrap();
    let mut model = BTreeMap::new();
    let mut rng = fastrand::Rng::with_seed(11);
    for round in 0..60u32 {
        let value = format!("round {round}").into_bytes();
        let mut range = || {
            let (a, b) = (rng.u32(..300), rng.u32(..300));
            (key(a.min(b)), key(a.max(b).min(a.min(b) + 60)))
        };
        let (begin, end) = range();
        let deleted: Vec<_> =
            model.range(begin.clone()..end.clone()).map(|(k, _)| k).cloned().collect();
        match round % 4 {
            0 => {
                deleted.iter().for_each(|key| drop(model.remove(key)));
                db.delete_range(&wo(), &begin, &end).unwrap();
            }
            1 => {
                for _ in 0..60 {
                    let key = key(rng.u32(..300));
                    db.put(&wo(), &key, &value).unwrap();
                    model.insert(key, value.clone());
                }
            }
            _ => {
                // A tombstone alone, or with keys inside and outside of it.
                deleted.iter().for_each(|key| drop(model.remove(key)));
                let mut keys: Vec<u32> = (0..rng.u32(..12)).map(|_| rng.u32(..300)).collect();
                keys.sort_unstable();
                keys.dedup();
                let path = dir.path().join("a.sst");
                let mut writer = SstFileWriter::new(&options);
                writer.open(&path).unwrap();
                writer.delete_range(&begin, &end).unwrap();
                for i in keys {
                    writer.put(&key(i), &value).unwrap();
                    model.insert(key(i), value.clone());
                }
                match writer.finish() {
                    Ok(info) => {
                        assert_eq!(info.num_range_del_entries, u64::from(begin < end));
                        let how = IngestExternalFileOptions::default();
                        db.ingest_external_file(&[&path], &how).unwrap();
                    }
                    Err(e) => {
                        assert_eq!((begin, e.code()), (end, ferrolith::Code::InvalidArgument))
                    }
                }
            }
        }
        match round % 13 {
            4 => db.flush(&FlushOptions::default()).unwrap(),
            9 => db.compact_range(&CompactRangeOptions::default(), None, None).unwrap(),
            _ => {}
        }
        let expected: Vec<_> = model.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        assert_eq!(dump(&db), expected, "round {round}");
        for i in 0..300 {
            let found = db.get(&ro(), &key(i)).unwrap();
            assert_eq!(found.as_ref(), model.get(&key(i)), "round {round}, {i}");
        }
    }
    db.close().unwrap();
    let db = Db::open(&options, dir.path().join("db")).unwrap();
    let expected: Vec<_> = model.into_iter().collect();
    assert_eq!(dump(&db), expected);
    let export = ferrolith::internal::db::Checkpoint::new(&db)
        .export_column_family(&db.default_cf(), dir.path().join("x"))
        .unwrap();
    let how = Default::default();
    let cf = db.create_cf_with_import("copy", &options.cf, &how, &[&export]).unwrap();
    assert_eq!(dump_cf(&db, &cf), expected);
}

#[test]
fn a_snapshot_does_not_see_a_range_tombstone_that_was_ingested() {
    let dir = temp_dir();
    let options = small();
    let db = Db::open(&options, dir.path().join("db")).unwrap();
    db.put(&wo(), &key(5), b"old").unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    db.put(&wo(), &key(6), b"old").unwrap();
    let snapshot = db.snapshot();
    let path = dir.path().join("a.sst");
    let mut writer = SstFileWriter::new(&options);
    writer.open(&path).unwrap();
    writer.delete_range(&key(0), &key(9)).unwrap();
    writer.finish().unwrap();
    db.ingest_external_file(&[&path], &IngestExternalFileOptions::default()).unwrap();
    let file = db.live_files_metadata().into_iter().find(|f| f.num_deletions == 1).unwrap();
    assert_eq!((file.smallest_key, file.largest_key), (key(0), key(9)));
    assert!(dump(&db).is_empty());
    let at = ReadOptions { snapshot: Some(snapshot.sequence()), ..ro() };
    assert_eq!(db.get(&at, &key(5)).unwrap().unwrap(), b"old");
    assert_eq!(db.get(&at, &key(6)).unwrap().unwrap(), b"old");
    db.put(&wo(), &key(9), b"new").unwrap();
    assert_eq!(dump(&db).len(), 1);
}

#[test]
fn merges_meet_operands_and_values_of_ingested_files() {
    let dir = temp_dir();
    let options = small();
    let db = Db::open(&options, dir.path().join("db")).unwrap();
    db.merge(&wo(), b"a", b"1").unwrap();
    let mut writer = SstFileWriter::new(&options);
    let file = dir.path().join("a.sst");
    writer.open(&file).unwrap();
    writer.merge(b"a", b"2").unwrap();
    writer.finish().unwrap();
    db.ingest_external_file(&[&file], &IngestExternalFileOptions::default()).unwrap();
    db.merge(&wo(), b"a", b"3").unwrap();
    assert_eq!(db.get(&ro(), b"a").unwrap().unwrap(), b"1,2,3");
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert_eq!(db.get(&ro(), b"a").unwrap().unwrap(), b"1,2,3");
}

#[test]
fn writers_go_on_and_readers_see_a_file_as_a_whole() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.write_buffer_size = 16 << 10;
    let db = Db::open(&options, dir.path().join("db")).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..2u32 {
            let (db, stop) = (&db, &stop);
            scope.spawn(move || {
                // Keys between those that are ingested, some synced.
                for i in 0u32.. {
                    let key = format!("key{:06}-{thread}", i % 200).into_bytes();
                    let sync = WriteOptions { sync: i % 50 == 0, ..wo() };
                    db.put(&sync, &key, &i.to_be_bytes()).unwrap();
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let snapshot = db.snapshot();
                let at = ReadOptions { snapshot: Some(snapshot.sequence()), ..ro() };
                let first = db.get(&at, &key(0)).unwrap();
                for i in 1..200 {
                    assert_eq!(db.get(&at, &key(i)).unwrap(), first, "key {i}");
                }
            }
        });
        for round in 0..30u32 {
            let file = dir.path().join(format!("{round}.sst"));
            let file = table(&options, &file, &of(0..200, &round.to_be_bytes()));
            let how = IngestExternalFileOptions { move_files: true, ..Default::default() };
            db.ingest_external_file(&[file], &how).unwrap();
            assert_eq!(db.get(&ro(), &key(7)).unwrap().unwrap(), round.to_be_bytes());
        }
        stop.store(true, Ordering::Relaxed);
    });
    db.wait_for_compact().unwrap();
    for i in 0..200 {
        assert_eq!(db.get(&ro(), &key(i)).unwrap().unwrap(), 29u32.to_be_bytes());
    }
}

/// A database in memory with an older and a newer version of what a file holds.
fn in_memory(fs: &Arc<dyn FileSystem>) -> (Options, Db, PathBuf) {
    let mut options = small();
    options.db.components.file_system = Some(Arc::clone(fs));
    let db = Db::open(&options, "/db").unwrap();
    db.put(&WriteOptions { sync: true, ..wo() }, &key(1), b"old").unwrap();
    fs.create_dir_if_missing(Path::new("/out")).unwrap();
    let file = table(&options, Path::new("/out/a.sst"), &of(0..3, b"new"));
    fs.sync_dir(Path::new("/out")).unwrap();
    (options, db, file)
}

#[test]
fn a_power_failure_at_any_moment_leaves_all_of_a_file_or_nothing() {
    for move_files in [false, true] {
        let how = IngestExternalFileOptions { move_files, ..Default::default() };
        for nth in 0.. {
            let memory = MemFs::new();
            let faults = FaultFs::new(Arc::new(memory.clone()));
            let fs: Arc<dyn FileSystem> = Arc::new(faults.clone());
            let (mut options, db, file) = in_memory(&fs);
            faults.inject(Fault::writes_stop(nth, FaultKind::Io));
            let result = db.ingest_external_file(&[&file], &how);
            let after = memory.crash_clone();
            faults.clear();
            options.db.components.file_system = Some(Arc::new(after.clone()));
            let opened = Db::open(&options, "/db").unwrap();
            let found = dump(&opened);
            let old = [(key(1), b"old".to_vec())];
            let new = [0, 1, 2].map(|i| (key(i), b"new".to_vec()));
            if result.is_ok() {
                assert_eq!(found, new, "{move_files} {nth}");
            } else {
                assert!(found == old || found == new, "{move_files} {nth}: {found:?}");
                let kept = after.read_file(&file).is_ok();
                assert!(kept, "{move_files} {nth}: the user's file is gone");
            }
            opened.put(&wo(), &key(2), b"newest").unwrap();
            assert_eq!(opened.get(&ro(), &key(2)).unwrap().unwrap(), b"newest");
            if result.is_ok() && nth > 60 {
                break;
            }
        }
    }
}

#[test]
fn after_one_failed_operation_the_database_goes_on_and_the_next_try_succeeds() {
    let mut failures = 0;
    for nth in 0.. {
        let memory = MemFs::new();
        let faults = FaultFs::new(Arc::new(memory.clone()));
        let fs: Arc<dyn FileSystem> = Arc::new(faults.clone());
        let (options, db, file) = in_memory(&fs);
        faults.inject(Fault {
            op: None,
            path_contains: "/db".to_owned(),
            skip: nth,
            times: 1,
            kind: FaultKind::Io,
        });
        let result = db.ingest_external_file(&[&file], &IngestExternalFileOptions::default());
        faults.clear();
        let failed = result.is_err();
        failures += u32::from(failed);
        let mut db = db;
        if failed {
            let found = db.get(&ro(), &key(1)).unwrap().unwrap();
            assert_eq!(found, b"old", "{nth}");
            if db.resume().is_err() {
                // A log whose end is unknown: only opening it again helps.
                let _ = db.close();
                db = Db::open(&options, "/db").unwrap();
                assert_eq!(dump(&db), [(key(1), b"old".to_vec())], "{nth}");
            }
            db.ingest_external_file(&[&file], &IngestExternalFileOptions::default()).unwrap();
        }
        db.put(&wo(), &key(2), b"newest").unwrap();
        let expected =
            [(key(0), b"new".to_vec()), (key(1), b"new".to_vec()), (key(2), b"newest".to_vec())];
        assert_eq!(dump(&db), expected, "{nth}");
        db.close().unwrap();
        let db = Db::open(&options, "/db").unwrap();
        assert_eq!(dump(&db), expected, "{nth}");
        if !failed && nth > 25 {
            break;
        }
    }
    assert!(failures > 8, "{failures}");
}

/// Writes while a flush begins, and keeps what it is told of files.
#[derive(Default)]
struct Busy(Mutex<Vec<ExternalFileIngestionInfo>>);

impl EventListener for Busy {
    fn on_flush_begin(&self, db: EventDb<'_>, _: &FlushJobInfo) {
        let db = Db::of_event(db).expect("a handle");
        db.put(&wo(), &key(1000), b"from a listener").unwrap();
    }
    fn on_external_file_ingested(&self, db: EventDb<'_>, info: &ExternalFileIngestionInfo) {
        let db = Db::of_event(db).expect("a handle");
        assert_eq!(db.get(&ro(), &key(1)).unwrap().unwrap(), b"new");
        self.0.lock().unwrap().push(info.clone());
    }
}

#[test]
fn listeners_are_told_and_may_write_while_memtables_are_flushed() {
    let dir = temp_dir();
    let mut options = small();
    let busy = Arc::new(Busy::default());
    options.db.components.listeners.push(Arc::clone(&busy) as Arc<dyn EventListener>);
    let db = Db::open(&options, dir.path().join("db")).unwrap();
    db.put(&wo(), &key(1), b"old").unwrap();
    let file = table(&options, &dir.path().join("a.sst"), &of(0..3, b"new"));
    db.ingest_external_file(&[&file], &IngestExternalFileOptions::default()).unwrap();
    let told = busy.0.lock().unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].cf_name.as_str(), &told[0].external_file_path), ("default", &file));
    assert_eq!(told[0].global_seqno, db.latest_sequence_number());
    assert_eq!(told[0].table_properties.num_entries, 3);
    let inside = &db.live_files_metadata().into_iter().find(|f| f.num_entries == 3).unwrap();
    assert_eq!(told[0].internal_file_path, inside.path());
}

#[test]
fn behind_everything_means_that_what_is_there_counts() {
    for style in [CompactionStyle::Universal, CompactionStyle::Level] {
        let dir = temp_dir();
        let mut options = small();
        options.db.allow_ingest_behind = true;
        options.cf.compaction_style = style;
        options.cf.num_levels = 4;
        let db = Db::open(&options, dir.path().join("db")).unwrap();
        let behind = IngestExternalFileOptions { ingest_behind: true, ..Default::default() };
        let mut model = BTreeMap::new();
        for round in 0..6u32 {
            for i in (round * 7..600).step_by(13) {
                db.put(&wo(), &key(i), &[&round.to_be_bytes()[..], &[b'v'; 90]].concat()).unwrap();
                model.insert(i, Some([&round.to_be_bytes()[..], &[b'v'; 90]].concat()));
            }
            for i in (round..600).step_by(29) {
                db.delete(&wo(), &key(i)).unwrap();
                model.insert(i, None);
            }
            db.flush(&FlushOptions::default()).unwrap();
        }
        db.delete_range(&wo(), &key(500), &key(520)).unwrap();
        model.extend((500..520).map(|i| (i, None)));
        // The tombstones must survive although nothing lies below them yet.
        let force = CompactRangeOptions {
            bottommost_level_compaction:
                ferrolith::internal::options::BottommostLevelCompaction::Force,
            ..Default::default()
        };
        db.compact_range(&force, None, None).unwrap();
        assert!(db.live_files_metadata().iter().all(|f| f.level < 3), "{style:?}");
        let first = table(&options, &dir.path().join("a.sst"), &of(0..300, b"behind"));
        db.ingest_external_file(&[first], &behind).unwrap();
        assert!(levels(&db).contains(&3), "{style:?}: {:?}", levels(&db));
        let expected = |to: u32| -> Vec<_> {
            let old = |i: u32| (i < to).then(|| b"behind".to_vec());
            let now = |i: u32| model.get(&i).cloned().unwrap_or_else(|| old(i));
            (0..600).filter_map(|i| Some((key(i), now(i)?))).collect()
        };
        assert_eq!(dump(&db), expected(300), "{style:?}");
        // The last level is left alone, so more fits beside.
        db.compact_range(&force, None, None).unwrap();
        assert_eq!(levels(&db).iter().filter(|l| **l == 3).count(), 1, "{style:?}");
        let overlaps = table(&options, &dir.path().join("b.sst"), &of(299..300, b"behind"));
        let error = db.ingest_external_file(&[overlaps], &behind).unwrap_err();
        assert!(error.message().ends_with("fit at the last level!"), "{error}");
        let second = table(&options, &dir.path().join("c.sst"), &of(300..600, b"behind"));
        db.ingest_external_file(&[second], &behind).unwrap();
        assert_eq!(dump(&db), expected(600), "{style:?}");
        db.compact_range(&force, None, None).unwrap();
        db.close().unwrap();
        let db = Db::open(&options, dir.path().join("db")).unwrap();
        assert_eq!(dump(&db), expected(600), "{style:?}");
        let normal = table(&options, &dir.path().join("d.sst"), &of(0..600, b"new"));
        db.ingest_external_file(&[normal], &IngestExternalFileOptions::default()).unwrap();
        assert_eq!(dump(&db).len(), 600);
        assert_eq!(db.get(&ro(), &key(13)).unwrap().unwrap(), b"new");
    }
}

#[test]
fn universal_and_fifo_families_take_files_while_they_are_compacted() {
    for style in [CompactionStyle::Universal, CompactionStyle::Fifo] {
        let dir = temp_dir();
        let mut options = small();
        options.cf.compaction_style = style;
        options.cf.write_buffer_size = 16 << 10;
        options.cf.level0_file_num_compaction_trigger = 2;
        options.cf.compaction_options_fifo.allow_compaction = style == CompactionStyle::Fifo;
        let db = Db::open(&options, dir.path().join("db")).unwrap();
        let mut model = BTreeMap::new();
        for round in 0..60u32 {
            for i in (round % 5..400).step_by(7) {
                let value = [&round.to_be_bytes()[..], &[b'v'; 40]].concat();
                db.put(&wo(), &key(i), &value).unwrap();
                model.insert(key(i), value);
            }
            let range = (round * 31 % 380)..(round * 31 % 380 + 20);
            let entries = of(range, &round.to_be_bytes());
            let file = table(&options, &dir.path().join(format!("{round}.sst")), &entries);
            let how = IngestExternalFileOptions { move_files: true, ..Default::default() };
            db.ingest_external_file(&[file], &how).unwrap();
            model.extend(entries.into_iter().filter_map(|(k, v)| Some((k, v?))));
        }
        db.wait_for_compact().unwrap();
        let expected: Vec<_> = model.into_iter().collect();
        assert_eq!(dump(&db), expected, "{style:?}");
        db.close().unwrap();
        let db = Db::open(&options, dir.path().join("db")).unwrap();
        assert_eq!(dump(&db), expected, "{style:?}");
    }
}
