//! The structures that can order a memtable's entries. The set is closed.

use super::arena::Arena;
use super::btree::BTree;
use super::btree_cursor::BTreeCursor;
use super::entry::Entry;
use super::hash::{HashRep, HashShape};
use super::rep::{MemtableRep, RepCursor};
use super::tower::MAX_HEIGHT;
use super::vector::VectorRep;
use crate::base::{KeyOrder, LookupKey};
use crate::hooks::Grouping;
use crate::options::{ColumnFamilyOptions, MemtableFactory};
use std::ptr::NonNull;

/// A structure that orders a memtable's entries.
pub enum Rep {
    /// `skip_list`: a tree, which replaces RocksDB's skip list and is faster.
    BTree(BTree),
    /// `prefix_hash` and `hash_linkedlist`.
    Hash(HashRep),
    /// `vector`.
    Vector(VectorRep),
}

/// A cursor over any structure; the common one needs no virtual call.
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
    /// The structure that the options request. As in RocksDB, a hash structure without a prefix
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

    /// Whether several writers may insert concurrently.
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
