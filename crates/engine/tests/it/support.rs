//! What the tests share: directories that go away, and the option sets that must all agree.

use ferrolith::internal::compress::CompressionType;
use ferrolith::internal::db::{ColumnFamily, ColumnFamilyDescriptor, Db};
use ferrolith::internal::hooks::{
    FixedPrefixPartitionerFactory, FixedPrefixTransform, StringAppendOperator,
};
use ferrolith::internal::options::{
    BlockBasedTableOptions, ColumnFamilyOptions, CompactionStyle, FilterPolicy, MemtableFactory,
    Options, PlainTableOptions, ReadOptions, TableFactory, WriteOptions,
};
use std::path::Path;
use std::sync::Arc;

pub fn temp_dir() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

/// Whether the file system of temporary directories supports direct I/O; prints a line if not.
pub fn supports_direct_io() -> bool {
    let dir = temp_dir();
    std::fs::write(dir.path().join("probe"), b"x").expect("a file");
    let opened = ferrolith::internal::fs::posix().open_direct(&dir.path().join("probe"));
    opened.map_err(|e| eprintln!("SKIPPED: no direct I/O: {e}")).is_ok()
}

/// Options that flush and compact often, so that small tests reach every level.
pub fn small() -> Options {
    let mut o = Options::default();
    o.db.create_if_missing = true;
    o.db.create_missing_column_families = true;
    o.cf.write_buffer_size = 64 << 10;
    o.cf.target_file_size_base = 32 << 10;
    o.cf.max_bytes_for_level_base = 128 << 10;
    o.cf.merge_operator = Some(Arc::new(StringAppendOperator::default()));
    o
}

/// Every option set that the model test runs, with a name for messages.
pub fn option_sets() -> Vec<(&'static str, Options)> {
    let block = |change: &dyn Fn(&mut BlockBasedTableOptions)| {
        let mut table = BlockBasedTableOptions { block_size: 512, ..Default::default() };
        change(&mut table);
        TableFactory::BlockBased(table)
    };
    let mut sets = vec![("default", small())];
    let mut bloom = small();
    bloom.cf.table_factory = block(&|t| {
        t.filter_policy = Some(FilterPolicy::Bloom { bits_per_key: 10.0 });
        t.block_restart_interval = 3;
    });
    bloom.cf.prefix_extractor = Some(Arc::new(FixedPrefixTransform::new(4)));
    bloom.cf.memtable_prefix_bloom_size_ratio = 0.1;
    bloom.cf.memtable_whole_key_filtering = true;
    sets.push(("bloom and prefix", bloom));
    for (name, compression) in [
        ("lz4", CompressionType::Lz4),
        ("zlib", CompressionType::Zlib),
        ("zstd", CompressionType::Zstd),
    ] {
        let mut set = small();
        set.cf.compression = compression;
        set.db.allow_mmap_reads = name == "lz4";
        sets.push((name, set));
    }
    let mut together = small();
    together.db.atomic_flush = true;
    together.db.max_background_jobs = 4;
    sets.push(("atomic flush", together));
    let mut few_files = small();
    few_files.db.max_open_files = 10;
    few_files.db.max_subcompactions = 3;
    few_files.cf.level_compaction_dynamic_level_bytes = false;
    few_files.cf.compression = CompressionType::None;
    sets.push(("few open files", few_files));
    for (name, limit) in [("tiny memory limit", 1), ("memory limit", 8 << 20)] {
        let mut set = small();
        set.db.memory_limit = limit;
        set.db.max_subcompactions = 2;
        set.cf.table_factory = block(&|t| {
            t.filter_policy = Some(FilterPolicy::Bloom { bits_per_key: 10.0 });
            t.cache_index_and_filter_blocks = limit > 1;
        });
        sets.push((name, set));
    }
    for (name, levels) in [("universal", 7), ("universal on one level", 1)] {
        let mut set = small();
        set.cf.compaction_style = CompactionStyle::Universal;
        set.cf.num_levels = levels;
        set.cf.compaction_options_universal.allow_trivial_move = levels > 1;
        set.db.max_subcompactions = 2;
        sets.push((name, set));
    }
    let mut direct = small();
    if supports_direct_io() {
        direct.db.use_direct_reads = true;
        direct.db.use_direct_io_for_flush_and_compaction = true;
        direct.db.writable_file_max_buffer_size = 8 << 10;
    }
    // So small that most lookups read.
    direct.cf.table_factory =
        block(&|t| t.block_cache = Some(ferrolith::internal::cache::Cache::new_lru(8 << 10)));
    sets.push(("direct", direct));
    // What drops nothing: the limits are out of reach.
    let mut fifo = small();
    fifo.cf.compaction_style = CompactionStyle::Fifo;
    fifo.cf.compaction_options_fifo.allow_compaction = true;
    sets.push(("fifo", fifo));
    let mut partitioned = small();
    partitioned.cf.sst_partitioner_factory = Some(Arc::new(FixedPrefixPartitionerFactory::new(4)));
    partitioned.cf.periodic_compaction_seconds = 1;
    sets.push(("partitioned and periodic", partitioned));
    let mut vector = small();
    vector.cf.memtable_factory = MemtableFactory::Vector { count: 0 };
    vector.db.allow_concurrent_memtable_write = false;
    sets.push(("vector", vector));
    for (name, memtable) in [
        ("plain prefix_hash", MemtableFactory::hash_skip_list()),
        ("plain hash_linkedlist", MemtableFactory::HashLinkList { bucket_count: 1000 }),
    ] {
        let mut set = small();
        set.cf.memtable_factory = memtable;
        set.cf.prefix_extractor = Some(Arc::new(FixedPrefixTransform::new(4)));
        set.cf.table_factory = TableFactory::Plain(PlainTableOptions::default());
        set.cf.compression = CompressionType::None;
        set.db.allow_mmap_reads = true;
        set.db.allow_concurrent_memtable_write = false;
        sets.push((name, set));
    }
    sets
}

/// Opens a database with column families `default`, `one`, `two`, all with the same options.
pub fn open_three(options: &Options, path: &Path) -> (Db, Vec<ColumnFamily>) {
    try_open_three(options, path).expect("open")
}

pub fn try_open_three(
    options: &Options,
    path: &Path,
) -> ferrolith::Result<(Db, Vec<ColumnFamily>)> {
    let descriptors = ["default", "one", "two"]
        .map(|name| ColumnFamilyDescriptor::new(name, options.cf.clone()))
        .to_vec();
    Db::open_cf(&options.db, path, descriptors)
}

pub fn wo() -> WriteOptions {
    WriteOptions::default()
}

pub fn ro() -> ReadOptions {
    ReadOptions::default()
}

/// All entries of the default column family, in order.
pub fn dump(db: &Db) -> Vec<(Vec<u8>, Vec<u8>)> {
    dump_cf(db, &db.default_cf())
}

/// All entries of a column family, in order.
pub fn dump_cf(db: &Db, cf: &ColumnFamily) -> Vec<(Vec<u8>, Vec<u8>)> {
    let ro = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
    let mut iter = db.iter_cf(&ro, cf).expect("iterator");
    let mut entries = Vec::new();
    iter.seek_to_first();
    while iter.valid() {
        entries.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next();
    }
    iter.status().expect("iterator status");
    entries
}

/// A copy of the column family options with one change.
pub fn with_cf(options: &Options, change: impl FnOnce(&mut ColumnFamilyOptions)) -> Options {
    let mut options = options.clone();
    change(&mut options.cf);
    options
}
