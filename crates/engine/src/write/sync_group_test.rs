use super::*;

#[cfg(not(loom))]
mod threads {
    use super::*;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

    #[test]
    fn a_flush_serves_everybody_who_came_before_it() {
        let group = SyncGroup::default();
        let flushes = AtomicUsize::new(0);
        let appended = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let ticket = appended.fetch_add(1, Ordering::SeqCst) + 1;
                        let flush = || {
                            let covered = appended.load(Ordering::SeqCst);
                            flushes.fetch_add(1, Ordering::SeqCst);
                            std::thread::sleep(std::time::Duration::from_micros(50));
                            Ok(covered)
                        };
                        drop(group.wait(ticket, flush).unwrap());
                        assert!(group.state.lock().synced >= ticket);
                    }
                });
            }
        });
        assert!(flushes.load(Ordering::SeqCst) < 400, "no flush was shared");
    }

    #[test]
    fn a_failed_flush_is_told_to_everybody() {
        let group = SyncGroup::default();
        assert!(group.wait(1, || Err(Error::corruption("device"))).is_err());
        assert!(group.wait(1, || Ok(1)).is_err());
    }

    /// Records of a log that was replaced keep their error, later ones are synced; in the end all are durable.
    #[test]
    fn a_log_that_is_replaced_takes_its_error_along() {
        let group = SyncGroup::default();
        assert!(group.wait(2, || Err(Error::corruption("device"))).is_err());
        group.give_up(3, Error::corruption("lost"));
        assert!(group.wait(2, || Ok(9)).is_err());
        assert!(group.wait(3, || Ok(9)).is_err());
        drop(group.wait(4, || Ok(4)).unwrap());
        // A flush of the old log that ends later.
        group.give_up(6, Error::corruption("lost"));
        group.state.lock().lost = None;
        assert!(group.wait(5, || Err(Error::corruption("device"))).is_err());
        drop(group.wait(7, || Ok(7)).unwrap());
        group.give_up(8, Error::corruption("lost"));
        assert!(group.wait(8, || Ok(9)).is_err());
        group.settle();
        drop(group.wait(8, || Err(Error::corruption("nobody asks"))).unwrap());
    }

    /// A leader that waits for an earlier writer's turn must not be the one that keeps that writer asleep.
    #[test]
    fn earlier_writers_are_woken_at_once_and_later_ones_when_the_leader_says_so() {
        let group = SyncGroup::default();
        std::thread::scope(|scope| {
            let sleepers = Mutex::new(Vec::new());
            let leader = group.wait(2, || {
                // Both arrive during the flush, and are covered by it.
                for ticket in [1, 3] {
                    let group = &group;
                    let sleeper = move || drop(group.wait(ticket, || Ok(ticket)).unwrap());
                    sleepers.lock().push(scope.spawn(sleeper));
                    while group.state.lock().waiting.iter().all(|w| w.ticket != ticket) {
                        std::thread::yield_now();
                    }
                }
                Ok(3)
            });
            let mut sleepers = sleepers.into_inner();
            let later = sleepers.pop().unwrap();
            sleepers.pop().unwrap().join().unwrap();
            std::thread::sleep(Duration::from_millis(20));
            assert!(!later.is_finished());
            drop(leader.unwrap());
            later.join().unwrap();
        });
    }
}

/// In every schedule, no thread returns before its record is on the device, and no thread sleeps forever.
#[cfg(loom)]
mod loom_models {
    use super::*;
    use loom::sync::atomic::AtomicU64;
    use loom::thread;

    struct Log {
        group: SyncGroup,
        appended: AtomicU64,
        device: AtomicU64,
    }

    fn write(log: &Log) {
        let ticket = log.appended.fetch_add(1, Ordering::AcqRel) + 1;
        let followers = log.group.wait(ticket, || {
            let covered = log.appended.load(Ordering::Acquire);
            log.device.store(covered, Ordering::Release);
            Ok(covered)
        });
        assert!(log.device.load(Ordering::Acquire) >= ticket);
        drop(followers.unwrap());
    }

    /// Starts one thread for each number, which is how often it writes.
    fn writers(rounds: &'static [u64]) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(builder.preemption_bound.unwrap_or(3));
        builder.check(move || {
            let log = loom::sync::Arc::new(Log {
                group: SyncGroup::default(),
                appended: AtomicU64::new(0),
                device: AtomicU64::new(0),
            });
            let others: Vec<_> = rounds[1..]
                .iter()
                .map(|&n| {
                    let log = log.clone();
                    thread::spawn(move || (0..n).for_each(|_| write(&log)))
                })
                .collect();
            (0..rounds[0]).for_each(|_| write(&log));
            others.into_iter().for_each(|t| t.join().unwrap());
        });
    }

    #[test]
    fn two_writers() {
        writers(&[2, 2]);
    }

    #[test]
    fn three_writers() {
        writers(&[1, 1, 1]);
    }
}
