use super::*;

fn scan(start: &[u8]) -> Scan {
    let none = || Filter::new(0, b"").unwrap();
    Scan {
        app_id: 1,
        partition: 2,
        start: start.to_vec(),
        end: Vec::new(),
        batch: 10,
        no_value: false,
        only_count: false,
        with_expiry: false,
        validates_hash: true,
        hash_filter: none(),
        sort_filter: none(),
    }
}

#[test]
fn contexts_are_used_once_and_by_their_partition() {
    let scans = Scans::new(7);
    let id = scans.put(scan(b"a"), 0);
    assert_eq!(id, 7);
    assert_eq!(scans.take(id, 1, 3, 0), None);
    assert_eq!(scans.take(id, 2, 2, 0), None);
    assert_eq!(scans.take(id, 1, 2, 0).unwrap().start, b"a");
    assert_eq!(scans.take(id, 1, 2, 0), None);
    assert_eq!(scans.put(scan(b"b"), 0), 8);
}

#[test]
fn idle_contexts_end() {
    let scans = Scans::new(0);
    let old = scans.put(scan(b"old"), 0);
    let young = scans.put(scan(b"young"), LIFE_US - 1);
    assert_eq!(scans.take(old, 1, 2, LIFE_US), None);
    assert!(scans.take(young, 1, 2, LIFE_US).is_some());
}

#[test]
fn the_number_of_contexts_is_limited() {
    let scans = Scans::new(0);
    for _ in 0..=CONTEXTS_MAX {
        scans.put(scan(b""), 0);
    }
    assert_eq!(scans.inner.lock().contexts.len(), CONTEXTS_MAX);
    assert_eq!(scans.take(0, 1, 2, 0), None, "the oldest ended");
    assert!(scans.take(1, 1, 2, 0).is_some());
}
