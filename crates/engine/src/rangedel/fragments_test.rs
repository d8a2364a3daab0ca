use super::*;
use crate::base::ReverseBytewiseComparator;
use crate::rangedel::testing::{Owned, key, newest_over, random};

const KEYS: u32 = 30;

fn orders() -> [KeyOrder; 2] {
    [KeyOrder::bytewise(), KeyOrder::new(Arc::new(ReverseBytewiseComparator))]
}

fn check_shape(order: &KeyOrder, fragments: &Fragments) {
    let all: Vec<_> = fragments.iter().collect();
    for f in &all {
        assert!(order.compare_user(f.begin, f.end).is_lt() && !f.seqs.is_empty());
        assert!(f.seqs.is_sorted_by(|a, b| a > b));
    }
    assert!(all.is_sorted_by(|a, b| order.compare_user(a.end, b.begin).is_le()));
}

#[test]
fn fragments_say_what_the_tombstones_say() {
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        for order in orders() {
            let n = rng.usize(..12);
            let all = random(&mut rng, n, KEYS, |rng| 1 + rng.u64(..20));
            let fragments = Fragments::new(&order, all.iter().map(Owned::as_ref));
            check_shape(&order, &fragments);
            for k in 0..KEYS {
                for at in 0..22 {
                    let expected = newest_over(&order, &all, &key(k), at);
                    assert_eq!(fragments.newest_over(&key(k), at), expected, "{seed} {all:?}");
                }
            }
        }
    }
}

#[test]
fn one_tombstone_per_stripe_is_enough() {
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let order = KeyOrder::bytewise();
        let all = random(&mut rng, 10, KEYS, |rng| 1 + rng.u64(..40));
        let mut snapshots: Vec<SeqNo> = (0..rng.usize(..4)).map(|_| rng.u64(..42)).collect();
        snapshots.sort_unstable();
        snapshots.dedup();
        let fragments = Fragments::for_snapshots(&order, all.iter().map(Owned::as_ref), &snapshots);
        check_shape(&order, &fragments);
        for f in fragments.iter() {
            assert!(f.seqs.len() <= snapshots.len() + 1);
        }
        for k in 0..KEYS {
            for &at in snapshots.iter().chain(&[SeqNo::MAX]) {
                let expected = newest_over(&order, &all, &key(k), at);
                assert_eq!(fragments.newest_over(&key(k), at), expected, "{seed} {all:?}");
            }
        }
    }
}

#[test]
fn what_became_alike_grows_together() {
    let order = KeyOrder::bytewise();
    let ends: Vec<Vec<u8>> = (1..100).map(key).collect();
    let nested = || {
        let all = ends.iter().enumerate();
        all.map(|(i, end)| Tombstone { begin: b"k", end, seq: 1 + i as u64 })
    };
    let all = Fragments::new(&order, nested());
    assert_eq!((all.len(), all.num_tombstones(), all.tombstones().count()), (99, 99, 99 * 50));
    assert_eq!(all.ranges(), [(&b"k"[..], &ends[98][..])]);
    let newest = Fragments::for_snapshots(&order, nested(), &[]);
    let f = newest.get(0).unwrap();
    assert_eq!((newest.len(), f.begin, f.end, f.seqs), (1, &b"k"[..], &ends[98][..], &[99][..]));
    assert!(newest.memory_usage() < 400);
}

#[test]
fn clipping_keeps_what_lies_inside() {
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let order = KeyOrder::bytewise();
        let all = random(&mut rng, 8, KEYS, |rng| 1 + rng.u64(..20));
        let whole = Fragments::new(&order, all.iter().map(Owned::as_ref));
        let bound = |rng: &mut fastrand::Rng| rng.bool().then(|| key(rng.u32(..KEYS)));
        let (lower, upper) = (bound(&mut rng), bound(&mut rng));
        let clipped = whole.clipped(lower.as_deref(), upper.as_deref());
        check_shape(&order, &clipped);
        for k in (0..KEYS).map(key) {
            let inside =
                lower.as_ref().is_none_or(|l| *l <= k) && upper.as_ref().is_none_or(|u| k < *u);
            let expected = if inside { whole.newest_over(&k, 99) } else { 0 };
            assert_eq!(clipped.newest_over(&k, 99), expected, "{seed}");
        }
    }
}

#[test]
fn a_file_of_tombstones_that_all_overlap_is_refused() {
    let order = KeyOrder::bytewise();
    let keys: Vec<[u8; 4]> = (0..12_000u32).map(u32::to_be_bytes).collect();
    let (begins, ends) = keys.split_at(6_000);
    let all = |distinct: bool| {
        let pairs = begins.iter().zip(ends).enumerate();
        let tombstone = move |(i, (begin, end)): (usize, (&'_ [u8; 4], &'_ [u8; 4]))| Owned {
            begin: begin.to_vec(),
            end: end.to_vec(),
            seq: if distinct { 1 + i as u64 } else { 7 },
        };
        pairs.map(tombstone).collect::<Vec<_>>()
    };
    let e = Fragments::from_file(&order, all(true).iter().map(Owned::as_ref)).unwrap_err();
    assert!(e.is_corruption() && e.message().contains("overlap too often"), "{e}");
    assert!(Fragments::from_file(&order, all(false).iter().map(Owned::as_ref)).is_ok());
}
