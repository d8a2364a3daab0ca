//! Random tombstones, and a simple model of what they hide.

use super::Tombstone;
use crate::base::{KeyOrder, SeqNo};

/// A tombstone that owns its keys.
#[derive(Clone, Debug)]
pub(crate) struct Owned {
    pub(crate) begin: Vec<u8>,
    pub(crate) end: Vec<u8>,
    pub(crate) seq: SeqNo,
}

impl Owned {
    pub(crate) fn as_ref(&self) -> Tombstone<'_> {
        Tombstone { begin: &self.begin, end: &self.end, seq: self.seq }
    }
}

/// A key from a small set.
pub(crate) fn key(n: u32) -> Vec<u8> {
    format!("k{n:02}").into_bytes()
}

/// `n` tombstones over keys below `keys`, with sequence numbers from `seqs`; some ranges are empty.
pub(crate) fn random(
    rng: &mut fastrand::Rng,
    n: usize,
    keys: u32,
    mut seq: impl FnMut(&mut fastrand::Rng) -> SeqNo,
) -> Vec<Owned> {
    let mut one = || {
        let (begin, end) = (key(rng.u32(..keys)), key(rng.u32(..keys)));
        Owned { begin, end, seq: seq(rng) }
    };
    (0..n).map(|_| one()).collect()
}

/// The sequence number of the newest tombstone over a key that a reader at `at` sees; 0 if there is
/// none.
pub(crate) fn newest_over(order: &KeyOrder, all: &[Owned], key: &[u8], at: SeqNo) -> SeqNo {
    let over = |t: &&Owned| {
        t.seq <= at
            && order.compare_user(&t.begin, key).is_le()
            && order.compare_user(key, &t.end).is_lt()
    };
    all.iter().filter(over).map(|t| t.seq).max().unwrap_or(0)
}
