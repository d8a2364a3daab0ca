use super::*;
use crate::store::local::{LocalStore, StoreOptions};
use crate::store::{Durability, Format};
use std::collections::BTreeMap;

const P: Partition = Partition(1);

/// Reads through a transaction equal reads of a model, forwards, backwards and by key.
#[test]
fn reads_see_own_writes_like_a_map() {
    let dir = tempfile::tempdir().unwrap();
    let store = LocalStore::open(dir.path(), StoreOptions::new(Durability::Os, 64 << 20, 2));
    let store = store.unwrap();
    store.create_partition(P, Format::Redis).unwrap();
    let mut random = fastrand::Rng::with_seed(11);
    let mut txn = Txn::new(store.clone());
    let mut model = BTreeMap::new();
    for _ in 0..400 {
        for _ in 0..random.usize(1..12) {
            let key = vec![b'M', random.u8(..40)];
            match random.u8(..10) {
                0..6 => {
                    let value = vec![random.u8(..)];
                    txn.put(P, &key, &value).unwrap();
                    model.insert(key, value);
                }
                6..9 => {
                    txn.delete(P, &key).unwrap();
                    model.remove(&key);
                }
                _ => {
                    let end = vec![b'M', key[1].saturating_add(random.u8(..10))];
                    let range =
                        Range { start: RowKey::from_slice(&key), end: RowKey::from_slice(&end) };
                    txn.delete_range(P, &range).unwrap();
                    model.retain(|at, _| *at < key || *at >= end);
                }
            }
        }
        check(&txn, &model, &mut random);
        if random.bool() {
            txn.commit().unwrap();
            check(&txn, &model, &mut random);
        }
    }
    store.close().unwrap();
}

fn check(txn: &Txn, model: &BTreeMap<Vec<u8>, Vec<u8>>, random: &mut fastrand::Rng) {
    for i in 0..40 {
        let key = [b'M', i];
        let found = txn.get(P, &key, <[u8]>::to_vec).unwrap();
        assert_eq!(found.as_ref(), model.get(&key[..]));
    }
    let from = random.u8(..40);
    let pair = |(key, value): (&[u8], &[u8])| (key.to_vec(), value.to_vec());
    let mut rows = txn.rows(P, Range::prefix(b"M")).unwrap();
    let mut seen = Vec::new();
    let mut row = rows.seek(&[b'M', from]).unwrap().map(pair);
    while let Some(found) = row {
        seen.push(found);
        row = rows.next().unwrap().map(pair);
    }
    let expected: Vec<_> = model.range(vec![b'M', from]..).collect();
    assert!(seen.iter().map(|(key, value)| (key, value)).eq(expected));
    let mut seen = Vec::new();
    let mut row = rows.seek_for_prev(&[b'M', from]).unwrap().map(pair);
    while let Some(found) = row {
        seen.push(found);
        row = rows.next().unwrap().map(pair);
    }
    let expected: Vec<_> = model.range(..=vec![b'M', from]).rev().collect();
    assert!(seen.iter().map(|(key, value)| (key, value)).eq(expected));
}

/// A cursor that cannot read its table.
struct Broken;

impl RowCursor for Broken {
    fn seek_to_end(&mut self, _: bool) {}
    fn seek(&mut self, _: &[u8]) {}
    fn seek_for_prev(&mut self, _: &[u8]) {}
    fn step(&mut self, _: bool) {}
    fn item(&self) -> Option<(&[u8], &[u8])> {
        None
    }
    fn status(&self) -> Result<()> {
        Err(crate::error::Error::corrupt("a block".to_owned()))
    }
}

#[test]
fn own_rows_do_not_hide_that_stored_ones_cannot_be_read() {
    let own = Part { rows: vec![(RowKey::from_slice(b"M1"), Some(vec![1]))], deleted: Vec::new() };
    let cursor = Box::new(Broken);
    let mut rows = Rows { cursor, own, own_at: 0, current: Current::None, is_backwards: false };
    assert!(rows.first().is_err());
    assert!(rows.last().is_err());
    assert!(rows.seek(b"M").is_err());
    assert!(rows.seek_for_prev(b"M2").is_err());
    assert_eq!(rows.item(), None);
}
