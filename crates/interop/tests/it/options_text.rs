//! OPTIONS files: what 10.10.1 writes we read, and write again with the same values.

use crate::children::run;
use ferrolith::internal::options::{
    BlockBasedTableOptions, ColumnFamilyOptions, DbOptions, InFile, Leniency, OptionSet, Options,
    OptionsFile, options_file_text,
};
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::Shape;
use std::collections::BTreeSet;

/// The lines `name=value` of a file, without the one that names the writer.
fn lines(text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(str::trim).filter(|l| l.contains('=') && !l.starts_with('#'));
    lines.filter(|l| !l.starts_with("rocksdb_version=")).map(String::from).collect()
}

/// Whether the line is the default of an option that we write only when it is set, or never.
fn is_left_out<T: OptionSet>(line: &str) -> bool {
    let (name, value) = line.split_once('=').unwrap();
    let row = T::row(name).filter(|row| row.in_file != InFile::Always);
    row.is_some_and(|row| row.get(&T::default()) == value)
}

/// Values of parts in braces, as sets: what is younger than 7.8.3 and default is not there.
fn without_young_defaults(line: &str) -> String {
    const YOUNG: [&str; 6] = [
        "max_compressed_bytes_per_kb=896;",
        "checksum=false;",
        "trivial_copy_buffer_size=4096;",
        "allow_trivial_copy_when_change_temperature=false;",
        "file_temperature_age_thresholds=;",
        "reduce_file_locking=false;",
    ];
    let line = YOUNG.iter().fold(line.to_string(), |line, young| line.replace(young, ""));
    line.replace("max_read_amp=-1;", "")
}

/// Opens a database with 10.10.1 and compares its OPTIONS with ours.
fn compare(db: &str, cf: &str) {
    let dir = tempfile::tempdir().unwrap();
    let shape = Shape::default();
    let setup = Setup { dir: dir.path().into(), db: db.into(), cf: cf.into(), shape };
    run(Engine::Rocksdb, &setup, &[Step::Flush]);
    let mut names: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("OPTIONS-"))
        .collect();
    names.sort();
    let theirs = std::fs::read_to_string(names.last().unwrap()).unwrap();
    let file = OptionsFile::parse(&theirs, &Options::default(), Leniency::default()).unwrap();
    let families: Vec<_> = file.column_families.iter().map(|(n, cf)| (n.as_str(), cf)).collect();
    let text = options_file_text(&file.db, &families);
    let theirs: BTreeSet<_> = lines(&theirs).iter().map(|l| without_young_defaults(l)).collect();
    let ours: BTreeSet<_> = lines(&text).iter().map(|l| without_young_defaults(l)).collect();
    let missing: Vec<_> = theirs
        .difference(&ours)
        .filter(|line| {
            !is_left_out::<DbOptions>(line)
                && !is_left_out::<ColumnFamilyOptions>(line)
                && !is_left_out::<BlockBasedTableOptions>(line)
        })
        .collect();
    // We also write what only 7.8.3 knows.
    let gone = |name: &str| !theirs.iter().any(|line| line.split('=').next() == Some(name));
    let more: Vec<_> =
        ours.difference(&theirs).filter(|l| !gone(l.split('=').next().unwrap())).collect();
    assert!(missing.is_empty() && more.is_empty(), "missing {missing:#?}\nmore {more:#?}");
}

#[test]
fn defaults_are_the_same_text() {
    compare("", "");
}

#[test]
fn temperatures_by_age_are_the_same_text() {
    compare(
        "",
        "num_levels=1;compaction_style=kCompactionStyleFIFO;compaction_options_fifo={allow_compaction=true;\
         file_temperature_age_thresholds={{temperature=kWarm;age=10;}:{temperature=kCold;age=100;}}}",
    );
    compare(
        "",
        "num_levels=1;compaction_style=kCompactionStyleFIFO;compaction_options_fifo={\
         file_temperature_age_thresholds={{temperature=kWarm;age=10;}}}",
    );
}

#[test]
fn settings_are_the_same_text() {
    compare(
        "max_open_files=77;stats_dump_period_sec=5;wal_recovery_mode=kAbsoluteConsistency;\
         delayed_write_rate=1048577;recycle_log_file_num=0;wal_compression=kZSTD;\
         max_manifest_space_amp_pct=123;write_identity_file=true;daily_offpeak_time_utc=01:00-02:00;\
         lowest_used_cache_tier=kVolatileTier;info_log_level=WARN_LEVEL;db_host_id=here;\
         writable_file_max_buffer_size=12345;compaction_readahead_size=1000;max_subcompactions=3;\
         metadata_write_temperature=kHot;follower_catchup_retry_count=3;bytes_per_sync=4096",
        "compression=kLZ4Compression;compression_per_level=kNoCompression:kSnappyCompression;\
         bottommost_compression=kZSTD;compression_opts={level=4;parallel_threads=2;\
         max_compressed_bytes_per_kb=800;checksum=true};bottommost_compression_opts={level=7;\
         enabled=true};compaction_options_universal={size_ratio=9;max_read_amp=4;\
         stop_style=kCompactionStopStyleSimilarSize};compaction_options_fifo={allow_compaction=true;\
         max_table_files_size=12345};\
         max_bytes_for_level_multiplier_additional=1:2:3;ttl=1000;last_level_temperature=kCold;\
         prefix_extractor=rocksdb.FixedPrefix.5;memtable_factory=skip_list:7;\
         memtable_protection_bytes_per_key=8;block_protection_bytes_per_key=4;num_levels=6;\
         memtable_op_scan_flush_trigger=12;blob_file_size=100000;min_blob_size=10;\
         block_based_table_factory={block_size=8192;filter_policy=ribbonfilter:12:2;\
         index_type=kTwoLevelIndexSearch;partition_filters=true;format_version=7;\
         metadata_cache_options={top_level_index_pinning=kAll;partition_pinning=kNone;};\
         prepopulate_block_cache=kFlushOnly;use_delta_encoding=false;index_shortening=kNoShortening;\
         decouple_partitioned_filters=false;super_block_alignment_size=0;checksum=kCRC32c}",
    );
}
