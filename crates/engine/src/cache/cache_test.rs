//! A model test (budget and contents against a simple model), and a stress test of readers,
//! inserts, evictions and dropped tables on real threads.

use super::*;
use crate::env::epoch;
use std::sync::atomic::AtomicU64;

fn cache(capacity: usize, strict: bool) -> Arc<Cache> {
    Cache::with_settings("LRUCache", capacity, 1, strict)
}

fn cached(slots: &SlotArray<u64>, slot: usize) -> Option<u64> {
    let guard = epoch::pin();
    slots.load(slot, &guard).map(|node| {
        node.touch();
        *node.object()
    })
}

#[test]
fn usage_follows_inserts_evictions_and_dead_tables() {
    let cache = cache(100, false);
    let slots = SlotArray::new(Arc::clone(&cache), 20);
    for i in 0..20 {
        assert_eq!(*slots.insert(i, i as u64, 10).unwrap().object(), i as u64);
        assert!(cache.usage() <= 100, "{}", cache.usage());
    }
    assert_eq!((cache.len(), cache.usage()), (10, 100));
    assert_eq!((0..20).filter(|&i| cached(&slots, i).is_some()).count(), 10);
    cache.set_capacity(35);
    assert_eq!((cache.len(), cache.usage(), cache.pinned_usage()), (3, 30, 0));
    slots.clear();
    assert_eq!((cache.len(), cache.usage()), (0, 0));
}

#[test]
fn what_is_used_stays_and_what_is_held_cannot_go() {
    let cache = Cache::with_settings("LRUCache", 100, 0, false);
    let slots = SlotArray::new(Arc::clone(&cache), 1000);
    let held = slots.insert(1, 1, 10).unwrap();
    drop(slots.insert(0, 0, 10));
    for i in 2..1000 {
        assert_eq!(cached(&slots, 0), Some(0), "used object evicted at {i}");
        drop(slots.insert(i, i as u64, 10));
        assert!(cached(&slots, 1).is_some(), "held object evicted at {i}");
    }
    assert_eq!(cache.pinned_usage(), 10);
    drop(held);
    assert_eq!(cache.pinned_usage(), 0);
    slots.clear();
}

#[test]
fn the_first_of_two_loads_of_a_block_wins() {
    let cache = cache(100, false);
    let slots = SlotArray::new(Arc::clone(&cache), 1);
    let first = slots.insert(0, 1, 10).unwrap();
    let second = slots.insert(0, 2, 10).unwrap();
    assert!(first.is_same(&second));
    assert_eq!(cache.usage(), 10);
    slots.try_grow(0, 5, |_| true);
    assert_eq!(cache.usage(), 15);
    drop((first, second));
    slots.clear();
    slots.try_grow(0, 5, |_| true);
    assert_eq!(cache.usage(), 0);
}

#[test]
fn readers_do_without_a_shard_that_stays_locked() {
    let cache = Cache::with_settings("LRUCache", 100, 0, false);
    let slots = SlotArray::new(Arc::clone(&cache), 2);
    drop(slots.insert(0, 1, 10).unwrap());
    let ring = cache.shards[0].lock();
    assert!(slots.is_busy(0));
    slots.try_grow(0, 5, |_| panic!("its charge cannot be increased now"));
    assert_eq!(*slots.insert(1, 2, 10).unwrap().object(), 2, "the object is used uncached");
    assert!(slots.hold(1).is_none());
    drop(ring);
    assert!(!slots.is_busy(0));
    slots.try_grow(0, 5, |&object| object == 1);
    slots.try_grow(0, 7, |&object| object == 2);
    drop(slots.insert(1, 2, 10).unwrap());
    assert_eq!((cache.usage(), slots.hold(1).is_some()), (25, true));
    slots.clear();
    assert_eq!(cache.usage(), 0);
}

#[test]
fn a_strict_limit_refuses_and_a_soft_one_does_not() {
    let strict = cache(30, true);
    let slots = SlotArray::new(Arc::clone(&strict), 10);
    let held: Vec<_> = (0..3).map(|i| slots.insert(i, 0, 10).unwrap()).collect();
    let refused = slots.insert(3, 0, 10).err().unwrap();
    assert_eq!(refused.code(), Code::Aborted);
    assert_eq!(strict.usage(), 30);
    strict.reserve(1).unwrap_err();
    drop(held);
    let reservation = strict.reserve(25).unwrap();
    assert_eq!((strict.usage(), strict.pinned_usage()), (25, 25));
    drop(reservation);
    slots.clear();
    assert_eq!(strict.usage(), 0);

    let soft = cache(30, false);
    let slots = SlotArray::new(Arc::clone(&soft), 10);
    let held: Vec<_> = (0..5).map(|i| slots.insert(i, 0, 10).unwrap()).collect();
    assert_eq!(soft.usage(), 50);
    drop(slots.insert(6, 0, 31).unwrap());
    assert_eq!(soft.usage(), 50, "an object larger than the cache is not cached");
    drop(held);
    drop(slots.insert(7, 0, 10).unwrap());
    assert_eq!(soft.usage(), 30);
    slots.clear();
}

#[test]
fn random_operations_keep_the_books_balanced() {
    let mut rng = fastrand::Rng::with_seed(7);
    let cache = cache(500, false);
    let tables: Vec<_> = (0..3).map(|_| SlotArray::new(Arc::clone(&cache), 50)).collect();
    let mut held: Vec<(Held<u64>, u64)> = Vec::new();
    for _ in 0..20_000 {
        let t = rng.usize(..3);
        let slot = rng.usize(..50);
        let tag = (t * 50 + slot) as u64;
        match rng.u32(..20) {
            0 => tables[t].clear(),
            1 => cache.set_capacity(rng.usize(100..800)),
            2 => held.clear(),
            3 => tables[t].try_grow(slot, 3, |_| true),
            4..8 if held.len() < 5 => {
                held.extend(tables[t].hold(slot).map(|node| (node, tag)));
            }
            4..12 => assert!(cached(&tables[t], slot).is_none_or(|v| v == tag)),
            _ => drop(tables[t].insert(slot, tag, rng.usize(1..40)).unwrap()),
        }
        assert!(held.iter().all(|(node, tag)| node.object() == tag));
        let excess = cache.usage().saturating_sub(cache.capacity());
        assert!(excess == 0 || excess <= cache.pinned_usage() + 3, "{cache:?}");
    }
    held.clear();
    tables.iter().for_each(|t| t.clear());
    assert_eq!((cache.usage(), cache.len()), (0, 0));
}

/// An object that records whether it was freed.
struct Canary(Arc<AtomicU64>, u64);

impl Canary {
    fn recycle(&mut self) -> bool {
        self.1 = 0;
        true
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        self.1 = 0;
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[test]
fn readers_never_see_freed_objects() {
    const SLOTS: usize = 64;
    // Less than the total charge of all objects, and large enough for a few spares.
    const CAPACITY: usize = 200 * CHARGE;
    const CHARGE: usize = 100;
    let cache = Cache::with_settings("LRUCache", CAPACITY, 2, false);
    let alive = Arc::new(AtomicU64::new(0));
    let slots = |cache: &Arc<Cache>| {
        let handling = Handling { recycle: Canary::recycle, memory: |_: &Canary| &[] };
        SlotArray::<Canary>::with_recycling(Arc::clone(cache), SLOTS, Some(handling))
    };
    let shared = slots(&cache);
    std::thread::scope(|scope| {
        for seed in 0..4u64 {
            let (cache, alive, shared) = (&cache, &alive, &shared);
            scope.spawn(move || {
                let mut rng = fastrand::Rng::with_seed(seed);
                for _ in 0..30 {
                    let own = slots(cache);
                    for _ in 0..500 {
                        let slot = rng.usize(..SLOTS);
                        let slots = if rng.bool() { shared } else { &own };
                        let guard = epoch::pin();
                        if let Some(node) = slots.load(slot, &guard) {
                            node.touch();
                            assert_eq!(node.object().1, slot as u64 + 1);
                            continue;
                        }
                        drop(guard);
                        alive.fetch_add(1, Ordering::Relaxed);
                        let object = Canary(Arc::clone(alive), slot as u64 + 1);
                        let spare = slots.spare(|canary| canary.1 == 0);
                        let node = Held::new_in(spare, object);
                        let node = slots.insert_node(slot, node, CHARGE).unwrap();
                        assert_eq!(node.object().1, slot as u64 + 1);
                    }
                    own.clear();
                }
            });
        }
    });
    shared.clear();
    assert_eq!((cache.usage(), cache.len()), (0, 0));
    for _ in 0..1000 {
        epoch::synchronize();
        cache.set_capacity(CAPACITY);
        if alive.load(Ordering::Relaxed) == 0 {
            return;
        }
    }
    panic!("{} objects were never freed", alive.load(Ordering::Relaxed));
}

#[test]
fn evicted_objects_are_spares_unless_somebody_holds_them() {
    let cache = Cache::with_settings("LRUCache", 3200, 0, false);
    let empty = |text: &mut String| {
        text.clear();
        true
    };
    let handling = Handling { recycle: empty, memory: |_: &String| &[] };
    let slots = SlotArray::with_recycling(Arc::clone(&cache), 100, Some(handling));
    assert!(slots.spare(|_| true).is_none());
    for slot in 0..70 {
        drop(slots.insert(slot, slot.to_string(), 64).unwrap());
    }
    let spare = (0..1000).find_map(|_| {
        epoch::synchronize();
        slots.spare(|text| text.is_empty())
    });
    let spare = spare.expect("an evicted object");
    assert_eq!(spare.object(), "");
    let node = slots.insert_node(99, Held::new_in(Some(spare), "new".to_owned()), 64).unwrap();
    assert_eq!(node.object(), "new");
    // A node with another reference is not reused.
    let held = Some(node.clone());
    assert_eq!(Held::new_in(held, "other".to_owned()).object(), "other");
    slots.clear();
    epoch::synchronize();
    assert_eq!(node.object(), "new");
}

#[test]
fn objects_that_were_set_aside_go_with_their_table() {
    let cache = Cache::with_settings("LRUCache", 100_000, 0, false);
    let counted = Arc::new(());
    let slots = SlotArray::new(Arc::clone(&cache), 2000);
    for slot in 0..1003 {
        drop(slots.insert(slot, Arc::clone(&counted), 100).unwrap());
    }
    // Three were evicted, and wait for others.
    assert_eq!((cache.usage(), cache.len()), (100_000, 1000));
    epoch::synchronize();
    assert_eq!(Arc::strong_count(&counted), 1004);
    // With these they are retired.
    for slot in 1003..1008 {
        drop(slots.insert(slot, Arc::clone(&counted), 100).unwrap());
    }
    let count_after = |count| {
        (0..1000).any(|_| {
            epoch::synchronize();
            Arc::strong_count(&counted) == count
        })
    };
    assert!(count_after(1001), "{}", Arc::strong_count(&counted));
    drop(slots.insert(1500, Arc::clone(&counted), 100).unwrap());
    assert_eq!(Arc::strong_count(&counted), 1002);
    slots.clear();
    assert!(count_after(1), "{}", Arc::strong_count(&counted));
    assert_eq!((cache.usage(), cache.len()), (0, 0));
}

#[test]
fn the_statistics_of_a_used_cache_are_charged_to_it() {
    let cache = cache(1000, false);
    assert_eq!((cache.usage(), cache.len()), (0, 0));
    let (one, two) = (cache.join(), cache.join());
    let charge = cache.usage();
    assert!(charge > 0 && cache.len() == 1 && cache.pinned_usage() == charge);
    drop(one);
    assert_eq!((cache.usage(), cache.pinned_usage()), (charge, charge));
    drop(two);
    // The statistics stay until room is needed, and return with the next user.
    assert_eq!((cache.usage(), cache.pinned_usage(), cache.len()), (charge, 0, 1));
    let again = cache.join();
    assert_eq!(cache.usage(), charge);
    cache.set_capacity(0);
    assert_eq!(cache.usage(), charge, "a user pins them");
    drop(again);
    cache.set_capacity(0);
    assert_eq!((cache.usage(), cache.len()), (0, 0));
    // No room under a strict limit, so there is no charge.
    cache.set_strict_capacity_limit(true);
    let user = cache.join();
    assert_eq!((cache.usage(), cache.len()), (0, 0));
    drop(user);
    assert_eq!(cache.pinned_usage(), 0);
}

#[test]
fn a_cache_is_walked_once_for_many_reports() {
    let cache = cache(1000, false);
    let slots = SlotArray::new(Arc::clone(&cache), 4);
    drop(slots.insert(0, 0, 30));
    let hour = std::time::Duration::from_secs(3600);
    let first = cache.entry_stats(hour);
    assert_eq!((first.objects, first.object_bytes, first.collections), (1, 30, 1));
    drop(slots.insert(1, 0, 30));
    let same = cache.entry_stats(hour);
    assert_eq!((same.objects, same.collections, same.last_copies), (1, 1, 1));
    let user = cache.join();
    let next = cache.entry_stats(std::time::Duration::ZERO);
    assert_eq!((next.objects, next.object_bytes, next.collections), (2, 60, 2));
    assert_eq!(next.own_bytes + 60, cache.usage());
    drop(user);
    slots.clear();
}

#[test]
fn reservations_and_ceilings_are_paid_by_all_shards() {
    const CHARGE: usize = 1 << 10;
    let cache = Cache::with_settings("LRUCache", 1600 * CHARGE, 4, false);
    let slots = SlotArray::<u64>::new(Arc::clone(&cache), 4000);
    (0..4000).for_each(|slot| drop(slots.insert(slot, 0, CHARGE).unwrap()));
    let sizes = || cache.shards.iter().map(|s| s.lock().entries().count()).collect::<Vec<_>>();
    let before = sizes();
    let pieces: Vec<_> = (0..800).map(|_| cache.reserve(CHARGE).unwrap()).collect();
    let half = sizes();
    cache.set_ceiling(1200 * CHARGE);
    let quarter = sizes();
    for (i, before) in before.into_iter().enumerate() {
        assert!(before.abs_diff(half[i]).abs_diff(50) <= 1, "{before} {half:?}");
        assert!(half[i].abs_diff(quarter[i]).abs_diff(25) <= 1, "{half:?} {quarter:?}");
    }
    drop(pieces);
    slots.clear();
}

/// Calls `act` while another thread is pinned.
fn beside_a_pinned_reader<T>(act: impl FnOnce() -> T) -> T {
    let (pinned, leave) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _guard = epoch::pin();
            pinned.wait();
            leave.wait();
        });
        pinned.wait();
        let result = act();
        leave.wait();
        result
    })
}

#[test]
fn objects_of_a_closed_table_that_wait_for_a_reader_take_the_place_of_others() {
    const CHARGE: usize = 16 << 10;
    let cache = Cache::with_settings("LRUCache", 256 * CHARGE, 0, false);
    let table = |n| SlotArray::<u64>::new(Arc::clone(&cache), n);
    let (closed, open) = (table(200), table(400));
    let insert = |slots: &SlotArray<u64>, slot| slots.insert(slot, 0, CHARGE).unwrap();
    (0..200).for_each(|slot| drop(insert(&closed, slot)));
    let (taken, in_cache) = beside_a_pinned_reader(|| {
        closed.clear();
        let taken = (0..400).filter(|&slot| insert(&open, slot).was_cached()).count();
        (taken, cache.len())
    });
    assert_eq!((taken, in_cache), (56, 56));
    epoch::synchronize();
    (0..400).for_each(|slot| drop(insert(&open, slot)));
    assert_eq!(cache.len(), 256);
    open.clear();
}

#[test]
fn a_reader_that_does_not_leave_costs_bounded_memory() {
    const CHARGE: usize = 1 << 10;
    let cache = Cache::with_settings("LRUCache", 256 * CHARGE, 0, false);
    let alive = Arc::new(AtomicU64::new(0));
    let slots = SlotArray::new(Arc::clone(&cache), 20_000);
    let add = |slot: usize| {
        alive.fetch_add(1, Ordering::Relaxed);
        drop(slots.insert(slot, Canary(Arc::clone(&alive), 1), CHARGE).unwrap());
    };
    // Those in the cache, 1 MiB that waits for the reader, and those that were set aside.
    let most = beside_a_pinned_reader(|| {
        (0..10_000).for_each(add);
        alive.load(Ordering::Relaxed)
    });
    assert!((1200..1400).contains(&most), "{most}");
    assert_eq!(cache.usage(), 256 * CHARGE);
    // The objects that wait are freed, and the cache takes new ones again.
    epoch::synchronize();
    (10_000..11_000).for_each(add);
    let is_cached = (10_990..11_000).all(|slot| slots.load(slot, &epoch::pin()).is_some());
    assert!(is_cached, "{} objects", cache.len());
    slots.clear();
}
