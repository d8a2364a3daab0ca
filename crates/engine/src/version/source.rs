//! The sources that a reader's iterator merges: each is an iterator over one place of a column
//! family.

use super::LevelIter;
use crate::base::InternalIterator;
use crate::base::iterator::iterator_of_variants;
use crate::memtable::MemTableIterator;
use crate::sst::TableIterator;

/// An iterator over one place.
pub enum Source {
    /// A memtable.
    Memtable(MemTableIterator),
    /// A file of level 0.
    Table(TableIterator),
    /// A sorted level.
    Level(LevelIter),
    /// Any other iterator, such as one that skips the entries covered by range tombstones.
    Other(Box<dyn InternalIterator>),
}

iterator_of_variants!(Source: Source::Memtable, Source::Table, Source::Level, Source::Other);
