use super::*;
use crate::hooks::FixedPrefixTransform;
use crate::options::Options;
use std::sync::Arc;

/// Changes one thing of the default options.
fn with(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::default();
    change(&mut options);
    options
}

fn validate(options: &Options) -> Result<()> {
    validate_db(&options.db)?;
    validate_cf(&options.cf)
}

fn sanitize(options: &mut Options) -> Vec<String> {
    let mut changes = sanitize_db(&mut options.db);
    changes.extend(sanitize_cf(&mut options.cf));
    changes
}

fn block_based(change: impl FnOnce(&mut BlockBasedTableOptions)) -> Options {
    let mut table = BlockBasedTableOptions::default();
    change(&mut table);
    with(|o| o.cf.table_factory = TableFactory::BlockBased(table))
}

#[test]
fn defaults_are_valid_and_stay() {
    let mut options = Options::default();
    validate(&options).unwrap();
    assert_eq!(sanitize(&mut options), Vec::<String>::new());
    assert_eq!(options.cf.arena_block_size, 1 << 20);
    assert_eq!(options.cf.max_compaction_bytes, 25 * (64 << 20));
    assert_eq!(sanitize(&mut options), Vec::<String>::new());
    validate(&options).unwrap();
}

/// Unset times follow RocksDB's rules per style.
#[test]
fn unset_times_become_a_month_or_never() {
    const MONTH: u64 = 30 * 24 * 60 * 60;
    let times = |change: &dyn Fn(&mut Options)| {
        let mut options = with(change);
        sanitize(&mut options);
        (options.cf.ttl, options.cf.periodic_compaction_seconds)
    };
    let universal = |o: &mut Options| o.cf.compaction_style = CompactionStyle::Universal;
    assert_eq!(times(&|_| {}), (MONTH, 0));
    let filter = crate::hooks::compaction_filter_by_name("RemoveEmptyValueCompactionFilter");
    assert_eq!(times(&|o| o.cf.compaction_filter = filter.clone()), (MONTH, MONTH));
    assert_eq!(times(&universal), (MONTH, MONTH));
    let shorter = |o: &mut Options| {
        universal(o);
        o.cf.ttl = 60;
    };
    assert_eq!(times(&shorter), (60, 60));
    let never = |o: &mut Options| (o.cf.ttl, o.cf.periodic_compaction_seconds) = (0, 0);
    assert_eq!(times(&never), (0, 0));
    let plain = |o: &mut Options| o.cf.table_factory = TableFactory::Plain(Default::default());
    assert_eq!(times(&plain), (0, 0));
    let fifo = |o: &mut Options| o.cf.compaction_style = CompactionStyle::Fifo;
    assert_eq!(times(&fifo), (MONTH, 0));
}

#[test]
fn refusals_name_option_value_and_range() {
    let refused: &[(Options, &str)] = &[
        (
            with(|o| o.cf.compaction_options_universal.incremental = true),
            "Not implemented: option compaction_options_universal.incremental: value true is not \
             supported; expected false",
        ),
        (
            with(|o| {
                o.cf.compaction_style = CompactionStyle::Universal;
                o.cf.compaction_options_universal.max_read_amp = 3;
            }),
            "Not implemented: CompactionOptionsUniversal::max_read_amp limits the number of sorted \
             runs but is smaller than the compaction trigger level0_file_num_compaction_trigger.",
        ),
        (
            with(|o| o.db.keep_log_file_num = 0),
            "Invalid argument: keep_log_file_num must be greater than 0",
        ),
        (
            with(|o| (o.db.allow_mmap_reads, o.db.use_direct_reads) = (true, true)),
            "Not implemented: If memory mapped reads (allow_mmap_reads) are enabled then direct I/O reads \
             (use_direct_reads) must be disabled. ",
        ),
        (
            with(|o| o.cf.num_levels = 65),
            "Invalid argument: option num_levels: value 65 is not allowed: \
             expected at most 64",
        ),
        (
            with(|o| o.cf.compression = CompressionType::Xpress),
            "Invalid argument: Compression type Xpress is not linked with the binary.",
        ),
        (
            with(|o| o.cf.compression_opts.zstd_max_train_bytes = 100),
            "Invalid argument: The dictionary size limit (`CompressionOptions::max_dict_bytes`) \
             should be nonzero if we're using zstd's dictionary generator.",
        ),
        (
            block_based(|t| t.format_version = 8),
            "Invalid argument: Unsupported BlockBasedTable format_version. Please check include/rocksdb/table.h for \
             more info",
        ),
        (
            block_based(|t| t.unnamed.note("index_type", Some(7))),
            "Invalid argument: No mapping for enum : index_type: value 7",
        ),
        (
            with(|o| o.cf.unnamed.note("compression", Some(255))),
            "Invalid argument: kDisableCompressionOption not permitted for option: compression",
        ),
        (
            block_based(|t| t.index_type = crate::options::IndexType::HashSearch),
            "Invalid argument: Hash index is specified for block-based table, but \
             prefix_extractor is not given",
        ),
        (
            block_based(|t| t.block_align = true),
            "Invalid argument: Enable block_align, but compression enabled",
        ),
        (
            with(|o| o.cf.max_bytes_for_level_multiplier = f64::NAN),
            "Invalid argument: option max_bytes_for_level_multiplier: value NaN is not allowed: \
             expected a finite number",
        ),
    ];
    for (options, message) in refused {
        assert_eq!(&validate(options).unwrap_err().to_string(), message);
    }
    let more = [
        with(|o| o.db.allow_mmap_writes = true),
        with(|o| o.cf.bottommost_compression = Some(CompressionType::Xpress)),
        block_based(|t| {
            t.no_block_cache = true;
            t.cache_index_and_filter_blocks = true;
        }),
    ];
    for (i, options) in more.iter().enumerate() {
        assert!(validate(options).is_err(), "case {i}");
    }
}

#[test]
fn odd_values_move_and_are_told() {
    let mut o = with(|o| {
        o.db.max_open_files = 3;
        o.db.max_background_jobs = 0;
        o.cf.write_buffer_size = 1;
        o.cf.max_write_buffer_number = 1;
        o.cf.min_write_buffer_number_to_merge = 9;
        o.cf.num_levels = 1;
        o.cf.level0_file_num_compaction_trigger = 40;
        o.cf.soft_pending_compaction_bytes_limit = 0;
        o.cf.memtable_factory = MemtableFactory::hash_skip_list();
    });
    validate(&o).unwrap();
    let changes = sanitize(&mut o);
    assert_eq!(o.db.max_open_files, 20);
    assert_eq!(o.db.max_background_jobs, 1);
    assert_eq!((o.cf.write_buffer_size, o.cf.arena_block_size), (64 << 10, 8 << 10));
    assert_eq!((o.cf.max_write_buffer_number, o.cf.min_write_buffer_number_to_merge), (2, 1));
    assert_eq!(o.cf.num_levels, 2);
    assert_eq!((o.cf.level0_slowdown_writes_trigger, o.cf.level0_stop_writes_trigger), (40, 40));
    assert_eq!(o.cf.soft_pending_compaction_bytes_limit, 256 << 30);
    assert_eq!(o.cf.memtable_factory, MemtableFactory::default());
    assert_eq!(changes.len(), 10, "{changes:#?}");
    assert!(changes.contains(&"option num_levels: 1 changed to 2: it must be 2 to 64".to_string()));
}

#[test]
fn numbers_that_rocksdb_takes_are_moved() {
    let mut o = with(|o| {
        o.db.max_background_jobs = 5000;
        o.db.max_open_files = i32::MIN;
        o.cf.target_file_size_base = 0;
        o.cf.max_bytes_for_level_multiplier_additional = vec![1, 0];
        o.cf.level0_slowdown_writes_trigger = -1;
        o.cf.memtable_factory = MemtableFactory::HashLinkList { bucket_count: 0 };
        o.cf.prefix_extractor = Some(Arc::new(FixedPrefixTransform::new(8)));
        o.cf.table_factory = TableFactory::BlockBased(BlockBasedTableOptions {
            filter_policy: Some(FilterPolicy::Bloom { bits_per_key: f64::NAN }),
            block_restart_interval: -1_i32 as usize,
            format_version: 0,
            ..BlockBasedTableOptions::default()
        });
    });
    validate(&o).unwrap();
    assert_eq!(sanitize(&mut o).len(), 9);
    assert_eq!((o.db.max_background_jobs, o.db.max_open_files), (1024, 20));
    assert_eq!(o.cf.target_file_size_base, 1);
    assert_eq!(o.cf.max_bytes_for_level_multiplier_additional, [1, 1]);
    assert_eq!(o.cf.level0_slowdown_writes_trigger, 4);
    assert_eq!(o.cf.memtable_factory, MemtableFactory::HashLinkList { bucket_count: 1 });
    let TableFactory::BlockBased(table) = &o.cf.table_factory else { panic!("not block-based") };
    assert_eq!(table.filter_policy, Some(FilterPolicy::Bloom { bits_per_key: 100.0 }));
    assert_eq!((table.block_restart_interval, table.format_version), (1, 2));
}

#[test]
fn meaningful_oddities_stay() {
    let mut o = with(|o| {
        o.cf.memtable_factory = MemtableFactory::hash_skip_list();
        o.cf.prefix_extractor = Some(Arc::new(FixedPrefixTransform::new(8)));
    });
    assert_eq!(sanitize(&mut o), Vec::<String>::new());
    assert_eq!(o.cf.memtable_factory, MemtableFactory::hash_skip_list());
}

#[test]
fn plain_tables_stay_addressable() {
    let mut o = with(|o| {
        o.cf.table_factory = TableFactory::Plain(PlainTableOptions::default());
        o.cf.write_buffer_size = 8 << 30;
        o.cf.max_write_buffer_number = 8;
        o.cf.min_write_buffer_number_to_merge = 4;
    });
    sanitize(&mut o);
    assert_eq!((o.cf.write_buffer_size, o.cf.min_write_buffer_number_to_merge), (1 << 30, 1));
}

#[test]
fn jobs_are_split_as_in_rocksdb() {
    let limits = |jobs, flushes, compactions| {
        background_job_limits(&DbOptions {
            max_background_jobs: jobs,
            max_background_flushes: flushes,
            max_background_compactions: compactions,
            ..DbOptions::default()
        })
    };
    assert_eq!(limits(2, -1, -1), (1, 1));
    assert_eq!(limits(8, -1, -1), (2, 6));
    assert_eq!(limits(0, -1, -1), (1, 1));
    assert_eq!(limits(8, 0, 4), (1, 4));
    assert_eq!(limits(8, 3, -1), (3, 1));
}
