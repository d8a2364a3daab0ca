//! The contents of nodes of the memtable's tree: the order of slots, prefixes of keys, and words that combine a key's
//! address and prefix.
//!
//! A prefix consists of the first bits of a user key after those that all keys of a node's range share, as a number
//! that sorts like the keys. Most steps of a search compare prefixes, which lie in the node's cache lines, and touch no
//! entry.

#![allow(unsafe_code)]

use super::arena::ALIGN;
use super::entry::Entry;
use crate::base::key::TRAILER_SIZE;
use crate::base::short::common_prefix;
use std::ptr::NonNull;

/// The maximum number of slots of a node. It is small under loom, so that loom's small models split
/// nodes.
pub(super) const MAX_SLOTS: usize = if cfg!(loom) { 3 } else { 14 };

/// The slots of a node in the order of their keys: the count in the low four bits, then a slot
/// number of four bits for each rank. The free slots follow those in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Permutation(pub(super) u64);

impl Permutation {
    /// A permutation with no slot in use. The first `n` ranks have the first `n` slots; this remains true as long as at
    /// most `n` slots are in use.
    pub(super) fn empty() -> Permutation {
        Permutation((0..MAX_SLOTS as u64).fold(0, |word, slot| word | slot << (4 + 4 * slot)))
    }

    #[inline]
    pub(super) fn count(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The slot of this rank; for ranks from the count on, a free slot.
    #[inline]
    pub(super) fn slot(self, rank: usize) -> usize {
        debug_assert!(rank < MAX_SLOTS);
        (self.0 >> (4 + 4 * rank)) as usize & 15
    }

    /// Gives this rank to the first free slot; higher ranks move up by one. Returns the permutation
    /// and the slot.
    #[inline]
    pub(super) fn insert(self, rank: usize) -> (Permutation, usize) {
        let count = self.count();
        debug_assert!(rank <= count && count < MAX_SLOTS);
        let slot = self.slot(count);
        let ranks = self.0 >> 4;
        let below = |n: usize| (1u64 << (4 * n)) - 1;
        let moved = (ranks & below(count) & !below(rank)) << 4;
        let rest = ranks & (below(rank) | !below(count + 1));
        let word = rest | moved | (slot as u64) << (4 * rank);
        (Permutation(word << 4 | (count as u64 + 1)), slot)
    }

    /// Keeps only the first `count` ranks in use.
    pub(super) fn truncate(self, count: usize) -> Permutation {
        Permutation(self.0 & !15 | count as u64)
    }
}

/// The bits of an address on current systems, unless a program requests larger addresses.
const ADDRESS_BITS: u32 = if usize::BITS == 64 { 48 } else { usize::BITS };
/// The low bits of an address, which are 0 for every entry.
const ALIGN_BITS: u32 = ALIGN.trailing_zeros();
const SHORT_PREFIX_SHIFT: u32 = ADDRESS_BITS - ALIGN_BITS;
const SHORT_PREFIX_BITS: u32 = usize::BITS - SHORT_PREFIX_SHIFT;

/// An entry's address in the low bits and, above it, the entry's short prefix: the first [`SHORT_PREFIX_BITS`] (19)
/// bits of its prefix.
#[derive(Clone, Copy)]
pub(super) struct Word(NonNull<u8>);

impl Word {
    /// The word of an entry whose key has this prefix.
    #[inline]
    pub(super) fn new(entry: Entry, prefix: u64) -> Word {
        let word = entry.as_ptr().as_ptr().map_addr(|address| {
            let spare = address & (ALIGN - 1) | address.checked_shr(ADDRESS_BITS).unwrap_or(0);
            assert!(spare == 0, "an entry at {address:#x}");
            address >> ALIGN_BITS | short_prefix_of(prefix) << SHORT_PREFIX_SHIFT
        });
        // SAFETY: the address is not 0, and the shift drops only bits that are 0.
        Word(unsafe { NonNull::new_unchecked(word) })
    }

    /// The word that [`Word::as_ptr`] returned, or `None` for null.
    #[inline]
    pub(super) fn from_ptr(ptr: *mut u8) -> Option<Word> {
        NonNull::new(ptr).map(Word)
    }

    /// The word as it is stored: a pointer that must not be dereferenced but keeps the entry's
    /// provenance.
    #[inline]
    pub(super) fn as_ptr(self) -> *mut u8 {
        self.0.as_ptr()
    }

    #[inline]
    pub(super) fn short_prefix(self) -> usize {
        short_prefix_in(self.as_ptr())
    }

    /// # Safety
    /// The entry must still be alive.
    #[inline]
    pub(super) unsafe fn entry(self) -> Entry {
        let entry = self
            .as_ptr()
            .map_addr(|word| word << SHORT_PREFIX_BITS >> SHORT_PREFIX_BITS << ALIGN_BITS);
        // SAFETY: this is the address that `new` received, which is not 0; the entry is alive by
        // contract.
        unsafe { Entry::from_ptr(NonNull::new_unchecked(entry)) }
    }
}

/// The short prefix of a stored word.
#[inline]
pub(super) fn short_prefix_in(word: *mut u8) -> usize {
    word.addr() >> SHORT_PREFIX_SHIFT
}

/// The short prefix of a key with this prefix.
#[inline]
pub(super) fn short_prefix_of(prefix: u64) -> usize {
    (prefix >> (u64::BITS - SHORT_PREFIX_BITS)) as usize
}

/// Whether short prefixes distinguish keys with these prefixes as well as the prefixes do.
pub(super) fn short_prefixes_suffice(ascending: &[u64]) -> bool {
    ascending
        .windows(2)
        .all(|pair| pair[0] == pair[1] || short_prefix_of(pair[0]) != short_prefix_of(pair[1]))
}

/// The bits of a user key after the first `skip`, at least 57 of them, as a number that sorts like the keys if they
/// share those `skip` bits.
#[inline]
pub(super) fn prefix_of(internal_key: &[u8], skip: u16) -> u64 {
    // The trailer follows the user key, so eight bytes can be read wherever the key ends.
    let rest = internal_key.get(usize::from(skip / 8)..).unwrap_or_default();
    let Some(bytes) = rest.first_chunk::<8>() else { return 0 };
    let bits = match rest.len() - TRAILER_SIZE {
        own @ 0..8 => u64::from_be_bytes(*bytes) & !(u64::MAX >> (8 * own)),
        _ => u64::from_be_bytes(*bytes),
    };
    bits << (skip % 8)
}

/// The number of leading bits that all user keys between these two share.
pub(super) fn common_bits(low: &[u8], high: &[u8]) -> u16 {
    let equal = common_prefix(low, high);
    let in_next = match (low.get(equal), high.get(equal)) {
        (Some(a), Some(b)) => (a ^ b).leading_zeros() as usize,
        _ => 0,
    };
    (8 * equal + in_next).min(usize::from(u16::MAX)) as u16
}
