//! The memtable's Bloom filter over prefixes or whole keys: one cache line per key.
//!
//! The filter exists only in memory, so its layout is private. Any number of threads may add and query concurrently;
//! bits are only ever set.
//!
//! Options request a filter explicitly. Ordered memtables without such options have a default filter over whole keys
//! because it is cheap: most lookups are for keys that were not written recently, and a descent through the tree costs
//! several cache misses, whereas the filter costs one, which is prefetched. The default filter takes at most 1/128 of
//! the write buffer and at most 8 MiB, and of that only the pages that entries hash to.

use super::zeroed::Zeroed;
use crate::base::hash::hash64;
use crate::base::prefetch::prefetch;
use crate::base::{KeyOrder, LookupKey};
use crate::env::sync::std_atomic::{AtomicU64, Ordering};
use crate::hooks::SliceTransform;
use crate::options::ColumnFamilyOptions;
use std::sync::Arc;

/// One cache line.
type BloomLine = [AtomicU64; 8];

/// The default filter takes this fraction of the write buffer: ten bits for each entry of 100
/// bytes.
const UNASKED_PART: usize = 128;
/// The maximum size of the default filter, enough for seven million entries. A user who sets a write buffer above 1 GiB
/// has not asked for a filter that grows with it.
const UNASKED_MAX: usize = 8 << 20;

/// Bits that a key sets in each of two words of its line.
const BITS: u32 = 3;

/// A Bloom filter that rules out most keys that are not in the memtable.
pub(super) struct MemtableBloom {
    lines: Zeroed<BloomLine>,
    prefix_extractor: Option<Arc<dyn SliceTransform>>,
    whole_keys: bool,
    is_asked_for: bool,
}

impl MemtableBloom {
    /// The filter that the options request, or `None` if they request none or the filter would be
    /// empty.
    pub(super) fn asked_for(options: &ColumnFamilyOptions) -> Option<MemtableBloom> {
        let whole_keys = options.memtable_whole_key_filtering;
        let prefix_extractor = options.prefix_extractor.clone();
        // RocksDB's bound; NaN becomes 0.
        let ratio = options.memtable_prefix_bloom_size_ratio.clamp(0.0, 0.25);
        let bytes = (options.write_buffer_size as f64 * ratio) as usize;
        if bytes == 0 || !(whole_keys || prefix_extractor.is_some()) {
            return None;
        }
        Some(MemtableBloom {
            lines: lines_in(bytes),
            prefix_extractor,
            whole_keys,
            is_asked_for: true,
        })
    }

    /// The default filter of an ordered memtable; `None` if the comparator may treat keys with
    /// different bytes as equal.
    pub(super) fn unasked(
        options: &ColumnFamilyOptions,
        order: &KeyOrder,
    ) -> Option<MemtableBloom> {
        order.tells_bytes_apart().then(|| MemtableBloom {
            lines: lines_in((options.write_buffer_size / UNASKED_PART).min(UNASKED_MAX)),
            prefix_extractor: None,
            whole_keys: true,
            is_asked_for: false,
        })
    }

    /// Adds a user key that is about to be inserted.
    pub(super) fn add(&self, user_key: &[u8]) {
        self.add_hashed(user_key, hash64(user_key));
    }

    /// Does the same with the key's [`hash64`].
    #[inline]
    pub(super) fn add_hashed(&self, user_key: &[u8], hash: u64) {
        if self.whole_keys {
            self.set(hash);
        }
        if let Some(prefix) = self.prefix(user_key) {
            self.set(hash64(prefix));
        }
    }

    /// Whether the key may be in the memtable; false means that it is not.
    #[inline]
    pub(super) fn may_contain(&self, key: &LookupKey) -> bool {
        if self.whole_keys {
            return self.is_set(key.hash());
        }
        self.prefix(key.user_key()).is_none_or(|prefix| self.is_set(hash64(prefix)))
    }

    /// Prefetches the key's line.
    #[inline]
    pub(super) fn prefetch(&self, key: &LookupKey) {
        self.prefetch_hash(key.hash());
    }

    /// Prefetches the line of the key with this [`hash64`].
    #[inline]
    pub(super) fn prefetch_hash(&self, hash: u64) {
        if self.whole_keys {
            prefetch(std::ptr::from_ref(self.line(hash)).cast());
        }
    }

    /// Bytes in use with `entries` entries: the whole filter if options requested it, otherwise at
    /// most one line per entry.
    pub(super) fn memory(&self, entries: u64) -> usize {
        if self.is_asked_for {
            return self.lines.memory();
        }
        let lines = usize::try_from(entries).unwrap_or(usize::MAX);
        self.lines.memory().min(lines.saturating_mul(size_of::<BloomLine>()))
    }

    fn prefix<'k>(&self, user_key: &'k [u8]) -> Option<&'k [u8]> {
        let extractor = self.prefix_extractor.as_deref()?;
        extractor.in_domain(user_key).then(|| extractor.transform(user_key))
    }

    #[inline]
    fn line(&self, hash: u64) -> &BloomLine {
        &self.lines[((u128::from(hash) * self.lines.len() as u128) >> 64) as usize]
    }

    #[inline]
    fn set(&self, hash: u64) {
        let line = self.line(hash);
        for (word, bits) in places(hash) {
            // Most bits of a hot key are set already; a load is cheaper than a locked write.
            if line[word].load(Ordering::Relaxed) & bits != bits {
                line[word].fetch_or(bits, Ordering::Relaxed);
            }
        }
    }

    #[inline]
    fn is_set(&self, hash: u64) -> bool {
        let line = self.line(hash);
        places(hash)
            .into_iter()
            .all(|(word, bits)| line[word].load(Ordering::Relaxed) & bits == bits)
    }
}

fn lines_in(bytes: usize) -> Zeroed<BloomLine> {
    Zeroed::new(bytes.div_ceil(size_of::<BloomLine>()))
}

/// Two words of a line and the bits in each, from a different mix of the hash than the one that
/// chooses the line.
#[inline]
fn places(hash: u64) -> [(usize, u64); 2] {
    let mixed = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let bits =
        |from: u32| (0..BITS).fold(0, |bits, i| bits | 1 << ((mixed >> (from + 6 * i)) & 63));
    // Two different words: the second is 1 to 7 words after the first, modulo 8.
    let first = (mixed >> 61) as usize;
    let second = (first + 1 + ((mixed >> 44) & 7) as usize % 7) & 7;
    [(first, bits(8)), (second, bits(26))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Comparator, LookupBuffer};
    use crate::hooks::FixedPrefixTransform;

    fn key(user_key: &[u8]) -> LookupBuffer {
        LookupBuffer::new(user_key, 1)
    }

    fn options() -> ColumnFamilyOptions {
        ColumnFamilyOptions {
            write_buffer_size: 1 << 20,
            memtable_prefix_bloom_size_ratio: 0.1,
            ..ColumnFamilyOptions::default()
        }
    }

    #[test]
    fn it_exists_only_when_asked_for() {
        assert!(MemtableBloom::asked_for(&ColumnFamilyOptions::default()).is_none());
        assert!(MemtableBloom::asked_for(&options()).is_none(), "nothing to put into it");
        let whole = ColumnFamilyOptions { memtable_whole_key_filtering: true, ..options() };
        assert_eq!(MemtableBloom::asked_for(&whole).unwrap().memory(0), 104_896);
        let absurd = ColumnFamilyOptions { memtable_prefix_bloom_size_ratio: f64::NAN, ..whole };
        assert!(MemtableBloom::asked_for(&absurd).is_none());
    }

    #[test]
    fn whole_keys_are_found_and_most_others_are_not() {
        let whole = ColumnFamilyOptions { memtable_whole_key_filtering: true, ..options() };
        let bloom = MemtableBloom::asked_for(&whole).unwrap();
        let n = if cfg!(miri) { 500u32 } else { 80_000 };
        (0..n).for_each(|i| bloom.add(&i.to_be_bytes()));
        assert!((0..n).all(|i| bloom.may_contain(&key(&i.to_be_bytes()).key())));
        let wrong = (n..2 * n).filter(|i| bloom.may_contain(&key(&i.to_be_bytes()).key())).count();
        // Ten bits per key; the number of keys per line varies, so the rate exceeds the ideal one
        // percent.
        assert!(wrong < n as usize / 40, "{wrong} of {n}");
    }

    #[test]
    fn prefixes_speak_for_their_keys() {
        let prefix = ColumnFamilyOptions {
            prefix_extractor: Some(Arc::new(FixedPrefixTransform::new(3))),
            ..options()
        };
        let bloom = MemtableBloom::asked_for(&prefix).unwrap();
        bloom.add(b"abc1");
        assert!(bloom.may_contain(&key(b"abc2").key()) && !bloom.may_contain(&key(b"abd1").key()));
        assert!(bloom.may_contain(&key(b"ab").key()), "a key without a prefix is never ruled out");
    }

    #[test]
    fn what_nobody_asked_for_takes_no_memory_before_entries_do() {
        let options = ColumnFamilyOptions { write_buffer_size: 64 << 20, ..options() };
        let bloom = MemtableBloom::unasked(&options, &KeyOrder::bytewise()).unwrap();
        assert_eq!((bloom.memory(0), bloom.memory(3)), (0, 3 * 64));
        assert_eq!(bloom.memory(1 << 20), 512 << 10);
        bloom.add(b"here");
        assert!(bloom.may_contain(&key(b"here").key()) && !bloom.may_contain(&key(b"there").key()));
        let options = ColumnFamilyOptions { write_buffer_size: 4 << 30, ..options };
        let bloom = MemtableBloom::unasked(&options, &KeyOrder::bytewise()).unwrap();
        assert_eq!(bloom.memory(1 << 30), 8 << 20);
    }

    /// A case-insensitive order.
    struct Caseless;

    impl Comparator for Caseless {
        fn name(&self) -> &str {
            "caseless"
        }

        fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
            a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase())
        }
    }

    #[test]
    fn orders_in_which_equal_keys_differ_have_none() {
        let order = KeyOrder::new(Arc::new(Caseless));
        assert!(MemtableBloom::unasked(&options(), &order).is_none());
    }
}
