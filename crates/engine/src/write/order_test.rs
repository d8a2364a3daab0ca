use super::*;

#[cfg(not(loom))]
mod threads {
    use super::*;
    use crate::env::sync::Mutex;

    fn reserve(order: &CommitOrder, line: &Mutex<TurnAllocator>, count: u64) -> Turn {
        loop {
            let mut line = line.lock();
            if line.has_room(order) {
                return line.reserve(count);
            }
            drop(line);
            std::thread::yield_now();
        }
    }

    #[test]
    fn writes_become_visible_in_order() {
        const WRITES: u64 = if cfg!(miri) { 30 } else { 20_000 };
        let order = CommitOrder::new(7);
        let line = Mutex::new(TurnAllocator::new(7));
        // The condition for readers: everything up to the visible number was stored before.
        let stored: Vec<AtomicU64> = (0..6 * WRITES * 3 + 8).map(|_| AtomicU64::new(0)).collect();
        std::thread::scope(|scope| {
            for writer in 0..6u64 {
                let (order, line, stored) = (&order, &line, &stored);
                scope.spawn(move || {
                    for i in 0..WRITES {
                        let turn = reserve(order, line, 1 + (i + writer) % 3);
                        for seq in turn.first..=turn.last {
                            stored[seq as usize].store(1, Ordering::Relaxed);
                        }
                        order.publish(&turn);
                        let visible = order.visible();
                        assert!(visible >= turn.last);
                        let newest = stored[visible as usize].load(Ordering::Relaxed);
                        assert_eq!(newest, 1, "{visible} is visible and not stored");
                    }
                });
            }
        });
        assert_eq!(order.visible(), line.lock().last_allocated());
    }

    #[test]
    fn a_turn_waits_for_those_before_it_alone() {
        let order = CommitOrder::new(0);
        let line = Mutex::new(TurnAllocator::new(0));
        let (first, second) = (reserve(&order, &line, 2), reserve(&order, &line, 1));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| order.publish(&second));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished() && order.visible() == 0);
            order.wait_turn(&first);
            // The second write is published with it, without the second thread.
            order.publish(&first);
            assert_eq!(order.visible(), 3);
        });
    }

    #[test]
    fn no_more_turns_are_out_than_there_are_places() {
        let order = CommitOrder::new(0);
        let mut line = TurnAllocator::new(0);
        let turns: Vec<Turn> = (0..SLOTS)
            .map(|_| {
                assert!(line.has_room(&order));
                line.reserve(1)
            })
            .collect();
        assert!(!line.has_room(&order));
        turns.iter().for_each(|turn| order.publish(turn));
        assert!(line.has_room(&order));
        assert_eq!(order.visible(), SLOTS);
    }
}

/// In every schedule, everything visible was stored before, and no thread waits forever.
#[cfg(loom)]
mod loom_models {
    use super::*;
    use loom::sync::{Arc, Mutex};
    use loom::thread;

    /// Starts one thread for each number, which is how often it writes.
    fn writers(rounds: &'static [u64]) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(builder.preemption_bound.unwrap_or(3));
        builder.check(move || {
            let turns: u64 = rounds.iter().sum();
            let stored = (0..=turns).map(|_| AtomicU64::new(0)).collect();
            let shared = Arc::new((CommitOrder::new(0), Mutex::new(TurnAllocator::new(0)), stored));
            let others: Vec<_> = rounds[1..]
                .iter()
                .map(|&n| {
                    let shared = shared.clone();
                    thread::spawn(move || (0..n).for_each(|_| write(&shared)))
                })
                .collect();
            (0..rounds[0]).for_each(|_| write(&shared));
            others.into_iter().for_each(|t| t.join().unwrap());
            assert_eq!(shared.0.visible(), turns);
        });
    }

    fn write((order, line, stored): &(CommitOrder, Mutex<TurnAllocator>, Vec<AtomicU64>)) {
        let turn = loop {
            let mut line = line.lock().unwrap();
            if line.has_room(order) {
                break line.reserve(1);
            }
            drop(line);
            thread::yield_now();
        };
        stored[turn.last as usize].store(1, Ordering::Relaxed);
        order.publish(&turn);
        let visible = order.visible();
        assert!(visible >= turn.last);
        assert!((1..=visible).all(|s| stored[s as usize].load(Ordering::Relaxed) == 1));
    }

    #[test]
    fn two_writers() {
        writers(&[1, 1]);
    }

    #[test]
    fn two_writers_go_round() {
        writers(&[2, 2]);
    }
}
