//! What commands print: results on the standard output, as text or as JSON, and progress on the standard error.

use serde_json::{Value, json};
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Progress is shown for work that takes longer.
const QUIET: Duration = Duration::from_secs(2);

/// Where results go.
pub(crate) struct Output {
    is_json: bool,
}

impl Output {
    pub(crate) fn new(is_json: bool) -> Output {
        Output { is_json }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    /// Prints a result in the form that was asked for. A reader that closed the pipe ends the process quietly.
    pub(crate) fn print(&self, text: impl Display, value: &Value) {
        let mut out = io::stdout().lock();
        let written = match self.is_json {
            true => writeln!(out, "{value}"),
            false => write!(out, "{text}"),
        };
        end_if_closed(written);
    }

    /// Prints bytes as they are.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        end_if_closed(io::stdout().lock().write_all(bytes));
    }
}

/// Ends the process if nobody reads what it prints, as `head` does.
fn end_if_closed(written: io::Result<()>) {
    if written.is_err() {
        std::process::exit(1);
    }
}

/// Returns bytes as JSON: a string, or an object with hexadecimal digits if they are not UTF-8.
pub(crate) fn text(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!(text),
        Err(_) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "hex": digits })
        }
    }
}

/// Returns a number of bytes with a unit.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let (mut value, mut unit) = (count as f64, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let unit_name = UNITS.get(unit).copied().unwrap_or_default();
    if unit == 0 { format!("{count} B") } else { format!("{value:.1} {unit_name}") }
}

/// Progress on the standard error: in place on a terminal, a line now and then elsewhere.
pub(crate) struct Progress {
    begun: Instant,
    shown: Instant,
    is_terminal: bool,
    is_visible: bool,
}

impl Progress {
    pub(crate) fn begin() -> Progress {
        let now = Instant::now();
        let is_terminal = io::stderr().is_terminal();
        Progress { begun: now, shown: now, is_terminal, is_visible: false }
    }

    /// Shows a line, unless it is too early or one was shown just now.
    pub(crate) fn show(&mut self, line: impl FnOnce() -> String) {
        let pause = Duration::from_millis(if self.is_terminal { 250 } else { 10_000 });
        if self.begun.elapsed() < QUIET || self.is_visible && self.shown.elapsed() < pause {
            return;
        }
        match self.is_terminal {
            true => eprint!("\r\x1b[K{}", line()),
            false => eprintln!("{}", line()),
        }
        (self.shown, self.is_visible) = (Instant::now(), true);
    }

    /// Removes the line from a terminal.
    pub(crate) fn end(self) {
        if self.is_visible && self.is_terminal {
            eprint!("\r\x1b[K");
        }
    }
}
