//! Statistics: every ticker and histogram that has a name is counted, and nothing is without.

use super::support::{ro, small, temp_dir, wo};
use ferrolith::internal::base::perf::{self, PerfLevel, PerfMetric};
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{
    BlockBasedTableOptions, CompactRangeOptions, FilterPolicy, FlushOptions, Options, TableFactory,
    WriteOptions,
};
use ferrolith::internal::stats::{HistogramType, Ticker};

const KEYS: u32 = 500;

fn counting() -> Options {
    let mut options = small();
    options.db.statistics = Some(ferrolith::internal::stats::Statistics::new());
    options.cf.disable_auto_compactions = true;
    options.cf.write_buffer_size = 1 << 20;
    options.cf.table_factory = TableFactory::BlockBased(BlockBasedTableOptions {
        filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
        ..Default::default()
    });
    options
}

fn key(i: u32) -> [u8; 4] {
    (2 * i).to_be_bytes()
}

fn fill(db: &Db) {
    for i in 0..KEYS {
        db.put(&wo(), &key(i), &[b'v'; 100]).unwrap();
    }
}

#[test]
fn nothing_is_counted_unless_asked_for() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    assert!(db.statistics().is_none());
    assert_eq!(db.property("rocksdb.options-statistics"), None);
}

#[test]
fn writes_lookups_and_jobs_are_counted() {
    let dir = temp_dir();
    let db = Db::open(&counting(), dir.path()).unwrap();
    let stats = db.statistics().unwrap();
    let count = |ticker| stats.take_ticker(ticker);

    fill(&db);
    db.put(&WriteOptions { sync: true, ..wo() }, &key(0), b"synced").unwrap();
    assert_eq!(count(Ticker::NumberKeysWritten), u64::from(KEYS) + 1);
    let written = count(Ticker::BytesWritten);
    assert_eq!(written, count(Ticker::WalFileBytes));
    assert_eq!(db.property_int("rocksdb.bytes-written"), Some(written));
    assert_eq!(count(Ticker::WriteWithWal), u64::from(KEYS) + 1);
    assert_eq!(count(Ticker::WalFileSynced), 1);

    db.get(&ro(), &key(1)).unwrap();
    db.get(&ro(), &1u32.to_be_bytes()).unwrap();
    assert_eq!((count(Ticker::MemtableHit), count(Ticker::MemtableMiss)), (1, 1));
    assert_eq!((count(Ticker::NumberKeysRead), count(Ticker::BytesRead)), (2, 100));

    let mut value = Vec::new();
    assert!(db.get_into(&ro(), &key(1), &mut value).unwrap());
    assert!(!db.get_into(&ro(), &1u32.to_be_bytes(), &mut value).unwrap());
    assert_eq!((count(Ticker::MemtableHit), count(Ticker::MemtableMiss)), (1, 1));
    assert_eq!((count(Ticker::NumberKeysRead), count(Ticker::BytesRead)), (2, 100));

    db.flush(&FlushOptions::default()).unwrap();
    assert!(count(Ticker::FlushWriteBytes) > 1000);
    db.get(&ro(), &key(1)).unwrap();
    db.get(&ro(), &key(1)).unwrap();
    assert_eq!(count(Ticker::GetHitL0), 2);
    let blocks = (Ticker::BlockCacheMiss, Ticker::BlockCacheAdd, Ticker::BlockCacheHit);
    assert_eq!((count(blocks.0), count(blocks.1), count(blocks.2)), (1, 1, 1));
    assert_eq!(count(Ticker::BloomFilterFullPositive), 2);
    (0..100u32).for_each(|i| drop(db.get(&ro(), &(2 * i + 1).to_be_bytes()).unwrap()));
    let (useful, passed) = (count(Ticker::BloomFilterUseful), Ticker::BloomFilterFullPositive);
    assert!(useful > 80 && useful + count(passed) == 100, "{useful}");

    fill(&db);
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert_eq!(count(Ticker::CompactionKeyDropNewerEntry), u64::from(KEYS));
    assert!(count(Ticker::CompactReadBytes) > count(Ticker::CompactWriteBytes));
    db.get(&ro(), &key(1)).unwrap();
    assert_eq!(count(Ticker::GetHitL1) + count(Ticker::GetHitL2AndUp), 1);
    db.multi_get(&ro(), &[key(0), key(1), [9; 4]]);
    let multi = (Ticker::NumberMultigetKeysRead, Ticker::NumberMultigetBytesRead);
    assert_eq!((count(multi.0), count(multi.1)), (3, 200));

    for (histogram, at_least) in [
        (HistogramType::DbWrite, u64::from(KEYS)),
        (HistogramType::DbGet, 100),
        (HistogramType::DbMultiget, 1),
        (HistogramType::FlushTime, 1),
        (HistogramType::CompactionTime, 1),
        (HistogramType::WalFileSyncMicros, 1),
        (HistogramType::BytesPerWrite, u64::from(KEYS)),
        (HistogramType::BytesPerRead, 3),
    ] {
        assert!(stats.histogram(histogram).count >= at_least, "{}", histogram.name());
    }
    assert!(db.property("rocksdb.options-statistics").unwrap().contains("rocksdb.l0.hit COUNT"));
}

#[test]
fn an_iterator_counts_its_moves_when_it_is_dropped() {
    let dir = temp_dir();
    let db = Db::open(&counting(), dir.path()).unwrap();
    let stats = db.statistics().unwrap();
    fill(&db);
    let mut iter = db.iter(&ro()).unwrap();
    iter.seek_to_first();
    (0..3).for_each(|_| iter.next());
    iter.prev();
    iter.seek(&[0xff; 4]);
    iter.next();
    drop(iter);
    let count = |ticker| stats.ticker(ticker);
    assert_eq!((count(Ticker::NumberDbSeek), count(Ticker::NumberDbSeekFound)), (2, 1));
    assert_eq!((count(Ticker::NumberDbNext), count(Ticker::NumberDbNextFound)), (3, 3));
    assert_eq!((count(Ticker::NumberDbPrev), count(Ticker::NumberDbPrevFound)), (1, 1));
    assert_eq!(count(Ticker::IterBytesRead), 5 * 104);
    assert_eq!((count(Ticker::NoIteratorCreated), count(Ticker::NoIteratorDeleted)), (1, 1));
    // As in RocksDB, seeks to the first and the last key are not timed.
    assert_eq!(stats.histogram(HistogramType::DbSeek).count, 1);
}

#[test]
fn an_iterator_that_takes_the_place_of_another_counts_from_zero() {
    let dir = temp_dir();
    let db = Db::open(&counting(), dir.path()).unwrap();
    let stats = db.statistics().unwrap();
    fill(&db);
    db.flush(&FlushOptions::default()).unwrap();
    let counts = || {
        [
            Ticker::NoIteratorCreated,
            Ticker::NoIteratorDeleted,
            Ticker::NumberDbSeek,
            Ticker::NumberDbNext,
            Ticker::IterBytesRead,
            Ticker::NonLastLevelSeekData,
        ]
        .map(|ticker| stats.take_ticker(ticker))
    };
    counts();
    perf::set_level(PerfLevel::EnableTime);
    for round in 0..3 {
        perf::reset();
        let mut iter = db.iter(&ro()).unwrap();
        assert_eq!(counts(), [1, 0, 0, 0, 0, 0], "round {round}");
        let made = perf::value(PerfMetric::NewTableIteratorNanos) > 0;
        assert_eq!(made, round == 0, "round {round}: the table is read by the iterator before");
        iter.seek_to_first();
        iter.next();
        drop(iter);
        assert_eq!(counts(), [0, 1, 1, 1, 2 * 104, 1], "round {round}");
    }
    perf::set_level(PerfLevel::EnableCount);
    drop(db);
    assert_eq!(counts(), [0; 6], "what waited for a user has none to count for");
}
