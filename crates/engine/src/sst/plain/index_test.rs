use super::*;
use crate::base::LookupBuffer;

fn index_of(groups: &[(u64, usize)], sparseness: usize, fill: f64) -> RowIndex {
    let mut builder = IndexBuilder::new(sparseness, true);
    let mut offset = 0;
    for &(hash, rows) in groups {
        builder.start_group(hash, offset);
        for _ in 0..rows {
            builder.add_row(offset, true);
            offset += 10;
        }
    }
    builder.finish(fill).unwrap()
}

#[test]
fn every_group_is_found_whatever_its_hash() {
    let mut rng = fastrand::Rng::with_seed(1);
    for fill in [0.0, 0.75, 9.0] {
        for n in [0usize, 1, 7, 8, 9, 100, 5000] {
            // Some hashes are equal, some have the same fingerprint, some the same home line.
            let hashes: Vec<u64> = (0..n)
                .map(|_| match rng.u8(..4) {
                    0 => rng.u64(..) & 0xFFFF_FFFF_0000_0000,
                    1 => rng.u64(..16),
                    2 => u64::MAX - rng.u64(..16),
                    _ => rng.u64(..),
                })
                .collect();
            let groups: Vec<(u64, usize)> = hashes.iter().map(|&h| (h, 1)).collect();
            let index = index_of(&groups, 16, fill);
            for (i, &hash) in hashes.iter().enumerate() {
                assert!(index.places(hash).any(|p| p.first_row == 10 * i), "{fill} {n} {i}");
            }
            // Every returned place belongs to a group with the same fingerprint.
            for _ in 0..100 {
                let hash = rng.u64(..);
                for place in index.places(hash) {
                    assert_eq!(hashes[place.first_row / 10] as u32, hash as u32);
                }
            }
        }
    }
}

#[test]
fn long_groups_have_anchors_inside_themselves() {
    let groups = [(1, 3), (2, 100), (3, 16), (4, 17), (5, 1)];
    let index = index_of(&groups, 16, 0.75);
    let mut first = 0;
    for (hash, rows) in groups {
        let place = index.places(hash).find(|p| p.first_row == first).unwrap();
        assert_eq!(place.anchors.is_empty(), rows <= 16, "group {hash}");
        let inside = first..first + 10 * rows;
        assert!(place.anchors.iter().all(|&a| inside.contains(&(a as usize))));
        first = inside.end;
    }
    assert_eq!(index.anchor_before(0), None);
    assert_eq!(index.anchor_before(1), Some(0));
    assert_eq!(index.anchor_before(161), Some(160));
    assert_eq!(index.anchor_before(160), Some(0));
}

#[test]
fn rows_that_are_not_full_are_no_anchors() {
    let mut builder = IndexBuilder::new(2, true);
    builder.start_group(1, 0);
    for i in 0..10 {
        builder.add_row(i, i % 4 == 0);
    }
    builder.give_up_groups();
    let index = builder.finish(0.75).unwrap();
    assert!(!index.has_groups());
    assert_eq!(index.everything().anchors, [0, 4, 8]);
    assert_eq!(index.places(1).count(), 0);
}

#[test]
fn keys_get_a_table_where_groups_are_large_and_rows_readable() {
    for (rows_per_group, full, expected) in [(1, true, None), (3, true, Some(30)), (3, false, None)]
    {
        let mut builder = IndexBuilder::new(16, true);
        let mut offset = 0;
        for group in 0..10 {
            builder.start_group(group << 32, offset);
            for row in 0..rows_per_group {
                builder.start_key();
                builder.add_row(offset, full || row == 0);
                offset += 10;
            }
        }
        assert_eq!(builder.wants_keys(), expected);
        let mut index = builder.finish(0.75).unwrap();
        let mut keys = HashIndex::new(40, 0.75).unwrap();
        let user_key = |key: u32| LookupBuffer::new(&key.to_be_bytes(), 1);
        keys.extend((0..40).map(|key| (user_key(key).key().hash(), 10 * key + 1)));
        assert!(!index.has_keys());
        index.set_keys(keys);
        for key in 0..40 {
            let mut places = index.places_of(&Grouping::Fixed(2), &user_key(key).key());
            assert!(places.any(|place| place.first_row == 10 * key as usize));
        }
        assert_eq!(index.places_of(&Grouping::Fixed(2), &user_key(77).key()).count(), 0);
    }
}
