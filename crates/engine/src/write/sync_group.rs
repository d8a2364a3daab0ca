//! Sync groups: one device flush covers every record that was appended before it began.
//!
//! One of the waiting writers is the leader. It flushes, passes the lead to the first writer that its flush came too
//! early for, and then wakes the writers that are done. Each writer sleeps on its own and is woken once, with its
//! result. (With one shared condition variable, every writer needed the lock to learn the result for its record, and
//! sixteen waited for the lock one after the other while the device was idle.)

use crate::env::clock::Instant;
use crate::env::sync::ModelMutex as Mutex;
use crate::env::sync::atomic::{AtomicU8, Ordering};
use crate::env::sync::thread::{self, Thread};
use crate::error::{Error, Result};
use std::sync::Arc;
use std::time::Duration;

/// Shares one device flush among all writers that wait for one.
#[derive(Default)]
pub struct SyncGroup {
    state: Mutex<SyncState>,
}

#[derive(Default)]
struct SyncState {
    /// Every record with a ticket up to this one is on the device.
    synced: u64,
    /// Whether there is a leader, or a writer was told to lead.
    led: bool,
    /// The error of a flush. All writers get it until the log is replaced, because the content of the device is
    /// unknown.
    failed: Option<Error>,
    /// Records with a ticket up to this one are in a log that was replaced.
    given_up: u64,
    /// The error of that log, until its records are durable by other means.
    lost: Option<Error>,
    /// The waiting writers, in order of arrival.
    waiting: Vec<Arc<Waiter>>,
    /// The number of writers that the last two flushes served, and how long the next flush may wait for them.
    served: usize,
    patience: Duration,
    last_served: usize,
}

/// A writer that sleeps until it is told what to do.
struct Waiter {
    ticket: u64,
    thread: Thread,
    told: AtomicU8,
}

const NOTHING: u8 = 0;
/// The record is on the device, or never will be: `SyncState` has the result.
const LOOK: u8 = 1;
/// The record needs a flush, and this writer must run it.
const LEAD: u8 = 2;

impl Waiter {
    fn sleep(&self) -> u8 {
        loop {
            match self.told.load(Ordering::Acquire) {
                NOTHING => thread::park(),
                told => return told,
            }
        }
    }

    fn tell(&self, what: u8) {
        self.told.store(what, Ordering::Release);
        self.thread.unpark();
    }
}

/// Writers whose records are on the device. They keep sleeping until this is dropped.
///
/// The writer that flushed inserts first, because the others could not publish before it. The others are later in the
/// commit order, so the flushing writer never waits for any of them.
#[derive(Default)]
#[must_use]
pub struct Followers(Vec<Arc<Waiter>>);

impl Drop for Followers {
    fn drop(&mut self) {
        self.0.iter().for_each(|waiter| waiter.tell(LOOK));
    }
}

impl SyncState {
    /// Returns the result for a record, if it is known.
    fn answer(&self, ticket: u64) -> Option<Result<()>> {
        let lost = self.lost.as_ref().filter(|_| ticket <= self.given_up);
        match self.failed.as_ref().or(lost) {
            Some(e) => Some(Err(e.clone())),
            None => (self.synced >= ticket).then_some(Ok(())),
        }
    }

    /// Removes the writers that need not wait any longer after a flush. If others still wait, returns the first of them
    /// as the next leader.
    fn divide(&mut self) -> (Vec<Arc<Waiter>>, Option<Arc<Waiter>>) {
        let (synced, all) = (self.synced.max(self.given_up), self.failed.is_some());
        let done: Vec<_> = self.waiting.extract_if(.., |w| all || w.ticket <= synced).collect();
        let served = done.len() + 1;
        self.served = if served == 1 { 1 } else { served.max(self.last_served) };
        self.last_served = served;
        self.led = !self.waiting.is_empty();
        let next = self.led.then(|| self.waiting.remove(0));
        (done, next)
    }
}

impl SyncGroup {
    /// Returns once the record with `ticket` is on the device. One of the waiters runs `flush`, which returns the
    /// ticket of the newest record that the flush covered.
    pub fn wait(&self, ticket: u64, flush: impl Fn() -> Result<u64>) -> Result<Followers> {
        let mut state = self.state.lock();
        if let Some(answer) = state.answer(ticket) {
            return answer.map(|()| Followers::default());
        }
        if state.led {
            let thread = thread::current();
            let waiter = Arc::new(Waiter { ticket, thread, told: AtomicU8::new(NOTHING) });
            state.waiting.push(waiter.clone());
            drop(state);
            if waiter.sleep() == LOOK {
                let answer = self.state.lock().answer(ticket);
                let answer = answer.unwrap_or_else(|| unreachable!("woken without an answer"));
                return answer.map(|()| Followers::default());
            }
        } else {
            state.led = true;
            drop(state);
        }
        self.lead(ticket, flush)
    }

    /// Notes that the log with the records up to this ticket was replaced by a new one. Writers that wait for these
    /// records get the error, until the records are settled.
    pub fn give_up(&self, ticket: u64, error: Error) {
        let mut state = self.state.lock();
        (state.given_up, state.lost, state.failed) = (ticket, Some(error), None);
    }

    /// Notes that the records given up are durable now, as far as they are needed.
    pub fn settle(&self) {
        let mut state = self.state.lock();
        if state.lost.take().is_some() {
            state.synced = state.synced.max(state.given_up);
        }
    }

    /// Waits for writers woken by the previous flush to join this one, at most as long as that flush took, which is
    /// less than they would wait for the next flush; and at most half as long if not all of them joined last time.
    /// Returns whether they joined.
    fn gather(&self) -> bool {
        let (expected, patience) = {
            let state = self.state.lock();
            (state.served, state.patience)
        };
        // Loom models have no time.
        if expected < 2 || cfg!(loom) {
            return false;
        }
        let began = Instant::now();
        while self.state.lock().waiting.len() + 1 < expected {
            if began.elapsed() >= patience {
                return false;
            }
            thread::yield_now();
        }
        true
    }

    /// Runs a flush, and passes the lead on.
    fn lead(&self, ticket: u64, flush: impl Fn() -> Result<u64>) -> Result<Followers> {
        let all_came = self.gather();
        let began = Instant::now();
        let result = flush();
        let took = began.elapsed();
        let mut state = self.state.lock();
        state.patience = if all_came { took } else { took / 2 };
        match &result {
            Ok(covered) => state.synced = state.synced.max(*covered),
            // The error concerns a log that was replaced meanwhile, so no writer needs it.
            Err(_) if ticket <= state.given_up => {}
            Err(e) => state.failed = Some(e.clone()),
        }
        let (mut done, next) = state.divide();
        drop(state);
        // This writer's turn comes after theirs.
        let earlier = Followers(done.extract_if(.., |waiter| waiter.ticket < ticket).collect());
        next.iter().for_each(|waiter| waiter.tell(LEAD));
        drop(earlier);
        let followers = Followers(done);
        result.map(|_| followers)
    }
}

#[cfg(test)]
#[path = "sync_group_test.rs"]
mod tests;
