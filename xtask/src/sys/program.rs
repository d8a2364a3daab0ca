//! A small program on each version of the crate `rocksdb`, patched as docs/rust-rocksdb.md says.

use super::{PACKAGES, Package, signatures, tools};
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::path::Path;
use std::process::Command;

/// Features of the crate `rocksdb` besides its default ones. With the real `librocksdb-sys`, each needs an additional
/// tool or library.
const FEATURES: &str = r#"["jemalloc", "io-uring", "lto", "mt_static", "rtti", "bindgen-static"]"#;

pub(super) fn judge(place: &Place) -> Result<bool, Failure> {
    let mut problems = Vec::new();
    for package in &PACKAGES {
        problems.extend(signatures::check(place, package)?);
        clippy(place, package)?;
        let dir = tools::work(place).join(format!("program-{}", package.dependent));
        place::make_dir(&dir)?;
        let manifest = manifest(place, package);
        place::write(&dir.join("Cargo.toml"), &manifest)?;
        tools::check_tree(tools::cargo(place, &dir)?)?;

        let mut build = tools::cargo(place, &dir)?;
        build.args(["build", "--quiet"]);
        place::check(build)?;
        run(place, &dir, package)?;
    }
    problems.iter().for_each(|problem| println!("{problem}"));
    Ok(problems.is_empty())
}

/// Runs clippy on the package, which is outside the workspace.
fn clippy(place: &Place, package: &Package) -> Result<(), Failure> {
    let mut clippy = Command::new("cargo");
    clippy
        .current_dir(tools::folder(place, package))
        .env("CARGO_TARGET_DIR", tools::work(place).join("target"))
        .args(["clippy", "--quiet", "--all-targets", "--", "-D", "warnings"]);
    place::check(clippy)
}

fn manifest(place: &Place, package: &Package) -> String {
    let source = place.root.join("crates/librocksdb-sys/program.rs");
    let name = format!("program-{}", package.folder.replace('.', "-"));
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [[bin]]\nname = \"{name}\"\npath = \"{}\"\n\n\
         [dependencies]\nrocksdb = {{ version = \"={}\", features = {FEATURES} }}\n\n\
         [patch.crates-io]\nlibrocksdb-sys = {{ path = \"{}\" }}\n",
        source.display(),
        package.dependent,
        tools::folder(place, package).display()
    )
}

/// Runs the program in an empty directory; it checks itself and ends with "all good".
fn run(place: &Place, dir: &Path, package: &Package) -> Result<(), Failure> {
    let name = format!("program-{}", package.folder.replace('.', "-"));
    let database = dir.join("db");
    let _ = std::fs::remove_dir_all(&database);
    let mut program = Command::new(tools::work(place).join("target/debug").join(name));
    program.arg(&database);
    let said = place::output(program)?;
    let _ = std::fs::remove_dir_all(&database);
    if said.trim() != "all good" {
        return Err(format!("the program on rocksdb {} prints {said:?}", package.dependent));
    }
    println!("program on rocksdb {}: passed, built without a C compiler", package.dependent);
    Ok(())
}
