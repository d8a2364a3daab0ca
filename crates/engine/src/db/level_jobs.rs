//! What flushes and compactions did to each level of a family, and the table of it that RocksDB
//! prints as `rocksdb.cfstats`.

use super::column_family::ColumnFamilyState;
use super::state::DbInner;
use crate::compaction::picker::LevelShape;
use crate::env::sync::Mutex;
use crate::hooks::WriteStallCondition;
use crate::write::{Stall, StallCause};
use std::fmt::Write;

const GIB: f64 = (1u64 << 30) as f64;
const MIB: f64 = (1u64 << 20) as f64;

/// What jobs did to one level.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LevelJobs {
    pub(crate) micros: u64,
    pub(crate) cpu_micros: u64,
    /// Read from other levels.
    pub(crate) read: u64,
    /// Read from this level.
    pub(crate) read_here: u64,
    pub(crate) written: u64,
    pub(crate) moved: u64,
    pub(crate) count: u64,
    pub(crate) keys_in: u64,
    pub(crate) keys_dropped: u64,
}

impl LevelJobs {
    fn plus(self, other: LevelJobs) -> LevelJobs {
        LevelJobs {
            micros: self.micros + other.micros,
            cpu_micros: self.cpu_micros + other.cpu_micros,
            read: self.read + other.read,
            read_here: self.read_here + other.read_here,
            written: self.written + other.written,
            moved: self.moved + other.moved,
            count: self.count + other.count,
            keys_in: self.keys_in + other.keys_in,
            keys_dropped: self.keys_dropped + other.keys_dropped,
        }
    }
}

/// The jobs of a family, by level; flushes and compactions apart, too.
#[derive(Debug, Default)]
pub(crate) struct FamilyJobs {
    levels: Vec<LevelJobs>,
    flushes: LevelJobs,
    compactions: LevelJobs,
    ingested: Ingested,
    /// How often writers were held up: by cause, delayed and stopped.
    stalls: [[u64; 2]; 3],
    /// What the last report that LOG got was made of.
    reported: Mutex<FamilyFigures>,
}

/// Tables that came from outside.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ingested {
    pub(crate) bytes: u64,
    pub(crate) files: u64,
    pub(crate) level0_files: u64,
    pub(crate) keys: u64,
}

/// What a report on a family is made of.
#[derive(Clone, Copy, Debug, Default)]
struct FamilyFigures {
    seconds: f64,
    flushed: u64,
    ingested: Ingested,
    written: u64,
    read: u64,
    micros: u64,
}

impl FamilyJobs {
    fn note(&mut self, level: usize, job: LevelJobs, flush: bool) {
        if self.levels.len() <= level {
            self.levels.resize(level + 1, LevelJobs::default());
        }
        self.levels[level] = self.levels[level].plus(job);
        let kind = if flush { &mut self.flushes } else { &mut self.compactions };
        *kind = kind.plus(job);
    }

    /// Writers are held up anew.
    pub(crate) fn note_stall(&mut self, stall: Stall) {
        let (cause, kind) = match stall {
            Stall::None | Stall::Pace(_) => return,
            Stall::Delay(cause, _) => (cause, WriteStallCondition::Delayed),
            Stall::Stop(cause) => (cause, WriteStallCondition::Stopped),
        };
        let cause = match cause {
            StallCause::Level0FileCount => 0,
            StallCause::Memtable => 1,
            StallCause::PendingCompactionBytes => 2,
        };
        self.stalls[cause][kind as usize] += 1;
    }

    /// Tables came from outside.
    pub(crate) fn note_ingested(&mut self, more: Ingested) {
        self.ingested.bytes += more.bytes;
        self.ingested.files += more.files;
        self.ingested.level0_files += more.level0_files;
        self.ingested.keys += more.keys;
    }

    /// What came in and what compactions moved: since the opening, and since LOG was told last. `for_log`
    /// begins the next interval, as in RocksDB.
    pub(super) fn totals_text(&self, seconds: f64, for_log: bool) -> String {
        let (flushes, compactions) = (&self.flushes, &self.compactions);
        let now = FamilyFigures {
            seconds,
            flushed: flushes.written,
            ingested: self.ingested,
            written: flushes.written + compactions.written,
            read: compactions.read + compactions.read_here,
            micros: flushes.micros + compactions.micros,
        };
        let mut reported = self.reported.lock();
        let before = *reported;
        if for_log {
            *reported = now;
        }
        drop(reported);
        let interval = (now.seconds - before.seconds).max(0.001);
        let gib = |bytes: u64| bytes as f64 / GIB;
        let compaction = |head: &str, from: &FamilyFigures, seconds: f64| {
            let (written, read) = (now.written - from.written, now.read - from.read);
            let rate = |bytes: u64| bytes as f64 / MIB / seconds;
            format!(
                "{head} compaction: {:.2} GB write, {:.2} MB/s write, {:.2} GB read, {:.2} MB/s read, \
                 {:.1} seconds\n",
                gib(written),
                rate(written),
                gib(read),
                rate(read),
                (now.micros - from.micros) as f64 / 1e6
            )
        };
        let (all, old) = (&now.ingested, &before.ingested);
        let mut out = format!(
            "Uptime(secs): {seconds:.1} total, {interval:.1} interval\n\
             Flush(GB): cumulative {:.3}, interval {:.3}\n\
             AddFile(GB): cumulative {:.3}, interval {:.3}\n",
            gib(now.flushed),
            gib(now.flushed - before.flushed),
            gib(all.bytes),
            gib(all.bytes - old.bytes)
        );
        for (name, all, old) in [
            ("Total Files", all.files, old.files),
            ("L0 Files", all.level0_files, old.level0_files),
            ("Keys", all.keys, old.keys),
        ] {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "AddFile({name}): cumulative {all}, interval {}", all - old);
        }
        out.push_str(&compaction("Cumulative", &FamilyFigures::default(), seconds.max(0.001)));
        out.push_str(&compaction("Interval", &before, interval));
        out
    }

    /// `rocksdb.cf-write-stall-stats`.
    pub(crate) fn stall_text(&self) -> String {
        let [level0, memtable, pending] = self.stalls;
        let total = |kind: usize| self.stalls.iter().map(|counts| counts[kind]).sum::<u64>();
        format!(
            "Write Stall (count): cf-l0-file-count-limit-delays-with-ongoing-compaction: 0, \
             cf-l0-file-count-limit-stops-with-ongoing-compaction: 0, \
             l0-file-count-limit-delays: {}, l0-file-count-limit-stops: {}, \
             memtable-limit-delays: {}, memtable-limit-stops: {}, \
             pending-compaction-bytes-delays: {}, pending-compaction-bytes-stops: {}, \
             total-delays: {}, total-stops: {}\n",
            level0[0],
            level0[1],
            memtable[0],
            memtable[1],
            pending[0],
            pending[1],
            total(0),
            total(1)
        )
    }
}

impl DbInner {
    /// A flush (`flush`) or a compaction wrote to a level.
    pub(super) fn note_level_job(&self, family: u32, level: usize, job: LevelJobs, flush: bool) {
        if let Some(cf) = self.state.lock().families.get_mut(&family) {
            cf.jobs.note(level, job, flush);
        }
    }
}

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

/// A number as RocksDB prints it: from 10,000 on in thousands, and so on.
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
struct Line<'a> {
    name: &'a str,
    files: usize,
    size: u64,
    score: f64,
    jobs: LevelJobs,
    /// What came in from above, for write amplification.
    ingested: u64,
}

impl Line<'_> {
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

/// The table of a family's levels, and of its kinds of jobs.
pub(super) fn level_table(cf: &ColumnFamilyState) -> String {
    let name = &cf.data.name;
    let mut out =
        format!("\n** Compaction Stats [{name}] **\nLevel{COLUMNS}\n{}\n", "-".repeat(205));
    let shape = LevelShape::new(&cf.current, &cf.data.options());
    let mut sum = LevelJobs::default();
    for level in 0..cf.current.num_levels() {
        let jobs = cf.jobs.levels.get(level).copied().unwrap_or_default();
        sum = sum.plus(jobs);
        let files = cf.current.num_files(level);
        if files == 0 && jobs.count == 0 {
            continue;
        }
        let ingested = if level == 0 { cf.jobs.flushes.written } else { jobs.read };
        let (size, score) = (cf.current.level_bytes(level), shape.score(level));
        Line { name: &format!("L{level}"), files, size, score, jobs, ingested }.write(&mut out);
    }
    let (files, size) = (cf.current.total_files(), cf.current.total_bytes());
    let ingested = cf.jobs.flushes.written;
    Line { name: "Sum", files, size, score: 0.0, jobs: sum, ingested }.write(&mut out);
    Line { name: "Int", files: 0, size: 0, score: 0.0, jobs: sum, ingested }.write(&mut out);
    let _ =
        write!(out, "\n** Compaction Stats [{name}] **\nPriority{COLUMNS}\n{}\n", "-".repeat(208));
    for (name, jobs) in [("Low", cf.jobs.compactions), ("High", cf.jobs.flushes)] {
        if jobs.count > 0 {
            Line { name, files: 0, size: 0, score: 0.0, jobs, ingested: 0 }.write(&mut out);
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
        Line { name: "L0", files: 2, size: 26889, score: 0.5, jobs, ingested }.write(&mut out);
        // As RocksDB 10.10.1 printed it for the same work.
        assert_eq!(
            out,
            "  L0      2/0     26.26 KB   0.5      0.0     0.0      0.0       0.0       0.0      0.0       0.0   1.0      0.0      5.1      0.01              0.00         2    0.003    2000      0       0.0       0.0\n"
        );
        assert_eq!(human_count(12_345), "12K");
        assert_eq!(human_bytes(3 << 20), "3.00 MB");
    }
}
