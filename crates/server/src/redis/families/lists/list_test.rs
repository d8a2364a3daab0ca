use super::*;
use crate::redis::values::Place;
use crate::rows::redis::{Collection, Head};
use crate::store::Partition;

fn parsed(encoding: u8, count: u64, extra: &[u64]) -> Option<(u64, u64)> {
    let row = Collection {
        head: Head { ty: Type::List, encoding, expire_ms: 0 },
        version: 1,
        count,
        extra: extra.iter().flat_map(|bound| bound.to_be_bytes()).collect(),
    };
    let place = Place { key: b"k", slot: 0, partition: Partition(1) };
    let list = List::parse(Coll { place, row, is_stored: true }).ok()?;
    Some((list.head, list.tail))
}

#[test]
fn damaged_bounds_are_refused() {
    assert_eq!(parsed(DENSE, 3, &[START]), Some((START, START + 3)));
    assert_eq!(parsed(SPARSE, 1, &[START, START + 3]), Some((START, START + 3)));
    assert_eq!(parsed(SPARSE, 1, &[ROOM, u64::MAX - ROOM]), Some((ROOM, u64::MAX - ROOM)));
    for (encoding, count, extra) in [
        (DENSE, 3, &[][..]),
        (DENSE, u64::MAX, &[START]),
        (DENSE, 3, &[0]),
        (DENSE, START - 1, &[START]),
        (SPARSE, 1, &[START]),
        (SPARSE, 1, &[START, START - 1]),
        (SPARSE, 1, &[0, START]),
        (SPARSE, 1, &[START, u64::MAX]),
        (2, 1, &[START, START]),
    ] {
        assert_eq!(parsed(encoding, count, extra), None, "{encoding} {count} {extra:?}");
    }
}
