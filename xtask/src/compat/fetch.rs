//! Fetches the suites' sources from their registries with the registries' own clients.

use super::place::{self, Place};
use super::{Failure, Kind, SUITES, Suite};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the suite's own, writable copy of its sources.
pub(crate) fn sources(place: &Place, suite: &Suite) -> Result<PathBuf, Failure> {
    match &suite.kind {
        Kind::Go { module } => go_module(place, module, suite.version),
        Kind::Crate { .. } => rust_crate(place, "rocksdb", suite.version),
        Kind::SysCrate => rust_crate(place, "librocksdb-sys", suite.version),
        Kind::CTest { package, version } => rust_crate(place, package, version),
    }
}

/// Returns headers whose functions some suite calls.
pub(crate) fn headers(place: &Place) -> Result<Vec<PathBuf>, Failure> {
    let mut headers = Vec::new();
    for suite in SUITES {
        match suite.kind {
            Kind::Go { .. } => headers.push(sources(place, suite)?.join("c.h")),
            Kind::Crate { documentation: false } => {
                let dir = registry_dir(place, "rocksdb", suite.version, "librocksdb-sys")?;
                headers.push(dir.join("rocksdb/include/rocksdb/c.h"));
            }
            _ => {}
        }
    }
    Ok(headers)
}

fn go_module(place: &Place, module: &str, version: &str) -> Result<PathBuf, Failure> {
    let name = module.rsplit('/').next().unwrap_or(module);
    let target = place.sources(&format!("{name}-{version}"));
    if !target.exists() {
        let mut go = Command::new("go");
        go.current_dir(env::temp_dir());
        go.args(["mod", "download", "-json"]).arg(format!("{module}@v{version}"));
        let said = place::output(go)?;
        let dir = said.lines().find_map(|line| line.trim().strip_prefix("\"Dir\": \""));
        let dir = dir.and_then(|d| d.strip_suffix("\",")).ok_or("go mod download named no Dir")?;
        copy(Path::new(dir), &target)?;
    }
    Ok(target)
}

fn rust_crate(place: &Place, name: &str, version: &str) -> Result<PathBuf, Failure> {
    let target = place.sources(&format!("{name}-{version}"));
    if !target.exists() {
        let dir = registry_dir(place, name, version, name)?;
        copy(&dir, &target)?;
        // It requests the oldest compiler that it supports, but the newest versions of its dependencies need a newer
        // one.
        let _ = fs::remove_file(target.join("rust-toolchain.toml"));
    }
    Ok(target)
}

/// Returns the directory where cargo unpacked package `wanted` for a package that depends on `name` at `version`.
fn registry_dir(
    place: &Place,
    name: &str,
    version: &str,
    wanted: &str,
) -> Result<PathBuf, Failure> {
    // The name differs from that of the unpacked package, because the metadata contains it as well.
    let dir = place.cache.join("fetch").join(format!("for {name} {version}"));
    let version = version.split('+').next().unwrap_or(version);
    place::make_dir(&dir.join("src"))?;
    place::write(&dir.join("src/lib.rs"), "")?;
    place::write(
        &dir.join("Cargo.toml"),
        &format!(
            "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
             [dependencies.{name}]\nversion = \"={version}\"\n\n[workspace]\n"
        ),
    )?;
    let mut cargo = Command::new("cargo");
    cargo.current_dir(&dir).args(["metadata", "--format-version", "1"]);
    let metadata = place::output(cargo)?;
    // The JSON is one line; a path in it that ends so is unique.
    let suffix = "/Cargo.toml\"";
    let is_it = |path: &&str| {
        let package = path.rsplit('/').next().unwrap_or("");
        package.strip_prefix(wanted).is_some_and(|rest| {
            rest.strip_prefix('-').is_some_and(|v| v.starts_with(|c: char| c.is_ascii_digit()))
        })
    };
    let mut paths = metadata.split("\"manifest_path\":\"").skip(1);
    let path = paths.find_map(|rest| rest.split(suffix).next().filter(is_it));
    path.map(PathBuf::from).ok_or(format!("cargo metadata names no {wanted}"))
}

/// Creates a writable copy; registries' caches are read-only.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    place::make_dir(to.parent().expect("below the cache"))?;
    let part = to.with_file_name(format!("part-{}", std::process::id()));
    let mut cp = Command::new("cp");
    cp.arg("-r").arg("--no-preserve=mode").arg(from).arg(&part);
    place::check(cp)?;
    fs::rename(&part, to).map_err(|e| format!("{}: {e}", to.display()))
}
