use super::super::{CompactionPri, FilterPolicy, MemtableFactory, TableFactory};
use super::*;
use crate::compress::CompressionType;
use std::collections::BTreeSet;

/// Every row prints a value that it reads again, to the same print; no name occurs twice.
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
    assert!(o.db.statistics);
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
        ("no_such_option=1", "Invalid argument: unknown option \"no_such_option\""),
        (
            "write_buffer_size=-1",
            "Invalid argument: option write_buffer_size: expected a number from 0 to \
             18446744073709551615, found \"-1\"",
        ),
        (
            "compaction_style=best",
            "Invalid argument: option compaction_style: expected kCompactionStyleLevel or \
             kCompactionStyleUniversal or kCompactionStyleFIFO or kCompactionStyleNone, \
             found \"best\"",
        ),
        (
            "atomic_flush=true",
            "Not implemented: option atomic_flush: value true is not supported; \
             expected \"false\"",
        ),
        (
            "comparator=my.Order",
            "Not implemented: option comparator: comparator \"my.Order\" is not built in; \
             set it in the program",
        ),
        (
            "block_based_table_factory={filter_policy=ribbonfilter:10}",
            "Not implemented: option block_based_table_factory: option filter_policy: \
             filter \"ribbonfilter:10\"; expected bloomfilter:bits",
        ),
        (
            "stats_history_buffer_size=big",
            "Invalid argument: option stats_history_buffer_size: expected a whole number, found \"big\"",
        ),
    ] {
        assert_eq!(fail(list), message);
    }
    let bottom = "bottommost_compression_opts={level=3;enabled=true;}";
    assert!(fail(bottom).starts_with("Not implemented: option bottommost_compression_opts"));
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

/// `docs/options.md` as it should be.
fn page() -> String {
    fn section<T: OptionSet>(title: &str, options: &T, out: &mut String) {
        out.push_str(&format!("\n## {title}\n\n| Option | Label | Default |\n|---|---|---|\n"));
        for row in T::rows() {
            let label = match row.support {
                Support::Honoured => "honoured",
                Support::Accepted => "accepted",
                Support::Refused => "refused",
            };
            let default = match row.get(options) {
                text if text.is_empty() => String::new(),
                text => format!("`{text}`"),
            };
            out.push_str(&format!("| `{}` | {label} | {default} |\n", row.name));
        }
    }
    let mut out = String::from(PAGE_HEAD);
    section("Database", &DbOptions::default(), &mut out);
    section("Column family", &ColumnFamilyOptions::default(), &mut out);
    section("Block-based table", &BlockBasedTableOptions::default(), &mut out);
    section("PlainTable", &PlainTableOptions::default(), &mut out);
    out + PAGE_TAIL
}

const PAGE_HEAD: &str = "\
# Options

Made from the rows in `crates/engine/src/options/registry`; do not edit. `UPDATE_DOCS=1 cargo test -p
ferrolith --lib page_of_options` writes it anew.

- **honoured**: the engine does what the option says.
- **accepted**: its value changes nothing. Results never depend on it; it is about speed, space or
  logging, or names what the engine does always. One that has a field and was set gets a line in LOG.
- **refused**: a value other than the default is an error that names the option.
";

const PAGE_TAIL: &str = "
## Options of calls

They have no names in OPTIONS files.

| Option | Label | |
|---|---|---|
| `ReadOptions::snapshot`, `fill_cache`, bounds, `prefix_same_as_start`, `total_order_seek`, `auto_prefix_mode`, `readahead_size`, `max_skippable_internal_keys` | honoured | |
| `ReadOptions::verify_checksums` | accepted | what is read from files is always verified |
| `WriteOptions::sync`, `disable_wal`, `ignore_missing_column_families`, `no_slowdown` | honoured | |
| `WriteOptions::low_pri` | accepted | |
| `FlushOptions::wait`, `allow_write_stall` | honoured | |
| `CompactRangeOptions::bottommost_level_compaction`, `max_subcompactions` | honoured | |
| `CompactRangeOptions::exclusive_manual_compaction` | accepted | no automatic compaction starts meanwhile |
| `CompactRangeOptions::change_level`, `target_level` | refused | |
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
    options.set_options("paranoid_checks=false;ttl=60;max_open_files=50").unwrap();
    assert_eq!(
        told(&options),
        ["option paranoid_checks: value false has no effect", "option ttl: value 60 has no effect"]
    );
}
