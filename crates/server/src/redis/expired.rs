//! Events of keys that expire, for `notify-keyspace-events` with the letter `x`.
//!
//! An expired key is absent whether or not somebody removes its rows, so the server usually leaves that to compactions.
//! While the events are switched on, it keeps the times at which keys expire in memory. When one is over, it removes
//! the key and publishes the event.
//!
//! 1. Each commit that leaves a key with an expiry adds an entry; older entries of the key are ignored when due.
//! 2. Keys that had an expiry before the events were switched on are found by a walk over all keys. There is another
//!    walk when entries were dropped because memory has room for `ENTRIES_MAX` only.
//! 3. For clients that cache keys there is no walk: an entry is added when such a client reads a key.

use super::execute::Worker;
use super::failure::Done;
use super::replica::Mode as Role;
use super::server::{Server, event_bit};
use super::watches::DatabaseKey;
use crate::rows::redis::{Head, META, Row, meta_key};
use crate::store::{Mode, Range};
use crate::text::slot;
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Entries that are kept.
const ENTRIES_MAX: usize = 1 << 20;
/// Keys that are removed before other work has its turn.
const REMOVED_MAX: usize = 200;

/// When keys expire.
#[derive(Debug, Default)]
pub struct Expirations {
    is_on: AtomicBool,
    /// Whether all keys are looked at.
    walks: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By time, the earliest first.
    due: BinaryHeap<Reverse<(u64, DatabaseKey)>>,
    /// Whether all entries of existing keys are there.
    is_complete: bool,
}

impl Expirations {
    /// Returns whether the events are switched on, so that writers must name the keys that they change.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Acquire)
    }

    /// Switches the events and the walks over all keys on or off, as a function says that looks at who needs them.
    pub fn switch(&self, needed: impl FnOnce() -> (bool, bool)) {
        let mut state = self.state.lock();
        let (is_on, walks) = needed();
        let was_on = self.is_on.swap(is_on, Ordering::AcqRel);
        let walked = self.walks.swap(walks, Ordering::AcqRel);
        if was_on && !is_on {
            *state = State::default();
        } else if walks && !walked {
            state.is_complete = false;
        }
    }

    fn add(&self, expire_ms: u64, key: DatabaseKey) {
        let mut state = self.state.lock();
        if state.due.len() < ENTRIES_MAX {
            state.due.push(Reverse((expire_ms, key)));
        } else {
            state.is_complete = false;
        }
    }

    /// Removes and returns an entry whose time is over.
    fn take_due(&self, now_ms: u64) -> Option<DatabaseKey> {
        let mut state = self.state.lock();
        if state.due.peek()?.0.0 >= now_ms {
            return None;
        }
        state.due.pop().map(|Reverse((_, key))| key)
    }

    /// Returns whether a walk over all keys is needed, and notes that it begins.
    fn begin_walk(&self) -> bool {
        if !self.walks.load(Ordering::Acquire) {
            return false;
        }
        let mut state = self.state.lock();
        let is_needed = !state.is_complete && state.due.len() < ENTRIES_MAX / 2;
        state.is_complete |= is_needed;
        is_needed
    }
}

impl Server {
    /// Returns whether a value of `notify-keyspace-events` asks for events of keys that expire.
    pub(super) fn wants_expired(events: u32) -> bool {
        events & event_bit(b'x') != 0 && events & (event_bit(b'K') | event_bit(b'E')) != 0
    }

    /// Adds an entry for a key that was changed, if it has an expiry.
    pub(super) fn note_expiry(&self, key: &DatabaseKey) {
        let Some(database) = self.databases.existing(key.0) else { return };
        let slot = slot::of_key(&key.1);
        let (partition, row) = (database.partition_of(slot), meta_key(slot, &key.1));
        let mut expire_ms = 0;
        let found = self.store.get(partition, &row, None, &mut |value| {
            expire_ms = Head::parse(value).map_or(0, |(head, _)| head.expire_ms);
        });
        // After an error there is no event; the next command on the key reports the error.
        if found.is_ok() && expire_ms != 0 {
            self.expirations.add(expire_ms, key.clone());
        }
    }

    /// Removes some keys that have expired, and publishes their events. Does nothing unless these are switched on.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub fn remove_expired(&self, worker: &mut Worker) -> Done {
        // The server whose replica this one is removes expired keys.
        if !self.expirations.is_on() || self.replication.mode() != Role::Master {
            return Ok(());
        }
        if self.expirations.begin_walk() {
            self.find_expiries()?;
        }
        let now_ms = self.now_ms();
        for _ in 0..REMOVED_MAX {
            // While a script runs too long, latches may not become free.
            if self.is_busy() {
                break;
            }
            let Some(key) = self.expirations.take_due(now_ms) else { break };
            self.remove_if_expired(worker, &key, now_ms)?;
        }
        Ok(())
    }

    fn find_expiries(&self) -> Done {
        let databases = (0..self.databases.count()).filter_map(|at| self.databases.existing(at));
        for database in databases {
            for partition in database.partitions() {
                let range = Range::prefix(&[META]);
                let mut cursor = self.store.cursor(*partition, &range, None)?;
                cursor.seek_to_end(false);
                while let Some((row, value)) = cursor.item() {
                    if let (Some(Row::Meta { key, .. }), Some((head, _))) =
                        (Row::parse(row), Head::parse(value))
                        && head.expire_ms != 0
                    {
                        self.expirations.add(head.expire_ms, (database.index(), key.into()));
                    }
                    cursor.step(false);
                }
                cursor.status()?;
            }
        }
        Ok(())
    }

    fn remove_if_expired(&self, worker: &mut Worker, key: &DatabaseKey, now_ms: u64) -> Done {
        let Some(database) = self.databases.existing(key.0) else { return Ok(()) };
        let Ok(guards) = self.latch([(key.0, &key.1[..])], Mode::Exclusive) else {
            self.expirations.add(now_ms, key.clone());
            return Ok(());
        };
        let slot = slot::of_key(&key.1);
        let (partition, row) = (database.partition_of(slot), meta_key(slot, &key.1));
        worker.discard();
        let is_expired = worker.txn.get(partition, &row, |value| {
            Head::parse(value).is_some_and(|(head, _)| head.is_expired(now_ms))
        })?;
        if is_expired != Some(true) {
            return Ok(());
        }
        worker.txn.delete(partition, &row)?;
        if self.tracking.is_on() {
            worker.effects.touched.push(key.clone());
        }
        if self.wants_event(b'x') {
            worker.effects.events.get_mut().push(super::effects::Event {
                class: b'x',
                name: "expired",
                key: key.1.to_vec(),
                database: key.0,
            });
        }
        self.commit(worker)?;
        worker.stats.expired.add(1);
        drop(guards);
        self.follow(worker);
        Ok(())
    }
}
