//! Recovery: what a crash leaves is opened with every acknowledged write and no half batch.

use super::support::{dump, dump_cf, open_three, ro, small, temp_dir, with_cf, wo};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{FlushOptions, Options, WalRecoveryMode};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Copies a database directory as it is: what `kill -9` leaves. Again where files came or went
/// meanwhile, since such a copy is of no moment.
fn copy(from: &Path) -> tempfile::TempDir {
    let names = || -> BTreeSet<_> {
        std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    loop {
        let (to, before) = (temp_dir(), names());
        let copied = before
            .iter()
            .filter(|name| *name != "LOCK")
            .all(|name| std::fs::copy(from.join(name), to.path().join(name)).is_ok());
        if copied && names() == before {
            return to;
        }
    }
}

fn newest(dir: &Path, ending: &str) -> PathBuf {
    let names = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    names.filter(|p| p.to_string_lossy().ends_with(ending)).max().expect(ending)
}

#[test]
fn a_copy_of_a_live_directory_has_every_write() {
    let dir = temp_dir();
    let options = small();
    let db = Db::open(&options, dir.path()).unwrap();
    for round in 0..5u32 {
        for i in 0..700u32 {
            db.put(&wo(), &i.to_be_bytes(), &[round as u8; 40]).unwrap();
        }
        let crashed = copy(dir.path());
        let again = Db::open(&options, crashed.path()).unwrap();
        assert_eq!(dump(&again), dump(&db), "round {round}");
    }
}

#[test]
fn recovery_without_a_flush_keeps_the_wals() {
    let dir = temp_dir();
    let mut options = with_cf(&small(), |cf| cf.write_buffer_size = 4 << 20);
    options.db.avoid_flush_during_recovery = true;
    for round in 0..4u32 {
        let db = Db::open(&options, dir.path()).unwrap();
        assert_eq!(dump(&db).len() as u32, round * 100);
        assert_eq!(db.property("rocksdb.num-files-at-level0").as_deref(), Some("0"));
        for i in 0..100u32 {
            db.put(&wo(), &(round * 100 + i).to_be_bytes(), b"v").unwrap();
        }
    }
    let db = Db::open(&options, dir.path()).unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    assert_eq!(dump(&db).len(), 400);
}

/// What recovery wrote into a table must not be merged again from a WAL that was kept.
#[test]
fn recovery_merges_once_whatever_it_keeps() {
    let dir = temp_dir();
    let mut options = with_cf(&small(), |cf| cf.write_buffer_size = 4 << 20);
    options.db.avoid_flush_during_recovery = true;
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..9000u32 {
        db.merge(&wo(), &(i % 700).to_be_bytes(), &[b'a' + (i % 26) as u8; 8]).unwrap();
    }
    let expected = dump(&db);
    let mut crashed = copy(dir.path());
    for _ in 0..3 {
        // Memtables so small that the WAL does not fit into one.
        options.cf.write_buffer_size = 64 << 10;
        let again = Db::open(&options, crashed.path()).unwrap();
        assert_eq!(dump(&again), expected);
        crashed = copy(crashed.path());
    }
}

/// A WAL cut at every place gives a prefix of the batches, whole ones only.
#[test]
fn a_torn_wal_gives_whole_batches() {
    let dir = temp_dir();
    let options = with_cf(&small(), |cf| cf.write_buffer_size = 4 << 20);
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..40u32 {
        let mut batch = WriteBatch::new();
        for part in 0..3u8 {
            let key = [&i.to_be_bytes()[..], &[part]].concat();
            batch.put(&key, &vec![part; (i as usize * 97) % 2000]).unwrap();
        }
        db.write(&wo(), &mut batch).unwrap();
    }
    let crashed = copy(dir.path());
    drop(db);
    let wal = newest(crashed.path(), ".log");
    let bytes = std::fs::read(&wal).unwrap();
    let used = bytes.iter().rposition(|&b| b != 0).unwrap() + 1;
    let mut seen = Vec::new();
    for cut in (0..used).rev().step_by(3989).chain([5]) {
        let torn = copy(crashed.path());
        std::fs::write(newest(torn.path(), ".log"), &bytes[..cut]).unwrap();
        let db = Db::open(&options, torn.path()).unwrap();
        let entries = dump(&db);
        assert_eq!(entries.len() % 3, 0, "half a batch after a cut at {cut}");
        let last =
            entries.last().map_or(0, |(k, _)| u32::from_be_bytes(k[..4].try_into().unwrap()) + 1);
        assert_eq!(entries.len() as u32, last * 3, "a hole after a cut at {cut}");
        seen.push(entries.len());
    }
    assert!(seen.windows(2).all(|w| w[1] <= w[0]), "a shorter log gave more");
    assert_eq!(*seen.last().unwrap(), 0);
}

#[test]
fn the_recovery_mode_decides_about_damage() {
    let dir = temp_dir();
    let options = small();
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..10u8 {
        db.put(&wo(), &[i], b"value").unwrap();
    }
    let crashed = copy(dir.path());
    drop(db);
    let wal = newest(crashed.path(), ".log");
    let mut bytes = std::fs::read(&wal).unwrap();
    let used = bytes.iter().rposition(|&b| b != 0).unwrap() + 1;
    bytes[used / 2] ^= 1;
    let open = |mode| {
        let damaged = copy(crashed.path());
        std::fs::write(newest(damaged.path(), ".log"), &bytes).unwrap();
        let mut options: Options = small();
        options.db.wal_recovery_mode = mode;
        Db::open(&options, damaged.path()).map(|db| dump(&db).len())
    };
    let point_in_time = open(WalRecoveryMode::PointInTimeRecovery).unwrap();
    assert!((3..7).contains(&point_in_time), "{point_in_time}");
    let e = open(WalRecoveryMode::AbsoluteConsistency).unwrap_err();
    assert!(e.is_corruption() && e.message().contains(".log"), "{e}");
    assert!(open(WalRecoveryMode::TolerateCorruptedTailRecords).is_err());
    assert_eq!(open(WalRecoveryMode::SkipAnyCorruptedRecords).unwrap(), point_in_time);
}

#[test]
fn families_recover_to_one_point_in_time() {
    let dir = temp_dir();
    let options = small();
    let (db, cfs) = open_three(&options, dir.path());
    for i in 0..500u32 {
        let mut batch = WriteBatch::new();
        for cf in &cfs {
            batch.put_cf(cf.id(), &i.to_be_bytes(), &[0; 50]).unwrap();
        }
        db.write(&wo(), &mut batch).unwrap();
        if i == 250 {
            db.flush_cf(&FlushOptions::default(), &cfs[1]).unwrap();
        }
    }
    let crashed = copy(dir.path());
    drop((db, cfs));
    let (db, cfs) = open_three(&options, crashed.path());
    for cf in &cfs {
        assert_eq!(dump_cf(&db, cf).len(), 500, "{}", cf.name());
    }
    assert!(db.get(&ro(), &499u32.to_be_bytes()).unwrap().is_some());
}

#[test]
fn wals_live_in_their_own_directory_and_can_be_archived() {
    let dir = temp_dir();
    let wals = temp_dir();
    let mut options = small();
    options.db.wal_dir = wals.path().to_owned();
    options.db.wal_ttl_seconds = 3600;
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..5000u32 {
        db.put(&wo(), &i.to_be_bytes(), &[1; 100]).unwrap();
    }
    db.flush(&FlushOptions::default()).unwrap();
    assert!(newest(wals.path(), ".log").exists());
    assert!(newest(&wals.path().join("archive"), ".log").exists());
    let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(names.iter().all(|p| p.extension().is_none_or(|e| e != "log")), "{names:?}");
    drop(db);
    assert_eq!(dump(&Db::open(&options, dir.path()).unwrap()).len(), 5000);
}

#[test]
fn what_opening_leaves_of_tables_the_background_reads() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.disable_auto_compactions = true;
    let db = Db::open(&options, dir.path()).unwrap();
    for table in 0..6u32 {
        for i in 0..500u32 {
            db.put(&wo(), &(table * 500 + i).to_be_bytes(), b"value").unwrap();
        }
        db.flush(&FlushOptions::default()).unwrap();
    }
    let memory = |db: &Db| -> usize {
        db.property("rocksdb.estimate-table-readers-mem").unwrap().parse().unwrap()
    };
    assert_eq!(dump(&db).len(), 3000);
    let wanted = memory(&db);
    drop(db);
    // Closing waits for no more than the table that is being read.
    for _ in 0..20 {
        drop(Db::open(&options, dir.path()).unwrap());
    }
    let db = Db::open(&options, dir.path()).unwrap();
    let start = Instant::now();
    while memory(&db) < wanted {
        assert!(start.elapsed() < Duration::from_secs(60), "{} of {wanted}", memory(&db));
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(memory(&db), wanted);
    assert_eq!(dump(&db).len(), 3000);
}

fn names_in(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// A MANIFEST that ends in the middle of a record, or in zeros, may have lost edits: what it does not
/// name any more is set aside, and a repair finds it.
#[test]
fn tables_of_edits_that_a_manifest_lost_are_kept() {
    for zeros in [false, true] {
        let dir = temp_dir();
        let mut options = small();
        options.cf.disable_auto_compactions = true;
        let db = Db::open(&options, dir.path()).unwrap();
        for i in 0..4u8 {
            db.put(&wo(), &[i], b"v").unwrap();
            db.flush(&FlushOptions::default()).unwrap();
        }
        db.close().unwrap();
        drop(db);
        let manifest = dir
            .path()
            .join(std::fs::read_to_string(dir.path().join("CURRENT")).unwrap().trim_end());
        let mut bytes = std::fs::read(&manifest).unwrap();
        let last: Vec<_> =
            names_in(dir.path()).into_iter().filter(|n| n.ends_with(".sst")).collect();
        let last_edit = record_starts(&bytes).last().copied().unwrap();
        if zeros {
            bytes[last_edit..].fill(0);
        } else {
            bytes.truncate(last_edit + 20);
        }
        std::fs::write(&manifest, &bytes).unwrap();
        let db = Db::open(&options, dir.path()).unwrap();
        assert_eq!(db.get(&ro(), &[2]).unwrap(), Some(b"v".to_vec()));
        assert_eq!(db.get(&ro(), &[3]).unwrap(), None, "zeros: {zeros}");
        db.close().unwrap();
        let lost = names_in(&dir.path().join("lost"));
        assert!(
            lost.contains(&manifest.file_name().unwrap().to_string_lossy().into_owned()),
            "{lost:?}"
        );
        let tables: Vec<_> = lost.iter().filter(|name| name.ends_with(".sst")).collect();
        assert!(tables.len() == 1 && last.contains(tables[0]), "{lost:?}");
        drop(db);
        // The next one begins with a whole MANIFEST.
        drop(Db::open(&options, dir.path()).unwrap());
        assert_eq!(names_in(&dir.path().join("lost")).len(), lost.len());
    }
}

/// Where the records of a log of one block begin.
fn record_starts(log: &[u8]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 0;
    while at + 7 <= log.len() {
        starts.push(at);
        at += 7 + usize::from(u16::from_le_bytes([log[at + 4], log[at + 5]]));
    }
    starts
}
