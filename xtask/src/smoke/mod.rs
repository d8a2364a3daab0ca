//! `cargo x smoke`: runs C programs (crates/capi/tests/c) that call every implemented function, on our library and on
//! the real RocksDB.
//!
//! * The library must export exactly the names of `abi.tsv`, and the real RocksDB must export all of these.
//! * Each program must exit with 0 and print the same on both. It makes its own checks; what it prints (defaults,
//!   property names) is compared.
//! * One more program is generated: it prints each plain option before and after setting it.
//! * A program that calls a function which we refuse so far is skipped, and the missing function is reported.
//! * Every implemented function must be called by a program that ran.
//! * [`client`]: the benchmark client kvduel runs in every phase, on both libraries.
//! * [`languages`]: the programs of docs/c-abi.md in C, Go, Rust and Python, with an installation.

mod accessors;
mod client;
mod languages;
mod programs;

use crate::abi;
use crate::compat::{self, Failure, place};
use programs::Program;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) const USAGE: &str = "\
usage: cargo x smoke [flags]

  --lib PATH      the library under test. Default: builds target/debug/librocksdb.so
  --real PATH     the real RocksDB 10.10.1. Default: $FERROLITH_ROCKSDB_LIB, or tools/fetch-peers.sh
  --languages     runs only the programs in languages other than C
  --only TEXT     runs only C programs whose name contains TEXT, without the check that all functions are called
  --build DIR     only builds the runnable programs into DIR and prints their paths
  --cflags FLAGS  additional flags for cc, separated by spaces

Programs stay in target/smoke.
";

struct Flags {
    lib: Option<PathBuf>,
    real: Option<PathBuf>,
    only: Option<String>,
    languages: bool,
    build: Option<PathBuf>,
    cflags: Vec<String>,
}

pub(crate) fn run(args: impl Iterator<Item = String>) -> ExitCode {
    let flags = match parse(args) {
        Ok(flags) => flags,
        Err(e) => {
            eprintln!("cargo x smoke: {e}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match work(&flags) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("cargo x smoke: {e}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Flags, Failure> {
    let mut flags = Flags {
        lib: None,
        real: None,
        only: None,
        languages: false,
        build: None,
        cflags: Vec::new(),
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--lib" => flags.lib = Some(value()?.into()),
            "--real" => flags.real = Some(value()?.into()),
            "--languages" => flags.languages = true,
            "--only" => flags.only = Some(value()?),
            "--build" => flags.build = Some(value()?.into()),
            "--cflags" => flags.cflags = value()?.split_whitespace().map(str::to_string).collect(),
            other => return Err(format!("unknown flag {other:?}")),
        }
    }
    Ok(flags)
}

fn work(flags: &Flags) -> Result<bool, Failure> {
    let place = place::Place::find()?;
    if flags.languages {
        return languages::judge(&place);
    }
    let table = abi::table_with_states()?;
    let real = place.real_library(flags.real.clone())?;
    compat::stub::build(&place, &real)?;
    let dir = flags.build.clone().unwrap_or_else(|| place.root.join("target/smoke"));
    place::make_dir(&dir)?;
    place::write(&dir.join("accessors.c"), &accessors::program(&table))?;

    let mut ready = Vec::new();
    let mut called = BTreeSet::new();
    for program in programs::build(&place, &dir, &flags.cflags)? {
        if flags.only.as_ref().is_some_and(|text| !program.name.contains(text.as_str())) {
            continue;
        }
        let refused = table.rows.iter().filter(|r| r.state == "unsupported");
        let missing: Vec<&str> =
            refused.map(|r| r.name.as_str()).filter(|n| program.calls.contains(*n)).collect();
        if missing.is_empty() {
            called.extend(program.calls.iter().cloned());
            ready.push(program);
        } else {
            let some = missing[..missing.len().min(3)].join(", ");
            println!(
                "{}: skipped, needs {} unsupported functions: {some}",
                program.name,
                missing.len()
            );
            // So that a program can be checked before the functions it needs exist.
            let run = program.run(&place, &real)?;
            if !run.passed {
                println!("  on the real RocksDB: {}", run.stderr.trim());
            }
        }
    }
    if flags.build.is_some() {
        ready.iter().for_each(|p| println!("{}", p.path.display()));
        return Ok(true);
    }
    let ours = place.our_library(flags.lib.clone())?;
    let mut good = exports(&table, &ours, &real)?;
    for program in &ready {
        good &= judge(&place, program, &ours, &real)?;
    }
    if flags.only.is_none() {
        good &= all_called(&table, &called);
        good &= client::judge(&place, &ours, &real)?;
        good &= languages::judge(&place)?;
    }
    Ok(good)
}

/// Checks that the library exports exactly the header's names and no others of any kind.
fn exports(table: &abi::Table, ours: &Path, real: &Path) -> Result<bool, Failure> {
    let expected: BTreeSet<String> = table.rows.iter().map(|r| r.name.clone()).collect();
    let found = compat::stub::all_exported(ours)?;
    let theirs = compat::stub::exported(real)?;
    let mut good = true;
    for (what, names) in [
        ("not exported", expected.difference(&found).collect::<Vec<_>>()),
        ("exported, but not in the header", found.difference(&expected).collect()),
        ("not exported by the real RocksDB", expected.difference(&theirs).collect()),
    ] {
        if !names.is_empty() {
            println!("{what}: {names:?}");
            good = false;
        }
    }
    println!("exports: {} names, the same as in RocksDB's header", found.len());
    Ok(good)
}

/// Runs a program on both libraries, and reports differences.
fn judge(
    place: &place::Place,
    program: &Program,
    ours: &Path,
    real: &Path,
) -> Result<bool, Failure> {
    let theirs = program.run(place, real)?;
    let found = program.run(place, ours)?;
    if found.skipped {
        println!("{}: waits: {}", program.name, found.stderr.lines().next().unwrap_or(""));
        return Ok(theirs.passed);
    }
    let good = theirs.passed && found.passed && theirs.stdout == found.stdout;
    println!("{}: {}", program.name, if good { "same on both" } else { "FAILED" });
    for (which, run) in [("the real RocksDB", &theirs), ("ours", &found)] {
        if !run.passed {
            println!("  on {which}: {}", run.stderr.trim().replace('\n', "\n    "));
        }
    }
    for (theirs, found) in programs::differences(&theirs.stdout, &found.stdout) {
        println!("  RocksDB: {theirs}\n  ours:    {found}");
    }
    Ok(good)
}

fn all_called(table: &abi::Table, called: &BTreeSet<String>) -> bool {
    let done = table.rows.iter().filter(|r| r.state != "unsupported");
    let missed: Vec<&str> =
        done.map(|r| r.name.as_str()).filter(|n| !called.contains(*n)).collect();
    if missed.is_empty() {
        println!("called: all {} implemented functions", called.len());
        return true;
    }
    println!("not called by any program that ran ({}): {}", missed.len(), missed.join(" "));
    false
}
