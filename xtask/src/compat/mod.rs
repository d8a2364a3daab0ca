//! `cargo x compat`: runs other projects' test suites for RocksDB's C ABI on the real RocksDB and on ours.
//!
//! Each suite is built once, in a cache outside the repository, against a stub library in which every function prints
//! its own name and aborts ([`stub`]). A run preloads the library under test. Functions that it lacks resolve to the
//! stub, which reports them. So a suite never needs rebuilding, and a library with half of the functions can be
//! evaluated.
//!
//! The parts: [`place`] (paths), [`fetch`] (sources, from their registries), [`stub`], [`build`] (programs, and the
//! list of tests with the command of each), [`run`] (each test in its own process), [`cause`] (the first cause of a
//! failed test), [`report`] (TSV and table).

pub(crate) mod build;
mod cause;
pub(crate) mod fetch;
pub(crate) mod place;
mod report;
pub(crate) mod run;
pub(crate) mod stub;

use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) use build::rust_bindings;
pub(crate) use report::Later;

/// The reason why an operation failed, for people.
pub(crate) type Failure = String;

pub(crate) const USAGE: &str = "\
usage: cargo x compat [flags]

  --suite NAME    runs one suite; may be repeated. Default: all
  --fast          runs grocksdb and the C test completely, and from the others only tests that are fast on RocksDB
  --only TEXT     runs only tests whose name contains TEXT (a|b matches either)
  --lib PATH      the library under test. Default: builds target/debug/librocksdb.so
  --real PATH     the real RocksDB 10.10.1. Default: $FERROLITH_ROCKSDB_LIB, or tools/fetch-peers.sh
  --again         runs the real RocksDB again instead of using its cached results
  --no-write      does not update docs/compatibility.md (implied by --suite, --only and --fast)
  --check         fails if a test fails that is not listed in crates/capi/later.tsv
  --jobs N        the number of concurrent tests. Default: the number of cores
  --list          lists the suites

Results: target/compat/SUITE.tsv, and each test's output in target/compat/SUITE/TEST.log.
";

/// The way in which a suite is fetched and built.
pub(crate) enum Kind {
    /// A Go module: one test program.
    Go { module: &'static str },
    /// The crate `rocksdb`: its unit and integration tests, or its documentation tests.
    Crate { documentation: bool },
    /// The port of RocksDB's C test to Rust in `librocksdb-sys`.
    SysCrate,
    /// RocksDB's own C test, from a crate that carries RocksDB's sources.
    CTest { package: &'static str, version: &'static str },
}

pub(crate) struct Suite {
    pub(crate) name: &'static str,
    /// The title for people.
    pub(crate) title: &'static str,
    pub(crate) version: &'static str,
    pub(crate) kind: Kind,
}

impl Suite {
    /// Returns its name in the cache: another version is another suite.
    pub(crate) fn versioned(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }
}

pub(crate) const SUITES: &[Suite] = &[
    Suite {
        name: "grocksdb",
        title: "grocksdb (Go)",
        version: "1.10.7",
        kind: Kind::Go { module: "github.com/linxGnu/grocksdb" },
    },
    Suite {
        name: "rust-0.24",
        title: "rocksdb (Rust), tests",
        version: "0.24.0",
        kind: Kind::Crate { documentation: false },
    },
    Suite {
        name: "rust-0.24-doc",
        title: "rocksdb (Rust), documentation",
        version: "0.24.0",
        kind: Kind::Crate { documentation: true },
    },
    Suite {
        name: "rust-0.25",
        title: "rocksdb (Rust), tests",
        version: "0.25.0",
        kind: Kind::Crate { documentation: false },
    },
    Suite {
        name: "rust-0.25-doc",
        title: "rocksdb (Rust), documentation",
        version: "0.25.0",
        kind: Kind::Crate { documentation: true },
    },
    Suite {
        name: "sys-0.17",
        title: "librocksdb-sys, port of RocksDB's C test",
        version: "0.17.3+10.4.2",
        kind: Kind::SysCrate,
    },
    Suite {
        name: "c-test",
        title: "RocksDB's own C test",
        version: "10.10.1",
        kind: Kind::CTest { package: "rust-librocksdb-sys", version: "0.42.0" },
    },
];

struct Flags {
    suites: Vec<&'static Suite>,
    fast: bool,
    only: Vec<String>,
    lib: Option<PathBuf>,
    real: Option<PathBuf>,
    again: bool,
    write: bool,
    check: bool,
    jobs: usize,
}

pub(crate) fn run(args: impl Iterator<Item = String>) -> ExitCode {
    let flags = match parse(args) {
        Ok(Some(flags)) => flags,
        Ok(None) => return ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("cargo x compat: {e}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match judge(&flags) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("cargo x compat: {e}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Flags>, Failure> {
    let mut flags = Flags {
        suites: Vec::new(),
        fast: false,
        only: Vec::new(),
        lib: None,
        real: None,
        again: false,
        write: true,
        check: false,
        jobs: std::thread::available_parallelism().map_or(2, |n| n.get()),
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--suite" => {
                let name = value()?;
                let suite = SUITES.iter().find(|s| s.name == name);
                flags.suites.push(suite.ok_or(format!("unknown suite {name:?}; see --list"))?);
            }
            "--fast" => flags.fast = true,
            "--only" => flags.only = value()?.split('|').map(str::to_string).collect(),
            "--lib" => flags.lib = Some(value()?.into()),
            "--real" => flags.real = Some(value()?.into()),
            "--again" => flags.again = true,
            "--no-write" => flags.write = false,
            "--check" => flags.check = true,
            "--jobs" => flags.jobs = value()?.parse().map_err(|e| format!("--jobs: {e}"))?,
            "--list" => {
                SUITES.iter().for_each(|s| println!("{:14} {} {}", s.name, s.title, s.version));
                return Ok(None);
            }
            "--help" | "-h" => {
                print!("{USAGE}");
                return Ok(None);
            }
            other => return Err(format!("unknown flag {other:?}")),
        }
    }
    flags.write &= flags.suites.is_empty() && flags.only.is_empty() && !flags.fast;
    if flags.suites.is_empty() {
        // Building two of the Rust suites takes most of the time.
        let skipped = |s: &Suite| flags.fast && (s.name.ends_with("-doc") || s.version == "0.25.0");
        flags.suites = SUITES.iter().filter(|s| !skipped(s)).collect();
    }
    Ok(Some(flags))
}

/// Builds, runs and reports. Returns true if no test failed that `--check` does not allow.
fn judge(flags: &Flags) -> Result<bool, Failure> {
    let place = place::Place::find()?;
    let real = place.real_library(flags.real.clone())?;
    let ours = place.our_library(flags.lib.clone())?;
    let later = report::Later::read(&place)?;
    stub::build(&place, &real)?;
    let mut reports = Vec::new();
    for suite in &flags.suites {
        let mut tests = build::tests(&place, suite)?;
        tests.retain(|t| {
            flags.only.is_empty() || flags.only.iter().any(|part| t.name.contains(part.as_str()))
        });
        let expected = run::real(&place, suite, &tests, &real, flags)?;
        if flags.fast && !matches!(suite.kind, Kind::Go { .. } | Kind::CTest { .. }) {
            tests.retain(|t| expected.get(&t.name).is_some_and(|r| r.seconds < FAST_SECONDS_MAX));
        }
        let found = run::all(&place, suite, &tests, Some(&ours), flags.jobs, true)?;
        let report = report::Report::new(suite, &tests, &expected, &found);
        report.print(&later);
        report.write_tsv(&place, flags.only.is_empty() && !flags.fast)?;
        reports.push(report);
    }
    if flags.write {
        report::write_document(&place, &reports, &later)?;
    }
    Ok(!flags.check || reports.iter().all(|r| r.unexpected(&later) == 0))
}

/// The maximum duration in seconds of tests that `--fast` runs.
const FAST_SECONDS_MAX: f64 = 0.7;
