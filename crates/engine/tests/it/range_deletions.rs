//! What `DeleteRange` promises, one thing at a time; `model.rs` has it all at once.

use super::support::{dump, ro, small, temp_dir, wo};
use ferrolith::internal::base::MAX_SEQUENCE_NUMBER;
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::Db;
use ferrolith::internal::external::SstFileWriter;
use ferrolith::internal::options::{
    BottommostLevelCompaction, CompactRangeOptions, FlushOptions, IngestExternalFileOptions,
    Options, PlainTableOptions, ReadOptions, TableFactory,
};
use ferrolith::internal::stats::{Statistics, Ticker};
use std::path::Path;

fn key(n: u32) -> Vec<u8> {
    format!("key{n:05}").into_bytes()
}

/// Nothing happens by itself.
fn quiet() -> Options {
    let mut options = small();
    options.cf.disable_auto_compactions = true;
    options.db.statistics = Some(Statistics::new());
    options
}

fn open(options: &Options, path: &Path) -> Db {
    Db::open(options, path).unwrap()
}

fn flush(db: &Db) {
    db.flush(&FlushOptions::default()).unwrap();
}

fn compact(db: &Db) {
    let options = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..Default::default()
    };
    db.compact_range(&options, None, None).unwrap();
}

/// Files on a level, and the entries that their properties count.
fn files(db: &Db, level: usize) -> Vec<(u64, u64)> {
    let all = db.live_files_metadata();
    let of_level = all.iter().filter(|file| file.level == level);
    of_level.map(|file| (file.num_entries, file.num_deletions)).collect()
}

fn keys(db: &Db, ro: &ReadOptions) -> Vec<Vec<u8>> {
    let mut iter = db.iter(ro).unwrap();
    let mut keys = Vec::new();
    iter.seek_to_first();
    while iter.valid() {
        keys.push(iter.key().to_vec());
        iter.next();
    }
    iter.status().unwrap();
    keys
}

#[test]
fn ends_before_begins_are_refused_and_writes_go_on() {
    let dir = temp_dir();
    let db = open(&quiet(), dir.path());
    db.put(&wo(), b"b", b"1").unwrap();
    let e = db.delete_range(&wo(), b"c", b"a").unwrap_err();
    assert_eq!(e.to_string(), "Invalid argument: end key comes before start key");
    let mut batch = WriteBatch::new();
    batch.put(b"x", b"1").unwrap();
    batch.delete_range(b"c", b"a").unwrap();
    db.write(&wo(), &mut batch).unwrap_err();
    assert_eq!(db.get(&ro(), b"x").unwrap(), None, "all of a batch or nothing");
    let before = db.latest_sequence_number();
    db.delete_range(&wo(), b"b", b"b").unwrap();
    assert_eq!(db.latest_sequence_number(), before + 1);
    assert_eq!(db.property_int("rocksdb.num-entries-active-mem-table"), Some(1));
    assert_eq!(dump(&db), [(b"b".to_vec(), b"1".to_vec())]);
    drop(db);
    assert_eq!(dump(&open(&quiet(), dir.path())).len(), 1);
}

#[test]
fn plain_tables_refuse_them() {
    let dir = temp_dir();
    let mut options = quiet();
    options.cf.table_factory = TableFactory::Plain(PlainTableOptions::default());
    options.cf.prefix_extractor =
        Some(std::sync::Arc::new(ferrolith::internal::hooks::FixedPrefixTransform::new(1)));
    options.db.allow_mmap_reads = true;
    let db = open(&options, dir.path());
    let e = db.delete_range(&wo(), b"a", b"b").unwrap_err();
    assert_eq!(
        e.to_string(),
        "Not implemented: CF default reports it does not support DeleteRange"
    );
    db.put(&wo(), b"a", b"1").unwrap();
}

#[test]
fn a_table_of_tombstones_alone_hides_older_levels() {
    let dir = temp_dir();
    let db = open(&quiet(), dir.path());
    for n in 0..100 {
        db.put(&wo(), &key(n), b"old").unwrap();
    }
    compact(&db);
    db.delete_range(&wo(), &key(20), &key(30)).unwrap();
    db.delete_range(&wo(), &key(10), &key(90)).unwrap();
    assert_eq!(db.property_int("rocksdb.num-entries-active-mem-table"), Some(2));
    assert_eq!(db.property_int("rocksdb.num-deletes-active-mem-table"), Some(0));
    let check = |db: &Db| {
        assert_eq!(keys(db, &ro()).len(), 20);
        assert_eq!(db.get(&ro(), &key(50)).unwrap(), None);
        assert!(db.get(&ro(), &key(90)).unwrap().is_some());
        let several = db.multi_get(&ro(), &[key(9), key(10), key(89), key(90)]);
        let found: Vec<bool> = several.into_iter().map(|v| v.unwrap().is_some()).collect();
        assert_eq!(found, [true, false, false, true]);
        let through = ReadOptions { ignore_range_deletions: true, ..ro() };
        assert_eq!(keys(db, &through).len(), 100);
        assert!(db.get(&through, &key(50)).unwrap().is_some());
    };
    check(&db);
    flush(&db);
    assert_eq!(files(&db, 0), [(1, 1)], "without snapshots the newest is enough");
    check(&db);
    drop(db);
    let db = open(&quiet(), dir.path());
    check(&db);
    compact(&db);
    assert_eq!(files(&db, 0), []);
    let left: u64 = (1..7).flat_map(|level| files(&db, level)).map(|f| f.0).sum();
    assert_eq!(left, 20, "the tombstone went with what it hid");
    let stats = db.statistics().unwrap();
    assert_eq!(stats.ticker(Ticker::CompactionKeyDropRangeDel), 80);
    assert_eq!(stats.ticker(Ticker::CompactionRangeDelDropObsolete), 1);
}

#[test]
fn snapshots_see_through_later_deletions_until_they_go() {
    let dir = temp_dir();
    let db = open(&quiet(), dir.path());
    db.put(&wo(), b"k", b"1").unwrap();
    db.merge(&wo(), b"m", b"a").unwrap();
    let first = db.snapshot();
    db.delete_range(&wo(), b"a", b"z").unwrap();
    db.merge(&wo(), b"m", b"b").unwrap();
    let second = db.snapshot();
    db.put(&wo(), b"k", b"2").unwrap();
    db.delete_range(&wo(), b"l", b"n").unwrap();
    let at = |snapshot: &ferrolith::internal::db::Snapshot| ReadOptions {
        snapshot: Some(snapshot.sequence()),
        ..ro()
    };
    let text = |v: Option<Vec<u8>>| v.map(|v| String::from_utf8(v).unwrap());
    let get = |ro: &ReadOptions, key: &[u8]| text(db.get(ro, key).unwrap());
    let check = || {
        assert_eq!((get(&at(&first), b"k"), get(&at(&first), b"m")).0.as_deref(), Some("1"));
        assert_eq!(get(&at(&first), b"m").as_deref(), Some("a"));
        assert_eq!(get(&at(&second), b"k"), None);
        assert_eq!(get(&at(&second), b"m").as_deref(), Some("b"));
        assert_eq!(get(&ro(), b"k").as_deref(), Some("2"));
        assert_eq!(get(&ro(), b"m"), None);
        assert_eq!(keys(&db, &at(&first)), [b"k", b"m"]);
        assert_eq!(keys(&db, &at(&second)), [b"m"]);
        assert_eq!(keys(&db, &ro()), [b"k"]);
    };
    check();
    flush(&db);
    check();
    compact(&db);
    check();
    drop((first, second));
    compact(&db);
    assert_eq!(keys(&db, &ro()), [b"k"]);
    let left: Vec<_> = (1..7).flat_map(|level| files(&db, level)).collect();
    assert_eq!(left, [(1, 0)]);
}

/// One tombstone over many tables: each of them has its part, they touch, and a compaction takes
/// only those that it needs.
#[test]
fn a_tombstone_over_many_tables_is_cut_at_their_boundaries() {
    let dir = temp_dir();
    let mut options = quiet();
    options.cf.level_compaction_dynamic_level_bytes = false;
    options.cf.target_file_size_base = 4 << 10;
    options.cf.compression = ferrolith::internal::compress::CompressionType::None;
    let db = open(&options, dir.path());
    for n in 0..1_000 {
        db.put(&wo(), &key(n), &[b'x'; 100]).unwrap();
    }
    // Something below, which keeps the tombstone from being dropped.
    compact(&db);
    let snapshot = db.snapshot();
    db.delete_range(&wo(), &key(100), &key(900)).unwrap();
    for n in (0..1_000).step_by(2) {
        db.put(&wo(), &key(n), &[b'y'; 100]).unwrap();
    }
    flush(&db);
    let check = |db: &Db| {
        let expected: Vec<Vec<u8>> =
            (0..1_000).filter(|n| n % 2 == 0 || !(100..900).contains(n)).map(key).collect();
        assert_eq!(keys(db, &ro()), expected);
    };
    check(&db);
    let deepest = db.live_files_metadata().iter().map(|f| f.level).max().unwrap();
    compact(&db);
    check(&db);
    let mut tables = db.live_files_metadata();
    tables.retain(|file| file.level == deepest);
    tables.sort_by(|a, b| a.smallest_key.cmp(&b.smallest_key));
    let touching = |a: &[u8], b: &[u8]| {
        let trailer = u64::from_le_bytes(*a.last_chunk().unwrap());
        a[..a.len() - 8] == b[..b.len() - 8] && trailer >> 8 == MAX_SEQUENCE_NUMBER
    };
    let pairs = tables.windows(2).filter(|w| touching(&w[0].largest, &w[1].smallest)).count();
    assert!(tables.len() > 20 && pairs > 15, "{} tables, {pairs} touch", tables.len());
    assert!(tables.iter().filter(|f| f.num_deletions > 0).count() > 15);
    // One key of one table: its neighbours must not come along.
    let before = tables.len();
    let at_work = db.statistics().unwrap().ticker(Ticker::CompactReadBytes);
    let forced = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..Default::default()
    };
    db.compact_range(&forced, Some(&key(500)), Some(&key(500))).unwrap();
    let read = db.statistics().unwrap().ticker(Ticker::CompactReadBytes) - at_work;
    assert!(read < 30_000, "{read} bytes read for one of {before} tables");
    check(&db);
    drop(snapshot);
    compact(&db);
    check(&db);
    assert!(db.live_files_metadata().iter().all(|file| file.num_deletions == 0));
    drop(db);
    check(&open(&options, dir.path()));
}

#[test]
fn a_memtable_counts_as_full_after_so_many() {
    let dir = temp_dir();
    let mut options = quiet();
    options.cf.memtable_max_range_deletions = 10;
    options.cf.paranoid_file_checks = true;
    let db = open(&options, dir.path());
    for n in 0..25 {
        db.delete_range(&wo(), &key(n), &key(n + 5)).unwrap();
    }
    db.wait_for_compact().unwrap();
    // Flushed one by one or two at once.
    assert!(matches!(files(&db, 0).len(), 1 | 2));
    assert_eq!(db.property_int("rocksdb.num-entries-active-mem-table"), Some(5));
}

/// One small file with a tombstone over much is worth a compaction.
#[test]
fn space_comes_back_by_itself() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.compression = ferrolith::internal::compress::CompressionType::None;
    let db = open(&options, dir.path());
    for n in 0..3_000 {
        db.put(&wo(), &key(n), &[b'x'; 100]).unwrap();
    }
    compact(&db);
    db.wait_for_compact().unwrap();
    let bytes = || db.property_int("rocksdb.total-sst-files-size").unwrap();
    assert!(bytes() > 300_000);
    db.delete_range(&wo(), &key(0), &key(2_900)).unwrap();
    flush(&db);
    let began = std::time::Instant::now();
    while bytes() > 30_000 {
        assert!(began.elapsed().as_secs() < 30, "{} bytes are left", bytes());
        db.wait_for_compact().unwrap();
    }
    assert_eq!(keys(&db, &ro()).len(), 100);
}

#[test]
fn tailing_iterators_follow_deletions() {
    let dir = temp_dir();
    let db = open(&quiet(), dir.path());
    let mut iter = db.iter(&ReadOptions { tailing: true, ..ro() }).unwrap();
    for n in 0..10 {
        db.put(&wo(), &key(n), b"1").unwrap();
    }
    let mut first = || {
        iter.seek_to_first();
        iter.status().unwrap();
        iter.valid().then(|| iter.key().to_vec())
    };
    assert_eq!(first(), Some(key(0)));
    db.delete_range(&wo(), &key(0), &key(3)).unwrap();
    assert_eq!(first(), Some(key(3)));
    db.delete_range(&wo(), &key(3), &key(5)).unwrap();
    assert_eq!(first(), Some(key(5)));
    db.put(&wo(), &key(1), b"2").unwrap();
    assert_eq!(first(), Some(key(1)));
    flush(&db);
    db.delete_range(&wo(), &key(0), &key(100)).unwrap();
    assert_eq!(first(), None);
}

/// A table from outside deletes ranges of older keys, wherever they are, and not its own.
#[test]
fn ingested_tables_delete_ranges() {
    let dir = temp_dir();
    let options = quiet();
    let db = open(&options, &dir.path().join("db"));
    let put = |numbers: std::ops::Range<u32>, value: &[u8]| {
        numbers.for_each(|n| db.put(&wo(), &key(n), value).unwrap());
    };
    put(0..300, b"old");
    compact(&db);
    put(100..200, b"newer");
    flush(&db);
    put(150..250, b"newest");
    let before = db.snapshot();
    let ingest = |name: &str, keys: &[u32], range: (u32, u32)| {
        let path = dir.path().join(name);
        let mut writer = SstFileWriter::new(&options);
        writer.open(&path).unwrap();
        keys.iter().for_each(|n| writer.put(&key(*n), b"ingested").unwrap());
        writer.delete_range(&key(range.0), &key(range.1)).unwrap();
        writer.finish().unwrap();
        db.ingest_external_file(&[path], &IngestExternalFileOptions::default()).unwrap();
    };
    ingest("1.sst", &[120, 160], (110, 210));
    ingest("2.sst", &[], (260, 270));
    // A memtable of nothing but a tombstone must be flushed before a file in its range comes.
    db.delete_range(&wo(), &key(280), &key(290)).unwrap();
    ingest("3.sst", &[285], (400, 500));
    let gone = |n: &u32| {
        (110..210).contains(n) && ![120, 160].contains(n)
            || (260..270).contains(n)
            || (280..290).contains(n) && *n != 285
    };
    let expected: Vec<Vec<u8>> = (0..300).filter(|n| !gone(n)).map(key).collect();
    let check = || {
        assert_eq!(keys(&db, &ro()), expected);
        assert_eq!(db.get(&ro(), &key(160)).unwrap().unwrap(), b"ingested");
        assert_eq!(db.get(&ro(), &key(161)).unwrap(), None);
        let at = ReadOptions { snapshot: Some(before.sequence()), ..ro() };
        assert_eq!(keys(&db, &at).len(), 300);
    };
    check();
    compact(&db);
    check();
}

/// Readers and writers at the same time: a deleted range is gone as a whole or not at all.
#[test]
fn readers_see_whole_ranges_go() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.write_buffer_size = 32 << 10;
    let db = open(&options, dir.path());
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (db, stop) = (&db, &stop);
        for writer in 0..2u32 {
            scope.spawn(move || {
                let (begin, end) = (key(writer * 1_000), key(writer * 1_000 + 1_000));
                for round in 0..60u32 {
                    let mut batch = WriteBatch::new();
                    for n in 0..50 {
                        batch.put(&key(writer * 1_000 + n), &round.to_be_bytes()).unwrap();
                    }
                    db.write(&wo(), &mut batch).unwrap();
                    db.delete_range(&wo(), &begin, &end).unwrap();
                }
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
            });
        }
        scope.spawn(move || {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let all = dump(db);
                for writer in 0..2u32 {
                    let mine = key(writer * 1_000)..key(writer * 1_000 + 1_000);
                    let values: Vec<_> =
                        all.iter().filter(|(k, _)| mine.contains(k)).map(|(_, v)| v).collect();
                    assert!(values.is_empty() || values.len() == 50, "{}", values.len());
                    assert!(values.windows(2).all(|w| w[0] == w[1]));
                }
            }
        });
    });
    assert_eq!(dump(&db), []);
}
