//! The C programs: built against our header and the stub, run with a library preloaded.

use crate::compat::place::{self, Place};
use crate::compat::{Failure, stub};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The functions `rocksdb_*` that it refers to.
    pub(crate) calls: BTreeSet<String>,
}

pub(crate) struct Run {
    pub(crate) passed: bool,
    /// Whether it ended because the library lacks a feature that has no function of its own.
    pub(crate) skipped: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Builds the sources of crates/capi/tests/c, and the generated one in `dir`, into `dir`.
pub(crate) fn build(place: &Place, dir: &Path, cflags: &[String]) -> Result<Vec<Program>, Failure> {
    let sources = place.root.join("crates/capi/tests/c");
    let mut files: Vec<PathBuf> = fs::read_dir(&sources)
        .map_err(|e| format!("{}: {e}", sources.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.push(dir.join("accessors.c"));
    files.sort();
    let mut children = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = dir.join(&name);
        let mut cc = Command::new("cc");
        cc.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&path);
        cc.arg(&file).arg("-I").arg(place.root.join("crates/capi/include")).arg("-I").arg(&sources);
        cc.arg("-L").arg(place.stub()).args(["-lrocksdb", "-lpthread", "-ldl"]).args(cflags);
        let child = cc.spawn().map_err(|e| format!("cc: {e}"))?;
        children.push((child, name, path));
    }
    let mut programs = Vec::new();
    for (mut child, name, path) in children {
        let status = child.wait().map_err(|e| format!("cc: {e}"))?;
        if !status.success() {
            return Err(format!("cc failed on {name}.c"));
        }
        let calls = stub::undefined(&path)?;
        programs.push(Program { name, path, calls });
    }
    Ok(programs)
}

impl Program {
    /// Runs it with an empty directory as its only argument.
    pub(crate) fn run(&self, place: &Place, library: &Path) -> Result<Run, Failure> {
        let work = std::env::temp_dir().join(format!("ferrolith-smoke-{}", std::process::id()));
        place::make_dir(&work)?;
        let mut command = Command::new("timeout");
        command.arg("120").arg(&self.path).arg(&work);
        command.env("LD_LIBRARY_PATH", place.stub()).env("LD_PRELOAD", library);
        command.env("FERROLITH_SHOW_REFUSALS", "1");
        let done = command.stdin(Stdio::null()).output();
        let done = done.map_err(|e| format!("{}: {e}", self.path.display()))?;
        let _ = fs::remove_dir_all(&work);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut stderr = text(&done.stderr);
        if !done.status.success() {
            stderr += &format!("\n{}", done.status);
        }
        let skipped = done.status.code() == Some(77);
        Ok(Run { passed: done.status.success(), skipped, stdout: text(&done.stdout), stderr })
    }
}

/// Lines that differ, paired by position.
pub(crate) fn differences<'a>(theirs: &'a str, ours: &'a str) -> Vec<(&'a str, &'a str)> {
    let length = theirs.lines().count().max(ours.lines().count());
    let pad = |text: &'a str| text.lines().chain(std::iter::repeat("(nothing)")).take(length);
    pad(theirs).zip(pad(ours)).filter(|(a, b)| a != b).collect()
}
