//! Bytes that an engine says it wrote: tables by flushes and compactions, and log records.
//!
//! From the text of `rocksdb.stats`, which every engine behind the C functions prints, so that all are
//! measured by the same means. Bytes stand there as gigabytes with two digits; the rate and the uptime
//! next to them narrow that down. The counts start when the database is opened.

const MB: f64 = 1_048_576.0;
const GB: f64 = 1024.0 * MB;

/// Bytes of tables and of the log so far.
pub fn of(stats: &str) -> Option<f64> {
    Some(line(stats, "Cumulative compaction: ")? + line(stats, "Cumulative WAL: ")?)
}

/// Of the line that begins so, which has gigabytes first and then their rate.
fn line(stats: &str, start: &str) -> Option<f64> {
    let at = stats.find(start)?;
    let uptime = stats[..at].rsplit_once("Uptime(secs): ")?.1;
    let seconds: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    let text = stats[at..].lines().next()?;
    let (gigabytes, rate) = (before(text, " GB")?, before(text, " MB/s")?);
    let total = seconds * rate * MB;
    Some(total.clamp((gigabytes - 0.005).max(0.0) * GB, (gigabytes + 0.005) * GB))
}

/// The number before the first of these units.
fn before(text: &str, unit: &str) -> Option<f64> {
    text.split_once(unit)?.0.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As RocksDB 10.10.1 prints it.
    const STATS: &str = "\
Uptime(secs): 1.3 total, 1.3 interval
Flush(GB): cumulative 0.028, interval 0.028
Cumulative compaction: 0.05 GB write, 35.78 MB/s write, 0.02 GB read, 17.63 MB/s read, 0.3 seconds
Uptime(secs): 1.3 total, 1.3 interval
Cumulative WAL: 300K writes, 0 syncs, 300000.00 writes per sync, written: 0.04 GB, 28.91 MB/s
";

    #[test]
    fn the_rate_narrows_gigabytes_down() {
        let expected = (35.78 + 28.91) * 1.3 * MB;
        assert!((of(STATS).unwrap() - expected).abs() < 1.0);
        // An uptime of a tenth of a second says little: the gigabytes bound it.
        let short = STATS.replace("1.3 total", "0.1 total");
        assert!((of(&short).unwrap() - (0.045 + 0.035) * GB).abs() < 1.0);
        assert_eq!(of("no such text"), None);
    }
}
