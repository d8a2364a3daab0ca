//! The databases of a run, and their compaction debt.

use super::config::Config;
use super::engine::{Kind, Stage};
use crate::process::size_on_disk;
use crate::shared::engine::{create_directory, has_database};
use crate::target::{self, ReadMode, Result, Session, Target, WriteMode};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Open databases. Document `i` of `n` is in database `i * count / n`.
pub struct Files {
    targets: Vec<Arc<dyn Target>>,
    dirs: Vec<PathBuf>,
    documents: u64,
    /// The engine's own name and version.
    pub engine: String,
}

impl Files {
    /// Opens the databases. For a population, existing content is deleted first.
    pub fn open(config: &Config, kind: &Kind, stage: Stage, more: &[String]) -> Result<Files> {
        let dirs = directories(config, stage);
        let mut targets = Vec::new();
        let mut name = String::new();
        for dir in &dirs {
            let flags = kind.flags(dir, config, stage, more)?;
            let engine = target::engine(&flags)?;
            if stage == Stage::Load {
                if let Some(parent) = dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                    create_directory(parent)?;
                }
                create_directory(dir)?;
                engine.destroy()?;
            } else if !has_database(dir) {
                return Err(format!("{}: there is no database; run the load first", dir.display()));
            }
            if targets.is_empty() {
                engine.notices().iter().for_each(|notice| eprintln!("{notice}"));
                name = engine.name();
            }
            targets.push(engine.open().map_err(|e| format!("{}: {e}", dir.display()))?);
        }
        Ok(Files { targets, dirs, documents: config.shape.documents, engine: name })
    }

    /// Returns a thread's sessions, one for each database.
    pub fn sessions(&self, write: WriteMode) -> Result<Vec<Box<dyn Session + '_>>> {
        self.targets.iter().map(|target| target.session(ReadMode::default(), write)).collect()
    }

    /// Returns the database of a document.
    pub fn of(&self, document: u64) -> usize {
        let place = u128::from(document) * self.targets.len() as u128 / u128::from(self.documents);
        place as usize
    }

    /// Returns the documents of a database, from the first up to but excluding the second.
    pub fn range(&self, file: usize) -> (u64, u64) {
        let count = self.targets.len() as u128;
        let first = |file: usize| (file as u128 * u128::from(self.documents)).div_ceil(count);
        (first(file) as u64, first(file + 1) as u64)
    }

    /// Returns the number of databases.
    pub fn count(&self) -> usize {
        self.targets.len()
    }

    /// Flushes the memtables of all databases.
    pub fn flush(&self) -> Result<()> {
        self.targets.iter().try_for_each(|target| target.flush())
    }

    /// Waits until no database has anything to flush or compact.
    pub fn wait_for_compaction(&self) -> Result<()> {
        self.targets.iter().try_for_each(|target| target.wait_for_compaction())
    }

    /// Returns the work that is left for flushes and compactions, of all databases together.
    pub fn debt(&self) -> Debt {
        let sum = |name: &str| -> Option<u64> {
            let of = |target: &Arc<dyn Target>| target.property(name)?.trim().parse::<u64>().ok();
            self.targets.iter().map(of).sum()
        };
        Debt {
            pending_compaction_bytes: sum("rocksdb.estimate-pending-compaction-bytes"),
            level0_files: sum("rocksdb.num-files-at-level0"),
            immutable_memtables: sum("rocksdb.num-immutable-mem-table"),
            running_compactions: sum("rocksdb.num-running-compactions"),
            running_flushes: sum("rocksdb.num-running-flushes"),
            bytes_on_disk: size_on_disk(&self.dirs),
        }
    }
}

/// Returns the directories of a stage's databases.
pub fn directories(config: &Config, stage: Stage) -> Vec<PathBuf> {
    let prefix = match stage {
        Stage::Load => &config.files.prefix_load,
        Stage::Measure => &config.files.prefix,
    };
    (0..config.files.count).map(|i| PathBuf::from(format!("{prefix}{i}.0"))).collect()
}

/// Renames the directories of the population to those of the measured part, if they differ.
pub fn move_loaded(config: &Config) -> Result<()> {
    if config.files.prefix == config.files.prefix_load {
        return Ok(());
    }
    let (from, to) = (directories(config, Stage::Load), directories(config, Stage::Measure));
    let rename = |(from, to): (&PathBuf, &PathBuf)| {
        let wrong = |e: std::io::Error| format!("{} to {}: {e}", from.display(), to.display());
        std::fs::rename(from, to).map_err(wrong)
    };
    from.iter().zip(&to).try_for_each(rename)
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
