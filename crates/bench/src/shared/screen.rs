//! Ctrl-C, lines of JSON.

use crate::target::Result;
use clap::{Arg, value_parser};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Installs the handler of Ctrl-C. The first Ctrl-C ends the phase and keeps what was measured; the second ends the
/// program.
pub fn stop_at_ctrl_c() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("stopping; the result so far follows (Ctrl-C again ends at once)");
    })
    .map_err(|e| format!("the handler of Ctrl-C cannot be set: {e}"))?;
    Ok(stop)
}

/// Returns `--json`, the file to which [`append_line`] appends a result.
pub fn json_argument() -> Arg {
    Arg::new("json")
        .long("json")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("Append the result to this file, as one line of JSON")
}

/// Appends a line to a file, which is created if it does not exist.
pub fn append_line(path: &Path, line: &str) -> Result<()> {
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(|e| format!("{}: {e}", path.display()))?;
    writeln!(file, "{line}").map_err(|e| format!("{}: {e}", path.display()))
}
