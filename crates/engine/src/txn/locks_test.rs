//! Which transactions get a lock, which wait, and which give up.

use super::*;
use crate::env::clock::ManualClock;

fn owner(id: TxnId) -> Arc<Owner> {
    Arc::new(Owner::new(id, None))
}

fn ask(owner: &Arc<Owner>, exclusive: bool, millis: u64) -> Request<'_> {
    let timeout = Some(Duration::from_millis(millis));
    Request { owner, exclusive, timeout, deadlock_depth: 50 }
}

#[test]
fn readers_share_and_a_writer_waits_for_all_of_them() {
    let clock = ManualClock::start();
    let locks = LockManager::new(4, None);
    let (a, b, c) = (owner(1), owner(2), owner(3));
    locks.acquire(&ask(&a, false, 0), 0, b"k").unwrap();
    locks.acquire(&ask(&b, false, 0), 0, b"k").unwrap();
    let e = locks.acquire(&ask(&c, true, 5), 0, b"k").unwrap_err();
    assert_eq!(clock.passed(), Duration::from_millis(5), "no more than the timeout");
    let text = "Operation timed out: another transaction kept the lock of key \"k\" for 5ms";
    assert_eq!(e.to_string(), text);
    locks.acquire(&ask(&c, true, 0), 1, b"k").expect("another family is another key");
    locks.release(a.id, 0, b"k");
    assert!(locks.acquire(&ask(&c, true, 0), 0, b"k").is_err());
    locks.acquire(&ask(&b, true, 0), 0, b"k").expect("alone, a reader becomes the writer");
    assert!(locks.acquire(&ask(&a, false, 0), 0, b"k").is_err());
    locks.release(b.id, 0, b"k");
    locks.acquire(&ask(&c, true, 0), 0, b"k").unwrap();
}

#[test]
fn a_waiter_gets_the_lock_when_it_goes() {
    let locks = Arc::new(LockManager::new(1, None));
    let (a, b) = (owner(1), owner(2));
    locks.acquire(&ask(&a, true, 0), 0, b"k").unwrap();
    let waiter = std::thread::spawn({
        let locks = Arc::clone(&locks);
        move || locks.acquire(&ask(&b, true, 20_000), 0, b"k")
    });
    while locks.waits.lock().is_empty() {
        std::thread::yield_now();
    }
    locks.release(a.id, 0, b"k");
    waiter.join().unwrap().unwrap();
}

#[test]
fn a_circle_of_waiters_is_a_deadlock() {
    let locks = Arc::new(LockManager::new(8, None));
    let (a, b) = (owner(1), owner(2));
    locks.acquire(&ask(&a, true, 0), 0, b"x").unwrap();
    locks.acquire(&ask(&b, true, 0), 0, b"y").unwrap();
    let waiter = std::thread::spawn({
        let (locks, a) = (Arc::clone(&locks), Arc::clone(&a));
        move || locks.acquire(&ask(&a, true, 20_000), 0, b"y")
    });
    while locks.waits.lock().is_empty() {
        std::thread::yield_now();
    }
    let e = locks.acquire(&ask(&b, true, 20_000), 0, b"x").unwrap_err();
    assert_eq!(e.to_string(), "Resource busy: Deadlock");
    locks.release(b.id, 0, b"y");
    waiter.join().unwrap().unwrap();
}

#[test]
fn locks_of_an_expired_owner_can_be_taken_unless_it_commits() {
    let locks = LockManager::new(1, None);
    let clock = ManualClock::start();
    let second = Duration::from_secs(1);
    let old = Arc::new(Owner::new(1, Some(Instant::now() + second)));
    let new = owner(2);
    locks.acquire(&ask(&old, true, 0), 0, b"k").unwrap();
    assert!(locks.acquire(&ask(&new, true, 0), 0, b"k").is_err(), "not expired yet");
    assert!(old.start_commit());
    clock.advance(second);
    assert!(locks.acquire(&ask(&new, true, 0), 0, b"k").is_err());
    old.end_commit();
    locks.acquire(&ask(&new, true, 0), 0, b"k").unwrap();
    assert!(!old.start_commit());
    locks.release(old.id, 0, b"k");
    assert!(locks.acquire(&ask(&owner(3), true, 0), 0, b"k").is_err(), "it is the new one's");
}

#[test]
fn a_limit_counts_locks_that_are_held() {
    let locks = LockManager::new(1, Some(1));
    let a = owner(1);
    locks.acquire(&ask(&a, true, 0), 0, b"k").unwrap();
    let e = locks.acquire(&ask(&a, true, 0), 0, b"l").unwrap_err().to_string();
    assert_eq!(e, "Operation aborted: Failed to acquire lock due to max_num_locks limit");
    locks.release(a.id, 0, b"k");
    locks.acquire(&ask(&a, true, 0), 0, b"l").unwrap();
}
