use super::*;
use crate::base::ReverseBytewiseComparator;
use crate::base::key::{MAX_SEQUENCE_NUMBER, ValueType, append_internal_key, pack_trailer};
use std::sync::Arc;

fn fences(order: &KeyOrder, keys: &[Vec<u8>], user_keys: bool) -> Fences {
    let mut fences = Fences::collect(user_keys);
    for (i, key) in keys.iter().enumerate() {
        fences.push(key, BlockHandle { offset: 100 * i as u64, size: 95 }).unwrap();
    }
    fences.finish(order).unwrap();
    fences
}

/// Keys that often share long prefixes or are prefixes of each other.
fn random_key(rng: &mut fastrand::Rng) -> Vec<u8> {
    let shared: &[u8] = [&b""[..], b"common", b"common/prefix/of/many"][rng.usize(..3)];
    let tail = (0..rng.usize(..12)).map(|_| [0, b'a', b'b', 0xFF][rng.usize(..4)]);
    shared.iter().copied().chain(tail).collect()
}

fn find_in_steps(fences: &Fences, order: &KeyOrder, key: &[u8], t: u64) -> usize {
    let mut search = fences.begin(order, key, t);
    while fences.descend(&mut search) {}
    fences.end(order, key, t, &search)
}

fn check_against_a_plain_search(order: &KeyOrder, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    for round in 0..60 {
        // The last size has a level that is not assumed to be in the processor's cache.
        let n = [0, 1, 2, 16, 17, 300, 3000][round % 7];
        let mut keys: Vec<Vec<u8>> = (0..n).map(|_| random_key(&mut rng)).collect();
        if round % 2 == 0 {
            keys.retain(|k| k.starts_with(b"common"));
        }
        keys.sort_by(|a, b| order.compare_user(a, b));
        keys.dedup();
        let internal: Vec<Vec<u8>> = keys
            .iter()
            .flat_map(|key| {
                [9, 5].map(|seq| {
                    let mut out = Vec::new();
                    append_internal_key(&mut out, key, pack_trailer(seq, ValueType::Value));
                    out
                })
            })
            .collect();
        let (by_user, by_internal) = (fences(order, &keys, true), fences(order, &internal, false));
        for _ in 0..200 {
            let key = match rng.choice(&keys) {
                Some(key) if rng.bool() => key.clone(),
                _ => random_key(&mut rng),
            };
            let expected = keys.partition_point(|k| order.compare_user(k, &key).is_lt());
            assert_eq!(by_user.find(order, &key, 0), expected, "{key:?} in {keys:?}");
            assert_eq!(find_in_steps(&by_user, order, &key, 0), expected, "{key:?} in {keys:?}");
            let t =
                pack_trailer([0, 5, 7, 9, MAX_SEQUENCE_NUMBER][rng.usize(..5)], ValueType::Value);
            let mut target = Vec::new();
            append_internal_key(&mut target, &key, t);
            let expected = internal.partition_point(|k| order.compare(k, &target).is_lt());
            assert_eq!(by_internal.find(order, &key, t), expected);
            assert_eq!(find_in_steps(&by_internal, order, &key, t), expected);
        }
    }
}

#[test]
fn fences_are_found_as_by_a_plain_search() {
    check_against_a_plain_search(&KeyOrder::bytewise(), 1);
    check_against_a_plain_search(&KeyOrder::new(Arc::new(ReverseBytewiseComparator)), 2);
}

#[test]
fn numbers_with_all_bits_set_are_no_padding() {
    let keys: Vec<Vec<u8>> =
        vec![vec![0xFF; 7], vec![0xFF; 8], [vec![0xFF; 8], vec![1]].concat(), vec![0xFF; 20]];
    let order = KeyOrder::bytewise();
    let f = fences(&order, &keys, true);
    for (i, key) in keys.iter().enumerate() {
        assert_eq!(f.find(&order, key, 0), i);
    }
    assert_eq!(f.find(&order, &[0xFF; 21], 0), 4);
}

#[test]
fn disorder_and_absurd_sizes_are_refused() {
    let order = KeyOrder::bytewise();
    let mut f = Fences::collect(true);
    f.push(b"b", BlockHandle::default()).unwrap();
    f.push(b"a", BlockHandle::default()).unwrap();
    assert!(f.finish(&order).unwrap_err().is_corruption());
    let mut f = Fences::collect(false);
    assert!(f.push(b"short", BlockHandle::default()).unwrap_err().is_corruption());
    let handle = BlockHandle { offset: 0, size: 1 << 40 };
    assert!(f.push(b"long enough", handle).unwrap_err().is_corruption());
}

#[test]
fn offsets_beyond_four_gibibytes_keep_all_that_came_before() {
    let mut fences = Fences::collect(true);
    let offsets = [0, 7, u64::from(u32::MAX), 1 << 32, (1 << 32) + 5, 1 << 40];
    for (i, offset) in offsets.into_iter().enumerate() {
        fences.push(&[i as u8], BlockHandle { offset, size: 3 }).unwrap();
        let so_far: Vec<u64> = (0..=i).map(|i| fences.handle(i).unwrap().offset).collect();
        assert_eq!(so_far, offsets[..=i]);
    }
}
