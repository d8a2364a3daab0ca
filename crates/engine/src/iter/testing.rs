//! A test of any [`InternalIterator`] against its contract (I1 to I6 of `base/iterator.rs`).

pub(crate) mod history;
pub(crate) mod hooks;
pub(crate) mod text;

use super::vec_iter::{Entry, VecIter, ikey};
use crate::base::{InternalIterator, KeyOrder, ValueType};
use std::sync::Arc;

/// The parameters of a conformance test.
pub(crate) struct Conformance<'a> {
    /// The order of its keys.
    pub(crate) order: KeyOrder,
    /// All entries of the iterator, sorted and with unique keys.
    pub(crate) entries: &'a [Entry],
    /// Whether the iterator supports backward iteration.
    pub(crate) backward: bool,
    /// The number of random walks.
    pub(crate) walks: u64,
}

impl<'a> Conformance<'a> {
    /// A test in both directions with a few random walks.
    pub(crate) fn new(order: KeyOrder, entries: &'a [Entry]) -> Conformance<'a> {
        Conformance { order, entries, backward: true, walks: 20 }
    }

    /// Panics if an iterator made by `make` violates the contract.
    pub(crate) fn check(&self, mut make: impl FnMut() -> Box<dyn InternalIterator>) {
        assert_sorted(&self.order, self.entries);
        let fresh = make();
        assert!(!fresh.valid(), "I1: a new iterator is not valid");
        assert!(fresh.status().is_ok(), "I1: a new iterator has met no error");
        self.check_scans(make());
        self.check_seeks(make());
        for seed in 0..self.walks {
            self.check_walk(make(), seed);
        }
        self.check_threads(make());
    }

    fn check_scans(&self, mut iter: Box<dyn InternalIterator>) {
        for round in 0..2 {
            iter.seek_to_first();
            for (i, entry) in self.entries.iter().enumerate() {
                assert_on(iter.as_ref(), entry, &format!("scan {round}, entry {i}"));
                if i % 2 == 0 {
                    iter.next();
                } else {
                    let key = iter.next_key().map(<[u8]>::to_vec);
                    let expected = self.entries.get(i + 1).map(|e| e.0.clone());
                    assert_eq!(key, expected, "next_key after entry {i}");
                }
            }
            assert_at_end(iter.as_ref(), "after the last entry");
            if !self.backward {
                continue;
            }
            iter.seek_to_last();
            for (i, entry) in self.entries.iter().enumerate().rev() {
                assert_on(iter.as_ref(), entry, &format!("scan back {round}, entry {i}"));
                iter.prev();
            }
            assert_at_end(iter.as_ref(), "before the first entry");
        }
    }

    /// Seeks to every key, to targets just around it, and to the ends (I5).
    fn check_seeks(&self, mut iter: Box<dyn InternalIterator>) {
        let mut model = self.model();
        let mut targets =
            vec![ikey(b"", 0, ValueType::Deletion), ikey(b"", 1 << 50, ValueType::Value)];
        let step = (self.entries.len() / 200).max(1);
        for (key, _) in self.entries.iter().step_by(step) {
            targets.extend(neighbours(key));
        }
        targets.push(ikey(&[0xFF; 40], 0, ValueType::Deletion));
        for target in &targets {
            iter.seek(target);
            model.seek(target);
            assert_same(iter.as_ref(), &model, &format!("seek {target:?}"));
            if self.backward {
                iter.seek_for_prev(target);
                model.seek_for_prev(target);
                assert_same(iter.as_ref(), &model, &format!("seek_for_prev {target:?}"));
            }
        }
    }

    /// Makes random moves, and the same moves on the model.
    fn check_walk(&self, mut iter: Box<dyn InternalIterator>, seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut model = self.model();
        for step in 0..200 {
            let at = format!("walk {seed}, step {step}");
            let target = self.random_target(&mut rng);
            let choice = rng.u8(0..12);
            let ahead = model.valid() && self.order.compare(model.key(), &target).is_le();
            let (backward, valid) = (self.backward, model.valid());
            let mut on_both = |step: &dyn Fn(&mut dyn InternalIterator)| {
                step(iter.as_mut());
                step(&mut model);
            };
            match choice {
                0 => on_both(&|i| i.seek_to_first()),
                1 if backward => on_both(&|i| i.seek_to_last()),
                2 => on_both(&|i| i.seek(&target)),
                3 if backward => on_both(&|i| i.seek_for_prev(&target)),
                4 if ahead => on_both(&|i| i.skip_to(&target)),
                5..8 if backward && valid => on_both(&|i| i.prev()),
                _ if valid => on_both(&|i| i.next()),
                _ => {}
            }
            assert_same(iter.as_ref(), &model, &at);
        }
    }

    /// I6: the iterator may be used on another thread.
    fn check_threads(&self, mut iter: Box<dyn InternalIterator>) {
        iter.seek_to_first();
        let first = self.entries.first().cloned();
        let moved = std::thread::spawn(move || {
            let seen = iter.valid().then(|| (iter.key().to_vec(), iter.value().to_vec()));
            drop(iter);
            seen
        });
        assert_eq!(moved.join().expect("I6: no panic on another thread"), first);
    }

    fn model(&self) -> VecIter {
        VecIter::shared(self.order.clone(), Arc::new(self.entries.to_vec()))
    }

    fn random_target(&self, rng: &mut fastrand::Rng) -> Vec<u8> {
        match rng.choice(self.entries) {
            Some((key, _)) if rng.u8(0..8) != 0 => {
                let around = neighbours(key);
                around[rng.usize(0..around.len())].clone()
            }
            _ => ikey(&[rng.u8(..), rng.u8(..)], rng.u64(0..100), ValueType::Value),
        }
    }
}

/// The key itself, the keys just before and just after it, and both ends of its user key.
fn neighbours(key: &[u8]) -> [Vec<u8>; 5] {
    let parsed = crate::base::key::ParsedInternalKey::parse(key).expect("a valid entry");
    let user = parsed.user_key;
    let longer = [user, &[0]].concat();
    [
        key.to_vec(),
        ikey(user, parsed.sequence.saturating_sub(1), ValueType::Deletion),
        ikey(user, parsed.sequence + 1, ValueType::Value),
        ikey(user, (1 << 56) - 1, ValueType::ValuePreferredSeqno),
        ikey(&longer, 0, ValueType::Deletion),
    ]
}

fn assert_sorted(order: &KeyOrder, entries: &[Entry]) {
    for pair in entries.windows(2) {
        assert!(order.compare(&pair[0].0, &pair[1].0).is_lt(), "the entries given are sorted");
    }
}

fn assert_on(iter: &dyn InternalIterator, entry: &Entry, at: &str) {
    assert!(iter.valid(), "{at}: not valid, status {:?}", iter.status());
    assert_eq!(iter.key(), entry.0, "{at}: key");
    assert_eq!(iter.value(), entry.1, "{at}: value");
    assert!(iter.status().is_ok(), "{at}: I4");
}

fn assert_at_end(iter: &dyn InternalIterator, at: &str) {
    assert!(!iter.valid(), "{at}: valid on {:?}", iter.key());
    assert!(iter.status().is_ok(), "{at}: I4: running off an end is no error");
}

fn assert_same(iter: &dyn InternalIterator, model: &VecIter, at: &str) {
    if model.valid() {
        assert_on(iter, &(model.key().to_vec(), model.value().to_vec()), at);
    } else {
        assert_at_end(iter, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_conforms() {
        let order = KeyOrder::bytewise();
        let entries: Vec<Entry> = (0..50u8)
            .map(|i| (ikey(&[i / 3], 100 - u64::from(i % 3), ValueType::Value), vec![i]))
            .collect();
        for n in [0, 1, 2, 50] {
            let check = Conformance::new(order.clone(), &entries[..n]);
            check.check(|| Box::new(VecIter::new(order.clone(), entries[..n].to_vec())));
        }
    }
}
