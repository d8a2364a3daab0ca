//! The shape of a family's tree at one point in time, for listeners and LOG.

use crate::compaction::picker::LevelShape;
use crate::options::{ColumnFamilyOptions, CompactionStyle};
use crate::version::Version;
use std::fmt::Write;
use std::sync::Arc;

/// The shape of a tree. It is taken under the catalogue's lock and read without it. The shape of a dropped family is
/// empty. It keeps the version's files from being deleted, so it must not be kept for long.
#[derive(Default)]
pub(crate) struct TreeShape {
    version: Option<Arc<Version>>,
    /// The number of memtables that wait to be flushed.
    pub(crate) immutables: usize,
    /// The number of the newest memtable, which distinguishes successive states of the tree.
    pub(crate) memtables_made: u64,
}

impl TreeShape {
    /// Creates the shape of a version, with the numbers of memtables that wait and that were ever created.
    pub(crate) fn new(version: Arc<Version>, immutables: usize, memtables_made: u64) -> TreeShape {
        TreeShape { version: Some(version), immutables, memtables_made }
    }

    /// Returns the number of files in each level.
    pub(crate) fn files(&self) -> Vec<usize> {
        let Some(version) = &self.version else { return Vec::new() };
        (0..version.num_levels()).map(|level| version.num_files(level)).collect()
    }

    /// Returns the number of files in level 0.
    pub(crate) fn level0_files(&self) -> usize {
        self.version.as_ref().map_or(0, |version| version.num_files(0))
    }

    /// Returns one line about the levels, or `None` if the family was dropped.
    pub(crate) fn summary(&self, options: &ColumnFamilyOptions) -> Option<String> {
        self.version.as_ref().map(|version| level_summary(version, options))
    }
}

/// Returns the number of files in each level, and the urgency of compactions.
fn level_summary(version: &Version, options: &ColumnFamilyOptions) -> String {
    let shape = LevelShape::new(version, options);
    let mut out = String::new();
    // Writing to a String cannot fail. RocksDB computes no multiplier until a deeper level has files.
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
