//! The stub library: it has every function of every RocksDB that a suite may use, and none of them works.

use super::place::{self, Place};
use super::{Failure, fetch};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Builds `stub/librocksdb.so`, unless it exists: names are only ever added.
pub(crate) fn build(place: &Place, real: &Path) -> Result<(), Failure> {
    let dir = place.stub();
    let library = dir.join("librocksdb.so");
    if library.exists() {
        return Ok(());
    }
    place::make_dir(&dir)?;
    let mut names = exported(real)?;
    for header in fetch::headers(place)? {
        names.extend(called(&place::read(&header)?));
    }
    let source = dir.join("stub.c");
    place::write(&source, &program(&names))?;
    let part = dir.join(format!("part-{}.so", std::process::id()));
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-Wl,-soname,librocksdb.so", "-o"]).arg(&part).arg(&source);
    place::check(cc)?;
    std::fs::rename(&part, &library).map_err(|e| format!("{}: {e}", library.display()))
}

/// Returns the names `rocksdb_*` of functions that a library exports.
pub(crate) fn exported(library: &Path) -> Result<BTreeSet<String>, Failure> {
    let names = all_exported(library)?;
    Ok(names.into_iter().filter(|name| name.starts_with("rocksdb_")).collect())
}

/// Returns all names of functions that a library exports.
pub(crate) fn all_exported(library: &Path) -> Result<BTreeSet<String>, Failure> {
    let listing = nm(library, &["-D", "--defined-only"])?;
    let functions = listing.lines().filter_map(|line| line.split_once(" T "));
    Ok(functions.map(|(_, name)| name.to_string()).collect())
}

/// Returns the names `rocksdb_*` that a program requires from a library.
pub(crate) fn undefined(program: &Path) -> Result<BTreeSet<String>, Failure> {
    let listing = nm(program, &["-D", "--undefined-only"])?;
    let names = listing.lines().filter_map(|line| line.trim().strip_prefix("U "));
    Ok(names.filter(|name| name.starts_with("rocksdb_")).map(str::to_string).collect())
}

fn nm(file: &Path, flags: &[&str]) -> Result<String, Failure> {
    let mut nm = Command::new("nm");
    nm.args(flags).arg(file);
    place::output(nm)
}

/// Returns the names `rocksdb_*` before a parenthesis in a header.
fn called(header: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before_parentheses = header.split('(').map(|part| part.rsplit(|c| !is_word(c)).next());
    before_parentheses.flatten().filter(|n| n.starts_with("rocksdb_")).map(str::to_string).collect()
}

fn program(names: &BTreeSet<String>) -> String {
    let mut out = String::from("#include <stdio.h>\n#include <stdlib.h>\n");
    for name in names {
        writeln!(
            out,
            "void {name}(void) {{ fputs(\"UNIMPLEMENTED {name}\\n\", stderr); abort(); }}"
        )
        .expect("a String takes all");
    }
    out
}
