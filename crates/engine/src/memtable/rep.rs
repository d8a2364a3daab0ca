//! The door between a memtable and the structure that keeps its entries in order.
//!
//! An entry is written once into the arena and never moves or changes (but for `in_place.rs`); a structure keeps
//! pointers to entries, and nodes of its own in the same arena. The set of structures is closed: [`Rep`].
//!
//! ```text
//! entry := varint32 length of the internal key, internal key, varint32 length of the value, value
//! ```
//! Unsafe, because an [`Entry`] has no static owner. Invariant **R1**: whoever holds an `Entry`
//! holds, directly or not, the memtable whose arena it lies in.

#![allow(unsafe_code)]

use super::arena::Arena;
use super::btree::BTree;
use super::btree_cursor::BTreeCursor;
use super::hash::{HashRep, HashShape};
use super::tower::MAX_HEIGHT;
use super::vector::VectorRep;
use crate::base::coding::varint_length;
use crate::base::key::TRAILER_SIZE;
use crate::base::{KeyOrder, LookupKey};
use crate::hooks::Grouping;
use crate::options::{ColumnFamilyOptions, MemtableFactory};
use std::ptr::NonNull;

/// An entry in an arena: one pointer, copied freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry(NonNull<u8>);

// SAFETY: an entry is not changed after it was written, but for values under locks (`in_place.rs`);
// R1 keeps it alive.
unsafe impl Send for Entry {}
// SAFETY: as for `Send`.
unsafe impl Sync for Entry {}

impl Entry {
    /// How many bytes an entry takes.
    #[inline]
    pub fn size(user_key: &[u8], value: &[u8]) -> usize {
        let key_len = user_key.len() + TRAILER_SIZE;
        length_size(key_len) + key_len + length_size(value.len()) + value.len()
    }

    /// Writes an entry. The lengths must fit 32 bits, which batches have checked.
    ///
    /// # Safety
    /// `at` must be [`Entry::size`] writable bytes that nobody else uses.
    #[inline]
    pub unsafe fn write(at: NonNull<u8>, user_key: &[u8], trailer: u64, value: &[u8]) -> Entry {
        let key_len = user_key.len() + TRAILER_SIZE;
        debug_assert!(u32::try_from(key_len).is_ok() && u32::try_from(value.len()).is_ok());
        // SAFETY: the parts lie one after the other inside the bytes of the contract.
        unsafe {
            let key = write_length(at, key_len).as_ptr();
            key.copy_from_nonoverlapping(user_key.as_ptr(), user_key.len());
            key.add(user_key.len()).cast::<u64>().write_unaligned(trailer.to_le());
            let after = NonNull::new_unchecked(key.add(key_len));
            let to = write_length(after, value.len()).as_ptr();
            to.copy_from_nonoverlapping(value.as_ptr(), value.len());
        }
        Entry(at)
    }

    /// The entry at an address that [`Entry::as_ptr`] gave.
    ///
    /// # Safety
    /// The entry must still be alive.
    #[inline]
    pub unsafe fn from_ptr(ptr: NonNull<u8>) -> Entry {
        Entry(ptr)
    }

    /// Its address.
    #[inline]
    pub fn as_ptr(self) -> NonNull<u8> {
        self.0
    }

    /// The internal key.
    ///
    /// # Safety
    /// The arena must outlive `'a`.
    #[inline]
    pub unsafe fn internal_key<'a>(self) -> &'a [u8] {
        // SAFETY: written by `write`, alive by contract.
        unsafe {
            let (len, key) = read_length(self.0);
            std::slice::from_raw_parts(key.as_ptr(), len)
        }
    }

    /// The value.
    ///
    /// # Safety
    /// The arena must outlive `'a`.
    #[inline]
    pub unsafe fn value<'a>(self) -> &'a [u8] {
        // SAFETY: written by `write`, alive by contract.
        unsafe {
            let (key_len, key) = read_length(self.0);
            let (len, value) = read_length(key.add(key_len));
            std::slice::from_raw_parts(value.as_ptr(), len)
        }
    }
}

impl Entry {
    /// Puts `value` in the place of the value if it is not longer, and says so.
    ///
    /// # Safety
    /// Nobody else may look at the value meanwhile (`in_place.rs`), and the entry must be alive.
    pub unsafe fn overwrite_value(self, value: &[u8]) -> bool {
        // SAFETY: alive by contract. A length that is not greater takes no more bytes, so length and
        // value end where the old ones did, or before.
        unsafe {
            let (key_len, key) = read_length(self.0);
            let at = key.add(key_len);
            if value.len() > read_length(at).0 {
                return false;
            }
            let to = write_length(at, value.len()).as_ptr();
            to.copy_from_nonoverlapping(value.as_ptr(), value.len());
        }
        true
    }
}

/// How many bytes a length takes.
#[inline]
fn length_size(len: usize) -> usize {
    if len < 0x80 { 1 } else { varint_length(len as u64) }
}

/// Writes a length; what follows it.
///
/// # Safety
/// There must be [`length_size`] writable bytes.
#[inline]
unsafe fn write_length(mut at: NonNull<u8>, len: usize) -> NonNull<u8> {
    let mut rest = len;
    // SAFETY: one byte for every seven bits, as `length_size` counts.
    unsafe {
        while rest >= 0x80 {
            at.write(rest as u8 | 0x80);
            at = at.add(1);
            rest >>= 7;
        }
        at.write(rest as u8);
        at.add(1)
    }
}

/// A length that `write_length` wrote, and what follows it.
///
/// # Safety
/// It must have been written there.
#[inline]
unsafe fn read_length(at: NonNull<u8>) -> (usize, NonNull<u8>) {
    // SAFETY: by contract, and the last byte of a length has no high bit.
    unsafe {
        let first = at.read();
        if first < 0x80 { (first.into(), at.add(1)) } else { read_long_length(at) }
    }
}

/// # Safety
/// As for [`read_length`].
#[inline]
unsafe fn read_long_length(mut at: NonNull<u8>) -> (usize, NonNull<u8>) {
    let (mut len, mut shift) = (0, 0);
    loop {
        // SAFETY: as in `read_length`.
        let byte = unsafe { at.read() };
        // SAFETY: what follows is part of the entry, or its end.
        at = unsafe { at.add(1) };
        len |= usize::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return (len, at);
        }
        shift += 7;
    }
}

/// What a structure of entries does for its memtable.
///
/// Readers may run at any time, beside each other and beside writers. `insert` runs concurrently
/// only if [`Rep::supports_concurrent_insert`] says so. An insert that has returned is seen by every
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

/// The structures there are.
pub enum Rep {
    /// `skip_list`: a tree, which does what RocksDB's skip list does, faster.
    BTree(BTree),
    /// `prefix_hash` and `hash_linkedlist`.
    Hash(HashRep),
    /// `vector`.
    Vector(VectorRep),
}

/// A cursor of any structure; the common one without a virtual call.
pub enum Cursor<'a> {
    /// Over a [`Rep::BTree`].
    BTree(BTreeCursor<'a>),
    /// Over another structure.
    Other(Box<dyn RepCursor + 'a>),
}

macro_rules! each {
    ($on:expr, $it:ident => $call:expr) => {
        match $on {
            Rep::BTree($it) => $call,
            Rep::Hash($it) => $call,
            Rep::Vector($it) => $call,
        }
    };
}

impl Rep {
    /// The structure that the options ask for. As in RocksDB, a hash structure without a prefix
    /// extractor becomes the ordered one.
    pub fn new(order: KeyOrder, options: &ColumnFamilyOptions) -> Rep {
        let chunk_size = Arena::chunk_size_for(options.arena_block_size, options.write_buffer_size);
        let tree = |order| Rep::BTree(BTree::new(order, chunk_size));
        let hash = |shape| match &options.prefix_extractor {
            Some(extractor) => {
                let grouping = Grouping::by(extractor);
                Rep::Hash(HashRep::new(order.clone(), grouping, shape, options.write_buffer_size))
            }
            None => tree(order.clone()),
        };
        match options.memtable_factory {
            MemtableFactory::SkipList { .. } => tree(order),
            MemtableFactory::HashSkipList {
                bucket_count,
                skiplist_height,
                skiplist_branching_factor,
            } => hash(HashShape {
                bucket_count,
                height: usize::try_from(skiplist_height).unwrap_or(1),
                branching: u32::try_from(skiplist_branching_factor).unwrap_or(2),
            }),
            MemtableFactory::HashLinkList { bucket_count } => {
                hash(HashShape { bucket_count, height: MAX_HEIGHT, branching: 4 })
            }
            MemtableFactory::Vector { count } => {
                Rep::Vector(VectorRep::new(order, count, options.write_buffer_size))
            }
        }
    }

    /// Whether writers may insert at the same time.
    pub fn supports_concurrent_insert(&self) -> bool {
        matches!(self, Rep::BTree(_))
    }

    /// See [`MemtableRep::allocate`].
    #[inline]
    pub fn allocate(&self, arena: &Arena, size: usize) -> NonNull<u8> {
        each!(self, rep => rep.allocate(arena, size))
    }

    /// See [`MemtableRep::insert`].
    #[inline]
    pub fn insert(&self, arena: &Arena, entry: Entry) {
        each!(self, rep => rep.insert(arena, entry));
    }

    /// See [`MemtableRep::visit_from`].
    #[inline]
    pub fn visit_from(&self, key: &LookupKey, mut visit: impl FnMut(Entry) -> bool) {
        match self {
            Rep::BTree(tree) => tree.visit(key.internal_key(), visit),
            Rep::Hash(rep) => rep.visit(key, visit),
            Rep::Vector(rep) => rep.visit_from(key, &mut visit),
        }
    }

    /// See [`BTree::walk_ahead`]; other structures have no such walk.
    pub fn walk_ahead(&self, targets: &[&[u8]]) {
        if let Rep::BTree(tree) = self {
            tree.walk_ahead(targets);
        }
    }

    /// See [`MemtableRep::cursor`].
    pub fn cursor(&self, total_order: bool) -> Cursor<'_> {
        match self {
            Rep::BTree(tree) => Cursor::BTree(tree.iter()),
            Rep::Hash(rep) => Cursor::Other(rep.cursor(total_order)),
            Rep::Vector(rep) => Cursor::Other(rep.cursor(total_order)),
        }
    }

    /// See [`MemtableRep::mark_read_only`].
    pub fn mark_read_only(&self) {
        each!(self, rep => rep.mark_read_only());
    }

    /// See [`MemtableRep::outside_memory`].
    pub fn outside_memory(&self) -> usize {
        each!(self, rep => rep.outside_memory())
    }

    /// See [`MemtableRep::outside_room`].
    #[inline]
    pub fn outside_room(&self, entries: u64) -> usize {
        each!(self, rep => rep.outside_room(entries))
    }
}

macro_rules! forward {
    ($($name:ident(&mut self $(, $arg:ident: $ty:ty)?);)*) => {
        $(#[inline]
        fn $name(&mut self $(, $arg: $ty)?) {
            match self {
                Cursor::BTree(cursor) => cursor.$name($($arg)?),
                Cursor::Other(cursor) => cursor.$name($($arg)?),
            }
        })*
    };
}

impl RepCursor for Cursor<'_> {
    #[inline]
    fn entry(&self) -> Option<Entry> {
        match self {
            Cursor::BTree(cursor) => cursor.entry(),
            Cursor::Other(cursor) => cursor.entry(),
        }
    }
    forward! {
        seek_to_first(&mut self);
        seek_to_last(&mut self);
        seek(&mut self, target: &[u8]);
        seek_for_prev(&mut self, target: &[u8]);
        next(&mut self);
        prev(&mut self);
    }
}
