//! What the victim writes: a repeatable sequence of batches per thread, and a model of what they leave.
//!
//! Applying a batch twice in a row leaves the same content as applying it once. So a batch whose write failed is simply
//! written again, and the content is known whether or not the failed attempt left anything.

use crate::workload::{Family, Op};
use fastrand::Rng;
use std::collections::BTreeMap;

/// Threads that write.
pub const THREADS: u32 = 3;

/// Sizes of what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of a key. Long keys make long records in the MANIFEST, which has each table's first and last key.
    pub key: usize,
    /// Bytes of most values.
    pub value: usize,
    /// Bytes of every seventh value.
    pub large_value: usize,
    /// Distinct keys per thread.
    pub slots: u32,
}

impl Sizes {
    /// Text for a command line.
    pub fn to_text(self) -> String {
        let Sizes { key, value, large_value, slots } = self;
        format!("{key},{value},{large_value},{slots}")
    }

    /// Undoes [`Sizes::to_text`].
    pub fn parse(text: &str) -> Option<Sizes> {
        let mut parts = text.split(',');
        Some(Sizes {
            key: parts.next()?.parse().ok()?,
            value: parts.next()?.parse().ok()?,
            large_value: parts.next()?.parse().ok()?,
            slots: parts.next()?.parse().ok()?,
        })
    }

    /// Batch `number` of a thread.
    pub fn batch(&self, thread: u32, number: u64) -> Vec<Op> {
        let mut rng = Rng::with_seed(number << 8 | u64::from(thread));
        let mut ops = Vec::new();
        if number % 5 == 4 {
            ops.push(Op::Delete(0, self.key(thread, rng.u32(..self.slots))));
        }
        for _ in 0..1 + number % 2 {
            let length = if rng.u32(..7) == 0 { self.large_value } else { self.value };
            let mut value = format!("{thread}.{number}:").into_bytes();
            value.resize_with(length.max(value.len()), || rng.u8(..));
            ops.push(Op::Put(0, self.key(thread, rng.u32(..self.slots)), value));
        }
        ops
    }

    fn key(&self, thread: u32, slot: u32) -> Vec<u8> {
        let mut key = format!("{slot:06}.{thread}").into_bytes();
        key.resize(self.key.max(key.len()), b'k');
        key
    }
}

/// The thread that a key belongs to.
pub fn owner(key: &[u8]) -> u32 {
    key.get(7).map_or(0, |digit| u32::from(digit.wrapping_sub(b'0')))
}

/// Applies a batch to the content of the family.
pub fn apply(family: &mut Family, batch: &[Op]) {
    for op in batch {
        match op {
            Op::Put(_, key, value) => drop(family.insert(key.clone(), value.clone())),
            Op::Delete(_, key) => drop(family.remove(key)),
            _ => unreachable!("no other operation is made here"),
        }
    }
}

/// What is there after so many batches of each thread.
pub fn expected(sizes: &Sizes, batches: &[u64]) -> Vec<Family> {
    let content = |(thread, batches): (usize, &u64)| {
        let mut family = BTreeMap::new();
        (0..*batches).for_each(|n| apply(&mut family, &sizes.batch(thread as u32, n)));
        family
    };
    batches.iter().enumerate().map(content).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_can_be_written_twice() {
        let sizes = Sizes { key: 12, value: 30, large_value: 90, slots: 20 };
        assert_eq!(Sizes::parse(&sizes.to_text()), Some(sizes));
        let (mut once, mut twice) = (Family::new(), Family::new());
        for batch in (0..300).map(|n| sizes.batch(2, n)) {
            apply(&mut once, &batch);
            (0..2).for_each(|_| apply(&mut twice, &batch));
        }
        assert_eq!(once, twice);
        assert!(once.len() > 10 && once.keys().all(|key| owner(key) == 2));
    }
}
