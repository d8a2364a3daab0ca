//! What is written: an endless, repeatable sequence of batches, and a model of what they leave.
//!
//! A sequence is named by seed, thread and shape; the parent that checks and the child that writes
//! make the same one. Threads have disjoint keys, so each thread's state is that of its own prefix.
//! Keys of one slot stay in one class for ever: plain, single-delete (put once, then deleted once,
//! as the operation demands), or numbers that merges add to.

use fastrand::Rng;
use std::collections::BTreeMap;

/// One operation on the family with this index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Sets a key.
    Put(usize, Vec<u8>, Vec<u8>),
    /// Deletes a key.
    Delete(usize, Vec<u8>),
    /// Deletes a key that was put once.
    SingleDelete(usize, Vec<u8>),
    /// Adds an operand.
    Merge(usize, Vec<u8>, Vec<u8>),
    /// Deletes the keys from the first to before the second.
    DeleteRange(usize, Vec<u8>, Vec<u8>),
}

/// The merge operator that the families have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Merges {
    /// None: no merges are written.
    #[default]
    None,
    /// `uint64add`.
    Add,
    /// `stringappend` with a comma.
    Append,
}

/// The range deletions that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ranges {
    /// None.
    #[default]
    None,
    /// Of any width: only where one thread writes.
    Wide,
    /// Of one key, so that threads keep to their own.
    Keys,
}

/// What keys and batches look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Column families written to.
    pub families: usize,
    /// Keys are 16 bytes with an 8-byte prefix that few share; otherwise of any length and bytes.
    pub fixed: bool,
    /// Values have one length, and keys are put and deleted in no other way, as CuckooTable demands.
    pub even: bool,
    /// The merge operator.
    pub merges: Merges,
    /// Range deletions.
    pub ranges: Ranges,
    /// Distinct keys per family and thread.
    pub slots: u32,
    /// Largest value in bytes; most are far smaller.
    pub value_max: usize,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape {
            families: 1,
            fixed: false,
            even: false,
            merges: Merges::None,
            ranges: Ranges::None,
            slots: 3000,
            value_max: 40_000,
        }
    }
}

impl Shape {
    /// Text for a command line.
    pub fn to_text(self) -> String {
        let merges = match self.merges {
            Merges::None => "none",
            Merges::Add => "add",
            Merges::Append => "append",
        };
        let ranges = match self.ranges {
            Ranges::None => "none",
            Ranges::Wide => "wide",
            Ranges::Keys => "keys",
        };
        let Shape { families, fixed, even, slots, value_max, .. } = self;
        format!("{families},{fixed},{even},{merges},{ranges},{slots},{value_max}")
    }

    /// Undoes [`Shape::to_text`].
    pub fn parse(text: &str) -> Option<Shape> {
        let mut parts = text.split(',');
        Some(Shape {
            families: parts.next()?.parse().ok()?,
            fixed: parts.next()?.parse().ok()?,
            even: parts.next()?.parse().ok()?,
            merges: match parts.next()? {
                "none" => Merges::None,
                "add" => Merges::Add,
                "append" => Merges::Append,
                _ => return None,
            },
            ranges: match parts.next()? {
                "none" => Ranges::None,
                "wide" => Ranges::Wide,
                "keys" => Ranges::Keys,
                _ => return None,
            },
            slots: parts.next()?.parse().ok()?,
            value_max: parts.next()?.parse().ok()?,
        })
    }

    /// The key of a slot: the same bytes in every family.
    pub fn key(&self, thread: u32, slot: u32) -> Vec<u8> {
        let mix = |n: u32| (u64::from(n) ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if self.fixed {
            let mut key = mix(slot % 61).to_be_bytes().to_vec();
            key.extend(thread.to_be_bytes());
            key.extend(slot.to_be_bytes());
            return key;
        }
        if (thread, slot) == (0, 0) {
            return Vec::new();
        }
        let bits = mix(slot);
        let length = if bits.is_multiple_of(97) { 400 } else { (bits >> 8) as usize % 24 };
        let mut key = Rng::with_seed(u64::from(slot / 5)).u16(..).to_be_bytes().to_vec();
        key.extend((thread as u16).to_be_bytes());
        key.extend(slot.to_be_bytes());
        key.extend(std::iter::repeat_n([0, 0xff, b'k', b'='][bits as usize % 4], length));
        key
    }

    /// The thread that a key belongs to.
    pub fn owner(&self, key: &[u8]) -> u32 {
        let bytes = if self.fixed { key.get(8..12) } else { key.get(2..4) };
        bytes.unwrap_or(&[]).iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
    }
}

/// What a table holds that is made outside.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Ranges that it deletes, before its keys are put.
    pub ranges: Vec<(Vec<u8>, Vec<u8>)>,
    /// Keys in order; `None` deletes.
    pub entries: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl Shape {
    /// What a table holds that is made with this seed: keys of the workload and others, but none
    /// that are deleted by single deletes.
    pub fn table(&self, seed: u64) -> Table {
        let mut rng = Rng::with_seed(seed);
        let mut entries = BTreeMap::new();
        for _ in 0..400 {
            let slot = rng.u32(..self.slots * 2);
            if slot % 16 == 15 {
                continue;
            }
            let value = (rng.u32(..4) > 0).then(|| rng.u64(..).to_le_bytes().to_vec());
            entries.insert(self.key(0, slot), value);
        }
        let entries: Vec<_> = entries.into_iter().collect();
        let mut ranges = Vec::new();
        for _ in 0..rng.u32(..3) {
            let at = rng.usize(..entries.len() - 20);
            ranges.push((entries[at].0.clone(), entries[at + rng.usize(1..20)].0.clone()));
        }
        Table { ranges, entries }
    }
}

/// What is left of a family after a table was ingested.
pub fn ingest(family: &mut Family, table: Table) {
    for (begin, end) in table.ranges {
        family.retain(|key, _| *key < begin || *key >= end);
    }
    for (key, value) in table.entries {
        match value {
            Some(value) => family.insert(key, value),
            None => family.remove(&key),
        };
    }
}

/// The sequence of batches.
pub struct Workload {
    shape: Shape,
    thread: u32,
    rng: Rng,
    /// Single-delete keys that are there, per family.
    once: Vec<std::collections::BTreeSet<u32>>,
    made: u64,
}

impl Workload {
    /// The sequence with this name, from its start.
    pub fn new(shape: Shape, seed: u64, thread: u32) -> Workload {
        let rng = Rng::with_seed(seed ^ (u64::from(thread) << 40));
        Workload { shape, thread, rng, once: vec![Default::default(); shape.families], made: 0 }
    }

    /// The next batch. Most have one operation; some have many, over several families.
    pub fn next_batch(&mut self) -> Vec<Op> {
        self.made += 1;
        let length = match self.rng.u32(..10) {
            0 => self.rng.usize(2..40),
            1 | 2 => self.rng.usize(2..6),
            _ => 1,
        };
        (0..length).map(|_| self.op()).collect()
    }

    fn op(&mut self) -> Op {
        let family = self.rng.usize(..self.shape.families);
        let slot = self.rng.u32(..self.shape.slots);
        let key = self.shape.key(self.thread, slot);
        if self.shape.ranges != Ranges::None && self.rng.u32(..25) == 0 {
            return self.delete_range(family, key);
        }
        match (slot % 16, self.shape.merges) {
            _ if self.shape.even && self.rng.u32(..6) == 0 => Op::Delete(family, key),
            _ if self.shape.even => Op::Put(family, key, self.value()),
            (15, _) if self.once[family].remove(&slot) => Op::SingleDelete(family, key),
            (15, _) => {
                self.once[family].insert(slot);
                Op::Put(family, key, self.value())
            }
            (0..4, Merges::Add) => {
                let number = self.rng.u64(..).to_le_bytes().to_vec();
                match self.rng.u32(..8) {
                    0 => Op::Put(family, key, number),
                    1 => Op::Delete(family, key),
                    _ => Op::Merge(family, key, number),
                }
            }
            (0..4, Merges::Append) => match self.rng.u32(..12) {
                0 => Op::Delete(family, key),
                1 | 2 => Op::Put(family, key, b"base".to_vec()),
                _ => Op::Merge(family, key, self.rng.u16(..).to_string().into_bytes()),
            },
            _ if self.rng.u32(..6) == 0 => Op::Delete(family, key),
            _ => Op::Put(family, key, self.value()),
        }
    }

    fn delete_range(&mut self, family: usize, begin: Vec<u8>) -> Op {
        let end = match (self.shape.ranges, self.rng.u32(..16)) {
            (Ranges::Wide, 0) => {
                let slot = self.rng.u32(..self.shape.slots);
                self.shape.key(self.thread, slot)
            }
            (Ranges::Wide, _) => {
                let head = begin.first_chunk().map_or(0, |head| u16::from_be_bytes(*head));
                head.saturating_add(self.rng.u16(1..300)).to_be_bytes().to_vec()
            }
            _ => [&begin[..], &[0]].concat(),
        };
        let (begin, end) = if begin <= end { (begin, end) } else { (end, begin) };
        let (shape, thread) = (self.shape, self.thread);
        self.once[family].retain(|slot| {
            let key = shape.key(thread, *slot);
            key < begin || key >= end
        });
        Op::DeleteRange(family, begin, end)
    }

    fn value(&mut self) -> Vec<u8> {
        let length = match self.rng.u32(..300) {
            _ if self.shape.even => 40,
            0 => 0,
            1 => self.rng.usize(..=self.shape.value_max),
            2..12 => self.rng.usize(..=self.shape.value_max.min(4000)),
            _ => self.rng.usize(8..160),
        };
        let mut value = format!("{:x}.{:x}:", self.thread, self.made).into_bytes();
        while value.len() < length {
            // Half of it compresses well.
            let piece = self.rng.u64(..).to_le_bytes();
            value.extend(piece);
            value.extend([piece[0]; 8]);
        }
        value.truncate(length);
        value
    }
}

/// The content of one column family.
pub type Family = BTreeMap<Vec<u8>, Vec<u8>>;

/// What a database holds, per family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The families in the order of their index.
    pub families: Vec<Family>,
    merges: Merges,
}

impl Model {
    /// Nothing.
    pub fn new(shape: &Shape) -> Model {
        Model { families: vec![Family::new(); shape.families], merges: shape.merges }
    }

    /// Applies a batch.
    pub fn apply(&mut self, batch: &[Op]) {
        for op in batch {
            match op {
                Op::Put(family, key, value) => {
                    self.families[*family].insert(key.clone(), value.clone());
                }
                Op::Delete(family, key) | Op::SingleDelete(family, key) => {
                    self.families[*family].remove(key);
                }
                Op::DeleteRange(family, begin, end) => {
                    self.families[*family].retain(|key, _| key < begin || key >= end);
                }
                Op::Merge(family, key, operand) => {
                    let old = self.families[*family].get(key);
                    let merged = merge(self.merges, old, operand);
                    self.families[*family].insert(key.clone(), merged);
                }
            }
        }
    }

    /// Adds the keys of another model, which has other keys.
    pub fn absorb(&mut self, other: Model) {
        for (mine, theirs) in self.families.iter_mut().zip(other.families) {
            mine.extend(theirs);
        }
    }
}

fn merge(merges: Merges, old: Option<&Vec<u8>>, operand: &[u8]) -> Vec<u8> {
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    match (merges, old) {
        (_, None) => operand.to_vec(),
        (Merges::Append, Some(old)) => [old, &b","[..], operand].concat(),
        (_, Some(old)) => number(old).wrapping_add(number(operand)).to_le_bytes().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_one_sequence() {
        let shape =
            Shape { families: 3, merges: Merges::Add, ranges: Ranges::Wide, ..Shape::default() };
        assert_eq!(Shape::parse(&shape.to_text()), Some(shape));
        let batches = |thread| {
            let mut workload = Workload::new(shape, 7, thread);
            (0..200).map(|_| workload.next_batch()).collect::<Vec<_>>()
        };
        assert_eq!(batches(0), batches(0));
        assert_ne!(batches(0), batches(1));
    }

    #[test]
    fn keys_are_distinct() {
        for fixed in [false, true] {
            let shape = Shape { fixed, ..Shape::default() };
            let keys: std::collections::BTreeSet<Vec<u8>> =
                (0..3).flat_map(|t| (0..shape.slots).map(move |s| shape.key(t, s))).collect();
            assert_eq!(keys.len(), 3 * shape.slots as usize);
            assert_eq!(keys.iter().filter(|key| shape.owner(key) == 2).count(), keys.len() / 3);
            assert!((0..shape.slots).all(|slot| shape.owner(&shape.key(0, slot)) == 0));
        }
    }
}
