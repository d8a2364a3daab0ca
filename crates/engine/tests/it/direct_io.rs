//! Direct I/O and readahead: the same results as buffered reads and writes, with the expected number of reads.

use super::support::{dump, ro, small, supports_direct_io, temp_dir, wo};
use ferrolith::Code;
use ferrolith::internal::compress::CompressionType;
use ferrolith::internal::db::Db;
use ferrolith::internal::fs::fault::{Fault, FaultFs, FaultKind, Op};
use ferrolith::internal::fs::posix;
use ferrolith::internal::options::{
    BlockBasedTableOptions, CompactRangeOptions, DbPath, FlushOptions, Options, ReadOptions,
    TableFactory,
};
use ferrolith::internal::stats::{Statistics, Ticker};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn key(i: usize) -> Vec<u8> {
    format!("key{i:06}").into_bytes()
}

fn value(i: usize) -> Vec<u8> {
    (0..100 + i % 50).map(|j| (i * 31 + j * 7) as u8).collect()
}

/// Options with direct I/O, without a block cache, on a file system that counts.
fn direct(fs: &FaultFs) -> Options {
    let mut options = small();
    options.db.use_direct_reads = true;
    options.db.use_direct_io_for_flush_and_compaction = true;
    options.db.components.file_system = Some(Arc::new(fs.clone()));
    options.cf.write_buffer_size = 4 << 20;
    options.cf.target_file_size_base = 4 << 20;
    options.cf.compression = CompressionType::None;
    options.cf.disable_auto_compactions = true;
    options.cf.table_factory = table(|t| t.no_block_cache = true);
    options
}

fn table(change: impl FnOnce(&mut BlockBasedTableOptions)) -> TableFactory {
    let mut table = BlockBasedTableOptions::default();
    change(&mut table);
    TableFactory::BlockBased(table)
}

const KEYS: usize = 10_000;

/// A database with one table of about 1.4 MB.
fn filled(options: &Options, dir: &Path) -> Db {
    let db = Db::open(options, dir).unwrap();
    (0..KEYS).for_each(|i| db.put(&wo(), &key(i), &value(i)).unwrap());
    db.flush(&FlushOptions::default()).unwrap();
    db
}

/// The number of reads that `f` makes.
fn reads<T>(fs: &FaultFs, f: impl FnOnce() -> T) -> (u64, T) {
    let before = fs.count(Op::Read);
    let result = f();
    (fs.count(Op::Read) - before, result)
}

fn scan(db: &Db, ro: &ReadOptions) -> usize {
    let (mut iter, mut n) = (db.iter(ro).unwrap(), 0);
    iter.seek_to_first();
    while iter.valid() {
        assert_eq!((iter.key(), iter.value()), (&key(n)[..], &value(n)[..]));
        n += 1;
        iter.next();
    }
    iter.status().unwrap();
    n
}

#[test]
fn a_lookup_reads_once_and_a_scan_reads_ahead() {
    if !supports_direct_io() {
        return;
    }
    let (dir, fs) = (temp_dir(), FaultFs::new(posix()));
    let db = filled(&direct(&fs), dir.path());
    for i in [0, 1, 77, KEYS / 2, KEYS - 1] {
        let (n, found) = reads(&fs, || db.get(&ro(), &key(i)).unwrap());
        assert_eq!((n, found.as_deref()), (1, Some(&value(i)[..])), "{i}");
    }
    let (blocks, n) = reads(&fs, || scan(&db, &ReadOptions { readahead_size: 1, ..ro() }));
    assert_eq!(n, KEYS);
    assert!(blocks > 300, "each block is read alone: {blocks}");
    let (automatic, n) = reads(&fs, || scan(&db, &ro()));
    assert_eq!(n, KEYS);
    assert!((8..20).contains(&automatic), "from 8 KiB to 256 KiB: {automatic}");
    let (large, n) = reads(&fs, || scan(&db, &ReadOptions { readahead_size: 1 << 20, ..ro() }));
    assert_eq!(n, KEYS);
    assert!((1..=3).contains(&large), "in megabytes: {large}");
    let background = ReadOptions { async_io: true, readahead_size: 64 << 10, ..ro() };
    assert_eq!(scan(&db, &background), KEYS);
}

#[test]
fn table_options_control_automatic_readahead() {
    if !supports_direct_io() {
        return;
    }
    let counts = [
        (2, 8 << 10, 256 << 10, 8..20),
        (0, 512 << 10, 512 << 10, 3..5),
        (2, 0, 256 << 10, 300..1000),
        (2, 8 << 10, 0, 300..1000),
        (1000, 8 << 10, 256 << 10, 300..1000),
    ];
    for (after, initial, max, expected) in counts {
        let (dir, fs) = (temp_dir(), FaultFs::new(posix()));
        let mut options = direct(&fs);
        options.cf.table_factory = table(|t| {
            t.no_block_cache = true;
            t.num_file_reads_for_auto_readahead = after;
            t.initial_auto_readahead_size = initial;
            t.max_auto_readahead_size = max;
        });
        let db = filled(&options, dir.path());
        let (n, keys) = reads(&fs, || scan(&db, &ro()));
        assert_eq!(keys, KEYS);
        assert!(expected.contains(&n), "after {after}, {initial} to {max}: {n}");
    }
}

#[test]
fn an_upper_bound_limits_what_is_read_ahead() {
    if !supports_direct_io() {
        return;
    }
    let (dir, fs) = (temp_dir(), FaultFs::new(posix()));
    let mut options = direct(&fs);
    let statistics = Statistics::new();
    options.db.statistics = Some(Arc::clone(&statistics));
    let db = filled(&options, dir.path());
    let bounded = |trim| ReadOptions {
        iterate_upper_bound: Some(key(50)),
        readahead_size: 1 << 20,
        auto_readahead_size: trim,
        ..ro()
    };
    let bytes = |trim| {
        let before = statistics.ticker(Ticker::PrefetchBytes);
        assert_eq!(scan(&db, &bounded(trim)), 50);
        statistics.ticker(Ticker::PrefetchBytes) - before
    };
    assert!(bytes(false) >= 1 << 20);
    assert_eq!(statistics.ticker(Ticker::ReadaheadTrimmed), 0);
    assert!(bytes(true) < 20_000);
    assert_eq!(statistics.ticker(Ticker::ReadaheadTrimmed), 1);
    // An iterator without a bound, perhaps the same one from the pool, is not limited by the last one's.
    let (n, keys) = reads(&fs, || scan(&db, &ReadOptions { readahead_size: 1 << 20, ..ro() }));
    assert!(n <= 3 && keys == KEYS, "{n}");
}

#[test]
fn adaptive_readahead_continues_in_the_next_table() {
    if !supports_direct_io() {
        return;
    }
    let (dir, fs) = (temp_dir(), FaultFs::new(posix()));
    let mut options = direct(&fs);
    options.cf.target_file_size_base = 128 << 10;
    let db = Db::open(&options, dir.path()).unwrap();
    for odd in [0, 1] {
        (odd..KEYS).step_by(2).for_each(|i| db.put(&wo(), &key(i), &value(i)).unwrap());
        db.flush(&FlushOptions::default()).unwrap();
    }
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert!(db.live_files_metadata().len() > 5);
    let (fresh, _) = reads(&fs, || scan(&db, &ro()));
    let (adaptive, n) = reads(&fs, || scan(&db, &ReadOptions { adaptive_readahead: true, ..ro() }));
    assert_eq!(n, KEYS);
    assert!(2 * adaptive < fresh, "{adaptive} of {fresh} reads");
}

#[test]
fn a_multi_get_reads_each_block_once() {
    if !supports_direct_io() {
        return;
    }
    let (dir, fs) = (temp_dir(), FaultFs::new(posix()));
    let mut options = direct(&fs);
    options.cf.table_factory = TableFactory::BlockBased(BlockBasedTableOptions::default());
    drop(filled(&options, dir.path()));
    let db = Db::open(&options, dir.path()).unwrap();
    // Until a background job has read the index, lookups do without it.
    while reads(&fs, || std::thread::sleep(Duration::from_millis(50))).0 > 0 {}
    let unkept = ReadOptions { fill_cache: false, ..ro() };
    db.iter(&unkept).unwrap().seek_to_first();
    let wanted: Vec<_> = (0..KEYS - 1000).step_by(500).flat_map(|i| [key(i), key(i + 1)]).collect();
    let (n, found) = reads(&fs, || db.multi_get(&ro(), &wanted));
    for (key, found) in wanted.iter().zip(found) {
        let i = std::str::from_utf8(&key[3..]).unwrap().parse().unwrap();
        assert_eq!(found.unwrap().as_deref(), Some(&value(i)[..]));
    }
    assert!((18..=20).contains(&n), "18 blocks, of which a pair may cross an end: {n}");
    // The cache may refuse a block once, when its place is in use.
    let again = (0..4).map(|_| reads(&fs, || db.multi_get(&ro(), &wanted)).0);
    let again: Vec<_> = again.collect();
    assert!(again[0] <= 1 && again[3] == 0, "they are cached: {again:?}");
}

/// In level 0, the newest file decides, whichever of its blocks are cached.
#[test]
fn a_multi_get_finds_the_newest_value_in_level_0() {
    if !supports_direct_io() {
        return;
    }
    let (dir, fs) = (temp_dir(), FaultFs::new(posix()));
    let mut options = direct(&fs);
    options.cf.table_factory = table(|t| t.block_size = 512);
    let write = |db: &Db, round: usize| {
        for i in (0..2000).filter(|i| !(i + round).is_multiple_of(3)) {
            match (i + round) % 7 {
                0 => db.delete(&wo(), &key(i)).unwrap(),
                1 => db.merge(&wo(), &key(i), b"operand").unwrap(),
                _ => db.put(&wo(), &key(i), &value(i + round)).unwrap(),
            }
        }
        db.flush(&FlushOptions::default()).unwrap();
    };
    let db = Db::open(&options, dir.path()).unwrap();
    (0..4).for_each(|round| write(&db, round));
    drop(db);
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..5 {
        let db = Db::open(&options, dir.path()).unwrap();
        for async_io in [false, true, false, true] {
            let keys: Vec<_> = (0..100).map(|_| key(rng.usize(..2100))).collect();
            let many = db.multi_get(&ReadOptions { async_io, ..ro() }, &keys);
            for (key, many) in keys.iter().zip(many) {
                assert_eq!(many.unwrap().as_deref(), db.get(&ro(), key).unwrap().as_deref());
            }
        }
    }
}

#[test]
fn read_errors_and_short_reads_are_those_of_buffered_files() {
    if !supports_direct_io() {
        return;
    }
    let errors = |direct_io: bool| {
        let (dir, fs) = (temp_dir(), FaultFs::new(posix()));
        let mut options = direct(&fs);
        options.db.use_direct_reads = direct_io;
        options.db.use_direct_io_for_flush_and_compaction = direct_io;
        let db = filled(&options, dir.path());
        let mut found = Vec::new();
        for kind in [FaultKind::Io, FaultKind::Short(100)] {
            fs.inject(Fault::always(Op::Read, ".sst", kind));
            let many = db.multi_get(&ReadOptions { async_io: true, ..ro() }, &[key(5), key(5000)]);
            let mut iter = db.iter(&ReadOptions { async_io: true, ..ro() }).unwrap();
            iter.seek_to_first();
            let errors = [db.get(&ro(), &key(1)).unwrap_err(), iter.status().unwrap_err()];
            let errors = errors.into_iter().chain(many.into_iter().map(|r| r.unwrap_err()));
            found
                .extend(errors.map(|e| e.to_string().replace(dir.path().to_str().unwrap(), "DIR")));
            fs.clear();
        }
        assert_eq!(scan(&db, &ro()), KEYS);
        found
    };
    assert_eq!(errors(true), errors(false));
}

/// Tables written with direct I/O are read buffered and the other way round, and compacted by either.
#[test]
fn each_mode_reads_what_the_other_wrote() {
    if !supports_direct_io() {
        return;
    }
    let dir = temp_dir();
    let mut model = Vec::new();
    for round in 0..6 {
        let mut options = small();
        options.db.use_direct_reads = round % 2 == 0;
        options.db.use_direct_io_for_flush_and_compaction = round % 3 == 0;
        options.db.compaction_readahead_size = [0, 1, 10_000, 2 << 20][round % 4];
        let db = Db::open(&options, dir.path()).unwrap();
        for i in (round * 1000)..(round * 1000 + 1500) {
            db.put(&wo(), &key(i), &value(i + round)).unwrap();
            model.retain(|(k, _): &(Vec<u8>, Vec<u8>)| *k != key(i));
            model.push((key(i), value(i + round)));
        }
        db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
        model.sort();
        assert!(dump(&db) == model, "round {round}");
        db.verify_checksums().unwrap();
    }
}

#[test]
fn opening_without_support_for_direct_io_is_rocksdbs_error() {
    if !supports_direct_io() {
        return;
    }
    let (dir, other, fs) = (temp_dir(), temp_dir(), FaultFs::new(posix()));
    let mut options = direct(&fs);
    let path = |dir: &Path| DbPath { path: dir.to_path_buf(), target_size: 1 << 30 };
    options.cf.cf_paths = vec![path(dir.path()), path(other.path())];
    drop(filled(&options, dir.path()));
    assert_eq!(std::fs::read_dir(other.path()).unwrap().count(), 0, "nothing is left of the check");
    let refused = |e: ferrolith::Error, dir: &Path| {
        assert_eq!(e.code(), Code::InvalidArgument, "{e}");
        let text = e.to_string();
        assert!(text.contains("does not support direct I/O"), "{text}");
        assert!(text.contains(dir.to_str().unwrap()), "{text}");
        assert_eq!(
            ferrolith::internal::error::rocksdb_text(&e),
            "Invalid argument: Direct I/O is not supported by the specified DB."
        );
    };
    // CURRENT is opened once to read it with the page cache.
    fs.inject(Fault::always(Op::Open, "CURRENT", FaultKind::Refused));
    refused(Db::open(&options, dir.path()).unwrap_err(), dir.path());
    refused(Db::open_for_read_only(&options, dir.path(), false).unwrap_err(), dir.path());
    fs.clear();
    fs.inject(Fault::always(Op::Open, "dbtmp", FaultKind::Refused));
    refused(Db::open(&options, dir.path()).unwrap_err(), other.path());
    fs.clear();
    fs.inject(Fault::always(Op::Open, "CURRENT", FaultKind::Io));
    let text = Db::open(&options, dir.path()).unwrap_err().to_string();
    assert!(text.starts_with("IO error") && !text.contains("direct I/O"), "{text}");
}
