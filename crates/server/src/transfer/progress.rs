//! How far an import or an export got.

use std::time::{Duration, Instant};

/// The time between two reports.
const INTERVAL: Duration = Duration::from_secs(2);

/// Receives reports. The first argument says what is done.
pub type Report<'a> = &'a mut dyn FnMut(&str, &Progress);

/// How far an import or an export got.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Progress {
    /// Keys so far.
    pub keys: u64,
    /// Bytes of the file so far.
    pub bytes: u64,
    /// Bytes of the whole file; `None` if that is not known.
    pub bytes_total: Option<u64>,
}

/// Reports progress every few seconds.
pub(super) struct Pace<'a> {
    report: Report<'a>,
    what: &'static str,
    last: Instant,
}

impl<'a> Pace<'a> {
    /// Returns the pace of a step.
    pub fn new(what: &'static str, report: Report<'a>) -> Pace<'a> {
        Pace { report, what, last: Instant::now() }
    }

    /// Reports, if it is time to.
    pub fn note(&mut self, progress: &Progress) {
        if self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            (self.report)(self.what, progress);
        }
    }
}

/// Prints a line to the standard error output.
pub fn print_progress(what: &str, progress: &Progress) {
    let Progress { keys, bytes, bytes_total } = *progress;
    let mb = |bytes: u64| bytes as f64 / 1e6;
    match bytes_total {
        Some(total) => {
            let percent = bytes as f64 * 100.0 / total.max(1) as f64;
            eprintln!(
                "{what}: {keys} keys, {:.0} of {:.0} MB, {percent:.0} %",
                mb(bytes),
                mb(total)
            );
        }
        None => eprintln!("{what}: {keys} keys, {:.0} MB", mb(bytes)),
    }
}
