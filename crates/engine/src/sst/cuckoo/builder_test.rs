use super::super::test_util::*;
use super::*;
use crate::base::{Comparator, ReverseBytewiseComparator};
use std::sync::Arc;

const DEFAULT: fn() -> CuckooTableOptions = CuckooTableOptions::default;

fn failure(opts: CuckooTableOptions, entries: &[Entry]) -> String {
    try_build(&KeyOrder::bytewise(), opts, entries).unwrap_err().to_string()
}

fn entry(key: &str, seq: u64, kind: ValueType, value: &str) -> Entry {
    (internal_key(key.as_bytes(), seq, kind), value.into())
}

#[test]
fn buckets_of_real_files_are_written_byte_for_byte() {
    // If no entry must move, there is only one way to place the entries.
    let (real, opts) = vector(5);
    let table = open(real.to_vec(), &KeyOrder::bytewise(), true).unwrap();
    let written = try_build(&KeyOrder::bytewise(), opts, &all_entries(&table)).unwrap();
    let len = table.properties().data_size as usize;
    assert_eq!(written.iter().zip(&real[..len]).position(|(a, b)| a != b), None);
    for i in 0..6 {
        let (real, opts) = vector(i);
        let real = open(real.to_vec(), &KeyOrder::bytewise(), true).unwrap();
        let entries = all_entries(&real);
        let ours = try_build(&KeyOrder::bytewise(), opts, &entries).unwrap();
        let ours = open(ours, &KeyOrder::bytewise(), true).unwrap();
        assert_eq!(all_entries(&ours), entries, "vector {i}");
        let (p, q) = (ours.properties(), real.properties());
        let figures = |p: &TableProperties| {
            let own = p
                .user_collected
                .iter()
                .filter(|(name, _)| name.contains("cuckoo") && !name.ends_with("hash.num"));
            let own: Vec<_> = own.map(|(name, value)| (name.clone(), value.clone())).collect();
            (own, p.data_size, p.num_entries, p.num_deletions, p.raw_key_size, p.raw_value_size)
        };
        assert_eq!(figures(p), figures(q), "vector {i}");
        assert_eq!(p.fixed_key_len, q.fixed_key_len);
    }
}

#[test]
fn lengths_must_be_the_same() {
    let first = entry("key1", 5, ValueType::Value, "value");
    let keys = [first.clone(), entry("key22", 4, ValueType::Value, "value")];
    assert_eq!(failure(DEFAULT(), &keys), "Not implemented: all keys have to be the same size");
    let values = [first, entry("key2", 4, ValueType::Value, "value2")];
    assert_eq!(failure(DEFAULT(), &values), "Not implemented: all values have to be the same size");
}

#[test]
fn a_user_key_comes_once_and_in_order() {
    let twice =
        [entry("key1", 5, ValueType::Value, "value"), entry("key1", 4, ValueType::Value, "value")];
    assert_eq!(failure(DEFAULT(), &twice), "Not implemented: Same key is being inserted again.");
    let disorder = [put(2, 1), put(1, 2)];
    assert!(failure(DEFAULT(), &disorder).contains("out of order"));
}

#[test]
fn types_of_entries_that_have_no_place_are_refused() {
    for kind in [ValueType::Merge, ValueType::SingleDeletion, ValueType::RangeDeletion] {
        let text = failure(DEFAULT(), &[entry("key1", 5, kind, "value")]);
        assert_eq!(text, format!("Not implemented: Unsupported key type {}", kind as u8));
    }
}

#[test]
fn an_identity_hash_needs_eight_bytes() {
    let opts = CuckooTableOptions { identity_as_first_hash: true, ..DEFAULT() };
    let order = KeyOrder::bytewise();
    let table = open(try_build(&order, opts, &[put(1, 1), put(2, 1)]).unwrap(), &order, true);
    let table = table.unwrap();
    for n in [1u32, 2] {
        assert!(get(&table, &n.to_be_bytes(), 100).unwrap().is_some());
    }
    assert!(get(&table, &3u32.to_be_bytes(), 100).unwrap().is_none());
}

#[test]
fn sequence_numbers_are_left_out_only_if_all_are_0() {
    let order = KeyOrder::bytewise();
    let deletion = (internal_key(&3u32.to_be_bytes(), 0, ValueType::Deletion), vec![]);
    for (entries, left_out) in [
        (vec![put(1, 0), put(2, 0)], true),
        (vec![put(1, 0), put(2, 9)], false),
        (vec![put(1, 9), put(2, 0)], false),
        (vec![put(1, 0), deletion.clone()], false),
    ] {
        let table = open(try_build(&order, DEFAULT(), &entries).unwrap(), &order, true).unwrap();
        assert_eq!(table.properties().fixed_key_len, if left_out { 4 } else { 12 });
        let keys = |entries: &[Entry]| entries.iter().map(|e| e.0.clone()).collect::<Vec<_>>();
        assert_eq!(keys(&all_entries(&table)), keys(&entries));
    }
}

#[test]
fn deletions_may_come_before_the_first_value() {
    let order = KeyOrder::bytewise();
    let deletion = |n: u32| (internal_key(&n.to_be_bytes(), 7, ValueType::Deletion), vec![]);
    let entries = [deletion(1), deletion(2), put(3, 7), deletion(4)];
    let table = open(try_build(&order, DEFAULT(), &entries).unwrap(), &order, true).unwrap();
    let found = |n: u32| get(&table, &n.to_be_bytes(), 100).unwrap();
    assert_eq!((found(1), found(3), found(4)), (None, Some(b"000003".to_vec()), None));
    assert_eq!(table.properties().num_deletions, 3);
    let alone = try_build(&order, DEFAULT(), &entries[..2]).unwrap();
    let table = open(alone, &order, true).unwrap();
    assert_eq!(all_entries(&table), entries[..2]);
}

#[test]
fn a_file_without_entries_is_read() {
    for use_module_hash in [true, false] {
        let opts = CuckooTableOptions { use_module_hash, ..DEFAULT() };
        let order = KeyOrder::bytewise();
        let table = open(try_build(&order, opts, &[]).unwrap(), &order, true).unwrap();
        assert_eq!((get(&table, b"", 9).unwrap(), all_entries(&table)), (None, vec![]));
        assert_eq!(get(&table, b"key", 9).unwrap(), None);
        table.verify_buckets().unwrap();
    }
}

#[test]
fn a_key_is_found_for_empty_buckets() {
    let unused = |keys: &[&[u8]]| unused_key(&mut keys.to_vec());
    assert_eq!(unused(&[b"b", b"c"]), Some(b"a".to_vec()));
    assert_eq!(unused(&[b"b\0", b"c\0"]), Some(b"a\xff".to_vec()));
    assert_eq!(unused(&[b"\0\0", b"\0\xff"]), Some(b"\x01\0".to_vec()));
    assert_eq!(unused(&[b"\0", b"\xff", b"\x01"]), Some(b"\x02".to_vec()));
    let all: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
    let mut all: Vec<&[u8]> = all.iter().map(|key| &key[..]).collect();
    assert_eq!(unused_key(&mut all), None);
    assert_eq!(unused(&[b""]), None);
}

#[test]
fn other_orders_of_keys_are_kept() {
    let reverse: Arc<dyn Comparator> = Arc::new(ReverseBytewiseComparator);
    let order = KeyOrder::new(reverse);
    let entries: Vec<Entry> = (0..1000).rev().map(|n| put(n, 3)).collect();
    let table = open(try_build(&order, DEFAULT(), &entries).unwrap(), &order, true).unwrap();
    assert_eq!(all_entries(&table), entries);
}

#[test]
fn the_size_is_known_while_entries_come() {
    for use_module_hash in [true, false] {
        let opts = CuckooTableOptions { use_module_hash, ..DEFAULT() };
        let sink = TestSink::default();
        let mut builder = builder(&KeyOrder::bytewise(), opts, &sink);
        assert_eq!(builder.file_size(), 0);
        (0..5000).for_each(|n| builder.add(&put(n, 3).0, b"value").unwrap());
        let expected = builder.file_size();
        let found = builder.finish().unwrap().properties.data_size;
        assert!(expected.abs_diff(found) < 200, "{expected} {found}");
    }
}
