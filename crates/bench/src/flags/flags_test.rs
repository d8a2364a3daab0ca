//! Command lines: the eight of the in-memory benchmark, gflags' syntax, notices and errors.

use super::*;

fn run(args: &[&str]) -> Result<(Box<Flags>, Vec<String>), String> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    match parse(&args)? {
        Parsed::Run(flags, notices) => Ok((flags, notices)),
        Parsed::Print(text) => Err(text),
    }
}

fn error(args: &[&str]) -> String {
    run(args).err().unwrap_or_default()
}

fn eight() -> Vec<Vec<&'static str>> {
    include_str!("../../testdata/in_memory_commands.txt")
        .lines()
        .filter(|line| line.starts_with("./db_bench"))
        .map(|line| line.split_whitespace().skip(1).collect())
        .collect()
}

#[test]
fn the_eight_lines_parse_word_for_word() {
    let lines = eight();
    assert_eq!(lines.len(), 8);
    for line in lines {
        let (flags, notices) = run(&line).unwrap();
        assert_eq!(flags.text("memtablerep"), "prefix_hash");
        assert_eq!(flags.int("num"), 524_288_000);
        assert_eq!(flags.int("cache_size"), 17_179_869_184);
        assert!(!flags.on("disable_wal") && flags.on("use_plain_table") && flags.on("mmap_read"));
        let obsolete = [
            "disable_seek_compaction",
            "hard_rate_limit",
            "disable_data_sync",
            "max_grandparent_overlap_factor",
            "verify_checksum",
        ];
        for name in obsolete {
            let about = notices.iter().filter(|n| n.starts_with(&format!("--{name}=")));
            assert_eq!(about.count(), 1, "{name}: {notices:#?}");
        }
        assert!(notices.iter().all(|notice| !notice.contains('\n')));
        let writes = flags.uint("writes_per_second");
        assert_eq!(writes > 0, flags.text("benchmarks") == "readwhilewriting");
        let config = crate::config::Config::new(&flags, 1).unwrap();
        if writes > 0 {
            assert_eq!(config.write_rate, crate::config::WriteRate::Ops(writes));
        }
    }
}

#[test]
fn every_obsolete_flag_has_one_line() {
    let rows = || TABLES.iter().flat_map(|(_, rows)| rows.iter());
    let args: Vec<String> = rows().map(|row| format!("--{}={}", row.name, row.default)).collect();
    let (_, notices) = run(&args.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    for row in rows() {
        let about = notices.iter().filter(|n| n.starts_with(&format!("--{}=", row.name))).count();
        let expected = match row.fate {
            Fate::Obsolete(_) | Fate::Noted(_) => 1,
            Fate::Used | Fate::Sets(_) | Fate::Refused(_) => 0,
        };
        assert_eq!(about, expected, "{}", row.name);
    }
}

#[test]
fn rows_are_unique_and_defaults_are_valid() {
    let mut names: Vec<&str> =
        TABLES.iter().flat_map(|(_, rows)| rows.iter().map(|row| row.name)).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(count > 400, "{count}");
    let (flags, notices) = run(&[]).unwrap();
    assert!(notices.is_empty() && flags.given().is_empty());
    crate::workloads::parse_list(flags.text("benchmarks")).unwrap();
}

#[test]
fn the_syntax_is_that_of_gflags() {
    let (flags, _) = run(&[
        "-num=5",
        "--reads",
        "7",
        "--open_files",
        "-1",
        "--histogram",
        "--nosync",
        "-db=/x y",
        "--use_existing_db=no",
        "--statistics=T",
        "--num=6",
        "--threads=2",
    ])
    .unwrap();
    assert_eq!((flags.int("num"), flags.int("reads"), flags.int("open_files")), (6, 7, -1));
    assert!(flags.on("histogram") && flags.on("statistics") && !flags.on("sync"));
    assert!(!flags.on("use_existing_db") && flags.is_given("sync"));
    assert_eq!(flags.text("db"), "/x y");
}

#[test]
fn mistakes_are_named() {
    assert_eq!(
        error(&["--write_bufer_size=3"]),
        "ERROR: unknown command line flag 'write_bufer_size'; did you mean --write_buffer_size?"
    );
    assert!(error(&["--qqq"]).starts_with("ERROR: unknown command line flag 'qqq'"));
    assert_eq!(error(&["--num=abc"]), "ERROR: illegal value 'abc' specified for int64 flag 'num'");
    assert_eq!(error(&["--sync=2"]), "ERROR: illegal value '2' specified for bool flag 'sync'");
    assert_eq!(error(&["--threads"]), "ERROR: flag 'threads' is missing its value");
    assert!(error(&["--threads=5000000000"]).contains("int32 flag 'threads'"));
    let codec = error(&["--compression_type=zip"]);
    assert!(
        codec.contains("'zip'") && codec.contains("'compression_type'") && codec.contains("snappy")
    );
    assert_eq!(error(&["fillseq"]), "ERROR: 'fillseq' is not a flag");
    let blob = error(&["--use_blob_db=1"]);
    assert!(
        blob.starts_with("ERROR: --use_blob_db=1 is not supported: RocksDB's stacked BlobDB"),
        "{blob}"
    );
}

#[test]
fn combinations_are_checked() {
    for (args, part) in [
        (&["--prefix_size=30"][..], "--prefix_size"),
        (&["--memtablerep=prefix_hash"][..], "--memtablerep=prefix_hash needs --prefix_size"),
        (&["--use_plain_table=1"][..], "--mmap_read"),
        (&["--num=0"][..], "--num=0"),
        (&["--use_existing_keys=1"][..], "--use_existing_db"),
    ] {
        let (flags, _) = run(args).unwrap();
        let error = crate::config::Config::new(&flags, 1).err().unwrap_or_default();
        assert!(error.contains(part), "{args:?}: {error}");
    }
}

#[test]
fn help_is_made_from_the_rows() {
    for flag in ["--help=all", "--helpfull"] {
        let help = error(&[flag]);
        for row in TABLES.iter().flat_map(|(_, rows)| rows.iter()) {
            assert!(help.contains(&format!("--{}", row.name)), "{}", row.name);
        }
        for part in ["[default: skip_list]", "    prefixscanrandom ", "  Mix operations:"] {
            assert!(help.contains(part), "{part}");
        }
    }
}

#[test]
fn short_help_has_common_flags_by_heading_and_all_benchmarks() {
    for flag in ["--help", "-h", "--helpshort", "--help=true"] {
        let help = error(&[flag]);
        assert!(help.lines().count() < 100, "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        for name in help::COMMON {
            assert!(help.contains(&format!("\n  --{name} ")), "{name}: {help}");
        }
        assert!(!help.contains("--arena_block_size"), "{help}");
        let names: Vec<&str> = help.split([' ', ',', '\n']).collect();
        for benchmark in crate::workloads::benchmarks() {
            assert!(names.contains(&benchmark.name), "{}", benchmark.name);
        }
        assert!(help.contains("\nDatabase:\n") && help.contains("--help=all"), "{help}");
    }
    let wrong = error(&["--help=everything"]);
    assert_eq!(wrong, "ERROR: illegal value 'everything' specified for flag 'help'; known: all");
}

#[test]
fn every_refusal_has_a_reason_of_its_own() {
    for row in TABLES.iter().flat_map(|(_, rows)| rows.iter()) {
        let Fate::Refused(reason) = row.fate else { continue };
        assert!(!reason.contains("not supported"), "{}: {reason}", row.name);
        assert!(reason.contains("Ferrolith") || reason.contains("this tool"), "{reason}");
    }
    let other = error(&["--use_secondary_db=1"]);
    assert!(other.contains("neither secondary instances nor followers"), "{other}");
}

#[test]
fn unknown_flags_are_put_up_with_where_asked() {
    let (flags, _) =
        run(&["--undefok=a,b", "--a=1", "--nob", "--num=5", "--undefok", "c", "-c=2"]).unwrap();
    assert_eq!(flags.int("num"), 5);
    assert!(error(&["--undefok=a", "--b=1"]).contains("unknown command line flag 'b'"));
    assert!(error(&["--undefok"]).contains("flag 'undefok' is missing its argument"));
}

#[test]
fn flags_come_from_files_and_variables() {
    let dir = std::env::temp_dir().join(format!("db_bench-flags-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let (outer, inner) = (dir.join("outer"), dir.join("inner"));
    let text = format!(
        "# a comment\n--num=7\n\n--flagfile={}\nother_program\n--reads=1\ndb_bench other\n--threads=3\n",
        inner.display()
    );
    std::fs::write(&outer, text).unwrap();
    std::fs::write(&inner, "-value_size=9\n--nosync\n").unwrap();
    let file = format!("--flagfile={}", outer.display());
    let (flags, _) = run(&["--num=1", &file, "--value_size=10"]).unwrap();
    let numbers = ["num", "reads", "threads", "value_size"].map(|name| flags.int(name));
    assert_eq!(numbers, [7, -1, 3, 10]);
    std::fs::write(&inner, format!("--flagfile={}\n", inner.display())).unwrap();
    assert!(error(&[&file]).contains("more than 100 flag files"));
    assert!(error(&["--flagfile=/nowhere/x"]).contains("--flagfile=/nowhere/x: No such file"));
    std::fs::remove_dir_all(&dir).unwrap();

    let env = |name: &str| (name == "FLAGS_num").then(|| "12".to_owned());
    let expand = |args: &[&str]| {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        builtins::expand(&args, &env).map(|expanded| expanded.args)
    };
    assert_eq!(
        expand(&["--tryfromenv=num,reads", "--threads=2"]).unwrap(),
        ["--num=12", "--threads=2"]
    );
    assert_eq!(expand(&["--fromenv=num"]).unwrap(), ["--num=12"]);
    assert_eq!(
        expand(&["--fromenv=num,reads"]).unwrap_err(),
        "ERROR: FLAGS_reads not found in environment"
    );
}

#[test]
fn help_can_be_searched() {
    let text = error(&["--helpmatch=ribbon"]);
    assert!(text.contains("-use_ribbon_filter (") && !text.contains("-num ("), "{text}");
    assert!(error(&["--helpxml"]).contains("<name>cache_size</name>"));
    assert!(error(&["--version"]).starts_with("db_bench version 10.10.1"));
    assert!(error(&["--build_info"]).contains("crc32c"));
}

#[test]
fn an_old_name_sets_the_new_flag() {
    let (flags, notices) = run(&["--compaction_measure_io_stats=1"]).unwrap();
    assert!(flags.on("report_bg_io_stats"));
    assert!(notices[0].contains("the flag is now --report_bg_io_stats"), "{notices:?}");
}

#[test]
fn numbers_that_mean_nothing_are_refused() {
    for (args, part) in [
        (&["--duration=-1"][..], "ERROR: --duration=-1 must be 0 or more"),
        (&["--batch_size=-2"][..], "--batch_size=-2"),
        (&["--readwritepercent=101"][..], "--readwritepercent=101 must be 100 or less"),
        (&["--transaction_sets=0"][..], "--transaction_sets=0"),
        (&["--perf_level=9"][..], "--perf_level=9"),
        (&["--use_cuckoo_table=1"][..], "--mmap_read"),
    ] {
        let (flags, _) = run(args).unwrap();
        let error = crate::config::Config::new(&flags, 1).err().unwrap_or_default();
        assert!(error.contains(part), "{args:?}: {error}");
    }
    let (flags, _) = run(&["--num=0x10"]).unwrap();
    assert_eq!(flags.int("num"), 16);
}
