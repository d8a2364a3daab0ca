//! Random histories of writes, and the contents that a reader must see after each write.

use crate::base::{InternalIterator, KeyOrder, SeqNo, ValueType};
use crate::hooks::MergeOperator;
use crate::iter::merging_iterator;
use crate::iter::vec_iter::{Entry, VecIter, ikey};

/// One write; its sequence number is its index in the history plus one.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    /// The kind of write.
    pub(crate) kind: ValueType,
    /// The key that is written.
    pub(crate) key: Vec<u8>,
    /// The value or operand.
    pub(crate) value: Vec<u8>,
}

/// The kinds of writes in a history.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// The number of writes.
    pub(crate) writes: usize,
    /// The number of different keys.
    pub(crate) keys: u32,
    /// Whether there are merges.
    pub(crate) merges: bool,
    /// Whether there are single deletes. They occur only where the rules allow them: on a key that
    /// was put exactly once since it last did not exist.
    pub(crate) single_deletes: bool,
    /// Whether tombstones of every kind may occur anywhere; single deletes may then violate their
    /// rules.
    pub(crate) lawless: bool,
}

/// Writes in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// The writes.
    pub(crate) writes: Vec<Write>,
}

impl History {
    /// A random history.
    pub(crate) fn random(rng: &mut fastrand::Rng, shape: &Shape) -> History {
        let key_shape = rng.u8(0..3);
        let mut history = History::default();
        for i in 0..shape.writes {
            let n = rng.u32(0..shape.keys);
            let key = match key_shape {
                0 => format!("{:02}", n).into_bytes(),
                1 => format!("prefix-of-some-length-{n:03}").into_bytes(),
                _ => vec![b'a' + (n % 3) as u8; 1 + n as usize / 3],
            };
            // Half of the keys with single deletes get only puts besides.
            let single = shape.single_deletes && (shape.lawless || n.is_multiple_of(2));
            let kind = match rng.u8(0..10) {
                0..2 if single && (shape.lawless || history.was_put_once(&key)) => {
                    ValueType::SingleDeletion
                }
                0..2 if !single => ValueType::Deletion,
                2..6 if shape.merges && !single => ValueType::Merge,
                _ if single && !shape.lawless && history.was_put_once(&key) => {
                    ValueType::SingleDeletion
                }
                _ => ValueType::Value,
            };
            let value = match kind {
                ValueType::Value | ValueType::Merge => format!("v{i}").into_bytes(),
                _ => Vec::new(),
            };
            history.writes.push(Write { kind, key, value });
        }
        history
    }

    fn was_put_once(&self, key: &[u8]) -> bool {
        self.writes.iter().rev().find(|w| w.key == key).is_some_and(|w| w.kind == ValueType::Value)
    }

    /// The sequence number of the last write.
    pub(crate) fn last_seq(&self) -> SeqNo {
        self.writes.len() as SeqNo
    }

    /// All entries, sorted.
    pub(crate) fn entries(&self, order: &KeyOrder) -> Vec<Entry> {
        let numbered = self.writes.iter().zip(1..);
        let mut entries: Vec<Entry> =
            numbered.map(|(w, seq)| (ikey(&w.key, seq, w.kind), w.value.clone())).collect();
        entries.sort_by(|a, b| order.compare(&a.0, &b.0));
        entries
    }

    /// Keys and values that a reader at `seq` must see, sorted.
    pub(crate) fn visible_at(
        &self,
        order: &KeyOrder,
        operator: &dyn MergeOperator,
        seq: SeqNo,
    ) -> Vec<Entry> {
        let mut state: Vec<Entry> = Vec::new();
        for write in &self.writes[..self.writes.len().min(seq as usize)] {
            let found = state.binary_search_by(|e| order.compare_user(&e.0, &write.key));
            match (write.kind, found) {
                (ValueType::Value, Ok(i)) => state[i].1.clone_from(&write.value),
                (ValueType::Value, Err(i)) => {
                    state.insert(i, (write.key.clone(), write.value.clone()));
                }
                (ValueType::Merge, Ok(i)) => {
                    let operands = [&write.value[..]];
                    let merged = operator.full_merge(&write.key, Some(&state[i].1), &operands);
                    state[i].1 = merged.expect("the operator of tests never fails");
                }
                (ValueType::Merge, Err(i)) => {
                    let merged = operator.full_merge(&write.key, None, &[&write.value[..]]);
                    state.insert(i, (write.key.clone(), merged.expect("never fails")));
                }
                (_, Ok(i)) => {
                    state.remove(i);
                }
                (_, Err(_)) => {}
            }
        }
        state
    }
}

/// Distributes `entries` randomly over `n` children and merges them again.
pub(crate) fn dealt(
    rng: &mut fastrand::Rng,
    order: &KeyOrder,
    entries: &[Entry],
    n: usize,
) -> Box<dyn InternalIterator> {
    let mut hands = vec![Vec::new(); n];
    for entry in entries {
        hands[rng.usize(0..n)].push(entry.clone());
    }
    let children = hands
        .into_iter()
        .map(|hand| Box::new(VecIter::new(order.clone(), hand)) as Box<dyn InternalIterator>);
    merging_iterator(order.clone(), children.collect())
}
