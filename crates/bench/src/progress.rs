//! Output while a benchmark runs: a bar on a terminal, and the rate in a CSV file.

use crate::stats::Counter;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The contents of the output.
#[derive(Clone, Default)]
pub struct Show {
    /// A bar, if standard error is a terminal.
    pub bar: bool,
    /// A CSV file and the seconds between its lines.
    pub csv: Option<(String, u64)>,
}

/// Shows the progress until it is dropped.
pub struct Progress {
    stop: Arc<(std::sync::Mutex<bool>, std::sync::Condvar)>,
    failed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts. A benchmark ends after `ops` operations of all threads, or after `seconds`.
    pub fn start(
        show: &Show,
        name: &str,
        counters: Vec<Arc<Counter>>,
        ops: u64,
        seconds: u64,
    ) -> Result<Progress, String> {
        let bar = (show.bar && std::io::stderr().is_terminal()).then(|| bar(name, ops, seconds));
        let csv = match &show.csv {
            None => None,
            Some((path, every)) => {
                let mut file =
                    File::create(path).map_err(|e| format!("--report_file={path}: {e}"))?;
                writeln!(file, "secs_elapsed,interval_qps").map_err(|e| e.to_string())?;
                Some(Csv { file, every: *every, next: *every, last: 0 })
            }
        };
        let stop = Arc::new((std::sync::Mutex::new(false), std::sync::Condvar::new()));
        let failed = Arc::new(AtomicBool::new(false));
        let mut progress =
            Progress { stop: Arc::clone(&stop), failed: Arc::clone(&failed), thread: None };
        if bar.is_some() || csv.is_some() {
            let mut watcher =
                Watcher { bar, csv, counters, by_time: seconds > 0, start: Instant::now() };
            progress.thread = Some(std::thread::spawn(move || watcher.run(&stop, &failed)));
        }
        Ok(progress)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        *self.stop.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if self.failed.load(Ordering::Relaxed) {
            eprintln!("the report file could not be written");
        }
    }
}

fn bar(name: &str, ops: u64, seconds: u64) -> ProgressBar {
    let unit = if seconds > 0 { "s" } else { "ops" };
    let template = format!("{{prefix:12}} [{{bar:32}}] {{pos}}/{{len}} {unit} {{msg}}");
    let style = ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ");
    let bar = ProgressBar::new(if seconds > 0 { seconds } else { ops });
    bar.set_style(style);
    bar.set_prefix(name.to_owned());
    bar
}

struct Csv {
    file: File,
    every: u64,
    next: u64,
    last: u64,
}

struct Watcher {
    bar: Option<ProgressBar>,
    csv: Option<Csv>,
    counters: Vec<Arc<Counter>>,
    by_time: bool,
    start: Instant,
}

impl Watcher {
    fn run(&mut self, stop: &(std::sync::Mutex<bool>, std::sync::Condvar), failed: &AtomicBool) {
        let mut done = stop.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !*done {
            let tick = Duration::from_millis(200);
            done = match stop.1.wait_timeout(done, tick) {
                Ok((guard, _)) => guard,
                Err(poisoned) => poisoned.into_inner().0,
            };
            if self.tick().is_err() {
                failed.store(true, Ordering::Relaxed);
            }
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn tick(&mut self) -> std::io::Result<()> {
        let ops: u64 = self.counters.iter().map(|counter| counter.get()).sum();
        let elapsed = self.start.elapsed().as_secs_f64();
        if let Some(bar) = &self.bar {
            bar.set_position(if self.by_time { elapsed as u64 } else { ops });
            bar.set_message(format!("{:.0} ops/sec", ops as f64 / elapsed));
        }
        match &mut self.csv {
            Some(csv) if elapsed >= csv.next as f64 => {
                let line = writeln!(csv.file, "{},{}", csv.next, ops - csv.last);
                (csv.next, csv.last) = (csv.next + csv.every, ops);
                line
            }
            _ => Ok(()),
        }
    }
}
