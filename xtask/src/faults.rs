//! `cargo x faults`: builds and runs the fault matrix of `crates/interop`.
//!
//! The program is [crates/interop/src/faults](../../crates/interop/src/faults/mod.rs); its flags are passed on. It is
//! built optimised, with assertions and overflow checks.

use crate::compat::{Failure, place};
use std::process::{Command, ExitCode};

pub(crate) const USAGE: &str = include_str!("../../crates/interop/src/faults/usage.txt");

pub(crate) fn run(args: impl Iterator<Item = String>) -> ExitCode {
    let args: Vec<String> = args.collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match work(args) {
        Ok(code) => code,
        Err(e) => {
            eprintln!("cargo x faults: {e}");
            ExitCode::FAILURE
        }
    }
}

fn work(args: Vec<String>) -> Result<ExitCode, Failure> {
    let place = place::Place::find()?;
    let mut build = Command::new("cargo");
    build.current_dir(&place.root);
    build.args(["build", "--profile", "stress", "-p", "ferrolith-interop", "--bin", "faults"]);
    place::check(build)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map(Into::into);
    let target = target.unwrap_or_else(|| place.root.join("target"));
    let mut faults = Command::new(target.join("stress/faults"));
    // A later `--dir` wins.
    faults.arg("--dir").arg(target.join("faults")).args(&args);
    // Without RocksDB, the program says how to get it, and skips everything.
    if let Ok(real) = place.real_library(None) {
        faults.env("FERROLITH_ROCKSDB_LIB", real);
    }
    let status = faults.status().map_err(|e| format!("{faults:?}: {e}"))?;
    Ok(ExitCode::from(status.code().map_or(1, |code| code as u8)))
}
