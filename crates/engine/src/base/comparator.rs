//! The order of user keys, and of internal keys built on it.
//!
//! Users implement [`Comparator`]. The engine calls [`KeyOrder`], which special-cases the two
//! built-in orders, so that the common comparison is an inlined `memcmp` and not a virtual call.

use super::key::{TRAILER_SIZE, trailer};
use super::perf::{self, PerfMetric};
use super::short::common_prefix;
use crate::env::sync::LazyLock;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A total order of user keys. Its name is stored in the database; opening with another name is an error.
pub trait Comparator: Send + Sync + 'static {
    /// The name recorded on disk.
    fn name(&self) -> &str;

    /// The order of two user keys.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering;

    /// Shortens `start` to a key that is `>= start` and `< limit`. Doing nothing is correct.
    fn find_shortest_separator(&self, _start: &mut Vec<u8>, _limit: &[u8]) {}

    /// Shortens `key` to a key that is `>= key`. Doing nothing is correct.
    fn find_short_successor(&self, _key: &mut Vec<u8>) {}

    /// The size of user-defined timestamps at the end of each key in bytes. Only 0 is supported.
    fn timestamp_size(&self) -> usize {
        0
    }
}

/// Orders keys as unsigned bytes, shorter keys first. RocksDB's default.
#[derive(Clone, Copy, Debug, Default)]
pub struct BytewiseComparator;

impl Comparator for BytewiseComparator {
    fn name(&self) -> &str {
        "leveldb.BytewiseComparator"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }

    fn find_shortest_separator(&self, start: &mut Vec<u8>, limit: &[u8]) {
        let common = common_prefix(start, limit);
        let (Some(&a), Some(&b)) = (start.get(common), limit.get(common)) else { return };
        if a >= b {
            return;
        }
        if common + 1 < limit.len() || a + 1 < b {
            start.truncate(common + 1);
            start[common] = a + 1;
        } else if let Some(i) = start[common + 1..].iter().position(|&x| x != 0xFF) {
            let i = common + 1 + i;
            start.truncate(i + 1);
            start[i] += 1;
        }
    }

    fn find_short_successor(&self, key: &mut Vec<u8>) {
        if let Some(i) = key.iter().position(|&x| x != 0xFF) {
            key.truncate(i + 1);
            key[i] += 1;
        }
    }
}

/// The bytewise order, reversed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReverseBytewiseComparator;

impl Comparator for ReverseBytewiseComparator {
    fn name(&self) -> &str {
        "rocksdb.ReverseBytewiseComparator"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        b.cmp(a)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bytewise,
    ReverseBytewise,
    Custom,
}

/// A comparator together with the resulting order of internal keys. Cheap to clone.
#[derive(Clone)]
pub struct KeyOrder {
    kind: Kind,
    /// Set only for custom comparators, so that iterators over the built-in orders need no
    /// reference count.
    user: Option<Arc<dyn Comparator>>,
}

static BYTEWISE: LazyLock<Arc<dyn Comparator>> = LazyLock::new(|| Arc::new(BytewiseComparator));
static REVERSE_BYTEWISE: LazyLock<Arc<dyn Comparator>> =
    LazyLock::new(|| Arc::new(ReverseBytewiseComparator));

impl KeyOrder {
    /// The order of internal keys over this order of user keys.
    pub fn new(user: Arc<dyn Comparator>) -> KeyOrder {
        let kind = match user.name() {
            "leveldb.BytewiseComparator" => Kind::Bytewise,
            "rocksdb.ReverseBytewiseComparator" => Kind::ReverseBytewise,
            _ => Kind::Custom,
        };
        KeyOrder { kind, user: Some(user).filter(|_| kind == Kind::Custom) }
    }

    /// RocksDB's default order.
    pub fn bytewise() -> KeyOrder {
        KeyOrder::new(Arc::new(BytewiseComparator))
    }

    /// The comparator of user keys.
    pub fn user_comparator(&self) -> &Arc<dyn Comparator> {
        match (self.kind, &self.user) {
            (Kind::Custom, Some(user)) => user,
            (Kind::ReverseBytewise, _) => &REVERSE_BYTEWISE,
            _ => &BYTEWISE,
        }
    }

    /// The name recorded on disk.
    pub fn name(&self) -> &str {
        self.user_comparator().name()
    }

    /// Whether user keys compare as unsigned bytes, so that a big-endian prefix may stand for a key.
    #[inline]
    pub fn is_bytewise(&self) -> bool {
        self.kind == Kind::Bytewise
    }

    /// Whether user keys that compare as equal have the same bytes, so that hashes may represent them. Custom
    /// comparators are assumed not to have this property.
    #[inline]
    pub fn tells_bytes_apart(&self) -> bool {
        self.kind != Kind::Custom
    }

    /// The order of two user keys.
    #[inline]
    pub fn compare_user(&self, a: &[u8], b: &[u8]) -> Ordering {
        perf::count(PerfMetric::UserKeyComparisonCount, 1);
        match self.kind {
            Kind::Bytewise => a.cmp(b),
            Kind::ReverseBytewise => b.cmp(a),
            Kind::Custom => self.user_comparator().compare(a, b),
        }
    }

    /// Whether two user keys are the same key.
    #[inline]
    pub fn equal_user(&self, a: &[u8], b: &[u8]) -> bool {
        match self.kind {
            Kind::Custom => self.user_comparator().compare(a, b) == Ordering::Equal,
            // Different keys mostly differ in their last or first bytes; comparing these needs no
            // call.
            _ => {
                a.last_chunk::<8>() == b.last_chunk()
                    && a.first_chunk::<8>() == b.first_chunk()
                    && a == b
            }
        }
    }

    /// The order of two internal keys: user keys ascending, then trailers descending. A key shorter
    /// than a trailer is treated as an empty user key with trailer 0.
    #[inline]
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let ua = &a[..a.len().saturating_sub(TRAILER_SIZE)];
        let ub = &b[..b.len().saturating_sub(TRAILER_SIZE)];
        self.compare_user(ua, ub).then_with(|| trailer(b).cmp(&trailer(a)))
    }
}

impl fmt::Debug for KeyOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyOrder({})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::key::{ValueType, append_internal_key, pack_trailer};

    #[test]
    fn separators_lie_between_their_keys() {
        let keys: &[&[u8]] =
            &[b"", b"a", b"ab", b"abc", b"abcd", b"abd", b"a\xff", b"a\xff\xff", b"b", b"\xff"];
        for (i, a) in keys.iter().enumerate() {
            for b in &keys[i + 1..] {
                let mut s = a.to_vec();
                BytewiseComparator.find_shortest_separator(&mut s, b);
                assert!(s.as_slice() >= *a && s.as_slice() < *b, "{a:?} {b:?} {s:?}");
            }
            let mut s = a.to_vec();
            BytewiseComparator.find_short_successor(&mut s);
            assert!(s.as_slice() >= *a);
        }
    }

    #[test]
    fn newest_entries_come_first() {
        let order = KeyOrder::bytewise();
        let ik = |k: &[u8], s| {
            let mut v = Vec::new();
            append_internal_key(&mut v, k, pack_trailer(s, ValueType::Value));
            v
        };
        assert_eq!(order.compare(&ik(b"a", 5), &ik(b"a", 4)), Ordering::Less);
        assert_eq!(order.compare(&ik(b"a", 4), &ik(b"b", 9)), Ordering::Less);
        assert_eq!(order.compare(&ik(b"a", 4), &ik(b"a", 4)), Ordering::Equal);
        assert_eq!(order.compare(&ik(b"a", 4), &ik(b"aa", 9)), Ordering::Less);
    }
}
