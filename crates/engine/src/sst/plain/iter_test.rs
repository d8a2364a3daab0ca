use super::super::test_util::*;
use crate::base::{InternalIterator, KeyOrder, ValueType};
use crate::options::{PlainTableEncoding, PlainTableOptions};
use crate::sst::TableIterOptions;
use std::collections::BTreeSet;

fn position(iter: &dyn InternalIterator) -> Option<(Vec<u8>, Vec<u8>)> {
    iter.status().unwrap();
    iter.valid().then(|| (iter.key().to_vec(), iter.value().to_vec()))
}

/// Makes random moves and compares each position with a sorted list of the entries that the
/// iterator may return.
fn walk(
    iter: &mut dyn InternalIterator,
    rng: &mut fastrand::Rng,
    entries: &[Entry],
    prefix_len: Option<usize>,
    order: &KeyOrder,
) {
    // The visible entries, and the position among them.
    iter.seek_to_first();
    let mut visible: Vec<&Entry> = entries.iter().collect();
    let mut at = (!visible.is_empty()).then_some(0);
    for _ in 0..300 {
        let op = rng.u8(..8);
        let before = at;
        match op {
            0 => {
                iter.seek_to_first();
                visible = entries.iter().collect();
                at = (!visible.is_empty()).then_some(0);
            }
            1 => {
                iter.seek_to_last();
                visible = entries.iter().collect();
                at = visible.len().checked_sub(1);
            }
            op @ (2 | 3) => {
                let len = rng.usize(..6);
                let key: Vec<u8> = (0..len).map(|_| b"abcd"[rng.usize(..4)]).collect();
                let target = internal_key(&key, rng.u64(..100), ValueType::Value);
                let bound = prefix_len.filter(|&n| key.len() >= n).map(|n| &key[..n]);
                visible = entries
                    .iter()
                    .filter(|(k, _)| bound.is_none_or(|b| k[..k.len() - 8].starts_with(b)))
                    .collect();
                let below = visible.partition_point(|e| order.compare(&e.0, &target).is_lt());
                if op == 2 {
                    iter.seek(&target);
                    at = (below < visible.len()).then_some(below);
                } else {
                    iter.seek_for_prev(&target);
                    let exact = visible.get(below).is_some_and(|e| e.0 == target);
                    at = if exact { Some(below) } else { below.checked_sub(1) };
                }
            }
            4 | 5 if at.is_some() => {
                iter.prev();
                at = at.and_then(|i| i.checked_sub(1));
            }
            _ if at.is_some() => {
                iter.next();
                at = at.map(|i| i + 1).filter(|&i| i < visible.len());
            }
            _ => {}
        }
        assert_eq!(
            position(iter),
            at.map(|i| visible[i].clone()),
            "operation {op} from {before:?}, prefix {prefix_len:?}"
        );
    }
}

#[test]
fn iterators_agree_with_a_sorted_list_in_all_variants() {
    let mut rng = fastrand::Rng::with_seed(11);
    let order = KeyOrder::bytewise();
    for _ in 0..200 {
        let mut keys = BTreeSet::new();
        for seq in 0..rng.u64(..100) {
            let len = rng.usize(..6);
            let key: Vec<u8> = (0..len).map(|_| b"abcd"[rng.usize(..4)]).collect();
            keys.insert((key, std::cmp::Reverse(seq)));
        }
        let entries: Vec<Entry> = keys
            .into_iter()
            .map(|(key, seq)| (internal_key(&key, seq.0, ValueType::Value), vec![b'v'; 3]))
            .collect();
        let prefix_len = [None, Some(1), Some(2), Some(4)][rng.usize(..4)];
        let name = prefix_len.map_or(String::new(), |n| format!("fixed:{n}"));
        let encoding_type =
            if rng.bool() { PlainTableEncoding::Prefix } else { PlainTableEncoding::Plain };
        let opts = PlainTableOptions {
            encoding_type,
            index_sparseness: rng.usize(1..8),
            ..PlainTableOptions::default()
        };
        let table = open(build(&order, &name, opts, &entries), &order, &name, opts, true).unwrap();
        let ro = TableIterOptions { total_order: true, ..TableIterOptions::default() };
        walk(&mut table.iter(&ro), &mut rng, &entries, None, &order);
        let mut bound = table.iter(&TableIterOptions::default());
        walk(&mut bound, &mut rng, &entries, prefix_len, &order);
        // An iterator keeps the file open.
        drop(table);
        walk(&mut bound, &mut rng, &entries, prefix_len, &order);
    }
}
