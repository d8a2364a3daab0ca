use super::super::kinds::Rep;
use super::super::vector::VectorRep;
use super::*;
use crate::base::key::{TRAILER_SIZE, append_internal_key, pack_trailer, seek_trailer};
use crate::base::{LookupBuffer, SeqNo, ValueType};
use crate::hooks::slice_transform_by_name;
use crate::options::{ColumnFamilyOptions, MemtableFactory};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;

const SHAPE: HashShape = HashShape { bucket_count: 16, height: 4, branching: 4 };

fn grouping(name: &str) -> Grouping {
    Grouping::by(&slice_transform_by_name(name).unwrap())
}

fn add(rep: &dyn MemtableRep, arena: &Arena, key: &[u8], seq: SeqNo) {
    let value = seq.to_le_bytes();
    let place = rep.allocate(arena, Entry::size(key, &value));
    // SAFETY: fresh memory of this size.
    let entry = unsafe { Entry::write(place, key, pack_trailer(seq, ValueType::Value), &value) };
    rep.insert(arena, entry);
}

fn target(key: &[u8], seq: SeqNo) -> Vec<u8> {
    let mut target = Vec::new();
    append_internal_key(&mut target, key, seek_trailer(seq));
    target
}

/// User key and sequence number of an entry.
fn parts(entry: Entry) -> (Vec<u8>, SeqNo) {
    // SAFETY: the tests keep the arena as long as the structure.
    let key = unsafe { entry.internal_key() };
    (user_key(key).to_vec(), crate::base::key::sequence(key))
}

/// The sequence number of the newest version of `key` that a lookup at `seq` finds.
fn get(rep: &dyn MemtableRep, key: &[u8], seq: SeqNo) -> Option<SeqNo> {
    let mut found = None;
    rep.visit_from(&LookupBuffer::new(key, seq).key(), &mut |entry| {
        let (k, s) = parts(entry);
        found = (k == key).then_some(s);
        false
    });
    found
}

fn random_key(rng: &mut fastrand::Rng) -> Vec<u8> {
    (0..rng.usize(..6)).map(|_| b"abc"[rng.usize(..3)]).collect()
}

/// A model entry: keys ascend, sequence numbers descend.
type ModelKey = (Vec<u8>, cmp::Reverse<SeqNo>);

/// Moves a cursor randomly and compares each position with the model's.
fn walk(
    cursor: &mut dyn RepCursor,
    rng: &mut fastrand::Rng,
    model: &BTreeSet<ModelKey>,
    prefix_len: Option<usize>,
) {
    let all: Vec<&ModelKey> = model.iter().collect();
    // Within prefixes there is no first and no last entry.
    let ends = if prefix_len.is_none() { all.clone() } else { Vec::new() };
    let mut visible: Vec<&ModelKey> = Vec::new();
    let mut at: Option<usize> = None;
    for _ in 0..100 {
        match rng.u8(..8) {
            0 => {
                cursor.seek_to_first();
                visible = ends.clone();
                at = (!visible.is_empty()).then_some(0);
            }
            1 => {
                cursor.seek_to_last();
                visible = ends.clone();
                at = visible.len().checked_sub(1);
            }
            op @ (2 | 3) => {
                let (key, seq) = (random_key(rng), rng.u64(..250));
                let bound = prefix_len.filter(|&n| key.len() >= n).map(|n| &key[..n]);
                visible = all
                    .iter()
                    .copied()
                    .filter(|k| bound.is_none_or(|b| k.0.starts_with(b)))
                    .collect();
                // A seek trailer sorts before the value with the same sequence number.
                let below = visible.partition_point(|k| (&k.0, k.1) < (&key, cmp::Reverse(seq)));
                if op == 2 {
                    cursor.seek(&target(&key, seq));
                    at = (below < visible.len()).then_some(below);
                } else {
                    cursor.seek_for_prev(&target(&key, seq));
                    at = below.checked_sub(1);
                }
            }
            4 | 5 if at.is_some() => {
                cursor.prev();
                at = at.and_then(|i| i.checked_sub(1));
            }
            _ if at.is_some() => {
                cursor.next();
                at = at.map(|i| i + 1).filter(|&i| i < visible.len());
            }
            _ => {}
        }
        let expected = at.map(|i| (visible[i].0.clone(), visible[i].1.0));
        assert_eq!(cursor.entry().map(parts), expected);
    }
}

fn check_against_model(rep: &dyn MemtableRep, rng: &mut fastrand::Rng, prefix_len: Option<usize>) {
    let arena = Arena::new(1 << 16);
    let mut model: BTreeSet<ModelKey> = BTreeSet::new();
    for seq in 1..if cfg!(miri) { 40 } else { 240 } {
        let key = random_key(rng);
        add(rep, &arena, &key, seq);
        model.insert((key, cmp::Reverse(seq)));
        for _ in 0..3 {
            let (key, at) = (random_key(rng), rng.u64(..seq + 1));
            let from = (key.clone(), cmp::Reverse(at));
            let newest = model.range(from..).next().filter(|(k, _)| *k == key);
            assert_eq!(get(rep, &key, at), newest.map(|(_, s)| s.0));
        }
        if seq % 40 == 0 {
            walk(&mut *rep.cursor(true), rng, &model, None);
            walk(&mut *rep.cursor(false), rng, &model, prefix_len);
        }
    }
    for _ in 0..2 {
        walk(&mut *rep.cursor(true), rng, &model, None);
    }
}

#[test]
fn structures_agree_with_a_model() {
    let mut rng = fastrand::Rng::with_seed(1);
    for round in 0..if cfg!(miri) { 2 } else { 60 } {
        let prefix_len = rng.usize(..4);
        // Few buckets, so that groups share a bucket and buckets become skip lists.
        let bucket_count = [0, 1, 3, 64][round % 4];
        let height = [1, 2, 4, 12][rng.usize(..4)];
        let shape = HashShape { bucket_count, height, branching: 2 };
        let name = format!("fixed:{prefix_len}");
        let rep = HashRep::new(KeyOrder::bytewise(), grouping(&name), shape, 1 << 20);
        check_against_model(&rep, &mut rng, Some(prefix_len));
        let rep = VectorRep::new(KeyOrder::bytewise(), 10, 1 << 20);
        check_against_model(&rep, &mut rng, None);
    }
}

#[test]
fn ascending_and_descending_loads_into_one_bucket_stay_fast() {
    let n = if cfg!(miri) { 50u32 } else { 20_000 };
    for descending in [false, true] {
        let arena = Arena::new(1 << 20);
        let shape = HashShape { bucket_count: 1, height: 12, branching: 4 };
        let rep = HashRep::new(KeyOrder::bytewise(), grouping("fixed:1"), shape, 1 << 20);
        for i in 0..n {
            let i = if descending { n - 1 - i } else { i };
            add(&rep, &arena, &i.to_be_bytes(), 1);
        }
        for i in 0..n {
            assert_eq!(get(&rep, &i.to_be_bytes(), 9), Some(1));
        }
        let mut cursor = rep.cursor(false);
        cursor.seek(&target(&[0], 9));
        let mut count = 0;
        while let Some(entry) = cursor.entry() {
            assert_eq!(parts(entry).0, u32::to_be_bytes(count));
            count += 1;
            cursor.next();
        }
        assert_eq!(count, n.min(1 << 24));
    }
}

#[test]
fn words_hold_address_form_and_filter() {
    let arena = Arena::new(1 << 12);
    let node = arena.allocate(64);
    for content in
        [Content::Chain(node, 1), Content::Chain(node, CHAIN_MAX), Content::SkipList(node)]
    {
        for hash in [0, 7, 15, u64::MAX] {
            let word = content.word(filter_bit(hash));
            assert_eq!(Content::of(word), content);
            assert!(may_hold(word, hash));
            assert_eq!(filter_of(word), filter_bit(hash));
            assert!(cfg!(target_pointer_width = "32") || !may_hold(word, hash ^ 1));
        }
    }
    assert_eq!(Content::of(Content::Empty.word(0)), Content::Empty);
}

#[test]
fn a_small_memtable_gets_few_buckets() {
    let shape = HashShape { bucket_count: 1_000_000, ..SHAPE };
    let rep = |size| HashRep::new(KeyOrder::bytewise(), grouping("fixed:4"), shape, size);
    assert_eq!(rep(128 << 20).outside_memory(), 8_000_000);
    assert_eq!(rep(1 << 20).outside_memory(), 1 << 18);
    assert_eq!(rep(0).outside_memory(), 8);
}

#[test]
fn the_options_choose_the_structure() {
    let mut options = ColumnFamilyOptions::default();
    let mut make = |factory: MemtableFactory, name: Option<&str>| {
        options.memtable_factory = factory;
        options.prefix_extractor = name.and_then(slice_transform_by_name);
        Rep::new(KeyOrder::bytewise(), &options)
    };
    let hash = MemtableFactory::hash_skip_list();
    assert!(matches!(make(hash.clone(), Some("fixed:4")), Rep::Hash(_)));
    assert!(matches!(make(hash, None), Rep::BTree(_)));
    let hash = MemtableFactory::HashLinkList { bucket_count: 10 };
    assert!(matches!(make(hash, Some("capped:4")), Rep::Hash(_)));
    let vector = make(MemtableFactory::Vector { count: 10 }, None);
    assert!(matches!(vector, Rep::Vector(_)));
    assert!(!vector.supports_concurrent_insert());
}

#[test]
fn readers_see_all_that_was_published_while_one_writes() {
    let n: u64 = if cfg!(miri) { 60 } else { 60_000 };
    let (arena, rng) = (Arena::new(1 << 20), |seed| fastrand::Rng::with_seed(seed));
    let hash = HashRep::new(KeyOrder::bytewise(), grouping("fixed:2"), SHAPE, 1 << 20);
    let vector = VectorRep::new(KeyOrder::bytewise(), 0, 1 << 20);
    let key = |seq: u64| (seq.wrapping_mul(40503) as u16).to_be_bytes();
    let reps: [(&dyn MemtableRep, u64); 2] = [(&hash, n), (&vector, n.min(2000))];
    for (rep, n) in reps {
        let published = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for seed in 0..2 {
                let (published, mut rng) = (&published, rng(seed));
                scope.spawn(move || {
                    loop {
                        let now = published.load(Ordering::Acquire);
                        if now > 0 {
                            // The newest version of a key that is visible at `now`: it may be
                            // newer than `seq`, since keys repeat.
                            let seq = rng.u64(1..=now);
                            let found = get(rep, &key(seq), now).unwrap();
                            assert!(found >= seq && found <= now && key(found) == key(seq));
                        }
                        if rng.u16(..) < 40 {
                            let mut cursor = rep.cursor(true);
                            cursor.seek_to_first();
                            let mut count = 0;
                            let mut last: Option<Vec<u8>> = None;
                            while let Some(entry) = cursor.entry() {
                                // SAFETY: the arena lives.
                                let key = unsafe { entry.internal_key() };
                                assert!(key.len() == 2 + TRAILER_SIZE);
                                let order = KeyOrder::bytewise();
                                assert!(last.is_none_or(|l| order.compare(&l, key).is_lt()));
                                last = Some(key.to_vec());
                                count += u64::from(parts(entry).1 <= now);
                                cursor.next();
                            }
                            assert_eq!(count, now);
                        }
                        if now == n {
                            return;
                        }
                    }
                });
            }
            for seq in 1..=n {
                add(rep, &arena, &key(seq), seq);
                published.store(seq, Ordering::Release);
            }
        });
    }
}

/// A benchmark, not a test: `cargo test --release -p ferrolith --lib hash_memtable_speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn hash_memtable_speed() {
    let n = 800_000u64;
    let shape = HashShape { bucket_count: 1_000_000, ..SHAPE };
    let key = |i: u64| {
        let mut key = [b'0'; 20];
        key[..8].copy_from_slice(&i.to_be_bytes());
        key
    };
    for (name, keys_per_prefix) in [("fixed:20", 1), ("fixed:12", 1), ("fixed:7", 256)] {
        let arena = Arena::new(2 << 20);
        let rep = HashRep::new(KeyOrder::bytewise(), grouping(name), shape, 128 << 20);
        let mut rng = fastrand::Rng::with_seed(1);
        let keys: Vec<[u8; 20]> = (0..n).map(|_| key(rng.u64(..500_000_000))).collect();
        let time = |what: &str, count: u64, mut run: Box<dyn FnMut() + '_>| {
            let start = crate::env::clock::Instant::now();
            run();
            println!(
                "{name} ({keys_per_prefix}): {what}: {} ns",
                start.elapsed().as_nanos() as u64 / count
            );
        };
        time(
            "insert",
            n,
            Box::new(|| {
                for (seq, key) in keys.iter().enumerate() {
                    let place = rep.allocate(&arena, Entry::size(key, &[b'v'; 100]));
                    // SAFETY: fresh memory of this size.
                    let entry = unsafe {
                        Entry::write(
                            place,
                            key,
                            pack_trailer(seq as u64, ValueType::Value),
                            &[b'v'; 100],
                        )
                    };
                    rep.insert(&arena, entry);
                }
            }),
        );
        let mut found = 0;
        let mut look = |key: &[u8; 20]| {
            rep.visit(&LookupBuffer::new(key, n).key(), |entry| {
                // SAFETY: the arena lives.
                found += usize::from(unsafe { entry.internal_key() }[..20] == key[..]);
                false
            });
        };
        let mut shuffled = keys.clone();
        fastrand::Rng::with_seed(3).shuffle(&mut shuffled);
        time("present", n, Box::new(|| shuffled.iter().for_each(&mut look)));
        let absent: Vec<[u8; 20]> =
            (0..n).map(|_| key(500_000_000 + rng.u64(..500_000_000))).collect();
        time("absent", n, Box::new(|| absent.iter().for_each(&mut look)));
        time("sort all", n, Box::new(|| assert_eq!(rep.sort().len() as u64, n)));
        println!("{name}: {} bytes per entry", arena.used() as u64 / n);
    }
}
