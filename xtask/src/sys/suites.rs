//! Runs the tests of the crate `rocksdb`, and of the real `librocksdb-sys`, on our packages. The crates are unmodified,
//! and nothing is preloaded.

use super::{PACKAGES, Package, tools};
use crate::compat::build::{self, Test};
use crate::compat::place::{self, Place};
use crate::compat::{Failure, Kind, Later, SUITES, Suite, fetch, run};
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = "docs/rust-rocksdb.md";
const BEGIN: &str = "<!-- begin: written by cargo x sys suites -->";
const END: &str = "<!-- end -->";

pub(super) fn judge(place: &Place, write: bool) -> Result<bool, Failure> {
    let later = Later::read(place)?;
    let mut good = true;
    let mut table = String::from(
        "\n| Suite | Version | Passed | Need a missing feature |\n|---|---|---|---|\n",
    );
    for suite in SUITES {
        let Some(package) = package(suite) else { continue };
        let tests = tests(place, suite, package)?;
        let jobs = std::thread::available_parallelism().map_or(2, |n| n.get());
        let found = run::all(place, suite, &tests, None, jobs, true)?;
        let passed = found.values().filter(|outcome| outcome.passed).count();
        let mut waiting = 0;
        for (name, outcome) in found.iter().filter(|(_, outcome)| !outcome.passed) {
            match later.feature(suite.name, name) {
                Some(feature) => {
                    waiting += 1;
                    println!("  {name}: needs {feature}");
                }
                None => {
                    good = false;
                    println!("  {name}: FAILED: {}", outcome.cause);
                }
            }
        }
        println!(
            "{} {}: {passed} of {} passed, {waiting} need a missing feature",
            suite.title,
            suite.version,
            found.len()
        );
        table += &format!(
            "| {} | {} | {passed} of {} | {waiting} |\n",
            suite.title,
            suite.version,
            found.len()
        );
    }
    if write {
        let path = place.root.join(PAGE);
        let old = place::read(&path)?;
        let (before, rest) = old.split_once(BEGIN).ok_or(format!("{PAGE}: no {BEGIN}"))?;
        let (_, after) = rest.split_once(END).ok_or(format!("{PAGE}: no {END}"))?;
        place::write(&path, &format!("{before}{BEGIN}\n{table}\n{END}{after}"))?;
    }
    Ok(good)
}

/// Returns our package for a suite's crate; suites in other languages have none.
fn package(suite: &Suite) -> Option<&'static Package> {
    PACKAGES.iter().find(|p| match suite.kind {
        Kind::Crate { .. } => p.dependent == suite.version,
        Kind::SysCrate => p.version == suite.version,
        _ => false,
    })
}

fn tests(place: &Place, suite: &Suite, package: &Package) -> Result<Vec<Test>, Failure> {
    let sources = sources(place, suite, package)?;
    let mut cargo = tools::cargo(place, &sources)?;
    // rustdoc's unstable options on a stable compiler.
    cargo.env("RUSTC_BOOTSTRAP", "1").args(tools::patch(place, package));
    match suite.kind {
        Kind::Crate { documentation: true } => {
            let bin = tools::work(place).join("doctests").join(suite.versioned());
            place::make_dir(&bin)?;
            build::rust_documentation(cargo, &bin, &sources)
        }
        Kind::SysCrate => build::rust(cargo, None, &sources, &["--test", "ffi"]),
        _ => build::rust(cargo, None, &sources, &["--tests"]),
    }
}

/// Returns a copy of the crate without its Cargo.lock, which names the real `librocksdb-sys`. The tests of
/// `librocksdb-sys` itself become a package that depends on ours.
fn sources(place: &Place, suite: &Suite, package: &Package) -> Result<PathBuf, Failure> {
    let from = fetch::sources(place, suite)?;
    let to = tools::work(place).join("sources").join(suite.versioned());
    if to.exists() {
        return Ok(to);
    }
    if matches!(suite.kind, Kind::SysCrate) {
        place::make_dir(&to)?;
        place::write(&to.join("Cargo.toml"), &ffi_manifest(&from, package))?;
        return Ok(to);
    }
    copy(&from, &to)?;
    Ok(to)
}

/// Copies a crate's sources as a separate workspace, whatever workspace is above.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    place::make_dir(to.parent().ok_or("no parent")?)?;
    let mut cp = Command::new("cp");
    cp.args(["-r", "--no-preserve=mode"]).arg(from).arg(to);
    place::check(cp)?;
    let _ = std::fs::remove_file(to.join("Cargo.lock"));
    let manifest = to.join("Cargo.toml");
    let text = place::read(&manifest)?;
    place::write(&manifest, &format!("{text}\n[workspace]\n"))
}

fn ffi_manifest(original: &Path, package: &Package) -> String {
    let version = package.version.split('+').next().unwrap_or(package.version);
    format!(
        "[package]\nname = \"ffi\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n\
         [[test]]\nname = \"ffi\"\npath = \"{}/tests/ffi.rs\"\n\n\
         [dependencies]\nlibc = \"0.2\"\nlibrocksdb-sys = \"={version}\"\n\
         uuid = {{ version = \"1\", features = [\"v4\"] }}\n",
        original.display()
    )
}
