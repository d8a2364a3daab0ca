use super::super::block_builder::BlockBuilder;
use super::super::cursor::Cursor;
use super::*;
use crate::base::ValueType;
use crate::base::hash::hash64;
use crate::base::key::{append_internal_key, pack_trailer};

fn block(keys: &[(Vec<u8>, u64)], interval: usize) -> Vec<u8> {
    block_of(keys, interval, |i| format!("the value of entry number {i:06}").into_bytes())
}

fn block_of(keys: &[(Vec<u8>, u64)], interval: usize, value: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let mut builder = BlockBuilder::new(interval);
    for (i, (key, seq)) in keys.iter().enumerate() {
        let mut internal = Vec::new();
        append_internal_key(&mut internal, key, pack_trailer(*seq, ValueType::Value));
        builder.add(&internal, &value(i));
    }
    builder.finish().to_vec()
}

fn head(fingerprints: &Fingerprints) -> Head {
    fingerprints.parts().0
}

/// The fingerprints of a block with these keys and values, after lookups of each of its keys and of others.
fn checked(keys: &[u64], interval: usize, value: impl Fn(usize) -> Vec<u8>) -> Fingerprints {
    let all: Vec<_> = keys.iter().map(|key| (key.to_be_bytes().to_vec(), 5)).collect();
    let bytes = block_of(&all, interval, &value);
    let view = BlockView::new(&bytes).unwrap();
    let fingerprints = Fingerprints::build(view).unwrap();
    let mut cursor = Cursor::default();
    for (i, (key, _)) in all.iter().enumerate() {
        assert!(cursor.next(&view).unwrap());
        assert_eq!(offset(fingerprints.parts(), i), cursor.offset());
        let floor = head(&fingerprints).floor(i);
        assert!(head(&fingerprints).size == 2 || cursor.offset().wrapping_sub(floor) < 256);
        assert_eq!(found(&fingerprints, view, key, 5), [value(i)]);
        for bit in 0..64 {
            let other = keys[i] ^ 1 << bit;
            if !keys.contains(&other) {
                assert!(found(&fingerprints, view, &other.to_be_bytes(), 5).is_empty());
            }
        }
    }
    fingerprints
}

fn found(fingerprints: &Fingerprints, view: BlockView, key: &[u8], seq: u64) -> Vec<Vec<u8>> {
    let mut values = Vec::new();
    fingerprints
        .find(view, hash64(key), key, pack_trailer(seq, ValueType::Value), |_, value| {
            values.push(value.to_vec());
            Ok(true)
        })
        .unwrap();
    values
}

#[test]
fn tags_find_what_the_block_holds_and_nothing_else() {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut built = 0;
    for round in 0..300 {
        let n = rng.usize(1..120);
        let mut keys: Vec<(Vec<u8>, u64)> = (0..n)
            .map(|_| match round % 3 {
                0 => (format!("user{:08}", rng.u32(..500)).into_bytes(), 5),
                1 => (rng.u64(..).to_be_bytes().to_vec(), 5),
                _ => (vec![rng.u8(..4); rng.usize(..20)], 5),
            })
            .collect();
        keys.sort();
        keys.dedup_by(|a, b| a.0 == b.0);
        let bytes = block(&keys, [1, 4, 16][round % 3]);
        let view = BlockView::new(&bytes).unwrap();
        let Some(fingerprints) = Fingerprints::build(view) else { continue };
        built += 1;
        for (i, (key, seq)) in keys.iter().enumerate() {
            let value = format!("the value of entry number {i:06}").into_bytes();
            assert_eq!(found(&fingerprints, view, key, 5), [value]);
            assert!(found(&fingerprints, view, key, seq - 1).is_empty());
            let mut other = key.clone();
            other.push(0);
            if !keys.iter().any(|k| k.0 == other) {
                assert!(found(&fingerprints, view, &other, 5).is_empty());
            }
            other = key.clone();
            if let Some(byte) = other.first_mut() {
                *byte ^= 0x80;
                assert!(found(&fingerprints, view, &other, 5).is_empty());
            }
        }
    }
    assert!(built > 200, "{built}");
}

#[test]
fn versions_come_newest_first_or_get_no_tags() {
    // Sequence numbers that differ in the byte next to the type keep each trailer in its own entry.
    let keys = [(b"a".to_vec(), 9), (b"a".to_vec(), 8), (b"b".to_vec(), 7)];
    let bytes = block(&keys, 1);
    let view = BlockView::new(&bytes).unwrap();
    let fingerprints = Fingerprints::build(view).unwrap();
    assert_eq!(found(&fingerprints, view, b"a", 9).len(), 2);
    assert_eq!(found(&fingerprints, view, b"a", 8), [b"the value of entry number 000001"]);
    // With delta coding, the second `a` shares its type byte with the first one.
    assert!(Fingerprints::build(BlockView::new(&block(&keys, 16)).unwrap()).is_none());
}

#[test]
fn candidates_are_the_equal_tags() {
    let mut rng = fastrand::Rng::with_seed(11);
    for _ in 0..2000 {
        let fingerprints: Vec<u8> = (0..8 * rng.usize(1..=8)).map(|_| rng.u8(..4) * 0x55).collect();
        for fingerprint in [0, 0x55, 0xAA, 0xFF, 1, 0x80] {
            let expected = fingerprints.iter().enumerate().filter(|(_, t)| **t == fingerprint);
            assert_eq!(
                candidates(&fingerprints, fingerprint),
                expected.fold(0, |bits, (i, _)| bits | 1 << i)
            );
        }
    }
}

#[test]
fn tables_of_more_than_one_group_are_searched_to_their_end() {
    // Numbers of entries around those that fill a group or the space in the object.
    for n in [46, 63, 64, 65, 66, 67, 119, 120, 121, 127, 128, 129, 150, 192, 247, 248, 249, 500u32]
    {
        let keys: Vec<_> = (0..n).map(|i| (i.to_be_bytes().to_vec(), 5)).collect();
        let bytes = block(&keys, 16);
        let view = BlockView::new(&bytes).unwrap();
        let fingerprints = Fingerprints::build(view).unwrap();
        // A fingerprint and an offset per entry, and three bytes that all keys share.
        assert_eq!(matches!(fingerprints, Fingerprints::Heap(..)), 2 * n as usize + 3 > INLINE);
        for (i, (key, _)) in keys.iter().enumerate() {
            let value = format!("the value of entry number {i:06}").into_bytes();
            assert_eq!(found(&fingerprints, view, key, 5), [value]);
        }
        for missing in n..n + 500 {
            assert!(found(&fingerprints, view, &missing.to_be_bytes(), 5).is_empty());
        }
    }
}

#[test]
fn a_large_table_leaves_its_first_tags_in_the_object() {
    let keys: Vec<_> = (0..150u32).map(|i| (i.to_be_bytes().to_vec(), 5)).collect();
    let fingerprints = Fingerprints::build(BlockView::new(&block(&keys, 16)).unwrap()).unwrap();
    // A fingerprint and an offset per entry, no middles, and three bytes that all keys share.
    assert_eq!(fingerprints.memory_usage(), 2 * 150 + 3 - FIRST);
}

#[test]
fn offsets_have_one_byte_as_long_as_the_line_is_near_enough() {
    let keys: Vec<u64> = (0..100).collect();
    let size = |long: usize, at: usize| {
        // One value is longer than the others, so that the entries around it are far from the linear fit.
        let value = |i| vec![b'v'; if i == at { 40 + long } else { 40 }];
        head(&checked(&keys, 1, value)).size
    };
    for at in [0, 1, 37, 50, 98] {
        let longest = (0..600).rev().find(|&long| size(long, at) == 1).unwrap();
        // The jump is the maximum value of a byte plus the rounding of the slope.
        assert!((240..=264).contains(&longest), "{longest} at {at}");
        assert_eq!(size(longest + 1, at), 2);
    }
    // A longer last entry changes no offset.
    assert_eq!(size(5000, 99), 1);
}

#[test]
fn offsets_of_every_shape_are_found_again() {
    let mut rng = fastrand::Rng::with_seed(21);
    let mut sizes = [0; 3];
    for round in 0..400 {
        let (n, spread) = (rng.usize(1..250), [1, 10, 30, 100, 300][round % 5]);
        let start = rng.u64(..1 << 40);
        let keys: Vec<u64> = (0..n as u64).map(|i| start + i).collect();
        let lens: Vec<usize> = (0..n).map(|_| 20 + rng.usize(..spread)).collect();
        let fingerprints = checked(&keys, [1, 16][round % 2], |i| vec![b'v'; lens[i]]);
        sizes[usize::from(head(&fingerprints).size)] += 1;
    }
    assert!(sizes[1] > 50 && sizes[2] > 50, "{sizes:?}");
}

#[test]
fn few_and_long_entries_have_tags() {
    for len in [100, 4000, 5000, 9000] {
        for n in 1..=5 {
            checked(&(0..n).collect::<Vec<_>>(), 16, |_| vec![b'v'; len]);
        }
    }
}

#[test]
fn middles_that_change_once_are_kept_twice() {
    let value = |_: usize| vec![b'v'; 40];
    let own = |keys: &[u64], interval| {
        let fingerprints = checked(keys, interval, value);
        (head(&fingerprints).width, head(&fingerprints).split)
    };
    // The change is at a restart, or between two restarts, where the entry itself contains it.
    assert_eq!(own(&(0x1_0000 - 32..0x1_0000 + 40).collect::<Vec<_>>(), 16), (2, 33));
    assert_eq!(own(&(256 - 7..256 + 70).collect::<Vec<_>>(), 16), (1, 8));
    // No earlier entry has the changed middle: the last entry and a restart contain it themselves.
    assert_eq!(own(&(256 - 7..257).collect::<Vec<_>>(), 16), (1, 8));
    assert_eq!(own(&(256 - 16..257).collect::<Vec<_>>(), 16), (1, 17));
    assert_eq!(own(&(0..32).collect::<Vec<_>>(), 16), (0, 32));
    // The middle changes twice.
    assert_eq!(own(&(256 - 7..520).collect::<Vec<_>>(), 16), (1, 0));
}

#[test]
fn a_long_prefix_leaves_room_for_whole_words() {
    for prefix in 90..140 {
        let keys: Vec<_> =
            (0..2u8).map(|i| ([&vec![b'p'; prefix][..], &[i]].concat(), 5)).collect();
        let bytes = block_of(&keys, 16, |_| vec![b'v'; 200]);
        let view = BlockView::new(&bytes).unwrap();
        let fingerprints = Fingerprints::build(view).unwrap();
        for (key, _) in &keys {
            assert_eq!(found(&fingerprints, view, key, 5).len(), 1, "{prefix}");
        }
    }
}

#[test]
fn a_usual_block_keeps_its_tags_in_its_object() {
    let keys: Vec<_> =
        (7000..7035u64).map(|i| ([&i.to_be_bytes()[..], b"00000000"].concat(), 5)).collect();
    let bytes = block(&keys, 16);
    let fingerprints = Fingerprints::build(BlockView::new(&bytes).unwrap()).unwrap();
    assert!(matches!(fingerprints, Fingerprints::Inline(..)));
    // Every cached block takes this size plus one word of the heap, which allocates in units of
    // sixteen bytes.
    assert!(size_of::<crate::cache::Node<super::super::block::Block>>() <= 248);
}
