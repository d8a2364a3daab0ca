use super::*;

#[test]
fn buckets_cover_all_times_without_gaps() {
    for bucket in 0..BUCKETS {
        assert_eq!(bucket_of(lowest(bucket)), bucket);
        assert_eq!(bucket_of(lowest(bucket + 1) - 1), bucket);
    }
    assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
}

#[test]
fn percentiles_are_off_by_a_sixteenth_at_most() {
    let histogram = Histogram::new();
    (1..=10_000).for_each(|us| histogram.record(us));
    let mut times = Times::default();
    times.add(&histogram);
    for (percentage, exact) in [(0.01, 1.0), (50.0, 5000.0), (99.0, 9900.0), (100.0, 10_000.0)] {
        let found = times.percentile(percentage) as f64;
        assert!((exact..=exact * 17.0 / 16.0).contains(&found), "{percentage}: {found}");
    }
    assert_eq!(times.count_up_to(9_999), 9);
    assert_eq!(times.count_up_to(u64::MAX), 10_000);
}

#[test]
fn an_earlier_sum_is_subtracted() {
    let histogram = Histogram::new();
    histogram.record(5);
    let mut before = Times::default();
    before.add(&histogram);
    histogram.record(7);
    let mut now = Times::default();
    now.add(&histogram);
    now.subtract(&before);
    assert_eq!((now.count(), now.percentile(50.0)), (1, 7));
    assert_eq!(Times::default().percentile(99.0), 0);
}
