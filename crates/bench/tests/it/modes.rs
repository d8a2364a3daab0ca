//! Ways to open and to use a database, each on Ferrolith and on the real library; and what goes wrong outside.

use super::{Dir, bad, bench, good, library, lines, text};

/// Runs on Ferrolith, and on the library if there is one.
pub(crate) fn on_both(name: &str, test: impl Fn(&Dir, &[&str])) {
    test(&Dir::new(name), &[]);
    if let Some(library) = library() {
        test(&Dir::new(&format!("{name}-library")), &[&library]);
    }
}

#[test]
fn transactions_keep_their_sums_on_both_engines() {
    on_both("transactions", |dir, engine| {
        for kind in ["--transaction_db", "--optimistic_transaction_db"] {
            let db = dir.arg("db", kind);
            let args = [
                "--benchmarks=fillseq,overwrite,mergerandom,deleterandom,randomtransaction",
                kind,
                "--merge_operator=put",
                "--transaction_sets=3",
                "--num=200",
                "--reads=1000",
                "--threads=3",
                "--batch_size=2",
                &db,
            ];
            let (out, _) = good(&[&args[..], engine].concat());
            assert!(out.contains("( transactions:1000 aborts:"), "{out}");
            assert!(out.contains("RandomTransactionVerify Success."), "{out}");
        }
    });
}

#[test]
fn keys_are_spread_over_column_families() {
    on_both("families", |dir, engine| {
        let db = dir.arg("db", "db");
        let family =
            ["--num_column_families=3", "--column_family_distribution=10,20,70", "--num=500", &db];
        let fill = [
            "--benchmarks=fillseq,flush,compact,readrandom,deleteseq,readrandom",
            "--batch_size=5",
        ];
        let (out, _) = good(&[&fill[..], &family, engine].concat());
        let found: Vec<String> = lines(&out)
            .into_iter()
            .filter(|line| line.0 == "readrandom")
            .map(|line| line.2)
            .collect();
        assert!(
            found[0].ends_with("(500 of 500 found)") && found[1].ends_with("(0 of 500 found)"),
            "{out}"
        );
        let one = ["--benchmarks=readrandom", "--use_existing_db", "--num=500", &db];
        assert!(bad(&[&one[..], engine].concat()).contains("Column families not opened: "));
    });
}

#[test]
fn a_backup_comes_back() {
    on_both("backup", |dir, engine| {
        let (db, backups, restored) =
            (dir.arg("db", "db"), dir.arg("backup_dir", "backups"), dir.arg("restore_dir", "new"));
        let args = ["--benchmarks=fillseq,backup,restore", "--num=500", &db, &backups, &restored];
        good(&[&args[..], engine].concat());
        let read = [
            "--benchmarks=readrandom,seekrandom",
            "--explicit_snapshot",
            "--use_existing_db",
            "--num=500",
        ];
        let (out, _) = good(&[&read[..], &[&dir.arg("db", "new")], engine].concat());
        assert!(lines(&out).iter().all(|line| line.2.ends_with("(500 of 500 found)")), "{out}");
        assert!(
            bad(&[&["--benchmarks=backup", "--num=1", &db], engine].concat())
                .contains("--backup_dir is not set")
        );
    });
}

#[test]
fn table_formats_and_styles_find_what_was_written() {
    on_both("formats", |dir, engine| {
        for (name, flags) in [
            (
                "ribbon",
                &["--use_ribbon_filter", "--bloom_bits=10", "--partition_index_and_filters"][..],
            ),
            ("first-key", &["--index_with_first_key", "--index_shortening_mode=0"]),
            ("hash", &["--use_hash_search", "--prefix_size=8"]),
            ("cuckoo", &["--use_cuckoo_table", "--mmap_read"]),
            (
                "universal",
                &["--compaction_style=1", "--universal_min_merge_width=2", "--num_levels=3"],
            ),
            ("fifo", &["--compaction_style=2", "--fifo_compaction_max_table_files_size_mb=100"]),
            ("limited", &["--rate_limiter_bytes_per_sec=50000000", "--cost_write_buffer_to_cache"]),
            (
                "string",
                &["--options_string=recycle_log_file_num=0;bottommost_compression=kLZ4Compression"],
            ),
        ] {
            let db = dir.arg("db", name);
            let args = [
                "--benchmarks=filluniquerandom,flush,readrandom",
                "--num=1000",
                "--key_size=16",
                &db,
            ];
            let (out, _) = good(&[&args[..], flags, engine].concat());
            assert!(out.contains("(1000 of 1000 found)"), "{name}: {out}");
        }
    });
}

#[test]
fn what_is_wrong_outside_is_named() {
    let dir = Dir::new("outside");
    let missing = dir.arg("db", "not/there");
    assert!(
        bad(&["--benchmarks=fillseq", "--num=1", &missing])
            .contains("not/there: cannot be created, because the directory ")
    );
    let none = dir.arg("db", "none");
    assert!(
        bad(&["--benchmarks=readrandom", "--num=1", "--readonly", &none]).contains("none/CURRENT")
    );
    let (_, err) = good(&["--benchmarks=readrandom", "--num=1", "--use_existing_db", &none]);
    assert!(err.contains("none contains no database; creating an empty one"), "{err}");
    assert!(
        bad(&["--benchmarks=overwrite", "--num=1", "--readonly", &none])
            .contains("Not supported operation in read only mode")
    );
    std::fs::write(dir.0.join("file"), "x").unwrap();
    assert!(bad(&["--num=1", &dir.arg("db", "file")]).contains("file"));
    let text_file = dir.arg("engine_lib", "file");
    assert!(
        bad(&[&text_file]).contains("this file cannot be loaded as a shared library"),
        "{}",
        bad(&[&text_file])
    );
    assert!(
        bad(&["--enable_blob_files", &none]).contains(
            "--enable_blob_files=1 is not supported: Ferrolith does not support blob files"
        )
    );
    assert!(bad(&["--use_direct_reads", "--mmap_read", &none]).contains("direct I/O"));
    assert!(
        bad(&["--compaction_style=9", &none])
            .contains("illegal value '9' specified for flag 'compaction_style'")
    );
    assert!(
        bad(&["--options_string=nonsense=1", &none])
            .contains("Extra option not recognized: nonsense")
    );
    assert!(bad(&["--transaction_db", "--readonly", &none]).contains("cannot be combined"));
    assert!(bad(&["--duration=-1", &none]).contains("--duration=-1 must be 0 or more"));
    assert!(
        bad(&["--options_file=/nowhere/OPTIONS", &none])
            .contains("Unable to load options file /nowhere/OPTIONS")
    );
    if let Some(library) = library() {
        for flag in [
            "--use_keep_filter",
            "--options_file=/x",
            "--rate_limit_user_ops",
            "--options_string=nonsense=1",
        ] {
            let name = flag.split('=').next().unwrap();
            assert!(bad(&[&library, flag, &none]).contains(name), "{flag}");
        }
        assert!(
            bad(&[
                &library,
                "--compaction_pri=3",
                "--memtablerep=vector",
                "--benchmarks=compact0",
                &none
            ])
            .contains("compact0")
        );
    }
}

#[test]
fn an_options_file_is_taken_over() {
    let dir = Dir::new("options-file");
    let (first, second) = (dir.arg("db", "first"), dir.arg("db", "second"));
    good(&[
        "--benchmarks=fillseq",
        "--num=10",
        "--compaction_style=1",
        "--block_size=8192",
        &first,
    ]);
    let newest = |name: &str| {
        let entries =
            std::fs::read_dir(dir.0.join(name)).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.to_string_lossy().contains("OPTIONS-")).max().unwrap()
    };
    let file = format!("--options_file={}", newest("first").display());
    good(&["--benchmarks=fillseq,readrandom", "--num=10", &file, "--block_size=512", &second]);
    let written = std::fs::read_to_string(newest("second")).unwrap();
    assert!(
        written.contains("compaction_style=kCompactionStyleUniversal")
            && written.contains("block_size=8192"),
        "{written}"
    );
    let output =
        bench(&["--options_file", &newest("first").display().to_string(), "--benchmarks=nothing"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
}

#[test]
fn two_databases_are_compared() {
    on_both("verify", |dir, engine| {
        let (db, truth) = (dir.arg("db", "db"), dir.arg("truth_db", "truth"));
        for name in ["db", "truth"] {
            let args = [
                "--benchmarks=filluniquerandom,flush",
                "--num=300",
                "--seed=7",
                &dir.arg("db", name),
            ];
            good(&[&args[..], engine].concat());
        }
        let verify =
            ["--benchmarks=verify", "--use_existing_db", &db, &truth, "--report_open_timing"];
        let (out, _) = good(&[&verify[..], engine].concat());
        assert!(out.contains("...Verified 300 entries"), "{out}");
        assert!(
            out.lines()
                .any(|line| line.starts_with("OpenDb:     ") && line.ends_with(" milliseconds")),
            "{out}"
        );
        let change = [
            "--benchmarks=overwrite",
            "--writes=1",
            "--num=400",
            "--use_existing_db",
            "--seed=9",
            &db,
        ];
        good(&[&change[..], engine].concat());
        assert!(bad(&[&verify[..], engine].concat()).contains("verify: "));
        let nothing = ["--benchmarks=verify", "--num=1", &db, "--truth_db=/nowhere"];
        assert!(
            bad(&[&nothing[..], engine].concat())
                .contains("--truth_db=/nowhere contains no database")
        );
    });
}

#[test]
fn properties_of_tables_come_with_the_statistics() {
    let dir = Dir::new("properties");
    let args = [
        "--benchmarks=fillseq,flush,readrandom",
        "--num=2000",
        "--stats_interval=1000",
        "--stats_per_interval=1",
        "--show_table_properties",
        &dir.arg("db", "db"),
    ];
    let (_, err) = good(&args);
    assert!(
        err.contains("Level[0]: # data blocks=") && err.contains("num-running-compactions: 0"),
        "{err}"
    );
}
