//! Iterators jump over ranges in which earlier ones found nothing, and never over a key that they must see.

use super::support::{ro, small, temp_dir, wo};
use ferrolith::internal::base::perf::{self, PerfLevel, PerfMetric};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{Db, Snapshot};
use ferrolith::internal::external::SstFileWriter;
use ferrolith::internal::options::{
    CompactRangeOptions, FlushOptions, IngestExternalFileOptions, Options, ReadOptions,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn key(i: u32) -> Vec<u8> {
    format!("key{i:05}").into_bytes()
}

fn delete(db: &Db, keys: std::ops::Range<u32>) {
    keys.for_each(|i| db.delete(&wo(), &key(i)).unwrap());
}

/// Returns the first key from here on, and how many tombstones the iterator met.
fn first_from(db: &Db, ro: &ReadOptions, from: &[u8]) -> (Vec<u8>, u64) {
    let mut iter = db.iter(ro).unwrap();
    perf::set_level(PerfLevel::EnableCount);
    perf::reset();
    iter.seek(from);
    let met = perf::value(PerfMetric::InternalDeleteSkippedCount);
    perf::set_level(PerfLevel::Disable);
    iter.status().unwrap();
    (iter.key().to_vec(), met)
}

/// Puts `0..=2000` and deletes all but the last one.
fn mostly_deleted(dir: &Path, options: &Options) -> Db {
    let db = Db::open(options, dir).unwrap();
    (0..=2000).for_each(|i| db.put(&wo(), &key(i), b"value").unwrap());
    delete(&db, 0..2000);
    db
}

#[test]
fn the_third_walk_is_a_jump_in_memtables_and_in_tables() {
    let mut options = small();
    options.cf.write_buffer_size = 16 << 20;
    options.cf.disable_auto_compactions = true;
    let dir = temp_dir();
    let db = mostly_deleted(dir.path(), &options);
    for walk in 0..6 {
        let (found, met) = first_from(&db, &ro(), b"");
        assert_eq!(found, key(2000));
        assert!(if walk < 2 { met == 2000 } else { met == 1 }, "walk {walk} met {met}");
        if walk == 3 {
            db.flush(&FlushOptions::default()).unwrap();
        }
    }
    // A key in the middle is found, and what is before and behind it is still jumped over.
    db.put(&wo(), &key(1000), b"again").unwrap();
    assert_eq!(first_from(&db, &ro(), b""), (key(1000), 1));
    assert_eq!(first_from(&db, &ro(), &key(1001)), (key(2000), 1));
    db.merge(&wo(), &key(500), b"merged").unwrap();
    assert_eq!(first_from(&db, &ro(), b"").0, key(500));
}

#[test]
fn iterators_that_count_or_choose_entries_do_not_jump() {
    let mut options = small();
    options.cf.write_buffer_size = 16 << 20;
    let dir = temp_dir();
    let db = mostly_deleted(dir.path(), &options);
    (0..3).for_each(|_| drop(first_from(&db, &ro(), b"")));
    let least = |ro: ReadOptions| assert!(first_from(&db, &ro, b"").1 >= 1000);
    least(ReadOptions { max_skippable_internal_keys: 5000, ..ro() });
    least(ReadOptions { ignore_range_deletions: true, ..ro() });
    least(ReadOptions { tailing: true, ..ro() });
    assert_eq!(first_from(&db, &ro(), b"").1, 1);
}

#[test]
fn a_queue_finds_its_head_in_few_steps() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    let mut most = 0;
    for i in 0..5000 {
        db.put(&wo(), &key(i), b"element").unwrap();
        if i >= 100 {
            db.delete(&wo(), &key(i - 100)).unwrap();
            let (head, met) = first_from(&db, &ro(), b"");
            assert_eq!(head, key(i - 99));
            most = most.max(met);
        }
        if i % 1501 == 0 {
            db.flush(&FlushOptions::default()).unwrap();
        }
    }
    assert!(most < 200, "a search for the head met {most} tombstones");
}

/// Keys of an ingested file are seen, also if they have no sequence number of their own, and so are those that appear
/// when files are deleted.
#[test]
fn files_that_come_and_go_end_gaps() {
    let mut options = small();
    options.cf.write_buffer_size = 16 << 20;
    options.cf.disable_auto_compactions = true;
    let dir = temp_dir();
    let db = mostly_deleted(&dir.path().join("db"), &options);
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    (0..3).for_each(|_| drop(first_from(&db, &ro(), b"")));
    db.put(&wo(), &key(0), b"so that there is something to delete").unwrap();
    delete(&db, 0..2000);
    (0..3).for_each(|_| drop(first_from(&db, &ro(), b"")));
    let (found, met) = first_from(&db, &ro(), b"");
    assert!(found == key(2000) && met < 100, "met {met} on the way to {found:?}");
    let old = db.iter(&ro()).unwrap();
    let mut writer = SstFileWriter::new(&options);
    let path = dir.path().join("ingested.sst");
    writer.open(&path).unwrap();
    writer.put(&key(700), b"ingested").unwrap();
    writer.finish().unwrap();
    db.ingest_external_file(&[path], &IngestExternalFileOptions::default()).unwrap();
    assert_eq!(first_from(&db, &ro(), b"").0, key(700));
    // An iterator over the older state neither sees the key nor makes others miss it.
    let mut old = old;
    (0..4).for_each(|_| {
        old.seek_to_first();
        assert_eq!(old.key(), key(2000));
    });
    assert_eq!(first_from(&db, &ro(), b"").0, key(700));
}

struct Run {
    db: Db,
    options: Options,
    model: Model,
    snapshots: Vec<(Snapshot, Model)>,
    rng: fastrand::Rng,
    files: u32,
}

/// Few enough to be deleted in long runs.
const KEYS: u32 = 900;

impl Run {
    fn step(&mut self, dir: &Path, round: u32) {
        let (db, rng) = (&self.db, &mut self.rng);
        let value = round.to_string().into_bytes();
        let at = rng.u32(..KEYS);
        match rng.u32(..100) {
            0..25 => {
                db.put(&wo(), &key(at), &value).unwrap();
                self.model.insert(key(at), value);
            }
            25..40 => {
                let end = at + rng.u32(50..400);
                delete(db, at..end);
                (at..end).for_each(|i| drop(self.model.remove(&key(i))));
            }
            40..44 => {
                let mut batch = WriteBatch::new();
                for i in at..at + rng.u32(2..40) {
                    batch.put(&key(i), &value).unwrap();
                    self.model.insert(key(i), value.clone());
                }
                db.write(&wo(), &mut batch).unwrap();
            }
            44..46 => {
                db.delete_range(&wo(), &key(at), &key(at + 200)).unwrap();
                (at..at + 200).for_each(|i| drop(self.model.remove(&key(i))));
            }
            46..49 => {
                db.merge(&wo(), &key(at), &value).unwrap();
                let old = self.model.get(&key(at));
                let merged = old.map_or(value.clone(), |old| [old, &b","[..], &value].concat());
                self.model.insert(key(at), merged);
            }
            49..51 => db.flush(&FlushOptions::default()).unwrap(),
            51 => db.compact_range(&CompactRangeOptions::default(), None, None).unwrap(),
            52..55 if self.snapshots.len() < 3 => {
                self.snapshots.push((db.snapshot(), self.model.clone()));
            }
            55..57 => drop(self.snapshots.pop()),
            57 => {
                self.files += 1;
                let path = dir.join(format!("{}.ingest", self.files));
                let mut writer = SstFileWriter::new(&self.options);
                writer.open(&path).unwrap();
                for i in (at..at + 60).step_by(20) {
                    writer.put(&key(i), &value).unwrap();
                    self.model.insert(key(i), value.clone());
                }
                writer.finish().unwrap();
                let options = IngestExternalFileOptions::default();
                db.ingest_external_file(&[path], &options).unwrap();
            }
            _ => self.look(at, round),
        }
    }

    /// Looks at the keys from here on several times, as the newest state and some snapshot have them.
    fn look(&mut self, at: u32, round: u32) {
        let newest = (ReadOptions { total_order_seek: true, ..ro() }, &self.model);
        let old = self.snapshots.iter().map(|(snapshot, model)| {
            (ReadOptions { snapshot: Some(snapshot.sequence()), ..newest.0.clone() }, model)
        });
        for (mut ro, model) in old.chain([newest.clone()]) {
            if self.rng.u32(..4) == 0 {
                ro.iterate_upper_bound = Some(key(at + self.rng.u32(..500)));
            }
            for _ in 0..4 {
                let mut iter = self.db.iter(&ro).unwrap();
                iter.seek(&key(at));
                let upper = ro.iterate_upper_bound.clone().unwrap_or(b"z".to_vec());
                let mut expected = model.range(key(at)..upper.max(key(at))).take(5);
                while iter.valid() {
                    let found = (iter.key().to_vec(), iter.value().to_vec());
                    let Some((key, value)) = expected.next() else { break };
                    assert_eq!((&found.0, &found.1), (key, value), "round {round}");
                    iter.next();
                }
                iter.status().unwrap();
                assert!(expected.next().is_none(), "round {round}: keys from {at} on are missing");
            }
        }
    }
}

#[test]
fn jumps_agree_with_maps() {
    for seed in 0..3 {
        let dir = temp_dir();
        let mut options = small();
        options.cf.write_buffer_size = if seed == 0 { 64 << 10 } else { 1 << 20 };
        let db = Db::open(&options, dir.path().join("db")).unwrap();
        let mut run = Run {
            db,
            options,
            model: Model::new(),
            snapshots: Vec::new(),
            rng: fastrand::Rng::with_seed(seed),
            files: 0,
        };
        (0..3000).for_each(|round| run.step(dir.path(), round));
        assert!(run.files > 5, "files were ingested");
    }
}

/// A key in the middle of deleted ones comes and goes while others write and read. Once a put has returned, every new
/// iterator sees it until the delete begins.
#[test]
fn a_key_that_returns_is_seen_at_once() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.write_buffer_size = 4 << 20;
    let db = mostly_deleted(dir.path(), &options);
    // Counts up: the key is gone, comes, is there, goes.
    let (state, is_done) = (AtomicU64::new(0), AtomicBool::new(false));
    let (jumps, checks) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        // Other writers, so that sequence numbers are in flight.
        for writer in 0..2 {
            let (db, is_done) = (&db, &is_done);
            scope.spawn(move || {
                for i in 0.. {
                    if is_done.load(Ordering::Relaxed) {
                        break;
                    }
                    db.put(&wo(), format!("other{writer}{}", i % 100).as_bytes(), b"x").unwrap();
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let before = state.load(Ordering::SeqCst);
                    let (found, met) = first_from(&db, &ro(), b"");
                    let after = state.load(Ordering::SeqCst);
                    if before != after {
                        continue;
                    }
                    checks.fetch_add(1, Ordering::Relaxed);
                    jumps.fetch_add(u64::from(met < 10), Ordering::Relaxed);
                    match before % 4 {
                        2 => assert_eq!(found, key(1000), "the key is there"),
                        0 => assert_eq!(found, key(2000), "the key is not there"),
                        _ => {}
                    }
                }
            });
        }
        for round in 0..1000u32 {
            // Wait until the range is jumped over, in most rounds.
            let seen = checks.load(Ordering::Relaxed);
            while round % 4 != 0 && checks.load(Ordering::Relaxed) < seen + 4 {
                thread::yield_now();
            }
            state.fetch_add(1, Ordering::SeqCst);
            db.put(&wo(), &key(1000), b"back").unwrap();
            state.fetch_add(1, Ordering::SeqCst);
            let seen = checks.load(Ordering::Relaxed);
            while checks.load(Ordering::Relaxed) < seen + 1 {
                thread::yield_now();
            }
            state.fetch_add(1, Ordering::SeqCst);
            db.delete(&wo(), &key(1000)).unwrap();
            state.fetch_add(1, Ordering::SeqCst);
        }
        is_done.store(true, Ordering::Relaxed);
    });
    let (jumps, checks) = (jumps.into_inner(), checks.into_inner());
    assert!(jumps > 300, "only {jumps} of {checks} searches jumped");
}
