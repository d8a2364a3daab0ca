use super::super::{
    BlockBasedTableOptions, ColumnFamilyOptions, CompactionPri, CompressionOptions,
    CuckooTableOptions, FifoCompactionOptions, FilterPolicy, MemtableFactory, MetadataCacheOptions,
    Options, PlainTableOptions, TableFactory, UniversalCompactionOptions,
};
use super::*;
use crate::compress::CompressionType;
use std::collections::BTreeSet;

/// The printed value of every row can be parsed and prints the same again; no name occurs twice.
fn round_trip<T: OptionSet>(mut options: T) {
    let mut names = BTreeSet::new();
    for row in T::rows() {
        assert!(names.insert(row.name), "{} occurs twice", row.name);
        if row.name == "plain_table_factory" {
            continue; // It would change the format.
        }
        let printed = row.get(&options);
        row.set(&mut options, &printed).unwrap_or_else(|e| panic!("{}={printed}: {e}", row.name));
        assert_eq!(row.get(&options), printed, "{}", row.name);
    }
}

#[test]
fn every_row_reads_what_it_prints() {
    round_trip(DbOptions::default());
    round_trip(ColumnFamilyOptions::default());
    round_trip(BlockBasedTableOptions::default());
    round_trip(PlainTableOptions::default());
    round_trip(CuckooTableOptions::default());
    round_trip(CompressionOptions::default());
    round_trip(UniversalCompactionOptions::default());
    round_trip(FifoCompactionOptions::default());
    round_trip(MetadataCacheOptions::default());
}

#[test]
fn strings_set_fields() {
    let mut o = Options::default();
    o.set_options(
        "max_open_files=100; write_buffer_size=4M;compression=kLZ4Compression;\
         compression_per_level=kNoCompression:kSnappyCompression:kZSTD;\
         block_based_table_factory={block_size=16k;filter_policy=bloomfilter:9.9:false;\
         block_cache={capacity=5M;num_shard_bits=4}};\
         merge_operator={id=StringAppendOperator;delimiter=\\:;};prefix_extractor=fixed:8;\
         memtable=prefix_hash:1000;compaction_pri=kOldestSmallestSeqFirst;\
         compression_opts=-15:6:0;max_bytes_for_level_multiplier=8;statistics=BasicStatistics",
    )
    .unwrap();
    assert_eq!(o.db.max_open_files, 100);
    assert!(o.db.statistics.is_some());
    let cf = &o.cf;
    assert_eq!(cf.write_buffer_size, 4 << 20);
    let codecs = [CompressionType::None, CompressionType::Snappy, CompressionType::Zstd];
    assert_eq!(cf.compression_per_level, codecs);
    assert_eq!((cf.compression_opts.window_bits, cf.compression_opts.level), (-15, 6));
    assert_eq!(cf.compaction_pri, CompactionPri::OldestSmallestSeqFirst);
    assert_eq!(cf.prefix_extractor.as_ref().unwrap().name(), "rocksdb.FixedPrefix.8");
    let MemtableFactory::HashSkipList { bucket_count: 1000, .. } = cf.memtable_factory else {
        panic!("{:?}", cf.memtable_factory)
    };
    let merge = cf.merge_operator.as_ref().unwrap();
    assert_eq!(merge.full_merge(b"", Some(b"a"), &[b"b"]).unwrap(), b"a:b");
    let TableFactory::BlockBased(table) = &cf.table_factory else { panic!("not block-based") };
    assert_eq!(table.block_size, 16 << 10);
    assert_eq!(table.block_cache.as_ref().unwrap().capacity(), 5 << 20);
    assert_eq!(table.filter_policy, Some(FilterPolicy::Bloom { bits_per_key: 9.9 }));
    assert_eq!(
        cf.get_option("merge_operator").unwrap(),
        "{id=StringAppendOperator;delimiter=\\:;}"
    );
    o.cf.set_option("plain_table_factory", "{user_key_len=20;encoding_type=kPrefix}").unwrap();
    assert_eq!(o.cf.table_factory.name(), "PlainTable");
}

#[test]
fn errors_name_the_option() {
    let fail = |list: &str| Options::default().set_options(list).unwrap_err().to_string();
    for (list, message) in [
        ("no_such_option=1", "Invalid argument: Extra option not recognized: no_such_option"),
        (
            "write_buffer_size=x",
            "Invalid argument: Error parsing write_buffer_size:stoull: expected a number from 0 to \
             18446744073709551615, found \"x\"",
        ),
        (
            "compaction_style=best",
            "Invalid argument: Error parsing:: compaction_style: expected kCompactionStyleLevel or \
             kCompactionStyleUniversal or kCompactionStyleFIFO or kCompactionStyleNone, \
             found \"best\"",
        ),
        (
            "wal_filter=mine",
            "Not implemented: option wal_filter: value mine is not supported; \
             expected \"nullptr\"",
        ),
        (
            "comparator=my.Order",
            "Not implemented: option comparator: comparator \"my.Order\" is not built in; \
             set it in the program",
        ),
        (
            "block_based_table_factory={filter_policy=xor:10}",
            "Not implemented: option block_based_table_factory: option filter_policy: \
             filter \"xor:10\"; expected bloomfilter:bits or ribbonfilter:bits",
        ),
        (
            "stats_history_buffer_size=big",
            "Invalid argument: Error parsing stats_history_buffer_size:stoull: expected a number from 0 to \
             18446744073709551615, found \"big\"",
        ),
    ] {
        assert_eq!(fail(list), message);
    }
}

#[test]
fn parts_of_the_program_are_kept() {
    struct Mine;
    impl crate::base::Comparator for Mine {
        fn name(&self) -> &str {
            "my.Order"
        }
        fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
            a.cmp(b)
        }
    }
    let mut cf =
        ColumnFamilyOptions { comparator: std::sync::Arc::new(Mine), ..Default::default() };
    cf.set_option("comparator", "my.Order").unwrap();
    assert_eq!(cf.comparator.name(), "my.Order");
}

/// Returns the expected content of `docs/options.md`.
fn page() -> String {
    fn section<T: OptionSet>(title: &str, options: &T, out: &mut String) {
        out.push_str(&format!(
            "\n## {title}\n\n| Option | Label | Default | Meaning |\n|---|---|---|---|\n"
        ));
        let mut rows: Vec<_> = T::rows().iter().collect();
        rows.sort_by_key(|row| row.name.to_lowercase());
        for row in rows {
            let mut label = match row.support {
                Support::Honoured => "honoured",
                Support::Accepted => "accepted",
                Support::Refused => "refused",
            }
            .to_owned();
            if row.changeable {
                label.push_str(", changeable");
            }
            let default = match row.get(options) {
                text if text.is_empty() => String::new(),
                text => format!("`{text}`"),
            };
            let (name, docs) = (row.name, row.docs.trim());
            out.push_str(&format!("| `{name}` | {label} | {default} | {docs} |\n"));
        }
    }
    let mut out = String::from(PAGE_HEAD);
    section("Database", &DbOptions::default(), &mut out);
    section("Column family", &ColumnFamilyOptions::default(), &mut out);
    section("Block-based table", &BlockBasedTableOptions::default(), &mut out);
    section("PlainTable", &PlainTableOptions::default(), &mut out);
    section("CuckooTable", &CuckooTableOptions::default(), &mut out);
    section("compression_opts", &CompressionOptions::default(), &mut out);
    section("compaction_options_universal", &UniversalCompactionOptions::default(), &mut out);
    section("compaction_options_fifo", &FifoCompactionOptions::default(), &mut out);
    section("metadata_cache_options", &MetadataCacheOptions::default(), &mut out);
    out + PAGE_TAIL
}

const PAGE_HEAD: &str = "\
# Options

This page lists RocksDB's options and how Ferrolith treats them, and `memory_limit`, which only Ferrolith has. It is
generated from the tables in `crates/engine/src/options`. Do not edit it; `UPDATE_DOCS=1 cargo test -p ferrolith --lib page_of_options` writes it again.

- **honoured**: the option works as in RocksDB.
- **accepted**: the value has no effect. The option concerns only speed, space or logging, or describes what the
  engine always does. LOG reports that a set option has no effect, if the Rust options have a field for it.
- **refused**: a value other than the default is an error that names the option.
- **changeable**: the option can be changed while the database is open, with `set_options` or `set_db_options`.
";

const PAGE_TAIL: &str = "
## Options of single calls

These options are passed to single calls and do not appear in OPTIONS files.

| Option | Label | |
|---|---|---|
| `ReadOptions::snapshot`, `fill_cache`, `pin_data`, bounds, `prefix_same_as_start`, `total_order_seek`, `auto_prefix_mode`, `readahead_size`, `auto_readahead_size`, `adaptive_readahead`, `async_io`, `max_skippable_internal_keys`, `read_tier`, `tailing`, `deadline_us`, `value_size_soft_limit`, `ignore_range_deletions` | honoured | |
| `ReadOptions::verify_checksums` | accepted | data read from files is always verified |
| `ReadOptions::background_purge_on_iterator_cleanup`, `optimize_multiget_for_io`, `merge_operand_count_threshold`, `allow_unprepared_value`, `auto_refresh_iterator_with_snapshot` | accepted | |
| `ReadOptions::managed` | refused | only by iterators, as in RocksDB |
| `ReadOptions::timestamp`, `iter_start_ts` | refused | user-defined timestamps are not supported |
| `ReadOptions::io_timeout_us` | accepted | it has no effect in RocksDB on POSIX either |
| `WriteOptions::sync`, `disable_wal`, `ignore_missing_column_families`, `no_slowdown` | honoured | |
| `WriteOptions::low_pri`, `memtable_insert_hint_per_batch`, `protection_bytes_per_key` | accepted | |
| `ReadOptions::rate_limiter_priority` | honoured | only by lookups; iterators are not limited |
| `WriteOptions::rate_limiter_priority` | honoured | |
| `FlushOptions::wait`, `allow_write_stall` | honoured | |
| `CompactRangeOptions`: `exclusive_manual_compaction`, `change_level`, `target_level`, `bottommost_level_compaction`, `target_path_id`, `max_subcompactions`, `allow_write_stall`, `canceled` | honoured | |
| `CompactRangeOptions::blob_garbage_collection_policy`, `blob_garbage_collection_age_cutoff` | accepted | |
| `CompactRangeOptions::full_history_ts_low` | refused | user-defined timestamps are not supported |
| `WaitForCompactOptions` | honoured | |
| `SizeApproximationOptions` | honoured | |
| `IngestExternalFileOptions`: `move_files`, `link_files`, `failed_move_fall_back_to_copy`, `snapshot_consistency`, `allow_global_seqno`, `allow_blocking_flush`, `ingest_behind`, `verify_checksums_before_ingest`, `fail_if_not_bottommost_level`, `allow_db_generated_files` | honoured | |
| `IngestExternalFileOptions::verify_checksums_readahead_size`, `verify_file_checksum`, `fill_cache` | accepted | whole-file checksums are not supported, and files are read without caching |
| `IngestExternalFileOptions::write_global_seqno` | refused | the global sequence number is stored in the MANIFEST |
| `ImportColumnFamilyOptions::move_files` | honoured | |
";

#[test]
fn the_page_of_options_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/options.md");
    let page = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(stored == page, "docs/options.md: run this test with UPDATE_DOCS=1");
}

#[test]
fn settings_without_effect_are_told() {
    let mut options = Options::default();
    let told = |o: &Options| super::super::settings_without_effect(&o.db, &[&o.cf, &o.cf]);
    assert!(told(&options).is_empty(), "{:?}", told(&options));
    options
        .set_options("paranoid_checks=false;max_successive_merges=60;max_open_files=50")
        .unwrap();
    assert_eq!(
        told(&options),
        [
            "option max_successive_merges: value 60 has no effect",
            "option paranoid_checks: value false has no effect"
        ]
    );
}

#[test]
fn parts_have_settings_of_their_own() {
    let mut cf = ColumnFamilyOptions::default();
    cf.set_options(
        "compaction_options_fifo={max_table_files_size=5;file_temperature_age_thresholds=\
         {{temperature=kWarm;age=30;}:{temperature=kCold;age=60;}}};\
         compaction_options_universal.size_ratio=7;bottommost_compression_opts=-15:6:0:0:0:1:true",
    )
    .unwrap();
    let fifo = &cf.compaction_options_fifo;
    assert_eq!(fifo.max_table_files_size, 5);
    assert_eq!(fifo.file_temperature_age_thresholds[1].age, 60);
    assert_eq!(cf.compaction_options_universal.size_ratio, 7);
    let last = cf.bottommost_compression_opts;
    assert_eq!((last.window_bits, last.level, last.enabled), (-15, 6, true));
    for name in ["compaction_options_fifo", "bottommost_compression_opts"] {
        let text = cf.get_option(name).unwrap();
        let mut again = ColumnFamilyOptions::default();
        again.set_option(name, &text).unwrap();
        assert_eq!(again.get_option(name).unwrap(), text);
    }
}

/// A refused option can be stored, and fails when it is checked.
#[test]
fn refusals_follow_the_rows() {
    let mut db = DbOptions::default();
    db.check().unwrap();
    db.set_option("best_efforts_recovery", "true").unwrap();
    assert_eq!(
        db.check().unwrap_err().to_string(),
        "Not implemented: option best_efforts_recovery: value true is not supported; expected false"
    );
}
