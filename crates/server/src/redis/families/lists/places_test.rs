use super::*;

#[track_caller]
fn check(low: &[u8], high: &[u8]) -> Sub {
    let sub = between(low, high);
    assert!(low < &sub[..] && &sub[..] < high, "{low:?} < {sub:?} < {high:?}");
    assert!(sub.len() >= INDEX_BYTES);
    assert!(sub.len() == INDEX_BYTES || sub.last() != Some(&0), "{sub:?} ends in zero");
    sub
}

#[test]
fn a_place_between_neighbours() {
    let index = |index: u64| of_index(index);
    assert_eq!(check(&index(8), &index(10)), index(9));
    check(&index(8), &index(9));
    check(&index(0xff), &index(0x100));
    check(&index(0xffff_ffff), &index(0x1_0000_0000));
    check(&index(u64::MAX - 1), &index(u64::MAX));
}

#[test]
fn a_place_in_every_gap_of_random_insertions() {
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..20 {
        let mut subs = vec![of_index(1 << 63), of_index((1 << 63) + 1)];
        for _ in 0..400 {
            let at = match round % 4 {
                0 => 1,
                1 => subs.len() - 1,
                2 => subs.len() / 2,
                _ => random.usize(1..subs.len()),
            };
            let sub = check(&subs[at - 1], &subs[at]);
            assert!(sub.len() < 80, "{} bytes", sub.len());
            subs.insert(at, sub);
        }
    }
}

#[test]
fn spread_places_are_short_and_in_order() {
    let (low, high) = (of_index(41), of_index(42));
    let mut subs = vec![low.clone()];
    spread(&low, &high, 1000, &mut subs);
    subs.push(high);
    assert_eq!(subs.len(), 1002);
    assert!(subs.is_sorted_by(|a, b| a < b));
    assert!(subs.iter().all(|sub| sub.len() <= INDEX_BYTES + 3));
}
