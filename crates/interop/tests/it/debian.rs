//! Directories of Debian's RocksDB 7.8.3: made by `ldb` and `db_bench`, gone on with here, and read
//! by them again.

use crate::children::{check_copy, run, run_and_kill};
use crate::tools::{self, ldb, tool};
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::{Model, Ranges, Shape, Workload};
use std::path::Path;

fn setup(dir: &Path, cf: &str, shape: Shape) -> Setup {
    Setup { dir: dir.into(), db: String::new(), cf: cf.into(), shape }
}

/// Takes over a directory that 7.8.3 made: finds what `ldb scan` finds, writes more, twice, and has
/// the tools check it each time.
fn take_over(setup: &Setup) {
    let (names, seed) = (setup.names(), fastrand::u64(..1 << 40));
    let mut model = Model::new(&setup.shape);
    model.families = names.iter().map(|name| tools::scan(&setup.dir, name)).collect();
    assert!(model.families.iter().all(|family| !family.is_empty()));
    let when = format!("seed {seed}");
    check_copy(&format!("{when}, as it came"), Engine::Ferrolith, setup, &model.families);
    check_copy(&format!("{when}, as it came"), Engine::Rocksdb, setup, &model.families);
    let mut workload = Workload::new(setup.shape, seed, 0);
    let fill = |from, to| Step::Fill { seed, from, to };
    for (from, to) in [(0, 800), (800, 1600)] {
        (from..to).for_each(|_| model.apply(&workload.next_batch()));
        if from == 0 {
            run(Engine::Ferrolith, setup, &[fill(from, to), Step::Flush]);
        } else {
            run_and_kill(Engine::Ferrolith, setup, &[Step::Compact, fill(from, to)]);
        }
        let when = format!("{when}, batches {from} to {to} by us");
        tools::check(&when, &setup.dir, &names, &model.families);
        check_copy(&when, Engine::Ferrolith, setup, &model.families);
        check_copy(&when, Engine::Rocksdb, setup, &model.families);
    }
    // And the tools go on.
    let value = vec![b'1'; if setup.shape.even { 40 } else { 1 }];
    let hex = format!("0x{}", "31".repeat(value.len()));
    ldb(&setup.dir, &["put", "--hex", "0x7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a", &hex]);
    model.families[0].insert(vec![b'z'; 16], value);
    check_copy("after ldb put", Engine::Ferrolith, setup, &model.families);
    ldb(&setup.dir, &["compact"]);
    check_copy("after ldb compact", Engine::Ferrolith, setup, &model.families);
}

#[test]
fn ldb_directories() {
    let dir = tempfile::tempdir().unwrap();
    let pairs: Vec<String> = (0..400).map(|n| format!("word{:04}", n * 7919 % 1000)).collect();
    let words: Vec<&str> = pairs.iter().map(String::as_str).collect();
    ldb(dir.path(), &[&["batchput", "--create_if_missing"], &words[..]].concat());
    ldb(dir.path(), &["create_column_family", "family1"]);
    ldb(dir.path(), &["batchput", "--column_family=family1", "a", "1", "b", "2"]);
    ldb(dir.path(), &["delete", "word0000"]);
    // Flushed by the next call, which leaves another one in the WAL.
    ldb(dir.path(), &["deleterange", "word03", "word04"]);
    ldb(dir.path(), &["deleterange", "word0350", "word05"]);
    let shape = Shape { families: 2, ranges: Ranges::Wide, ..Shape::default() };
    take_over(&setup(dir.path(), "write_buffer_size=64K", shape));
}

/// Fills a directory with `db_bench` and takes it over.
fn bench(benchmarks: &str, flags: &[&str], setup: impl FnOnce(&Path) -> Setup) {
    let dir = tempfile::tempdir().unwrap();
    let setup = setup(dir.path());
    let args = [format!("--db={}", dir.path().display()), format!("--benchmarks={benchmarks}")];
    let common = ["--num=6000", "--write_buffer_size=200000", "--target_file_size_base=200000"];
    let args: Vec<&str> = args.iter().map(String::as_str).chain(common).collect();
    tool("db_bench", &[&args, flags].concat());
    take_over(&setup);
    let db = format!("--db={}", dir.path().display());
    // PlainTable and CuckooTable have no checksums.
    let verify = if setup.is_mapped() { "readseq,readrandom" } else { "readseq,verifychecksum" };
    let verify = format!("--benchmarks={verify}");
    let read = ["--use_existing_db=1", &verify, "--num=6000"];
    tool("db_bench", &[&[db.as_str()], &read[..], flags].concat());
}

fn block(dir: &Path) -> Setup {
    setup(dir, "write_buffer_size=64K;target_file_size_base=64K", Shape::default())
}

#[test]
fn db_bench_defaults() {
    bench("fillrandom,overwrite", &[], block);
}

#[test]
fn db_bench_bloom_lz4() {
    bench("fillrandom,deleterandom", &["--bloom_bits=10", "--compression_type=lz4"], block);
}

#[test]
fn db_bench_ribbon_zlib() {
    let flags = ["--bloom_bits=10", "--use_ribbon_filter", "--compression_type=zlib"];
    bench("fillrandom", &flags, block);
}

#[test]
fn db_bench_zstd_dictionary() {
    let flags = ["--compression_type=zstd", "--compression_max_dict_bytes=8192"];
    bench("fillrandom", &flags, block);
}

#[test]
fn db_bench_partitions_and_hash_index() {
    let flags = [
        "--partition_index_and_filters",
        "--bloom_bits=10",
        "--metadata_block_size=128",
        "--block_size=512",
        "--use_data_block_hash_index",
        "--compression_type=none",
    ];
    bench("fillrandom", &flags, block);
}

#[test]
fn db_bench_first_key_index() {
    bench("fillseq", &["--index_with_first_key", "--index_shortening_mode=0"], block);
}

#[test]
fn db_bench_compressed_wal() {
    bench("fillrandom", &["--wal_compression=zstd", "--compression_type=none"], block);
}

#[test]
fn db_bench_old_formats() {
    bench("fillrandom", &["--format_version=2", "--checksum_type=1"], block);
}

#[test]
fn db_bench_merges() {
    let flags = ["--merge_operator=uint64add", "--value_size=8", "--merge_keys=500"];
    let options = "write_buffer_size=64K;merge_operator=uint64add";
    bench("fillrandom,mergerandom", &flags, |dir| setup(dir, options, Shape::default()));
}

#[test]
fn db_bench_plain_table() {
    let flags = [
        "--use_plain_table",
        "--mmap_read",
        "--prefix_size=8",
        "--key_size=16",
        "--memtablerep=prefix_hash",
        "--hash_bucket_count=100",
        "--allow_concurrent_memtable_write=false",
        "--compression_type=none",
    ];
    let options = "write_buffer_size=64K;prefix_extractor=rocksdb.FixedPrefix.8;\
        memtable_factory=prefix_hash:100;table_factory={id=PlainTable;user_key_len=16}";
    bench("fillrandom", &flags, |dir| Setup {
        db: "allow_mmap_reads=true;allow_concurrent_memtable_write=false".into(),
        ..setup(dir, options, Shape { fixed: true, ..Shape::default() })
    });
}

#[test]
fn db_bench_cuckoo_table() {
    let flags = [
        "--use_cuckoo_table",
        "--mmap_read",
        "--key_size=16",
        "--value_size=40",
        "--compression_type=none",
    ];
    let options = "write_buffer_size=64K;table_factory={id=CuckooTable}";
    bench("fillrandom", &flags, |dir| Setup {
        db: "allow_mmap_reads=true".into(),
        ..setup(dir, options, Shape { fixed: true, even: true, ..Shape::default() })
    });
}
