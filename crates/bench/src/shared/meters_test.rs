use super::*;

#[test]
fn every_latency_is_in_the_bucket_that_contains_it() {
    let mut last = 0;
    for nanos in (0..100_000).chain((17..41).flat_map(|p| (1u64 << p) - 2..(1 << p) + 3)) {
        let place = bucket(nanos);
        assert!(place >= last || nanos < 100_000 + (1 << 17), "{nanos}");
        last = place;
        assert!(nanos < end(place), "{nanos} in bucket {place} that ends at {}", end(place));
        let begin = if place == 0 { 0 } else { end(place - 1) };
        assert!(nanos >= begin, "{nanos} in bucket {place} that begins at {begin}");
    }
    assert_eq!(bucket(u64::MAX), BUCKETS - 1);
}

#[test]
fn a_percentile_is_at_most_a_sixteenth_above_the_exact_one() {
    let meters = Meters::new(&["READ", "WRITE"], 2);
    for micros in 1..=10_000u64 {
        meters.of((micros % 2) as usize).time(0, micros * 1000);
    }
    let reading = meters.read();
    for percent in [1.0, 50.0, 99.0, 99.9, 100.0] {
        let (exact, found) = (percent * 100.0, reading.percentile(0, percent).unwrap());
        assert!((exact..exact * 1.0626).contains(&found), "{percent}: {found}, exactly {exact}");
    }
    assert_eq!(reading.percentile(1, 99.0), None);
    assert_eq!(reading.percentile_of_all(99.0), reading.percentile(0, 99.0));
}

#[test]
fn readings_differ_by_what_was_done_in_between() {
    let meters = Meters::new(&["READ", "WRITE"], 1);
    meters.of(0).count(0, 3);
    meters.of(0).time(0, 1_000_000);
    let first = meters.read();
    meters.of(0).count(0, 4);
    meters.of(0).count(1, 1);
    meters.of(0).time(0, 10);
    let growth = meters.read().since(&first);
    assert_eq!(growth.operations, [4, 1]);
    assert_eq!(growth.percentile(0, 100.0), Some(0.01));
    assert_eq!(meters.operations(), 8);
}
