//! The memtable's Bloom filter over prefixes or whole keys: one cache line per key.
//!
//! In memory alone, so its form is nobody's business. Any number of threads add and ask at once;
//! bits only get set.

use crate::base::hash::hash64;
use crate::hooks::SliceTransform;
use crate::options::ColumnFamilyOptions;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const PROBES: u32 = 6;

#[repr(align(64))]
struct Line([AtomicU64; 8]);

/// Says "not in this memtable" for most keys that are not.
pub(super) struct MemtableBloom {
    lines: Box<[Line]>,
    prefix_extractor: Option<Arc<dyn SliceTransform>>,
    whole_keys: bool,
}

impl MemtableBloom {
    /// The filter that the options ask for, if they do and there is something to put into it.
    pub(super) fn new(options: &ColumnFamilyOptions) -> Option<MemtableBloom> {
        let whole_keys = options.memtable_whole_key_filtering;
        let prefix_extractor = options.prefix_extractor.clone();
        // RocksDB's bound; not-a-number becomes 0.
        let ratio = options.memtable_prefix_bloom_size_ratio.clamp(0.0, 0.25);
        let bytes = (options.write_buffer_size as f64 * ratio) as usize;
        if bytes == 0 || !(whole_keys || prefix_extractor.is_some()) {
            return None;
        }
        let lines = (0..bytes.div_ceil(size_of::<Line>())).map(|_| Line(Default::default()));
        Some(MemtableBloom { lines: lines.collect(), prefix_extractor, whole_keys })
    }

    /// Notes a user key that is about to be inserted.
    pub(super) fn add(&self, user_key: &[u8]) {
        if self.whole_keys {
            self.set(user_key);
        }
        if let Some(prefix) = self.prefix(user_key) {
            self.set(prefix);
        }
    }

    /// Whether the key may be in the memtable. It is not if this says false.
    pub(super) fn may_contain(&self, user_key: &[u8]) -> bool {
        if self.whole_keys {
            return self.is_set(user_key);
        }
        self.prefix(user_key).is_none_or(|prefix| self.is_set(prefix))
    }

    pub(super) fn memory(&self) -> usize {
        std::mem::size_of_val(&*self.lines)
    }

    fn prefix<'k>(&self, user_key: &'k [u8]) -> Option<&'k [u8]> {
        let extractor = self.prefix_extractor.as_deref()?;
        extractor.in_domain(user_key).then(|| extractor.transform(user_key))
    }

    fn set(&self, bytes: &[u8]) {
        self.probes(bytes, |word, bit| {
            // Most bits of a hot key are set already; a load is cheaper than a locked write.
            if word.load(Ordering::Relaxed) & bit == 0 {
                word.fetch_or(bit, Ordering::Relaxed);
            }
            true
        });
    }

    fn is_set(&self, bytes: &[u8]) -> bool {
        self.probes(bytes, |word, bit| word.load(Ordering::Relaxed) & bit != 0)
    }

    /// Hands the bits of `bytes` to `probe` until it returns false; whether it never did.
    #[inline]
    fn probes(&self, bytes: &[u8], mut probe: impl FnMut(&AtomicU64, u64) -> bool) -> bool {
        let hash = hash64(bytes);
        let at = ((u128::from(hash) * self.lines.len() as u128) >> 64) as usize;
        let line = &self.lines[at].0;
        // Nine bits a probe, from another mixing of the hash than the line's.
        let mut bits = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (0..PROBES).all(|_| {
            let (word, bit) = ((bits >> 61) as usize, (bits >> 55) & 63);
            bits = bits.rotate_left(9);
            probe(&line[word], 1 << bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::FixedPrefixTransform;

    fn options() -> ColumnFamilyOptions {
        ColumnFamilyOptions {
            write_buffer_size: 1 << 20,
            memtable_prefix_bloom_size_ratio: 0.1,
            ..ColumnFamilyOptions::default()
        }
    }

    #[test]
    fn it_exists_only_when_asked_for() {
        assert!(MemtableBloom::new(&ColumnFamilyOptions::default()).is_none());
        assert!(MemtableBloom::new(&options()).is_none(), "nothing to put into it");
        let whole = ColumnFamilyOptions { memtable_whole_key_filtering: true, ..options() };
        assert_eq!(MemtableBloom::new(&whole).unwrap().memory(), 104_896);
        let absurd = ColumnFamilyOptions { memtable_prefix_bloom_size_ratio: f64::NAN, ..whole };
        assert!(MemtableBloom::new(&absurd).is_none());
    }

    #[test]
    fn whole_keys_are_found_and_most_others_are_not() {
        let whole = ColumnFamilyOptions { memtable_whole_key_filtering: true, ..options() };
        let bloom = MemtableBloom::new(&whole).unwrap();
        let n = if cfg!(miri) { 500u32 } else { 80_000 };
        (0..n).for_each(|i| bloom.add(&i.to_be_bytes()));
        assert!((0..n).all(|i| bloom.may_contain(&i.to_be_bytes())));
        let wrong = (n..2 * n).filter(|i| bloom.may_contain(&i.to_be_bytes())).count();
        // Ten bits per key; a line's share varies, hence more than the ideal one percent.
        assert!(wrong < n as usize / 40, "{wrong} of {n}");
    }

    #[test]
    fn prefixes_speak_for_their_keys() {
        let prefix = ColumnFamilyOptions {
            prefix_extractor: Some(Arc::new(FixedPrefixTransform::new(3))),
            ..options()
        };
        let bloom = MemtableBloom::new(&prefix).unwrap();
        bloom.add(b"abc1");
        assert!(bloom.may_contain(b"abc2") && !bloom.may_contain(b"abd1"));
        assert!(bloom.may_contain(b"ab"), "a key without a prefix is never ruled out");
    }
}
