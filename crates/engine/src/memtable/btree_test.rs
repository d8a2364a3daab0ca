use super::super::rep::RepCursor;
use super::*;
use crate::base::key::pack_trailer;
use crate::base::{SeqNo, ValueType};

fn new_entry(arena: &Arena, key: &[u8], seq: SeqNo) -> Entry {
    let place = arena.allocate(Entry::size(key, b"v"));
    // SAFETY: fresh memory of this size.
    #[allow(unsafe_code)]
    unsafe {
        Entry::write(place, key, pack_trailer(seq, ValueType::Value), b"v")
    }
}

fn tree() -> (Arena, BTree) {
    (Arena::new(1 << 16), BTree::new(KeyOrder::bytewise(), 1 << 16))
}

fn keys(tree: &BTree) -> Vec<Vec<u8>> {
    let mut cursor = tree.iter();
    cursor.seek_to_first();
    let mut keys = Vec::new();
    while let Some(entry) = cursor.entry() {
        keys.push(user_key(internal_key(&entry)).to_vec());
        cursor.next();
    }
    keys
}

/// Checks BT2 on every level: keys ascend and stay below `high`, no node is locked, and the
/// separators match the first keys of the children. Returns the number of nodes per level.
fn check(tree: &BTree) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut level_start = Some(tree.root());
    while let Some(start) = level_start {
        let mut count = 0;
        let mut low: Option<Entry> = None;
        let mut at = Some(start);
        while let Some(node) = at {
            count += 1;
            let permutation = node.permutation();
            for rank in 0..permutation.count() {
                let key = node.key(permutation, rank);
                assert!(low.is_none_or(|low| tree.compare(low, internal_key(&key)).is_le()));
                assert!(
                    node.high().is_none_or(|h| tree.compare(bound(h), internal_key(&key)).is_gt())
                );
                if node.level > 0 {
                    let child = node.child(permutation, rank + 1);
                    assert_eq!(child.level + 1, node.level);
                    if child.level == 0 {
                        assert_eq!(child.key(child.permutation(), 0), key);
                    }
                }
                low = Some(key);
            }
            node.lock();
            node.unlock();
            assert_eq!(node.high().is_none(), node.next().is_none());
            low = node.high().map(bound);
            at = node.next();
        }
        sizes.push(count);
        level_start = (start.level > 0).then(|| start.child(start.permutation(), 0));
    }
    sizes
}

#[test]
fn a_permutation_inserts_at_every_rank() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut permutation = Permutation::empty();
        let mut model: Vec<usize> = Vec::new();
        for _ in 0..40 {
            if model.len() == MAX_SLOTS {
                let keep = random.usize(..=MAX_SLOTS);
                model.truncate(keep);
                permutation = permutation.truncate(keep);
                continue;
            }
            let rank = random.usize(..=model.len());
            let (next, slot) = permutation.insert(rank);
            assert!(slot < MAX_SLOTS && !model.contains(&slot));
            model.insert(rank, slot);
            permutation = next;
            let slots: Vec<usize> = (0..permutation.count()).map(|r| permutation.slot(r)).collect();
            assert_eq!(slots, model);
        }
        let mut all: Vec<usize> = (0..MAX_SLOTS).map(|r| permutation.slot(r)).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..MAX_SLOTS), "no slot is lost");
    }
}

#[test]
fn prefixes_order_as_their_keys() {
    let keys: [&[u8]; 7] = [b"", b"\0", b"a", b"a\0", b"abcdefgh", b"abcdefghi", b"b"];
    let prefix = |key: &[u8], skip| prefix_of(&[key, &[0; 8]].concat(), skip);
    assert!(keys.map(|k| prefix(k, 0)).is_sorted());
    assert_eq!(prefix(b"abc", 8), 0x6263 << 48);
    assert_eq!(prefix(b"abc", 9), 0x6263 << 49);
    assert_eq!(prefix(b"abc", 24), 0);
    assert_eq!(prefix(b"abc", 32), 0);
    assert_eq!(prefix(b"abc", u16::MAX), 0);
}

#[test]
fn words_hold_address_and_short_prefix() {
    let arena = Arena::new(1 << 16);
    for prefix in [0, 1, u64::MAX >> 1, u64::MAX, 0x1234_5678_9ABC_DEF0] {
        let entry = new_entry(&arena, b"key", 1);
        let word = Word::new(entry, prefix);
        assert_eq!((bound(word), word.short_prefix()), (entry, short_prefix_of(prefix)));
        assert_eq!(user_key(internal_key(&bound(word))), b"key");
    }
    assert!(short_prefixes_suffice(&[1 << 45, 2 << 45, 2 << 45]));
    assert!(!short_prefixes_suffice(&[1 << 45, 2 << 45, (2 << 45) + 1]));
}

#[test]
fn common_bits_are_those_of_all_keys_between() {
    let common = |low: &[u8], high: &[u8]| common_bits(low, high);
    assert_eq!(common(b"", b"a"), 0);
    assert_eq!(common(b"ab", b"ab"), 16);
    assert_eq!(common(b"ab", b"abc"), 16);
    assert_eq!(common(&[1, 0b0101_0000], &[1, 0b0101_1000, 7]), 12);
    assert_eq!(common(&[0; 9000], &[0; 9000]), u16::MAX);
}

/// The numbers of packed and of wide leaves.
fn kinds(tree: &BTree) -> (usize, usize) {
    let leaves = std::iter::successors(Some(tree.leftmost()), |leaf| leaf.next());
    let slots: Vec<usize> = leaves.map(NodeRef::slots).collect();
    (slots.iter().filter(|&&n| n < MAX_SLOTS).count(), slots.len())
}

#[test]
fn leaves_are_packed_where_short_prefixes_tell_keys_apart() {
    let n: u64 = if cfg!(miri) { 100 } else { 20_000 };
    let scattered = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let fill = |key: &dyn Fn(u64) -> Vec<u8>| {
        let (arena, tree) = tree();
        (0..n).for_each(|i| tree.add(new_entry(&arena, &key(i), 1)));
        check(&tree);
        let (packed, all) = kinds(&tree);
        assert_eq!(keys(&tree).len() as u64, n);
        packed as f64 / all as f64
    };
    assert!(fill(&|i| scattered(i).to_be_bytes().to_vec()) > 0.6);
    assert_eq!(fill(&|i| i.to_be_bytes().to_vec()), 0.0);
    // Groups of ten keys that share so many bits that their short prefixes are equal.
    let order = |i: u64| scattered(i) % n;
    let grouped = |i: u64| {
        [&(order(i) / 10).to_be_bytes()[..], b"same", &scattered(i).to_be_bytes()].concat()
    };
    let share = fill(&grouped);
    assert!(cfg!(miri) || (0.05..0.6).contains(&share), "{share}");
}

#[test]
fn ascending_inserts_leave_full_leaves() {
    let (arena, tree) = tree();
    let n = MAX_SLOTS as u32 * if cfg!(miri) { 4 } else { 1000 };
    for i in 0..n {
        tree.add(new_entry(&arena, &i.to_be_bytes(), 1));
    }
    let sizes = check(&tree);
    assert_eq!(*sizes.last().unwrap(), n as usize / MAX_SLOTS);
    assert_eq!(keys(&tree).len(), n as usize);
}

#[test]
fn every_order_of_insertion_gives_a_sound_tree() {
    let n: u32 = if cfg!(miri) { 100 } else { 20_000 };
    let orders: [(&str, &dyn Fn(u32) -> u32); 4] = [
        ("descending", &|i| n - i),
        ("random", &|i| i.wrapping_mul(0x9E37_79B1)),
        ("zigzag", &|i| if i % 2 == 0 { i } else { u32::MAX - i }),
        ("runs", &|i| (i % 16) << 24 | i),
    ];
    for (name, order) in orders {
        // Text with a long common part, so that prefixes need `skip`; then short binary keys.
        for text in [false, true] {
            let (arena, tree) = tree();
            let key_of = |i: u32| match text {
                true => format!("common/part/{:010}", order(i)).into_bytes(),
                false => order(i).to_be_bytes().to_vec(),
            };
            (0..n).for_each(|i| tree.add(new_entry(&arena, &key_of(i), 1)));
            check(&tree);
            let mut expected: Vec<Vec<u8>> = (0..n).map(key_of).collect();
            expected.sort();
            assert_eq!(keys(&tree), expected, "{name}");
        }
    }
}

#[test]
fn versions_of_one_key_fill_many_leaves() {
    let (arena, tree) = tree();
    let n = if cfg!(miri) { 60 } else { 2000 };
    for seq in 1..=n {
        tree.add(new_entry(&arena, b"key", seq));
        tree.add(new_entry(&arena, b"key2", n + 1 - seq));
    }
    check(&tree);
    for seq in 1..=n {
        let mut seen = Vec::new();
        let target = [&b"key"[..], &crate::base::key::seek_trailer(seq).to_le_bytes()].concat();
        tree.visit(&target, |entry| {
            seen.push(crate::base::key::sequence(internal_key(&entry)));
            seen.len() < 3
        });
        let expected: Vec<u64> = (1..=seq).rev().chain((1..=n).rev()).take(3).collect();
        assert_eq!(seen, expected);
    }
}

#[test]
fn concurrent_inserts_leave_a_sound_tree() {
    let (threads, n) = if cfg!(miri) { (3u32, 30u32) } else { (8, 5_000) };
    for round in 0..if cfg!(miri) { 1 } else { 6 } {
        let (arena, tree) = tree();
        std::thread::scope(|scope| {
            for t in 0..threads {
                let (tree, arena) = (&tree, &arena);
                scope.spawn(move || {
                    for i in 0..n {
                        let key = match round % 3 {
                            0 => i * threads + t,
                            1 => (i * threads + t).wrapping_mul(0x9E37_79B1),
                            _ => u32::MAX - (i * threads + t),
                        };
                        let key = format!("{key:010}");
                        tree.add(new_entry(arena, key.as_bytes(), 1));
                        // An added key is found, whatever the other threads do.
                        let target = [key.as_bytes(), &[0xFF; 8]].concat();
                        let found = tree.lower_bound(&target);
                        assert_eq!(
                            found.map(|e| user_key(internal_key(&e)) == key.as_bytes()),
                            Some(true)
                        );
                    }
                });
            }
        });
        check(&tree);
        let keys = keys(&tree);
        assert_eq!(keys.len(), (threads * n) as usize);
        assert!(keys.is_sorted());
    }
}
