//! Combining entries: the state of a point lookup, the merging iterator, folding of merge operands,
//! and dropping of entries that no reader can see.

mod compaction_iter;
mod get_context;
pub(crate) mod merge_helper;
mod merging;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
pub(crate) mod vec_iter;

pub use compaction_iter::{CompactionIter, Interrupt};
pub use get_context::{GetContext, Outcome, Receiver};
pub use merging::{MergingIterator, merging_iterator};
