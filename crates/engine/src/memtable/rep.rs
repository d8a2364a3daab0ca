//! The door between a memtable and the structure that keeps its entries in order. A structure keeps pointers to
//! entries, and nodes of its own in the same arena.

use super::arena::Arena;
use super::entry::Entry;
use crate::base::LookupKey;
use std::ptr::NonNull;

/// What a structure of entries does for its memtable.
///
/// Readers may run at any time, beside each other and beside writers. `insert` runs concurrently
/// only if [`super::kinds::Rep::supports_concurrent_insert`] says so. An insert that has returned is seen by every
/// reader that starts afterwards (in the order that the writer's publication of its sequence number
/// gives). Internal keys are unique.
pub trait MemtableRep: Send + Sync {
    /// Room for an entry of `size` bytes, with room for the structure's node around it if it wants
    /// one there.
    fn allocate(&self, arena: &Arena, size: usize) -> NonNull<u8> {
        arena.allocate(size)
    }

    /// Adds an entry that was written where `allocate` said. `arena` is the same at each call.
    fn insert(&self, arena: &Arena, entry: Entry);

    /// Visits the entries from the first that is not before the key on, in order, until `visit` returns
    /// false. A hash structure visits only entries with the key's prefix, and may visit none where it
    /// has no entry of the key.
    fn visit_from(&self, key: &LookupKey, visit: &mut dyn FnMut(Entry) -> bool);

    /// A position that moves over the entries. `total_order` false lets a hash structure stay inside
    /// the prefix that was sought.
    fn cursor(&self, total_order: bool) -> Box<dyn RepCursor + '_>;

    /// No insert will follow.
    fn mark_read_only(&self) {}

    /// Bytes held outside the arena.
    fn outside_memory(&self) -> usize {
        0
    }

    /// What of it is not a word for each entry, when there are so many: room for more, above all.
    fn outside_room(&self, _entries: u64) -> usize {
        0
    }
}

/// A position in a structure; the contract is [`crate::base::InternalIterator`]'s.
pub trait RepCursor: Send {
    /// Forgets where it stands; see [`crate::base::InternalIterator::release`].
    fn release(&mut self) -> bool {
        false
    }
    /// The entry that it stands on.
    fn entry(&self) -> Option<Entry>;
    /// Goes to the first entry.
    fn seek_to_first(&mut self);
    /// Goes to the last entry.
    fn seek_to_last(&mut self);
    /// Goes to the first entry `>= target`.
    fn seek(&mut self, target: &[u8]);
    /// Goes to the last entry `<= target`.
    fn seek_for_prev(&mut self, target: &[u8]);
    /// Goes one entry on; only while it stands on one.
    fn next(&mut self);
    /// Goes one entry back; only while it stands on one.
    fn prev(&mut self);
}
