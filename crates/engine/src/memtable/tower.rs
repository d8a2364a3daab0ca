//! Nodes of skip lists: towers of forward pointers below their entries.
//!
//! ```text
//!   next[h-1] ... next[1] next[0] | entry
//!                                 ^ node
//! ```
//! A pointer to a node is its entry's address. A head is a tower without an entry. The module that
//! links towers into lists states the rules (`hash`).

#![allow(unsafe_code)]

use super::arena::Arena;
use crate::env::sync::std_atomic::AtomicPtr;
use std::ptr::{NonNull, null_mut};

/// The maximum height of a tower.
pub(super) const MAX_HEIGHT: usize = 12;

/// A forward pointer.
pub(super) type Link = AtomicPtr<u8>;

/// A node's entry, or the end of a head's tower.
pub(super) type Node = NonNull<u8>;

/// Allocates a tower of null links with room for `size` bytes above it.
pub(super) fn new_tower(arena: &Arena, height: usize, size: usize) -> Node {
    let tower = height * size_of::<Link>();
    // SAFETY: the address is inside the piece or at its end.
    let node = unsafe { arena.allocate(tower + size).add(tower) };
    for level in 0..height {
        // SAFETY: `level < height` links below `node` belong to the new piece; the arena aligns it
        // enough for a pointer.
        unsafe { link_ptr(node, level).write(Link::new(null_mut())) };
    }
    node
}

#[inline]
fn link_ptr(node: Node, level: usize) -> *mut Link {
    node.as_ptr().cast::<Link>().wrapping_sub(level + 1)
}

/// The link of a node on a level.
///
/// # Safety
/// `node` must be a live node with more than `level` links.
#[inline]
pub(super) unsafe fn link<'a>(node: Node, level: usize) -> &'a Link {
    // SAFETY: by contract; links are only used atomically.
    unsafe { &*link_ptr(node, level) }
}
