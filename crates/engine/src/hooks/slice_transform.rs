//! Prefix extractors. Their names are RocksDB's, because they are stored in tables and OPTIONS files.

use smallvec::SmallVec;
use std::sync::Arc;

/// Maps a user key to its prefix.
///
/// A prefix must be the beginning of its keys and its own prefix, and prefixes must sort like their keys. Otherwise
/// filters and scans over a prefix may miss keys.
pub trait SliceTransform: Send + Sync + 'static {
    /// Returns the name recorded on disk, such as `rocksdb.FixedPrefix.8`.
    fn name(&self) -> &str;
    /// Returns the prefix of a key that is in the domain.
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8];
    /// Returns whether the key has a prefix.
    fn in_domain(&self, key: &[u8]) -> bool;
}

/// The first `n` bytes. Shorter keys have no prefix.
#[derive(Clone, Debug)]
pub struct FixedPrefixTransform {
    len: usize,
    name: String,
}

impl FixedPrefixTransform {
    /// Creates an extractor of the first `len` bytes.
    pub fn new(len: usize) -> FixedPrefixTransform {
        FixedPrefixTransform { len, name: format!("rocksdb.FixedPrefix.{len}") }
    }
}

impl SliceTransform for FixedPrefixTransform {
    fn name(&self) -> &str {
        &self.name
    }
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        &key[..self.len.min(key.len())]
    }
    fn in_domain(&self, key: &[u8]) -> bool {
        key.len() >= self.len
    }
}

/// The first `n` bytes, or the whole key if it is shorter.
#[derive(Clone, Debug)]
pub struct CappedPrefixTransform {
    cap: usize,
    name: String,
}

impl CappedPrefixTransform {
    /// Creates an extractor of at most the first `cap` bytes.
    pub fn new(cap: usize) -> CappedPrefixTransform {
        CappedPrefixTransform { cap, name: format!("rocksdb.CappedPrefix.{cap}") }
    }
}

impl SliceTransform for CappedPrefixTransform {
    fn name(&self) -> &str {
        &self.name
    }
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        &key[..self.cap.min(key.len())]
    }
    fn in_domain(&self, _key: &[u8]) -> bool {
        true
    }
}

/// The whole key.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoopTransform;

impl SliceTransform for NoopTransform {
    fn name(&self) -> &str {
        "rocksdb.Noop"
    }
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        key
    }
    fn in_domain(&self, _key: &[u8]) -> bool {
        true
    }
}

/// Returns whether all keys that begin with `start` have the same prefix. Prefixes sort like their keys, so it is
/// sufficient to check the first, the last and some keys in between.
pub(crate) fn is_one_prefix(extractor: &dyn SliceTransform, start: &[u8]) -> bool {
    if !extractor.in_domain(start) {
        return false;
    }
    let prefix = extractor.transform(start);
    let mut key: SmallVec<[u8; 512]> = SmallVec::from_slice(start);
    let mut same = |rest: &[u8]| {
        key.truncate(start.len());
        key.extend_from_slice(rest);
        extractor.in_domain(&key) && extractor.transform(&key) == prefix
    };
    // `start` appended to itself repeats a separator, if one ends the prefix.
    same(&[0]) && same(start) && same(&[0xff; 256])
}

/// Returns whether all keys from `lower` to `upper` (excluded) in bytewise order have the same prefix, because all keys
/// that begin with it do.
pub(crate) fn is_range_of_one_prefix(
    extractor: &dyn SliceTransform,
    lower: &[u8],
    upper: &[u8],
) -> bool {
    if !extractor.in_domain(lower) {
        return false;
    }
    let prefix = extractor.transform(lower);
    (upper.starts_with(prefix) || is_successor(upper, prefix)) && is_one_prefix(extractor, prefix)
}

/// Returns whether `key` is the first key after all keys that begin with `prefix`.
fn is_successor(key: &[u8], prefix: &[u8]) -> bool {
    let shorter = prefix.iter().rposition(|byte| *byte != 0xff).map(|last| &prefix[..=last]);
    match (key.split_last(), shorter.and_then(<[u8]>::split_last)) {
        (Some((last, front)), Some((before, same))) => front == same && *last == *before + 1,
        _ => false,
    }
}

/// Returns the built-in extractor with this name: `rocksdb.FixedPrefix.N`, `fixed:N`, `rocksdb.CappedPrefix.N`,
/// `capped:N`, `rocksdb.Noop`.
pub fn slice_transform_by_name(name: &str) -> Option<Arc<dyn SliceTransform>> {
    let number = |prefixes: [&str; 2]| {
        prefixes.iter().find_map(|p| name.strip_prefix(p)).and_then(|n| n.parse::<usize>().ok())
    };
    if let Some(n) = number(["rocksdb.FixedPrefix.", "fixed:"]) {
        Some(Arc::new(FixedPrefixTransform::new(n)))
    } else if let Some(n) = number(["rocksdb.CappedPrefix.", "capped:"]) {
        Some(Arc::new(CappedPrefixTransform::new(n)))
    } else if name == "rocksdb.Noop" || name == "noop" {
        Some(Arc::new(NoopTransform))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_prefix_is_told_from_several() {
        let fixed = FixedPrefixTransform::new(2);
        let capped = CappedPrefixTransform::new(2);
        for (start, by_fixed, by_capped) in
            [("", false, false), ("a", false, false), ("ab", true, true), ("abc", true, true)]
        {
            assert_eq!(is_one_prefix(&fixed, start.as_bytes()), by_fixed, "{start}");
            assert_eq!(is_one_prefix(&capped, start.as_bytes()), by_capped, "{start}");
        }
        assert!(!is_one_prefix(&NoopTransform, b"ab"));
    }

    #[test]
    fn a_range_within_one_prefix_is_recognised() {
        let fixed = FixedPrefixTransform::new(2);
        let is_one = |lower: &[u8], upper: &[u8]| is_range_of_one_prefix(&fixed, lower, upper);
        assert!(is_one(b"ab", b"ac"));
        assert!(is_one(b"abx", b"aby"));
        assert!(is_one(b"a\xff", b"b"), "the successor is shorter");
        assert!(!is_one(b"ab", b"ac\0"), "`ac` is in it");
        assert!(!is_one(b"ab", b"ad"));
        assert!(!is_one(b"a", b"b"), "the first key has no prefix");
        assert!(!is_one(b"\xff\xff", b""), "an empty range");
        assert!(is_one(b"\xff\xff", b"\xff\xff\xff\xff"));
        assert!(!is_range_of_one_prefix(&NoopTransform, b"ab", b"ac"));
        assert!(!is_range_of_one_prefix(&CappedPrefixTransform::new(3), b"ab", b"ac"));
    }

    #[test]
    fn names_round_trip() {
        for name in ["rocksdb.FixedPrefix.8", "rocksdb.CappedPrefix.3", "rocksdb.Noop"] {
            assert_eq!(slice_transform_by_name(name).unwrap().name(), name);
        }
        assert!(slice_transform_by_name("rocksdb.FixedPrefix.x").is_none());
        let fixed = slice_transform_by_name("fixed:3").unwrap();
        assert!(!fixed.in_domain(b"ab"));
        assert_eq!(fixed.transform(b"abcd"), b"abc");
        let capped = slice_transform_by_name("capped:3").unwrap();
        assert_eq!((capped.in_domain(b"ab"), capped.transform(b"ab")), (true, &b"ab"[..]));
    }
}
