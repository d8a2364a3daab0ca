//! Runs the tests of published crates that use the crate `rocksdb`, on our packages.

use super::{PACKAGES, Package, suites, tools};
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::process::Command;

struct Dependent {
    name: &'static str,
    version: &'static str,
    /// The version of the crate `rocksdb` that it uses.
    rocksdb: &'static str,
    /// Our package for that version.
    folder: &'static str,
    features: &'static str,
    /// A dependency of its tests that was a path, and that its published Cargo.toml therefore lacks.
    test_dependency: &'static str,
    /// Tests that cannot pass, each with the reason.
    skipped: &'static [(&'static str, &'static str)],
    /// The number of all other tests.
    passed: usize,
}

const DEPENDENTS: [Dependent; 3] = [
    Dependent {
        name: "rocksdb-utils-lookup",
        version: "0.6.0",
        rocksdb: "0.25",
        folder: "0.19",
        features: "",
        test_dependency: "",
        skipped: &[(
            "smoke_test_fetch_meta",
            "the published crate does not include the database that it reads",
        )],
        passed: 3,
    },
    Dependent {
        name: "kvdb-rocksdb",
        version: "0.21.0",
        rocksdb: "0.24",
        folder: "0.17",
        features: "",
        test_dependency: "\n[dev-dependencies.kvdb-shared-tests]\nversion = \"0.11\"\n",
        skipped: &[
            ("secondary_db_catch_up", "secondary instances"),
            ("secondary_db_get", "secondary instances"),
        ],
        passed: 18,
    },
    Dependent {
        name: "indradb-lib",
        version: "5.0.0",
        rocksdb: "0.23",
        folder: "0.17",
        features: "rocksdb-datastore,test-suite",
        test_dependency: "",
        skipped: &[],
        passed: 148,
    },
];

pub(super) fn judge(place: &Place) -> Result<bool, Failure> {
    let mut good = true;
    for dependent in &DEPENDENTS {
        let passed = run(place, dependent)?;
        let (name, version) = (dependent.name, dependent.version);
        let enough = passed >= dependent.passed;
        println!("{name} {version} on rocksdb {}: {passed} tests passed", dependent.rocksdb);
        for (test, reason) in dependent.skipped {
            println!("  without {test}: {reason}");
        }
        if !enough {
            println!("  FAILED: expected {}", dependent.passed);
        }
        good &= enough;
    }
    Ok(good)
}

/// Returns the number of tests that pass; an error when one fails.
fn run(place: &Place, dependent: &Dependent) -> Result<usize, Failure> {
    let Dependent { name, version, .. } = dependent;
    let sources = tools::work(place).join("sources").join(format!("{name}-{version}"));
    if !sources.exists() {
        suites::copy(&fetched(place, dependent)?, &sources)?;
        let manifest = sources.join("Cargo.toml");
        let text = place::read(&manifest)?;
        place::write(&manifest, &format!("{text}{}", dependent.test_dependency))?;
    }
    let package: &Package =
        PACKAGES.iter().find(|p| p.folder == dependent.folder).ok_or("no such package")?;
    let mut cargo = tools::cargo(place, &sources)?;
    cargo.args(tools::patch(place, package)).args(["test", "--quiet"]);
    if !dependent.features.is_empty() {
        cargo.args(["--features", dependent.features]);
    }
    cargo.args(["--lib", "--"]);
    for (test, _) in dependent.skipped {
        cargo.args(["--skip", test]);
    }
    let said = place::output(cargo)?;
    let counts = said.split("test result: ok. ").skip(1);
    let counts = counts.filter_map(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    Ok(counts.sum())
}

/// Returns the directory into which cargo has unpacked the crate.
fn fetched(place: &Place, dependent: &Dependent) -> Result<std::path::PathBuf, Failure> {
    let Dependent { name, version, .. } = dependent;
    let dir = tools::work(place).join("fetch").join(name);
    place::make_dir(&dir.join("src"))?;
    place::write(&dir.join("src/lib.rs"), "")?;
    place::write(
        &dir.join("Cargo.toml"),
        &format!(
            "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies.{name}]\nversion = \"={version}\"\n"
        ),
    )?;
    let mut cargo = Command::new("cargo");
    cargo.current_dir(&dir).args(["metadata", "--format-version", "1"]);
    let metadata = place::output(cargo)?;
    let end = format!("/{name}-{version}/Cargo.toml");
    let mut paths = metadata.split("\"manifest_path\":\"").skip(1);
    let path = paths.find_map(|rest| rest.split('"').next().filter(|path| path.ends_with(&end)));
    let path = path.and_then(|path| path.strip_suffix("/Cargo.toml"));
    path.map(Into::into).ok_or(format!("cargo metadata names no {name} {version}"))
}
