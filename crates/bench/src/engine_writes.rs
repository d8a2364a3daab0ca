//! The bytes that an engine reports as written: tables by flushes and compactions, and log records.
//!
//! They are parsed from the text of `rocksdb.stats`, which every engine behind the C functions prints, so that all
//! engines are measured in the same way. The text has gigabytes with two digits. The rate beside them, together with
//! the time since the database was opened, narrows the value down. The text has that time in tenths of a second; we
//! measure it more precisely.
//!
//! Log records are counted without their framing, as in RocksDB.

use std::time::Instant;

/// When a database was opened: its own clock starts at some time during the opening.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    begun: Instant,
    done: Instant,
}

impl Opened {
    /// Creates the value for an opening that began at `begun` and has just ended.
    pub fn since(begun: Instant) -> Opened {
        Opened { begun, done: Instant::now() }
    }

    /// Seconds until now, from the middle of the opening.
    pub fn seconds(&self) -> f64 {
        (self.begun.elapsed() + self.done.elapsed()).as_secs_f64() / 2.0
    }
}

const MB: f64 = 1_048_576.0;
const GB: f64 = 1024.0 * MB;

/// Returns the bytes of tables and of the log so far, in a database that was opened this many seconds ago.
pub fn of(stats: &str, opened: f64) -> Option<f64> {
    let line = |start| line(stats, start, opened);
    Some(line("Cumulative compaction: ")? + line("Cumulative WAL: ")?)
}

/// Parses the line that begins with `start`, which has gigabytes first and then their rate.
fn line(stats: &str, start: &str, opened: f64) -> Option<f64> {
    let at = stats.find(start)?;
    let uptime = stats[..at].rsplit_once("Uptime(secs): ")?.1;
    let told: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    let seconds = opened.clamp(told - 0.05, told + 0.05);
    let text = stats[at..].lines().next()?;
    let (gigabytes, rate) = (before(text, " GB")?, before(text, " MB/s")?);
    let total = seconds * rate * MB;
    Some(total.clamp((gigabytes - 0.005).max(0.0) * GB, (gigabytes + 0.005) * GB))
}

/// Returns the number before the first of these units.
fn before(text: &str, unit: &str) -> Option<f64> {
    text.split_once(unit)?.0.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that RocksDB 10.10.1 prints.
    const STATS: &str = "\
Uptime(secs): 1.3 total, 1.3 interval
Flush(GB): cumulative 0.028, interval 0.028
Cumulative compaction: 0.05 GB write, 35.78 MB/s write, 0.02 GB read, 17.63 MB/s read, 0.3 seconds
Uptime(secs): 1.3 total, 1.3 interval
Cumulative WAL: 300K writes, 0 syncs, 300000.00 writes per sync, written: 0.04 GB, 28.91 MB/s
";

    #[test]
    fn the_rate_narrows_gigabytes_down() {
        let bytes = |seconds: f64| (35.78 + 28.91) * seconds * MB;
        assert!((of(STATS, 1.31).unwrap() - bytes(1.31)).abs() < 1.0);
        // The text takes precedence: rates were divided by its clock.
        assert!((of(STATS, 1.6).unwrap() - bytes(1.35)).abs() < 1.0);
        // An uptime of a tenth of a second is imprecise: the gigabytes bound it.
        let short = STATS.replace("1.3 total", "0.1 total");
        assert!((of(&short, 0.1).unwrap() - (0.045 + 0.035) * GB).abs() < 1.0);
        assert_eq!(of("no such text", 1.0), None);
    }
}
