//! The rows of `--rows cold`: data larger than the cache, cold, compressed, deleted, or held open by many readers.
//!
//! They are data like those of `rows`, and run only by name. Each operation is timed, because their targets include the
//! longest one.

use super::rows::{Data, Duel, Judge, Phase, Row, data, phase, row};

/// The name that stands for all of them in `--rows`.
pub(super) const GROUP: &str = "cold";

/// Options that all data sets share.
const TABLES: &str = "--bloom_bits=10 --write_buffer_size=67108864 --max_background_jobs=2";

/// 1.6 GB of keys and values, and a cache of 5 % of that. The memory that is touched before a run suffices for all
/// blocks.
const SMALL: &str = "--num={num*3/2} --key_size=32 --value_size=512 --cache_size={num*41} --compression_ratio=0.5 --touch_memory={num*1500}";

/// 10 GB of keys and values.
const TEN: &str = "--num={num*12} --key_size=16 --value_size=400";

const FILL: &str = "--benchmarks=filluniquerandom,compact";

const fn on_disk(name: &'static str, fill: &'static str, flags: &'static [&'static str]) -> Data {
    Data { on_disk: true, ..data(name, fill, flags) }
}

#[rustfmt::skip]
pub(super) const COLD_DATA: &[Data] = &[
    data("small-none", FILL, &[TABLES, SMALL, "--compression_type=none"]),
    data("small-lz4", FILL, &[TABLES, SMALL, "--compression_type=lz4"]),
    data("small-snappy", FILL, &[TABLES, SMALL, "--compression_type=snappy"]),
    data("small-zstd", FILL, &[TABLES, SMALL, "--compression_type=zstd"]),
    data("fresh-small", "", &[TABLES, SMALL]),
    data("fresh-families", "", &[TABLES, "--num={num} --key_size=16 --value_size=400 --compression_type=none --touch_memory={num*1500}"]),
    // Level 0 and deeper levels, as a fill leaves them.
    Data { warm: "evictfiles,", ..on_disk("device", "--benchmarks=filluniquerandom,flush,waitforcompaction",
        &[TABLES, TEN, "--cache_size={num*250} --compression_type=none --touch_memory={num*500}"]) },
    on_disk("fresh-ten", "", &[TABLES, TEN, "--cache_size=134217728"]),
    // The command lines of RocksDB's wiki, "RocksDB Trace, Replay, Analyzer, and Workload Generation".
    on_disk("mixgraph", "--benchmarks=fillrandom,flush,waitforcompaction",
        &["--num={num*25} --key_size=48 --value_size=43 --cache_size={num*134} --use_direct_reads=1 \
           --use_direct_io_for_flush_and_compaction=1"]),
];

const FILLING: &str =
    "--threads=2 --histogram --reads={num/4} --seek_nexts=20 --cache_size=4000000000";
const UNIFORM: &str =
    "--threads=2 --histogram --duration={seconds} --seek_nexts=20 --batch_size=32";
/// The skew is that of Zipf's law with exponent 1: ln(3,000,000) is 14.9.
const ZIPF: &str = "--threads=2 --histogram --duration={seconds} --seek_nexts=20 --batch_size=32 --skew_seeks=1 \
    --read_random_exp_range=14.9";
const MIXGRAPH: &str = "--threads=2 --histogram --duration={seconds*5} --keyrange_dist_a=14.18 --keyrange_dist_b=-2.917 \
    --keyrange_dist_c=0.0164 --keyrange_dist_d=-0.08082 --keyrange_num=30 --value_k=0.2615 --value_sigma=25.45 \
    --iter_k=2.517 --iter_sigma=14.236 --mix_get_ratio=0.85 --mix_put_ratio=0.14 --mix_seek_ratio=0.01";
const COMPACT: &str =
    "--benchmarks=filluniquerandom,flush,waitforcompaction,compact --disable_auto_compactions=1";
const SETTLE: &str =
    "--benchmarks=fillrandom,flush,waitforcompaction --threads=2 --histogram --writes={num*6}";

/// Rows that are judged by processor time.
const fn cpu(row: Row) -> Row {
    Row { judge: Judge::Cpu, ..row }
}

/// Rows of one data set are adjacent; those that write to it are last.
#[rustfmt::skip]
pub(super) const COLD_ROWS: &[Row] = &[
    row("cold-reads", "reads while an empty cache fills", "small-none", "readrandom", &[FILLING], (2.0, 4.0)),
    row("cold-seeks", "seek and 20 nexts while an empty cache fills", "small-none", "seekrandom", &[FILLING], (2.0, 4.0)),
    row("small-none-reads", "cache of 5 %: reads, uniform", "small-none", "readrandom", &[UNIFORM], (2.0, 3.0)),
    row("small-none-reads-16", "the same, 16 threads", "small-none", "readrandom", &[UNIFORM, "--threads=16"], (2.0, 3.0)),
    row("small-none-reads-zipf", "cache of 5 %: reads, Zipf's law", "small-none", "readrandom", &[ZIPF], (2.0, 3.0)),
    row("small-none-seeks", "cache of 5 %: seek and 20 nexts, uniform", "small-none", "seekrandom", &[UNIFORM], (2.0, 3.0)),
    row("small-none-seeks-zipf", "the same, Zipf's law", "small-none", "seekrandom", &[ZIPF], (2.0, 3.0)),
    row("small-none-multiget", "cache of 5 %: `multi_get` of 32, uniform", "small-none", "multireadrandom", &[UNIFORM], (3.0, 6.0)),
    row("small-none-multiget-zipf", "the same, Zipf's law", "small-none", "multireadrandom", &[ZIPF], (3.0, 6.0)),
    row("small-lz4-reads", "cache of 5 %, LZ4: reads, uniform", "small-lz4", "readrandom", &[UNIFORM], (1.6, 2.5)),
    row("small-lz4-reads-zipf", "the same, Zipf's law", "small-lz4", "readrandom", &[ZIPF], (1.6, 2.5)),
    row("small-lz4-seeks", "cache of 5 %, LZ4: seek and 20 nexts, uniform", "small-lz4", "seekrandom", &[UNIFORM], (2.0, 3.0)),
    row("small-lz4-seeks-zipf", "the same, Zipf's law", "small-lz4", "seekrandom", &[ZIPF], (2.0, 3.0)),
    row("small-lz4-multiget", "cache of 5 %, LZ4: `multi_get` of 32, uniform", "small-lz4", "multireadrandom", &[UNIFORM], (3.0, 6.0)),
    row("small-lz4-multiget-zipf", "the same, Zipf's law", "small-lz4", "multireadrandom", &[ZIPF], (3.0, 6.0)),
    row("small-snappy-reads", "cache of 5 %, Snappy: reads, uniform", "small-snappy", "readrandom", &[UNIFORM], (2.0, 3.0)),
    row("small-snappy-reads-zipf", "the same, Zipf's law", "small-snappy", "readrandom", &[ZIPF], (2.0, 3.0)),
    row("small-snappy-seeks", "cache of 5 %, Snappy: seek and 20 nexts, uniform", "small-snappy", "seekrandom", &[UNIFORM], (2.0, 3.0)),
    row("small-snappy-seeks-zipf", "the same, Zipf's law", "small-snappy", "seekrandom", &[ZIPF], (2.0, 3.0)),
    row("small-snappy-multiget", "cache of 5 %, Snappy: `multi_get` of 32, uniform", "small-snappy", "multireadrandom", &[UNIFORM], (3.0, 6.0)),
    row("small-snappy-multiget-zipf", "the same, Zipf's law", "small-snappy", "multireadrandom", &[ZIPF], (3.0, 6.0)),
    row("small-zstd-reads", "cache of 5 %, zstd: reads, uniform", "small-zstd", "readrandom", &[UNIFORM], (1.4, 2.0)),
    row("small-zstd-reads-zipf", "the same, Zipf's law", "small-zstd", "readrandom", &[ZIPF], (1.4, 2.0)),
    row("small-zstd-seeks", "cache of 5 %, zstd: seek and 20 nexts, uniform", "small-zstd", "seekrandom", &[UNIFORM], (2.0, 3.0)),
    row("small-zstd-seeks-zipf", "the same, Zipf's law", "small-zstd", "seekrandom", &[ZIPF], (2.0, 3.0)),
    row("small-zstd-multiget", "cache of 5 %, zstd: `multi_get` of 32, uniform", "small-zstd", "multireadrandom", &[UNIFORM], (3.0, 6.0)),
    row("small-zstd-multiget-zipf", "the same, Zipf's law", "small-zstd", "multireadrandom", &[ZIPF], (3.0, 6.0)),
    cpu(row("compact-none", "processor time to compact 1.6 GB", "fresh-small", "compact", &[COMPACT, "--compression_type=none"], (0.5, 0.3))),
    cpu(row("compact-lz4", "the same, LZ4", "fresh-small", "compact", &[COMPACT, "--compression_type=lz4"], (0.5, 0.3))),
    cpu(row("compact-zstd", "the same, zstd", "fresh-small", "compact", &[COMPACT, "--compression_type=zstd"], (0.9, 0.3))),
    row("families-200", "writes to 200 column families, 2 writers, until compactions end", "fresh-families", "(all)",
        // Memtables of the default size would hold all data.
        &["--benchmarks=fillrandom,flush,waitforcompaction --threads=2 --histogram --writes={num/2} --num_column_families=200 \
           --write_buffer_size=4194304 --db_write_buffer_size=268435456"], (2.0, 4.0)),
    row("device-reads-1", "reads from the device, 1 thread", "device", "readrandom", &["--threads=1 --histogram --duration={seconds}"], (1.0, 1.0)),
    row("device-reads-4", "the same, 4 threads", "device", "readrandom", &["--threads=4 --histogram --duration={seconds}"], (1.2, 1.2)),
    row("device-reads-16", "the same, 16 threads", "device", "readrandom", &["--threads=16 --histogram --duration={seconds}"], (1.5, 1.5)),
    row("device-multiget", "`multi_get` of 32 from the device", "device", "multireadrandom",
        &["--threads=2 --histogram --duration={seconds} --batch_size=32"], (3.0, 3.0)),
    // A clock reading per entry would be much of the work.
    row("device-scan", "full scan from the device, 1 thread", "device", "readseq", &["--threads=1"], (1.3, 1.3)),
    row("settle-lz4", "10 GB in random order, LZ4, until compactions end", "fresh-ten", "(all)", &[SETTLE, "--compression_type=lz4"], (2.0, 3.0)),
    row("settle-zstd", "the same, zstd", "fresh-ten", "(all)", &[SETTLE, "--compression_type=zstd"], (1.3, 2.0)),
    row("mixgraph", "social graph: 85 % lookups, 14 % writes, 1 % scans, direct I/O", "mixgraph", "mixgraph", &[MIXGRAPH], (2.0, 3.0)),
];

const fn since(name: &'static str, what: &'static str, earlier: &'static str, times: f64) -> Phase {
    Phase { judge: Judge::Since(earlier), ..phase(name, what, times, "") }
}

/// What db_bench cannot do: the neutral client does it.
#[rustfmt::skip]
pub(super) const COLD_DUELS: &[Duel] = &[
    Duel { name: "held", pairs: None, args: "block num={num} key=16 value=100 threads=2 secs={seconds} \
        iterators=10000 snapshots=1000 phases=filluniq,compact,read1,iterators,snapshots", phases: &[
        Phase { stretch: 4.0, ..phase("iterators", "open, seek, step and close with 10,000 iterators open, 10K writes/s", 2.0, "") },
        Phase { stretch: 4.0, ..phase("snapshots", "take, read at and release with 1,000 snapshots open, 10K writes/s", 2.0, "") },
    ] },
    Duel { name: "tombstones", pairs: None, args: "block num={num} key=16 value=100 threads=1 secs={seconds} gap={num/20} \
        phases=fillseq,compact,seekgap,deletegap,seekgap-memtable,flush,seekgap-flushed", phases: &[
        since("seekgap-memtable", "seek across 100,000 deleted keys, in the memtable", "seekgap", 3.0),
        since("seekgap-flushed", "the same, flushed", "seekgap", 3.0),
    ] },
    // The base number of seconds is 4, so this takes ten minutes. One pair must do.
    Duel { name: "queue", pairs: Some(1), args: "block num=1 key=16 value=100 threads=2 secs={seconds*150} queue=1000 phases=queue", phases: &[
        Phase { judge: Judge::P99, ..phase("queue", "seek to the head of a queue, 10K entries/s appended and deleted", 200.0, "") },
    ] },
];

/// Returns whether a name in `--rows` is one of these rows or phases, or stands for all of them.
pub(super) fn is_known(name: &str) -> bool {
    name == GROUP
        || COLD_ROWS.iter().any(|row| row.name == name)
        || COLD_DUELS.iter().any(|duel| duel.name == name)
}

/// Returns whether the names in `--rows` select this row or duel.
pub(super) fn is_wanted(name: &str, names: &[String]) -> bool {
    names.iter().any(|wanted| wanted == GROUP || wanted == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::rows::{DATA, ROWS};
    use std::collections::BTreeSet;

    fn read(path: &str) -> String {
        std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    #[test]
    fn names_are_unique_and_data_sets_exist() {
        let rows = ROWS.iter().chain(COLD_ROWS).map(|row| row.name);
        let names: Vec<&str> = rows.chain(COLD_DUELS.iter().map(|duel| duel.name)).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        assert!(!names.contains(&GROUP));
        for row in COLD_ROWS {
            assert!(COLD_DATA.iter().any(|data| data.name == row.data), "{}", row.name);
        }
        let sets: BTreeSet<&str> = DATA.iter().chain(COLD_DATA).map(|data| data.name).collect();
        assert_eq!(sets.len(), DATA.len() + COLD_DATA.len());
    }

    #[test]
    fn db_bench_has_each_flag_and_benchmark() {
        let page = read("docs/db_bench.md");
        let of = |flags: &str| flags.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let rows = COLD_ROWS.iter().flat_map(|row| row.flags.iter().flat_map(|f| of(f)));
        let data = COLD_DATA.iter().flat_map(|data| data.flags.iter().flat_map(|f| of(f)));
        for flag in rows.chain(data) {
            let name = flag.trim_start_matches("--").split('=').next().unwrap();
            assert!(page.contains(&format!("\n| `{name}`")), "{flag}");
        }
        let judged = COLD_ROWS.iter().map(|row| row.judged).filter(|name| *name != "(all)");
        let lists = COLD_DATA.iter().map(|data| data.fill.trim_start_matches("--benchmarks="));
        let warm = COLD_DATA.iter().map(|data| data.warm);
        for name in lists.chain(warm).flat_map(|list| list.split(',')).chain(judged) {
            assert!(name.is_empty() || page.contains(&format!("\n| `{name}`")), "{name}");
        }
    }

    #[test]
    fn the_client_has_each_parameter_and_phase() {
        let source = read("crates/bench/kvduel/kvduel.c");
        for duel in COLD_DUELS {
            let (_, phases) = duel.args.split_once("phases=").unwrap();
            for argument in duel.args.split_whitespace().skip(1) {
                let name = argument.split('=').next().unwrap();
                assert!(source.contains(&format!("\"{name}\"")), "{argument}");
            }
            for phase in phases.split(',') {
                let name = phase.split('-').next().unwrap();
                assert!(source.contains(&format!("(name, \"{name}\"")), "{phase}");
            }
            for phase in duel.phases {
                assert!(phases.split(',').any(|name| name == phase.name), "{}", phase.name);
                if let Judge::Since(earlier) = phase.judge {
                    assert!(phases.split(',').any(|name| name == earlier), "{earlier}");
                }
            }
        }
    }
}
