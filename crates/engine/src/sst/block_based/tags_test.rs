use super::super::block_builder::BlockBuilder;
use super::*;
use crate::base::ValueType;
use crate::base::key::{append_internal_key, pack_trailer};

fn block(keys: &[(Vec<u8>, u64)], interval: usize) -> Vec<u8> {
    let mut builder = BlockBuilder::new(interval);
    for (i, (key, seq)) in keys.iter().enumerate() {
        let mut internal = Vec::new();
        append_internal_key(&mut internal, key, pack_trailer(*seq, ValueType::Value));
        builder.add(&internal, format!("the value of entry number {i:06}").as_bytes());
    }
    builder.finish().to_vec()
}

fn found(tags: &Tags, view: BlockView, key: &[u8], seq: u64) -> Vec<Vec<u8>> {
    let mut values = Vec::new();
    tags.find(view, hash64(key), key, pack_trailer(seq, ValueType::Value), |_, value| {
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
        let Some(tags) = Tags::build(view) else { continue };
        built += 1;
        for (i, (key, seq)) in keys.iter().enumerate() {
            let value = format!("the value of entry number {i:06}").into_bytes();
            assert_eq!(found(&tags, view, key, 5), [value]);
            assert!(found(&tags, view, key, seq - 1).is_empty());
            let mut other = key.clone();
            other.push(0);
            if !keys.iter().any(|k| k.0 == other) {
                assert!(found(&tags, view, &other, 5).is_empty());
            }
            other = key.clone();
            if let Some(byte) = other.first_mut() {
                *byte ^= 0x80;
                assert!(found(&tags, view, &other, 5).is_empty());
            }
        }
    }
    assert!(built > 200, "{built}");
}

#[test]
fn versions_come_newest_first_or_get_no_tags() {
    // Sequence numbers that differ in the byte next to the type keep the trailers whole.
    let keys = [(b"a".to_vec(), 9), (b"a".to_vec(), 8), (b"b".to_vec(), 7)];
    let bytes = block(&keys, 1);
    let view = BlockView::new(&bytes).unwrap();
    let tags = Tags::build(view).unwrap();
    assert_eq!(found(&tags, view, b"a", 9).len(), 2);
    assert_eq!(found(&tags, view, b"a", 8), [b"the value of entry number 000001"]);
    // With delta coding the second `a` takes its type byte from the first one.
    assert!(Tags::build(BlockView::new(&block(&keys, 16)).unwrap()).is_none());
}

#[test]
fn candidates_are_the_equal_tags() {
    let mut rng = fastrand::Rng::with_seed(11);
    for _ in 0..2000 {
        let tags: Vec<u8> = (0..8 * rng.usize(1..=8)).map(|_| rng.u8(..4) * 0x55).collect();
        for tag in [0, 0x55, 0xAA, 0xFF, 1, 0x80] {
            let expected = tags.iter().enumerate().filter(|(_, t)| **t == tag);
            assert_eq!(candidates(&tags, tag), expected.fold(0, |bits, (i, _)| bits | 1 << i));
        }
    }
}

#[test]
fn tables_of_more_than_one_group_are_searched_to_their_end() {
    // Around the numbers of tags that fill a group, and the place in the object.
    for n in [46, 63, 64, 65, 119, 120, 121, 127, 128, 129, 150, 192, 500u32] {
        let keys: Vec<_> = (0..n).map(|i| (i.to_be_bytes().to_vec(), 5)).collect();
        let bytes = block(&keys, 16);
        let view = BlockView::new(&bytes).unwrap();
        let tags = Tags::build(view).unwrap();
        assert!(matches!(tags, Tags::Heap(..)));
        for (i, (key, _)) in keys.iter().enumerate() {
            let value = format!("the value of entry number {i:06}").into_bytes();
            assert_eq!(found(&tags, view, key, 5), [value]);
        }
        for missing in n..n + 500 {
            assert!(found(&tags, view, &missing.to_be_bytes(), 5).is_empty());
        }
    }
}

#[test]
fn a_large_table_leaves_its_first_tags_in_the_object() {
    let keys: Vec<_> = (0..150u32).map(|i| (i.to_be_bytes().to_vec(), 5)).collect();
    let tags = Tags::build(BlockView::new(&block(&keys, 16)).unwrap()).unwrap();
    // A tag and an offset for each, no middles, and three bytes that all keys begin with.
    assert_eq!(tags.memory_usage(), 3 * 150 + 3 - FIRST);
}

#[test]
fn a_usual_block_keeps_its_tags_in_its_object() {
    let keys: Vec<_> =
        (7000..7035u64).map(|i| ([&i.to_be_bytes()[..], b"00000000"].concat(), 5)).collect();
    let bytes = block(&keys, 16);
    let tags = Tags::build(BlockView::new(&bytes).unwrap()).unwrap();
    assert!(matches!(tags, Tags::Inline(..)));
    // Every cached block takes this and a word of the heap.
    assert!(size_of::<crate::cache::Node<super::super::block::Block>>() <= 240);
}
