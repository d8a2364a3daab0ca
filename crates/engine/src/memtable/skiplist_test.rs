use super::*;
use crate::base::key::pack_trailer;
use crate::base::{SeqNo, ValueType};

fn add(list: &SkipList, arena: &Arena, key: &[u8], seq: SeqNo) {
    let place = list.allocate_node(arena, Entry::size(key, b"v"));
    // SAFETY: fresh memory of this size.
    let entry = unsafe { Entry::write(place, key, pack_trailer(seq, ValueType::Value), b"v") };
    list.insert_node(entry);
}

fn keys(list: &SkipList) -> Vec<&[u8]> {
    let mut cursor = list.iter();
    cursor.seek_to_first();
    let mut keys = Vec::new();
    while let Some(entry) = cursor.entry() {
        // SAFETY: the tests keep the arena as long as the list.
        keys.push(crate::base::key::user_key(unsafe { entry.internal_key() }));
        cursor.next();
    }
    keys
}

#[test]
fn shapes_from_flat_to_tall_keep_order() {
    for (height, branching) in [(1, 4), (2, 2), (4, 4), (12, 4), (0, 0), (99, 1 << 30)] {
        let arena = Arena::new(1 << 16);
        let list = SkipList::with_shape(KeyOrder::bytewise(), &arena, height, branching);
        assert!(list.is_empty());
        let n = if cfg!(miri) { 20u16 } else { 500 };
        for i in 0..n {
            add(&list, &arena, &i.wrapping_mul(40503).to_be_bytes(), u64::from(i));
        }
        let keys = keys(&list);
        assert_eq!(keys.len(), usize::from(n));
        assert!(keys.is_sorted());
    }
}

#[test]
fn visiting_starts_at_the_target_and_stops_on_demand() {
    let arena = Arena::new(1 << 16);
    let list = SkipList::new(KeyOrder::bytewise(), &arena);
    for i in 0..10u8 {
        add(&list, &arena, &[2 * i], 1);
    }
    let mut target = vec![5];
    target.extend(u64::MAX.to_le_bytes());
    let mut seen = Vec::new();
    list.visit(&target, |entry| {
        // SAFETY: the arena lives.
        seen.push(unsafe { entry.internal_key() }[0]);
        seen.len() < 3
    });
    assert_eq!(seen, [6, 8, 10]);
}

#[test]
fn concurrent_inserts_of_neighbours_all_arrive() {
    let arena = Arena::new(1 << 16);
    let list = SkipList::new(KeyOrder::bytewise(), &arena);
    let (threads, n) = if cfg!(miri) { (2u32, 15u32) } else { (4, 5000) };
    std::thread::scope(|scope| {
        for t in 0..threads {
            let (list, arena) = (&list, &arena);
            scope.spawn(move || {
                (0..n).for_each(|i| add(list, arena, &(i * threads + t).to_be_bytes(), 1))
            });
        }
    });
    let keys = keys(&list);
    assert_eq!(keys.len(), (threads * n) as usize);
    assert!(keys.iter().enumerate().all(|(i, k)| **k == (i as u32).to_be_bytes()));
}
