use super::*;

#[test]
fn a_second_keeps_its_longest_time() {
    let monitor = LatencyMonitor::default();
    for (at_s, ms) in [(1, 10), (1, 30), (1, 20), (2, 5)] {
        monitor.add("command", at_s, ms);
    }
    let series = monitor.series(b"command").unwrap();
    assert_eq!(series.samples, [Sample { at_s: 1, ms: 30 }, Sample { at_s: 2, ms: 5 }]);
    assert_eq!(series.max_ms, 30);
}

#[test]
fn old_samples_are_removed() {
    let monitor = LatencyMonitor::default();
    (0..1000).for_each(|at_s| monitor.add("command", at_s, 1000 - at_s));
    let series = monitor.series(b"command").unwrap();
    assert_eq!((series.samples.len(), series.samples[0].at_s, series.max_ms), (160, 840, 1000));
    assert!(monitor.remove(b"COMMAND"));
    assert!(!monitor.remove(b"command"));
}
