//! The table of a family's levels and jobs that RocksDB prints for `rocksdb.cfstats`.

use crate::catalog::ColumnFamilyState;
use crate::report::LevelJobs;
use std::fmt::Write;

const GIB: f64 = (1u64 << 30) as f64;
const MIB: f64 = (1u64 << 20) as f64;

fn human_bytes(bytes: u64) -> String {
    let (mut size, mut unit) = (bytes as f64 / 1024.0, "KB");
    for larger in ["MB", "GB", "TB"] {
        if size < 1024.0 {
            break;
        }
        (size, unit) = (size / 1024.0, larger);
    }
    format!("{size:.2} {unit}")
}

/// Returns a number as RocksDB prints it: from 10,000 on in thousands, and so on.
pub(super) fn human_count(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..10_000_000 => format!("{}K", n / 1000),
        10_000_000..10_000_000_000 => format!("{}M", n / 1_000_000),
        _ => format!("{}G", n / 1_000_000_000),
    }
}

const COLUMNS: &str = "    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) WPreComp(GB) \
    Wnew(GB) Moved(GB) W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn \
    KeyDrop Rblob(GB) Wblob(GB)";

/// One line of the table.
struct LevelRow<'a> {
    name: &'a str,
    files: usize,
    size: u64,
    score: f64,
    jobs: LevelJobs,
    /// Bytes written to the level from above, for write amplification.
    ingested: u64,
}

impl LevelRow<'_> {
    fn write(&self, out: &mut String) {
        let j = &self.jobs;
        let gib = |bytes: u64| bytes as f64 / GIB;
        let seconds = j.micros as f64 / 1e6 + 1e-6;
        let rate = |bytes: u64| bytes as f64 / MIB / seconds;
        let amplification = match self.ingested {
            0 => 0.0,
            ingested => j.written as f64 / ingested as f64,
        };
        let average = if j.count == 0 { 0.0 } else { j.micros as f64 / 1e6 / j.count as f64 };
        let new = (j.written as f64 - j.read_here as f64) / GIB;
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{:>4} {:>6}/{:<3} {:>10} {:>5.1} {:>8.1} {:>7.1} {:>8.1} {:>9.1} {:>9.1} {:>8.1} \
             {:>9.1} {:>5.1} {:>8.1} {:>8.1} {:>9.2} {:>17.2} {:>9} {:>8.3} {:>7} {:>6} {:>9.1} \
             {:>9.1}",
            self.name,
            self.files,
            0,
            human_bytes(self.size),
            self.score,
            gib(j.read + j.read_here),
            gib(j.read),
            gib(j.read_here),
            gib(j.written),
            0.0,
            new,
            gib(j.moved),
            amplification,
            rate(j.read + j.read_here),
            rate(j.written),
            j.micros as f64 / 1e6,
            j.cpu_micros as f64 / 1e6,
            j.count,
            average,
            human_count(j.keys_in),
            human_count(j.keys_dropped),
            0.0,
            0.0
        );
    }
}

/// Returns the table of a family's levels and kinds of jobs.
pub(super) fn level_table(cf: &ColumnFamilyState) -> String {
    let name = &cf.data.name;
    let mut out =
        format!("\n** Compaction Stats [{name}] **\nLevel{COLUMNS}\n{}\n", "-".repeat(205));
    let shape = cf.level_shape();
    let mut sum = LevelJobs::default();
    for level in 0..cf.current.num_levels() {
        let jobs = cf.jobs.of_level(level);
        sum = sum.plus(jobs);
        let files = cf.current.num_files(level);
        if files == 0 && jobs.count == 0 {
            continue;
        }
        let ingested = if level == 0 { cf.jobs.flushes().written } else { jobs.read };
        let (size, score) = (cf.current.level_bytes(level), shape.score(level));
        LevelRow { name: &format!("L{level}"), files, size, score, jobs, ingested }.write(&mut out);
    }
    let (files, size) = (cf.current.total_files(), cf.current.total_bytes());
    let ingested = cf.jobs.flushes().written;
    LevelRow { name: "Sum", files, size, score: 0.0, jobs: sum, ingested }.write(&mut out);
    LevelRow { name: "Int", files: 0, size: 0, score: 0.0, jobs: sum, ingested }.write(&mut out);
    let _ =
        write!(out, "\n** Compaction Stats [{name}] **\nPriority{COLUMNS}\n{}\n", "-".repeat(208));
    for (name, jobs) in [("Low", cf.jobs.compactions()), ("High", cf.jobs.flushes())] {
        if jobs.count > 0 {
            LevelRow { name, files: 0, size: 0, score: 0.0, jobs, ingested: 0 }.write(&mut out);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_rocksdbs_columns() {
        let jobs = LevelJobs {
            micros: 5012,
            written: 26889,
            count: 2,
            keys_in: 2000,
            ..LevelJobs::default()
        };
        let mut out = String::new();
        let ingested = 26889;
        LevelRow { name: "L0", files: 2, size: 26889, score: 0.5, jobs, ingested }.write(&mut out);
        // The text that RocksDB 10.10.1 printed for the same work.
        assert_eq!(
            out,
            "  L0      2/0     26.26 KB   0.5      0.0     0.0      0.0       0.0       0.0      0.0       0.0   1.0      0.0      5.1      0.01              0.00         2    0.003    2000      0       0.0       0.0\n"
        );
        assert_eq!(human_count(12_345), "12K");
        assert_eq!(human_bytes(3 << 20), "3.00 MB");
    }
}
