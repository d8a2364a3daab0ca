use super::*;

fn sample(warm_up: bool, seconds: f64, done: u64) -> Sample {
    Sample {
        warm_up,
        seconds,
        done,
        per_second: 1234.4,
        p99_us: Some(5.25),
        levels: Some("3/1".to_owned()),
        resident: 12_000_000,
    }
}

#[test]
fn a_phase_ends_at_the_limit_that_is_reached_first() {
    let size = |seconds, operations| Size { seconds, operations, ..Size::default() };
    assert_eq!(size(Some(10.0), None).progress(&sample(false, 4.0, 1)), (Some(0.4), Some(6.0)));
    assert_eq!(size(None, Some(100)).progress(&sample(false, 4.0, 50)), (Some(0.5), Some(4.0)));
    assert_eq!(size(Some(6.0), Some(100)).progress(&sample(false, 4.0, 50)).1, Some(2.0));
    assert_eq!(size(None, Some(100)).progress(&sample(false, 4.0, 0)), (None, None));
    let warm = Size { warm_up_seconds: 5.0, ..size(Some(10.0), None) };
    assert_eq!(warm.progress(&sample(true, 2.0, 1)), (Some(0.0), Some(13.0)));
}

#[test]
fn the_whole_suite_ends_after_what_is_later() {
    let view = View::new(Screen::Off, "a", Size { later_seconds: Some(20.0), ..Size::default() });
    let origin = Origin { later_seconds: Some(300.0), ..Origin::default() };
    assert_eq!(view.suite_seconds(Some(5.0), &origin), Some(325.0));
    assert_eq!(view.suite_seconds(Some(5.0), &Origin::default()), Some(25.0));
    assert_eq!(view.suite_seconds(None, &origin), None);
    let alone = View::new(Screen::Off, "a", Size::default());
    assert_eq!(alone.suite_seconds(Some(5.0), &Origin::default()), None);
}

#[test]
fn figures_are_short() {
    assert_eq!(
        figures(&sample(true, 1.0, 1)),
        "warm-up, 1234 ops/s, P99 5.2 us, files 3/1, 12 MB resident"
    );
    assert_eq!([3.4, 123.0, 3723.0].map(duration), ["3 s", "2:03 min", "1:02:03 h"]);
}
