//! What both libraries count while they do the same: every ticker, every histogram, every metric of the perf
//! context. Counts are equal, or in a relation that is stated here with its reason, or the engine's page of statistics
//! says why there is none. A count that moves on RocksDB and stays 0 here without being listed fails.

use crate::script;
use ferrolith::internal::base::perf::PerfMetric;
use ferrolith::internal::stats::{HistogramType, Ticker};
use ferrolith_interop::figures::{self, Figures};
use ferrolith_interop::store::Engine;
use std::collections::BTreeMap;

/// How a count here stands to RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    /// The same.
    Equal,
    /// Larger or smaller, up to this factor and a few.
    Within(f64),
    /// Both move.
    Moves,
    /// Whatever it is: it may also move here alone.
    Free,
}
use Relation::{Equal, Free, Moves, Within};

/// Relations that are not [`Equal`], by the beginnings of names; the first that fits counts.
const RELATIONS: &[(&str, Relation, &str)] = &[
    // Times.
    ("rocksdb.compaction.total.time", Moves, "a time"),
    ("rocksdb.merge.operation.time", Moves, "a time"),
    ("rocksdb.stall.micros", Free, "a time; the pace at which we take writes is our own"),
    ("rocksdb.db.write.stall", Free, "a time; the pace at which we take writes is our own"),
    // The cache.
    (
        "rocksdb.block.cache.index.bytes",
        Within(3.0),
        "the index is kept decoded, with the places of its blocks",
    ),
    ("rocksdb.block.cache.index.miss", Within(3.0), "parts are charged together, at the opening"),
    ("rocksdb.block.cache.index.add", Within(3.0), "parts are charged together, at the opening"),
    ("rocksdb.block.cache.filter.miss", Within(3.0), "parts are charged together, at the opening"),
    ("rocksdb.block.cache.filter.add", Within(3.0), "parts are charged together, at the opening"),
    ("rocksdb.block.cache.compression.dict", Within(2.0), "the charge is that of the bytes alone"),
    ("rocksdb.block.cache.filter.bytes", Within(3.0), "RocksDB gives no room to empty lines"),
    ("rocksdb.block.cache.bytes.read", Within(3.0), "charges differ: blocks have tags here"),
    ("rocksdb.block.cache", Within(1.5), "blocks end elsewhere by some bytes; charges have tags"),
    // Filters: keys of each file hash alike, but the first lookups of a table bypass its filter.
    ("rocksdb.bloom.filter", Within(1.1), "the first lookups after an opening bypass the filter"),
    // Sizes of tables.
    ("rocksdb.compact.read.bytes", Free, "RocksDB counts reads of files, which the cache may save"),
    ("rocksdb.compact.write.bytes", Within(1.2), "properties have other lengths"),
    ("rocksdb.flush.write.bytes", Within(1.2), "properties have other lengths"),
    ("rocksdb.memtable.payload", Within(2.0), "RocksDB counts 0 where operands were joined"),
    ("rocksdb.memtable.garbage", Free, "RocksDB counts 0 where operands were joined"),
    ("rocksdb.bytes.compressed", Within(1.2), "another implementation of the codec"),
    ("rocksdb.bytes.compression", Within(1.2), "restart points lie elsewhere by some bytes"),
    ("rocksdb.bytes.decompressed", Within(1.5), "scans and early lookups read other blocks"),
    ("rocksdb.number.block.decompressed", Within(1.5), "scans and early lookups read others"),
    ("rocksdb.number.block", Within(1.1), "blocks end elsewhere by some bytes"),
    ("rocksdb.compression.times", Within(1.1), "blocks end elsewhere by some bytes"),
    ("rocksdb.decompression.times", Within(1.5), "scans and early lookups read other blocks"),
    // Reads of files.
    ("rocksdb.last.level.read", Within(2.0), "readahead joins reads; openings read by handles"),
    ("rocksdb.non.last.level.read", Within(3.0), "readahead joins reads; openings read by handles"),
    ("rocksdb.last.level.seek.data", Within(1.5), "counted at the first block after a seek"),
    ("rocksdb.non.last.level.seek.data", Within(1.5), "counted at the first block after a seek"),
    ("rocksdb.block.checksum.compute", Within(1.5), "openings verify other blocks"),
    ("rocksdb.prefetch", Free, "readahead begins earlier here"),
    ("rocksdb.compaction.prefetch", Free, "compactions always read ahead here"),
    ("rocksdb.read.block.compaction", Free, "openings of its tables count as the job's"),
    ("rocksdb.read.block.get", Within(1.5), "openings read other blocks"),
    ("rocksdb.sst.read.micros", Within(3.0), "readahead joins reads"),
    ("rocksdb.file.read.db.iterator", Moves, "readahead joins reads"),
    ("rocksdb.file.read", Within(4.0), "openings read by handles, without a tail"),
    ("rocksdb.file.write", Moves, "a block and its trailer, or several blocks, are one write"),
    ("rocksdb.sst.write", Moves, "a block and its trailer, or several blocks, are one write"),
    ("rocksdb.write.raw.block", Within(1.2), "blocks end elsewhere by some bytes"),
    ("rocksdb.manifest.file.sync", Moves, "making a MANIFEST is not one of its syncs"),
    ("rocksdb.files.deleted.immediately", Within(2.5), "RocksDB leaves a MANIFEST uncounted"),
];

/// The same of the perf context.
const PERF_RELATIONS: &[(&str, Relation, &str)] = &[
    ("user_key_comparison_count", Within(3.0), "most comparisons are of numbers made of keys"),
    ("block_cache_hit_count", Within(1.5), "blocks end elsewhere by some bytes"),
    ("block_cache_index_read_byte", Within(8.0), "the index is kept decoded, and charged whole"),
    ("block_cache_filter_read_byte", Within(4.0), "partitions are charged together"),
    ("block_cache_read_byte", Within(4.0), "charges differ: blocks have tags here"),
    ("block_cache", Within(1.5), "blocks end elsewhere by some bytes"),
    ("block_read", Within(3.0), "openings read other blocks, some of them in the background"),
    ("index_block_read_count", Moves, "openings read every partition"),
    ("filter_block_read_count", Moves, "openings read every partition"),
    ("compression_dict_block_read_count", Within(4.0), "RocksDB reads it with the tail"),
    ("internal_key_skipped_count", Within(1.1), "moves of merged entries are not counted"),
    ("internal_range_del_reseek_count", Within(3.0), "one seek leaves all older places"),
    ("seek_on_memtable_count", Within(3.0), "an empty memtable has no iterator"),
    ("seek_child_seek_count", Within(2.0), "an empty memtable has no iterator"),
    ("bloom_memtable", Free, "memtables have a filter of their own, asked for or not"),
    ("bloom_sst", Within(1.1), "filters are asked in the same places, but after openings"),
];

fn relation(name: &str, table: &[(&str, Relation, &str)]) -> Relation {
    table.iter().find(|(begin, ..)| name.starts_with(begin)).map_or(Equal, |(_, r, _)| *r)
}

fn holds(relation: Relation, ours: u64, theirs: u64) -> bool {
    match relation {
        Equal => ours == theirs,
        Within(factor) => {
            let (low, high) = (ours.min(theirs) as f64, ours.max(theirs) as f64);
            (ours == 0) == (theirs == 0) && high <= low * factor + 3.0
        }
        Moves => (ours == 0) == (theirs == 0),
        Free => theirs == 0 || ours != 0,
    }
}

/// The counts of tickers and histograms by name.
fn counts(text: &str) -> BTreeMap<String, u64> {
    let count = |line: &str| {
        let name = line.split(' ').next()?.to_owned();
        let after = line.split("COUNT : ").nth(1)?;
        Some((name, after.split(' ').next()?.parse().ok()?))
    };
    text.lines().filter_map(count).collect()
}

fn metrics(text: &str) -> BTreeMap<String, u64> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once(" = ")?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    };
    text.split(',').filter_map(|p| pair(p.trim())).collect()
}

const SHAPES: [(&str, &str); 3] = [
    (
        "plain",
        "compression=kLZ4Compression;\
         block_based_table_factory={block_size=1024;filter_policy=bloomfilter:10:false}",
    ),
    (
        "cached",
        "compression=kZSTD;compression_opts={max_dict_bytes=4096};block_based_table_factory={\
         block_size=1024;filter_policy=bloomfilter:10:false;cache_index_and_filter_blocks=true}",
    ),
    (
        "in parts",
        "compression=kNoCompression;block_based_table_factory={block_size=1024;\
         metadata_block_size=512;filter_policy=bloomfilter:10:false;partition_filters=true;\
         index_type=kTwoLevelIndexSearch;cache_index_and_filter_blocks=true}",
    ),
];

struct Counted {
    statistics: BTreeMap<String, u64>,
    perf: BTreeMap<String, u64>,
}

/// Runs the script with one library, at the levels that count everything.
fn counted(engine: Engine, options: &str) -> Counted {
    let root = tempfile::tempdir().unwrap();
    let options = format!("disable_auto_compactions=true;merge_operator=stringappend;{options}");
    let mut db = Figures::open_with(engine, &root.path().join("db"), &options).unwrap();
    db.set_level(5);
    figures::start_perf_of(engine, 6).unwrap();
    script::run(&mut db, &root.path().join("outside.sst")).unwrap();
    let perf = metrics(&figures::perf_of(engine).unwrap().0);
    figures::start_perf_of(engine, 1).unwrap();
    db.close();
    Counted { statistics: counts(&db.statistics().unwrap()), perf }
}

/// Why the engine does not count it, if its page of statistics says so.
fn reason(name: &str) -> Option<&'static str> {
    let ticker = Ticker::from_name(name).and_then(Ticker::reason_not_counted);
    let histogram = HistogramType::from_name(name).and_then(HistogramType::reason_not_counted);
    let metric = PerfMetric::all().find(|metric| metric.name() == name);
    ticker.or(histogram).or(metric.and_then(PerfMetric::reason_not_counted))
}

#[test]
fn both_libraries_count_the_same() {
    let mut wrong = Vec::new();
    for (shape, options) in SHAPES {
        let theirs = counted(Engine::Rocksdb, options);
        let ours = counted(Engine::Ferrolith, options);
        assert_eq!(theirs.statistics.len(), Ticker::COUNT + HistogramType::COUNT);
        for (name, &theirs) in &theirs.statistics {
            let ours = ours.statistics[name];
            let fits = match reason(name) {
                Some(_) => ours == 0,
                None => holds(relation(name, RELATIONS), ours, theirs),
            };
            if !fits {
                wrong.push(format!("{shape}: {name}: RocksDB {theirs}, here {ours}"));
            }
        }
        assert_eq!(theirs.perf.len(), PerfMetric::COUNT);
        for (name, &theirs) in &theirs.perf {
            let ours = ours.perf[name];
            let is_time = name.contains("nanos") || name.ends_with("_time");
            let relation = if is_time { Moves } else { relation(name, PERF_RELATIONS) };
            let fits = match reason(name) {
                Some(_) => ours == 0,
                // A time that passes may be too short for the clock.
                None if is_time && theirs == 0 => true,
                None => holds(relation, ours, theirs),
            };
            if !fits {
                wrong.push(format!("{shape}: perf {name}: RocksDB {theirs}, here {ours}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What was counted wrongly before.
#[test]
fn counts_that_programs_watch_are_rocksdbs() {
    let counted = |engine| {
        let root = tempfile::tempdir().unwrap();
        let list = "block_based_table_factory={filter_policy=bloomfilter:4:false}";
        let db = Figures::open_with(engine, root.path(), list).unwrap();
        for i in (0..4000).step_by(2) {
            db.put(&script::key(i), b"value").unwrap();
        }
        db.flush().unwrap();
        for i in 0..4000 {
            db.get(&script::key(i)).unwrap();
        }
        // A second family: the WAL is synced before a flush.
        db.churn("family").unwrap();
        counts(&db.statistics().unwrap())
    };
    let (theirs, ours) = (counted(Engine::Rocksdb), counted(Engine::Ferrolith));
    for name in [
        "rocksdb.bloom.filter.full.true.positive",
        "rocksdb.db.write.stall",
        "rocksdb.bytes.per.read",
        "rocksdb.wal.synced",
        "rocksdb.number.keys.read",
        "rocksdb.l0.hit",
    ] {
        assert_eq!(ours[name], theirs[name], "{name}");
    }
    let name = "rocksdb.bloom.filter.full.true.positive";
    assert_eq!(ours[name], 2000, "keys that are there");
    let name = "rocksdb.bloom.filter.full.positive";
    assert!(ours[name] > 2000, "the filter lets others through, too");
    assert_eq!(ours["rocksdb.wal.synced"], 1);
}
