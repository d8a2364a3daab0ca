use super::*;
use crate::base::ValueType;
use crate::iter::vec_iter::{Entry, VecIter, ikey};
use crate::rangedel::testing::{Owned, key, newest_over, random};

fn job(order: &KeyOrder, all: &[Owned], snapshots: &[SeqNo]) -> Option<JobTombstones> {
    let half = all.len() / 2;
    let input = |all: &[Owned]| Arc::new(Fragments::new(order, all.iter().map(Owned::as_ref)));
    JobTombstones::new(order, &[input(&all[..half]), input(&all[half..])], snapshots)
}

/// Readers at the snapshots and at the end see the same contents before and after the job.
#[test]
fn nobody_sees_that_entries_were_dropped() {
    let order = KeyOrder::bytewise();
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let all = random(&mut rng, 6, 20, |rng| 1 + 2 * rng.u64(..50));
        let mut snapshots: Vec<SeqNo> = (0..rng.usize(..4)).map(|_| rng.u64(..102)).collect();
        snapshots.sort_unstable();
        let Some(tombstones) = job(&order, &all, &snapshots) else { continue };
        let mut entries: Vec<Entry> = (0..80)
            .map(|i| (ikey(&key(rng.u32(..20)), 2 * rng.u64(1..50), ValueType::Value), vec![i]))
            .collect();
        entries.sort_by(|a, b| order.compare(&a.0, &b.0));
        entries.dedup_by(|a, b| a.0 == b.0);
        let written = tombstones.to_write(None, None, |_, _| true).take(None);
        let mut kept = Vec::new();
        let mut iter =
            tombstones.hide(&order, Box::new(VecIter::new(order.clone(), entries.clone())));
        iter.seek_to_first();
        while iter.valid() {
            kept.push(iter.key().to_vec());
            iter.next();
        }
        assert_eq!(tombstones.num_hidden() as usize, entries.len() - kept.len());
        for &at in snapshots.iter().chain(&[200]) {
            for k in (0..20).map(key) {
                let newest = |mut keys: Box<dyn Iterator<Item = &Vec<u8>> + '_>, over: SeqNo| {
                    keys.find(|ik| {
                        crate::base::key::user_key(ik) == k && crate::base::key::sequence(ik) <= at
                    })
                    .filter(|ik| crate::base::key::sequence(ik) > over)
                    .cloned()
                };
                let before = newest(
                    Box::new(entries.iter().map(|e| &e.0)),
                    newest_over(&order, &all, &k, at),
                );
                let after = newest(Box::new(kept.iter()), written.newest_over(&k, at));
                assert_eq!(before, after, "seed {seed}, reader {at}");
            }
        }
    }
}

#[test]
fn tables_share_the_range_without_gap() {
    let order = KeyOrder::bytewise();
    for seed in 0..100 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let all = random(&mut rng, 6, 20, |rng| 1 + rng.u64(..50));
        let Some(tombstones) = job(&order, &all, &[]) else { continue };
        let (lower, upper) = (key(3), key(17));
        let whole = tombstones.to_write(Some(&lower), Some(&upper), |_, _| false);
        let mut rest = tombstones.to_write(Some(&lower), Some(&upper), |_, _| false);
        let mut cuts: Vec<u32> = (0..rng.usize(..4)).map(|_| rng.u32(3..17)).collect();
        cuts.sort_unstable();
        let mut parts: Vec<Fragments> = cuts.iter().map(|c| rest.take(Some(&key(*c)))).collect();
        parts.push(rest.take(None));
        for k in (0..20).map(key) {
            let over: Vec<SeqNo> =
                parts.iter().map(|p| p.newest_over(&k, 99)).filter(|s| *s > 0).collect();
            let expected = whole.fragments.newest_over(&k, 99);
            assert_eq!(over, if expected > 0 { vec![expected] } else { vec![] });
            assert!(expected == 0 || (lower <= k && k < upper));
        }
    }
}

#[test]
fn tombstones_go_where_nothing_is_left_and_no_snapshot_needs_them() {
    let order = KeyOrder::bytewise();
    let one = |begin: u32, end: u32, seq| Owned { begin: key(begin), end: key(end), seq };
    let all = [one(1, 5, 10), one(3, 8, 20)];
    let tombstones = job(&order, &all, &[15]).unwrap();
    let mut written = tombstones.to_write(None, None, |_, _| true);
    assert_eq!(written.num_dropped(), 2);
    let left = written.take(None);
    let found: Vec<_> = left.iter().map(|f| (f.begin.to_vec(), f.seqs.to_vec())).collect();
    assert_eq!(found, [(key(3), vec![20]), (key(5), vec![20])]);
    let deeper = |begin: &[u8], end: &[u8]| !(begin < &key(2)[..] && &key(1)[..] <= end);
    assert_eq!(tombstones.to_write(None, None, deeper).take(None).newest_over(&key(1), 99), 10);
}
