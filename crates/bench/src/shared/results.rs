//! The directory of results of a run.

use super::engine::create_directory;
use crate::json::host;
use crate::report::timestamp;
use crate::target::Result;
use serde_json::json;
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
    std::fs::create_dir(results)
        .map_err(|e| format!("{}: cannot be created: {e}", results.display()))
}

/// Writes a file.
pub fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes `environment.json`: machine, engine, command line.
pub fn write_environment(
    results: &Path,
    command: &str,
    engine: &str,
    engine_flags: &[String],
) -> Result<()> {
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    let environment = json!({
        "schema": 1,
        "time": timestamp(),
        "command": command,
        "version": env!("CARGO_PKG_VERSION"),
        "engine": engine,
        "engine_flags": engine_flags,
        "host": host(),
        "memory_bytes": kib.map(|kib| kib * 1024),
    });
    write(&results.join("environment.json"), &format!("{environment:#}\n"))
}
