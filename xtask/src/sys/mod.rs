//! `cargo x sys`: tests the packages of crates/librocksdb-sys, with which programs that use the crate `rocksdb` run on
//! Ferrolith.
//!
//! Everything is built by a cargo whose PATH has no C or C++ compiler except the one with which rustc links, and by
//! patching only `librocksdb-sys`. The parts: [`bindings`] (compares the packages with bindgen's output), [`program`]
//! (a small program, for CI), [`suites`] (the tests of the crate `rocksdb`), [`dependents`] (the tests of crates that
//! use it), [`signatures`] and [`tickers`] (compare the packages with `ferrolith-capi`), [`tools`] (the patched cargo).

mod bindings;
mod dependents;
mod program;
mod signatures;
mod suites;
mod tickers;
mod tools;

use crate::compat::Failure;
use crate::compat::place::Place;
use std::process::ExitCode;

pub(crate) const USAGE: &str = "\
usage: cargo x sys [part] [flags]

  program     builds and runs a small program on each version of the crate rocksdb (the default)
  bindings    compares the packages with bindgen's output for the real header (needs libclang)
              --write: writes their bindings.rs
  suites      runs the tests of the crate rocksdb and compares the failures with crates/capi/later.tsv
              --write: writes the table of docs/rust-rocksdb.md
  dependents  runs the tests of crates that use the crate rocksdb
  all         runs all parts; without libclang, bindings is skipped

Programs and logs stay in target/sys.
";

/// One package, and the package that it replaces.
pub(crate) struct Package {
    /// Its folder below crates/librocksdb-sys.
    pub(crate) folder: &'static str,
    /// The version of `librocksdb-sys`.
    pub(crate) version: &'static str,
    /// The RocksDB version whose header it binds.
    pub(crate) rocksdb: &'static str,
    /// The version of the crate `rocksdb` that requires it.
    pub(crate) dependent: &'static str,
}

pub(crate) const PACKAGES: [Package; 2] = [
    Package { folder: "0.17", version: "0.17.3+10.4.2", rocksdb: "10.4.2", dependent: "0.24.0" },
    Package { folder: "0.19", version: "0.19.0+11.8.1", rocksdb: "11.8.1", dependent: "0.25.0" },
];

pub(crate) fn run(args: impl Iterator<Item = String>) -> ExitCode {
    let args: Vec<String> = args.collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = Place::find().and_then(|place| match words[..] {
        [] | ["program"] => program::judge(&place),
        ["bindings"] => bindings::judge(&place, false),
        ["bindings", "--write"] => bindings::judge(&place, true),
        ["suites"] => suites::judge(&place, false),
        ["suites", "--write"] => suites::judge(&place, true),
        ["dependents"] => dependents::judge(&place),
        ["all"] => all(&place),
        ["--help" | "-h"] => {
            print!("{USAGE}");
            Ok(true)
        }
        _ => Err(format!("unknown part {args:?}\n\n{USAGE}")),
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("cargo x sys: {e}");
            ExitCode::FAILURE
        }
    }
}

fn all(place: &Place) -> Result<bool, Failure> {
    let mut good = program::judge(place)?;
    match bindings::has_libclang() {
        Ok(()) => good &= bindings::judge(place, false)?,
        Err(e) => println!("bindings: SKIPPED, not compared with bindgen's output: {e}"),
    }
    good &= suites::judge(place, false)?;
    Ok(good & dependents::judge(place)?)
}
