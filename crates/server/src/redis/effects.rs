//! What follows a commit: marks for watchers, wake-ups of blocked clients, and messages to subscribers.

use super::databases::Swaps;
use super::ranks::{Division, RankChanges};
use super::replica::{Mode, Target};
use super::tracking::Invalidation;
use super::waiters::Timeout;
use super::watches::DatabaseKey;
use crate::script::Libraries;
use std::cell::RefCell;
use std::sync::Arc;

/// A change of a key that subscribers may be told of.
#[derive(Clone, Debug)]
pub struct Event {
    /// The class of the event: a letter of `notify-keyspace-events`.
    pub class: u8,
    /// The name of the event.
    pub name: &'static str,
    /// The key.
    pub key: Vec<u8>,
    /// The database.
    pub database: u32,
}

/// A message to a channel.
#[derive(Clone, Debug)]
pub struct Message {
    /// The channel.
    pub channel: Vec<u8>,
    /// The message.
    pub payload: Vec<u8>,
    /// Whether the channel is a shard channel.
    pub is_shard: bool,
}

/// That a command found nothing and waits.
#[derive(Debug)]
pub struct Block {
    /// The keys that it waits for.
    pub keys: Vec<Box<[u8]>>,
    /// How long, in milliseconds; `None` without end.
    pub timeout_ms: Option<u64>,
    /// What it replies then.
    pub timeout: Timeout,
    /// The arguments with which it is evaluated again, if not its own.
    pub args: Option<Vec<Box<[u8]>>>,
}

/// Effects of an evaluation. A worker keeps one and reuses its memory.
#[derive(Debug, Default)]
pub struct Effects {
    /// Keys that changed; only while somebody watches or waits.
    pub touched: Vec<DatabaseKey>,
    /// Events; only of classes that are switched on. Look-ups that find nothing add some, too.
    pub events: RefCell<Vec<Event>>,
    /// Messages to channels. Their receivers are counted when they are published.
    pub messages: Vec<Message>,
    /// Messages to clients that cache changed keys.
    pub invalidations: Vec<Invalidation>,
    /// The client whose command is evaluated; 0 if it is none's.
    pub writer: u64,
    /// Whether a script called a command that reads.
    pub script_reads: bool,
    /// Whether and how the command waits.
    pub block: Option<Block>,
    /// Rows whose number indexes of ranks keep.
    pub ranks: RankChanges,
    /// The block of such an index that is divided before the evaluation begins anew.
    pub division: Option<Division>,
    /// How often the request began anew for this.
    pub divisions: u32,
    /// How often it began anew after a wait for the division of another request.
    pub waits: u32,
    /// The role that the server takes up when the rows are committed.
    pub role: Option<Box<(Mode, Option<Target>)>>,
    /// Databases whose contents are exchanged by the commit.
    pub swaps: Swaps,
    /// The libraries of functions from the commit on, if they change.
    pub libraries: Option<Arc<Libraries>>,
    /// Databases whose contents changed as a whole, so that blocked clients are evaluated again.
    pub emptied: Vec<u32>,
}

impl Effects {
    /// Forgets all effects, but not how often the request began anew.
    pub fn clear(&mut self) {
        self.touched.clear();
        self.events.get_mut().clear();
        self.messages.clear();
        self.emptied.clear();
        self.invalidations.clear();
        (self.writer, self.script_reads) = (0, false);
        self.block = None;
        self.ranks.clear();
        self.division = None;
        (self.role, self.libraries) = (None, None);
        self.swaps.clear();
    }

    /// Returns whether the commit changes what is in memory besides the rows.
    pub fn changes_server(&self) -> bool {
        !self.swaps.is_empty() || self.libraries.is_some()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.touched.is_empty()
            && self.events.borrow().is_empty()
            && self.messages.is_empty()
            && self.emptied.is_empty()
            && self.invalidations.is_empty()
    }
}
