//! The iterators over tables, one variant per format.

use super::block_based::{Progress, TableIter};
use super::cuckoo::CuckooIter;
use super::plain::PlainIter;
use crate::base::iterator::{EmptyIterator, iterator_of_variants};

/// An iterator over an open table, which it keeps open.
#[expect(clippy::large_enum_variant, reason = "the common one is the large one")]
pub enum TableIterator {
    /// An iterator over a table of the default format.
    BlockBased(TableIter),
    /// An iterator over rows in a mapped file.
    Plain(PlainIter),
    /// An iterator over a hash table in a mapped file.
    Cuckoo(CuckooIter),
    /// An empty iterator with an error: the table cannot be read.
    Failed(EmptyIterator),
}

impl TableIterator {
    /// How far the sequential reads of a block-based table have come.
    pub fn progress(&self) -> Option<Progress> {
        match self {
            TableIterator::BlockBased(iter) => Some(iter.progress()),
            _ => None,
        }
    }

    /// Continues the sequential reads of the previous table of a level.
    pub fn continue_from(&mut self, progress: Progress) {
        if let TableIterator::BlockBased(iter) = self {
            iter.continue_from(progress);
        }
    }
}

iterator_of_variants!(
    TableIterator: TableIterator::BlockBased, TableIterator::Plain, TableIterator::Cuckoo,
    TableIterator::Failed
);
