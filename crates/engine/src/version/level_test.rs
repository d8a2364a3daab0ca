use super::*;
use crate::base::{BytewiseComparator, MAX_SEQUENCE_NUMBER, ReverseBytewiseComparator};
use crate::version::testing::ikey;

fn level_of(order: &KeyOrder, boundaries: &[(Vec<u8>, Vec<u8>)]) -> Level {
    let file = |(i, (a, b)): (usize, &(Vec<u8>, Vec<u8>))| {
        Arc::new(FileMeta::new(i as u64 + 1, 10, ikey(a, 9), ikey(b, 3)))
    };
    Level::new(order.clone(), boundaries.iter().enumerate().map(file).collect())
}

/// Random keys with many ties: long shared prefixes, zeros, keys that are prefixes of others.
fn random_key(rng: &mut fastrand::Rng, prefix: &[u8]) -> Vec<u8> {
    let mut key = prefix.to_vec();
    for _ in 0..rng.usize(0..12) {
        key.push([0, 0, 1, b'a', 0xFF][rng.usize(..5)]);
    }
    key
}

/// Returns the number of keys whose files were found by numbers alone.
fn check_against_keys(order: &KeyOrder, prefix: &[u8], rng: &mut fastrand::Rng) -> usize {
    let mut found_around = 0;
    let mut keys: Vec<Vec<u8>> = (0..rng.usize(2..40)).map(|_| random_key(rng, prefix)).collect();
    keys.sort_by(|a, b| order.compare_user(a, b));
    keys.dedup();
    let boundaries: Vec<_> =
        keys.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
    let level = level_of(order, &boundaries);
    for _ in 0..200 {
        let key = match rng.u8(..4) {
            0 => random_key(rng, b""),
            1 => keys[rng.usize(..keys.len())].clone(),
            _ => random_key(rng, prefix),
        };
        let seq = [0, 3, 6, MAX_SEQUENCE_NUMBER][rng.usize(..4)];
        let target = ikey(&key, seq);
        let expected =
            level.files().iter().position(|f| order.compare(&f.largest, &target).is_ge());
        assert_eq!(level.find_file(&target), expected.unwrap_or(level.len()), "{key:?} {level:?}");
        let probe = level.probe(&key);
        for (i, (smallest, largest)) in boundaries.iter().enumerate() {
            let below = order.compare_user(&key, smallest).is_lt();
            let above = order.compare_user(&key, largest).is_gt();
            assert_eq!(level.is_below(i, probe, &key), below, "{key:?} {smallest:?}");
            assert_eq!(level.is_above(i, probe, &key), above, "{key:?} {largest:?}");
            assert_eq!(level.is_largest(i, probe, &key), key == *largest);
        }
        if let Some(i) = level.file_around(probe) {
            let (smallest, largest) = &boundaries[i];
            assert!(order.compare_user(smallest, &key).is_lt(), "{key:?} {smallest:?}");
            assert!(order.compare_user(&key, largest).is_lt(), "{key:?} {largest:?}");
            found_around += 1;
        }
        let end = random_key(rng, prefix);
        let inside = |f: &Arc<FileMeta>| {
            order.compare_user(f.largest_user_key(), &key).is_ge()
                && order.compare_user(f.smallest_user_key(), &end).is_le()
        };
        let expected: Vec<u64> =
            level.files().iter().filter(|f| inside(f)).map(|f| f.number).collect();
        let range = level.overlapping_range(Some(&key), Some(&end));
        let found: Vec<u64> = level.files()[range].iter().map(|f| f.number).collect();
        if order.compare_user(&key, &end).is_le() {
            assert_eq!(found, expected);
        }
    }
    found_around
}

#[test]
fn fences_agree_with_keys() {
    let mut rng = fastrand::Rng::with_seed(11);
    let mut found_around = 0;
    for round in 0..300 {
        let order = match round % 3 {
            0 => KeyOrder::new(Arc::new(ReverseBytewiseComparator)),
            _ => KeyOrder::new(Arc::new(BytewiseComparator)),
        };
        let prefix: &[u8] = [&b""[..], b"user", b"\0\0\0\0\0\0\0\0\0", b"\xff"][round % 4];
        found_around += check_against_keys(&order, prefix, &mut rng);
    }
    assert!(found_around > 1000, "{found_around}");
}

#[test]
fn an_empty_level_has_nothing() {
    let level = level_of(&KeyOrder::bytewise(), &[]);
    assert_eq!(level.find_file(&ikey("k", 1)), 0);
    assert_eq!(level.overlapping_range(Some(b"a"), None), 0..0);
    assert!(level.is_empty() && level.file_by_number(1).is_none() && level.bytes() == 0);
}
