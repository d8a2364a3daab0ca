use super::*;

fn entry(object: &str, at_ms: u64) -> Entry {
    Entry {
        count: 1,
        reason: Reason::Key,
        place: Place::Top,
        object: object.into(),
        user: b"a".to_vec(),
        at_ms,
        client: String::new(),
    }
}

#[test]
fn entries_of_the_same_kind_are_counted_together() {
    let log = AccessLog::default();
    for (object, at_ms) in [("x", 0), ("y", 1), ("x", 60_000), ("x", 120_001)] {
        log.add(entry(object, at_ms), 100);
    }
    let seen: Vec<_> =
        log.latest(9).into_iter().map(|it| (it.object, it.count, it.at_ms)).collect();
    let expected = [("x", 1, 120_001), ("x", 2, 60_000), ("y", 1, 1)];
    assert_eq!(seen, expected.map(|(object, count, at_ms)| (object.into(), count, at_ms)));
    assert_eq!(log.latest(1).len(), 1);
    log.reset();
    assert!(log.latest(9).is_empty());
}

#[test]
fn the_log_is_bounded() {
    let log = AccessLog::default();
    (0..20).for_each(|at| log.add(entry(&at.to_string(), 0), 5));
    assert_eq!(log.latest(99).len(), 5);
    log.add(entry(&"k".repeat(1 << 20), 0), 5);
    assert_eq!(log.latest(1)[0].object.len(), OBJECT_BYTES);
}
