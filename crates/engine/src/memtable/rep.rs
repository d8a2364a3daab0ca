//! The interface between a memtable and the structure that keeps its entries in order. A structure stores pointers to
//! entries, and its own nodes in the same arena.

use super::arena::Arena;
use super::entry::Entry;
use crate::base::LookupKey;
use std::ptr::NonNull;

/// A structure that orders a memtable's entries.
///
/// Readers may run at any time, concurrently with each other and with writers. `insert` runs concurrently only if
/// [`super::kinds::Rep::supports_concurrent_insert`] returns true. An insert that has returned is seen by every reader
/// that starts afterwards (in the order given by the writer's publication of its sequence number). Internal keys are
/// unique.
pub trait MemtableRep: Send + Sync {
    /// Allocates room for an entry of `size` bytes, and for the structure's node around it if the
    /// structure needs one.
    fn allocate(&self, arena: &Arena, size: usize) -> NonNull<u8> {
        arena.allocate(size)
    }

    /// Adds an entry that was written at the address from `allocate`. `arena` is the same for each
    /// call.
    fn insert(&self, arena: &Arena, entry: Entry);

    /// Visits the entries in order, starting with the first that is not before the key, until `visit` returns false. A
    /// hash structure visits only entries with the key's prefix, and may visit none if it has no entry of the key.
    fn visit_from(&self, key: &LookupKey, visit: &mut dyn FnMut(Entry) -> bool);

    /// A cursor over the entries. If `total_order` is false, a hash structure may stay inside the prefix of the seek
    /// target.
    fn cursor(&self, total_order: bool) -> Box<dyn RepCursor + '_>;

    /// Announces that no insert will follow.
    fn mark_read_only(&self) {}

    /// Bytes held outside the arena.
    fn outside_memory(&self) -> usize {
        0
    }

    /// The part of `outside_memory` beyond one word per entry if there are this many entries:
    /// mostly reserved capacity.
    fn outside_room(&self, _entries: u64) -> usize {
        0
    }
}

/// A position in a structure; the contract is [`crate::base::InternalIterator`]'s.
pub trait RepCursor: Send {
    /// Gives up the position; see [`crate::base::InternalIterator::release`].
    fn release(&mut self) -> bool {
        false
    }
    /// The current entry.
    fn entry(&self) -> Option<Entry>;
    /// Moves to the first entry.
    fn seek_to_first(&mut self);
    /// Moves to the last entry.
    fn seek_to_last(&mut self);
    /// Moves to the first entry `>= target`.
    fn seek(&mut self, target: &[u8]);
    /// Moves to the last entry `<= target`.
    fn seek_for_prev(&mut self, target: &[u8]);
    /// Moves to the next entry. The cursor must be on an entry.
    fn next(&mut self);
    /// Moves to the previous entry. The cursor must be on an entry.
    fn prev(&mut self);
}
