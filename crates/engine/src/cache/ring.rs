//! A shard of the cache: its occupied slots, and the choice of the next one to evict.
//!
//! Entries keep their place from insertion to removal. The CLOCK's hand moves over the places in a ring. With
//! [`Policy::Trial`], a new entry is on trial first: it waits in a queue that has a tenth of the shard's bytes. An
//! entry that leaves the queue unused is evicted and remembered ([`Ghosts`]), so that it is not on trial again if it
//! comes back soon; a used one gets to the ring. This is the algorithm S3-FIFO (Yang et al., "FIFO Queues are All You
//! Need for Cache Eviction", SOSP 2023), with a CLOCK for its main queue.

use super::{Anonymous, Ghosts, PageSet, Policy};
use std::collections::VecDeque;
use std::sync::Arc;

/// The state of an object that may be evicted next.
pub(super) enum Verdict {
    /// There are references to the object.
    Held,
    /// The object was used since the last visit. This visit forgets uses.
    Used,
    /// The object may be evicted.
    Idle,
}

/// More uses of an object than these are not counted.
pub(super) const USES_MAX: u8 = 3;

/// How many uses of an object a visit forgets.
#[derive(Clone, Copy)]
pub(super) enum Forget {
    One,
    All,
}

/// The slots of one table, as the ring uses them.
pub(super) trait Owner: Send + Sync {
    /// Determines the state of the object in a slot.
    fn judge(&self, slot: u32, forget: Forget) -> Verdict;
    /// A hash of the owner and a slot.
    fn identity(&self, slot: u32) -> u64;
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
    /// What the object was charged.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

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
    owner: Arc<OwnerBox>,
    slot: u32,
    charge: u32,
    is_on_trial: bool,
}

impl Entry {
    /// The object's bytes.
    pub(super) fn charge(&self) -> usize {
        self.charge as usize
    }

    /// Whether there are references to the object besides the cache's.
    pub(super) fn is_held(&self) -> bool {
        self.owner.is_held(self.slot)
    }

    /// Whether an object without references besides the cache's has memory in one of these pages.
    pub(super) fn lies_in(&self, pages: &PageSet) -> bool {
        self.owner.lies_in(self.slot, pages)
    }
}

#[derive(Default)]
pub(super) struct Ring {
    entries: Vec<Option<Entry>>,
    free: Vec<u32>,
    hand: usize,
    /// The places of entries on trial, the oldest first. The place of a removed entry stays here until its turn, and is
    /// not given to another one before.
    trial: VecDeque<u32>,
    /// The number of places in `trial` whose entries were removed.
    vacant_trials: usize,
    /// The sum of the charges of all entries on trial.
    trial_bytes: usize,
    /// The sum of all charges.
    bytes: usize,
    ghosts: Ghosts,
    /// Misses that are not in the cache's score yet.
    pub(super) pending_misses: u8,
    /// Evicted objects that wait to be retired together.
    aside: Vec<Retiree>,
    /// The sum of their bytes.
    aside_bytes: usize,
}

impl Ring {
    /// Adds an entry and returns its place.
    pub(super) fn add(
        &mut self,
        owner: Arc<OwnerBox>,
        slot: u32,
        charge: u32,
        policy: Policy,
    ) -> u32 {
        let is_on_trial = policy == Policy::Trial && !self.ghosts.recall(owner.identity(slot));
        self.bytes += charge as usize;
        let entry = Some(Entry { owner, slot, charge, is_on_trial });
        let at = match self.free.pop() {
            Some(at) => {
                self.entries[at as usize] = entry;
                at
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        if is_on_trial {
            self.trial_bytes += charge as usize;
            self.trial.push_back(at);
        }
        at
    }

    /// Removes and returns an entry.
    pub(super) fn remove(&mut self, at: u32) -> Option<Entry> {
        let entry = self.entries.get_mut(at as usize)?.take()?;
        self.bytes -= entry.charge();
        if entry.is_on_trial {
            self.trial_bytes -= entry.charge();
            self.vacant_trials += 1;
            self.tidy_trials();
        } else {
            self.free.push(at);
        }
        Some(entry)
    }

    /// Increases an entry's charge, and returns by how much.
    pub(super) fn add_charge(&mut self, at: u32, more: usize) -> usize {
        let Some(Some(entry)) = self.entries.get_mut(at as usize) else { return 0 };
        let before = entry.charge;
        entry.charge = before.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
        let added = (entry.charge - before) as usize;
        self.bytes += added;
        self.trial_bytes += if entry.is_on_trial { added } else { 0 };
        added
    }

    /// The entry at a place.
    pub(super) fn entry(&self, at: u32) -> Option<&Entry> {
        self.entries.get(at as usize)?.as_ref()
    }

    /// All entries.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().flatten()
    }

    /// The number of places, occupied or not.
    pub(super) fn places(&self) -> usize {
        self.entries.len()
    }

    /// The number of entries for which there is memory.
    pub(super) fn capacity(&self) -> usize {
        self.entries.capacity()
    }

    /// Evicts an object without references, if there is one.
    pub(super) fn evict_one(&mut self, policy: Policy) -> Option<Retiree> {
        let trial_max = match policy {
            // Those on trial are from the time of another policy.
            Policy::Clock => 0,
            Policy::Trial => self.bytes / TRIAL_SHARE,
        };
        self.end_trials(trial_max)
            .or_else(|| self.advance_hand(policy))
            .or_else(|| self.end_trials(0))
    }

    /// Ends the oldest trials until an object could be evicted or those on trial have at most `bytes_max` bytes.
    fn end_trials(&mut self, bytes_max: usize) -> Option<Retiree> {
        for _ in 0..self.trial.len().min(EFFORT_MAX) {
            if self.trial_bytes <= bytes_max {
                return None;
            }
            let at = self.trial.pop_front()?;
            self.ask_on_trial();
            let places = self.entries.len();
            let Some(Some(entry)) = self.entries.get_mut(at as usize) else {
                self.vacant_trials -= 1;
                self.free.push(at);
                continue;
            };
            let verdict = entry.owner.judge(entry.slot, Forget::All);
            if matches!(verdict, Verdict::Held) {
                self.trial.push_back(at);
                continue;
            }
            entry.is_on_trial = false;
            self.trial_bytes -= entry.charge();
            if matches!(verdict, Verdict::Idle) {
                self.ghosts.remember(entry.owner.identity(entry.slot), places);
                return self.evict(at);
            }
        }
        None
    }

    /// Moves the hand until an object could be evicted. After many used ones, a use no longer protects, so that the
    /// lock is not held for long.
    fn advance_hand(&mut self, policy: Policy) -> Option<Retiree> {
        let forget = match policy {
            Policy::Clock => Forget::All,
            Policy::Trial => Forget::One,
        };
        let most = EFFORT_MAX + self.entries.len() - self.free.len();
        let mut judged = 0;
        // Some rounds forget all uses.
        for _ in 0..=(USES_MAX as usize + 1) * self.entries.len() {
            let at = self.hand;
            self.hand = if at + 1 < self.entries.len() { at + 1 } else { 0 };
            self.ask_before(at);
            let Some(Some(entry)) = self.entries.get(at) else { continue };
            if entry.is_on_trial {
                continue;
            }
            judged += 1;
            match entry.owner.judge(entry.slot, forget) {
                Verdict::Idle => return self.evict(at as u32),
                Verdict::Used if judged > EFFORT_MAX && !entry.is_held() => {
                    return self.evict(at as u32);
                }
                Verdict::Used | Verdict::Held if judged > most => return None,
                Verdict::Used | Verdict::Held => {}
            }
        }
        None
    }

    /// Evicts the object of an entry.
    pub(super) fn evict(&mut self, at: u32) -> Option<Retiree> {
        let entry = self.remove(at)?;
        let object = entry.owner.evict(entry.slot);
        let bytes = entry.charge();
        Some(Retiree { owner: entry.owner, object, bytes })
    }

    /// Frees the places of removed entries in the queue, if most are such.
    fn tidy_trials(&mut self) {
        if 2 * self.vacant_trials <= self.trial.len() {
            return;
        }
        self.vacant_trials = 0;
        let (entries, free) = (&self.entries, &mut self.free);
        self.trial.retain(|&at| {
            let is_there = matches!(entries.get(at as usize), Some(Some(_)));
            if !is_there {
                free.push(at);
            }
            is_there
        });
        self.trial.shrink_to(2 * self.trial.len());
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

    /// Prefetches what the next visits of the hand read, since slots and objects are scattered in memory.
    #[inline]
    fn ask_before(&self, at: usize) {
        self.ask_slot(at + 2 * AHEAD);
        self.ask_object(at + AHEAD);
    }

    /// Likewise for the next trials that end.
    #[inline]
    fn ask_on_trial(&self) {
        self.trial.get(2 * AHEAD).inspect(|&&at| self.ask_slot(at as usize));
        self.trial.get(AHEAD).inspect(|&&at| self.ask_object(at as usize));
    }

    fn ask_slot(&self, at: usize) {
        if let Some(Some(entry)) = self.entries.get(at) {
            entry.owner.ask_slot(entry.slot);
        }
    }

    fn ask_object(&self, at: usize) {
        if let Some(Some(entry)) = self.entries.get(at) {
            entry.owner.ask_object(entry.slot);
        }
    }
}

/// The part of a shard's bytes that may be on trial.
const TRIAL_SHARE: usize = 10;

/// The number of objects that one eviction asks for uses, unless there are references to all of them.
const EFFORT_MAX: usize = 128;

/// The number of evicted objects that are retired together.
const TOGETHER: usize = 8;

/// The object of an entry is prefetched this many visits before its own, and its slot twice as many.
const AHEAD: usize = 2;
