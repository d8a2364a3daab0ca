//! Syncs shared by many writers: one flush of the device covers every record that was appended before it
//! began.
//!
//! Of the writers that wait one leads: it flushes, hands the lead to the first that its flush came too early
//! for, and then wakes those that are done. Each sleeps by itself and is woken once, with its answer. (With one
//! condition for all, every one of them had to have the lock to learn what had become of its record, and sixteen
//! waited for the lock one after the other while the device was idle.)

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
    /// Every record with a ticket up to this is on the device.
    synced: u64,
    /// Somebody leads, or was told to.
    led: bool,
    /// The error of a flush, told to everybody until the log is replaced: what the device holds is unknown.
    failed: Option<Error>,
    /// Records with a ticket up to this are in a log that was replaced.
    given_up: u64,
    /// Its error, until they are durable by other means.
    lost: Option<Error>,
    /// In the order of arrival.
    waiting: Vec<Arc<Waiter>>,
    /// How many writers the last two flushes served, and how long the next one may wait for them.
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
/// The record is on the device, or never will be: `SyncState` has the answer.
const LOOK: u8 = 1;
/// The record needs a flush, and this writer is to do it.
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

/// Writers whose records are on the device. They sleep on until this is dropped.
///
/// Whoever flushed inserts first, since the others could not publish before it. The others are later ones:
/// it does not wait for any of them.
#[derive(Default)]
#[must_use]
pub struct Followers(Vec<Arc<Waiter>>);

impl Drop for Followers {
    fn drop(&mut self) {
        self.0.iter().for_each(|waiter| waiter.tell(LOOK));
    }
}

impl SyncState {
    /// What became of a record, if that is known.
    fn answer(&self, ticket: u64) -> Option<Result<()>> {
        let lost = self.lost.as_ref().filter(|_| ticket <= self.given_up);
        match self.failed.as_ref().or(lost) {
            Some(e) => Some(Err(e.clone())),
            None => (self.synced >= ticket).then_some(Ok(())),
        }
    }

    /// Who waits no longer, now that a flush has ended. If others still wait the first of them is to lead.
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
    /// Returns once the record with `ticket` is on the device. One of the waiters runs `flush`,
    /// which returns the ticket of the newest record that the flush covered.
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

    /// The log with the records up to this ticket was replaced by a new one. Whoever waits for them gets the error,
    /// until they are settled.
    pub fn give_up(&self, ticket: u64, error: Error) {
        let mut state = self.state.lock();
        (state.given_up, state.lost, state.failed) = (ticket, Some(error), None);
    }

    /// What was given up is durable now, as far as it counts.
    pub fn settle(&self) {
        let mut state = self.state.lock();
        if state.lost.take().is_some() {
            state.synced = state.synced.max(state.given_up);
        }
    }

    /// Lets those come along that the last flush woke and that are about to write again; no longer than that took,
    /// which is less than they would wait for the next one, and half as long unless the last ones
    /// all came. Whether they did.
    fn gather(&self) -> bool {
        let (expected, patience) = {
            let state = self.state.lock();
            (state.served, state.patience)
        };
        // Models do not know time.
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

    /// Flushes, and passes the lead on.
    fn lead(&self, ticket: u64, flush: impl Fn() -> Result<u64>) -> Result<Followers> {
        let all_came = self.gather();
        let began = Instant::now();
        let result = flush();
        let took = began.elapsed();
        let mut state = self.state.lock();
        state.patience = if all_came { took } else { took / 2 };
        match &result {
            Ok(covered) => state.synced = state.synced.max(*covered),
            // Of a log that was replaced meanwhile nobody needs it.
            Err(_) if ticket <= state.given_up => {}
            Err(e) => state.failed = Some(e.clone()),
        }
        let (mut done, next) = state.divide();
        drop(state);
        // Our own turn comes after theirs.
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
