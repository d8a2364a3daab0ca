use super::*;
use crate::base::MAX_SEQUENCE_NUMBER;
use crate::base::key::user_key;
use crate::fs::fault::{Fault, FaultFs, FaultKind, Op};
use crate::version::testing::{Tables, ikey};

/// A level of `files` files with gaps between keys and between files: all keys are odd numbers.
fn level(tables: &Tables, files: u64) -> (Arc<Level>, Vec<Vec<u8>>) {
    let mut keys = Vec::new();
    let mut metas = Vec::new();
    for f in 0..files {
        let own: Vec<_> =
            (0..10).map(|i| ikey(format!("{:05}", 1 + 2 * (f * 13 + i)), 7)).collect();
        let entries: Vec<_> = own.iter().map(|k| (k.clone(), user_key(k).to_vec())).collect();
        metas.push(Arc::new(tables.write(f + 1, &entries)));
        keys.extend(own);
    }
    (Arc::new(Level::new(tables.order.clone(), metas)), keys)
}

fn iter(level: &Arc<Level>, tables: &Arc<TableCache>) -> LevelIter {
    LevelIter::new(level, tables, &TableIterOptions::default())
}

#[test]
fn a_level_reads_as_one_sequence_in_both_directions() {
    let tables = Tables::new();
    let (level, keys) = level(&tables, 5);
    let mut iter = iter(&level, &tables.cache(None));
    assert!(!iter.valid(), "I1");
    let mut seen = Vec::new();
    iter.seek_to_first();
    while iter.valid() {
        assert_eq!(iter.value(), user_key(iter.key()));
        seen.push(iter.key().to_vec());
        iter.next();
    }
    assert_eq!(seen, keys);
    seen.clear();
    iter.seek_to_last();
    while iter.valid() {
        seen.push(iter.key().to_vec());
        iter.prev();
    }
    seen.reverse();
    assert_eq!(seen, keys);
    assert!(iter.status().is_ok());
}

#[test]
fn seeks_and_turns_agree_with_a_sorted_list() {
    let tables = Tables::new();
    // More files than an iterator keeps open.
    let (level, keys) = level(&tables, LEFT_MAX as u64 + 4);
    let order = tables.order.clone();
    let mut iter = iter(&level, &tables.cache(None));
    let mut rng = fastrand::Rng::with_seed(9);
    for _ in 0..5000 {
        let target =
            ikey(format!("{:05}", rng.u32(..320)), [0, 7, MAX_SEQUENCE_NUMBER][rng.usize(..3)]);
        let mut at = if rng.bool() {
            iter.seek(&target);
            keys.iter().position(|k| order.compare(k, &target).is_ge())
        } else {
            iter.seek_for_prev(&target);
            keys.iter().rposition(|k| order.compare(k, &target).is_le())
        };
        for _ in 0..rng.usize(..15) {
            assert_eq!(iter.valid().then(|| iter.key()), at.map(|i| &keys[i][..]));
            let Some(i) = at else { break };
            if rng.bool() {
                iter.next();
                at = (i + 1 < keys.len()).then_some(i + 1);
            } else {
                iter.prev();
                at = i.checked_sub(1);
            }
        }
        assert!(iter.status().is_ok());
    }
}

#[test]
fn an_empty_level_is_an_empty_sequence() {
    let tables = Tables::new();
    let (level, _) = level(&tables, 0);
    let mut iter = iter(&level, &tables.cache(None));
    iter.seek_to_first();
    assert!(!iter.valid());
    iter.seek_to_last();
    assert!(!iter.valid());
    iter.seek(&ikey("k", 1));
    assert!(!iter.valid());
    iter.seek_for_prev(&ikey("k", 1));
    assert!(!iter.valid() && iter.status().is_ok());
}

#[test]
fn a_file_that_does_not_open_stops_the_walk() {
    let tables = Tables::new();
    let (level, keys) = level(&tables, 3);
    let fs = FaultFs::new(Arc::clone(&tables.fs));
    fs.inject(Fault::always(Op::Open, "000002", FaultKind::Io));
    let cache = tables.cache_on(Arc::new(fs.clone()), None);
    let mut iter = iter(&level, &cache);
    iter.seek_to_first();
    let mut count = 0;
    while iter.valid() {
        count += 1;
        iter.next();
    }
    assert_eq!(count, 10);
    assert!(iter.status().is_err(), "I4");
    iter.seek_to_last();
    assert!(iter.valid() && iter.status().is_ok());
    fs.clear();
    iter.seek(&keys[10]);
    assert_eq!(iter.key(), keys[10]);
}
