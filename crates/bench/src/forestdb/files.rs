//! The databases of a run, and their compaction debt.

use super::config::Config;
use super::engine::{Kind, Stage};
use crate::shared::engine::create_directory;
use crate::shared::tree::Debt;
use crate::target::{self, ReadMode, Result, Session, Target, WriteMode, has_database};
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

    /// Returns the databases.
    pub fn targets(&self) -> &[Arc<dyn Target>] {
        &self.targets
    }

    /// Returns their directories.
    pub fn dirs(&self) -> &[PathBuf] {
        &self.dirs
    }

    /// Returns the work that is left for flushes and compactions, of all databases together.
    pub fn debt(&self) -> Debt {
        Debt::now(&self.targets, &self.dirs)
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
