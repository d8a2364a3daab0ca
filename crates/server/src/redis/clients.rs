//! What the server knows of each client, and the messages that it sends without being asked.

use super::acl::Account;
use super::tracking::Tracker;
use crate::resp::{Protocol, Reply};
use arc_swap::ArcSwap;
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};
use tokio::sync::Notify;

/// Stands for the latest command of a client that sent none.
pub const NO_COMMAND: u16 = u16::MAX;

/// What others see of a client.
#[derive(Debug)]
pub struct Client {
    /// Never used twice since the start.
    pub id: u64,
    /// The client's address.
    pub address: SocketAddr,
    /// The address that it connected to.
    pub local: SocketAddr,
    /// When it connected, by the monotonic clock.
    pub connected_us: u64,
    /// When its latest command began, by the monotonic clock.
    pub active_us: AtomicU64,
    /// The database that it selected.
    pub database: AtomicU32,
    /// The number of its latest command; [`NO_COMMAND`] before the first.
    pub command: AtomicU16,
    /// Queued commands, plus one inside MULTI.
    queued: AtomicUsize,
    /// The bytes of their arguments.
    queued_bytes: AtomicUsize,
    /// The bytes of its requests that the server has not run, as of the last wait for more.
    input: AtomicUsize,
    /// The room for more of them.
    input_free: AtomicUsize,
    /// The user that it is.
    account: ArcSwap<Account>,
    /// Name and library: what changes seldom.
    pub details: Mutex<Details>,
    /// Messages for it.
    pub outbox: Outbox,
    is_killed: AtomicBool,
}

/// Details of a client.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// The name that CLIENT SETNAME gave.
    pub name: Vec<u8>,
    /// The name of the client's library.
    pub library: Vec<u8>,
    /// The version of the client's library.
    pub library_version: Vec<u8>,
    /// Watched keys.
    pub watched: usize,
    /// Subscriptions to channels, patterns and shard channels.
    pub subscriptions: [usize; 3],
    /// Whether it waits in a blocking command.
    pub is_blocked: bool,
    /// Whether CLIENT NO-EVICT is on.
    pub no_evict: bool,
    /// Whether CLIENT NO-TOUCH is on.
    pub no_touch: bool,
    /// Whether it is a MONITOR.
    pub is_monitor: bool,
    /// Set while CLIENT TRACKING is on.
    pub tracker: Option<Arc<Tracker>>,
}

impl Client {
    /// Returns the user that the client is.
    pub fn account(&self) -> Arc<Account> {
        self.account.load_full()
    }

    /// Makes the client another user.
    pub fn set_account(&self, account: Arc<Account>) {
        self.account.store(account);
    }

    /// Asks the connection to close.
    pub fn kill(&self) {
        self.is_killed.store(true, Ordering::Release);
        self.outbox.wake.notify_one();
    }

    /// Notes how many commands of a transaction are queued, and the bytes of their arguments; `None` outside of MULTI.
    pub fn set_queued(&self, queued: Option<(usize, usize)>) {
        let (commands, bytes) = queued.map_or((0, 0), |(commands, bytes)| (commands + 1, bytes));
        self.queued.store(commands, Ordering::Relaxed);
        self.queued_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Returns how many commands of a transaction are queued, -1 outside of MULTI, and the bytes of their arguments.
    pub fn queued(&self) -> (i64, usize) {
        let commands = self.queued.load(Ordering::Relaxed) as i64 - 1;
        (commands, self.queued_bytes.load(Ordering::Relaxed))
    }

    /// Notes the length and the capacity of the buffer of requests.
    pub fn set_input(&self, length: usize, capacity: usize) {
        self.input.store(length, Ordering::Relaxed);
        self.input_free.store(capacity.saturating_sub(length), Ordering::Relaxed);
    }

    /// Returns the bytes in the buffer of requests, and the room for more.
    pub fn input(&self) -> (usize, usize) {
        (self.input.load(Ordering::Relaxed), self.input_free.load(Ordering::Relaxed))
    }

    /// Returns whether the connection is to be closed.
    pub fn is_killed(&self) -> bool {
        self.is_killed.load(Ordering::Acquire) || self.outbox.is_full()
    }
}

/// Messages to a client, in order, until its connection writes them.
#[derive(Debug)]
pub struct Outbox {
    bytes: Mutex<Vec<u8>>,
    /// Wakes the connection.
    pub wake: Notify,
    protocol: AtomicU8,
    limit: AtomicUsize,
    is_full: AtomicBool,
    /// Whether there may be messages, so that a connection without any locks nothing.
    has_messages: AtomicBool,
}

impl Outbox {
    fn new(limit: usize) -> Outbox {
        Outbox {
            bytes: Mutex::default(),
            wake: Notify::new(),
            protocol: AtomicU8::new(2),
            limit: AtomicUsize::new(limit),
            is_full: AtomicBool::new(false),
            has_messages: AtomicBool::new(false),
        }
    }

    /// Returns the protocol in which messages are to be written.
    pub fn protocol(&self) -> Protocol {
        match self.protocol.load(Ordering::Relaxed) {
            3 => Protocol::Resp3,
            _ => Protocol::Resp2,
        }
    }

    /// Sets the protocol of later messages.
    pub fn set_protocol(&self, protocol: Protocol) {
        let number = if protocol == Protocol::Resp3 { 3 } else { 2 };
        self.protocol.store(number, Ordering::Relaxed);
    }

    /// Appends a message. If a client reads too slowly, its connection is closed instead.
    pub fn send(&self, message: &[u8]) {
        let mut bytes = self.bytes.lock();
        if bytes.len() + message.len() > self.limit.load(Ordering::Relaxed) {
            self.is_full.store(true, Ordering::Release);
        } else {
            bytes.extend_from_slice(message);
            self.has_messages.store(true, Ordering::Release);
        }
        drop(bytes);
        self.wake.notify_one();
    }

    /// Moves all messages to the end of `out`.
    pub fn drain_into(&self, out: &mut Reply) {
        if !self.has_messages.load(Ordering::Acquire) {
            return;
        }
        let mut bytes = self.bytes.lock();
        self.has_messages.store(false, Ordering::Relaxed);
        out.raw(&bytes);
        bytes.clear();
        bytes.shrink_to(4096);
    }

    /// Returns the number of bytes that wait.
    pub fn len(&self) -> usize {
        self.bytes.lock().len()
    }

    /// Returns whether no message waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Changes how many bytes may wait.
    pub fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
    }

    fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Acquire)
    }
}

/// All clients.
#[derive(Debug, Default)]
pub struct Clients {
    next: AtomicU64,
    all: RwLock<BTreeMap<u64, Arc<Client>>>,
}

impl Clients {
    /// Adds a client.
    pub fn add(
        &self,
        address: SocketAddr,
        local: SocketAddr,
        now_us: u64,
        outbox_max: usize,
        account: &Arc<Account>,
    ) -> Arc<Client> {
        let client = self.unlisted((address, local), now_us, outbox_max, account);
        self.all.write().insert(client.id, client.clone());
        client
    }

    /// Returns a client that lists do not show, for work of the server itself.
    pub fn unlisted(
        &self,
        (address, local): (SocketAddr, SocketAddr),
        now_us: u64,
        outbox_max: usize,
        account: &Arc<Account>,
    ) -> Arc<Client> {
        Arc::new(Client {
            id: self.next.fetch_add(1, Ordering::Relaxed) + 1,
            address,
            local,
            connected_us: now_us,
            active_us: AtomicU64::new(now_us),
            database: AtomicU32::new(0),
            command: AtomicU16::new(NO_COMMAND),
            queued: AtomicUsize::new(0),
            queued_bytes: AtomicUsize::new(0),
            input: AtomicUsize::new(0),
            input_free: AtomicUsize::new(0),
            account: ArcSwap::new(account.clone()),
            details: Mutex::default(),
            outbox: Outbox::new(outbox_max),
            is_killed: AtomicBool::new(false),
        })
    }

    /// Removes a client.
    pub fn remove(&self, id: u64) {
        self.all.write().remove(&id);
    }

    /// Returns a client.
    pub fn get(&self, id: u64) -> Option<Arc<Client>> {
        self.all.read().get(&id).cloned()
    }

    /// Returns all clients in the order of their ids.
    pub fn list(&self) -> Vec<Arc<Client>> {
        self.all.read().values().cloned().collect()
    }

    /// Returns the number of clients.
    pub fn len(&self) -> usize {
        self.all.read().len()
    }

    /// Returns whether there are no clients.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of clients since the start.
    pub fn total(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }
}
