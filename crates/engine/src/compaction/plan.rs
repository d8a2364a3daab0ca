//! The compaction plan: the inputs of one compaction and the settings of its outputs. It is plain data that a picker
//! fills in and a job carries out.
//!
//! Invariants, given the version it was picked from:
//! * **CP1** Inputs are ordered by level, and the files of each level are in the version's order.
//! * **CP2** If the inputs contain any entry of a user key on an input level, they contain all of them.
//! * **CP3** On level 0, the inputs contain every older file that overlaps an input; the inputs of a compaction that
//!   stays on level 0 are adjacent in age.
//! * **CP4** No other running compaction reads the same files, or writes into the same range of the output level.

use crate::base::KeyOrder;
use crate::compress::CompressionType;
use crate::hooks::{SstPartitioner, SstPartitionerContext};
use crate::options::ColumnFamilyOptions;
use crate::version::FileMeta;
use std::fmt;
use std::sync::Arc;

pub use crate::hooks::CompactionReason;

/// The input files of one level.
#[derive(Clone)]
pub struct PlanLevel {
    /// The level.
    pub level: usize,
    /// Its files: newest first on level 0, otherwise in key order. Never empty.
    pub files: Vec<Arc<FileMeta>>,
}

/// One compaction.
pub struct CompactionPlan {
    /// The picker's id of the plan.
    pub(super) id: u64,
    /// The column family.
    pub cf_id: u32,
    /// The level that must shrink.
    pub start_level: usize,
    /// The level of the outputs.
    pub output_level: usize,
    /// The index of the outputs' data path in the column family's list.
    pub output_path: u32,
    /// The files to read, by level.
    pub inputs: Vec<PlanLevel>,
    /// The files in this range on the next level with data below the output level, in key order.
    /// Outputs are preferably cut at their boundaries; see [`super::cut::OutputCutter`].
    pub grandparents: Vec<Arc<FileMeta>>,
    /// The target size of output files.
    pub target_file_size: u64,
    /// The maximum size of output files, which only the entries of the last user key may exceed.
    pub max_file_size: u64,
    /// The maximum number of bytes of grandparents that one output file may overlap.
    pub max_compaction_bytes: u64,
    /// The compression of output files.
    pub compression: CompressionType,
    /// Whether nothing older than the inputs overlaps them: then tombstones may be dropped, and
    /// sequence numbers may become 0.
    pub bottommost: bool,
    /// Whether the inputs can move to the output level unchanged: no file is read or written.
    pub trivial_move: bool,
    /// Whether the inputs are deleted without a replacement.
    pub deletion: bool,
    /// The reason for the compaction.
    pub reason: CompactionReason,
    /// The score of the start level at the time of picking.
    pub score: f64,
}

impl CompactionPlan {
    /// Every input with its level.
    pub fn input_files(&self) -> impl Iterator<Item = (usize, &Arc<FileMeta>)> {
        self.inputs.iter().flat_map(|l| l.files.iter().map(move |f| (l.level, f)))
    }

    /// The number of input files.
    pub fn num_input_files(&self) -> usize {
        self.inputs.iter().map(|l| l.files.len()).sum()
    }

    /// The total size of the input files in bytes.
    pub fn input_bytes(&self) -> u64 {
        self.input_files().fold(0, |sum, (_, f)| sum.saturating_add(f.file_size))
    }

    /// Whether the plan writes tables, as opposed to moving or deleting files.
    pub fn writes_tables(&self) -> bool {
        !self.trivial_move && !self.deletion
    }

    /// The first and the last user key of the inputs.
    pub fn key_range(&self, order: &KeyOrder) -> (Vec<u8>, Vec<u8>) {
        let range = key_range(order, self.input_files().map(|(_, f)| f));
        range.map_or_else(Default::default, |(s, l)| (s.to_vec(), l.to_vec()))
    }

    /// The oldest time at which data of the inputs was written; 0 if it is unknown for all files.
    pub fn oldest_ancestor_time(&self) -> u64 {
        let known = self.input_files().map(|(_, f)| f.oldest_ancestor_time).filter(|t| *t > 0);
        known.min().unwrap_or(0)
    }
}

/// The partitioner for the tables of this plan, if the user has set one. Level 0 is never
/// partitioned.
pub(super) fn partitioner(
    options: &ColumnFamilyOptions,
    plan: &CompactionPlan,
    order: &KeyOrder,
    is_full_compaction: bool,
) -> Option<Box<dyn SstPartitioner>> {
    let factory = options.sst_partitioner_factory.as_ref().filter(|_| plan.output_level > 0)?;
    let (smallest, largest) = plan.key_range(order);
    factory.create(&SstPartitionerContext {
        is_full_compaction,
        is_manual_compaction: plan.reason == CompactionReason::ManualCompaction,
        output_level: plan.output_level,
        smallest_user_key: &smallest,
        largest_user_key: &largest,
    })
}

/// The first and the last user key of these files; `None` if there are none.
pub(super) fn key_range<'a>(
    order: &KeyOrder,
    files: impl IntoIterator<Item = &'a Arc<FileMeta>>,
) -> Option<(&'a [u8], &'a [u8])> {
    files.into_iter().fold(None, |range, f| {
        let (s, l) = (f.smallest_user_key(), f.largest_user_key());
        let Some((smallest, largest)) = range else { return Some((s, l)) };
        let smallest = if order.compare_user(s, smallest).is_lt() { s } else { smallest };
        let largest = if order.compare_user(l, largest).is_gt() { l } else { largest };
        Some((smallest, largest))
    })
}

/// `L0 [9 8] + L1 [3] -> L1`, followed by further details: for LOG and for transcripts.
impl fmt::Display for CompactionPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, input) in self.inputs.iter().enumerate() {
            let plus = if i > 0 { " + " } else { "" };
            write!(f, "{plus}L{} [", input.level)?;
            for (i, file) in input.files.iter().enumerate() {
                let space = if i > 0 { " " } else { "" };
                write!(f, "{space}{}", file.number)?;
            }
            f.write_str("]")?;
        }
        write!(f, " -> L{}", self.output_level)?;
        if self.output_path > 0 {
            write!(f, " in path {}", self.output_path)?;
        }
        if self.trivial_move {
            f.write_str(", trivial move")?;
        }
        if self.deletion {
            f.write_str(", deletion")?;
        }
        if self.bottommost {
            f.write_str(", bottommost")?;
        }
        if !self.grandparents.is_empty() {
            write!(f, ", {} grandparents", self.grandparents.len())?;
        }
        write!(f, ", {}, score {:.2}", self.reason.name(), self.score)
    }
}

impl fmt::Debug for CompactionPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
