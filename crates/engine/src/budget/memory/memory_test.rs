//! The account's arithmetic, and what its keeper does to caches, memtables and readers.

use super::*;
use crate::cache::SlotArray;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

/// Waits until a condition holds, at most for ten seconds.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn charges_add_up_and_return_to_zero() {
    let account = MemoryAccount::new(64 * MIB);
    let mut memtable = account.charge(MemoryOwner::Memtables, 100);
    let reader = account.charge(MemoryOwner::TableReaders, 20);
    memtable.set(150);
    memtable.set(130);
    assert_eq!(account.used(MemoryOwner::Memtables), 130);
    assert_eq!(account.charged(), 150);
    let named = account.by_owner();
    assert!(named.contains(&("memtables", 130)) && named.contains(&("table-readers", 20)));
    drop((memtable, reader));
    assert_eq!(account.charged(), 0);
    assert!(MemoryOwner::ALL.iter().all(|owner| account.used(*owner) == 0));
}

#[test]
fn caches_get_what_others_leave() {
    let account = MemoryAccount::new(64 * MIB);
    account.start_keeper().unwrap();
    account.start_keeper().unwrap();
    let cache = Cache::new_lru(1 << 30);
    account.add_cache(&cache);
    let slots = SlotArray::new(Arc::clone(&cache), 64);
    for slot in 0..64 {
        drop(slots.insert(slot, slot, MIB).unwrap());
    }
    // The account's own cache is smaller, and has a small part of the ceiling.
    eventually("the cache is within the limit", || cache.usage() < 60 * MIB);
    assert!(cache.usage() > 30 * MIB, "{cache:?}");
    let charge = account.charge(MemoryOwner::TableReaders, 40 * MIB);
    eventually("the cache gives way", || cache.usage() < 20 * MIB);
    let all = account.charge(MemoryOwner::Iterators, 100 * MIB);
    eventually("the cache gives up everything", || cache.usage() == 0);
    assert_eq!(cache.capacity(), 1 << 30);
    drop((charge, all));
    slots.clear();
    drop(account);
    drop(slots.insert(0, 0, 100 * MIB).unwrap());
    assert_eq!(cache.usage(), 100 * MIB, "without the account only the capacity counts");
    slots.clear();
}

#[test]
fn memtables_get_less_when_others_hold_much() {
    let account = MemoryAccount::new(64 * MIB);
    account.start_keeper().unwrap();
    assert_eq!(account.memtables().buffer_size(), 16 * MIB);
    let charge = account.charge(MemoryOwner::Iterators, 50 * MIB);
    eventually("10 MiB are left", || account.memtables().buffer_size() == 10 * MIB);
    let more = account.charge(MemoryOwner::Iterators, 50 * MIB);
    eventually("the least", || account.memtables().buffer_size() == 2 * MIB);
    drop((charge, more));
    let again = account.charge(MemoryOwner::Flushes, 2 * MIB);
    eventually("the share again", || account.memtables().buffer_size() == 16 * MIB);
    drop(again);
}

/// Readers of one MiB each.
struct Readers(Mutex<Vec<Charge>>);

impl EvictsTables for Readers {
    fn evict(&self, bytes: usize) -> usize {
        let count = bytes.div_ceil(MIB);
        let mut readers = self.0.lock();
        let left = readers.len().saturating_sub(count);
        readers.split_off(left).len() * MIB
    }
}

#[test]
fn readers_beyond_their_share_are_closed() {
    let account = MemoryAccount::new(64 * MIB);
    account.start_keeper().unwrap();
    let readers: Arc<dyn EvictsTables> = Arc::new(Readers(Mutex::new(
        (0..30).map(|_| account.charge(MemoryOwner::TableReaders, MIB)).collect(),
    )));
    account.add_readers(Arc::downgrade(&readers));
    let wake = account.charge(MemoryOwner::TableReaders, 1);
    eventually("16 MiB are left", || account.used(MemoryOwner::TableReaders) <= 16 * MIB);
    assert!(account.used(MemoryOwner::TableReaders) > 14 * MIB);
    drop(wake);
    let others = account.charge(MemoryOwner::Iterators, 100 * MIB);
    eventually("2 MiB are left", || account.used(MemoryOwner::TableReaders) <= 2 * MIB);
    account.signal.wake();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(account.used(MemoryOwner::TableReaders), 2 * MIB, "the least");
    drop((others, readers));
    assert_eq!(account.charged(), 0);
}

#[test]
fn jobs_and_scans_ask_before_they_take() {
    let account = MemoryAccount::new(64 * MIB);
    assert!(account.may_compact());
    let running = account.charge(MemoryOwner::Compactions, 5 * MIB);
    assert!(!account.may_compact());
    drop(running);
    assert_eq!(account.readahead_of_scan(256 << 10), 256 << 10);
    let open = account.charge(MemoryOwner::Iterators, 4 * MIB - 1000);
    assert_eq!(account.readahead_of_scan(256 << 10), 1000);
    drop(open);
    let shares = account.shares();
    assert_eq!(shares.compaction_readahead(1), 256 << 10);
    assert_eq!(shares.compaction_readahead(1000), 16 << 10);
    assert_eq!(shares.compaction_threads(8, 4 * MIB), 2);
    assert_eq!(shares.compaction_threads(8, 100 * MIB), 1);
    assert_eq!(account.memtable_size(64 * MIB, 1), 8 * MIB);
    assert_eq!(account.memtable_size(64 * MIB, 64), 256 << 10);
}

#[test]
fn iterators_keep_memtables_up_to_a_share() {
    let account = MemoryAccount::new(64 * MIB);
    let mut charge = account.charge(MemoryOwner::Memtables, 7 * MIB);
    assert!(account.may_keep_memtables());
    charge.move_to(MemoryOwner::KeptMemtables, 4 * MIB);
    assert_eq!((account.charged(), account.used(MemoryOwner::Memtables)), (4 * MIB, 0));
    assert!(account.may_keep_memtables());
    charge.set(4 * MIB + 1);
    assert!(!account.may_keep_memtables());
}

#[test]
fn tiny_and_huge_limits_have_sensible_shares() {
    for limit in [0, 1, MIB, 3 * MIB, usize::MAX] {
        let shares = Shares::of(limit);
        for others in [0, MIB, usize::MAX / 2, usize::MAX] {
            let (objects, pages) = shares.caches(others);
            assert!(objects <= pages && pages <= shares.limit(), "{limit} {others}");
        }
        assert!(shares.memtables_min() > 0 && shares.memtables() <= shares.limit());
    }
}
