use super::*;

#[test]
fn the_room_grows_while_reads_fill_it() {
    let mut reading = Reading::default();
    let mut input = Vec::new();
    for expected in [ROOM, 2 * ROOM, 4 * ROOM, 8 * ROOM, ROOM_MAX, ROOM_MAX] {
        reading.make_room(&mut input, 0);
        assert!(input.capacity() >= expected, "{} < {expected}", input.capacity());
        input.resize(input.capacity(), 0);
        reading.has_read(&input);
        input.clear();
    }
}

#[test]
fn short_reads_keep_the_room_small() {
    let mut reading = Reading::default();
    let mut input = Vec::new();
    for _ in 0..10 {
        reading.make_room(&mut input, 0);
        input.resize(100, 0);
        reading.has_read(&input);
        input.clear();
    }
    assert!(input.capacity() < 2 * ROOM, "{}", input.capacity());
}

#[test]
fn a_long_request_gets_room_at_once_but_not_without_limit() {
    let (reading, mut input) = (Reading::default(), Vec::new());
    reading.make_room(&mut input, 20 << 10);
    assert!(input.capacity() >= 20 << 10);
    let mut input = Vec::new();
    reading.make_room(&mut input, 512 << 20);
    assert!(input.capacity() <= 2 * ROOM_MAX);
}
