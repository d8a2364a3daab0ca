//! What all connections of Redis clients share.

use super::clients::Clients;
use super::cursors::Cursors;
use super::databases::Databases;
use super::expired::Expirations;
use super::latency::LatencyMonitor;
use super::monitors::Monitors;
use super::parameters::{Id, Parameters, output_limits};
use super::pause::Pause;
use super::pubsub::{Kind, Pubsub};
use super::scripts::Scripts;
use super::slowlog::SlowLog;
use super::stats::Stats;
use super::table;
use super::waiters::Waiters;
use super::watches::Watches;
use crate::clock::Clock;
use crate::store::{Latches, Store};
use crate::tables::Catalogue;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use tokio::sync::Notify;

const REQUIREPASS: Id = Id::of("requirepass");
const SLOWLOG_MAX: Id = Id::of("slowlog-max-len");
const OUTPUT_LIMITS: Id = Id::of("client-output-buffer-limit");
const EVENTS: Id = Id::of("notify-keyspace-events");

/// Settings that are fixed when the server starts.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The number of databases.
    pub databases: usize,
    /// The partitions of database 0, a power of two from 2 upwards.
    pub partitions: i32,
    /// The TCP port that clients are told.
    pub port: u16,
    /// The password that clients must give; empty if none. CONFIG SET may change it.
    pub password: String,
    /// The directory of the data, as clients are told.
    pub dir: String,
    /// The maximum number of connections.
    pub connections_max: usize,
    /// Whether CLUSTER describes a cluster of this one node.
    pub is_cluster: bool,
    /// Who may use DEBUG: `no`, `local` or `yes`.
    pub debug: String,
}

impl Settings {
    /// Returns the parameters that these settings fix.
    fn parameters(&self) -> Vec<(Id, String)> {
        vec![
            (Id::of("databases"), self.databases.to_string()),
            (Id::of("port"), self.port.to_string()),
            (REQUIREPASS, self.password.clone()),
            (Id::of("dir"), self.dir.clone()),
            (Id::of("maxclients"), self.connections_max.to_string()),
            (Id::of("enable-debug-command"), self.debug.clone()),
            (Id::of("cluster-enabled"), if self.is_cluster { "yes" } else { "no" }.to_owned()),
        ]
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            databases: 16,
            partitions: 4,
            port: 6379,
            password: String::new(),
            dir: String::new(),
            connections_max: 10_000,
            is_cluster: false,
            debug: "no".to_owned(),
        }
    }
}

/// The Redis side of a server.
pub struct Server {
    /// The rows.
    pub store: Arc<dyn Store>,
    /// The latches of keys.
    pub latches: Arc<Latches>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The databases.
    pub databases: Databases,
    /// The connected clients.
    pub clients: Clients,
    /// The positions of SCAN and its like.
    pub cursors: Cursors,
    /// The subscriptions.
    pub pubsub: Pubsub,
    /// The scripts and the libraries of functions.
    pub scripts: Scripts,
    /// When keys expire, for events.
    pub expirations: Expirations,
    /// The watched keys.
    pub watches: Watches,
    /// The blocked clients.
    pub waiters: Waiters,
    /// Fixed settings.
    pub settings: Settings,
    /// What CONFIG reads and changes.
    pub parameters: Parameters,
    /// What INFO counts.
    pub stats: Stats,
    /// Slow commands.
    pub slowlog: SlowLog,
    /// Long events.
    pub latency: LatencyMonitor,
    /// The clients of MONITOR.
    pub monitors: Monitors,
    /// Whether CLIENT PAUSE is in force.
    pub pause: Pause,
    /// Identifies this start of the server: 40 hexadecimal digits.
    pub run_id: String,
    /// The most memory that was seen in use, in bytes.
    pub memory_peak: AtomicU64,
    /// SHUTDOWN notifies it.
    pub shutdown: Notify,
    /// When SAVE or its like ran last, in seconds since 1970.
    pub saved_s: AtomicU64,
    /// The rows that had been changed then.
    pub saved_changes: AtomicU64,
    /// The classes of `notify-keyspace-events`, as bits of [`event_bit`].
    pub events: AtomicU32,
    /// When the server started, by the monotonic clock.
    pub started_us: u64,
}

impl Server {
    /// Returns a server of the tables of a catalogue.
    pub fn new(
        store: Arc<dyn Store>,
        latches: Arc<Latches>,
        clock: Arc<dyn Clock>,
        catalogue: Arc<Catalogue>,
        settings: Settings,
    ) -> Server {
        let databases =
            Databases::new(catalogue, clock.clone(), settings.databases, settings.partitions);
        let started_us = clock.monotonic_us();
        let (parameters, stats) =
            (Parameters::new(&settings.parameters()), Stats::new(table::count()));
        let saved_s = AtomicU64::new(clock.wall_ms() / 1000);
        let scripts = Scripts::open(&*store);
        Server {
            store,
            latches,
            clock,
            databases,
            clients: Clients::default(),
            scripts,
            cursors: Cursors::default(),
            pubsub: Pubsub::default(),
            expirations: Expirations::default(),
            watches: Watches::default(),
            waiters: Waiters::default(),
            settings,
            parameters,
            stats,
            slowlog: SlowLog::default(),
            latency: LatencyMonitor::default(),
            monitors: Monitors::default(),
            pause: Pause::default(),
            run_id: random_id(),
            memory_peak: AtomicU64::new(0),
            shutdown: Notify::new(),
            saved_s,
            saved_changes: AtomicU64::new(0),
            events: AtomicU32::new(0),
            started_us,
        }
    }

    /// Returns the time at which a command is evaluated, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.store.horizons().evaluation_ms(self.clock.wall_ms())
    }

    /// Returns whether somebody watches or waits for keys, or for their expiry, so that writers must name theirs.
    pub fn has_interest(&self) -> bool {
        !self.watches.is_empty() || !self.waiters.is_empty() || self.expirations.is_on()
    }

    /// Returns the password that clients must give; empty if none.
    pub fn password(&self) -> String {
        self.parameters.text(REQUIREPASS)
    }

    /// Returns whether CLUSTER describes a cluster.
    pub fn is_cluster(&self) -> bool {
        self.settings.is_cluster
    }

    /// Returns how many bytes of messages may wait for a client.
    pub fn outbox_max(&self) -> usize {
        let [_, _, pubsub] = output_limits(&self.parameters.text(OUTPUT_LIMITS));
        match usize::try_from(pubsub.hard) {
            Ok(0) | Err(_) => usize::MAX,
            Ok(limit) => limit,
        }
    }

    /// Acts on the new value of a parameter.
    pub(super) fn apply(&self, id: Id) {
        match id {
            SLOWLOG_MAX => {
                let max = usize::try_from(self.parameters.number(id)).unwrap_or(usize::MAX);
                self.slowlog.truncate(max);
            }
            OUTPUT_LIMITS => {
                let limit = self.outbox_max();
                self.clients.list().iter().for_each(|client| client.outbox.set_limit(limit));
            }
            EVENTS => self.set_events(self.parameters.number(id) as u32),
            _ => {}
        }
    }

    /// Returns the numbers of channels, patterns and shard channels that clients subscribed to.
    pub(super) fn subscription_counts(&self) -> [usize; 3] {
        [Kind::Channel, Kind::Pattern, Kind::Shard].map(|kind| self.pubsub.name_count(kind))
    }

    /// Returns whether events of a class are switched on.
    pub fn wants_event(&self, class: u8) -> bool {
        self.events.load(Ordering::Relaxed) & event_bit(class) != 0
    }

    /// Chooses which events are published.
    fn set_events(&self, events: u32) {
        self.events.store(events, Ordering::Relaxed);
        self.expirations.switch(Server::wants_expired(events));
    }
}

/// Returns the bit of a class of events, a letter of `notify-keyspace-events`.
pub fn event_bit(class: u8) -> u32 {
    const CLASSES: &[u8] = b"KEg$lshzxetdmn";
    CLASSES.iter().position(|letter| *letter == class).map_or(0, |at| 1 << at)
}

/// Returns 40 random hexadecimal digits.
fn random_id() -> String {
    let numbers = (0..3).map(|_| RandomState::new().build_hasher().finish());
    let mut digits: String = numbers.map(|number| format!("{number:016x}")).collect();
    digits.truncate(40);
    digits
}
