//! Statistics of flushes and compactions per level of a family, and counts of its write stalls.

use crate::env::sync::Mutex;
use crate::hooks::WriteStallCondition;
use crate::version::FileMeta;
use crate::write::{Stall, StallCause};
use std::fmt::Write;
use std::sync::Arc;

const GIB: f64 = (1u64 << 30) as f64;
const MIB: f64 = (1u64 << 20) as f64;

/// The work that jobs did on one level.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LevelJobs {
    pub(crate) micros: u64,
    pub(crate) cpu_micros: u64,
    /// Bytes read from other levels.
    pub(crate) read: u64,
    /// Bytes read from this level.
    pub(crate) read_here: u64,
    pub(crate) written: u64,
    pub(crate) moved: u64,
    pub(crate) count: u64,
    pub(crate) keys_in: u64,
    pub(crate) keys_dropped: u64,
}

impl LevelJobs {
    /// Returns the sum of both.
    pub(crate) fn plus(self, other: LevelJobs) -> LevelJobs {
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

/// The work of jobs on a family: by level, and separately for flushes and for compactions.
#[derive(Debug, Default)]
pub(crate) struct FamilyJobs {
    levels: Vec<LevelJobs>,
    flushes: LevelJobs,
    compactions: LevelJobs,
    ingested: Ingested,
    /// The number of stalls, by cause, and for each cause delayed and stopped.
    stalls: [[u64; 2]; 3],
    /// The figures of the last report in LOG.
    reported: Mutex<FamilyFigures>,
}

/// Counts of ingested tables.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ingested {
    pub(crate) bytes: u64,
    pub(crate) files: u64,
    pub(crate) level0_files: u64,
    pub(crate) keys: u64,
}

impl Ingested {
    /// Counts these files, given with the levels to which they were added.
    pub(crate) fn of(files: &[(usize, Arc<FileMeta>)]) -> Ingested {
        let sum = |f: fn(&FileMeta) -> u64| files.iter().map(|(_, file)| f(file)).sum();
        Ingested {
            bytes: sum(|file| file.file_size),
            files: files.len() as u64,
            level0_files: files.iter().filter(|(level, _)| *level == 0).count() as u64,
            keys: sum(|file| file.stats().num_entries),
        }
    }
}

/// The figures for a report on a family.
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
    /// Returns the work on a level.
    pub(crate) fn of_level(&self, level: usize) -> LevelJobs {
        self.levels.get(level).copied().unwrap_or_default()
    }

    /// Returns the work of flushes.
    pub(crate) fn flushes(&self) -> LevelJobs {
        self.flushes
    }

    /// Returns the work of compactions.
    pub(crate) fn compactions(&self) -> LevelJobs {
        self.compactions
    }

    /// Adds the work of a flush (if `flush`) or a compaction that wrote to a level.
    pub(crate) fn note(&mut self, level: usize, job: LevelJobs, flush: bool) {
        if self.levels.len() <= level {
            self.levels.resize(level + 1, LevelJobs::default());
        }
        self.levels[level] = self.levels[level].plus(job);
        let kind = if flush { &mut self.flushes } else { &mut self.compactions };
        *kind = kind.plus(job);
    }

    /// Counts a new stall.
    pub(crate) fn note_stall(&mut self, stall: Stall) {
        let (cause, kind) = match stall {
            Stall::None => return,
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

    /// Counts ingested tables.
    pub(crate) fn note_ingested(&mut self, more: Ingested) {
        self.ingested.bytes += more.bytes;
        self.ingested.files += more.files;
        self.ingested.level0_files += more.level0_files;
        self.ingested.keys += more.keys;
    }

    /// Returns a text with the bytes that were written to the family and that compactions moved: since opening, and
    /// since the last report in LOG. `for_log` begins the next interval, as in RocksDB.
    pub(crate) fn totals_text(&self, seconds: f64, for_log: bool) -> String {
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

    /// Returns the text of `rocksdb.cf-write-stall-stats`.
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
