use super::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of windows after which a series is steady.
fn steady_after(rates: impl IntoIterator<Item = f64>) -> Option<usize> {
    let mut steady = Steady::default();
    rates.into_iter().position(|rate| steady.add(rate)).map(|at| at + 1)
}

#[test]
fn a_constant_series_is_steady_after_five_windows() {
    assert_eq!(steady_after([100.0; 20]), Some(5));
    assert_eq!(steady_after([100.0; 4]), None);
}

#[test]
fn a_cache_that_fills_is_not_steady_until_it_is_full() {
    // Each second a fifth of the rest of the way to 1000.
    let filling = (0..60).map(|second| 1000.0 * (1.0 - 0.8_f64.powi(second)));
    let after = steady_after(filling).unwrap();
    // Five windows agree when the first of them is 10 % below their mean: about 80 % of the end.
    assert!((11..=14).contains(&after), "{after}");
}

#[test]
fn noise_within_the_tolerance_is_steady_and_beyond_it_is_not() {
    let waves =
        |height: f64| (0..100).map(move |i| 100.0 + if i % 2 == 0 { height } else { -height });
    assert_eq!(steady_after(waves(7.0)), Some(5));
    assert_eq!(steady_after(waves(15.0)), None);
    // A stall in one window of five counts.
    assert_eq!(steady_after((0..100).map(|i| if i % 4 == 0 { 10.0 } else { 100.0 })), None);
    // A step starts again.
    assert_eq!(steady_after((0..20).map(|i| if i < 4 { 100.0 } else { 50.0 })), Some(9));
}

#[test]
fn nothing_is_not_steady() {
    assert_eq!(steady_after([0.0; 50]), None);
}

#[test]
fn words_say_how_a_phase_begins() {
    let parse = |text: &str| WarmUp::parse(text);
    assert_eq!(parse("auto"), Ok(WarmUp::Auto(60)));
    assert_eq!(parse("auto:7"), Ok(WarmUp::Auto(7)));
    assert_eq!((parse("0"), parse("3")), (Ok(WarmUp::None), Ok(WarmUp::Seconds(3))));
    for text in ["", "auto:", "auto:5", "auto:x", "soon", "-1", "5:5"] {
        assert!(parse(text).unwrap_err().contains("expected seconds, auto"), "{text}");
    }
    for text in ["0", "3", "auto:60"] {
        assert_eq!(parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn a_warm_up_ends_with_the_phase_or_after_its_seconds() {
    let meters = Meters::new(&["READ"], 1);
    let begin = Instant::now();
    assert!(!WarmUp::Auto(60).wait(&meters, || true));
    assert!(begin.elapsed() < Duration::from_secs(30));
    let begin = Instant::now();
    assert!(!WarmUp::Seconds(1).wait(&meters, || false));
    assert!(begin.elapsed() >= Duration::from_secs(1));
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                meters.of(0).count(0, 1);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        // Busy machines are not steady: only the bound is certain.
        let begin = Instant::now();
        let found = WarmUp::Auto(8).wait(&meters, || false);
        ended.store(true, Ordering::Relaxed);
        let seconds = begin.elapsed().as_secs_f64();
        assert!(seconds >= 4.99 && (found || seconds >= 7.99), "{found} after {seconds}");
    });
}
