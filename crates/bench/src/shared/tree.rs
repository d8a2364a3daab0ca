//! The state of an engine, from RocksDB's properties: levels and compaction debt now, and counters of syncs and
//! stalls since the database was opened. An engine without such a property has `None`.
//!
//! Each property here is cheap: none scans a cache or lists files.

use crate::process::size_on_disk;
use crate::target::Target;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Open databases that together are one measured store.
pub type Targets = [Arc<dyn Target>];

/// One level of all databases.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// SST files.
    pub files: u64,
    /// Their bytes, in whole MiB.
    pub bytes: u64,
}

/// The levels and the state of writers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// From level 0 on.
    pub levels: Option<Vec<Level>>,
    /// Bytes that compactions still have to write.
    pub pending_compaction_bytes: Option<u64>,
    /// Immutable memtables that are not flushed.
    pub immutable_memtables: Option<u64>,
    /// Writers wait.
    pub stopped: Option<bool>,
    /// Writers are slowed down.
    pub delayed: Option<bool>,
}

impl Tree {
    /// Reads the state of all databases together.
    pub fn now(targets: &Targets) -> Tree {
        let any = |name: &str| sum(targets, name).map(|number| number > 0);
        Tree {
            levels: levels(targets),
            pending_compaction_bytes: sum(targets, "rocksdb.estimate-pending-compaction-bytes"),
            immutable_memtables: sum(targets, "rocksdb.num-immutable-mem-table"),
            stopped: any("rocksdb.is-write-stopped"),
            delayed: any("rocksdb.actual-delayed-write-rate"),
        }
    }

    /// Returns the fields of a line of the time line.
    pub fn json(&self) -> Value {
        let level = |level: &Level| json!({"files": level.files, "bytes": level.bytes});
        let levels = self.levels.as_ref();
        json!({
            "levels": levels.map(|levels| levels.iter().map(level).collect::<Vec<_>>()),
            "l0_files": levels.and_then(|levels| levels.first()).map(|level| level.files),
            "pending_compaction_bytes": self.pending_compaction_bytes,
            "immutable_memtables": self.immutable_memtables,
            "stopped": self.stopped,
            "delayed": self.delayed,
        })
    }

    /// Returns the files of the levels for people, as `3/12/80`; empty levels at the end are left out.
    pub fn line(&self) -> Option<String> {
        let levels = self.levels.as_ref()?;
        let used = levels.iter().rposition(|level| level.files > 0).map_or(1, |last| last + 1);
        let files: Vec<String> =
            levels.iter().take(used).map(|level| level.files.to_string()).collect();
        Some(files.join("/"))
    }
}

/// Returns the sum of a property that is a number.
fn sum(targets: &Targets, name: &str) -> Option<u64> {
    if targets.is_empty() {
        return None;
    }
    targets.iter().map(|target| target.property(name)?.trim().parse::<u64>().ok()).sum()
}

fn levels(targets: &Targets) -> Option<Vec<Level>> {
    let mut all = Vec::new();
    for target in targets {
        let levels = parse_levels(&target.property("rocksdb.levelstats")?)?;
        all.resize(all.len().max(levels.len()), Level::default());
        for (sum, level) in all.iter_mut().zip(levels) {
            sum.files += level.files;
            sum.bytes += level.bytes;
        }
    }
    Some(all).filter(|all| !all.is_empty())
}

/// Parses rows of level, files and MiB, below a heading and a rule.
fn parse_levels(text: &str) -> Option<Vec<Level>> {
    let row = |line: &str| {
        let mut words = line.split_whitespace().skip(1).map(|word| word.parse::<u64>().ok());
        let (files, mib) = (words.next()??, words.next()??);
        Some(Level { files, bytes: mib << 20 })
    };
    text.lines().skip(2).filter(|line| !line.trim().is_empty()).map(row).collect()
}

/// Counters since the databases were opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Syncs of the WAL: exact with `--statistics`, otherwise rounded to thousands from 10,000 on.
    pub fsyncs: Option<u64>,
    /// Seconds that writers were stalled, of all writers together.
    pub stall_seconds: Option<f64>,
    /// How often writers were delayed or stopped, by cause.
    pub stalls: Option<BTreeMap<String, u64>>,
}

impl Counters {
    /// Reads the counters of all databases together.
    pub fn now(targets: &Targets) -> Counters {
        let mut all: Option<Counters> = None;
        for target in targets {
            let one = Counters::of(&**target);
            all = Some(match all {
                None => one,
                Some(all) => all.plus(&one),
            });
        }
        all.unwrap_or_default()
    }

    fn of(target: &dyn Target) -> Counters {
        let text = target.property("rocksdb.dbstats").unwrap_or_default();
        let statistics = target.statistics().unwrap_or_default();
        let stalls = ["rocksdb.cf-write-stall-stats", "rocksdb.db-write-stall-stats"];
        let stalls: Option<BTreeMap<String, u64>> = stalls
            .iter()
            .map(|name| Some(parse_stalls(&target.property(name)?)))
            .collect::<Option<Vec<_>>>()
            .map(|parts| parts.into_iter().flatten().collect());
        Counters {
            fsyncs: ticker(&statistics, "rocksdb.wal.synced").or_else(|| syncs(&text)),
            stall_seconds: ticker(&statistics, "rocksdb.stall.micros")
                .map(|micros| micros as f64 / 1e6)
                .or_else(|| stall_seconds(&text)),
            stalls,
        }
    }

    fn plus(&self, other: &Counters) -> Counters {
        let mut stalls = self.stalls.clone().zip(other.stalls.clone());
        if let Some((all, more)) = &mut stalls {
            more.iter().for_each(|(cause, n)| *all.entry(cause.clone()).or_default() += n);
        }
        Counters {
            fsyncs: self.fsyncs.zip(other.fsyncs).map(|(a, b)| a + b),
            stall_seconds: self.stall_seconds.zip(other.stall_seconds).map(|(a, b)| a + b),
            stalls: stalls.map(|(all, _)| all),
        }
    }

    /// Returns the growth since an earlier time.
    pub fn since(&self, earlier: &Counters) -> Counters {
        let before = |cause: &str| earlier.stalls.as_ref()?.get(cause).copied();
        let grown = |(cause, n): (&String, &u64)| {
            (cause.clone(), n.saturating_sub(before(cause).unwrap_or(0)))
        };
        Counters {
            fsyncs: self.fsyncs.zip(earlier.fsyncs).map(|(now, then)| now.saturating_sub(then)),
            stall_seconds: self
                .stall_seconds
                .zip(earlier.stall_seconds)
                .map(|(now, then)| (now - then).max(0.0)),
            stalls: self.stalls.as_ref().map(|stalls| stalls.iter().map(grown).collect()),
        }
    }
}

/// Returns a ticker of the text of statistics.
fn ticker(statistics: &str, name: &str) -> Option<u64> {
    let rest =
        statistics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" COUNT : "));
    rest?.trim().parse().ok()
}

/// Returns the syncs of the WAL: `Cumulative WAL: 300K writes, 12 syncs, ...`.
fn syncs(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Cumulative WAL: "))?;
    let number = line.split(", ").find_map(|part| part.strip_suffix(" syncs"))?;
    let units = [("K", 1000), ("M", 1_000_000), ("G", 1_000_000_000)];
    let unit =
        units.iter().find_map(|(suffix, factor)| Some((number.strip_suffix(suffix)?, *factor)));
    let (digits, factor) = unit.unwrap_or((number, 1));
    Some(digits.parse::<u64>().ok()? * factor)
}

/// Returns the stalled seconds: `Cumulative stall: 00:01:2.345 H:M:S, 0.0 percent`.
fn stall_seconds(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Cumulative stall: "))?;
    let mut parts = line.split(' ').next()?.split(':').map(|part| part.parse::<f64>().ok());
    parts.try_fold(0.0, |seconds, part| Some(seconds * 60.0 + part?))
}

/// Parses `Write Stall (count): CAUSE: N, CAUSE: N`. Sums are left out.
fn parse_stalls(text: &str) -> BTreeMap<String, u64> {
    let text = text.trim().strip_prefix("Write Stall (count): ").unwrap_or_default();
    let cause = |part: &str| {
        let (cause, count) = part.rsplit_once(": ")?;
        Some((cause.trim().to_owned(), count.trim().parse().ok()?))
    };
    let is_cause = |(cause, _): &(String, u64)| !cause.starts_with("total-");
    text.split(", ").filter_map(cause).filter(is_cause).collect()
}

/// Work that is left for flushes and compactions; `None` where the engine has no such property.
#[derive(Clone, Copy, Debug, Default)]
pub struct Debt {
    pending_compaction_bytes: Option<u64>,
    level0_files: Option<u64>,
    immutable_memtables: Option<u64>,
    running_compactions: Option<u64>,
    running_flushes: Option<u64>,
    /// Bytes of the files.
    pub bytes_on_disk: u64,
}

impl Debt {
    /// Reads the debt of databases whose files are in `dirs`.
    pub fn now(targets: &Targets, dirs: &[PathBuf]) -> Debt {
        Debt {
            pending_compaction_bytes: sum(targets, "rocksdb.estimate-pending-compaction-bytes"),
            level0_files: sum(targets, "rocksdb.num-files-at-level0"),
            immutable_memtables: sum(targets, "rocksdb.num-immutable-mem-table"),
            running_compactions: sum(targets, "rocksdb.num-running-compactions"),
            running_flushes: sum(targets, "rocksdb.num-running-flushes"),
            bytes_on_disk: size_on_disk(dirs),
        }
    }

    /// Returns the line of a report.
    pub fn line(&self) -> String {
        if self.pending_compaction_bytes.is_none() && self.level0_files.is_none() {
            let megabytes = self.bytes_on_disk as f64 / 1e6;
            return format!("the engine has no such properties; {megabytes:.1} MB on disk");
        }
        let number = |number: Option<u64>| {
            number.map_or_else(|| "?".to_owned(), |number| number.to_string())
        };
        let bytes = self
            .pending_compaction_bytes
            .map_or_else(|| "?".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e6));
        format!(
            "{bytes} MB to compact, {} level-0 files, {} immutable memtables, {} compactions and {} flushes running, \
             {:.1} MB on disk",
            number(self.level0_files),
            number(self.immutable_memtables),
            number(self.running_compactions),
            number(self.running_flushes),
            self.bytes_on_disk as f64 / 1e6
        )
    }

    /// Returns the object of a report.
    pub fn json(&self) -> Value {
        json!({
            "pending_compaction_bytes": self.pending_compaction_bytes,
            "level0_files": self.level0_files,
            "immutable_memtables": self.immutable_memtables,
            "running_compactions": self.running_compactions,
            "running_flushes": self.running_flushes,
            "bytes_on_disk": self.bytes_on_disk,
        })
    }
}

#[cfg(test)]
#[path = "tree_test.rs"]
mod tests;
