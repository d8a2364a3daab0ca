//! Compares our packages with the originals: bindgen's output for the header, the features, and the tickers' numbers.

use super::{PACKAGES, Package, signatures, tickers, tools};
use crate::compat::place::{self, Place};
use crate::compat::{Failure, rust_bindings};
use std::path::PathBuf;
use std::process::Command;

/// The result of building the original.
struct Original {
    /// Its unpacked sources.
    sources: PathBuf,
    /// Bindgen's output.
    bindings: String,
}

/// Checks that there is a libclang, which bindgen needs.
pub(super) fn has_libclang() -> Result<(), Failure> {
    rust_bindings(&mut Command::new("cargo"))
}

pub(super) fn judge(place: &Place, write: bool) -> Result<bool, Failure> {
    let mut good = true;
    for package in &PACKAGES {
        let original = original(place, package)?;
        let expected = reduced(&original.bindings, package)?;
        let path = tools::folder(place, package).join("src/bindings.rs");
        if write {
            place::write(&path, &expected)?;
        }
        let mut problems = Vec::new();
        if squeezed(&place::read(&path)?) != squeezed(&expected) {
            problems.push("bindings.rs differs from bindgen's output: run with --write".into());
        }
        problems.extend(signatures::check(place, package)?);
        problems.extend(features(place, package, &original)?);
        problems.extend(tickers::check(place, package, &original.sources)?);
        let name = format!("librocksdb-sys {}", package.version);
        problems.iter().for_each(|problem| println!("{name}: {problem}"));
        if problems.is_empty() {
            println!(
                "{name}: the bindings equal bindgen's; features and tickers equal the original's"
            );
        }
        good &= problems.is_empty();
    }
    Ok(good)
}

/// Runs the original's build script. It does not build RocksDB: it is pointed to one in a directory that does not
/// exist, and a library that nothing links does not look there.
fn original(place: &Place, package: &Package) -> Result<Original, Failure> {
    let dir = tools::work(place).join(format!("bindgen-{}", package.folder));
    place::make_dir(&dir.join("src"))?;
    place::write(&dir.join("src/lib.rs"), "")?;
    let version = package.version.split('+').next().unwrap_or(package.version);
    place::write(
        &dir.join("Cargo.toml"),
        &format!(
            "[package]\nname = \"bindings\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies.librocksdb-sys]\nversion = \"={version}\"\ndefault-features = false\n\
             features = [\"static\", \"bindgen-runtime\"]\n"
        ),
    )?;
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(&dir)
        .env("CARGO_TARGET_DIR", tools::work(place).join("bindgen"))
        .env("ROCKSDB_LIB_DIR", dir.join("none"))
        .args(["check", "--quiet", "--message-format=json"]);
    rust_bindings(&mut cargo)?;
    let messages = place::output(cargo)?;
    let field = |reason: &str, key: &str| {
        let is_it = |line: &&str| line.contains(reason) && line.contains("librocksdb-sys");
        let line = messages.lines().find(is_it)?;
        line.split(key).nth(1)?.split('"').next().map(PathBuf::from)
    };
    let out =
        field("\"build-script-executed\"", "\"out_dir\":\"").ok_or("cargo names no out_dir")?;
    let manifest = field("\"compiler-artifact\"", "\"manifest_path\":\"");
    let sources = manifest.as_deref().and_then(|m| m.parent()).ok_or("cargo names no sources")?;
    let bindings = place::read(&out.join("bindings.rs"))?;
    Ok(Original { sources: sources.to_owned(), bindings })
}

/// Returns bindgen's output without comments and without the declarations of included headers, which differ between
/// machines.
fn reduced(bindings: &str, package: &Package) -> Result<String, Failure> {
    let lines: Vec<&str> = bindings.lines().collect();
    let is_ours = |line: &&str| {
        ["pub const rocksdb_", "pub type rocksdb_", "pub struct rocksdb_"]
            .iter()
            .any(|begin| line.starts_with(begin))
    };
    let mut first = lines.iter().position(is_ours).ok_or("bindgen wrote no bindings of RocksDB")?;
    while first > 0 && lines[first - 1].starts_with("#[") {
        first -= 1;
    }
    let mut out = format!(
        "//! The types, constants and functions that bindgen makes of RocksDB {}'s header.\n\
         //!\n\
         //! Written by `cargo x sys bindings --write`: do not edit. What the header includes (stdint.h and\n\
         //! its like) and the header's comments are left out.\n\n\
         #![allow(missing_docs, non_camel_case_types, non_upper_case_globals, dead_code, clippy::all)]\n\n",
        package.rocksdb
    );
    for line in lines[first..].iter().filter(|line| !line.trim_start().starts_with("#[doc")) {
        out += line;
        out.push('\n');
    }
    Ok(out)
}

/// Returns the text without anything that rustfmt may change.
fn squeezed(text: &str) -> String {
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    dense.replace(",)", ")").replace(",>", ">")
}

/// Features of the original that our package lacks.
fn features(place: &Place, package: &Package, original: &Original) -> Result<Vec<String>, Failure> {
    let theirs = feature_names(&place::read(&original.sources.join("Cargo.toml"))?);
    let ours = feature_names(&place::read(&tools::folder(place, package).join("Cargo.toml"))?);
    let missing = theirs.into_iter().filter(|name| !ours.contains(name));
    Ok(missing.map(|name| format!("the original has the feature {name}")).collect())
}

/// Returns the features of a Cargo.toml as cargo prints it, including those of optional dependencies.
fn feature_names(manifest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut section = "";
    for line in manifest.lines() {
        if let Some(title) = line.strip_prefix('[') {
            section = title.trim_end_matches(']');
        } else if let (Some((name, _)), "features") = (line.split_once(" = "), section) {
            names.push(name.trim().to_string());
        } else if line == "optional = true" {
            names.extend(section.rsplit('.').next().map(str::to_string));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{feature_names, squeezed};

    #[test]
    fn optional_dependencies_are_features() {
        let manifest = "[package]\nname = \"x\"\n[features]\nlz4 = [\"a\"]\ndefault = [\n    \"lz4\",\n]\n\n\
                        [dependencies.lz4-sys]\nversion = \"1\"\noptional = true\n";
        assert_eq!(feature_names(manifest), ["lz4", "default", "lz4-sys"]);
    }

    #[test]
    fn lines_do_not_count() {
        assert_eq!(squeezed("f(a: A, b: B)"), squeezed("f(\n    a: A,\n    b: B,\n)"));
        assert_ne!(squeezed("f(a: A)"), squeezed("f(a: B)"));
    }
}
