//! The state of one connection.

use super::acl::Account;
use super::clients::Client;
use super::command::Command;
use super::detached::Detached;
use super::pause::Wait;
use super::server::Server;
use super::tracking::Tracking;
use super::waiters::Waiter;
use super::watches::{DatabaseKey, Mark};
use crate::resp::Protocol;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A queued command of a transaction.
pub struct Queued {
    /// The command.
    pub command: &'static Command,
    /// Its arguments.
    pub args: Vec<Box<[u8]>>,
}

/// A transaction that MULTI began.
#[derive(Default)]
pub struct Multi {
    /// The commands.
    pub commands: Vec<Queued>,
    /// The bytes of their arguments.
    pub bytes: usize,
    /// Whether a command was refused, so that EXEC must refuse all.
    pub is_dirty: bool,
}

/// A watched key.
pub struct Watched {
    /// The key.
    pub key: DatabaseKey,
    /// Whether it was alive when the client began to watch it.
    pub was_alive: bool,
}

/// Which replies a client wants.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum ReplyMode {
    /// All.
    #[default]
    On,
    /// None.
    Off,
    /// Not that of the next command.
    SkipNext,
    /// Not that of this command.
    Skip,
}

/// A blocked client's side of its waiter.
pub struct Blocked {
    /// The waiter.
    pub waiter: Arc<Waiter>,
    /// Receives the reply.
    pub reply: oneshot::Receiver<Vec<u8>>,
    /// When its time is over; `None` without end.
    pub deadline: Option<Instant>,
}

/// The state of a connection.
pub struct Session {
    /// What others see of it.
    pub client: Arc<Client>,
    /// The user. The default one until the client authenticates.
    pub account: Arc<Account>,
    /// The protocol.
    pub protocol: Protocol,
    /// The number of the selected database.
    pub database: u32,
    /// Whether the client authenticated, or needed not to when it connected.
    pub is_authenticated: bool,
    /// The transaction between MULTI and EXEC.
    pub multi: Option<Box<Multi>>,
    /// Watched keys.
    pub watched: Vec<Watched>,
    /// Whether a watched key changed.
    pub mark: Arc<Mark>,
    /// Which replies the client wants.
    pub reply_mode: ReplyMode,
    /// Channels, patterns and shard channels that the client subscribed to.
    pub subscriptions: [BTreeSet<Vec<u8>>; 3],
    /// Set while the client caches keys.
    pub tracking: Option<Box<Tracking>>,
    /// Set while the client waits in a blocking command.
    pub blocked: Option<Blocked>,
    /// Set when the client's request must run on a thread of its own: see [`Server::detach`].
    pub detached: Option<Detached>,
    /// Set while the client's next command waits for the end of a pause.
    pub paused: Option<Wait>,
    /// Whether its commands are those of the server whose replica this one is.
    pub upstream: Option<u64>,
    /// Whether the connection is closed after the replies are written.
    pub is_closing: bool,
}

impl Session {
    /// Returns the state of a new connection.
    pub fn new(client: Arc<Client>, is_authenticated: bool) -> Session {
        Session {
            account: client.account(),
            client,
            protocol: Protocol::Resp2,
            database: 0,
            is_authenticated,
            multi: None,
            watched: Vec::new(),
            mark: Arc::default(),
            reply_mode: ReplyMode::On,
            subscriptions: Default::default(),
            tracking: None,
            blocked: None,
            detached: None,
            paused: None,
            upstream: None,
            is_closing: false,
        }
    }

    /// Returns the state in which a blocked client's command is evaluated by another connection.
    pub fn stand_in(client: Arc<Client>, waiter: &Waiter) -> Session {
        let mut session = Session::new(client, true);
        session.protocol = waiter.protocol;
        session.database = waiter.database;
        session
    }

    /// Returns whether the reply to the client's request comes later: it is blocked, or the request needs a thread.
    pub fn is_waiting(&self) -> bool {
        self.blocked.is_some() || self.detached.is_some()
    }

    /// Makes the client another user.
    pub fn set_account(&mut self, account: Arc<Account>) {
        self.client.set_account(account.clone());
        self.account = account;
    }

    /// Begins to tell the client of changes of keys that it caches, or changes how.
    pub fn track(&mut self, server: &Server, tracking: Tracking) {
        server.tracking.set(&tracking);
        self.client.details.lock().tracker = Some(tracking.tracker.clone());
        self.tracking = Some(Box::new(tracking));
        server.switch_expirations();
    }

    /// Ends telling the client of changes of keys.
    pub fn end_tracking(&mut self, server: &Server) {
        if let Some(tracking) = self.tracking.take() {
            server.tracking.remove(&tracking);
            self.client.details.lock().tracker = None;
            server.switch_expirations();
        }
    }

    /// Returns the number of all subscriptions.
    pub fn subscription_count(&self) -> usize {
        self.subscriptions.iter().map(BTreeSet::len).sum()
    }

    /// Returns whether the client may only use commands for subscribers.
    pub fn is_subscriber(&self) -> bool {
        self.protocol == Protocol::Resp2 && self.subscription_count() > 0
    }

    /// Ends watching all keys.
    pub fn unwatch(&mut self, server: &Server) {
        for watched in self.watched.drain(..) {
            server.watches.remove(&watched.key, &self.mark);
        }
        self.mark = Arc::default();
    }

    /// Ends the wait of a blocked client. Returns its reply if somebody answered meanwhile.
    pub fn unblock(&mut self, server: &Server) -> Option<Vec<u8>> {
        let mut blocked = self.blocked.take()?;
        let sender = blocked.waiter.claim().take();
        server.waiters.remove(&blocked.waiter);
        self.client.details.lock().is_blocked = false;
        match sender {
            Some(_) => None,
            None => blocked.reply.try_recv().ok(),
        }
    }

    /// Releases what the connection holds in the server.
    pub fn close(&mut self, server: &Server) {
        self.unwatch(server);
        self.unsubscribe_all(server);
        self.end_tracking(server);
        self.unblock(server);
        server.monitors.remove(self.client.id);
        server.clients.remove(self.client.id);
    }
}
