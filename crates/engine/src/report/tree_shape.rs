//! The shape of a family's tree at one moment, as listeners and LOG are told it.

use crate::compaction::picker::LevelShape;
use crate::options::{ColumnFamilyOptions, CompactionStyle};
use crate::version::Version;
use std::fmt::Write;
use std::sync::Arc;

/// Taken under the catalogue's lock, and looked at without. That of a dropped family is empty. It keeps the files of
/// its moment from being deleted, so that it must not be kept long.
#[derive(Default)]
pub(crate) struct TreeShape {
    version: Option<Arc<Version>>,
    /// Memtables that wait to be flushed.
    pub(crate) immutables: usize,
    /// The number of the newest memtable, by which moments of the tree are told apart.
    pub(crate) memtables_made: u64,
}

impl TreeShape {
    /// Of this version, with so many memtables waiting and made.
    pub(crate) fn new(version: Arc<Version>, immutables: usize, memtables_made: u64) -> TreeShape {
        TreeShape { version: Some(version), immutables, memtables_made }
    }

    /// Files of each level.
    pub(crate) fn files(&self) -> Vec<usize> {
        let Some(version) = &self.version else { return Vec::new() };
        (0..version.num_levels()).map(|level| version.num_files(level)).collect()
    }

    /// Files of level 0.
    pub(crate) fn level0_files(&self) -> usize {
        self.version.as_ref().map_or(0, |version| version.num_files(0))
    }

    /// One line about the levels; nothing if the family was dropped.
    pub(crate) fn summary(&self, options: &ColumnFamilyOptions) -> Option<String> {
        self.version.as_ref().map(|version| level_summary(version, options))
    }
}

/// The files of each level, and how urgent compactions are.
fn level_summary(version: &Version, options: &ColumnFamilyOptions) -> String {
    let shape = LevelShape::new(version, options);
    let mut out = String::new();
    // Writing to a String cannot fail. RocksDB knows no multiplier before there is something on a deeper level.
    let deeper = (1..version.num_levels()).any(|level| version.num_files(level) > 0);
    if options.compaction_style == CompactionStyle::Level && deeper {
        let _ = write!(
            out,
            "base level {} level multiplier {:.2} max bytes base {} ",
            shape.targets.base_level,
            options.max_bytes_for_level_multiplier,
            shape.targets.bytes.get(shape.targets.base_level).copied().unwrap_or(0)
        );
    }
    let levels = 0..version.num_levels();
    let files: Vec<String> = levels.map(|level| version.num_files(level).to_string()).collect();
    let score = shape.worst_score();
    let _ = write!(
        out,
        "files[{}] max score {score:.2}, estimated pending compaction bytes {}",
        files.join(" "),
        shape.targets.pending_compaction_bytes
    );
    let marked = version.all_files().filter(|(_, file)| file.marked_for_compaction).count();
    if marked > 0 {
        let _ = write!(out, " ({marked} files need compaction)");
    }
    out
}
