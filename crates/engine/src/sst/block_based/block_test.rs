use super::super::block_builder::{BlockBuilder, BlockLimit};
use super::super::cursor::Cursor;
use super::super::separated::join_separated;
use super::super::view::*;
use crate::base::key::{append_internal_key, pack_trailer};
use crate::base::{KeyOrder, ValueType};
use std::cmp::Ordering;

fn internal(key: &str, seq: u64) -> Vec<u8> {
    let mut out = Vec::new();
    append_internal_key(&mut out, key.as_bytes(), pack_trailer(seq, ValueType::Value));
    out
}

fn build(keys: &[Vec<u8>], interval: usize, hash: bool) -> Vec<u8> {
    let mut builder = BlockBuilder::new(interval);
    if hash {
        builder = builder.with_hash_index(0.75);
    }
    for (i, key) in keys.iter().enumerate() {
        let (size, with) = (builder.size_estimate(), builder.size_estimate_with(key, b"value"));
        builder.add(key, format!("value{i}").as_bytes());
        builder.add_to_hash_index(&key[..key.len() - 8]);
        assert!(builder.size_estimate() > size && with > size);
    }
    let estimate = builder.size_estimate();
    let bytes = builder.finish().to_vec();
    assert_eq!(bytes.len(), estimate);
    bytes
}

/// Blocks that are built one after the other in the same memory are those that are taken out one by one.
#[test]
fn ended_blocks_are_like_taken_ones() {
    for (interval, hash) in [(1, false), (4, false), (16, true)] {
        let new = || {
            let builder = BlockBuilder::new(interval);
            if hash { builder.with_hash_index(0.75) } else { builder }
        };
        let (mut ended, mut taken, mut expected) = (new(), new(), Vec::new());
        for round in 0..3_u8 {
            for number in 0..5 {
                for i in 0..20 {
                    let key = internal(&format!("key{round}{number}{i:02}"), 1);
                    for builder in [&mut ended, &mut taken] {
                        builder.add(&key, &[number; 100]);
                        builder.add_to_hash_index(&key[..key.len() - 8]);
                        assert_eq!(builder.last_key(), key);
                    }
                    assert_eq!(ended.size_estimate(), taken.size_estimate());
                }
                let block = taken.take();
                let size = ended.end(|block| [block.len() as u8; 5]);
                assert_eq!(size, block.len());
                expected.extend_from_slice(&block);
                expected.extend_from_slice(&[block.len() as u8; 5]);
                assert!(ended.is_empty() && ended.ended() == expected);
            }
            ended.forget_ended();
            expected.clear();
            assert!(ended.ended().is_empty());
        }
    }
}

#[test]
fn blocks_end_near_their_intended_size() {
    let entries_of = |size, deviation| {
        let limit = BlockLimit::new(size, deviation);
        let mut builder = BlockBuilder::new(16);
        let mut n = 0_u64;
        while !builder.is_full(limit, &[b'k'; 10], &[0; 100]) {
            builder.add(&[b'k'; 10], &[0; 100]);
            n += 1;
        }
        (n, builder.size_estimate())
    };
    // An entry takes 103 bytes, the first one 113; each block has eight bytes more.
    assert_eq!(entries_of(8 + 113 + 103, 0), (2, 224));
    assert_eq!(entries_of(8 + 113 + 103 + 1, 0), (3, 327), "without deviation it exceeds the size");
    assert_eq!(entries_of(300, 10), (3, 327), "it is not within 10 percent");
    assert_eq!(entries_of(300, 30), (2, 224), "the next entry would exceed the size");
    assert_eq!(entries_of(300, 100), (2, 224));
    assert_eq!(entries_of(1, 10), (1, 121), "each block has an entry");
}

fn found(view: &BlockView, key: &str, seq: u64) -> (Vec<String>, Found) {
    let mut values = Vec::new();
    let order = KeyOrder::bytewise();
    let end = view
        .find(&order, key.as_bytes(), pack_trailer(seq, ValueType::Value), |_, value| {
            values.push(String::from_utf8(value.to_vec()).unwrap());
            Ok(true)
        })
        .unwrap();
    (values, end)
}

#[test]
fn real_block_bytes() {
    // Two puts at sequence number 0, from a file of RocksDB 7.8.3.
    let bytes = [
        &[0, 9, 1][..],
        b"a\x01\0\0\0\0\0\0\x001",
        &[0, 9, 1],
        b"b\x01\0\0\0\0\0\0\x002",
        &[0, 0, 0, 0, 1, 0, 0, 0],
    ]
    .concat();
    let keys = [internal("a", 0), internal("b", 0)];
    let mut builder = BlockBuilder::new(16);
    builder.add(&keys[0], b"1");
    builder.add(&keys[1], b"2");
    assert_eq!(builder.finish(), bytes);
    assert_eq!(BlockBuilder::new(1).finish(), [0, 0, 0, 0, 1, 0, 0, 0], "an empty block");
}

#[test]
fn every_version_is_found_in_every_form_of_block() {
    let mut keys = Vec::new();
    for i in 0..200 {
        for seq in (1..=1 + i % 4).rev() {
            keys.push(internal(&format!("key{i:04}"), 10 * seq));
        }
    }
    for (interval, hash) in [(1, false), (16, false), (3, true), (16, true), (1000, false)] {
        let bytes = build(&keys, interval, hash);
        let view = BlockView::new(&bytes).unwrap();
        for i in 0..200u64 {
            let key = format!("key{i:04}");
            let versions = 1 + i as usize % 4;
            assert_eq!(found(&view, &key, 100).0.len(), versions, "{key}");
            assert_eq!(found(&view, &key, 10).0.len(), 1);
            assert_eq!(found(&view, &key, 9).0.len(), 0);
            assert_eq!(found(&view, &format!("{key}x"), 100).0.len(), 0);
            let ran_off = found(&view, &key, 100).1 == Found::RanOff;
            assert_eq!(ran_off, i == 199);
        }
        assert_eq!(found(&view, "a", 100).0.len(), 0);
        assert_eq!(found(&view, "z", 100), (vec![], Found::RanOff));
    }
}

#[test]
fn cursors_go_both_ways() {
    let keys: Vec<Vec<u8>> = (0..100).map(|i| internal(&format!("key{i:04}"), 7)).collect();
    let bytes = build(&keys, 16, false);
    let view = BlockView::new(&bytes).unwrap();
    let mut cursor = Cursor::default();
    assert!(cursor.seek_to_last(&view).unwrap());
    for i in (0..100).rev() {
        assert_eq!(cursor.key(), keys[i]);
        let (from, to) = cursor.value_range();
        assert_eq!(view.slice(from, to), format!("value{i}").as_bytes());
        assert_eq!(cursor.prev(&view).unwrap(), i > 0);
    }
    for (i, key) in keys.iter().enumerate() {
        assert!(cursor.seek(&view, |k| k.cmp(key)).unwrap());
        assert_eq!(cursor.key(), *key);
        assert_eq!(cursor.next(&view).unwrap(), i < 99);
    }
    assert!(!cursor.seek(&view, |_| Ordering::Less).unwrap());
}

#[test]
fn long_keys_move_to_the_heap() {
    let keys: Vec<Vec<u8>> =
        (0..40).map(|i| internal(&format!("{}{i:03}", "k".repeat(20 * i)), 7)).collect();
    let mut sorted = keys;
    sorted.sort_by(|a, b| KeyOrder::bytewise().compare(a, b));
    let bytes = build(&sorted, 16, false);
    let view = BlockView::new(&bytes).unwrap();
    for key in &sorted {
        let user = std::str::from_utf8(&key[..key.len() - 8]).unwrap();
        assert_eq!(found(&view, user, 7).0.len(), 1, "{user}");
    }
}

#[test]
fn damaged_blocks_do_no_harm() {
    let mut rng = fastrand::Rng::with_seed(5);
    let keys: Vec<Vec<u8>> = (0..60).map(|i| internal(&format!("key{i:04}"), 7)).collect();
    let mut refused = 0;
    for round in 0..3000 {
        let mut bytes = build(&keys[..rng.usize(1..60)], 8, round % 2 == 0);
        for _ in 0..rng.usize(1..4) {
            let from = if rng.bool() { bytes.len().saturating_sub(60) } else { 0 };
            let at = rng.usize(from..bytes.len());
            bytes[at] = rng.u8(..);
        }
        bytes.truncate(bytes.len() - if round % 5 == 0 { rng.usize(..bytes.len()) } else { 0 });
        refused += usize::from(join_separated(&bytes).is_err());
        let Ok(view) = BlockView::new(&bytes) else { continue };
        let order = KeyOrder::bytewise();
        for key in [&b"key0003"[..], b"", b"zz", b"key0041"] {
            let _ = view.find(&order, key, u64::MAX, |_, _| Ok(true));
        }
        let mut cursor = Cursor::default();
        let mut steps = 0;
        while cursor.next(&view).unwrap_or(false) {
            steps += 1;
        }
        if cursor.seek_to_last(&view).unwrap_or(false) {
            while cursor.prev(&view).unwrap_or(false) {
                steps += 1;
            }
        }
        assert!(steps <= 2 * bytes.len());
        let _ = super::super::fingerprints::Fingerprints::build(view);
    }
    assert!(refused > 1000);
}
