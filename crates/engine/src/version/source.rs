//! What a reader's iterator merges: an iterator over one place of a column family.

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
    /// Anything else, such as a place without what range tombstones hide.
    Other(Box<dyn InternalIterator>),
}

iterator_of_variants!(Source: Source::Memtable, Source::Table, Source::Level, Source::Other);
