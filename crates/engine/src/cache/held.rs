//! Reference-counted cached objects in the heap of blocks.
//!
//! [`Held`] is to a [`Node`] what `Arc` is to a value; the standard `Arc` cannot use a custom allocator. Weak counts
//! are not needed, so the count, the uses and the object's beginning share a line.
//!
//! The module needs `unsafe` because it implements a counted pointer. Invariant **D1**: the count is the number of
//! `Held`s and of raw pointers made from them, so the node lives as long as there is one.

#![allow(unsafe_code)]

use super::heap::{self, Origin};
use super::{Forget, USES_MAX};
use crate::env::sync::std_atomic::{AtomicU8, AtomicU32, Ordering, fence};
use std::alloc::Layout;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;

/// Larger counts are a leak in a loop.
const COUNT_MAX: u32 = i32::MAX as u32;

/// A cached object and what the choice of objects to evict needs. In this order, the uses are on the same line as the
/// count and the beginning of the object, so that a search for objects to evict loads only that line.
#[repr(C)]
pub struct Node<T> {
    count: AtomicU32,
    /// The index of the entry in its shard's ring, `u32::MAX` before the node is in one; guarded by the shard's lock.
    pub(super) position: AtomicU32,
    /// The number of uses that the cache has not forgotten.
    uses: AtomicU8,
    /// The allocator of the node's memory.
    origin: Origin,
    object: T,
}

impl<T> Node<T> {
    /// Counts a use. The number is written only if it changes, so that readers of a hot object do not contend for its
    /// line; one of two uses at a time may be lost.
    #[inline]
    pub fn touch(&self) {
        let uses = self.uses.load(Ordering::Relaxed);
        if uses < USES_MAX {
            self.uses.store(uses + 1, Ordering::Relaxed);
        }
    }

    /// Whether there were uses, of which one or all are forgotten.
    #[inline]
    pub(super) fn take_use(&self, forget: Forget) -> bool {
        let uses = self.uses.load(Ordering::Relaxed);
        if uses == 0 {
            return false;
        }
        let left = match forget {
            Forget::One => uses - 1,
            Forget::All => 0,
        };
        self.uses.store(left, Ordering::Relaxed);
        true
    }

    /// The object.
    #[inline]
    pub fn object(&self) -> &T {
        &self.object
    }

    /// Whether the node is or was in a cache.
    #[inline]
    pub fn was_cached(&self) -> bool {
        self.position.load(Ordering::Relaxed) != u32::MAX
    }

    /// Whether there are references besides the slot's.
    #[inline]
    pub(super) fn is_held(&self) -> bool {
        self.count.load(Ordering::Acquire) > 1
    }
}

/// A reference to a node.
pub struct Held<T>(NonNull<Node<T>>, PhantomData<Node<T>>);

// SAFETY: as `Arc`: any thread may access and drop the object.
unsafe impl<T: Send + Sync> Send for Held<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Held<T> {}

impl<T> Held<T> {
    /// An object outside any cache.
    pub fn new(object: T) -> Held<T> {
        Held::with_memory(heap::allocate, object)
    }

    /// An object outside any cache that keeps no page of the heap: its node comes from the system's allocator.
    pub fn outside(object: T) -> Held<T> {
        Held::with_memory(heap::allocate_outside, object)
    }

    fn with_memory(allocate: fn(Layout) -> (NonNull<u8>, Origin), object: T) -> Held<T> {
        let (place, origin) = allocate(Layout::new::<Node<T>>());
        let place = place.cast::<Node<T>>();
        let (position, uses) = (AtomicU32::new(u32::MAX), AtomicU8::new(0));
        // SAFETY: new memory of this layout; D1 with a count of one, for the result.
        unsafe { place.write(Node { count: AtomicU32::new(1), position, uses, origin, object }) };
        Held(place, PhantomData)
    }

    /// An object outside any cache, in the memory of an unused one if there is one.
    pub fn new_in(spare: Option<Held<T>>, object: T) -> Held<T> {
        let Some(mut held) = spare else { return Held::new(object) };
        let Some(node) = held.get_node_mut() else { return Held::new(object) };
        node.object = object;
        *node.position.get_mut() = u32::MAX;
        *node.uses.get_mut() = 0;
        held
    }

    fn get_node_mut(&mut self) -> Option<&mut Node<T>> {
        if self.count() != 1 {
            return None;
        }
        // SAFETY: D1; there is no other reference to the node, and none can be made. The Acquire load of the count
        // pairs with the Release of earlier owners.
        Some(unsafe { self.0.as_mut() })
    }

    /// The object, if there is no other reference.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.get_node_mut().map(|node| &mut node.object)
    }

    /// The number of references.
    pub(super) fn count(&self) -> u32 {
        self.count.load(Ordering::Acquire)
    }

    /// Whether both refer to the same node.
    pub fn is_same(&self, other: &Held<T>) -> bool {
        self.0 == other.0
    }

    /// Converts the reference into a raw pointer, which keeps the count.
    pub(super) fn into_raw(self) -> *mut Node<T> {
        ManuallyDrop::new(self).0.as_ptr()
    }

    /// The counterpart of [`Held::into_raw`].
    ///
    /// # Safety
    /// The pointer must come from there and own a count, which passes to the result.
    pub(super) unsafe fn from_raw(node: NonNull<Node<T>>) -> Held<T> {
        Held(node, PhantomData)
    }

    /// A further reference to a node.
    ///
    /// # Safety
    /// The pointer must come from [`Held::into_raw`], and its node must be alive.
    pub(super) unsafe fn of_raw(node: NonNull<Node<T>>) -> Held<T> {
        // SAFETY: alive, by contract; the result is not dropped, since its count belongs to the
        // pointer.
        let held = ManuallyDrop::new(unsafe { Held::from_raw(node) });
        Held::clone(&held)
    }
}

impl<T> Clone for Held<T> {
    fn clone(&self) -> Held<T> {
        // Relaxed: the thread that clones already has a reference.
        let before = self.count.fetch_add(1, Ordering::Relaxed);
        if before > COUNT_MAX {
            std::process::abort(); // As `Arc` does: the count must not wrap.
        }
        Held(self.0, PhantomData)
    }
}

impl<T> Deref for Held<T> {
    type Target = Node<T>;

    #[inline]
    fn deref(&self) -> &Node<T> {
        // SAFETY: D1.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        if self.count.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        // All uses of the node by other threads happen before its end.
        fence(Ordering::Acquire);
        // SAFETY: D1, this was the last count; the memory came from `new`.
        unsafe {
            let origin = self.0.as_ref().origin;
            self.0.drop_in_place();
            heap::free(self.0.cast(), Layout::new::<Node<T>>(), origin);
        }
    }
}
