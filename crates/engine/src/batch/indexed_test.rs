//! The index against a model: the same operations on plain maps.

use super::*;
use crate::base::ReverseBytewiseComparator;
use std::sync::Arc;

fn merged<'a>(base: MergeBase<'a>, operands: &[&'a [u8]]) -> BatchLookup<'a> {
    BatchLookup::Merge { base, operands: operands.to_vec() }
}

#[test]
fn the_newest_update_is_what_a_key_has() {
    let mut batch = IndexedBatch::default();
    assert_eq!(batch.get(0, b"a"), BatchLookup::NotFound);
    batch.put_cf(0, b"a", b"1").unwrap();
    batch.put_cf(7, b"a", b"seven").unwrap();
    assert_eq!(batch.get(0, b"a"), BatchLookup::Value(b"1"));
    assert_eq!(batch.get(7, b"a"), BatchLookup::Value(b"seven"));
    batch.delete_cf(0, b"a").unwrap();
    assert_eq!(batch.get(0, b"a"), BatchLookup::Deleted);
    batch.put_cf(0, b"a", b"").unwrap();
    assert_eq!(batch.get(0, b"a"), BatchLookup::Value(b""));
    assert_eq!(batch.batch().count(), 4, "the batch keeps every record");
}

#[test]
fn merges_stand_on_what_lies_below_them() {
    let mut batch = IndexedBatch::default();
    batch.merge_cf(0, b"k", b"x").unwrap();
    batch.merge_cf(0, b"k", b"y").unwrap();
    assert_eq!(batch.get(0, b"k"), merged(MergeBase::Database, &[b"x", b"y"]));
    batch.put_cf(0, b"k", b"v").unwrap();
    batch.merge_cf(0, b"k", b"z").unwrap();
    assert_eq!(batch.get(0, b"k"), merged(MergeBase::Value(b"v"), &[b"z"]));
    batch.single_delete_cf(0, b"k").unwrap();
    batch.merge_cf(0, b"k", b"w").unwrap();
    assert_eq!(batch.get(0, b"k"), merged(MergeBase::Nothing, &[b"w"]));
}

#[test]
fn a_rollback_undoes_what_came_after_the_save_point() {
    let mut batch = IndexedBatch::default();
    batch.put_cf(0, b"a", b"1").unwrap();
    batch.set_save_point();
    batch.put_cf(0, b"a", b"2").unwrap();
    batch.put_cf(0, b"b", b"2").unwrap();
    batch.rollback_to_save_point().unwrap();
    assert_eq!(batch.get(0, b"a"), BatchLookup::Value(b"1"));
    assert_eq!(batch.get(0, b"b"), BatchLookup::NotFound);
    assert_eq!(batch.first_key(0, Bound::Excluded(b"a")), None);
    assert!(batch.rollback_to_save_point().is_err());
}

#[test]
fn keys_come_in_the_order_of_their_family() {
    let mut batch = IndexedBatch::default();
    batch.register(3, &KeyOrder::new(Arc::new(ReverseBytewiseComparator)));
    for key in [b"b", b"a", b"c"] {
        batch.put_cf(0, key, b"").unwrap();
        batch.put_cf(3, key, b"").unwrap();
    }
    let walk = |cf| {
        let mut keys = Vec::new();
        let mut next = batch.first_key(cf, Bound::Unbounded);
        while let Some(key) = next {
            keys.push(key.to_vec());
            next = batch.first_key(cf, Bound::Excluded(key));
        }
        keys.concat()
    };
    assert_eq!(walk(0), b"abc");
    assert_eq!(walk(3), b"cba");
    assert_eq!(batch.last_key(0, Bound::Unbounded), Some(&b"c"[..]));
    assert_eq!(batch.last_key(3, Bound::Included(b"b")), Some(&b"b"[..]));
}

#[test]
fn a_range_deletion_is_refused_and_leaves_the_batch() {
    let mut batch = IndexedBatch::default();
    let e = batch.delete_range_cf(0, b"a", b"b").unwrap_err().to_string();
    assert_eq!(e, "Not implemented: DeleteRange unsupported in WriteBatchWithIndex");
    assert!(batch.batch().is_empty());
}

#[test]
fn what_does_not_fit_leaves_the_batch_as_it_was() {
    let mut batch = IndexedBatch::default();
    batch.add_within(40, |b| b.put_cf(0, b"a", b"1")).unwrap();
    let e = batch.add_within(40, |b| b.put_cf(0, b"a", &[7; 60])).unwrap_err();
    assert_eq!(e.to_string(), "Operation aborted: Memory limit reached");
    assert_eq!(batch.get(0, b"a"), BatchLookup::Value(b"1"));
    assert_eq!(batch.batch().count(), 1);
    batch.add_within(0, |b| b.put_cf(0, b"a", &[7; 60])).expect("0 is no limit");
}
