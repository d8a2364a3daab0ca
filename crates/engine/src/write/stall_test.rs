//! Stall conditions and rates.

use super::*;
use crate::env::clock::ManualClock;

const LIMITS: StallLimits = StallLimits {
    immutables_stop: 2,
    level0_slowdown: Some(20),
    level0_stop: 36,
    pending_soft: 64,
    pending_hard: 256,
};

fn judge(immutables: usize, level0_files: usize, pending_compaction_bytes: u64) -> Stall {
    LIMITS.judge(&StallInputs { immutables, level0_files, pending_compaction_bytes })
}

#[test]
fn writers_fill_every_allowed_memtable_at_full_speed() {
    assert_eq!(judge(1, 0, 0), Stall::None);
    assert_eq!(judge(2, 0, 0), Stall::Stop(StallCause::Memtable));
    let limits = StallLimits { immutables_stop: 4, ..LIMITS };
    let judge = |immutables| limits.judge(&StallInputs { immutables, ..StallInputs::default() });
    assert_eq!([judge(2), judge(3)], [Stall::None; 2]);
    assert_eq!(judge(4), Stall::Stop(StallCause::Memtable));
    let _clock = ManualClock::start();
    let controller = WriteController::new(1);
    controller.set(judge(3));
    assert!(!controller.is_active());
    assert_eq!(controller.admit(1 << 30, true), Some(Duration::ZERO));
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
