//! What all connections of Redis clients share.

use super::clients::Clients;
use super::databases::Databases;
use super::waiters::Waiters;
use super::watches::Watches;
use crate::clock::Clock;
use crate::store::{Latches, Store};
use crate::tables::Catalogue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Settings that are fixed when the server starts.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The number of databases.
    pub databases: usize,
    /// The partitions of database 0, a power of two from 2 upwards.
    pub partitions: i32,
    /// The TCP port that clients are told.
    pub port: u16,
    /// The password that clients must give; empty if none.
    pub password: String,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { databases: 16, partitions: 32, port: 6379, password: String::new() }
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
    /// The watched keys.
    pub watches: Watches,
    /// The blocked clients.
    pub waiters: Waiters,
    /// Fixed settings.
    pub settings: Settings,
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
        Server {
            store,
            latches,
            clock,
            databases,
            clients: Clients::default(),
            watches: Watches::default(),
            waiters: Waiters::default(),
            settings,
            events: AtomicU32::new(0),
            started_us,
        }
    }

    /// Returns the time at which a command is evaluated, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.store.horizons().evaluation_ms(self.clock.wall_ms())
    }

    /// Returns whether somebody watches or waits for keys, so that writers must name theirs.
    pub fn has_interest(&self) -> bool {
        !self.watches.is_empty() || !self.waiters.is_empty()
    }

    /// Returns whether events of a class are switched on.
    pub fn wants_event(&self, class: u8) -> bool {
        self.events.load(Ordering::Relaxed) & event_bit(class) != 0
    }
}

/// Returns the bit of a class of events, a letter of `notify-keyspace-events`.
pub fn event_bit(class: u8) -> u32 {
    const CLASSES: &[u8] = b"KEg$lshzxetdmn";
    CLASSES.iter().position(|letter| *letter == class).map_or(0, |at| 1 << at)
}
