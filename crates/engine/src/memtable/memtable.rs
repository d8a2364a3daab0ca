//! The memtable: accounting, point lookups, and the switch to immutable.

#![allow(unsafe_code)] // Two places: writing an entry into fresh arena memory, and reading one back.

use super::arena::Arena;
use super::bloom::MemtableBloom;
use super::entry::Entry;
use super::gaps::Gaps;
use super::kinds::Rep;
use super::range_dels::RangeDels;
use super::spare::SpareChunks;
use super::stripes::Stripes;
use crate::base::key::{TRAILER_SIZE, pack_trailer, trailer};
use crate::base::perf::{self, PerfMetric};
use crate::base::{KeyOrder, LookupKey, SeqNo, ValueType};
use crate::budget::{Charge, MemoryAccount, MemoryOwner};
use crate::env::epoch;
use crate::env::sync::std_atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use crate::env::sync::{Mutex, OnceLock};
use crate::iter::GetContext;
use crate::options::ColumnFamilyOptions;
use crate::rangedel::{Fragments, Tombstone};
use std::sync::Arc;

/// Recent writes of one column family.
///
/// Readers need no synchronisation. Writers may add concurrently only if
/// [`MemTable::supports_concurrent_insert`] returns true; otherwise the caller admits one at a
/// time.
pub struct MemTable {
    // The structure's pointers lead into the arena. The drop order does not matter, since dropping
    // accesses no entries.
    rep: Rep,
    arena: Arena,
    order: KeyOrder,
    bloom: Option<MemtableBloom>,
    /// Present if values change in place.
    stripes: Option<Stripes>,
    range_dels: RangeDels,
    id: u64,
    write_buffer_size: AtomicUsize,
    /// `memtable_max_range_deletions`; 0 means no limit.
    range_dels_max: u64,
    earliest_sequence: SeqNo,
    immutable: AtomicBool,
    counts: Counts,
    /// What is charged for this memtable, if memory is limited.
    charge: Mutex<Option<Charge>>,
    /// Whether an iterator has taken the memtable, or it is in a table.
    is_kept: AtomicBool,
    /// What writers tell readers of the family, in an open database.
    gaps: OnceLock<Arc<Gaps>>,
}

/// Counters that writers update, on a line of their own, so that the rest of the memtable stays in
/// the readers' caches.
#[repr(align(64))]
struct Counts {
    entries: AtomicU64,
    deletes: AtomicU64,
    /// The number of range tombstones. Every lookup reads it from the same line as `entries`; the
    /// tombstones are elsewhere.
    range_dels: AtomicU64,
    data_size: AtomicU64,
    first_sequence: AtomicU64,
    #[cfg(debug_assertions)]
    last_sequence: AtomicU64,
}

impl MemTable {
    /// An empty memtable. Entries up to `earliest_seq` were written before it was created; `id` increases from one
    /// memtable of the column family to the next.
    pub fn new(
        id: u64,
        order: KeyOrder,
        options: &ColumnFamilyOptions,
        earliest_seq: SeqNo,
    ) -> Arc<MemTable> {
        MemTable::with_spare(id, order, options, earliest_seq, None)
    }

    /// Like [`MemTable::new`], but reuses chunks of a freed memtable.
    pub fn with_spare(
        id: u64,
        order: KeyOrder,
        options: &ColumnFamilyOptions,
        earliest_seq: SeqNo,
        spare: Option<Arc<SpareChunks>>,
    ) -> Arc<MemTable> {
        let chunk = Arena::chunk_size_for(options.arena_block_size, options.write_buffer_size);
        let rep = Rep::new(order.clone(), options);
        let bloom = MemtableBloom::asked_for(options).or_else(|| match rep {
            Rep::Hash(_) => None, // Its buckets have filters.
            Rep::BTree(_) | Rep::Vector(_) => MemtableBloom::unasked(options, &order),
        });
        Arc::new(MemTable {
            bloom,
            rep,
            arena: Arena::with_spare(chunk, spare),
            order,
            stripes: Stripes::new(options),
            range_dels: RangeDels::new(),
            id,
            write_buffer_size: AtomicUsize::new(options.write_buffer_size),
            range_dels_max: options.memtable_max_range_deletions.into(),
            earliest_sequence: earliest_seq,
            immutable: AtomicBool::new(false),
            counts: Counts {
                entries: AtomicU64::new(0),
                deletes: AtomicU64::new(0),
                range_dels: AtomicU64::new(0),
                data_size: AtomicU64::new(0),
                first_sequence: AtomicU64::new(u64::MAX),
                #[cfg(debug_assertions)]
                last_sequence: AtomicU64::new(0),
            },
            charge: Mutex::default(),
            is_kept: AtomicBool::new(false),
            gaps: OnceLock::new(),
        })
    }

    /// Whether several writers may add concurrently.
    pub fn supports_concurrent_insert(&self) -> bool {
        self.stripes.is_none() && self.rep.supports_concurrent_insert()
    }

    /// Adds an entry. Its key, sequence number and kind together must be new to the memtable,
    /// lookups must support its kind, and its lengths must be within the limits of a batch's
    /// record.
    #[inline]
    pub fn add(&self, seq: SeqNo, kind: ValueType, user_key: &[u8], value: &[u8]) {
        debug_assert!(!self.immutable.load(Ordering::Relaxed), "add to an immutable memtable");
        let entry = self.write(seq, kind, user_key, value);
        if let Some(bloom) = &self.bloom {
            bloom.add(user_key);
        }
        self.rep.insert(&self.arena, entry);
        self.count(seq, kind, (user_key.len() + TRAILER_SIZE + value.len()) as u64);
    }

    /// Writes an entry into the arena, where nothing finds it yet.
    #[inline]
    pub(super) fn write(
        &self,
        seq: SeqNo,
        kind: ValueType,
        user_key: &[u8],
        value: &[u8],
    ) -> Entry {
        let size = Entry::size(user_key, value);
        let place = self.rep.allocate(&self.arena, size);
        // SAFETY: `size` fresh bytes of the arena.
        unsafe { Entry::write(place, user_key, pack_trailer(seq, kind), value) }
    }

    /// Adds the tombstone `[begin, end) @ seq`; does nothing if the range is empty. Any number of writers may call this
    /// concurrently.
    pub fn add_range_deletion(&self, seq: SeqNo, begin: &[u8], end: &[u8]) {
        debug_assert!(!self.immutable.load(Ordering::Relaxed), "add to an immutable memtable");
        if self.order.compare_user(begin, end).is_ge() {
            return;
        }
        self.range_dels.add(&self.order, Tombstone { begin, end, seq });
        // Before the sequence number is published, so that any reader that may see the tombstone
        // sees this count.
        self.counts.range_dels.fetch_add(1, Ordering::Release);
        let bytes = begin.len() + TRAILER_SIZE + end.len();
        self.count(seq, ValueType::RangeDeletion, bytes as u64);
    }

    /// Passes the key's entries that are visible to the lookup to `ctx`, newest first, until it
    /// needs no more. Returns whether the lookup is complete.
    #[inline]
    pub fn get(&self, key: &LookupKey, ctx: &mut GetContext<'_>) -> bool {
        if self.is_empty() {
            return false;
        }
        let user_key = key.user_key();
        if self.counts.range_dels.load(Ordering::Relaxed) != 0 {
            self.cover(key, ctx);
        }
        if let Some(bloom) = &self.bloom {
            if !bloom.may_contain(key) {
                perf::count(PerfMetric::BloomMemtableMissCount, 1);
                return ctx.is_done();
            }
            perf::count(PerfMetric::BloomMemtableHitCount, 1);
        }
        let mut copy = Vec::new();
        self.rep.visit_from(key, |entry| self.save(entry, user_key, &mut copy, ctx));
        ctx.is_done()
    }

    /// Passes an entry to `ctx` if it is one of the key. Returns whether older entries are needed. `copy` is memory for
    /// values that change in place.
    #[inline(always)]
    pub(super) fn save(
        &self,
        entry: Entry,
        user_key: &[u8],
        copy: &mut Vec<u8>,
        ctx: &mut GetContext<'_>,
    ) -> bool {
        // SAFETY: the entry lies in this memtable's arena, and the slice ends with this call.
        let found = unsafe { entry.internal_key() };
        if !self.order.equal_user(&found[..found.len() - TRAILER_SIZE], user_key) {
            return false;
        }
        let trailer = trailer(found);
        let Some(kind) = ValueType::from_byte(trailer as u8) else {
            unreachable!("memtable entry with type byte {}", trailer as u8)
        };
        let value = match &self.stripes {
            // SAFETY: as above; values never change.
            None => unsafe { entry.value() },
            Some(stripes) => {
                // SAFETY: as above.
                unsafe { stripes.copy_value(entry, copy) };
                &copy[..]
            }
        };
        ctx.save(trailer >> 8, kind, value, None)
    }

    /// Prefetches what a lookup of the key reads first. For an empty memtable this does nothing: the filter has no
    /// pages yet, and every lookup would cost a page-table walk.
    #[inline]
    pub fn prefetch(&self, key: &LookupKey) {
        if self.is_empty() {
            return;
        }
        if let Some(bloom) = &self.bloom {
            bloom.prefetch(key);
        } else if let Rep::Hash(rep) = &self.rep {
            rep.prefetch(key);
        }
    }

    #[cold]
    fn cover(&self, key: &LookupKey, ctx: &mut GetContext<'_>) {
        let guard = epoch::pin();
        ctx.cover(|| self.range_dels.newest_over(key.user_key(), key.sequence(), &guard));
    }

    /// The range tombstones added so far, in lists that may overlap each other.
    pub fn range_tombstones(&self) -> Vec<Arc<Fragments>> {
        match self.num_range_deletes() {
            0 => Vec::new(),
            _ => self.range_dels.runs(),
        }
    }

    pub(super) fn rep(&self) -> &Rep {
        &self.rep
    }

    pub(super) fn bloom(&self) -> Option<&MemtableBloom> {
        self.bloom.as_ref()
    }

    #[inline]
    pub(super) fn stripes(&self) -> Option<&Stripes> {
        self.stripes.as_ref()
    }

    /// The order of keys.
    pub(crate) fn order(&self) -> &KeyOrder {
        &self.order
    }

    /// The memory in use in bytes: the arena's used part, and the memory of the structure, the
    /// range tombstones and the filter.
    pub fn approximate_memory_usage(&self) -> usize {
        self.arena.used() + self.memory_outside_arena()
    }

    fn memory_outside_arena(&self) -> usize {
        let bloom = self.bloom.as_ref().map_or(0, |bloom| bloom.memory(self.num_entries()));
        self.rep.outside_memory() + self.range_dels.memory() + bloom
    }

    /// The memory taken from the system in bytes, including parts not used yet.
    #[cfg(test)]
    pub fn allocated_memory(&self) -> usize {
        self.arena.allocated() + self.memory_outside_arena()
    }

    /// Charges the memory in use to an account, until the memtable is dropped or the next call. Parts not used yet have
    /// no memory: the chunks of a memtable that is charged from the beginning are mapped.
    pub fn charge_to(&self, account: &Arc<MemoryAccount>) {
        let mut charge = self.charge.lock();
        let charge = charge.get_or_insert_with(|| {
            self.arena.map_chunks();
            account.charge(MemoryOwner::Memtables, 0)
        });
        charge.set(self.approximate_memory_usage());
    }

    /// Charges the memory to the memtables that iterators keep. Called when the first iterator takes the memtable if
    /// memory is limited, and when it is in a table.
    pub fn charge_as_kept(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
        if let Some(charge) = &mut *self.charge.lock() {
            charge.move_to(MemoryOwner::KeptMemtables, self.approximate_memory_usage());
        }
    }

    /// Whether [`MemTable::charge_as_kept`] was called.
    pub fn is_kept(&self) -> bool {
        self.is_kept.load(Ordering::Relaxed)
    }

    /// Sets the gaps that writes to the memtable close. Call it before the first write.
    pub fn close_gaps_of(&self, gaps: Arc<Gaps>) {
        let _ = self.gaps.set(gaps);
    }

    /// Removes a key that is about to be put or merged from the family's gaps.
    #[inline]
    pub fn close_gap(&self, user_key: &[u8]) {
        if let Some(gaps) = self.gaps.get() {
            gaps.written(user_key);
        }
    }

    /// Changes the size at which the memtable is flushed.
    pub fn set_write_buffer_size(&self, bytes: usize) {
        self.write_buffer_size.store(bytes, Ordering::Relaxed);
    }

    /// Whether the memtable has reached `write_buffer_size`. Two things are not counted: the filter, whose size is
    /// fixed, and the part of the structure's nodes beyond one word per entry, up to a sixteenth of the size. With this
    /// allowance a memtable holds as many entries as in RocksDB with the same option.
    #[inline]
    pub fn should_flush(&self) -> bool {
        let full = self.write_buffer_size.load(Ordering::Relaxed);
        let used = self.arena.used() + self.rep.outside_memory();
        (used >= full && used - self.rep.outside_room(self.num_entries()).min(full / 16) >= full)
            || (self.num_range_deletes() != 0 && self.is_full_of_range_deletions(used))
    }

    #[cold]
    fn is_full_of_range_deletions(&self, used: usize) -> bool {
        used + self.range_dels.memory() >= self.write_buffer_size.load(Ordering::Relaxed)
            || (self.range_dels_max != 0 && self.num_range_deletes() >= self.range_dels_max)
    }

    /// The number of entries, including range tombstones.
    pub fn num_entries(&self) -> u64 {
        self.counts.entries.load(Ordering::Relaxed)
    }

    /// The number of tombstones of single keys.
    pub fn num_deletes(&self) -> u64 {
        self.counts.deletes.load(Ordering::Relaxed)
    }

    /// The number of range tombstones.
    #[inline]
    pub fn num_range_deletes(&self) -> u64 {
        self.counts.range_dels.load(Ordering::Relaxed)
    }

    /// The size of internal keys and values in bytes.
    pub fn raw_data_size(&self) -> u64 {
        self.counts.data_size.load(Ordering::Relaxed)
    }

    /// Whether nothing has been added yet.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.num_entries() == 0
    }

    /// The memtable's identifier, which increases in the order of creation within its column
    /// family.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// A lower bound on the sequence numbers in the memtable.
    pub fn earliest_sequence(&self) -> SeqNo {
        self.earliest_sequence
    }

    /// The smallest sequence number in the memtable; 0 while it is empty.
    pub fn first_sequence(&self) -> SeqNo {
        match self.counts.first_sequence.load(Ordering::Relaxed) {
            u64::MAX => 0,
            seq => seq,
        }
    }

    /// Whether it has entries up to this sequence number, all of which are visible.
    pub fn has_up_to(&self, seq: SeqNo) -> bool {
        !self.is_empty() && self.first_sequence() <= seq
    }

    /// The largest sequence number in it; 0 while it is empty. Release builds do not know it and say 0.
    pub fn last_sequence(&self) -> SeqNo {
        #[cfg(debug_assertions)]
        return self.counts.last_sequence.load(Ordering::Relaxed);
        #[cfg(not(debug_assertions))]
        0
    }

    /// Whether no entry will be added any more.
    pub fn is_immutable(&self) -> bool {
        self.immutable.load(Ordering::Relaxed)
    }

    /// Marks the memtable immutable: no entry will be added any more.
    pub fn mark_immutable(&self) {
        if !self.immutable.swap(true, Ordering::Relaxed) {
            self.rep.mark_read_only();
            self.range_dels.seal(&self.order);
        }
    }

    /// Counts an entry that is in place, with the size of its internal key and its value.
    #[inline]
    pub(super) fn count(&self, seq: SeqNo, kind: ValueType, bytes: u64) {
        let counts = &self.counts;
        counts.data_size.fetch_add(bytes, Ordering::Relaxed);
        if matches!(
            kind,
            ValueType::Deletion | ValueType::SingleDeletion | ValueType::DeletionWithTimestamp
        ) {
            counts.deletes.fetch_add(1, Ordering::Relaxed);
        }
        if seq < counts.first_sequence.load(Ordering::Relaxed) {
            counts.first_sequence.fetch_min(seq, Ordering::Relaxed);
        }
        #[cfg(debug_assertions)]
        counts.last_sequence.fetch_max(seq, Ordering::Relaxed);
        // Counted last: the entry of a memtable that is not empty is in place.
        counts.entries.fetch_add(1, Ordering::Release);
    }
}

#[cfg(test)]
#[path = "memtable_test.rs"]
mod tests;
