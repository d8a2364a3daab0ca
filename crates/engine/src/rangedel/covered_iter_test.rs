use super::*;
use crate::base::ValueType;
use crate::iter::merging_iterator;
use crate::iter::testing::Conformance;
use crate::iter::vec_iter::{Entry, VecIter, ikey};
use crate::rangedel::Fragments;
use crate::rangedel::testing::{Owned, key, newest_over, random};

const KEYS: u32 = 40;

/// Entries and tombstones of one place.
struct Layer {
    entries: Arc<Vec<Entry>>,
    tombstones: Vec<Owned>,
}

/// Layers, newest first: each is newer than all sequence numbers of the next (G1).
fn places(rng: &mut fastrand::Rng, order: &KeyOrder) -> Vec<Layer> {
    let n = rng.u64(1..5);
    let mut one = |age: u64| {
        let base = 100 * age;
        let mut entries: Vec<Entry> = (0..rng.usize(..60))
            .map(|i| {
                let seq = base + 2 * rng.u64(1..50);
                (ikey(&key(rng.u32(..KEYS)), seq, ValueType::Value), vec![i as u8])
            })
            .collect();
        entries.sort_by(|a, b| order.compare(&a.0, &b.0));
        entries.dedup_by(|a, b| a.0 == b.0);
        let count = rng.usize(..6);
        let tombstones = random(rng, count, KEYS, |rng| base + 1 + 2 * rng.u64(..50));
        Layer { entries: Arc::new(entries), tombstones }
    };
    (0..n).rev().map(&mut one).collect()
}

/// One run per tombstone, or one run with several pieces, as on a level.
fn runs(rng: &mut fastrand::Rng, order: &KeyOrder, tombstones: &[Owned]) -> Vec<Run> {
    if tombstones.is_empty() {
        return Vec::new();
    }
    if rng.bool() {
        let run = |t: &Owned| Run::new([Arc::new(Fragments::new(order, [t.as_ref()]))]);
        return tombstones.iter().map(run).collect();
    }
    let all = Fragments::new(order, tombstones.iter().map(Owned::as_ref));
    let cut = key(rng.u32(..KEYS));
    let pieces = [all.clipped(None, Some(&cut)), all.clipped(Some(&cut), None)];
    vec![Run::new(pieces.map(Arc::new))]
}

#[test]
fn a_reader_sees_what_no_tombstone_hides() {
    let order = KeyOrder::bytewise();
    for seed in 0..150 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let places = places(&mut rng, &order);
        let at = rng.u64(..100 * places.len() as u64 + 10);
        let all: Vec<Owned> = places.iter().flat_map(|p| p.tombstones.clone()).collect();
        let mut expected: Vec<Entry> = Vec::new();
        for (key, value) in places.iter().flat_map(|p| p.entries.iter()) {
            let (user_key, seq) = (user_part(key), trailer(key) >> 8);
            if newest_over(&order, &all, user_key, at) <= seq {
                expected.push((key.clone(), value.clone()));
            }
        }
        expected.sort_by(|a, b| order.compare(&a.0, &b.0));
        let by_place: Vec<Vec<Run>> =
            places.iter().map(|p| runs(&mut rng, &order, &p.tombstones)).collect();
        Conformance { walks: 6, ..Conformance::new(order.clone(), &expected) }.check(|| {
            let child = |p: &Layer| -> Box<dyn InternalIterator> {
                Box::new(VecIter::shared(order.clone(), Arc::clone(&p.entries)))
            };
            let children = places.iter().map(child).collect();
            merging_iterator(order.clone(), hide_covered(&order, at, children, &by_place))
        });
    }
}

/// Counts its moves.
struct Counting(VecIter, Arc<AtomicU64>);

impl Counting {
    fn inner(&mut self) -> &mut VecIter {
        self.1.fetch_add(1, Ordering::Relaxed);
        &mut self.0
    }
}

impl InternalIterator for Counting {
    fn valid(&self) -> bool {
        self.0.valid()
    }
    fn seek_to_first(&mut self) {
        self.inner().seek_to_first();
    }
    fn seek_to_last(&mut self) {
        self.inner().seek_to_last();
    }
    fn seek(&mut self, target: &[u8]) {
        self.inner().seek(target);
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        self.inner().seek_for_prev(target);
    }
    fn next(&mut self) {
        self.inner().next();
    }
    fn prev(&mut self) {
        self.inner().prev();
    }
    fn key(&self) -> &[u8] {
        self.0.key()
    }
    fn value(&self) -> &[u8] {
        self.0.value()
    }
    fn status(&self) -> Result<()> {
        self.0.status()
    }
}

#[test]
fn what_a_newer_place_deletes_is_left_by_seeks() {
    let order = KeyOrder::bytewise();
    let entries =
        (0..5_000).map(|i| (ikey(format!("{i:04}").as_bytes(), 1, ValueType::Value), Vec::new()));
    let moves = Arc::new(AtomicU64::new(0));
    let child = Counting(VecIter::new(order.clone(), entries.collect()), Arc::clone(&moves));
    // A hundred adjacent fragments, then a gap of one key.
    let bounds: Vec<String> = (0..=100).map(|i| format!("{:04}", 40 * i)).collect();
    let tombstones = bounds.windows(2).map(|w| crate::rangedel::Tombstone {
        begin: w[0].as_bytes(),
        end: w[1].as_bytes(),
        seq: 5,
    });
    let run = Run::new([Arc::new(Fragments::new(&order, tombstones))]);
    let empty: Box<dyn InternalIterator> = Box::new(VecIter::new(order.clone(), Vec::new()));
    let children = vec![empty, Box::new(child) as Box<dyn InternalIterator>];
    let mut children = hide_covered(&order, 9, children, &[vec![run]]);
    let iter = &mut children[1];
    iter.seek_to_first();
    assert_eq!(user_part(iter.key()), b"4000");
    iter.prev();
    assert!(!iter.valid());
    iter.seek(&ikey(b"0500", 9, ValueType::Value));
    assert_eq!(user_part(iter.key()), b"4000");
    assert!(moves.load(Ordering::Relaxed) < 10, "{moves:?}");
}
