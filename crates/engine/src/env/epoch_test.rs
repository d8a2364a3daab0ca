use super::*;
use crate::env::sync::atomic::AtomicBool;

#[cfg(loom)]
mod loom_model {
    use super::*;
    use crate::env::sync::Arc;

    /// Memory that a reader reads while it is shared.
    struct Plain(loom::cell::UnsafeCell<u64>);

    // SAFETY: loom checks the accesses.
    unsafe impl Sync for Plain {}
    // SAFETY: as above.
    unsafe impl Send for Plain {}

    /// Who sees the epoch of a later pin may write to what the reader read during an earlier one.
    #[test]
    fn a_later_pin_does_not_hide_an_earlier_one() {
        loom::model(|| {
            let domain = Arc::new(Domain::new());
            let object = Arc::new(Plain(loom::cell::UnsafeCell::new(7)));
            let is_shared = Arc::new(AtomicBool::new(true));
            let reader = {
                let (domain, object, is_shared) =
                    (domain.clone(), object.clone(), is_shared.clone());
                loom::thread::spawn(move || {
                    let slot = domain.slots.take();
                    for _ in 0..2 {
                        domain.enter(slot);
                        if is_shared.load(Ordering::Acquire) {
                            // SAFETY: the object is shared and the reader is pinned.
                            object.0.with(|value| assert_eq!(unsafe { *value }, 7));
                        }
                        Domain::leave(slot);
                    }
                })
            };
            is_shared.store(false, Ordering::Release);
            let stamp = domain.advance();
            if domain.oldest_pinned() > stamp {
                // SAFETY: every reader that could see the object has left.
                object.0.with_mut(|value| unsafe { *value = 0 });
            }
            reader.join().unwrap();
        });
    }

    /// Two threads that take slots at the same time get different ones, and the collector sees both.
    #[test]
    fn slots_taken_at_once_differ_and_are_in_the_list() {
        loom::model(|| {
            let slots = Arc::new(Slots::new());
            let take = |slots: &Slots, epoch| {
                let slot = slots.take();
                assert_eq!(slot.epoch.swap(epoch, Ordering::Relaxed), 0);
            };
            let other = {
                let slots = slots.clone();
                loom::thread::spawn(move || take(&slots, 1))
            };
            take(&slots, 2);
            other.join().unwrap();
            let mut seen: Vec<_> = slots.iter().map(|s| s.epoch.load(Ordering::Relaxed)).collect();
            seen.sort_unstable();
            assert_eq!(seen, [1, 2]);
        });
    }

    /// A slot that was given back is taken again by one thread only.
    #[test]
    fn a_slot_that_was_given_back_is_taken_once() {
        loom::model(|| {
            let slots = Arc::new(Slots::new());
            slots.take().give_back();
            let other = {
                let slots = slots.clone();
                loom::thread::spawn(move || std::ptr::from_ref(slots.take()) as usize)
            };
            let mine = std::ptr::from_ref(slots.take()) as usize;
            assert_ne!(mine, other.join().unwrap());
            assert_eq!(slots.iter().count(), 2);
        });
    }

    /// A reader sees the old object alive or the new one, but never a freed one.
    #[test]
    fn an_object_outlives_its_readers() {
        loom::model(|| {
            let domain = Arc::new(Domain::new());
            let shared = Arc::new(AtomicU64::new(7));
            let freed = Arc::new(AtomicBool::new(false));
            let reader = {
                let (domain, shared, freed) = (domain.clone(), shared.clone(), freed.clone());
                loom::thread::spawn(move || {
                    let slot = domain.slots.take();
                    domain.enter(slot);
                    if shared.load(Ordering::Acquire) == 7 {
                        assert!(!freed.load(Ordering::Relaxed), "read after free");
                    }
                    Domain::leave(slot);
                })
            };
            shared.store(8, Ordering::Release);
            let stamp = domain.advance();
            if domain.oldest_pinned() > stamp {
                freed.store(true, Ordering::Relaxed);
            }
            reader.join().unwrap();
        });
    }
}

#[cfg(not(loom))]
mod real {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    struct Checked {
        alive: AtomicBool,
        drops: StdArc<AtomicUsize>,
    }

    impl Drop for Checked {
        fn drop(&mut self) {
            self.alive.store(false, Ordering::SeqCst);
            self.drops.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// An object whose destructor pins and synchronizes after this module's thread-locals are
    /// destroyed.
    struct AtThreadsEnd(std::sync::mpsc::Sender<(bool, bool)>);

    impl Drop for AtThreadsEnd {
        fn drop(&mut self) {
            let nothing_held = || LOCAL.with(|local| local.slot.get().is_null());
            let before = nothing_held();
            let cell = EpochCell::new(Some(StdArc::new(7)));
            let guard = pin();
            assert_eq!(cell.load(&guard), Some(&7));
            assert!(!nothing_held());
            drop(guard);
            synchronize();
            let _ = self.0.send((before, nothing_held()));
        }
    }

    #[test]
    fn a_thread_without_thread_locals_pins_and_gives_its_slot_back() {
        thread_local!(static LAST: Cell<Option<AtThreadsEnd>> = const { Cell::new(None) });
        let (sender, seen) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            // Created before the first pin, and therefore dropped after the thread-locals that the
            // pin creates.
            LAST.set(Some(AtThreadsEnd(sender)));
            drop(pin());
        });
        assert_eq!(seen.recv(), Ok((true, true)));
    }

    #[test]
    fn readers_never_see_a_dropped_object_and_all_are_dropped() {
        const REPLACEMENTS: usize = 2_000;
        let drops = StdArc::new(AtomicUsize::new(0));
        let make =
            || Some(StdArc::new(Checked { alive: AtomicBool::new(true), drops: drops.clone() }));
        let cell = EpochCell::new(make());
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let guard = pin();
                        let object = cell.load(&guard).unwrap();
                        assert!(object.alive.load(Ordering::SeqCst));
                        let counted = cell.load_arc().unwrap();
                        drop(guard);
                        assert!(counted.alive.load(Ordering::SeqCst));
                    }
                });
            }
            for _ in 0..REPLACEMENTS {
                cell.replace(make());
            }
            stop.store(true, Ordering::Relaxed);
        });
        drop(cell);
        synchronize();
        assert_eq!(drops.load(Ordering::SeqCst), REPLACEMENTS + 1);
    }

    #[test]
    fn synchronizing_waits_for_what_another_thread_frees() {
        struct Slow(StdArc<AtomicUsize>);
        impl Drop for Slow {
            fn drop(&mut self) {
                self.0.store(1, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(50));
                self.0.store(2, Ordering::SeqCst);
            }
        }
        let state = StdArc::new(AtomicUsize::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                retire(Slow(state.clone()));
                collect();
            });
            while state.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
                collect();
            }
            synchronize();
            assert_eq!(state.load(Ordering::SeqCst), 2);
        });
    }

    #[test]
    fn slots_are_reused_and_never_shared() {
        const THREADS: usize = 8;
        let slots = Slots::new();
        let start = std::sync::Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    start.wait();
                    for _ in 0..if cfg!(miri) { 20 } else { 2_000 } {
                        let slot = slots.take();
                        assert_eq!(slot.epoch.swap(1, Ordering::Relaxed), 0);
                        slot.epoch.store(0, Ordering::Relaxed);
                        slot.give_back();
                    }
                });
            }
        });
        // A thread adds a slot only if it saw each slot taken by another thread.
        assert!((1..THREADS * 4).contains(&slots.iter().count()), "{}", slots.iter().count());
    }

    #[test]
    fn a_pinned_reader_holds_up_the_drop() {
        let drops = StdArc::new(AtomicUsize::new(0));
        let object = StdArc::new(Checked { alive: AtomicBool::new(true), drops: drops.clone() });
        let cell = EpochCell::new(Some(object));
        let guard = pin();
        let seen = cell.load(&guard).unwrap();
        cell.replace(None);
        collect();
        assert!(seen.alive.load(Ordering::SeqCst));
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        drop(guard);
        synchronize();
        assert_eq!(drops.load(Ordering::SeqCst), 1);
        assert!(cell.load(&pin()).is_none());
    }
}
