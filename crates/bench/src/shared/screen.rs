//! Ctrl-C, the progress bar, lines of JSON.

use crate::target::Result;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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

/// The contents of a progress bar.
pub struct Bar<'a> {
    /// The name of the phase.
    pub name: &'a str,
    /// The number of operations, if it is known.
    pub total: Option<u64>,
    /// Shows nothing.
    pub quiet: bool,
}

impl Bar<'_> {
    /// Shows the bar while `work` runs, if standard error is a terminal. `done` counts operations.
    pub fn during<R>(&self, done: impl Fn() -> u64 + Sync, work: impl FnOnce() -> R) -> R {
        if self.quiet || !std::io::stderr().is_terminal() {
            return work();
        }
        let bar = self.total.map_or_else(ProgressBar::no_length, ProgressBar::new);
        let template = match self.total {
            Some(_) => "{prefix:6} [{bar:32}] {pos}/{len} {per_sec} {elapsed} ETA {eta}",
            None => "{prefix:6} {pos} operations, {per_sec} {elapsed}",
        };
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        bar.set_prefix(self.name.to_owned());
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    bar.set_position(done());
                    std::thread::sleep(Duration::from_millis(100));
                }
                bar.finish_and_clear();
            });
            let result = work();
            ended.store(true, Ordering::Relaxed);
            result
        })
    }
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
