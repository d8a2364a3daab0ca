//! Every schedule of small inserts and reads with a few preemptions. Nodes have three slots here,
//! so one insert into a full leaf splits it and grows a root.
//!
//! `RUSTFLAGS="--cfg loom" cargo test --release --target-dir target/loom -p ferrolith --lib btree`

use super::super::rep::RepCursor;
use super::*;
use crate::base::ValueType;
use crate::base::key::pack_trailer;
use crate::env::sync::atomic::AtomicUsize;
use loom::thread;
use std::sync::Arc;

struct Fixture {
    tree: BTree,
    arena: Arena,
    /// The number of the writer's keys that readers may see, in the role of its published sequence
    /// numbers.
    published: AtomicUsize,
}

impl Fixture {
    fn new(keys: &[u8]) -> Arc<Fixture> {
        let fixture = Fixture {
            tree: BTree::new(KeyOrder::bytewise(), 1 << 16),
            arena: Arena::new(1 << 16),
            published: AtomicUsize::new(0),
        };
        keys.iter().for_each(|&key| fixture.add(key));
        Arc::new(fixture)
    }

    fn add(&self, key: u8) {
        let place = self.arena.allocate(Entry::size(&[key], b""));
        let trailer = pack_trailer(1, ValueType::Value);
        // SAFETY: fresh memory of this size.
        #[allow(unsafe_code)]
        let entry = unsafe { Entry::write(place, &[key], trailer, b"") };
        self.tree.add(entry);
    }

    /// The first key that is not less than this one.
    fn find(&self, key: u8) -> Option<u8> {
        let target = [key, 255, 255, 255, 255, 255, 255, 255, 255];
        self.tree.lower_bound(&target).map(|entry| internal_key(&entry)[0])
    }

    fn all(&self) -> Vec<u8> {
        let mut cursor = self.tree.iter();
        cursor.seek_to_first();
        let mut keys = Vec::new();
        while let Some(entry) = cursor.entry() {
            keys.push(internal_key(&entry)[0]);
            cursor.next();
        }
        keys
    }
}

fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(builder.preemption_bound.unwrap_or(2));
    builder.max_branches = 20_000;
    builder.check(model);
}

/// A reader sees the keys that existed before and the published ones, whatever the writer does.
fn reader_beside_writer(before: &'static [u8], keys: &'static [u8]) {
    check(move || {
        let f = Fixture::new(before);
        let writer = {
            let f = f.clone();
            thread::spawn(move || {
                for &key in keys {
                    f.add(key);
                    f.published.fetch_add(1, Ordering::Release);
                }
            })
        };
        let published = f.published.load(Ordering::Acquire);
        for &key in before.iter().chain(&keys[..published]) {
            assert_eq!(f.find(key), Some(key));
        }
        let seen = f.all();
        assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
        assert!(before.iter().chain(&keys[..published]).all(|key| seen.contains(key)));
        writer.join().unwrap();
        assert_eq!(f.all().len(), before.len() + keys.len());
    });
}

#[test]
fn a_reader_beside_an_insert_with_room() {
    reader_beside_writer(&[10, 30], &[20]);
}

#[test]
fn a_reader_beside_a_split_in_the_middle_and_reuse_of_its_slots() {
    reader_beside_writer(&[10, 30, 50], &[20, 15]);
}

#[test]
fn a_reader_beside_a_split_at_the_end() {
    reader_beside_writer(&[10, 30, 50], &[60, 70]);
}

/// Two writers insert into one full leaf: no key is lost, and each writer finds its own key at
/// once.
fn two_writers(a: u8, b: u8) {
    check(move || {
        let f = Fixture::new(&[10, 30, 50]);
        let other = {
            let f = f.clone();
            thread::spawn(move || {
                f.add(a);
                assert_eq!(f.find(a), Some(a));
            })
        };
        f.add(b);
        assert_eq!(f.find(b), Some(b));
        other.join().unwrap();
        let mut expected = vec![10, 30, 50, a, b];
        expected.sort_unstable();
        assert_eq!(f.all(), expected);
    });
}

#[test]
fn two_writers_into_one_half() {
    two_writers(20, 25);
}

#[test]
fn two_writers_into_both_halves() {
    two_writers(20, 40);
}

#[test]
fn two_writers_at_the_end() {
    two_writers(60, 70);
}
