//! An iterator that takes the place of one that ended is as good as a new one, and one that ended keeps
//! nothing that a new state of the database has left.

use super::support::{option_sets, ro, small, temp_dir, wo};
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{CompactRangeOptions, FlushOptions, ReadOptions};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn key(i: u32) -> Vec<u8> {
    format!("key{i:05}").into_bytes()
}

/// Everything an iterator with these bounds gives from a key on, in either direction.
fn expected(model: &Model, ro: &ReadOptions, from: &[u8], forward: bool) -> Vec<Vec<u8>> {
    let within = |key: &&Vec<u8>| {
        ro.iterate_lower_bound.as_ref().is_none_or(|lower| *key >= lower)
            && ro.iterate_upper_bound.as_ref().is_none_or(|upper| *key < upper)
    };
    let range = match forward {
        true => (Bound::Included(from), Bound::Unbounded),
        false => (Bound::Unbounded, Bound::Included(from)),
    };
    let keys = model.range::<[u8], _>(range).map(|(key, _)| key).filter(within);
    if forward { keys.take(7).cloned().collect() } else { keys.rev().take(7).cloned().collect() }
}

fn check_one(db: &Db, model: &Model, rng: &mut fastrand::Rng, ro: &ReadOptions) {
    let mut iter = db.iter(ro).unwrap();
    assert!(!iter.valid(), "a new iterator stands nowhere");
    assert_eq!((iter.key(), iter.value()), (&[][..], &[][..]));
    for _ in 0..rng.usize(..3) {
        let (from, forward) = (key(rng.u32(..1000)), rng.bool());
        if forward {
            iter.seek(&from)
        } else {
            iter.seek_for_prev(&from)
        }
        let mut found = Vec::new();
        while iter.valid() && found.len() < 7 {
            assert_eq!(model.get(iter.key()).map(Vec::as_slice), Some(iter.value()));
            found.push(iter.key().to_vec());
            if forward { iter.next() } else { iter.prev() }
        }
        iter.status().unwrap();
        assert_eq!(found, expected(model, ro, &from, forward));
    }
}

/// Options of all kinds, so that those of one iterator show in the next if they are not set anew.
fn some_options(rng: &mut fastrand::Rng) -> ReadOptions {
    let bound = |rng: &mut fastrand::Rng| (rng.u32(..3) == 0).then(|| key(rng.u32(..1000)));
    ReadOptions {
        iterate_lower_bound: bound(rng),
        iterate_upper_bound: bound(rng),
        fill_cache: rng.u32(..4) != 0,
        total_order_seek: true,
        tailing: rng.u32(..9) == 0,
        readahead_size: if rng.u32(..6) == 0 { 8192 } else { 0 },
        ..ro()
    }
}

#[test]
fn iterators_that_follow_each_other_see_what_their_options_say() {
    for (name, options) in option_sets() {
        let dir = temp_dir();
        let db = Db::open(&options, dir.path()).unwrap();
        let (mut model, mut rng) = (Model::new(), fastrand::Rng::with_seed(11));
        let mut old: Option<(ferrolith::internal::db::Snapshot, Model)> = None;
        for round in 0..1500u32 {
            match rng.u32(..100) {
                0 => drop(db.flush(&FlushOptions::default())),
                1 => db.compact_range(&CompactRangeOptions::default(), None, None).unwrap(),
                2 if db.supports_snapshots() => old = Some((db.snapshot(), model.clone())),
                3 => old = None,
                4..40 => {
                    let (key, value) = (key(rng.u32(..1000)), round.to_string().into_bytes());
                    db.put(&wo(), &key, &value).unwrap();
                    model.insert(key, value);
                }
                40..50 => {
                    let key = key(rng.u32(..1000));
                    db.delete(&wo(), &key).unwrap();
                    model.remove(&key);
                }
                _ => {
                    let ro = some_options(&mut rng);
                    match &old {
                        Some((snapshot, model)) if rng.bool() => {
                            let snapshot = Some(snapshot.sequence());
                            let ro = ReadOptions { snapshot, tailing: false, ..ro };
                            check_one(&db, model, &mut rng, &ro);
                        }
                        _ => check_one(&db, &model, &mut rng, &ro),
                    }
                }
            }
        }
        drop(old);
        db.close().unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn a_range_deletion_reaches_the_next_iterator() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    (0..100).for_each(|i| db.put(&wo(), &key(i), b"v").unwrap());
    let count = |ro: &ReadOptions| {
        let mut iter = db.iter(ro).unwrap();
        iter.seek_to_first();
        let mut n = 0;
        while iter.valid() {
            n += 1;
            iter.next();
        }
        n
    };
    assert_eq!((count(&ro()), count(&ro())), (100, 100));
    db.delete_range(&wo(), &key(10), &key(30)).unwrap();
    let blind = ReadOptions { ignore_range_deletions: true, ..ro() };
    assert_eq!((count(&ro()), count(&blind), count(&ro()), count(&blind)), (80, 100, 80, 100));
}

#[test]
fn what_ended_keeps_no_file_of_an_old_version() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    let tables = || {
        let names = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".sst")).count()
    };
    for round in 0..5u32 {
        for i in 0..200 {
            db.put(&wo(), &key(i), &round.to_be_bytes()).unwrap();
        }
        db.flush(&FlushOptions::default()).unwrap();
        // From many threads, so that many places are taken.
        thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| {
                    let mut iter = db.iter(&ro()).unwrap();
                    iter.seek(&key(7));
                    assert_eq!(iter.value(), round.to_be_bytes());
                });
            }
        });
    }
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    for _ in 0..200 {
        if tables() == 1 {
            return;
        }
        thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{} tables are left of a database with one", tables());
}

#[test]
fn threads_share_places_while_versions_change() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    for i in 0..1000 {
        db.put(&wo(), &key(i), &0u32.to_be_bytes()).unwrap();
    }
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for seed in 0..3u64 {
            let (db, stop) = (&db, &stop);
            scope.spawn(move || {
                let mut rng = fastrand::Rng::with_seed(seed);
                let mut newest = vec![0; 1000];
                while !stop.load(Ordering::Relaxed) {
                    let mut iter = db.iter(&ro()).unwrap();
                    let from = rng.u32(..1000);
                    iter.seek(&key(from));
                    for i in from..(from + 5).min(1000) {
                        assert_eq!(iter.key(), key(i), "no key is ever missing");
                        let value = u32::from_be_bytes(iter.value().try_into().unwrap());
                        assert!(value >= newest[i as usize], "a value came back");
                        newest[i as usize] = value;
                        iter.next();
                    }
                }
            });
        }
        for round in 1..40u32 {
            for i in 0..1000 {
                db.put(&wo(), &key(i), &round.to_be_bytes()).unwrap();
            }
            if round % 4 == 0 {
                db.flush(&FlushOptions::default()).unwrap();
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    db.close().unwrap();
}
