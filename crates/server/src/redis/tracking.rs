//! Client-side caches: which clients read which keys, and the messages that tell them to forget keys.
//!
//! * **RT1** A client is noted as a reader of a key while the latches of the read are held. A writer takes the readers
//!   of the keys that it changed out of the table after its commit, while it still holds their latches, and sends the
//!   messages afterwards. So a client that read an older value gets a message behind the reply with that value.
//! * **RT2** A reader is told once: when it reads the key again, it is noted again.
//! * **RT3** The table has at most `tracking-table-max-keys` keys. The readers of a key that has no room are told as if
//!   it had changed.
//!
//! Clients in broadcasting mode get a message for each changed key that begins with one of their prefixes, whether they
//! read it or not; the keys that one commit changed are one message per prefix.

use super::args::Args;
use super::clients::{Client, Clients};
use super::command::{Command, Group, PUBSUB, READONLY};
use super::effects::Effects;
use super::keyspec::Positions;
use super::server::Server;
use super::session::Session;
use crate::resp::{Protocol, Reply};
use indexmap::IndexMap;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The channel of messages to RESP2 clients.
const CHANNEL: &[u8] = b"__redis__:invalidate";
/// Readers of a key from which on those that are gone are removed whenever their number doubled.
const PRUNED_FROM: usize = 64;

/// A client that caches keys.
#[derive(Debug)]
pub struct Tracker {
    /// The client.
    pub client: u64,
    /// The client that gets its messages; 0 if it gets them itself.
    pub redirect: u64,
    /// Whether it is told of all keys with its prefixes.
    pub is_broadcast: bool,
    /// Whether it is not told of its own changes.
    pub spares_own: bool,
    /// Whether the client that should get its messages is gone.
    pub is_broken: AtomicBool,
}

/// When a client's reads are noted.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Choice {
    /// Always.
    #[default]
    All,
    /// After CLIENT CACHING YES.
    OptIn,
    /// Unless after CLIENT CACHING NO.
    OptOut,
}

/// What a session knows of its tracking.
#[derive(Clone, Debug)]
pub struct Tracking {
    /// What others know of it.
    pub tracker: Arc<Tracker>,
    /// When its reads are noted.
    pub choice: Choice,
    /// Whether CLIENT CACHING was given for the next command.
    pub is_chosen: bool,
    /// The prefixes in broadcasting mode.
    pub prefixes: BTreeSet<Vec<u8>>,
}

impl Tracking {
    /// Returns whether the reads of the next command are noted.
    pub fn notes_reads(&self) -> bool {
        !self.tracker.is_broadcast
            && match self.choice {
                Choice::All => true,
                Choice::OptIn => self.is_chosen,
                Choice::OptOut => !self.is_chosen,
            }
    }
}

/// A message that waits for the end of a commit.
#[derive(Debug)]
pub struct Invalidation {
    tracker: Arc<Tracker>,
    /// The keys; `None` means all.
    keys: Option<Vec<Box<[u8]>>>,
}

/// The clients that cache keys, and the keys that they read.
#[derive(Debug, Default)]
pub struct TrackingTable {
    state: Mutex<State>,
    /// The number of clients.
    count: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    trackers: HashMap<u64, Arc<Tracker>>,
    /// The readers of each key. Clients that are gone are removed later.
    readers: IndexMap<Box<[u8]>, BTreeSet<u64>>,
    /// The number of pairs of a key and a reader.
    pairs: usize,
    /// The clients of each prefix.
    prefixes: BTreeMap<Vec<u8>, BTreeSet<u64>>,
}

/// The sizes of the table, for INFO.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Sizes {
    /// Clients.
    pub clients: usize,
    /// Keys with readers.
    pub keys: usize,
    /// Pairs of a key and a reader.
    pub readers: usize,
    /// Prefixes.
    pub prefixes: usize,
}

impl TrackingTable {
    /// Returns whether there are clients that cache keys, so that writers must name theirs.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    /// Returns the sizes.
    pub fn sizes(&self) -> Sizes {
        let state = self.state.lock();
        Sizes {
            clients: state.trackers.len(),
            keys: state.readers.len(),
            readers: state.pairs,
            prefixes: state.prefixes.len(),
        }
    }

    /// Adds a client, or replaces what is known of it.
    pub fn set(&self, tracking: &Tracking) {
        let mut state = self.state.lock();
        let tracker = &tracking.tracker;
        for prefix in &tracking.prefixes {
            state.prefixes.entry(prefix.clone()).or_default().insert(tracker.client);
        }
        state.trackers.insert(tracker.client, tracker.clone());
        self.count.store(state.trackers.len(), Ordering::Release);
    }

    /// Removes a client.
    pub fn remove(&self, tracking: &Tracking) {
        let mut state = self.state.lock();
        let client = tracking.tracker.client;
        for prefix in &tracking.prefixes {
            if let Some(clients) = state.prefixes.get_mut(prefix) {
                clients.remove(&client);
                if clients.is_empty() {
                    state.prefixes.remove(prefix);
                }
            }
        }
        state.trackers.remove(&client);
        if state.trackers.is_empty() {
            state.forget_all();
        }
        self.count.store(state.trackers.len(), Ordering::Release);
    }

    /// Notes that a client reads a key, whose latch is held. Returns whether it is the key's first reader, and the
    /// messages about another key that has no room any more: there is room for `keys_max`, or for any number if that
    /// is 0.
    pub fn note(&self, client: u64, key: &[u8], keys_max: usize) -> (bool, Vec<Invalidation>) {
        let mut state = self.state.lock();
        let State { trackers, readers, pairs, .. } = &mut *state;
        let is_first = match readers.get_mut(key) {
            Some(clients) => {
                let before = clients.len();
                let is_new = clients.insert(client);
                if is_new && clients.len() >= PRUNED_FROM && clients.len().is_power_of_two() {
                    clients.retain(|client| trackers.contains_key(client));
                }
                *pairs = *pairs + clients.len() - before;
                false
            }
            None => {
                readers.insert(key.into(), BTreeSet::from([client]));
                *pairs += 1;
                true
            }
        };
        (is_first, state.shrink(keys_max))
    }

    /// Removes keys until there are at most `keys_max`; 0 means no limit. Returns the messages to their readers.
    pub fn shrink(&self, keys_max: usize) -> Vec<Invalidation> {
        self.state.lock().shrink(keys_max)
    }

    /// Returns the messages about changed keys, whose latches must be held. `writer` is the client that changed them.
    pub fn changed<'k>(
        &self,
        keys: impl Iterator<Item = &'k [u8]> + Clone,
        writer: u64,
    ) -> Vec<Invalidation> {
        let mut state = self.state.lock();
        let mut messages = Vec::new();
        for key in keys.clone() {
            state.forget(key, writer, &mut messages);
        }
        for (prefix, clients) in &state.prefixes {
            let changed: BTreeSet<&[u8]> =
                keys.clone().filter(|key| key.starts_with(prefix)).collect();
            if changed.is_empty() {
                continue;
            }
            for tracker in clients.iter().filter_map(|client| state.trackers.get(client)) {
                if !(tracker.spares_own && tracker.client == writer) {
                    let keys = changed.iter().map(|key| Box::from(*key)).collect();
                    messages.push(Invalidation { tracker: tracker.clone(), keys: Some(keys) });
                }
            }
        }
        messages
    }

    /// Forgets all keys. Returns the messages to all clients that say so.
    pub fn changed_all(&self) -> Vec<Invalidation> {
        let mut state = self.state.lock();
        state.forget_all();
        let trackers = state.trackers.values();
        trackers.map(|tracker| Invalidation { tracker: tracker.clone(), keys: None }).collect()
    }
}

/// Returns whether the keys of a command are noted: it reads them, and is no script, whose commands count instead.
pub(super) fn is_tracked(command: &Command) -> bool {
    command.flags.has(READONLY) && !command.flags.has(PUBSUB) && command.group != Group::Scripting
}

impl Server {
    /// Notes that a client reads keys, whose latches are held.
    pub(super) fn note_reads(&self, session: &Session, args: Args<'_>, keys: &Positions) {
        let Some(tracking) = session.tracking.as_ref().filter(|it| it.notes_reads()) else {
            return;
        };
        for at in keys {
            let key = args.at(*at);
            let (is_first, messages) =
                self.tracking.note(tracking.tracker.client, key, self.tracked_max());
            messages.iter().for_each(|message| message.send(&self.clients));
            if is_first {
                self.note_expiry(&(session.database, key.into()));
            }
        }
    }

    /// Adds the messages about the keys that a commit changed, whose latches are held.
    pub(super) fn invalidate(&self, effects: &mut Effects) {
        let Effects { touched, emptied, invalidations, writer, .. } = effects;
        if !touched.is_empty() {
            let keys = touched.iter().map(|(_, key)| &key[..]);
            invalidations.extend(self.tracking.changed(keys, *writer));
        }
        if !emptied.is_empty() {
            invalidations.extend(self.tracking.changed_all());
        }
    }
}

impl State {
    fn shrink(&mut self, keys_max: usize) -> Vec<Invalidation> {
        let mut messages = Vec::new();
        while keys_max > 0 && self.readers.len() > keys_max {
            let at = fastrand::usize(..self.readers.len());
            let Some((key, _)) = self.readers.get_index(at) else { break };
            let key = key.clone();
            self.forget(&key, 0, &mut messages);
        }
        messages
    }

    fn forget_all(&mut self) {
        self.readers = IndexMap::new();
        self.pairs = 0;
    }

    /// Removes a key, and appends the messages to its readers.
    fn forget(&mut self, key: &[u8], writer: u64, messages: &mut Vec<Invalidation>) {
        let Some(clients) = self.readers.swap_remove(key) else { return };
        self.pairs -= clients.len();
        for tracker in clients.iter().filter_map(|client| self.trackers.get(client)) {
            // A client may have changed its mode since it read the key.
            if !(tracker.is_broadcast || tracker.spares_own && tracker.client == writer) {
                let keys = Some(vec![key.into()]);
                messages.push(Invalidation { tracker: tracker.clone(), keys });
            }
        }
    }
}

impl Invalidation {
    /// Sends the message to the client that is to get it.
    pub fn send(&self, clients: &Clients) {
        let tracker = &self.tracker;
        let alive = |id| clients.get(id).filter(|client| !client.is_killed());
        let target = if tracker.redirect == 0 { tracker.client } else { tracker.redirect };
        if let Some(client) = alive(target) {
            self.send_to(&client, tracker.redirect != 0);
            return;
        }
        if tracker.redirect == 0 {
            return;
        }
        tracker.is_broken.store(true, Ordering::Relaxed);
        let Some(client) = alive(tracker.client) else { return };
        if client.outbox.protocol() == Protocol::Resp3 {
            let mut out = Reply::new(Protocol::Resp3);
            out.push(2);
            out.bulk(b"tracking-redir-broken");
            out.integer(tracker.redirect as i64);
            client.outbox.send(out.bytes());
        }
    }

    /// Sends the message to a client: in RESP3 as a message of its own kind, in RESP2 to subscribers only.
    fn send_to(&self, client: &Client, is_redirected: bool) {
        let protocol = client.outbox.protocol();
        let mut out = Reply::new(protocol);
        match protocol {
            Protocol::Resp3 => {
                out.push(2);
                out.bulk(b"invalidate");
            }
            Protocol::Resp2 => {
                let has_subscriptions =
                    || client.details.lock().subscriptions.iter().any(|count| *count > 0);
                if !is_redirected || !has_subscriptions() {
                    return;
                }
                out.push(3);
                out.bulk(b"message");
                out.bulk(CHANNEL);
            }
        }
        match &self.keys {
            None => out.null(),
            Some(keys) => {
                out.array(keys.len());
                keys.iter().for_each(|key| out.bulk(key));
            }
        }
        client.outbox.send(out.bytes());
    }
}

#[cfg(test)]
#[path = "tracking_test.rs"]
mod tests;
