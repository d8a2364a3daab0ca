//! Subscriptions to channels, patterns and shard channels, the delivery of messages, and keyspace notifications.
//!
//! A message is appended to the outboxes of its receivers by the thread that publishes it. So all subscribers of a
//! channel see messages of one publisher in the order in which they were published.

use super::clients::Client;
use super::effects::{Event, Message};
use super::server::{Server, event_bit};
use super::session::Session;
use crate::resp::{Protocol, Reply};
use crate::text::glob::{self, Case};
use parking_lot::RwLock;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What a client subscribes to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// A channel.
    Channel,
    /// All channels whose names match a pattern.
    Pattern,
    /// A shard channel.
    Shard,
}

/// Subscribers by the name of a channel or by pattern, in the order of their subscription.
type Subscribers = HashMap<Vec<u8>, Vec<Arc<Client>>>;

/// All subscriptions.
#[derive(Debug, Default)]
pub struct Pubsub {
    channels: RwLock<Subscribers>,
    patterns: RwLock<Subscribers>,
    shards: RwLock<Subscribers>,
}

impl Pubsub {
    fn of(&self, kind: Kind) -> &RwLock<Subscribers> {
        match kind {
            Kind::Channel => &self.channels,
            Kind::Pattern => &self.patterns,
            Kind::Shard => &self.shards,
        }
    }

    /// Adds a subscription. The client must not have it.
    pub fn add(&self, kind: Kind, name: &[u8], client: &Arc<Client>) {
        self.of(kind).write().entry(name.to_vec()).or_default().push(client.clone());
    }

    /// Removes a subscription.
    pub fn remove(&self, kind: Kind, name: &[u8], client: &Arc<Client>) {
        let mut all = self.of(kind).write();
        if let Some(clients) = all.get_mut(name) {
            clients.retain(|other| !Arc::ptr_eq(other, client));
            if clients.is_empty() {
                all.remove(name);
            }
        }
    }

    /// Calls a function with each subscription.
    pub fn for_each(&self, mut visit: impl FnMut(Kind, &[u8], &Arc<Client>)) {
        for kind in [Kind::Channel, Kind::Pattern, Kind::Shard] {
            for (name, clients) in &*self.of(kind).read() {
                clients.iter().for_each(|client| visit(kind, name, client));
            }
        }
    }

    /// Returns the names that somebody subscribed to.
    pub fn names(&self, kind: Kind) -> Vec<Vec<u8>> {
        self.of(kind).read().keys().cloned().collect()
    }

    /// Returns the number of names or patterns that somebody subscribed to.
    pub fn name_count(&self, kind: Kind) -> usize {
        self.of(kind).read().len()
    }

    /// Returns the number of subscribers of a name.
    pub fn subscriber_count(&self, kind: Kind, name: &[u8]) -> usize {
        self.of(kind).read().get(name).map_or(0, Vec::len)
    }

    /// Returns the number of times that a message would be delivered.
    pub fn receiver_count(&self, message: &Message) -> usize {
        if message.is_shard {
            return self.subscriber_count(Kind::Shard, &message.channel);
        }
        let matching = |pattern: &[u8]| glob::matches(pattern, &message.channel, Case::Sensitive);
        let patterns = self.patterns.read();
        let by_pattern = patterns.iter().filter(|(pattern, _)| matching(pattern));
        self.subscriber_count(Kind::Channel, &message.channel)
            + by_pattern.map(|(_, clients)| clients.len()).sum::<usize>()
    }

    /// Delivers a message. Returns the number of times that it was delivered.
    pub fn publish(&self, message: &Message) -> usize {
        let (kind, word) = match message.is_shard {
            true => (Kind::Shard, "smessage"),
            false => (Kind::Channel, "message"),
        };
        let mut count = 0;
        if let Some(clients) = self.of(kind).read().get(&message.channel) {
            deliver(clients, &[word.as_bytes(), &message.channel, &message.payload]);
            count += clients.len();
        }
        if message.is_shard {
            return count;
        }
        for (pattern, clients) in &*self.patterns.read() {
            if glob::matches(pattern, &message.channel, Case::Sensitive) {
                deliver(clients, &[b"pmessage", pattern, &message.channel, &message.payload]);
                count += clients.len();
            }
        }
        count
    }
}

/// Sends a message of these parts to clients.
fn deliver(clients: &[Arc<Client>], parts: &[&[u8]]) {
    let mut forms: [Option<Reply>; 2] = [None, None];
    let [resp2, resp3] = &mut forms;
    for client in clients {
        let protocol = client.outbox.protocol();
        let form = if protocol == Protocol::Resp2 { &mut *resp2 } else { &mut *resp3 };
        let form = form.get_or_insert_with(|| {
            let mut form = Reply::new(protocol);
            form.push(parts.len());
            parts.iter().for_each(|part| form.bulk(part));
            form
        });
        client.outbox.send(form.bytes());
    }
}

impl Session {
    /// Returns the names or patterns that the client subscribed to.
    pub fn subscriptions_of(&self, kind: Kind) -> &BTreeSet<Vec<u8>> {
        let [channels, patterns, shards] = &self.subscriptions;
        match kind {
            Kind::Channel => channels,
            Kind::Pattern => patterns,
            Kind::Shard => shards,
        }
    }

    fn subscriptions_of_mut(&mut self, kind: Kind) -> &mut BTreeSet<Vec<u8>> {
        let [channels, patterns, shards] = &mut self.subscriptions;
        match kind {
            Kind::Channel => channels,
            Kind::Pattern => patterns,
            Kind::Shard => shards,
        }
    }

    /// Returns the number that confirmations contain: channels and patterns count together.
    pub fn subscription_count_of(&self, kind: Kind) -> usize {
        match kind {
            Kind::Shard => self.subscriptions_of(Kind::Shard).len(),
            _ => [Kind::Channel, Kind::Pattern]
                .map(|at| self.subscriptions_of(at).len())
                .iter()
                .sum(),
        }
    }

    /// Subscribes to a name or pattern, unless the client did already.
    pub fn subscribe(&mut self, server: &Server, kind: Kind, name: &[u8]) {
        if self.subscriptions_of_mut(kind).insert(name.to_vec()) {
            server.pubsub.add(kind, name, &self.client);
        }
    }

    /// Ends a subscription, if the client has it.
    pub fn unsubscribe(&mut self, server: &Server, kind: Kind, name: &[u8]) {
        if self.subscriptions_of_mut(kind).remove(name) {
            server.pubsub.remove(kind, name, &self.client);
        }
    }

    /// Ends all subscriptions.
    pub fn unsubscribe_all(&mut self, server: &Server) {
        for kind in [Kind::Channel, Kind::Pattern, Kind::Shard] {
            for name in std::mem::take(self.subscriptions_of_mut(kind)) {
                server.pubsub.remove(kind, &name, &self.client);
            }
        }
    }
}

impl Server {
    /// Publishes an event of a key on the channels that `notify-keyspace-events` selects.
    pub(super) fn publish_event(&self, event: &Event) {
        let classes = self.events.load(Ordering::Relaxed);
        let publish = |kind: &str, suffix: &[u8], payload: &[u8]| {
            let mut channel = format!("__key{kind}@{}__:", event.database).into_bytes();
            channel.extend_from_slice(suffix);
            self.pubsub.publish(&Message { channel, payload: payload.to_vec(), is_shard: false });
        };
        if classes & event_bit(b'K') != 0 {
            publish("space", &event.key, event.name.as_bytes());
        }
        if classes & event_bit(b'E') != 0 {
            publish("event", event.name.as_bytes(), &event.key);
        }
    }
}

#[cfg(test)]
#[path = "pubsub_test.rs"]
mod tests;
