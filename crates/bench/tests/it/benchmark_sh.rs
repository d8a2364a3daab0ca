//! RocksDB's own `tools/benchmark.sh` of 10.10.1, unmodified, with our `db_bench` in place of RocksDB's.
//!
//! The script throws exit codes away and stops nothing, so a small program stands between it and `db_bench` that
//! keeps them. Its report is read as its users read it: by columns. What it greps in the output must look as RocksDB
//! prints it: the statistics are compared line by line with those of the real library.
//!
//! Needs bash, /usr/bin/time and bc, and cargo for the script itself; without them it says so and passes.

use super::{Dir, good, library, text};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Columns of report.tsv.
const COLUMNS: [&str; 28] = [
    "ops_sec", "mb_sec", "lsm_sz", "blob_sz", "c_wgb", "w_amp", "c_mbps", "c_wsecs", "c_csecs",
    "b_rgb", "b_wgb", "usec_op", "p50", "p99", "p99.9", "p99.99", "pmax", "uptime", "stall%",
    "Nstall", "u_cpu", "s_cpu", "rss", "test", "date", "version", "job_id", "githash",
];

/// A job, the name of its line in the report (empty: it has none), and how often it starts `db_bench`.
type Job = (&'static str, &'static str, usize);

/// Those that a change of the flags or of the output is likely to break; a second or two each.
const SHORT: &[Job] = &[
    ("fillseq_disable_wal", "fillseq.wal_disabled.v400", 1),
    ("readrandom", "readrandom.t2", 1),
    ("overwrite", "overwrite.t2.s1", 1),
    ("fwdrangewhilewriting", "fwdrangewhilewriting.t2", 1),
    ("flush_mt_l0", "", 1),
    ("randomtransaction", "", 1),
];

/// Every job. Those that merge come after those that read without an operator.
const ALL: &[Job] = &[
    ("bulkload", "bulkload", 2),
    ("fillseq_disable_wal", "fillseq.wal_disabled.v400", 1),
    ("overwrite", "overwrite.t2.s1", 1),
    ("overwritesome", "overwritesome.t2.s1", 1),
    ("overwriteandwait", "overwriteandwait.t2.s1", 1),
    ("updaterandom", "updaterandom.t2.s1", 1),
    ("waitforcompaction", "", 1),
    ("flush_mt_l0", "", 1),
    ("readrandom", "readrandom.t2", 1),
    ("multireadrandom", "multireadrandom.t2", 1),
    ("fwdrange", "fwdrange.t2", 1),
    ("revrange", "revrange.t2", 1),
    ("readwhilewriting", "readwhilewriting.t2", 1),
    ("fwdrangewhilewriting", "fwdrangewhilewriting.t2", 1),
    ("revrangewhilewriting", "revrangewhilewriting.t2", 1),
    ("mergerandom", "mergerandom.t2.s1", 1),
    ("readwhilemerging", "readwhilemerging.t2", 1),
    ("fwdrangewhilemerging", "fwdrangewhilemerging.t2", 1),
    ("revrangewhilemerging", "revrangewhilemerging.t2", 1),
    ("fillseq_enable_wal", "fillseq.wal_enabled.v400", 1),
    ("filluniquerandom", "filluniquerandom", 1),
    ("randomtransaction", "", 1),
    // The script itself loses the name of this job's log, so that it reports nothing.
    ("universal_compaction", "", 10),
];

/// The script, or why there is none.
fn script() -> Option<PathBuf> {
    for program in ["/bin/bash", "/usr/bin/time", "/usr/bin/bc"] {
        if !Path::new(program).exists() {
            eprintln!("skipped: no {program}");
            return None;
        }
    }
    let fetch = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/fetch-benchmark-sh.sh");
    let output = Command::new(fetch).output().unwrap();
    if !output.status.success() {
        eprintln!("skipped: {fetch}: {}", text(&output.stderr));
        return None;
    }
    Some(PathBuf::from(text(&output.stdout).trim()))
}

fn program(path: &Path, body: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs the jobs in one call of the script and returns its report.
fn run(dir: &Dir, jobs: &[Job], settings: &[(&str, &str)]) -> Option<String> {
    let script = script()?;
    let at = |name: &str| dir.0.join(name);
    for name in ["db", "wal", "out", "bin"] {
        std::fs::create_dir_all(at(name)).unwrap();
    }
    let (log, bench) = (at("runs"), env!("CARGO_BIN_EXE_db_bench"));
    let body =
        format!("{bench} \"$@\"; code=$?; echo \"$code $*\" >> {}; exit $code", log.display());
    program(&at("db_bench"), &body);
    // The script samples the machine and ends the samplers by name, everybody's.
    for name in ["iostat", "vmstat", "killall"] {
        program(&at("bin").join(name), "exit 0");
    }
    let path = format!("{}:{}", at("bin").display(), std::env::var("PATH").unwrap());
    let names: Vec<&str> = jobs.iter().map(|(job, ..)| *job).collect();
    let mut command = Command::new("/bin/bash");
    command.current_dir(&dir.0).arg(script).arg(names.join(",")).stdin(Stdio::null());
    command
        .env("PATH", path)
        .env("DB_DIR", at("db"))
        .env("WAL_DIR", at("wal"))
        .env("OUTPUT_DIR", at("out"));
    command
        .env("JOB_ID", "ours")
        .env("NUM_THREADS", "2")
        .env("CACHE_SIZE", "8388608")
        .env("DURATION", "1");
    command.envs(settings.iter().copied());
    let output = command.output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{said}");
    let runs = std::fs::read_to_string(log).unwrap();
    let failed: Vec<&str> = runs.lines().filter(|line| !line.starts_with("0 ")).collect();
    assert!(failed.is_empty(), "{failed:#?}\n{said}");
    assert_eq!(runs.lines().count(), jobs.iter().map(|(.., times)| times).sum::<usize>(), "{runs}");
    for (job, ..) in jobs {
        assert!(said.contains(&format!("Completed {job} ")), "{job}\n{said}");
    }
    assert!(said.contains("RandomTransactionVerify Success."), "{said}");
    Some(std::fs::read_to_string(at("out").join("report.tsv")).unwrap())
}

/// One line per job, with the columns that the head names and figures that can be.
fn check(report: &str, jobs: &[Job]) {
    let mut lines = report.lines().filter(|line| !line.starts_with('#'));
    let head: Vec<&str> = lines.next().unwrap().split('\t').collect();
    assert_eq!(head, COLUMNS);
    let lines: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    let expected: Vec<&str> =
        jobs.iter().map(|(_, name, _)| *name).filter(|name| !name.is_empty()).collect();
    let names: Vec<&str> = lines.iter().map(|line| line[23]).collect();
    assert_eq!(names, expected, "{report}");
    for line in &lines {
        assert_eq!(line.len(), COLUMNS.len(), "{line:?}");
        let of = |name: &str| line[COLUMNS.iter().position(|column| *column == name).unwrap()];
        let number =
            |name: &str| -> f64 { of(name).parse().unwrap_or_else(|_| panic!("{name}: {line:?}")) };
        // Megabytes are rounded to tenths, and a busy machine syncs a hundred times a second.
        assert!(number("ops_sec") > 0.0 && number("mb_sec") >= 0.0, "{line:?}");
        // Microseconds are rounded to tenths.
        let threads = if of("test").contains(".t2") { 2.0 } else { 1.0 };
        let product = number("ops_sec") * (number("usec_op") + 0.05) / 1e6;
        assert!(
            product > 0.5 * threads && product < 2.0 * threads + 1.0,
            "{product} threads: {line:?}"
        );
        let percentiles = ["p50", "p99", "p99.9", "p99.99"].map(number);
        // All but the first are rounded to whole numbers.
        assert!(percentiles.windows(2).all(|pair| pair[0] <= pair[1] + 0.5), "{line:?}");
        assert!(number("pmax") + 1.0 >= number("p99.99") && number("p50") > 0.0, "{line:?}");
        for name in [
            "c_wgb", "c_mbps", "c_wsecs", "c_csecs", "b_rgb", "b_wgb", "uptime", "stall%", "u_cpu",
            "s_cpu",
        ] {
            assert!(number(name) >= 0.0, "{name}: {line:?}");
        }
        assert!(of("w_amp") == "NA" || number("w_amp") >= 0.0, "{line:?}");
        for name in ["lsm_sz", "blob_sz"] {
            let digits =
                of(name).trim_end_matches("KB").trim_end_matches("MB").trim_end_matches("GB");
            assert!(
                digits.len() + 2 == of(name).len() && digits.parse::<f64>().is_ok(),
                "{name}: {line:?}"
            );
        }
        assert!(
            of("date").len() == "2026-11-23T08:59:53".len() && of("date").contains('T'),
            "{line:?}"
        );
        assert_eq!((of("version"), of("job_id")), ("10.10.1", "ours"), "{line:?}");
    }
}

#[test]
fn rocksdbs_benchmark_script_runs_over_our_tool() {
    let dir = Dir::new("benchmark-sh");
    if let Some(report) = run(&dir, SHORT, &[("NUM_KEYS", "2000")]) {
        check(&report, SHORT);
    }
}

/// Minutes; also with universal compaction throughout.
#[test]
#[ignore = "minutes"]
fn every_job_of_rocksdbs_benchmark_script_runs_over_our_tool() {
    let sizes =
        [("NUM_KEYS", "20000"), ("WRITE_BUFFER_SIZE_MB", "1"), ("TARGET_FILE_SIZE_BASE_MB", "1")];
    for style in ["leveled", "universal"] {
        let dir = Dir::new(&format!("benchmark-sh-{style}"));
        let cached = [("COMPACTION_STYLE", style), ("CACHE_INDEX_AND_FILTER_BLOCKS", "1")];
        if let Some(report) = run(&dir, ALL, &[&sizes[..], &cached].concat()) {
            check(&report, ALL);
        }
    }
}

/// The first words of each line of the output up to the figures, and how many fields it has.
fn shape(out: &str) -> Vec<(String, usize)> {
    let wanted = [
        "Uptime(secs)",
        "Cumulative ",
        "Flush(GB)",
        " Sum ",
        "Blob file count",
        "Percentiles:",
        "Min: ",
        "readrandom",
    ];
    let of_line = |line: &str| {
        let start = wanted.iter().find(|start| line.starts_with(*start))?;
        let rest: String =
            line.chars().filter(|c| !c.is_ascii_digit() && !matches!(c, '.' | '-')).collect();
        let units = ["KB", "MB", "GB", "K", "M", "G", "s", "B"];
        let words =
            rest.split_whitespace().filter(|word| !units.contains(&word.trim_end_matches(',')));
        let head: Vec<&str> = words.collect();
        let fields = line.split_whitespace().count();
        Some((format!("{start}: {}", head.join(" ")), fields))
    };
    out.lines().filter_map(of_line).collect()
}

#[test]
fn what_the_script_greps_has_the_shape_of_the_real_librarys() {
    let Some(library) = library() else { return };
    let dir = Dir::new("benchmark-sh-shape");
    let of = |engine: &[&str], name: &str| {
        let (db, args) = (
            dir.arg("db", name),
            ["--benchmarks=fillseq,readrandom,stats", "--num=5000", "--histogram"],
        );
        let (out, _) =
            good(&[&args[..], &[db.as_str(), "--compression_type=none"], engine].concat());
        shape(&out)
    };
    let (ours, theirs) = (of(&[], "ours"), of(&[&library], "theirs"));
    assert!(ours.len() > 12, "{ours:#?}");
    let names =
        |shape: &[(String, usize)]| shape.iter().map(|(line, _)| line.clone()).collect::<Vec<_>>();
    assert_eq!(names(&ours), names(&theirs));
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours.1, theirs.1, "fields of {}", ours.0);
    }
}
