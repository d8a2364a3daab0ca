//! The iterators over tables, one variant per format.

use super::block_based::TableIter;
use super::cuckoo::CuckooIter;
use super::plain::PlainIter;
use crate::base::iterator::{EmptyIterator, iterator_of_variants};

/// An iterator over an open table, which it keeps open.
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

iterator_of_variants!(
    TableIterator: TableIterator::BlockBased, TableIterator::Plain, TableIterator::Cuckoo,
    TableIterator::Failed
);
