use super::*;
use crate::redis::stats::Histogram;

fn sums(at_us: u64, commands: f64, times: &[u64]) -> Sums {
    let histogram = Histogram::new();
    times.iter().for_each(|us| histogram.record(*us));
    let mut sums = Sums { at_us, at_ms: at_us / 1000, ..Sums::default() };
    sums.counters.commands = commands;
    sums.classes[0].add(&histogram);
    sums
}

#[test]
fn a_sample_has_rates_and_percentiles_of_its_time() {
    let mut ring = Ring::default();
    ring.push(sums(1_000_000, 10.0, &[9, 9, 9]), 3);
    assert!(ring.samples.is_empty(), "one sum is no rate");
    ring.push(sums(3_000_000, 110.0, &[9, 9, 9, 5, 5, 1000]), 3);
    let sample = ring.samples[0];
    assert_eq!((sample.at_ms, sample.rates.commands), (3000, 50.0));
    let latency = sample.classes[0];
    assert_eq!((latency.calls, latency.p50_us), (3, 5));
    assert!((1000..1063).contains(&latency.p99_us), "{latency:?}");
    assert_eq!(sample.classes[1].calls, 0);
}

#[test]
fn rings_are_bounded_and_counters_that_shrink_are_no_rates() {
    let mut ring = Ring::default();
    (1..=10).for_each(|at| ring.push(sums(at * 1_000_000, at as f64, &[]), 4));
    assert_eq!(ring.samples.len(), 4);
    assert_eq!(ring.samples.back().map(|sample| sample.at_ms), Some(10_000));
    ring.push(sums(11_000_000, 0.0, &[]), 4);
    assert_eq!(ring.samples.back().map(|sample| sample.rates.commands), Some(0.0));
}

#[test]
fn each_command_has_one_class() {
    let class = |name: &str| CLASSES[class_of(table::by_full_name(name.as_bytes()).unwrap())];
    let names = ["get", "set", "eval", "ping", "xread", "zadd", "config|get", "fcall_ro"];
    let classes = ["read", "write", "script", "other", "read", "write", "other", "script"];
    assert_eq!(names.map(class), classes);
}
