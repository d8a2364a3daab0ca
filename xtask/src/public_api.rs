//! `cargo x public-api`: writes the public interface of the crate `ferrolith` to a file, so that changes can be
//! reviewed.
//!
//! rustdoc describes the interface as JSON, in a form that is not stable: RUSTC_BOOTSTRAP=1 lets the pinned compiler
//! write it. The program [public_api.rs](../../crates/interop/src/bin/public_api.rs) turns it into one line per item.

use crate::compat::{Failure, place};
use std::process::{Command, ExitCode};

pub(crate) const USAGE: &str = "\
usage: cargo x public-api [--check]

Writes crates/engine/public-api.txt: one line per public item of the crate ferrolith, without hidden items.
--check only compares, prints the differences, and fails if there are any.
";

pub(crate) fn run(args: impl Iterator<Item = String>) -> ExitCode {
    let args: Vec<String> = args.collect();
    let is_check = match &args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--check"] => true,
        ["--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        [other, ..] => {
            eprintln!("cargo x public-api: unknown argument {other}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match work(is_check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("cargo x public-api: {e}");
            ExitCode::FAILURE
        }
    }
}

fn work(is_check: bool) -> Result<(), Failure> {
    let place = place::Place::find()?;
    let target = place.root.join("target/public-api");
    let mut rustdoc = Command::new("cargo");
    rustdoc.current_dir(&place.root).env("RUSTC_BOOTSTRAP", "1");
    rustdoc.args(["rustdoc", "-q", "-p", "ferrolith", "--lib", "--all-features", "--target-dir"]);
    rustdoc.arg(&target).args(["--", "-Z", "unstable-options", "--output-format", "json"]);
    place::check(rustdoc)?;
    let mut list = Command::new("cargo");
    list.current_dir(&place.root);
    list.args(["run", "-q", "-p", "ferrolith-interop", "--bin", "public_api", "--"]);
    list.arg(target.join("doc/ferrolith.json"));
    list.arg(place.root.join("crates/engine/public-api.txt"));
    list.args(is_check.then_some("--check"));
    place::check(list)
}
