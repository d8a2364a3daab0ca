//! A shard of the cache: a ring of its occupied slots, over which the CLOCK's hand moves.

use super::{Anonymous, PageSet};
use std::sync::Arc;

/// The state of the object at the hand.
pub(super) enum Verdict {
    /// There are references to the object.
    Held,
    /// The object was used since the last visit. This visit clears the mark.
    Used,
    /// The object may be evicted.
    Idle,
}

/// The slots of one table, as the ring uses them.
pub(super) trait Owner: Send + Sync {
    /// Determines the state of the object in a slot.
    fn judge(&self, slot: u32) -> Verdict;
    /// Prefetches the line of a slot, which [`Owner::ask_object`] reads.
    fn ask_slot(&self, slot: u32);
    /// Prefetches the line of the object in a slot, which [`Owner::judge`] reads.
    fn ask_object(&self, slot: u32);
    /// Whether there are references to the object besides the cache's.
    fn is_held(&self, slot: u32) -> bool;
    /// Whether an object without references besides the cache's has memory in one of these pages.
    fn lies_in(&self, slot: u32, pages: &PageSet) -> bool;
    /// Empties a slot. The shard is locked; the object is retired after the lock is released.
    fn evict(&self, slot: u32) -> Option<Anonymous>;
    /// Disposes of an evicted object of about `bytes` bytes, which no pinned reader can access any
    /// more.
    fn bury(&self, object: Anonymous, bytes: usize);
}

/// An evicted object, until the last pinned reader has left.
pub(super) struct Retiree {
    pub(super) owner: Arc<OwnerBox>,
    pub(super) object: Option<Anonymous>,
    pub(super) bytes: usize,
}

impl Retiree {
    /// The object, which is then not kept as a spare.
    pub(super) fn into_object(mut self) -> Option<Anonymous> {
        self.object.take()
    }
}

impl Drop for Retiree {
    fn drop(&mut self) {
        if let Some(object) = self.object.take() {
            self.owner.bury(object, self.bytes);
        }
    }
}

/// Boxed twice, so that the pointer to it is one word.
pub(super) type OwnerBox = Box<dyn Owner>;

/// A ring entry, which is small because there is one for each cached block.
pub(super) struct Entry {
    pub(super) owner: Arc<OwnerBox>,
    pub(super) slot: u32,
    pub(super) charge: u32,
}

#[derive(Default)]
pub(super) struct Ring {
    pub(super) entries: Vec<Option<Entry>>,
    free: Vec<u32>,
    hand: usize,
    /// Evicted objects that wait to be retired together.
    aside: Vec<Retiree>,
    /// The sum of their bytes.
    aside_bytes: usize,
}

impl Ring {
    pub(super) fn add(&mut self, entry: Entry) -> u32 {
        match self.free.pop() {
            Some(at) => {
                self.entries[at as usize] = Some(entry);
                at
            }
            None => {
                self.entries.push(Some(entry));
                (self.entries.len() - 1) as u32
            }
        }
    }

    /// Removes and returns an entry.
    pub(super) fn remove(&mut self, at: u32) -> Option<Entry> {
        let entry = self.entries.get_mut(at as usize)?.take()?;
        self.free.push(at);
        Some(entry)
    }

    /// Moves the hand until an object could be evicted or two rounds are done.
    pub(super) fn evict_one(&mut self) -> Option<Retiree> {
        for _ in 0..2 * self.entries.len() {
            let at = self.hand;
            self.hand = if at + 1 < self.entries.len() { at + 1 } else { 0 };
            self.ask_before(at);
            let Some(Some(entry)) = self.entries.get(at) else { continue };
            if let Verdict::Idle = entry.owner.judge(entry.slot) {
                let object = entry.owner.evict(entry.slot);
                let Entry { owner, charge, .. } = self.remove(at as u32)?;
                return Some(Retiree { owner, object, bytes: charge as usize });
            }
        }
        None
    }

    /// Sets an evicted object aside, so that several are retired together: each call that retires writes to lines that
    /// all threads share. Returns those that it is time to retire after the lock is released. `bytes_max` limits the
    /// memory of the others.
    pub(super) fn set_aside(&mut self, retiree: Retiree, bytes_max: usize) -> Vec<Retiree> {
        if self.aside.capacity() == 0 {
            self.aside.reserve_exact(TOGETHER);
        }
        self.aside_bytes += retiree.bytes;
        self.aside.push(retiree);
        match self.aside.len() >= TOGETHER || self.aside_bytes > bytes_max {
            true => self.take_aside(),
            false => Vec::new(),
        }
    }

    /// The evicted objects that were set aside, which the caller retires.
    pub(super) fn take_aside(&mut self) -> Vec<Retiree> {
        self.aside_bytes = 0;
        std::mem::take(&mut self.aside)
    }

    /// Prefetches what the next visits read, since slots and objects are scattered in memory.
    #[inline]
    fn ask_before(&self, at: usize) {
        if let Some(Some(entry)) = self.entries.get(at + 2 * AHEAD) {
            entry.owner.ask_slot(entry.slot);
        }
        if let Some(Some(entry)) = self.entries.get(at + AHEAD) {
            entry.owner.ask_object(entry.slot);
        }
    }
}

/// The number of evicted objects that are retired together.
const TOGETHER: usize = 8;

/// The object of an entry is prefetched this many steps before the hand reaches it, and its slot twice as many.
const AHEAD: usize = 2;
