use super::*;

const KEYS: Scanned<'static> = Scanned::Keys(7);

#[test]
fn continues_behind_the_last() {
    let cursors = Cursors::default();
    let cursor = cursors.save(KEYS, 16383, b"a".to_vec());
    assert!(cursor > 0 && cursor < 1 << 53);
    assert_eq!(Cursors::slot(cursor), 16383);
    // Twice, since a client that lost the reply repeats its request.
    assert_eq!(cursors.resume(KEYS, cursor), Some(b"a".to_vec()));
    assert_eq!(cursors.resume(KEYS, cursor), Some(b"a".to_vec()));
}

#[test]
fn knows_what_is_iterated_over() {
    let cursors = Cursors::default();
    let cursor = cursors.save(Scanned::Elements(7, b"k"), 0, b"a".to_vec());
    assert_eq!(cursors.resume(Scanned::Elements(7, b"l"), cursor), None);
    assert_eq!(cursors.resume(Scanned::Elements(8, b"k"), cursor), None);
    assert_eq!(cursors.resume(KEYS, cursor), None);
    assert_eq!(cursors.resume(KEYS, cursor + (1 << SLOT_BITS)), None);
    assert_eq!(cursors.resume(Scanned::Elements(7, b"k"), cursor), Some(b"a".to_vec()));
}

#[test]
fn a_fast_iteration_does_not_evict_a_slow_one() {
    let cursors = Cursors::default();
    let slow = cursors.save(KEYS, 0, b"slow".to_vec());
    let mut fast = cursors.save(KEYS, 0, b"fast".to_vec());
    let first = fast;
    for _ in 0..2 * POSITIONS_MAX {
        assert!(cursors.resume(KEYS, fast).is_some());
        fast = cursors.save(KEYS, 0, b"fast".to_vec());
    }
    assert_eq!(cursors.resume(KEYS, first), None);
    assert_eq!(cursors.resume(KEYS, slow), Some(b"slow".to_vec()));
}

#[test]
fn memory_is_bounded() {
    let cursors = Cursors::default();
    let first = cursors.save(KEYS, 0, b"a".to_vec());
    for _ in 0..POSITIONS_MAX {
        cursors.save(KEYS, 0, b"b".to_vec());
    }
    assert_eq!(cursors.resume(KEYS, first), None);
    let large = cursors.save(KEYS, 0, vec![0; 2 * BYTES_MAX]);
    assert!(cursors.resume(KEYS, large).is_some());
    let state = cursors.state.lock();
    assert_eq!((state.fresh.len() + state.used.len(), state.bytes), (1, 2 * BYTES_MAX));
}
