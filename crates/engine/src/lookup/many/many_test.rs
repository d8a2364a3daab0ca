//! Groups of keys are looked up, and counted, in the same way as single keys.

use super::{Lookup, group, within_limits};
use crate::base::PinnedValue;
use crate::db::Db;
use crate::env::epoch;
use crate::error::Result;
use crate::fs::fault::{Fault, FaultFs, FaultKind, Op};
use crate::hooks::StringAppendOperator;
use crate::lookup::observe::{Call, Counted, Observe, Unobserved};
use crate::options::{
    BlockBasedTableOptions, FilterPolicy, FlushOptions, Options, ReadOptions, TableFactory,
    WriteOptions,
};
use crate::stats::{HistogramType, Statistics, Ticker};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn key(i: u32) -> Vec<u8> {
    format!("key{i:05}").into_bytes()
}

/// A database with files in two levels, memtables, deletions and operands that overlap.
fn filled(dir: &std::path::Path, partitioned: bool) -> Db {
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options.db.statistics = Some(Statistics::new());
    options.cf.disable_auto_compactions = true;
    options.cf.merge_operator = Some(Arc::new(StringAppendOperator::default()));
    options.cf.table_factory = TableFactory::BlockBased(BlockBasedTableOptions {
        filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 4.0 }),
        cache_index_and_filter_blocks: partitioned,
        partition_filters: partitioned,
        block_size: 512,
        ..Default::default()
    });
    let (db, wo) = (Db::open(&options, dir).unwrap(), WriteOptions::default());
    for round in 0..4u32 {
        for i in (0..2000).filter(|i| i % (round + 2) == 0) {
            match (i + round) % 7 {
                0 => db.delete(&wo, &key(i)).unwrap(),
                1 => db.merge(&wo, &key(i), b"operand").unwrap(),
                _ => db.put(&wo, &key(i), &vec![round as u8; 20 + i as usize % 900]).unwrap(),
            }
        }
        match round {
            0 => db.compact_range(&Default::default(), None, None).unwrap(),
            1 | 2 => db.flush(&FlushOptions::default()).unwrap(),
            _ => {}
        }
    }
    // A flush still counts its time and deletes its log after the call that waited for it.
    db.pause_background_work().unwrap();
    db.continue_background_work().unwrap();
    db
}

type Counts = (Vec<(&'static str, u64)>, Vec<(&'static str, u64)>);

/// Returns the counts since the last call.
fn take_counts(stats: &Statistics) -> Counts {
    let tickers = Ticker::ALL.iter().map(|t| (t.name(), stats.ticker(*t)));
    let histograms = HistogramType::ALL.iter().map(|h| (h.name(), stats.histogram(*h).count));
    let counts =
        (tickers.filter(|c| c.1 != 0).collect(), histograms.filter(|c| c.1 != 0).collect());
    stats.reset();
    counts
}

fn plain(values: Vec<Result<Option<PinnedValue>>>) -> Vec<Option<Vec<u8>>> {
    values.into_iter().map(|value| value.unwrap().map(PinnedValue::into_vec)).collect()
}

/// Returns the values of keys, looked up in groups or one by one.
fn look_up(
    db: &Db,
    keys: &[Vec<u8>],
    observer: &impl Observe,
    grouped: bool,
) -> Vec<Option<Vec<u8>>> {
    let (cf, ro, guard) = (db.default_cf(), ReadOptions::default(), epoch::pin());
    let family = cf.data();
    let sv = family.super_version(&guard).unwrap();
    let seq = db.latest_sequence_number();
    let lookup = Lookup { family, sv, ro: &ro, seq, files_only: false };
    plain(match grouped {
        true => group::look_up(&lookup, keys, &guard, observer),
        false => within_limits(&ro, keys, |key| lookup.value(key, observer)),
    })
}

#[test]
fn groups_count_as_single_lookups_do() {
    for partitioned in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let db = filled(dir.path(), partitioned);
        let stats = db.statistics().unwrap();
        let mut rng = fastrand::Rng::with_seed(3);
        let keys: Vec<_> = (0..1500).map(|_| key(rng.u32(..2100))).collect();
        // Blocks are cached and have fingerprints after some rounds.
        let unobserved = look_up(&db, &keys, &Unobserved, false);
        (0..4).for_each(|_| assert_eq!(look_up(&db, &keys, &Unobserved, true), unobserved));
        assert!(unobserved.iter().flatten().count() > 500);
        let mut seen = Vec::new();
        for grouped in [false, true] {
            take_counts(&stats);
            let observer = Counted::new(&stats, Call::MultiGet);
            assert_eq!(look_up(&db, &keys, &observer, grouped), unobserved);
            let mut counts = take_counts(&stats);
            counts.0.retain(|(name, _)| !name.contains(".time"));
            seen.push(counts);
        }
        assert_eq!(seen[1], seen[0]);
        let names: Vec<_> = seen[0].0.iter().map(|count| count.0).collect();
        for name in ["rocksdb.bloom.filter.useful", "rocksdb.memtable.hit", "rocksdb.l0.hit"] {
            assert!(names.contains(&name), "{name} is not among {names:?}");
        }
    }
}

#[test]
fn values_that_are_given_are_those_of_other_lookups() {
    let dir = tempfile::tempdir().unwrap();
    let db = filled(dir.path(), false);
    let (cf, ro) = (db.default_cf(), ReadOptions::default());
    // Larger than the values that a group of look-ups collects.
    db.put(&WriteOptions::default(), &key(7), &[7; 10_000]).unwrap();
    let mut rng = fastrand::Rng::with_seed(4);
    for count in [0, 1, 2, 31, 32, 33, 700] {
        let mut keys: Vec<_> = (0..count).map(|_| key(rng.u32(..2100))).collect();
        keys.extend((count > 0).then(|| key(7)));
        let expected = plain(db.multi_get_cf(&ro, &cf, &keys));
        let guard = epoch::pin();
        let (family, seq) = (cf.data(), db.latest_sequence_number());
        let sv = family.super_version(&guard).unwrap();
        let lookup = Lookup { family, sv, ro: &ro, seq, files_only: false };
        for is_counted in [false, true] {
            let mut given = vec![None; keys.len()];
            let mut give = |at: usize, value: &[u8]| {
                assert!(given[at].replace(value.to_vec()).is_none(), "{at} is given once");
            };
            match is_counted {
                true => db.multi_get_with(&ro, &cf, &keys, &mut give).unwrap(),
                false => group::give(&lookup, &keys, &guard, &mut give).unwrap(),
            }
            assert_eq!(given, expected);
        }
    }
}

/// Looks up keys of many blocks, none of which is cached, and returns how often each of these operations followed the
/// other. `slow_read`, if there is one, waits for a device.
fn reads_of_a_group(is_on_device: bool, slow_read: Option<usize>) -> Vec<(Op, usize)> {
    let dir = tempfile::tempdir().unwrap();
    let faults = FaultFs::new(crate::fs::posix());
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options.db.components.file_system = Some(Arc::new(faults.clone()));
    let table = BlockBasedTableOptions { block_size: 512, ..Default::default() };
    options.cf.table_factory = TableFactory::BlockBased(table);
    let db = Db::open(&options, dir.path()).unwrap();
    (0..3000).for_each(|i| db.put(&WriteOptions::default(), &key(i), &[i as u8; 100]).unwrap());
    db.flush(&FlushOptions::default()).unwrap();
    // Loads the index.
    db.get(&ReadOptions::default(), &key(2999)).unwrap();
    if is_on_device {
        faults.inject(Fault::always(Op::WouldWait, ".sst", FaultKind::Io));
    }
    let seen = Arc::new(Mutex::new(Vec::<(Op, usize)>::new()));
    let (noted, reads) = (Arc::clone(&seen), Mutex::new(0..));
    faults.observe(move |op, path| {
        if path.extension().is_none_or(|extension| extension != "sst") {
            return;
        }
        if op == Op::Read && reads.lock().unwrap().next() == slow_read {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut seen = noted.lock().unwrap();
        match seen.last_mut().filter(|last| last.0 == op) {
            Some((_, count)) => *count += 1,
            None => seen.push((op, 1)),
        }
    });
    let keys: Vec<_> = (0..20).map(|i| key(i * 100)).collect();
    // Calls of the database look up one key after the other while another test uses the perf context.
    let values = look_up(&db, &keys, &Unobserved, true);
    for (i, value) in (0..20).zip(values) {
        assert_eq!(value.unwrap(), [(i * 100) as u8; 100]);
    }
    let seen = seen.lock().unwrap();
    seen.clone()
}

#[test]
fn blocks_on_a_device_are_announced_before_the_first_is_read() {
    let expected = [(Op::WouldWait, 1), (Op::WillRead, 20), (Op::Read, 20)];
    assert_eq!(reads_of_a_group(true, None), expected);
}

#[test]
fn a_read_that_waits_announces_the_blocks_after_it() {
    let seen = reads_of_a_group(false, Some(4));
    let [(Op::WouldWait, 1), (Op::Read, before), (Op::WillRead, announced), (Op::Read, after)] =
        seen[..]
    else {
        panic!("{seen:?}");
    };
    // On a busy machine, an earlier read may be as slow.
    assert!((1..=5).contains(&before) && before + after == 20 && announced == after, "{seen:?}");
}
