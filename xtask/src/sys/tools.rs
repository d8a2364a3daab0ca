//! A cargo without a C or C++ compiler, for which `librocksdb-sys` is one of our packages.

use super::Package;
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::env;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs in the PATH. rustc calls `cc` to link, which calls `ld`.
const TOOLS: [&str; 5] = ["cargo", "rustc", "rustdoc", "cc", "ld"];

/// Returns the build directory: one target directory for all, because the engine is the same in all.
pub(crate) fn work(place: &Place) -> PathBuf {
    place.root.join("target/sys")
}

/// Returns the directory of one of our packages.
pub(crate) fn folder(place: &Place, package: &Package) -> PathBuf {
    place.root.join("crates/librocksdb-sys").join(package.folder)
}

/// Returns a cargo command in `dir` that finds no C or C++ compiler.
pub(crate) fn cargo(place: &Place, dir: &Path) -> Result<Command, Failure> {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(dir)
        .env("PATH", path_without_compilers(place)?)
        .env("CC", "/bin/false")
        .env("CXX", "/bin/false")
        .env("CARGO_TARGET_DIR", work(place).join("target"))
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0")
        // Prints on stderr which refused function a program called.
        .env("FERROLITH_SHOW_REFUSALS", "1")
        .env_remove("RUSTFLAGS")
        .env_remove("LIBCLANG_PATH");
    Ok(cargo)
}

/// Returns the arguments that make cargo use `package` as `librocksdb-sys`, like `[patch.crates-io]` in a Cargo.toml.
pub(crate) fn patch(place: &Place, package: &Package) -> [String; 2] {
    let folder = folder(place, package);
    ["--config".into(), format!("patch.crates-io.librocksdb-sys.path=\"{}\"", folder.display())]
}

/// Creates a directory of links to [`TOOLS`]. It is always recreated, because the previous PATH may have changed.
fn path_without_compilers(place: &Place) -> Result<PathBuf, Failure> {
    let dir = work(place).join("path");
    place::make_dir(&dir)?;
    let path = env::var_os("PATH").unwrap_or_default();
    for tool in TOOLS {
        let found = env::split_paths(&path).map(|dir| dir.join(tool)).find(|file| file.exists());
        let found = found.ok_or(format!("{tool} is not in PATH"))?;
        let link = dir.join(tool);
        let _ = std::fs::remove_file(&link);
        symlink(&found, &link).map_err(|e| format!("{}: {e}", link.display()))?;
    }
    Ok(dir)
}

/// Fails if a package in the dependency graph of `dir` compiles or binds C or C++ code.
pub(crate) fn check_tree(mut cargo: Command) -> Result<(), Failure> {
    cargo.args(["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]);
    let tree = place::output(cargo)?;
    for line in tree.lines() {
        let name = line.split(' ').next().unwrap_or("");
        let builds = ["cc", "bindgen", "cmake", "clang-sys", "pkg-config", "vcpkg"].contains(&name);
        // Besides our own, a port of a C library to Rust, and the numbers of the kernel's system calls.
        let is_rust = ["librocksdb-sys", "libbz2-rs-sys", "linux-raw-sys"].contains(&name);
        let binds = name.ends_with("-sys") && !is_rust;
        if builds || binds {
            return Err(format!("cargo tree names {name}:\n{tree}"));
        }
    }
    Ok(())
}
