//! What all connections of Redis clients share.

use super::acl::{AccessLog, Users};
use super::clients::Clients;
use super::cursors::Cursors;
use super::databases::Databases;
use super::detached::ScriptThreads;
use super::expired::Expirations;
use super::latency::LatencyMonitor;
use super::monitors::Monitors;
use super::parameters::{Id, OutputLimit, Parameters, output_limits};
use super::pause::Pause;
use super::pubsub::{Kind, Pubsub};
use super::ranks::RankIndexes;
use super::replica::Replication;
use super::scripts::Scripts;
use super::session::Session;
use super::slowlog::SlowLog;
use super::stats::Stats;
use super::table;
use super::tracking::TrackingTable;
use super::waiters::Waiters;
use super::watches::Watches;
use crate::audit::Audit;
use crate::backup::{Jobs, Places};
use crate::clock::Clock;
use crate::load::Loads;
use crate::logs::{Level, Logs};
use crate::store::{Latches, Store};
use crate::tables::Catalogue;
use crate::tls::{ClientTlsSettings, FlagNames, Tls};
use arc_swap::ArcSwap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use tokio::sync::Notify;
use tracing::warn;

pub(super) const REQUIREPASS: Id = Id::of("requirepass");
const SLOWLOG_MAX: Id = Id::of("slowlog-max-len");
/// How much the server's log has.
pub(super) const LOG_LEVEL: Id = Id::of("loglevel");
const OUTPUT_LIMITS: Id = Id::of("client-output-buffer-limit");
const TRACKED_MAX: Id = Id::of("tracking-table-max-keys");
const MAX_MEMORY: Id = Id::of("maxmemory");
const EVENTS: Id = Id::of("notify-keyspace-events");

/// Settings that are fixed when the server starts.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The number of databases.
    pub databases: usize,
    /// The partitions of database 0, a power of two from 2 upwards.
    pub partitions: i32,
    /// The TCP port that clients are told; 0 if all connections are encrypted.
    pub port: u16,
    /// The TCP port of encrypted connections; 0 if there is none.
    pub tls_port: u16,
    /// TLS, which CONFIG SET may change; `None` if no listener has it.
    pub tls: Option<Arc<Tls>>,
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
    /// The file of users, relative to the directory of the data; empty if none.
    pub users_file: String,
    /// Users of the settings: a name and rules each.
    pub users: Vec<String>,
    /// The server whose replica this one is, `HOST:PORT`; empty if none.
    pub replica_of: String,
    /// Whether the connection to such a server uses TLS, which CONFIG SET may change.
    pub replica_uses_tls: bool,
    /// TLS of that connection. The files are read for each.
    pub replica_tls: ClientTlsSettings,
    /// Further parameters, which CONFIG SET may change.
    pub parameters: Vec<(Id, String)>,
    /// The configuration file, which CONFIG REWRITE changes.
    pub config_file: Option<PathBuf>,
    /// Where clients may create backups.
    pub backup_places: Places,
    /// The audit log, if there is one.
    pub audit: Option<Arc<Audit>>,
    /// The log of the process, if the program has started it.
    pub logs: Option<Arc<Logs>>,
    /// The value of `loglevel` at the start.
    pub log_level: Level,
}

impl Settings {
    /// Returns the parameters that these settings fix.
    fn parameters(&self) -> Vec<(Id, String)> {
        let flags = [
            (Id::of("databases"), self.databases.to_string()),
            (Id::of("port"), self.port.to_string()),
            (REQUIREPASS, self.password.clone()),
            (Id::of("dir"), self.dir.clone()),
            (Id::of("maxclients"), self.connections_max.to_string()),
            (Id::of("enable-debug-command"), self.debug.clone()),
            (Id::of("aclfile"), self.users_file.clone()),
            (LOG_LEVEL, self.log_level.name().to_owned()),
            (Id::of("cluster-enabled"), if self.is_cluster { "yes" } else { "no" }.to_owned()),
        ];
        let flags = flags.into_iter().chain(self.tls_parameters());
        flags.chain(self.parameters.iter().cloned()).collect()
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            databases: 16,
            partitions: 4,
            port: 6379,
            tls_port: 0,
            tls: None,
            password: String::new(),
            dir: String::new(),
            connections_max: 10_000,
            is_cluster: false,
            debug: "no".to_owned(),
            users_file: String::new(),
            users: Vec::new(),
            replica_of: String::new(),
            replica_uses_tls: false,
            replica_tls: ClientTlsSettings { flags: FlagNames::REPLICA, ..Default::default() },
            parameters: Vec::new(),
            config_file: None,
            backup_places: Places::default(),
            audit: None,
            logs: None,
            log_level: Level::Notice,
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
    /// The users.
    pub users: Users,
    /// What was refused to users.
    pub access_log: AccessLog,
    /// The positions of SCAN and its like.
    pub cursors: Cursors,
    /// The subscriptions.
    pub pubsub: Pubsub,
    /// The scripts and the libraries of functions.
    pub scripts: Scripts,
    /// The threads of scripts that run long.
    pub script_threads: ScriptThreads,
    /// When keys expire, for events.
    pub expirations: Expirations,
    /// The clients that cache keys.
    pub tracking: TrackingTable,
    /// Numbers of rows of large sorted sets.
    pub ranks: RankIndexes,
    /// The watched keys.
    pub watches: Watches,
    /// The blocked clients.
    pub waiters: Waiters,
    /// Fixed settings.
    pub settings: Settings,
    /// What CONFIG reads and changes.
    pub parameters: Parameters,
    /// The limits of `client-output-buffer-limit` for normal clients, replicas and subscribers.
    output_limits: ArcSwap<[OutputLimit; 3]>,
    /// What INFO counts.
    pub stats: Stats,
    /// Slow commands.
    pub slowlog: SlowLog,
    /// Long events.
    pub latency: LatencyMonitor,
    /// The clients of MONITOR.
    pub monitors: Monitors,
    /// Whether the server is a replica, and how far.
    pub replication: Replication,
    /// The work on backups.
    pub backups: Jobs,
    /// The loads of files into Pegasus tables. The program sets it, since their latches are not those of Redis keys.
    pub loads: Loads,
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
        let parameters = Parameters::new(&settings.parameters());
        let stats = Stats::new(table::count(), store.horizons().removed().clone());
        let limits = output_limits(&parameters.text(OUTPUT_LIMITS));
        let output_limits = ArcSwap::from_pointee(limits);
        let saved_s = AtomicU64::new(clock.wall_ms() / 1000);
        let scripts = Scripts::open(&*store);
        let server = Server {
            store,
            latches,
            clock,
            databases,
            clients: Clients::default(),
            users: Users::new(&settings.password),
            access_log: AccessLog::default(),
            scripts,
            script_threads: ScriptThreads::default(),
            cursors: Cursors::default(),
            pubsub: Pubsub::default(),
            expirations: Expirations::default(),
            tracking: TrackingTable::default(),
            ranks: RankIndexes::default(),
            watches: Watches::default(),
            waiters: Waiters::default(),
            settings,
            output_limits,
            parameters,
            stats,
            slowlog: SlowLog::default(),
            latency: LatencyMonitor::default(),
            monitors: Monitors::default(),
            replication: Replication::default(),
            backups: Jobs::default(),
            loads: Loads::default(),
            pause: Pause::default(),
            run_id: random_id(),
            memory_peak: AtomicU64::new(0),
            shutdown: Notify::new(),
            saved_s,
            saved_changes: AtomicU64::new(0),
            events: AtomicU32::new(0),
            started_us,
        };
        server.settings.parameters.iter().for_each(|(id, _)| server.apply(*id));
        server
    }

    /// Returns the time at which a command is evaluated, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.store.horizons().evaluation_ms(self.clock.wall_ms())
    }

    /// Returns the time by which keys expire for a session. For the commands of another server's stream none has
    /// expired: that server sends DEL.
    pub(super) fn expiry_ms(&self, session: &Session) -> u64 {
        if session.upstream.is_some() { 0 } else { self.now_ms() }
    }

    /// Returns whether somebody watches, waits for or caches keys, or waits for their expiry, so that writers must name
    /// theirs.
    pub fn has_interest(&self) -> bool {
        !self.watches.is_empty()
            || !self.waiters.is_empty()
            || self.expirations.is_on()
            || self.tracking.is_on()
    }

    /// Returns whether CLUSTER describes a cluster.
    pub fn is_cluster(&self) -> bool {
        self.settings.is_cluster
    }

    /// Returns the limit of what a client may leave unread.
    pub fn output_limit(&self, session: &Session) -> OutputLimit {
        let [normal, _, pubsub] = **self.output_limits.load();
        if session.subscription_count() > 0 { pubsub } else { normal }
    }

    /// Returns how many bytes of messages may wait for a client.
    pub fn outbox_max(&self) -> usize {
        let [_, _, pubsub] = **self.output_limits.load();
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
                let limits = output_limits(&self.parameters.text(id));
                self.output_limits.store(Arc::new(limits));
                let limit = self.outbox_max();
                self.clients.list().iter().for_each(|client| client.outbox.set_limit(limit));
            }
            REQUIREPASS => self.users.set_default_password(&self.parameters.text(id)),
            TRACKED_MAX => {
                let messages = self.tracking.shrink(self.tracked_max());
                messages.iter().for_each(|message| message.send(&self.clients));
            }
            MAX_MEMORY if self.parameters.number(id) != 0 => warn!(
                target: "ferrolith::config",
                "CONFIG SET maxmemory: the value is stored and limits nothing, because data is on \
                 the device; --memory-mb bounds memory, and no key is evicted"
            ),
            LOG_LEVEL => {
                let level = Level::named(&self.parameters.text(id));
                if let (Some(logs), Some(level)) = (&self.settings.logs, level) {
                    logs.set_level(level);
                }
            }
            EVENTS => self.set_events(self.parameters.number(id) as u32),
            _ => {}
        }
    }

    /// Returns how many keys that clients cache are noted; 0 means any number.
    pub(super) fn tracked_max(&self) -> usize {
        usize::try_from(self.parameters.number(TRACKED_MAX)).unwrap_or(0)
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
        self.switch_expirations();
    }

    /// Begins or ends to look for keys that expire. For events all keys are looked at; clients that cache keys read
    /// them first.
    pub(super) fn switch_expirations(&self) {
        self.expirations.switch(|| {
            let for_events = Server::wants_expired(self.events.load(Ordering::Relaxed));
            (for_events || self.tracking.is_on(), for_events)
        });
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
