//! One directory, two engines in turn: 10.10.1's library and ours. Each writes, flushes, compacts
//! and is closed or killed; after each turn both must find every key, and nothing else.

use crate::children::{check_copy, run, run_and_kill};
use crate::tools;
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::{Merges, Model, Ranges, Shape, Workload};
use std::path::Path;

/// Batches per fill.
const BATCHES: u64 = 700;
/// Small enough that memtables fill, levels fill, and compactions cut several tables.
const SMALL: &str = "write_buffer_size=64K;target_file_size_base=64K;max_bytes_for_level_base=256K;\
    level0_file_num_compaction_trigger=3";

/// How a directory is written and read.
pub struct Form {
    seed: u64,
    shape: Shape,
    db: String,
    cf: String,
    /// What only RocksDB is told: features that we read but do not write.
    theirs: String,
    tools: bool,
}

impl Form {
    /// Options of column families that both engines get.
    pub fn new(cf: &str) -> Form {
        let cf = [SMALL, cf].join(";");
        let cf = cf.trim_end_matches(';').to_owned();
        let (db, theirs) = (String::new(), String::new());
        Form {
            seed: fastrand::u64(..1 << 40),
            shape: Shape::default(),
            db,
            cf,
            theirs,
            tools: true,
        }
    }

    /// PlainTable with these options, and what goes with it. An iterator over all keys must not
    /// seek inside RocksDB's PlainTable, as it does to get past many old versions of a key.
    pub fn plain(table: &str, memtable: &str) -> Form {
        let mut form = Form::new(&format!(
            "prefix_extractor=rocksdb.FixedPrefix.8;memtable_factory={memtable};\
             table_factory={{id=PlainTable;{table}}};compression=kNoCompression;\
             max_sequential_skip_in_iterations=1000000"
        ));
        form.shape.fixed = true;
        form.db("allow_mmap_reads=true;allow_concurrent_memtable_write=false")
    }

    /// CuckooTable with these options, and what it demands.
    pub fn cuckoo(table: &str) -> Form {
        let mut form = Form::new(&format!(
            "table_factory={{id=CuckooTable;{table}}};compression=kNoCompression"
        ));
        form.shape.fixed = true;
        form.shape.even = true;
        form.db("allow_mmap_reads=true")
    }

    /// Options of the database that both engines get.
    pub fn db(self, db: &str) -> Form {
        Form { db: db.into(), ..self }
    }

    /// More options of column families that both engines get.
    pub fn and(self, cf: &str) -> Form {
        Form { cf: format!("{};{cf}", self.cf), ..self }
    }

    /// Options that only RocksDB gets.
    pub fn theirs(self, theirs: &str) -> Form {
        Form { theirs: theirs.into(), ..self }
    }

    /// Column families and merges.
    pub fn shape(mut self, families: usize, merges: Merges) -> Form {
        self.shape.families = families;
        self.shape.merges = merges;
        self
    }

    /// Deletes ranges, too.
    pub fn ranges(mut self, ranges: Ranges) -> Form {
        self.shape.ranges = ranges;
        self
    }

    /// Keys of one length.
    pub fn fixed_keys(mut self) -> Form {
        self.shape.fixed = true;
        self
    }

    /// 7.8.3 does not read what this writes.
    pub fn too_new_for_tools(self) -> Form {
        Form { tools: false, ..self }
    }

    fn setup(&self, engine: Engine, dir: &Path) -> Setup {
        let mut cf = self.cf.clone();
        if engine == Engine::Rocksdb && !self.theirs.is_empty() {
            cf = format!("{cf};{}", self.theirs);
        }
        Setup { dir: dir.into(), db: self.db.clone(), cf, shape: self.shape }
    }

    /// Lets the engines take turns, beginning with ours.
    pub fn exchange(&self) {
        self.turns([Engine::Ferrolith, Engine::Rocksdb, Engine::Ferrolith]);
    }

    /// Lets the engines take turns, beginning with RocksDB.
    pub fn exchange_theirs(&self) {
        self.turns([Engine::Rocksdb, Engine::Ferrolith, Engine::Rocksdb]);
    }

    fn turns(&self, engines: [Engine; 3]) {
        let dir = tempfile::tempdir().unwrap();
        let mut workload = Workload::new(self.shape, self.seed, 0);
        let mut model = Model::new(&self.shape);
        let mut at = 0;
        let mut fill = |model: &mut Model| {
            (0..BATCHES).for_each(|_| model.apply(&workload.next_batch()));
            at += BATCHES;
            Step::Fill { seed: self.seed, from: at - BATCHES, to: at }
        };
        for (turn, engine) in engines.into_iter().enumerate() {
            let setup = self.setup(engine, dir.path());
            let first = fill(&mut model);
            match turn {
                0 => {
                    run(engine, &setup, &[first, Step::Flush]);
                    self.check("flushed", &dir, &model, engine);
                    let steps = [fill(&mut model), Step::Compact, Step::Wait, fill(&mut model)];
                    run_and_kill(engine, &setup, &steps);
                }
                1 => run(engine, &setup, &[first, Step::Flush, Step::Compact, fill(&mut model)]),
                _ => run_and_kill(engine, &setup, &[first, Step::Compact]),
            }
            self.check(&format!("turn {turn} by {engine:?}"), &dir, &model, engine);
        }
    }

    fn check(&self, when: &str, dir: &tempfile::TempDir, model: &Model, writer: Engine) {
        let when = format!("seed {}, {when}", self.seed);
        for engine in [Engine::Ferrolith, Engine::Rocksdb] {
            check_copy(&when, engine, &self.setup(engine, dir.path()), &model.families);
        }
        // RocksDB 10.10.1 leaves an OPTIONS file that 7.8.3 does not understand.
        if self.tools && writer == Engine::Ferrolith {
            let names = self.setup(writer, dir.path()).names();
            tools::check(&when, dir.path(), &names, &model.families);
        }
    }
}

macro_rules! exchange {
    ($($(#[doc = $doc:literal])* $name:ident: $form:expr;)*) => {
        $(#[test] fn $name() { $form.exchange(); })*
    };
}

macro_rules! theirs {
    ($($(#[doc = $doc:literal])* $name:ident: $form:expr;)*) => {
        $(#[test] fn $name() { $form.exchange_theirs(); })*
    };
}

fn table(options: &str) -> Form {
    Form::new(&format!("block_based_table_factory={{{options}}}"))
}

/// Small blocks, so that files have many.
fn with_dictionary(codec: &str, options: &str) -> Form {
    Form::new(&format!(
        "compression={codec};compression_opts={{max_dict_bytes=2048;{options}}};\
         block_based_table_factory={{block_size=256}}"
    ))
}

const PREFIX: &str = "prefix_extractor=rocksdb.FixedPrefix.8";

exchange! {
    defaults: Form::new("");
    compression_none: Form::new("compression=kNoCompression");
    compression_snappy: Form::new("compression=kSnappyCompression");
    compression_lz4: Form::new("compression=kLZ4Compression");
    compression_lz4hc: Form::new("compression=kLZ4HCCompression");
    compression_zlib: Form::new("compression=kZlibCompression");
    compression_zstd: Form::new("compression=kZSTD");
    compression_zstd_with_checksums: Form::new("compression=kZSTD").and(
        "compression_opts={checksum=true;level=9}"
    ).too_new_for_tools();
    compression_bzip2: Form::new("compression=kBZip2Compression");
    dictionary_zstd: with_dictionary("kZSTD", "level=5");
    dictionary_zstd_trained: with_dictionary("kZSTD", "zstd_max_train_bytes=16384");
    dictionary_zstd_finalized: with_dictionary(
        "kZSTD", "zstd_max_train_bytes=8192;use_zstd_dict_trainer=false;level=1"
    );
    dictionary_zlib: with_dictionary("kZlibCompression", "window_bits=-14");
    dictionary_lz4: with_dictionary("kLZ4Compression", "max_dict_buffer_bytes=3000");
    dictionary_lz4hc: with_dictionary("kLZ4HCCompression", "level=4");
    dictionary_of_codecs_without: with_dictionary("kSnappyCompression", "level=4");
    dictionary_at_the_bottom: Form::new(
        "bottommost_compression=kZSTD;bottommost_compression_opts={enabled=true;\
         max_dict_bytes=2048;zstd_max_train_bytes=8192};block_based_table_factory={block_size=256}"
    );
    compression_per_level: Form::new(
        "compression_per_level=kNoCompression:kLZ4Compression:kZSTD;bottommost_compression=kZlibCompression"
    );
    format_version_2: table("format_version=2;checksum=kCRC32c");
    format_version_3: table("format_version=3;checksum=kxxHash");
    format_version_4: table("format_version=4;checksum=kxxHash64;index_block_restart_interval=16");
    format_version_5: table("format_version=5;checksum=kNoChecksum");
    format_version_6: table("format_version=6;filter_policy=bloomfilter:10").too_new_for_tools();
    format_version_7: table("format_version=7;filter_policy=bloomfilter:10").too_new_for_tools();
    bloom_whole_keys: table("filter_policy=bloomfilter:10;block_size=1024");
    bloom_prefixes: Form::new(&format!(
        "{PREFIX};block_based_table_factory={{filter_policy=bloomfilter:9.5;whole_key_filtering=false}};\
         memtable_prefix_bloom_size_ratio=0.1"
    )).fixed_keys();
    bloom_not_at_the_bottom: Form::new(
        "optimize_filters_for_hits=true;block_based_table_factory={filter_policy=bloomfilter:10}"
    );
    partitions: table(
        "index_type=kTwoLevelIndexSearch;partition_filters=true;metadata_block_size=256;\
         block_size=256;filter_policy=bloomfilter:10"
    );
    partitions_of_prefixes: Form::new(&format!(
        "{PREFIX};block_based_table_factory={{index_type=kTwoLevelIndexSearch;\
         partition_filters=true;metadata_block_size=128;block_size=256;format_version=4;\
         filter_policy=bloomfilter:10}}"
    )).fixed_keys();
    partitions_of_prefixes_alone: Form::new(&format!(
        "{PREFIX};block_based_table_factory={{index_type=kTwoLevelIndexSearch;\
         partition_filters=true;metadata_block_size=128;block_size=256;whole_key_filtering=false;\
         filter_policy=ribbonfilter:10}}"
    )).fixed_keys();
    partitioned_index: table(
        "index_type=kTwoLevelIndexSearch;metadata_block_size=128;block_size=256;\
         enable_index_compression=false;index_block_restart_interval=4"
    );
    partitioned_index_format_2: table(
        "index_type=kTwoLevelIndexSearch;metadata_block_size=128;block_size=256;format_version=2"
    );
    first_key_index: table("index_type=kBinarySearchWithFirstKey;index_shortening=kNoShortening");
    first_key_index_format_3: table("index_type=kBinarySearchWithFirstKey;format_version=3");
    shortened_successors: table("index_shortening=kShortenSeparatorsAndSuccessor");
    hash_index: Form::new(&format!(
        "{PREFIX};block_based_table_factory={{index_type=kHashSearch;block_size=512}}"
    )).fixed_keys();
    block_align: Form::new("compression=kNoCompression").and(
        "block_based_table_factory={block_align=true;block_size=1024}"
    );
    whole_keys_in_blocks: Form::new("").and(
        "block_based_table_factory={use_delta_encoding=false}"
    ).too_new_for_tools();
    ribbon: table("filter_policy=ribbonfilter:10;block_size=1024");
    ribbon_hybrid: table("filter_policy=ribbonfilter:12:1");
    ribbon_prefixes: Form::new(&format!(
        "{PREFIX};block_based_table_factory={{filter_policy=ribbonfilter:9.5:-1;\
         whole_key_filtering=false}}"
    )).fixed_keys();
    data_block_hash: table("data_block_index_type=kDataBlockBinaryAndHash;block_restart_interval=4");
    restart_interval_1: table("block_restart_interval=1;block_size=512");
    num_levels_2: Form::new("num_levels=2");
    num_levels_12: Form::new("num_levels=12;max_bytes_for_level_multiplier=2");
    static_levels: Form::new("level_compaction_dynamic_level_bytes=false");
    merges_add: Form::new("merge_operator=uint64add").shape(1, Merges::Add);
    merges_append: Form::new("merge_operator=stringappend").shape(2, Merges::Append);
    several_families: Form::new("").shape(4, Merges::None);
    atomic_flush: Form::new("").db("atomic_flush=true").shape(3, Merges::None);
    families_and_merges_with_mmap: Form::new("merge_operator=uint64add;compression=kNoCompression")
        .db("allow_mmap_reads=true").shape(3, Merges::Add);
    direct_io: Form::new("merge_operator=stringappend").db(
        "use_direct_reads=true;use_direct_io_for_flush_and_compaction=true"
    ).shape(2, Merges::Append).ranges(Ranges::Wide);
    direct_io_odd_sizes: table("block_size=700;initial_auto_readahead_size=1000;max_auto_readahead_size=5000;\
         num_file_reads_for_auto_readahead=0;filter_policy=bloomfilter:10").db(
        "use_direct_reads=true;use_direct_io_for_flush_and_compaction=true;compaction_readahead_size=5000;\
         writable_file_max_buffer_size=4096;max_subcompactions=3"
    );
    memtable_hash_linkedlist: Form::new(&format!("{PREFIX};memtable_factory=hash_linkedlist:50"))
        .db("allow_concurrent_memtable_write=false").fixed_keys();
    memtable_vector: Form::new("memtable_factory=vector").db("allow_concurrent_memtable_write=false");
    range_deletions: Form::new("").ranges(Ranges::Wide);
    range_deletions_and_merges: Form::new("merge_operator=stringappend")
        .shape(2, Merges::Append).ranges(Ranges::Wide);
    range_deletions_and_prefixes: Form::new(&format!(
        "{PREFIX};block_based_table_factory={{filter_policy=bloomfilter:10}};\
         memtable_prefix_bloom_size_ratio=0.1;memtable_whole_key_filtering=true"
    )).fixed_keys().ranges(Ranges::Wide);
    range_deletions_in_subcompactions: Form::new(
        "level_compaction_dynamic_level_bytes=false;num_levels=4"
    ).db("max_subcompactions=3;max_open_files=20").ranges(Ranges::Wide);
    range_deletions_format_7: table("format_version=7;filter_policy=bloomfilter:10")
        .ranges(Ranges::Wide).too_new_for_tools();
    range_deletions_kept_in_memory: Form::new("memtable_max_range_deletions=10")
        .db("avoid_flush_during_recovery=true").ranges(Ranges::Wide).too_new_for_tools();
    range_deletions_universal: Form::new(
        "compaction_style=kCompactionStyleUniversal;merge_operator=stringappend"
    ).db("max_subcompactions=3").shape(2, Merges::Append).ranges(Ranges::Wide);
    range_deletions_universal_on_one_level: Form::new(
        "compaction_style=kCompactionStyleUniversal;num_levels=1"
    ).ranges(Ranges::Wide);
    range_deletions_of_keys: Form::new("").shape(2, Merges::None).ranges(Ranges::Keys);
    plain: Form::plain("", "prefix_hash:1000");
    plain_user_key_len: Form::plain("user_key_len=16", "prefix_hash:100").shape(2, Merges::None);
    plain_prefix_encoding: Form::plain("encoding_type=kPrefix", "hash_linkedlist:100");
    plain_prefix_encoding_fixed: Form::plain("encoding_type=kPrefix;user_key_len=16", "skip_list");
    plain_stored_index: Form::plain("store_index_in_file=true;bloom_bits_per_key=8", "prefix_hash:100");
    plain_no_bloom_merges: Form::plain("bloom_bits_per_key=0;index_sparseness=2", "prefix_hash:100")
        .and("merge_operator=uint64add").shape(2, Merges::Add);
    cuckoo: Form::cuckoo("");
    cuckoo_tight: Form::cuckoo("hash_table_ratio=0.98;cuckoo_block_size=1;max_search_depth=20")
        .shape(2, Merges::None);
    cuckoo_masked: Form::cuckoo("use_module_hash=false;hash_table_ratio=0.7;cuckoo_block_size=3");
    cuckoo_identity: Form::cuckoo("identity_as_first_hash=true").shape(3, Merges::None);
    cuckoo_universal: Form::cuckoo("").and("compaction_style=kCompactionStyleUniversal");
    small_manifests: Form::new("").db("max_manifest_file_size=600").shape(2, Merges::None);
    universal: Form::new("compaction_style=kCompactionStyleUniversal").shape(2, Merges::None);
    universal_appends: Form::new(
        "compaction_style=kCompactionStyleUniversal;merge_operator=stringappend;\
         compaction_options_universal={allow_trivial_move=true;size_ratio=20;\
         max_size_amplification_percent=50;compression_size_percent=60}"
    ).shape(1, Merges::Append);
    universal_on_one_level: Form::new("compaction_style=kCompactionStyleUniversal;num_levels=1");
    leveled_and_universal_in_turn: Form::new("").theirs("compaction_style=kCompactionStyleUniversal");
    fifo: Form::new(
        "compaction_style=kCompactionStyleFIFO;compaction_options_fifo={allow_compaction=true};\
         block_based_table_factory={format_version=5}"
    ).shape(2, Merges::None);
    partitioned_levels: Form::new(
        "sst_partitioner_factory={id=SstPartitionerFixedPrefixFactory;length=1}"
    ).fixed_keys();
    wal_kept_in_memory: Form::new("").db("avoid_flush_during_recovery=true;avoid_flush_during_shutdown=true");
}

theirs! {
    their_defaults: Form::new("");
    their_format_6: Form::new("").theirs(
        "block_based_table_factory={format_version=6;filter_policy=bloomfilter:10}"
    );
    their_format_7: Form::new("").theirs(
        "block_based_table_factory={format_version=7;filter_policy=bloomfilter:10}"
    );
    their_lz4: Form::new("").theirs("compression=kLZ4Compression");
    their_zstd_dictionary: Form::new("").theirs(
        "compression=kZSTD;compression_opts={max_dict_bytes=8192;\
         zstd_max_train_bytes=65536;level=3;window_bits=-14;strategy=0}"
    );
    their_lz4_dictionary: Form::new("").theirs(
        "compression=kLZ4Compression;compression_opts={max_dict_bytes=4096;level=1}"
    );
    their_zlib_dictionary: Form::new("").theirs(
        "compression=kZlibCompression;compression_opts={max_dict_bytes=4096;level=3;\
         window_bits=-14}"
    );
    their_data_block_hash: Form::new("").theirs(
        "block_based_table_factory={data_block_index_type=kDataBlockBinaryAndHash}"
    );
    their_partitions: Form::new("").theirs(
        "block_based_table_factory={index_type=kTwoLevelIndexSearch;partition_filters=true;\
         metadata_block_size=128;block_size=256;filter_policy=bloomfilter:10}"
    );
    their_partitioned_index: Form::new("").theirs(
        "block_based_table_factory={index_type=kTwoLevelIndexSearch;\
         metadata_block_size=128;block_size=256}"
    );
    their_first_key_index: Form::new("").theirs(
        "block_based_table_factory={index_type=kBinarySearchWithFirstKey;\
         index_shortening=kNoShortening}"
    );
    their_hash_index: Form::new(PREFIX).theirs(
        "block_based_table_factory={index_type=kHashSearch}"
    ).fixed_keys();
    their_ribbon: Form::new("").theirs("block_based_table_factory={filter_policy=ribbonfilter:10}");
    their_block_align: Form::new("compression=kNoCompression").theirs(
        "block_based_table_factory={block_align=true}"
    );
    their_plain_index: Form::new("").theirs(
        "block_based_table_factory={enable_index_compression=false;format_version=4;\
         index_block_restart_interval=8}"
    );
    their_wal_compression: Form::new("").theirs("wal_compression=kZSTD");
    their_recycled_logs: Form::new("").theirs("recycle_log_file_num=3").shape(2, Merges::None);
    their_atomic_flush: Form::new("").theirs("atomic_flush=true").shape(3, Merges::None);
    their_pipelined_writes: Form::new("").theirs(
        "enable_pipelined_write=true"
    ).shape(2, Merges::None);
    their_tracked_wals: Form::new("").theirs("track_and_verify_wals_in_manifest=true");
    their_universal: Form::new("").theirs("compaction_style=kCompactionStyleUniversal");
    their_cold_level: Form::new("").theirs(
        "last_level_temperature=kCold;default_write_temperature=kWarm"
    );
    their_protected_writes: Form::new("").theirs(
        "memtable_protection_bytes_per_key=8;block_protection_bytes_per_key=4"
    );
    their_file_checksums: Form::new("").theirs(
        "file_checksum_gen_factory=FileChecksumGenCrc32cFactory"
    );
    their_merges: Form::new("merge_operator=uint64add").shape(2, Merges::Add);
    their_appends: Form::new("merge_operator=stringappend").shape(1, Merges::Append);
    their_range_deletions: Form::new("").ranges(Ranges::Wide);
    their_range_deletions_and_merges: Form::new("merge_operator=uint64add")
        .shape(2, Merges::Add).ranges(Ranges::Wide);
    their_range_deletions_on_many_levels: Form::new("num_levels=5;max_bytes_for_level_multiplier=2")
        .theirs("block_based_table_factory={format_version=6}").ranges(Ranges::Wide);
    their_range_deletions_universal: Form::new("")
        .theirs("compaction_style=kCompactionStyleUniversal").ranges(Ranges::Wide);
    their_cuckoo: Form::cuckoo("");
    their_cuckoo_masked: Form::cuckoo("use_module_hash=false;cuckoo_block_size=1")
        .shape(2, Merges::None);
    their_cuckoo_identity: Form::cuckoo("identity_as_first_hash=true;hash_table_ratio=0.5");
    their_plain: Form::plain("", "prefix_hash:1000").shape(2, Merges::None);
    their_plain_prefixes: Form::plain("encoding_type=kPrefix;user_key_len=16", "hash_linkedlist:100");
    their_plain_stored_index: Form::plain("store_index_in_file=true", "skip_list");
}
