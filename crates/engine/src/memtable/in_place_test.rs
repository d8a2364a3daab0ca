//! Values change in place, and concurrent readers see a complete old or new value.

use crate::base::InternalIterator;
use crate::base::key::user_key;
use crate::base::{BytewiseComparator, KeyOrder, LookupBuffer, ValueType};
use crate::iter::GetContext;
use crate::memtable::MemTable;
use crate::options::{ColumnFamilyOptions, MemtableFactory};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn table(factory: MemtableFactory, locks: usize) -> Arc<MemTable> {
    let options = ColumnFamilyOptions {
        inplace_update_support: true,
        inplace_update_num_locks: locks,
        memtable_factory: factory,
        ..ColumnFamilyOptions::default()
    };
    MemTable::new(1, KeyOrder::new(Arc::new(BytewiseComparator)), &options, 0)
}

fn get(table: &MemTable, key: &[u8], seq: u64) -> Option<Vec<u8>> {
    let mut ctx = GetContext::new(key, None);
    table.get(&LookupBuffer::new(key, seq).key(), &mut ctx);
    ctx.finish().unwrap().map(|value| value.to_vec())
}

#[test]
fn what_fits_takes_the_place_of_the_newest_value() {
    let factories = [
        MemtableFactory::SkipList { lookahead: 0 },
        MemtableFactory::hash_skip_list(),
        MemtableFactory::Vector { count: 0 },
    ];
    for (i, factory) in factories.into_iter().enumerate() {
        let table = table(factory, 3);
        assert!(!table.supports_concurrent_insert());
        assert!(!table.put_in_place(1, b"a", &[b'1'; 300]));
        assert!(!table.put_in_place(2, b"b", b"other"));
        let used = table.approximate_memory_usage();
        // Shorter values have shorter length fields.
        for (seq, len) in [(3, 300), (4, 127), (5, 128), (6, 5), (7, 0)] {
            let updated = table.put_in_place(seq, b"a", &vec![seq as u8; len]);
            // Room that a shorter value gave up is not available again.
            assert_eq!(updated, seq != 5, "{i}: {seq}");
            assert_eq!(get(&table, b"a", 100), Some(vec![seq as u8; len]), "{i}: {seq}");
            assert_eq!(get(&table, b"b", 100).as_deref(), Some(&b"other"[..]));
        }
        assert!(table.approximate_memory_usage() < used + 400);
        // Two entries for `a`: the sequence numbers of updates are not used.
        assert_eq!(table.num_entries(), 3);
        assert_eq!(get(&table, b"a", 2), Some(vec![4; 127]));
        // After a deletion or a merge, the next put adds an entry.
        table.add(8, ValueType::Deletion, b"a", b"");
        assert!(!table.put_in_place(9, b"a", b""));
        assert!(table.put_in_place(10, b"a", b""));
        table.add(11, ValueType::Merge, b"b", b"operand");
        assert!(!table.put_in_place(12, b"b", b"x"));
        // A tombstone may be between the two sequence numbers.
        table.add_range_deletion(13, b"a", b"c");
        assert!(!table.put_in_place(14, b"b", b"y"));
        assert_eq!((get(&table, b"a", 100), get(&table, b"b", 100)), (None, Some(b"y".to_vec())));
    }
}

#[test]
fn readers_see_one_value_whole() {
    let table = table(MemtableFactory::SkipList { lookahead: 0 }, 2);
    let keys: Vec<[u8; 1]> = (0..8).map(|k| [k]).collect();
    let whole = |value: &[u8]| {
        let same = value.iter().all(|byte| *byte == value[0]);
        assert!(same && value.len() == 200 - usize::from(value[0] % 50), "torn: {value:?}");
    };
    let of = |n: u64| vec![n as u8; 200 - (n as usize % 256 % 50)];
    for key in &keys {
        table.put_in_place(1, key, &[0; 200]);
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for reader in 0..2 {
            let (table, keys, done) = (&table, &keys, &done);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    if reader == 0 {
                        keys.iter().for_each(|key| whole(&get(table, key, 1 << 40).unwrap()));
                        continue;
                    }
                    let mut iter = table.iter(true);
                    iter.seek_to_first();
                    let mut last = Vec::new();
                    while iter.valid() {
                        whole(iter.value());
                        assert!(user_key(iter.key()) >= &last[..]);
                        last = user_key(iter.key()).to_vec();
                        iter.next();
                    }
                }
            });
        }
        for n in 2..20_000 {
            table.put_in_place(n, &keys[n as usize % 8], &of(n));
        }
        done.store(true, Ordering::Relaxed);
    });
}
