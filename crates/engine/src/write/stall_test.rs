//! Stall conditions, rates, and the pace.

use super::*;
use crate::env::clock::ManualClock;

const LIMITS: StallLimits = StallLimits {
    memtable_bytes: 1 << 20,
    immutables_stop: 2,
    level0_slowdown: Some(20),
    level0_stop: 36,
    pending_soft: 64,
    pending_hard: 256,
};

fn judge(immutables: usize, level0_files: usize, pending_compaction_bytes: u64) -> Stall {
    let flush_due = false;
    LIMITS.judge(&StallInputs { immutables, flush_due, level0_files, pending_compaction_bytes })
}

#[test]
fn writers_into_the_last_memtable_keep_to_the_pace_during_a_flush() {
    let flush = |immutables, level0_files| StallInputs {
        immutables,
        flush_due: true,
        level0_files,
        pending_compaction_bytes: 0,
    };
    assert_eq!(LIMITS.judge(&flush(0, 0)), Stall::None);
    assert_eq!(LIMITS.judge(&flush(1, 0)), Stall::Pace(1 << 20));
    assert_eq!(LIMITS.judge(&flush(2, 0)), Stall::Stop(StallCause::Memtable));
    let many = StallLimits { immutables_stop: 4, ..LIMITS };
    assert_eq!(many.judge(&flush(2, 0)), Stall::None);
    assert_eq!(many.judge(&flush(3, 0)), Stall::Pace(1 << 20));
    // A delay is slower than the pace, and is reported as a delay.
    let delay = Stall::Delay(StallCause::Level0FileCount, 0.5);
    assert_eq!(LIMITS.judge(&flush(1, 28)), delay);
}

/// Records enough flushes at this many bytes per second for the controller to use the speed.
fn set_flush_speed(controller: &WriteController, speed: u64) {
    (0..40).for_each(|_| controller.flushed(speed, Duration::from_secs(1)));
}

#[test]
fn the_pace_is_kept_on_average_seldom_waited_for_and_never_refuses() {
    let clock = ManualClock::start();
    let controller = WriteController::new(1 << 20);
    set_flush_speed(&controller, 256 << 20);
    controller.set(Stall::Pace(64 << 20));
    assert!(controller.is_active() && !controller.is_stopped());
    assert_eq!(controller.delayed_write_rate(), 0);
    let mut waits = 0;
    for _ in 0..10_000 {
        let before = Instant::now();
        assert!(controller.admit(200, false).is_some());
        waits += u32::from(before.elapsed() > Duration::ZERO);
    }
    // Two million bytes at a twentieth of the flush speed, minus the debt that is carried over.
    let paid = Duration::from_secs_f64(2e6 / f64::from(256 << 20) / PACE_SHARE);
    let passed = clock.passed();
    assert!(passed <= paid && passed + PACE_DEBT_FREE > paid, "{passed:?} of {paid:?}");
    assert_eq!(waits, (paid.as_nanos() / PACE_DEBT_FREE.as_nanos()) as u32);
    for _ in 0..1000 {
        assert!(controller.admit(1 << 20, true).is_some());
    }
    controller.set(Stall::None);
    assert!(!controller.is_active());
}

#[test]
fn large_writes_wait_rarely_for_the_pace_once_they_have_filled_half_a_memtable() {
    let _clock = ManualClock::start();
    let controller = WriteController::new(1 << 20);
    set_flush_speed(&controller, 100 << 20);
    controller.set(Stall::Pace(64 << 20));
    let took = |writes: u32| {
        let began = Instant::now();
        let waited = (0..writes).filter(|_| {
            let before = Instant::now();
            assert!(controller.admit(100 << 10, false).is_some());
            before.elapsed() > Duration::from_micros(500)
        });
        (waited.count(), began.elapsed())
    };
    assert_eq!(took(327).0, 0, "no debt");
    let (waited, time) = took(40);
    // At 1 to 3 ms each, and a debt of up to 8 ms; the time of the writes themselves counts.
    assert!((1..=12).contains(&waited), "{waited}");
    assert!(time > Duration::from_millis(30), "{time:?}");
    assert!(took(40).1 > time, "the flush is late");
    // Small writes have their own measure.
    assert!(!Pace::is_large(80, f64::from(100 << 20)));
    assert!(Pace::is_large(90, f64::from(100 << 20)));
}

#[test]
fn what_a_large_write_takes_itself_counts() {
    let controller = WriteController::new(1 << 20);
    set_flush_speed(&controller, 100 << 20);
    controller.set(Stall::Pace(64 << 20));
    assert!(controller.admit(33 << 20, false).is_some());
    controller.state.lock().paid_until = Instant::now();
    for _ in 0..10 {
        // At about the flush speed, a write of 10 KB costs 0.1 ms.
        std::thread::sleep(Duration::from_millis(1));
        let before = Instant::now();
        assert!(controller.admit(10 << 10, true).is_some());
        let state = controller.state.lock();
        assert!(state.paid_until <= before + Duration::from_millis(1));
    }
}

#[test]
fn the_pace_follows_the_flushes_and_falls_when_they_are_late() {
    let controller = WriteController::new(16 << 20);
    let speed = || controller.state.lock().flush_speed;
    let pace = |written| Pace { memtable_bytes: 100 << 20, written };
    let at = |written| pace(written).rate(speed());
    let large = |written| pace(written).rate_of_large(speed());
    assert_eq!(at(0), FLUSH_SPEED_UNKNOWN * PACE_SHARE);
    // Too little data to measure the speed.
    controller.flushed(1000, Duration::from_secs(1));
    assert_eq!(at(0), FLUSH_SPEED_UNKNOWN * PACE_SHARE);
    set_flush_speed(&controller, 100 << 20);
    assert!((at(0) / f64::from(5 << 20) - 1.0).abs() < 0.001);
    assert_eq!(at(0), at(5 << 20));
    assert!((at(0) / at(15 << 19) - 8.0).abs() < 0.001);
    assert!((at(0) / at(10 << 20) - 64.0).abs() < 0.001);
    assert_eq!(at(10 << 20), at(1 << 30));
    assert_eq!(large(50 << 20), None);
    assert!((at(0) * 20.0 / large((50 << 20) + 1).unwrap() - 1.0).abs() < 0.001);
    assert!((at(0) * 20.0 / large(75 << 20).unwrap() - 64.0).abs() < 0.001);
    assert_eq!(large(75 << 20), large(1 << 30));
}

#[test]
fn the_first_flush_says_more_than_what_was_assumed() {
    let controller = WriteController::new(16 << 20);
    controller.flushed(100 << 20, Duration::from_secs(1));
    assert_eq!(controller.state.lock().flush_speed, f64::from(100 << 20));
    controller.flushed(200 << 20, Duration::from_secs(1));
    assert_eq!(controller.state.lock().flush_speed, f64::from(150 << 20));
}

#[test]
fn what_was_written_counts_until_the_flush_is_done() {
    let controller = WriteController::new(16 << 20);
    let written = || controller.state.lock().pace.map(|pace| pace.written);
    for _ in 0..2 {
        controller.set(Stall::Pace(2 << 20));
        assert_eq!(written(), Some(0));
        assert!(controller.admit(2 << 10, false).is_some());
        // A compaction may change the tree meanwhile.
        controller.set(Stall::Pace(2 << 20));
        assert_eq!(written(), Some(2 << 10));
        controller.set(Stall::None);
    }
}

#[test]
fn limits_delay_then_stop() {
    assert_eq!(judge(1, 19, 63), Stall::None);
    assert_eq!(judge(2, 0, 0), Stall::Stop(StallCause::Memtable));
    assert_eq!(judge(0, 36, 0), Stall::Stop(StallCause::Level0FileCount));
    assert_eq!(judge(0, 0, 256), Stall::Stop(StallCause::PendingCompactionBytes));
    assert_eq!(judge(0, 28, 0), Stall::Delay(StallCause::Level0FileCount, 0.5));
    assert_eq!(judge(0, 20, 160), Stall::Delay(StallCause::PendingCompactionBytes, 0.5));
}

#[test]
fn the_rate_falls_steadily() {
    let controller = WriteController::new(16 << 20);
    let rates: Vec<f64> = (0..=16).map(|i| controller.rate_at(f64::from(i) / 16.0)).collect();
    assert!(rates.windows(2).all(|w| w[1] < w[0] && w[1] > w[0] / 2.0));
}

#[test]
fn delayed_writers_keep_to_the_rate_and_stopped_ones_wait() {
    let controller = WriteController::new(1 << 20);
    controller.set(Stall::Delay(StallCause::Level0FileCount, 1.0 / 3.0));
    let rate = controller.delayed_write_rate() as f64;
    let clock = ManualClock::start();
    for _ in 0..100 {
        assert!(controller.admit(2 << 10, false).is_some());
    }
    let paid = Duration::from_secs_f64(100.0 * 2048.0 / rate);
    let passed = clock.passed();
    assert!(passed <= paid && passed + 2 * DEBT_FREE > paid, "{passed:?} of {paid:?}");
    drop(clock);
    controller.set(Stall::Stop(StallCause::Memtable));
    assert!(controller.admit(1, true).is_none());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| controller.admit(1, false).is_some());
        std::thread::sleep(Duration::from_millis(20));
        assert!(!waiting.is_finished());
        controller.set(Stall::None);
        assert!(waiting.join().unwrap());
    });
    assert!(!controller.is_active());
}
#[test]
fn held_writers_wait_whatever_the_stalls_say() {
    let controller = WriteController::new(1 << 20);
    let held = controller.hold();
    let again = controller.hold();
    controller.set(Stall::None);
    assert!(controller.is_active() && !controller.is_stopped());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| controller.admit(1, true).is_some());
        drop(held);
        std::thread::sleep(Duration::from_millis(20));
        assert!(!waiting.is_finished());
        drop(again);
        assert!(waiting.join().unwrap());
    });
    assert!(!controller.is_active());
}
