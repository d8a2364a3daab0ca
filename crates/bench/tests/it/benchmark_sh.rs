//! RocksDB's own `tools/benchmark.sh` and `tools/benchmark_compare.sh` of 10.10.1, unmodified, with our `db_bench` in
//! place of RocksDB's.
//!
//! The script throws exit codes away and stops nothing, so a small program stands between it and `db_bench` that
//! keeps them. Its report is read as its users read it: by columns. What it greps in the output must look as RocksDB
//! prints it: the statistics are compared line by line with those of the real library.
//!
//! Needs bash, /usr/bin/time and bc, and cargo for the scripts themselves unless `FERROLITH_BENCHMARK_SH` names the
//! first; without them it says so and passes.

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
    if let Some(path) = std::env::var_os("FERROLITH_BENCHMARK_SH") {
        return Some(PathBuf::from(path));
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

/// Returns a `PATH` with programs that do nothing: the script samples the machine and ends the samplers by name,
/// everybody's.
fn quiet_path(dir: &Dir) -> String {
    let bin = dir.0.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    for name in ["iostat", "vmstat", "killall"] {
        program(&bin.join(name), "exit 0");
    }
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
}

/// Checks that each run of `db_bench` in the log ended well, unless a text in its command says that it may fail.
/// Returns the number of runs.
fn good_runs(log: &Path, said: &str, may_fail: Option<&str>) -> usize {
    let runs = std::fs::read_to_string(log).unwrap();
    let may_fail = |line: &str| may_fail.is_some_and(|text| line.contains(text));
    let failed: Vec<&str> =
        runs.lines().filter(|line| !line.starts_with("0 ") && !may_fail(line)).collect();
    assert!(failed.is_empty(), "{failed:#?}\n{said}");
    runs.lines().count()
}

/// Runs the jobs in one call of the script and returns its report.
fn run(dir: &Dir, jobs: &[Job], settings: &[(&str, &str)]) -> Option<String> {
    let script = script()?;
    let at = |name: &str| dir.0.join(name);
    for name in ["db", "wal", "out"] {
        std::fs::create_dir_all(at(name)).unwrap();
    }
    let (log, bench) = (at("runs"), env!("CARGO_BIN_EXE_db_bench"));
    let body =
        format!("{bench} \"$@\"; code=$?; echo \"$code $*\" >> {}; exit $code", log.display());
    program(&at("db_bench"), &body);
    let path = quiet_path(dir);
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
    let runs = good_runs(&log, &said, None);
    assert_eq!(runs, jobs.iter().map(|(.., times)| times).sum::<usize>(), "{said}");
    for (job, ..) in jobs {
        assert!(said.contains(&format!("Completed {job} ")), "{job}\n{said}");
    }
    assert!(said.contains("RandomTransactionVerify Success."), "{said}");
    Some(std::fs::read_to_string(at("out").join("report.tsv")).unwrap())
}

/// The names of the lines that jobs have in the report.
fn names(jobs: &[Job]) -> Vec<&'static str> {
    jobs.iter().map(|(_, name, _)| *name).filter(|name| !name.is_empty()).collect()
}

/// One line per name, with the columns that the head names and figures that can be.
fn check(report: &str, expected: &[&str], job_id: &str) {
    let mut lines = report.lines().filter(|line| !line.starts_with('#'));
    let head: Vec<&str> = lines.next().unwrap().split('\t').collect();
    assert_eq!(head, COLUMNS);
    let lines: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
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
        assert_eq!((of("version"), of("job_id")), ("10.10.1", job_id), "{line:?}");
        for name in ["rss", "githash"] {
            assert!(!of(name).is_empty(), "{name}: {line:?}");
        }
    }
}

#[test]
fn rocksdbs_benchmark_script_runs_over_our_tool() {
    let dir = Dir::new("benchmark-sh");
    if let Some(report) = run(&dir, SHORT, &[("NUM_KEYS", "2000")]) {
        check(&report, &names(SHORT), "ours");
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
            check(&report, &names(ALL), "ours");
        }
    }
}

/// The lines that the comparison has for each version.
const COMPARED: [&str; 10] = [
    "fillseq.wal_disabled.v400",
    "revrange.t1",
    "readrandom.t2",
    "fwdrange.t2",
    "multireadrandom.t2",
    "overwritesome.t2.s0",
    "revrangewhilewriting.t2",
    "fwdrangewhilewriting.t2",
    "readwhilewriting.t2",
    "overwriteandwait.t2.s0",
];

/// Puts the script, what it calls, and a `db_bench` for each version into the directory. Returns the versions: ours,
/// and the same tool on RocksDB's library, or ours again without that.
fn comparison(dir: &Dir, script: &Path) -> [&'static str; 2] {
    let at = |name: &str| dir.0.join(name);
    for name in ["benchmark.sh", "benchmark_compare.sh"] {
        std::fs::copy(script.with_file_name(name), at(name)).unwrap();
    }
    let library = library();
    let other = if library.is_some() { "rocksdb" } else { "again" };
    for (version, more) in [("ferrolith", String::new()), (other, library.unwrap_or_default())] {
        // One job has a fixed duration of five minutes.
        let body = format!(
            "for arg; do shift; [ \"$arg\" = --duration=300 ] && arg=--duration=1; set -- \"$@\" \"$arg\"; done\n\
             {} \"$@\" {more}; code=$?; echo \"$code $*\" >> {}; exit $code",
            env!("CARGO_BIN_EXE_db_bench"),
            at(&format!("runs.{version}")).display()
        );
        program(&at(&format!("db_bench.{version}")), &body);
    }
    ["ferrolith", other]
}

/// Also the summary, which has the lines of the versions beside each other.
#[test]
#[ignore = "a minute"]
fn rocksdbs_comparison_script_runs_over_our_tool() {
    let Some(script) = script() else { return };
    let dir = Dir::new("benchmark-compare");
    let at = |name: &str| dir.0.join(name);
    let versions = comparison(&dir, &script);
    let path = quiet_path(&dir);
    // The script clears the environment of what it calls, PATH as well.
    program(&at("bin/env"), "shift; exec /usr/bin/env -i PATH=\"$PATH\" \"$@\"");
    std::fs::create_dir(at("db")).unwrap();
    let mut command = Command::new("/bin/bash");
    command.current_dir(&dir.0).stdin(Stdio::null());
    command.args(["benchmark_compare.sh", "db", "out"]).args(versions);
    // One call has no --db and uses the directory for temporary files.
    command.env("PATH", path).env("TMPDIR", &dir.0).envs([
        ("NUM_KEYS", "100000"),
        ("NUM_THREADS", "2"),
        ("DURATION_RW", "1"),
        ("DURATION_RO", "1"),
        ("CACHE_SIZE_MB", "8"),
    ]);
    let output = command.output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{said}");
    // On a library the tool refuses one benchmark of a job by name: C programs cannot call CompactFiles.
    let may_fail = |version: &str| (version == "rocksdb").then_some(",compact0,");
    for version in versions {
        let runs = good_runs(&at(&format!("runs.{version}")), &said, may_fail(version));
        // The lines of a report, a flush, and the question whether there is waitforcompaction.
        assert_eq!(runs, COMPARED.len() + 2, "{said}");
        let report = std::fs::read_to_string(at("out").join(version).join("report.tsv")).unwrap();
        check(&report, &COMPARED, "");
        assert!(at("out").join(version).join("LOG.gz").exists());
    }
    let summary = std::fs::read_to_string(at("out/summary.tsv")).unwrap();
    let groups: Vec<Vec<&str>> =
        summary.split("\n\n").map(|group| group.lines().collect()).collect();
    assert!(groups[0].iter().zip(versions).all(|(path, version)| path.contains(version)));
    for (group, name) in groups[1..].iter().zip(COMPARED) {
        let tests: Vec<&str> = group.iter().map(|line| line.split('\t').nth(23).unwrap()).collect();
        assert_eq!(tests, ["test", name, name], "{summary}");
    }
    assert_eq!(groups.iter().filter(|group| !group.is_empty()).count(), 1 + COMPARED.len());
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
