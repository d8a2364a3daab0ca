//! The directory of results of a run.

use super::engine::{create_directory, not_created};
use crate::report::timestamp;
use crate::target::Result;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Returns a directory name that has the time as its suffix.
pub fn with_time(prefix: &str) -> PathBuf {
    let time: String = timestamp().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    PathBuf::from(format!("{prefix}_{time}"))
}

/// Creates the directory that `path` is in, but not the one above it.
pub fn create_parent(path: &Path) -> Result<()> {
    match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => create_directory(parent),
        None => Ok(()),
    }
}

/// Creates a directory that must not exist, and the one that it is in, but no more.
pub fn create(results: &Path) -> Result<()> {
    create_parent(results)?;
    std::fs::create_dir(results).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists => {
            format!("{}: exists; choose another directory with --results", results.display())
        }
        _ => not_created(results, &e),
    })
}

/// Joins words so that a shell splits them again.
pub fn joined<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    // Only a NUL byte has no quotation; no argument of a program has one.
    shlex::try_join(words).unwrap_or_default()
}

/// Writes a file.
pub fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
