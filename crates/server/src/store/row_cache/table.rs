//! The table: buckets of slots that name entries, and rings of entries.
//!
//! ```text
//! bucket, one cache line:  stamp, 7 slots
//! slot:                    tag:16 | is used:1 | is read:1 | ... | place of the entry, plus one:40      0 if empty
//! entry:                   domain:40 | words:24
//!                          partition:32 | bytes of the key:16 | bytes of the value:16
//!                          hash:64
//!                          key, value: whole words each
//! ```
//!
//! 1. A bucket belongs to a shard, and so do the entries that its slots name. Only a thread that holds the shard's lock
//!    changes slots (but for the bits `is used` and `is read`, which readers set) and entries.
//! 2. Such a thread has begun a change of the stamp of each bucket whose slots it changes, or whose entries it writes.
//!    A slot ceases to name an entry before the entry's words are used again. Words may be freed by one thread, under
//!    the stamp of the old entry's bucket, and used by another one, whose change began (with its fence) before it took
//!    the lock. So taking the lock is followed by a fence, too: a reader that sees the new words then sees that the
//!    stamp of the old entry's bucket changed.
//! 3. So a reader that finds the stamp as it was, quiet, has read the entry of its row and no mixture.
//! 4. A ring is filled from its beginning to its end, over and over. What is in the way is dropped, the oldest first;
//!    an entry that was used since it came is moved behind the newest one instead, once.
//! 5. The slots of a bucket have different tags.
//! 6. A write replaces an entry that was read since it came or was last written, and removes another one. So rows that
//!    are only written leave the table, and their writes take no lock.

use super::ring::{Ring, Shard};
use super::stamp::{Seen, Stamp};
use super::sync::{AtomicU64, Ordering, fence};
use super::{KEY_MAX, VALUE_MAX, words};
use crate::error::{Error, Result};
use crate::store::Partition;
use parking_lot::MutexGuard;
use std::hint::black_box;

const SLOTS: usize = 7;
/// The words of a bucket.
const BUCKET: usize = SLOTS + 1;
/// Locks. Only threads that store rows take them.
const SHARDS: usize = 16;
/// One word in so many is part of a bucket: a slot for 73 bytes of entries. A row with a key of 16 bytes and a value of
/// 8 needs 56; buckets that are full drop the older of such rows early.
const BUCKETS_SHARE: usize = 9;

const TAG_SHIFT: u32 = 48;
/// The entry was used since it came or was last moved.
const IS_USED: u64 = 1 << 47;
/// The row was read since it was last written.
const IS_READ: u64 = 1 << 46;
const PLACE: u64 = (1 << 40) - 1;

/// The words before an entry's key.
const HEADER: usize = 3;
/// The bits of the first word of an entry that are its number of words. A quiet stamp has zeros there.
const CAPACITY: u64 = (1 << 24) - 1;
/// The words of the largest entry.
const ENTRY_MAX: usize = HEADER + KEY_MAX.div_ceil(8) + VALUE_MAX.div_ceil(8);
/// The bytes of the smallest table: each ring has room for several of the largest entries.
pub(super) const BYTES_MIN: usize = 1 << 20;

/// A row that is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'k> {
    pub(super) partition: Partition,
    pub(super) key: &'k [u8],
    pub(super) hash: u64,
}

impl Row<'_> {
    /// Returns the words that the row's entry needs.
    fn words(&self, value: &[u8]) -> usize {
        HEADER + words::count(self.key.len()) + words::count(value.len())
    }

    /// Returns the second word of the row's entry.
    fn sizes(&self, value: usize) -> u64 {
        u64::from(self.partition.0) << 32 | (self.key.len() as u64) << 16 | value as u64
    }
}

/// Returns the tag of a hash, which is not zero.
fn tag(hash: u64) -> u64 {
    (hash & 0xffff).max(1)
}

/// Where a row may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// The stamp of the bucket before its slots were read.
    pub(super) seen: Seen,
    /// The number and the content of the slot with the row's tag; 0 if there is none.
    slot: (usize, u64),
}

/// A bucket.
#[derive(Clone, Copy)]
pub(super) struct Bucket<'t> {
    pub(super) stamp: Stamp<'t>,
    slots: &'t [AtomicU64],
    shard: usize,
}

impl<'t> Bucket<'t> {
    /// Returns the slot with the tag of a hash: its number and what is in it, or zeros.
    #[inline]
    fn find(self, hash: u64) -> (usize, u64) {
        let tag = tag(hash);
        // Without branches: they would be mispredicted, for the slot is any of seven.
        let is_tagged = |slot: &AtomicU64| slot.load(Ordering::Relaxed) >> TAG_SHIFT == tag;
        let bits =
            self.slots.iter().rev().fold(0u32, |bits, slot| bits << 1 | u32::from(is_tagged(slot)));
        let at = bits.trailing_zeros() as usize;
        self.slots.get(at).map_or((0, 0), |slot| (at, slot.load(Ordering::Relaxed)))
    }

    /// Returns whether a slot has the tag of a hash.
    #[inline]
    pub(super) fn may_have(self, hash: u64) -> bool {
        self.find(hash).1 != 0
    }

    fn set(self, at: usize, slot: u64) {
        if let Some(place) = self.slots.get(at) {
            place.store(slot, Ordering::Relaxed);
        }
    }

    /// Returns the slot for a new entry: that with the same tag, an empty one, or one that was not used lately.
    fn choose(self, hash: u64) -> usize {
        let (at, slot) = self.find(hash);
        if slot != 0 {
            return at;
        }
        let first = |wanted: fn(u64) -> bool| {
            self.slots.iter().position(|slot| wanted(slot.load(Ordering::Relaxed)))
        };
        let chosen = first(|slot| slot & PLACE == 0).or_else(|| first(|slot| slot & IS_USED == 0));
        chosen.unwrap_or_else(|| {
            self.slots.iter().for_each(|slot| {
                slot.fetch_and(!IS_USED, Ordering::Relaxed);
            });
            (hash >> 16) as usize % SLOTS
        })
    }
}

/// The table.
pub(super) struct Table {
    buckets: Box<[AtomicU64]>,
    /// The words before the first bucket, which begins a cache line.
    skipped: usize,
    count: usize,
    entries: Box<[AtomicU64]>,
    shards: Box<[Shard]>,
}

impl Table {
    /// Returns an empty table of this size in bytes, of which at least [`BYTES_MIN`] are used. The system provides its
    /// memory as it is used.
    ///
    /// # Errors
    ///
    /// The system refuses the memory.
    pub(super) fn new(bytes: usize) -> Result<Table> {
        let all = bytes.max(BYTES_MIN) / size_of::<u64>();
        let count = all / BUCKETS_SHARE / BUCKET - 1;
        let buckets = allocate((count + 1) * BUCKET)?;
        let ring = (all - buckets.len()) / SHARDS;
        debug_assert!(ring > ENTRY_MAX, "no entry fits");
        let entries = allocate(ring * SHARDS)?;
        let line = BUCKET * size_of::<u64>();
        let begin = buckets.as_ptr().addr();
        let skipped = (begin.next_multiple_of(line) - begin) / size_of::<u64>();
        let shards = (0..SHARDS).map(|at| Shard::new(at * ring..(at + 1) * ring)).collect();
        Ok(Table { buckets, skipped, count, entries, shards })
    }

    /// Returns the bucket of a hash.
    #[inline]
    pub(super) fn bucket(&self, hash: u64) -> Bucket<'_> {
        let at = ((u128::from(hash) * self.count as u128) >> 64) as usize;
        let from = self.skipped + at * BUCKET;
        let line = self.buckets.get(from..from + BUCKET).and_then(|line| line.first_chunk());
        let Some([stamp, slots @ ..]): Option<&[AtomicU64; BUCKET]> = line else {
            unreachable!("the number of a bucket is below their count")
        };
        Bucket { stamp: Stamp(stamp), slots, shard: at % SHARDS }
    }

    /// Locks the shard of a bucket.
    pub(super) fn lock(&self, bucket: Bucket<'_>) -> MutexGuard<'_, Ring> {
        let Some(shard) = self.shards.get(bucket.shard) else {
            unreachable!("the number of a shard is below their count")
        };
        let ring = shard.lock();
        // What other threads did under the lock is visible before what this one stores: see point 2 above.
        fence(Ordering::Release);
        ring
    }

    /// Returns the bytes of buckets and of entries that were used so far, and those that there are.
    pub(super) fn bytes(&self) -> (usize, usize) {
        let used: usize = self.shards.iter().map(|shard| shard.lock().used()).sum();
        let fixed = self.buckets.len() * size_of::<u64>();
        (fixed + used * size_of::<u64>(), fixed + self.entries.len() * size_of::<u64>())
    }

    /// Loads the buckets of rows into the processor's cache, all at once.
    #[inline]
    pub(super) fn touch_buckets(&self, hashes: impl Iterator<Item = u64>) {
        let stamp = |hash| self.bucket(hash).stamp.0.load(Ordering::Relaxed);
        black_box(hashes.fold(0, |all, hash| all ^ stamp(hash)));
    }

    /// Loads the beginnings of entries into the processor's cache, all at once.
    #[inline]
    pub(super) fn touch_entries(&self, spots: impl Iterator<Item = Spot>) {
        let word = |at: usize| self.entries.get(at).map_or(0, |word| word.load(Ordering::Relaxed));
        let lines = |spot: Spot| {
            let at = place(spot.slot.1);
            word(at) ^ word(at.wrapping_add(BUCKET)) ^ word(at.wrapping_add(2 * BUCKET))
        };
        black_box(spots.fold(0, |all, spot| all ^ lines(spot)));
    }

    /// Returns where a row may be.
    #[inline]
    pub(super) fn spot(&self, hash: u64) -> Spot {
        let bucket = self.bucket(hash);
        let seen = bucket.stamp.read();
        Spot { seen, slot: bucket.find(hash) }
    }

    /// Appends the value of a row to `out` if it is at this spot and was stored for this stamp of its domain. Returns
    /// whether it was.
    #[inline]
    pub(super) fn read(&self, row: &Row<'_>, spot: Spot, domain: Seen, out: &mut Vec<u8>) -> bool {
        let (at, slot) = spot.slot;
        if slot == 0 || !spot.seen.is_quiet() || !domain.is_quiet() {
            return false;
        }
        let start = out.len();
        // The words may be anything if the entry was replaced meanwhile.
        let is_read = self.append_value(row, place(slot), domain, out).is_some();
        let bucket = self.bucket(row.hash);
        if !is_read || !bucket.stamp.is_still(spot.seen) {
            out.truncate(start);
            return false;
        }
        const BITS: u64 = IS_USED | IS_READ;
        if slot & BITS != BITS
            && let Some(slot) = bucket.slots.get(at)
        {
            // A slot that is emptied or filled at this moment keeps the bits, which does no harm.
            slot.fetch_or(BITS, Ordering::Relaxed);
        }
        true
    }

    #[inline]
    fn append_value(
        &self,
        row: &Row<'_>,
        place: usize,
        domain: Seen,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let (header, rest) = self.entries.get(place..)?.split_at_checked(HEADER)?;
        let [first, sizes, _] = header else { return None };
        let sizes = sizes.load(Ordering::Relaxed);
        let length = (sizes & 0xffff) as usize;
        let is_valid = first.load(Ordering::Relaxed) & !CAPACITY == domain.bits();
        if !is_valid || sizes != row.sizes(length) || length > VALUE_MAX {
            return None;
        }
        let (key, rest) = rest.split_at_checked(words::count(row.key.len()))?;
        if !words::equal(key, row.key) {
            return None;
        }
        words::append(rest.get(..words::count(length))?, length, out);
        Some(())
    }

    /// Returns whether a bucket has an entry of a row, and its place. The shard must be locked.
    fn entry(&self, bucket: Bucket<'_>, row: &Row<'_>) -> Option<usize> {
        let (_, slot) = bucket.find(row.hash);
        let place = (slot != 0).then(|| place(slot))?;
        let (header, rest) = self.entries.get(place..)?.split_at_checked(HEADER)?;
        let sizes = header.get(1)?.load(Ordering::Relaxed);
        let is_same = sizes & !0xffff == row.sizes(0)
            && words::equal(rest.get(..words::count(row.key.len()))?, row.key);
        is_same.then_some(place)
    }

    /// Stores a row that was just read, and whose value was the newest when its domain had this stamp. A change of the
    /// bucket must be under way, and the shard locked.
    pub(super) fn store(&self, ring: &mut Ring, row: &Row<'_>, value: &[u8], domain: Seen) {
        let (bucket, needed) = (self.bucket(row.hash), row.words(value));
        if let Some(place) = self.entry(bucket, row)
            && let Some(capacity) = self.capacity(place)
            && capacity >= needed
        {
            return self.write(place, capacity, row, value, domain);
        }
        let Some(place) = self.make_room(ring, needed) else { return };
        self.write(place, needed, row, value, domain);
        let slot = tag(row.hash) << TAG_SHIFT | IS_READ | (place as u64 + 1);
        bucket.set(bucket.choose(row.hash), slot);
    }

    /// Replaces the value of a row as [`store`](Table::store) does, if the row is there and was read since it was last
    /// written; otherwise removes it.
    pub(super) fn replace(&self, ring: &mut Ring, row: &Row<'_>, value: &[u8], domain: Seen) {
        let bucket = self.bucket(row.hash);
        let is_read = bucket.find(row.hash).1 & IS_READ != 0;
        if !is_read || self.entry(bucket, row).is_none() {
            return self.remove(bucket, row.hash);
        }
        self.store(ring, row, value, domain);
        let (at, slot) = bucket.find(row.hash);
        bucket.set(at, slot & !IS_READ);
    }

    /// Removes the entry with the tag of a hash, if there is one. A change of the bucket must be under way, and the
    /// shard locked.
    pub(super) fn remove(&self, bucket: Bucket<'_>, hash: u64) {
        let (at, slot) = bucket.find(hash);
        if slot != 0 {
            bucket.set(at, 0);
        }
    }

    fn capacity(&self, place: usize) -> Option<usize> {
        let first = self.entries.get(place)?.load(Ordering::Relaxed);
        Some((first & CAPACITY) as usize)
    }

    fn write(&self, place: usize, capacity: usize, row: &Row<'_>, value: &[u8], domain: Seen) {
        let Some(entry) = self.entries.get(place..place + capacity) else { return };
        let Some((header, rest)) = entry.split_at_checked(HEADER) else { return };
        let numbers = [domain.bits() | capacity as u64, row.sizes(value.len()), row.hash];
        for (word, number) in header.iter().zip(numbers) {
            word.store(number, Ordering::Relaxed);
        }
        words::store(rest, row.key);
        words::store(rest.get(words::count(row.key.len())..).unwrap_or_default(), value);
    }

    /// Returns the place of free words for an entry. Its first word must be written.
    fn make_room(&self, ring: &mut Ring, needed: usize) -> Option<usize> {
        /// Entries that are moved for one that comes.
        const MOVED_MAX: usize = 4;
        let mut moved = 0;
        loop {
            if let Some(place) = ring.take(needed) {
                return Some(place);
            }
            match ring.oldest() {
                Some(place) => moved += self.drop_entry(ring, place, moved < MOVED_MAX),
                None => ring.go_on(needed)?,
            }
        }
    }

    /// Drops the oldest entry of a ring, or moves it if it is used and may be moved. Returns how many were moved.
    fn drop_entry(&self, ring: &mut Ring, at: usize, may_move: bool) -> usize {
        let hash = self.entries.get(at + HEADER - 1).map_or(0, |hash| hash.load(Ordering::Relaxed));
        let capacity = self.capacity(at).unwrap_or(0);
        let bucket = self.bucket(hash);
        let (slot_at, slot) = bucket.find(hash);
        let mut moved = 0;
        // An entry without a slot was replaced.
        if slot != 0 && place(slot) == at {
            bucket.stamp.begin();
            if slot & IS_USED != 0 && may_move {
                let to = ring.keep(capacity);
                words::move_down(&self.entries, at, to, capacity);
                bucket.set(slot_at, tag(hash) << TAG_SHIFT | slot & IS_READ | (to as u64 + 1));
                moved = 1;
            } else {
                bucket.set(slot_at, 0);
            }
            bucket.stamp.end();
        }
        ring.drop_oldest(capacity);
        moved
    }
}

/// Returns the place of the entry that a slot names.
#[inline]
fn place(slot: u64) -> usize {
    (slot & PLACE).wrapping_sub(1) as usize
}

/// Returns words that are zero, and that the system provides when they are used.
fn allocate(words: usize) -> Result<Box<[AtomicU64]>> {
    bytemuck::allocation::try_zeroed_slice_box(words).map_err(|()| {
        let bytes = words * size_of::<u64>();
        Error::Setting(format!("the system has no {bytes} bytes for cached rows: see --memory-mb"))
    })
}
