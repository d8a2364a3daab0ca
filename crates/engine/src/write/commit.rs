//! The order in which writes become visible, and syncs shared by many writers.
//!
//! A writer reserves sequence numbers and appends to the WAL under the write lock, which takes a
//! fraction of a microsecond; it inserts into the memtable without that lock. [`CommitOrder`] then
//! publishes: a write becomes visible when every write before it is. There is no leader and no
//! hand-over between threads. The idea that was not taken: a group leader who writes for the
//! others (RocksDB, LevelDB) pays two wake-ups per group, and a wake-up costs more than the write.
//!
//! [`SyncGroup`] shares device flushes: one flush covers every record appended before it began.

use crate::base::SeqNo;
use crate::env::sync::atomic::{AtomicU64, Ordering};
use crate::env::sync::{Condvar, Mutex};
use crate::error::{Error, Result};
use std::time::{Duration, Instant};

/// Publishes sequence numbers in order.
#[derive(Debug)]
pub struct CommitOrder {
    visible: AtomicU64,
}

impl CommitOrder {
    /// Everything up to `last` is visible.
    pub fn new(last: SeqNo) -> CommitOrder {
        CommitOrder { visible: AtomicU64::new(last) }
    }

    /// The newest sequence number that readers see.
    #[inline]
    pub fn visible(&self) -> SeqNo {
        self.visible.load(Ordering::Acquire)
    }

    /// Waits until everything before `first` is visible. Writers before it are past their
    /// reservation and hence only an insert (or a sync) away.
    #[inline]
    pub fn wait_turn(&self, first: SeqNo) {
        let mut round = 0u32;
        while self.visible.load(Ordering::Acquire) != first - 1 {
            if round < 64 {
                std::hint::spin_loop();
            } else if round < 2048 {
                std::thread::yield_now();
            } else {
                // A writer before us waits for the device.
                std::thread::sleep(std::time::Duration::from_micros(20));
            }
            round = round.saturating_add(1);
        }
    }

    /// Waits until `last` is visible; false if it is not after `patience`.
    pub fn wait_visible(&self, last: SeqNo, patience: Duration) -> bool {
        let start = Instant::now();
        while self.visible() < last {
            if start.elapsed() > patience {
                return false;
            }
            std::thread::yield_now();
        }
        true
    }

    /// Makes `first..=last` visible once everything before `first` is. The caller has inserted
    /// the entries.
    #[inline]
    pub fn publish(&self, first: SeqNo, last: SeqNo) {
        self.wait_turn(first);
        self.visible.store(last, Ordering::Release);
    }
}

/// Shares one device flush among all writers that wait for one.
#[derive(Debug, Default)]
pub struct SyncGroup {
    state: Mutex<SyncState>,
    done: Condvar,
}

#[derive(Debug, Default)]
struct SyncState {
    /// Every record with a ticket up to this is on the device.
    synced: u64,
    running: bool,
    /// The error of a flush, told to everybody from then on: what the device holds is unknown.
    failed: Option<Error>,
}

impl SyncGroup {
    /// Returns once the record with `ticket` is on the device. One of the waiters runs `flush`,
    /// which returns the ticket of the newest record that the flush covered.
    pub fn wait(&self, ticket: u64, flush: impl Fn() -> Result<u64>) -> Result<()> {
        let mut state = self.state.lock();
        loop {
            if let Some(e) = &state.failed {
                return Err(e.clone());
            }
            if state.synced >= ticket {
                return Ok(());
            }
            if state.running {
                self.done.wait(&mut state);
                continue;
            }
            state.running = true;
            drop(state);
            let result = flush();
            state = self.state.lock();
            state.running = false;
            match result {
                Ok(covered) => state.synced = state.synced.max(covered),
                Err(e) => state.failed = Some(e),
            }
            self.done.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn writes_become_visible_in_order() {
        const WRITES: u64 = 4_000;
        let order = CommitOrder::new(0);
        let next = AtomicU64::new(1);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    loop {
                        let first = next.fetch_add(3, Ordering::Relaxed);
                        if first > WRITES {
                            break;
                        }
                        order.publish(first, first + 2);
                        assert!(order.visible() >= first + 2);
                    }
                });
            }
        });
        assert!(order.visible() >= WRITES);
    }

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
                        group.wait(ticket, flush).unwrap();
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
}
