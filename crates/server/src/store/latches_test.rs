use super::*;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn commands_over_the_same_keys_in_other_orders_do_not_deadlock() {
    let latches = Latches::default();
    let value = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for keys in [[&b"a"[..], b"b", b"a"], [&b"b"[..], b"a", b"c"]] {
            let (latches, value) = (&latches, &value);
            scope.spawn(move || {
                for _ in 0..2000 {
                    let _held = latches.lock(keys.map(|key| (0, key)), Mode::Exclusive);
                    // Lost updates would show that both hold the latch.
                    let seen = value.load(Ordering::Relaxed);
                    value.store(seen + 1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(value.load(Ordering::Relaxed), 4000);
}

#[test]
fn a_caller_gives_up_and_holds_nothing() {
    let latches = Latches::default();
    let held = latches.lock([(0, &b"b"[..])], Mode::Exclusive);
    let asked = AtomicU64::new(0);
    let gives_up = || asked.fetch_add(1, Ordering::Relaxed) == 2;
    let keys = [(0, &b"a"[..]), (0, b"b"), (0, b"c")];
    assert!(latches.lock_unless(keys, Mode::Shared, gives_up).is_none());
    assert!(latches.lock_all_unless(Mode::Exclusive, || true).is_none());
    assert_eq!(asked.load(Ordering::Relaxed), 3);
    drop(held);
    assert!(latches.lock_all_unless(Mode::Exclusive, || true).is_some());
}

#[test]
fn keys_spread_over_stripes() {
    let mut hit = vec![0u32; STRIPES];
    for i in 0..STRIPES * 8 {
        hit[stripe(0, format!("key:{i:012}").as_bytes())] += 1;
    }
    assert!(hit.iter().all(|count| *count < 40), "{:?}", hit.iter().max());
    assert!(hit.iter().filter(|count| **count == 0).count() < STRIPES / 20);
}
