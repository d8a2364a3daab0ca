//! Locks on keys.
//!
//! Keys are distributed over stripes. Each stripe has a mutex and a condition variable that is notified whenever a lock
//! of the stripe is released. A transaction holds its locks until it ends or undoes the operation that took them, for
//! example by a rollback to a save point. A lock whose owner has expired may be taken away; the owner learns of it at
//! commit.
//!
//! With deadlock detection, a waiting transaction records which transactions it waits for. It gives up if these records
//! lead back to itself, or if their chain is longer than its search depth. Only transactions with deadlock detection
//! leave records.

use crate::base::hash::hash64;
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::env::clock::Instant;
use crate::env::sync::std_atomic::{AtomicU8, Ordering};
use crate::env::sync::{Condvar, Mutex};
use crate::error::{Code, Error, Result, SubCode};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The number of a transaction.
pub(super) type TxnId = u64;

/// The part of a lock-holding transaction that other transactions see.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) id: TxnId,
    /// The time after which others may take its locks.
    pub(super) expires: Option<Instant>,
    state: AtomicU8,
}

/// More stripes than threads that take locks concurrently have no benefit.
const STRIPES_MAX: usize = 1 << 16;

const LIVE: u8 = 0;
const COMMITTING: u8 = 1;
const STOLEN: u8 = 2;

impl Owner {
    pub(super) fn new(id: TxnId, expires: Option<Instant>) -> Owner {
        Owner { id, expires, state: AtomicU8::new(LIVE) }
    }

    pub(super) fn has_expired(&self) -> bool {
        self.expires.is_some_and(|at| at <= Instant::now())
    }

    /// Prevents others from taking the locks from now on. Returns false if they were taken already.
    pub(super) fn start_commit(&self) -> bool {
        let order = Ordering::AcqRel;
        self.state.compare_exchange(LIVE, COMMITTING, order, Ordering::Acquire).is_ok()
    }

    /// Ends a failed commit, which can then be retried.
    pub(super) fn end_commit(&self) {
        self.state.store(LIVE, Ordering::Release);
    }

    /// Takes the locks away from their owner, if that is allowed.
    fn rob(&self) -> bool {
        let order = Ordering::AcqRel;
        self.has_expired()
            && self
                .state
                .compare_exchange(LIVE, STOLEN, order, Ordering::Acquire)
                .map_or_else(|state| state == STOLEN, |_| true)
    }
}

/// One request for a lock.
pub(super) struct Request<'a> {
    pub(super) owner: &'a Arc<Owner>,
    pub(super) exclusive: bool,
    /// The longest time to wait; `None` means no limit.
    pub(super) timeout: Option<Duration>,
    /// How many steps of waiting to follow in the search for a deadlock; 0 disables it.
    pub(super) deadlock_depth: usize,
}

/// The holders of a lock.
#[derive(Debug)]
struct Lock {
    exclusive: bool,
    holders: Vec<Arc<Owner>>,
}

type Keys = HashMap<(u32, Box<[u8]>), Lock>;

#[derive(Debug, Default)]
struct Stripe {
    keys: Mutex<Keys>,
    released: Condvar,
}

/// All locks of a database.
#[derive(Debug)]
pub(super) struct LockManager {
    stripes: Vec<Stripe>,
    /// The maximum number of locks per column family; `None` means no limit.
    max_locks: Option<u64>,
    /// The number of locks per column family; used only with a limit.
    counts: Mutex<HashMap<u32, u64>>,
    /// Which transactions wait for which others, among those with deadlock detection.
    waits: Mutex<HashMap<TxnId, Vec<TxnId>>>,
}

/// Waiters recheck at least this often, because an owner expires without a notification.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The result of one attempt to take a lock.
enum LockAttempt {
    Taken,
    /// These transactions hold the lock.
    Held(Vec<TxnId>),
}

impl LockManager {
    pub(super) fn new(stripes: usize, max_locks: Option<u64>) -> LockManager {
        let stripes = (0..stripes.clamp(1, STRIPES_MAX)).map(|_| Stripe::default()).collect();
        LockManager {
            stripes,
            max_locks,
            counts: Mutex::new(HashMap::new()),
            waits: Mutex::new(HashMap::new()),
        }
    }

    fn stripe(&self, cf: u32, key: &[u8]) -> &Stripe {
        let hash = hash64(key).wrapping_add(cf.into());
        &self.stripes[(hash % self.stripes.len() as u64) as usize]
    }

    /// Locks a key, or upgrades a shared lock to an exclusive one.
    pub(super) fn acquire(&self, request: &Request<'_>, cf: u32, key: &[u8]) -> Result<()> {
        let deadline = request.timeout.map(|timeout| Instant::now() + timeout);
        let stripe = self.stripe(cf, key);
        let mut keys = stripe.keys.lock();
        let mut timer = None;
        let result = loop {
            let holders = match self.look(&mut keys, request, cf, key) {
                Err(e) => break Err(e),
                Ok(LockAttempt::Taken) => break Ok(()),
                Ok(LockAttempt::Held(holders)) => holders,
            };
            if request.deadlock_depth > 0 && self.waits_for_itself(request, holders) {
                break Err(Error::new(Code::Busy, "").with_subcode(SubCode::Deadlock));
            }
            let now = Instant::now();
            if deadline.is_some_and(|deadline| deadline <= now) {
                let error = Error::new(Code::TimedOut, "").with_subcode(SubCode::LockTimeout);
                break Err(error.explained(format!(
                    "another transaction kept the lock of key \"{}\" for {:?}",
                    key.escape_ascii(),
                    request.timeout.unwrap_or_default()
                )));
            }
            let wait = deadline.map_or(LOOK_AGAIN, |deadline| (deadline - now).min(LOOK_AGAIN));
            if timer.is_none() {
                perf::count(PerfMetric::KeyLockWaitCount, 1);
                timer = Some(PerfTimer::start(PerfMetric::KeyLockWaitTime));
            }
            stripe.released.wait_for(&mut keys, wait);
        };
        if request.deadlock_depth > 0 {
            self.waits.lock().remove(&request.owner.id);
        }
        result
    }

    fn look(
        &self,
        keys: &mut Keys,
        request: &Request<'_>,
        cf: u32,
        key: &[u8],
    ) -> Result<LockAttempt> {
        let me = request.owner.id;
        let Some(lock) = keys.get_mut(&(cf, Box::from(key))) else {
            self.count(cf)?;
            let holders = vec![Arc::clone(request.owner)];
            keys.insert((cf, key.into()), Lock { exclusive: request.exclusive, holders });
            return Ok(LockAttempt::Taken);
        };
        if lock.exclusive || request.exclusive {
            lock.holders.retain(|holder| holder.id == me || !holder.rob());
        }
        let is_mine = lock.holders.iter().any(|holder| holder.id == me);
        let is_alone = lock.holders.iter().all(|holder| holder.id == me);
        if is_alone {
            lock.exclusive = request.exclusive || (lock.exclusive && is_mine);
        } else if lock.exclusive || request.exclusive {
            let others = lock.holders.iter().map(|holder| holder.id).filter(|id| *id != me);
            return Ok(LockAttempt::Held(others.collect()));
        }
        if !is_mine {
            lock.holders.push(Arc::clone(request.owner));
        }
        Ok(LockAttempt::Taken)
    }

    /// Counts one more lock.
    fn count(&self, cf: u32) -> Result<()> {
        let Some(limit) = self.max_locks else { return Ok(()) };
        let mut counts = self.counts.lock();
        let count = counts.entry(cf).or_default();
        if *count >= limit {
            return Err(Error::new(Code::Aborted, "").with_subcode(SubCode::LockLimit));
        }
        *count += 1;
        Ok(())
    }

    /// Records which transactions this one waits for. Returns whether one of them, directly or not, waits for this one.
    fn waits_for_itself(&self, request: &Request<'_>, holders: Vec<TxnId>) -> bool {
        let me = request.owner.id;
        let mut waits = self.waits.lock();
        let mut reached = holders.clone();
        waits.insert(me, holders);
        for _ in 0..request.deadlock_depth {
            if reached.contains(&me) {
                return true;
            }
            let next = reached.iter().filter_map(|id| waits.get(id)).flatten().copied();
            let mut next: Vec<TxnId> = next.collect();
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                return false;
            }
            reached = next;
        }
        // Beyond the search depth: treated as a deadlock, as in RocksDB.
        true
    }

    /// Releases a lock, if the transaction still holds it.
    pub(super) fn release(&self, owner: TxnId, cf: u32, key: &[u8]) {
        let stripe = self.stripe(cf, key);
        let mut keys = stripe.keys.lock();
        let place = (cf, Box::from(key));
        let Some(lock) = keys.get_mut(&place) else { return };
        lock.holders.retain(|holder| holder.id != owner);
        if lock.holders.is_empty() {
            keys.remove(&place);
            if self.max_locks.is_some()
                && let Some(count) = self.counts.lock().get_mut(&cf)
            {
                *count = count.saturating_sub(1);
            }
        }
        drop(keys);
        stripe.released.notify_all();
    }
}

#[cfg(test)]
#[path = "locks_test.rs"]
mod tests;
