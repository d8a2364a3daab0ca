//! What single benchmarks do: counts, contents and their output lines.

use super::modes::on_both;
use super::{Dir, bad, good, library, lines};

/// The number that follows `name` in the text.
fn number(text: &str, name: &str) -> f64 {
    let after = text.split_once(name).unwrap_or_else(|| panic!("no {name:?} in {text}")).1;
    let end = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
    after[..end].trim_end_matches('.').parse().unwrap()
}

/// The operations and the rest of the line of one benchmark.
fn of(out: &str, name: &str) -> (u64, String) {
    let found = lines(out).into_iter().find(|line| line.0 == name);
    let (_, ops, rest) = found.unwrap_or_else(|| panic!("no {name} in {out}"));
    (ops, rest)
}

/// Parameters of the paper, for a store of one index.
const PREFIX_DIST: [&str; 10] = [
    "--keyrange_dist_a=14.18",
    "--keyrange_dist_b=-2.917",
    "--keyrange_dist_c=0.0164",
    "--keyrange_dist_d=-0.08082",
    "--keyrange_num=30",
    "--key_dist_a=0.002312",
    "--key_dist_b=0.3467",
    "--mix_get_ratio=0.83",
    "--mix_put_ratio=0.14",
    "--mix_seek_ratio=0.03",
];

#[test]
fn mixgraph_has_the_shares_and_sizes_of_its_flags() {
    on_both("mixgraph", |dir, engine| {
        let db = dir.arg("db", "db");
        let args = [
            "--benchmarks=filluniquerandom,mixgraph",
            "--num=20000",
            "--reads=3000",
            "--threads=2",
            "--seed=5",
            &db,
        ];
        for model in [&PREFIX_DIST[..], &PREFIX_DIST[5..], &PREFIX_DIST[7..]] {
            let (out, _) = good(&[&args[..], model, engine].concat());
            let (ops, rest) = of(&out, "mixgraph");
            assert_eq!(ops, 6000, "{out}");
            assert!(rest.contains(" MB/s ( Gets:"), "{rest}");
            let counts = ["Gets:", "Puts:", "Seek:"].map(|name| number(&rest, name));
            assert_eq!(counts.iter().sum::<f64>(), 3000.0, "{rest}");
            for (count, share) in counts.iter().zip([0.83, 0.14, 0.03]) {
                assert!((count / 3000.0 - share).abs() < 0.03, "{rest}");
            }
            let reads = counts[0] + counts[2];
            assert!(rest.contains(&format!("reads {reads} in {reads} found")), "{rest}");
            // The mean of the distribution is 34; values below 10 become 10.
            let size = number(&rest, "avg size: ");
            assert!((20.0..60.0).contains(&size), "{rest}");
            assert!(number(&rest, " value, ") > 1.0 && rest.ends_with(" scan)"), "{rest}");
        }
    });
}

#[test]
fn mixgraph_follows_a_sine_and_names_bad_parameters() {
    let dir = Dir::new("mixgraph-rate");
    let db = dir.arg("db", "db");
    let args = ["--benchmarks=fillseq,mixgraph", "--num=1000", &db];
    let limit = [
        "--reads=700",
        "--sine_mix_rate",
        "--sine_mix_rate_interval_milliseconds=1",
        "--sine_mix_rate_noise=0.5",
        "--sine_a=2",
        "--sine_d=1000",
    ];
    let (out, _) = good(&[&args[..], &limit].concat());
    let line = out.lines().find(|line| line.starts_with("mixgraph")).unwrap();
    let seconds: f64 =
        line.split(" ops/sec ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(seconds > 0.3, "700 operations at 1000 per second: {line}");
    for (flags, part) in [
        (&["--mix_get_ratio=0"][..], "one of them above 0"),
        (&["--mix_put_ratio=-1"], "--mix_put_ratio"),
        (&["--keyrange_num=2000"], "--keyrange_num=2000 must be at most --num"),
        (&["--sine_mix_rate_noise=2"], "--sine_mix_rate_noise=2"),
        (&["--keyrange_dist_a=-1"], "no key range a probability above 0"),
    ] {
        let error = bad(&[&args[..], flags].concat());
        assert!(error.contains(part), "{flags:?}: {error}");
    }
}

#[test]
fn timeseries_writes_series_and_expires_entries() {
    on_both("timeseries", |dir, engine| {
        let args = [
            "--benchmarks=timeseries,compact,readseq",
            "--writes=2000",
            "--reads=100000",
            "--key_id_range=20",
            "--time_range=100",
            "--benchmark_write_rate_limit=500000",
            "--seed=3",
        ];
        let run = |name: &str, flags: &[&str]| {
            let db = dir.arg("db", name);
            good(&[&args[..], flags, &[db.as_str()], engine].concat()).0
        };
        let out = run("none", &["--threads=3"]);
        assert_eq!(of(&out, "timeseries write").0, 2000, "{out}");
        let (entries, rest) = of(&out, "timeseries");
        assert!(entries > 0 && rest.ends_with(" found)"), "{out}");
        let (found, series) = (number(&rest, "("), number(&rest, " of "));
        assert!(found > 0.0 && found <= series, "{out}");
        assert_eq!(of(&out, "readseq").0, 3 * 2000, "{out}");
        let out = run("delete", &["--threads=2", "--expire_style=delete"]);
        let (deleted, left) = (of(&out, "timeseries").0, of(&out, "readseq").0 / 2);
        // A deletion may come twice before an iterator sees the first one, but not here: there is one deleter.
        assert!(deleted > 0 && (100..2000).contains(&left), "{out}");
        let out = run("alone", &["--threads=1"]);
        assert_eq!(
            (of(&out, "timeseries write").0, of(&out, "timeseries").0),
            (2000, 2000),
            "{out}"
        );
        if engine.is_empty() {
            let out = run("filter", &["--threads=2", "--expire_style=compaction_filter"]);
            assert_eq!(of(&out, "readseq").0 / 2, 100, "{out}");
        } else {
            let db = dir.arg("db", "filter");
            let error = bad(&[&["--expire_style=compaction_filter", &db], engine].concat());
            assert!(error.contains("--expire_style=compaction_filter is not supported"), "{error}");
        }
        let short = ["--benchmarks=timeseries", "--key_size=15", &dir.arg("db", "short")];
        assert!(bad(&[&short[..], engine].concat()).contains("--key_size=16"));
    });
}

#[test]
fn multiscan_reads_ranges_with_gaps() {
    on_both("multiscan", |dir, engine| {
        let db = dir.arg("db", "db");
        let args = [
            "--benchmarks=fillseq,multiscan",
            "--num=5000",
            "--multiscan_size=4",
            "--multiscan_stride=7",
            "--seek_nexts=25",
            "--reads=1000",
            "--histogram",
            &db,
        ];
        let (out, _) = good(&[&args[..], engine].concat());
        // Each operation reads 4 x 25 keys; the budget counts keys and begins with one.
        assert_eq!(of(&out, "multiscan"), (10, "(multscans:10)".to_owned()), "{out}");
        assert!(out.contains("Microseconds per multiscan:\nCount: 10 "), "{out}");
        let user = out.rsplit("amplification:").next().unwrap();
        // 10 operations of 100 entries with 16 bytes of key and 100 of value.
        assert!(user.contains(" for 0.1 MB, "), "{user}");
        let small = ["--benchmarks=multiscan", "--num=100", &db];
        assert!(bad(&[&small[..], engine].concat()).contains("need --num above 1500"));
    });
}

#[test]
fn disposable_entries_are_deleted_and_others_stay() {
    on_both("disposable", |dir, engine| {
        // Nothing is due within an hour.
        for (delay, batch) in [("0", "1"), ("0", "3"), ("3600000000", "3")] {
            let db = dir.arg("db", "db");
            let deletes = delay == "0";
            let delay = format!("--disposable_entries_delete_delay={delay}");
            let args = [
                "--benchmarks=fillanddeleteuniquerandom,readseq",
                "--num=3000",
                "--disposable_entries_batch_size=10",
                "--persistent_entries_batch_size=5",
                "--disposable_entries_value_size=20",
                "--persistent_entries_value_size=30",
                &delay,
                &format!("--batch_size={batch}"),
                &db,
            ];
            let (out, _) = good(&[&args[..], engine].concat());
            assert_eq!(of(&out, "fillanddeleteuniquerandom").0, 3000, "{out}");
            let written = number(&out, "Number of unique keys inserted (disposable+persistent): ");
            let deleted = number(&out, "Number of 'disposable entry delete': ");
            assert_eq!(written + deleted, 3000.0, "{out}");
            assert_eq!(deleted > 300.0, deletes, "{out}");
            assert_eq!(deleted > 0.0, deletes, "{out}");
            // Without deletions, rounds of 15 keys begin again after 3,000 and write 10 of 15 keys.
            let left = if deletes { written - deleted } else { 2000.0 };
            assert_eq!(of(&out, "readseq").0 as f64, left, "{out}");
        }
        let db = dir.arg("db", "mixed");
        let both = ["--disposable_entries_batch_size=1", "--overwrite_probability=0.5", &db];
        assert!(bad(&[&both[..], engine].concat()).contains("cannot be combined"));
    });
}

/// Numbers of the files on each level, from the lines that the deterministic fills print: level 0 file by file.
fn tree(out: &str) -> Vec<usize> {
    let levels = out.lines().filter_map(|line| line.strip_prefix("Level["));
    levels.map(|line| line.split(']').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn deterministic_fills_make_one_run_per_level() {
    let dir = Dir::new("deterministic");
    for name in ["fillseqdeterministic", "filluniquerandomdeterministic"] {
        let (db, list) = (dir.arg("db", name), format!("--benchmarks={name},readseq"));
        let args = [
            list.as_str(),
            "--num=30000",
            "--num_levels=4",
            "--write_buffer_size=131072",
            "--max_bytes_for_level_multiplier=4",
            "--target_file_size_base=100000",
            "--compression_type=none",
            "--disable_auto_compactions",
            &db,
        ];
        let (out, _) = good(&args);
        // 30,000 entries on the last level, and a fourth of them on each level above.
        assert_eq!(of(&out, name).0, 30_000 + 7500 + 1875, "{out}");
        assert_eq!(of(&out, "readseq").0, 30_000, "{out}");
        assert!(out.contains("---------------------- DB 0 LSM ---------------------"), "{out}");
        let levels = tree(&out);
        assert_eq!(levels.iter().filter(|level| **level > 0).count(), 3, "{out}");
        assert!(levels.starts_with(&[0]) && levels.ends_with(&[1, 2, 3]), "{out}");
        let size = |level: &str| number(out.split_once(level).unwrap().1, "total size: ");
        let (third, second) = (size("Level[3]"), size("Level[2]"));
        assert!((3.0..5.0).contains(&(third / second)), "{out}");
    }
    let db = dir.arg("db", "refused");
    let refuse = |flags: &[&str], part: &str| {
        let error = bad(&[&["--benchmarks=fillseqdeterministic", &db], flags].concat());
        assert!(error.contains(part), "{error}");
    };
    refuse(&[], "needs --disable_auto_compactions");
    refuse(&["--disable_auto_compactions", "--num=100"], "--num=100 is too small to fill 7 levels");
    refuse(&["--disable_auto_compactions", "--compaction_style=1"], "--compaction_style=0 and 2");
    if let Some(library) = library() {
        refuse(&["--disable_auto_compactions", &library], "(CompactFiles)");
    }
}

#[test]
fn a_deterministic_fill_reaches_the_limit_of_fifo_compaction() {
    let dir = Dir::new("deterministic-fifo");
    let args = [
        "--benchmarks=fillseqdeterministic",
        "--num=3000",
        "--num_levels=1",
        "--compaction_style=2",
        "--fifo_compaction_max_table_files_size_mb=1",
        "--compression_type=none",
        "--disable_auto_compactions",
        &dir.arg("db", "db"),
    ];
    let (out, _) = good(&args);
    let ops = of(&out, "fillseqdeterministic").0;
    assert!(ops.is_multiple_of(3000) && ops >= 9000, "{out}");
    let level_0: Vec<usize> = tree(&out);
    assert!(!level_0.is_empty() && level_0.iter().all(|level| *level == 0), "{out}");
}

#[test]
fn operands_are_found_one_by_one() {
    let dir = Dir::new("operands");
    let args = [
        "--benchmarks=fillseq,readrandomoperands,mergerandom,flush,readrandomoperands,getmergeoperands",
        "--num=500",
        "--value_size=50",
        "--merge_operator=stringappend",
        "--seed=5",
        &dir.arg("db", "db"),
        &dir.arg("json", "json"),
    ];
    let (out, _) = good(&args);
    let operands: Vec<_> =
        lines(&out).into_iter().filter(|line| line.0 == "readrandomoperands").collect();
    assert_eq!(operands.len(), 2, "{out}");
    assert!(
        operands.iter().all(|line| line.1 == 500 && line.2.ends_with("(500 of 500 found)")),
        "{out}"
    );
    // Before the merges, a key has one operand of 50 bytes; after as many merges as keys, two on average.
    let json = std::fs::read_to_string(dir.0.join("json")).unwrap();
    let phases = json.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let read: Vec<u64> = phases
        .filter(|phase| phase["benchmark"] == "readrandomoperands")
        .map(|phase| phase["user_bytes_read"].as_u64().unwrap())
        .collect();
    assert_eq!(read[0], 500 * (16 + 50));
    assert!((50_000..66_000).contains(&read[1]), "{read:?}");
    // As in RocksDB, the calls are not counted.
    assert_eq!(of(&out, "getmergeoperands").0, 1, "{out}");
    let (get, operands) = out.split_once("--- GetMergeOperands API ---").unwrap();
    assert!(get.contains("Found key? 1") && operands.contains("Found key? 1"), "{out}");
    assert!(get.contains("Sample data from Get API call: 1,2,3,4,5,"), "{out}");
    assert!(
        operands.contains("List: 0 : 1,2,3,") && operands.contains("\nList: 3 : 301,302,"),
        "{out}"
    );
    if let Some(library) = library() {
        let args = ["--benchmarks=getmergeoperands", "--merge_operator=stringappend", &library];
        let error = bad(&[&args[..], &[&dir.arg("db", "library")]].concat());
        assert!(error.contains("merge operands (GetMergeOperands)"), "{error}");
    }
}

#[test]
fn checksums_of_all_tables_are_verified() {
    let dir = Dir::new("verifychecksum");
    let (db, tables) = (dir.arg("db", "db"), dir.0.join("db"));
    let fill = ["--benchmarks=fillseq,flush,verifychecksum", "--num=2000", &db];
    let (out, _) = good(&[&fill[..], &["--compression_type=none"]].concat());
    assert_eq!(of(&out, "verifychecksum").0, 1, "{out}");
    let mut files = std::fs::read_dir(tables).unwrap().map(|entry| entry.unwrap().path());
    let table = files.find(|path| path.extension().is_some_and(|end| end == "sst")).unwrap();
    let mut bytes = std::fs::read(&table).unwrap();
    bytes[50_000] ^= 1;
    std::fs::write(&table, bytes).unwrap();
    let verify = ["--benchmarks=verifychecksum", "--use_existing_db", &db];
    assert!(bad(&verify).contains("Corruption"), "{}", bad(&verify));
    if let Some(library) = library() {
        let error = bad(&["--benchmarks=verifychecksum", &library, &dir.arg("db", "library")]);
        assert!(error.contains("verifychecksum (VerifyChecksum)"), "{error}");
    }
}

#[test]
fn a_row_cache_is_filled_where_there_is_one() {
    let dir = Dir::new("row-cache");
    let args = ["--benchmarks=readtorowcache", "--use_existing_db", "--use_existing_keys"];
    let cache = "--row_cache_size=1000000";
    let fill = ["--benchmarks=fillseq,flush", "--num=300"];
    let ours = dir.arg("db", "ours");
    good(&[&fill[..], &[&ours]].concat());
    let error = bad(&[&args[..], &[cache, &ours]].concat());
    assert!(error.contains("this engine does not support row caches"), "{error}");
    let Some(library) = library() else { return };
    let theirs = dir.arg("db", "theirs");
    good(&[&fill[..], &[&library, &theirs]].concat());
    let (out, _) = good(&[&args[..], &[cache, "--num=7", &library, &theirs]].concat());
    assert_eq!(of(&out, "readtorowcache").0, 300, "{out}");
    assert!(of(&out, "readtorowcache").1.ends_with("(300 of 300 found)"), "{out}");
    let error = bad(&[&args[..], &[&library, &theirs]].concat());
    assert!(error.contains("--row_cache_size"), "{error}");
}

/// The counts were printed by RocksDB's own program, of version 7.8.3, with the same flags.
#[test]
fn counts_are_those_of_rocksdbs_program_with_the_same_seed() {
    on_both("counts", |dir, engine| {
        for (benchmark, ops, rest) in [
            ("readrandom", 5000, "(3112 of 5000 found)"),
            ("readrandomfast", 5100, "(2015 of 5100 found, issued 1873 non-exist keys)"),
            ("readrandomwriterandom", 5000, "( reads:4500 writes:500 total:5000 found:2902)"),
            ("updaterandom", 5000, "( updates:5000 found:3797)"),
            ("appendrandom", 5000, "( updates:5000 found:3797)"),
            ("xorupdaterandom", 5000, "( updates:5000 found:3797)"),
            ("randomwithverify", 5000, "( get:4500 put:400 del:100 total:5000 found:802)"),
            (
                "readrandommergerandom",
                5000,
                "(reads:1468 merges:3532 total:5000 hits:1072 maxlength:605)",
            ),
            ("readwhilescanning", 10_000, "(3143 of 5000 found)"),
            ("readrandomoperands", 5000, "(3112 of 5000 found)"),
            ("randomreplacekeys", 5000, "use single deletes: 1, standard deviation: 2000.000000"),
            ("fillseekseq", 10_000, ""),
        ] {
            if benchmark == "readrandomoperands" && !engine.is_empty() {
                continue;
            }
            let list = format!("--benchmarks=fillrandom,{benchmark}");
            let args = [
                &list,
                "--num=5000",
                "--seed=7",
                "--merge_operator=stringappend",
                &dir.arg("db", "db"),
            ];
            let (out, _) = good(&[&args[..], engine].concat());
            let (counted, printed) = of(&out, benchmark);
            assert!(counted == ops && printed.ends_with(rest), "{benchmark}: {out}");
        }
    });
}

/// As above. With a power law and without key ranges, RocksDB's program uses keys that do not exist.
#[test]
fn mixgraph_chooses_the_keys_and_sizes_of_rocksdbs_program() {
    let dir = Dir::new("mixgraph-counts");
    let uniform = [
        "--mix_get_ratio=0.8",
        "--mix_put_ratio=0.1",
        "--mix_seek_ratio=0.1",
        "--value_k=0",
        "--value_theta=20",
        "--read_random_exp_range=5",
    ];
    for (model, rest) in [
        (
            &PREFIX_DIST[..],
            "( Gets:8361 Puts:1354 Seek:285, reads 6792 in 8646 found, \
             avg size: 30.3 value, 72.0 scan)",
        ),
        (
            &uniform[..],
            "( Gets:8023 Puts:1010 Seek:967, reads 5553 in 8990 found, \
             avg size: 42.3 value, 254.4 scan)",
        ),
    ] {
        let args = [
            "--benchmarks=fillrandom,mixgraph",
            "--num=20000",
            "--reads=10000",
            "--seed=7",
            &dir.arg("db", "db"),
        ];
        let (out, _) = good(&[&args[..], model].concat());
        assert!(of(&out, "mixgraph").1.ends_with(rest), "{out}");
    }
}

#[test]
fn sizes_and_overwrites_are_reported() {
    let dir = Dir::new("reported");
    let db = dir.arg("db", "db");
    let sizes = ["--benchmarks=fillseq,flush,approximatesizerandom", "--batch_size=5", &db];
    let (out, _) = good(&[&sizes[..], &["--num=5000", "--compression_type=none"]].concat());
    let (ops, rest) = of(&out, "approximatesizerandom");
    // The average distance of two random keys is a third of all keys.
    let average = number(&rest, "(Avg approx size=");
    assert!(ops == 25_000 && (150_000.0..250_000.0).contains(&average), "{out}");
    let memtables = ["--benchmarks=fillseq,approximatememtablestats", "--num=2000", &db];
    let (out, _) = good(&[&memtables[..], &["--batch_size=100"]].concat());
    assert!(out.contains("Reported entry count stats (expected 100): \nCount: 2000 "), "{out}");
    let overwrite =
        ["--benchmarks=filluniquerandom,readseq", "--num=2000", "--overwrite_probability=0.5", &db];
    let (out, _) = good(&overwrite);
    let new = number(&out, "Number of unique keys inserted: ");
    assert_eq!(new + number(&out, "Number of overwrites: "), 2000.0, "{out}");
    assert_eq!(of(&out, "readseq").0 as f64, new, "{out}");
    assert!((900.0..1100.0).contains(&new), "{out}");
    let ranges = ["--benchmarks=fillseq", "--num=100", "--writes_per_range_tombstone=30"];
    let (out, _) = good(&[&ranges[..], &["--max_num_range_tombstones=2", &db]].concat());
    assert!(out.contains("Number of range deletions: 2\n"), "{out}");
}
