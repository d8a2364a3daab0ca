//! Cached objects, held by count and in the heap of cached blocks.
//!
//! [`Held`] is to a [`Node`] what `Arc` is to a value; the standard one cannot say where it lies.
//! Weak counts are not needed, so that the count, the clock's flag and the object's beginning share a
//! line.
//!
//! Unsafe: a counted pointer. Invariant **D1**: the count is the number of `Held`s and raw pointers made
//! of them, so that the node lives as long as there is one.

#![allow(unsafe_code)]

use super::heap;
use crate::env::sync::std_atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::alloc::Layout;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;

/// More counts than this are a leak in a loop.
const COUNT_MAX: u32 = i32::MAX as u32;

/// A cached object and what the clock knows of it: in this order, since the flag then lies on the line of
/// the count and of the object's beginning, and who looks for something to evict fetches only that.
#[repr(C)]
pub struct Node<T> {
    count: AtomicU32,
    /// Where the entry is in its shard's ring; guarded by the shard's lock.
    pub(super) position: AtomicU32,
    pub(super) used: AtomicBool,
    object: T,
}

impl<T> Node<T> {
    /// Notes a use. The flag is written only when it changes, so that readers of a hot object do
    /// not take its line from each other.
    #[inline]
    pub fn touch(&self) {
        if !self.used.load(Ordering::Relaxed) {
            self.used.store(true, Ordering::Relaxed);
        }
    }

    /// The object.
    #[inline]
    pub fn object(&self) -> &T {
        &self.object
    }

    /// Whether somebody has it besides the slot it is in.
    #[inline]
    pub(super) fn is_held(&self) -> bool {
        self.count.load(Ordering::Acquire) > 1
    }
}

/// A counted node.
pub struct Held<T>(NonNull<Node<T>>, PhantomData<Node<T>>);

// SAFETY: as `Arc`: the object may be seen and dropped by any thread.
unsafe impl<T: Send + Sync> Send for Held<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Held<T> {}

impl<T> Held<T> {
    /// An object that is in no cache.
    pub fn new(object: T) -> Held<T> {
        let place = heap::allocate(Layout::new::<Node<T>>()).cast::<Node<T>>();
        let (position, used) = (AtomicU32::new(u32::MAX), AtomicBool::new(false));
        // SAFETY: new memory of this layout; D1 with one count, the result's.
        unsafe { place.write(Node { count: AtomicU32::new(1), position, used, object }) };
        Held(place, PhantomData)
    }

    /// An object that is in no cache, in the place of one that nobody needs.
    pub fn new_in(spare: Option<Held<T>>, object: T) -> Held<T> {
        let Some(mut held) = spare else { return Held::new(object) };
        let Some(node) = held.get_node_mut() else { return Held::new(object) };
        node.object = object;
        *node.position.get_mut() = u32::MAX;
        *node.used.get_mut() = false;
        held
    }

    fn get_node_mut(&mut self) -> Option<&mut Node<T>> {
        if self.count() != 1 {
            return None;
        }
        // SAFETY: D1, nobody else has the node, and nobody can get it from somebody else. The Acquire
        // load of the count pairs with the Release of those who had it.
        Some(unsafe { self.0.as_mut() })
    }

    /// The object, while nobody else has it.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.get_node_mut().map(|node| &mut node.object)
    }

    /// How many have it.
    pub(super) fn count(&self) -> u32 {
        self.count.load(Ordering::Acquire)
    }

    /// Whether both hold the same node.
    pub fn is_same(&self, other: &Held<T>) -> bool {
        self.0 == other.0
    }

    /// The node without its owner; the count goes with it.
    pub(super) fn into_raw(self) -> *mut Node<T> {
        ManuallyDrop::new(self).0.as_ptr()
    }

    /// The counterpart of [`Held::into_raw`].
    ///
    /// # Safety
    /// The pointer came from there and stands for a count, which passes to the result.
    pub(super) unsafe fn from_raw(node: NonNull<Node<T>>) -> Held<T> {
        Held(node, PhantomData)
    }

    /// One more count of a node.
    ///
    /// # Safety
    /// The pointer came from [`Held::into_raw`], and its node is alive.
    pub(super) unsafe fn of_raw(node: NonNull<Node<T>>) -> Held<T> {
        // SAFETY: alive, by contract; the result is not dropped, as its count is the pointer's.
        let held = ManuallyDrop::new(unsafe { Held::from_raw(node) });
        Held::clone(&held)
    }
}

impl<T> Clone for Held<T> {
    fn clone(&self) -> Held<T> {
        // Relaxed: whoever clones has the node already.
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
        // What others did with the node comes before its end.
        fence(Ordering::Acquire);
        // SAFETY: D1, this was the last count; the memory came from `new`.
        unsafe {
            self.0.drop_in_place();
            heap::free(self.0.cast(), Layout::new::<Node<T>>());
        }
    }
}
