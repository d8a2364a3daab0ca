use super::*;
use crate::base::{BytewiseComparator, Comparator, InternalIterator, KeyOrder};
use crate::base::{LookupBuffer, ReverseBytewiseComparator};
use crate::options::{ColumnFamilyOptions, MemtableFactory};
use std::sync::Arc;

/// Enough entries for trees that do not fit into a core's caches, so that additions overlap.
const ENTRIES: u64 = if cfg!(miri) { 200 } else { 60_000 };

fn table(comparator: Arc<dyn Comparator>, options: &ColumnFamilyOptions) -> Arc<MemTable> {
    MemTable::new(1, KeyOrder::new(comparator), options, 0)
}

fn get(table: &MemTable, key: &[u8]) -> Option<Vec<u8>> {
    let mut ctx = GetContext::new(key, None);
    table.get(&LookupBuffer::new(key, u64::MAX >> 8).key(), &mut ctx);
    ctx.finish().unwrap().map(|v| v.into_vec())
}

/// The internal keys and values of a memtable in its order.
fn contents(table: &Arc<MemTable>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut iterator = table.iter(true);
    iterator.seek_to_first();
    let mut found = Vec::new();
    while iterator.valid() {
        found.push((iterator.key().to_vec(), iterator.value().to_vec()));
        iterator.next();
    }
    found
}

/// Adds random records, of which every key occurs about three times, to two memtables in turn: together to `many`, and
/// one by one to `single`.
fn fill(many: [&Arc<MemTable>; 2], single: [&Arc<MemTable>; 2], seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut additions = Additions::default();
    for seq in 1..=ENTRIES {
        let at = random.usize(..2);
        let kind = if random.u8(..8) == 0 { ValueType::Deletion } else { ValueType::Value };
        let key = format!("key:{:012}", random.u64(..ENTRIES / 3));
        let value = if kind == ValueType::Value { seq.to_string() } else { String::new() };
        let (key, value) = (key.as_bytes(), value.as_bytes());
        additions.add(many[at], seq, kind, key, value);
        single[at].add(seq, kind, key, value);
        if random.u8(..16) == 0 {
            additions.finish();
        }
    }
    additions.finish();
}

#[test]
fn additions_together_give_the_same_memtables_as_one_by_one() {
    let orders: [Arc<dyn Comparator>; 2] =
        [Arc::new(BytewiseComparator), Arc::new(ReverseBytewiseComparator)];
    let vector = MemtableFactory::Vector { count: 0 };
    let vector = ColumnFamilyOptions { memtable_factory: vector, ..ColumnFamilyOptions::default() };
    for (seed, order) in orders.into_iter().enumerate() {
        for options in [&ColumnFamilyOptions::default(), &vector] {
            let [a, b, c, d] = [(); 4].map(|()| table(order.clone(), options));
            fill([&a, &b], [&c, &d], seed as u64);
            for (many, single) in [(&a, &c), (&b, &d)] {
                assert_eq!(many.num_entries(), single.num_entries());
                assert_eq!(many.num_deletes(), single.num_deletes());
                assert_eq!(many.raw_data_size(), single.raw_data_size());
                assert_eq!(many.first_sequence(), single.first_sequence());
                assert!(contents(many) == contents(single), "{}", order.name());
            }
        }
    }
}

#[test]
fn additions_are_found_when_they_are_finished() {
    let t = table(Arc::new(BytewiseComparator), &ColumnFamilyOptions::default());
    let mut additions = Additions::default();
    additions.add(&t, 1, ValueType::Value, b"a", b"1");
    additions.add(&t, 2, ValueType::Value, b"a", b"2");
    assert!(t.is_empty());
    additions.finish();
    assert_eq!((get(&t, b"a").unwrap(), t.num_entries()), (b"2".to_vec(), 2));
    additions.finish();
    assert_eq!(t.num_entries(), 2);
}

#[test]
fn writers_of_many_and_readers_at_the_same_time() {
    let t = table(Arc::new(BytewiseComparator), &ColumnFamilyOptions::default());
    let each = ENTRIES / 4;
    std::thread::scope(|scope| {
        for writer in 0..4u64 {
            let t = &t;
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(writer);
                let mut order: Vec<u64> = (0..each).collect();
                random.shuffle(&mut order);
                for (batch, ids) in order.chunks(16).enumerate() {
                    let mut additions = Additions::default();
                    for (i, id) in ids.iter().enumerate() {
                        let seq = 1 + writer * each + (batch * 16 + i) as u64;
                        let key = format!("key:{:08}", id * 4 + writer);
                        additions.add(t, seq, ValueType::Value, key.as_bytes(), b"v");
                    }
                    additions.finish();
                    for id in ids {
                        let key = format!("key:{:08}", id * 4 + writer);
                        assert!(get(t, key.as_bytes()).is_some(), "{key} was added");
                    }
                }
            });
        }
    });
    let keys: Vec<Vec<u8>> =
        contents(&t).into_iter().map(|(key, _)| user_key(&key).to_vec()).collect();
    let expected: Vec<Vec<u8>> =
        (0..4 * each).map(|id| format!("key:{id:08}").into_bytes()).collect();
    assert!(keys == expected);
}
