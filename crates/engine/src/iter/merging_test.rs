use super::*;
use crate::base::{BytewiseComparator, Comparator, ReverseBytewiseComparator, ValueType};
use crate::iter::testing::Conformance;
use crate::iter::vec_iter::{Entry, VecIter, ikey};
use std::cmp::Ordering;
use std::sync::Arc;

/// The order of bytes under another name, so that `KeyOrder` treats it as custom.
struct Unknown;

impl Comparator for Unknown {
    fn name(&self) -> &str {
        "test.Unknown"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        BytewiseComparator.compare(a, b)
    }
}

fn orders() -> [KeyOrder; 3] {
    [
        KeyOrder::bytewise(),
        KeyOrder::new(Arc::new(ReverseBytewiseComparator)),
        KeyOrder::new(Arc::new(Unknown)),
    ]
}

/// User keys of several shapes: short ones, long shared prefixes, zero bytes, prefixes of others.
fn random_user_key(rng: &mut fastrand::Rng, shape: u8) -> Vec<u8> {
    let n = rng.u32(0..60);
    match shape {
        0 => format!("{n}").into_bytes(),
        1 => format!("user{:010}", n * 977).into_bytes(),
        2 => vec![0; rng.usize(0..12)],
        3 => [&b"a-very-long-shared-prefix-"[..], &n.to_be_bytes()[2..], b"tail"].concat(),
        _ => (0..rng.usize(0..4)).map(|_| rng.choice([0, 1, b'a', 0xFF]).unwrap()).collect(),
    }
}

fn random_children(rng: &mut fastrand::Rng, order: &KeyOrder) -> Vec<Vec<Entry>> {
    let shape = rng.u8(0..6);
    let mut children = vec![Vec::new(); rng.usize(2..9)];
    for seq in 1..rng.u64(2..200) {
        let shape = if shape == 5 { rng.u8(0..5) } else { shape };
        let key = ikey(&random_user_key(rng, shape), seq, ValueType::Value);
        let child = rng.usize(0..children.len());
        children[child].push((key, seq.to_string().into_bytes()));
    }
    for child in &mut children {
        child.sort_by(|a, b| order.compare(&a.0, &b.0));
    }
    children
}

fn merge(order: &KeyOrder, children: &[Vec<Entry>]) -> Box<dyn InternalIterator> {
    let iters = children.iter().map(|entries| {
        Box::new(VecIter::new(order.clone(), entries.clone())) as Box<dyn InternalIterator>
    });
    merging_iterator(order.clone(), iters.collect())
}

#[test]
fn random_children_merge_as_their_sorted_sum() {
    for seed in 0..100 {
        let mut rng = fastrand::Rng::with_seed(seed);
        for order in orders() {
            let children = random_children(&mut rng, &order);
            let mut all: Vec<Entry> = children.concat();
            all.sort_by(|a, b| order.compare(&a.0, &b.0));
            let check = Conformance { walks: 4, ..Conformance::new(order.clone(), &all) };
            check.check(|| merge(&order, &children));
        }
    }
}

#[test]
fn few_children_need_no_tree() {
    let order = KeyOrder::bytewise();
    let entries = vec![(ikey(b"k", 1, ValueType::Value), b"v".to_vec())];
    Conformance::new(order.clone(), &[]).check(|| merge(&order, &[]));
    Conformance::new(order.clone(), &entries)
        .check(|| merge(&order, std::slice::from_ref(&entries)));
    Conformance::new(order.clone(), &entries).check(|| merge(&order, &[vec![], entries.clone()]));
    Conformance::new(order.clone(), &[]).check(|| merge(&order, &[vec![], vec![]]));
}

/// Completely equal keys (an ingested file could contain them) are returned once per child, in the
/// order of the children, in both directions.
#[test]
fn equal_keys_keep_the_order_of_their_children() {
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let order = KeyOrder::bytewise();
        let children: Vec<Vec<Entry>> = (0..4u8)
            .map(|c| {
                let keys = (0..6u8).filter(|_| rng.bool());
                keys.map(|k| (ikey(&[k], 7, ValueType::Value), vec![c])).collect()
            })
            .collect();
        let mut all = children.concat();
        all.sort();
        let mut iter = merge(&order, &children);
        let mut at = None;
        for _ in 0..60 {
            at = match (at, rng.u8(0..10)) {
                (_, 0) => {
                    iter.seek_to_first();
                    Some(0)
                }
                (_, 1) => {
                    iter.seek_to_last();
                    all.len().checked_sub(1)
                }
                (Some(i), 2..6) => {
                    iter.prev();
                    usize::checked_sub(i, 1)
                }
                (Some(i), _) => {
                    iter.next();
                    Some(i + 1)
                }
                (None, _) => None,
            };
            at = at.filter(|&i| i < all.len());
            let seen = iter.valid().then(|| (iter.key().to_vec(), iter.value().to_vec()));
            assert_eq!(seen, at.map(|i| all[i].clone()), "seed {seed}");
        }
    }
}

/// I4: an error of any child ends the iteration, in both directions, and the next seek starts anew.
#[test]
fn an_error_of_a_child_stops_the_walk() {
    let order = KeyOrder::bytewise();
    let key = |i: u8| (ikey(&[i], 1, ValueType::Value), vec![i]);
    let even: Vec<Entry> = (0..10).map(|i| key(2 * i)).collect();
    let odd: Vec<Entry> = (0..10).map(|i| key(2 * i + 1)).collect();
    for fail_on in 0..10 {
        let failing = VecIter::new(order.clone(), odd.clone()).failing_on(fail_on);
        let good = VecIter::new(order.clone(), even.clone());
        let mut iter = merging_iterator(order.clone(), vec![Box::new(good), Box::new(failing)]);
        let mut seen = 0;
        iter.seek_to_first();
        while iter.valid() {
            seen += 1;
            iter.next();
        }
        // The failing child is one entry ahead of the others.
        assert_eq!(seen, if fail_on == 0 { 0 } else { 2 * fail_on }, "failing on {fail_on}");
        assert!(iter.status().unwrap_err().is_corruption());
        iter.seek_to_last();
        seen = 0;
        while iter.valid() {
            seen += 1;
            iter.prev();
        }
        assert!(iter.status().unwrap_err().is_corruption());
        assert_eq!(seen, if fail_on == 9 { 0 } else { 2 * (9 - fail_on) - 1 });
        iter.seek(&even[9].0);
        assert_eq!((iter.valid(), iter.status().is_ok()), (fail_on != 9, fail_on != 9));
    }
}
