//! Clients that wait in a blocking command, by key and in the order of their arrival.
//!
//! * **RB1** A client registers while it holds the latches of its keys. A writer looks for waiters of the keys that it
//!   changed after its commit. So no wake-up is lost.
//! * **RB2** A waiter is answered once: whoever takes its sender answers it, be it a writer, the end of its time,
//!   CLIENT UNBLOCK, or the end of the connection.
//! * **RB3** Clients that take elements are served in the order of their arrival. A client that arrives while others
//!   wait for the same elements waits behind them: between its commit and the service of the waiters, a writer does not
//!   hold the latches. Waiters that were served are removed while the latches are held, so nobody waits behind them.

use super::args::Args;
use super::command::{Command, Group, TAKES};
use super::keyspec::Positions;
use super::watches::DatabaseKey;
use crate::resp::Protocol;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::sync::oneshot;

/// What a blocked client replies when its time is over.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Timeout {
    /// A null in the place of an array.
    NullArray,
    /// A null in the place of a string.
    Null,
    /// This integer.
    Integer(i64),
    /// An array of these integers.
    Pair(i64, i64),
}

/// From where a command takes elements: its group, which stands for the type, and in streams the consumer group.
pub type Pool<'a> = (Group, &'a [u8]);

/// A blocked client.
pub struct Waiter {
    /// The client.
    pub client: u64,
    /// Its protocol.
    pub protocol: Protocol,
    /// The database that it selected.
    pub database: u32,
    /// Its command.
    pub command: &'static Command,
    /// The command's arguments.
    pub args: Vec<Box<[u8]>>,
    /// The keys that it waits for.
    pub keys: Vec<Box<[u8]>>,
    /// What it replies when its time is over.
    pub timeout: Timeout,
    /// Its place in the order of arrivals, from 1.
    order: AtomicU64,
    sender: Mutex<Option<oneshot::Sender<Vec<u8>>>>,
}

/// The right to answer a waiter; other threads wait for its end.
pub type Claim<'a> = parking_lot::MutexGuard<'a, Option<oneshot::Sender<Vec<u8>>>>;

impl Waiter {
    /// Returns a waiter, which answers to `sender`.
    pub fn new(
        client: (u64, Protocol),
        database: u32,
        command: &'static Command,
        args: Vec<Box<[u8]>>,
        keys: Vec<Box<[u8]>>,
        timeout: Timeout,
        sender: oneshot::Sender<Vec<u8>>,
    ) -> Waiter {
        let (client, protocol) = client;
        let (order, sender) = (AtomicU64::new(0), Mutex::new(Some(sender)));
        Waiter { client, protocol, database, command, args, keys, timeout, order, sender }
    }

    /// Returns its place in the order of arrivals.
    pub fn order(&self) -> u64 {
        self.order.load(Ordering::Relaxed)
    }

    /// Returns from where its command takes elements of its keys; `None` if it takes none. When one client has found
    /// nothing there, the others find nothing either.
    pub fn pool(&self) -> Option<Pool<'_>> {
        let args: SmallVec<[&[u8]; 8]> = self.args.iter().map(|arg| &arg[..]).collect();
        let consumers = super::keyspec::after("GROUP", 1, super::keyspec::RO);
        let mut at = Positions::new();
        if self.command.group == Group::Stream {
            consumers.positions(Args::new(&args), &mut at);
        }
        let name = at.first().and_then(|at| self.args.get(*at)).map_or(&b""[..], |name| name);
        self.command.flags.has(TAKES).then_some((self.command.group, name))
    }

    /// Returns the right to answer; it is empty if another answered.
    pub fn claim(&self) -> Claim<'_> {
        self.sender.lock()
    }

    /// Answers the waiter, unless another did. Returns whether it did.
    pub fn answer(&self, reply: Vec<u8>) -> bool {
        let sender = self.sender.lock().take();
        // The connection may have ended.
        sender.is_some_and(|sender| sender.send(reply).is_ok())
    }
}

/// All blocked clients.
#[derive(Default)]
pub struct Waiters {
    /// The waiters of each key, in the order of their arrival.
    keys: Mutex<HashMap<DatabaseKey, VecDeque<Arc<Waiter>>>>,
    count: AtomicUsize,
    /// The number of arrivals.
    arrivals: AtomicU64,
}

impl Waiters {
    /// Returns whether nobody waits: then writers need not name their keys.
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Returns the number of blocked clients.
    pub fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Adds a waiter behind those of the same keys.
    pub fn add(&self, waiter: &Arc<Waiter>) {
        let mut keys = self.keys.lock();
        // Under the lock, so that each list is in this order.
        waiter.order.store(self.arrivals.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        for key in &waiter.keys {
            let list = keys.entry((waiter.database, key.clone())).or_default();
            // A command may name a key twice.
            if !list.back().is_some_and(|last| Arc::ptr_eq(last, waiter)) {
                list.push_back(waiter.clone());
            }
        }
        self.count.fetch_add(1, Ordering::AcqRel);
    }

    /// Removes a waiter.
    pub fn remove(&self, waiter: &Arc<Waiter>) {
        let mut keys = self.keys.lock();
        let mut was_there = false;
        for key in &waiter.keys {
            let key = (waiter.database, key.clone());
            let Some(list) = keys.get_mut(&key) else { continue };
            if let Ok(at) = list.binary_search_by_key(&waiter.order(), |other| other.order()) {
                list.remove(at);
                was_there = true;
            }
            if list.is_empty() {
                keys.remove(&key);
            }
        }
        if was_there {
            self.count.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Returns the first waiter of a key that arrived after another, given by its place in the order of arrivals.
    pub fn after(&self, key: &DatabaseKey, order: u64) -> Option<Arc<Waiter>> {
        let keys = self.keys.lock();
        let list = keys.get(key)?;
        list.get(list.partition_point(|waiter| waiter.order() <= order)).cloned()
    }

    /// Returns the number of arrivals: the place of the latest waiter.
    pub fn latest(&self) -> u64 {
        self.arrivals.load(Ordering::Relaxed)
    }

    /// Returns whether clients wait for elements of a key from a pool.
    pub fn has_takers(&self, key: &DatabaseKey, pool: Pool<'_>) -> bool {
        let keys = self.keys.lock();
        let mut waiters = keys.get(key).into_iter().flatten();
        waiters.any(|waiter| waiter.pool() == Some(pool))
    }

    /// Returns the keys of a database that somebody waits for.
    pub fn keys_of(&self, database: u32) -> Vec<DatabaseKey> {
        self.keys.lock().keys().filter(|(at, _)| *at == database).cloned().collect()
    }

    /// Returns the waiter of a client.
    pub fn of_client(&self, client: u64) -> Option<Arc<Waiter>> {
        let keys = self.keys.lock();
        keys.values().flatten().find(|waiter| waiter.client == client).cloned()
    }
}
