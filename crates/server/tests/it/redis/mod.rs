//! RESP over sockets: our server in this process, and the same commands sent to a real `redis-server`.
//!
//! `FERROLITH_RANDOM_COMMANDS=N` sends N random commands per family.

mod admin;
mod blocking;
mod busy;
mod client;
mod counts;
mod framework;
mod geo;
mod hash_fields;
mod hashes;
mod keys;
mod lists;
mod migrate;
mod million;
mod pubsub;
mod replica;
mod replica_faults;
mod replica_tls;
mod scripting;
mod sets;
mod settings;
mod sort;
mod sorted_sets;
mod streams;
mod strings;
mod tracking;
pub mod transfer;
mod upstream;
mod users;

pub use client::{Client, Duplex, Value};

use crate::peer::RedisProcess;
use ferrolith_server::clock::{Clock, SystemClock};
use ferrolith_server::http;
use ferrolith_server::net::workers::{Door, Listener, Workers, bind};
use ferrolith_server::redis;
use ferrolith_server::redis::server::Settings;
use ferrolith_server::store::local::{LocalStore, StoreOptions};
use ferrolith_server::store::{Durability, Inspect, Latches, Store};
use ferrolith_server::tables::Catalogue;
use ferrolith_server::tls::Tls;
use std::net::SocketAddr;
use std::sync::Arc;

/// Our server. It stops when it is dropped.
pub struct Ours {
    pub address: SocketAddr,
    /// Where clients connect over TLS, if the settings have it.
    pub secure: Option<SocketAddr>,
    pub server: Arc<redis::Server>,
    workers: Option<Workers>,
    store: Arc<LocalStore>,
    catalogue: Arc<Catalogue>,
    dir: Option<tempfile::TempDir>,
}

impl Ours {
    /// Starts a server with two workers and the system's clock.
    pub fn start() -> Ours {
        Ours::start_with(Arc::new(SystemClock::new()))
    }

    /// Starts a server with two workers and this clock.
    pub fn start_with(clock: Arc<dyn Clock>) -> Ours {
        Ours::start_in(tempfile::tempdir().unwrap(), clock, Settings::default())
    }

    /// Starts a server with these settings in a directory.
    pub fn start_in(dir: tempfile::TempDir, clock: Arc<dyn Clock>, settings: Settings) -> Ours {
        let options = StoreOptions::new(Durability::Os, 32 << 20, 1);
        let store = LocalStore::open(dir.path(), options).unwrap();
        let catalogue = Arc::new(Catalogue::open(store.clone()).unwrap());
        let settings =
            Settings { partitions: 4, dir: dir.path().display().to_string(), ..settings };
        let rows = store.clone() as Arc<dyn Store>;
        let latches = Arc::new(Latches::default());
        let server = redis::Server::new(rows.clone(), latches, clock, catalogue.clone(), settings);
        server.load_users().unwrap();
        let server = Arc::new(server);
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let kinds: Vec<_> =
            std::iter::once(None).chain(server.settings.tls.clone().map(Some)).collect();
        let (sockets, bound) = bind(&vec![any; kinds.len()]).unwrap();
        let listener = |(socket, tls)| Listener { socket, door: Door::Redis(server.clone()), tls };
        let listeners = sockets.into_iter().zip(kinds).map(listener).collect();
        let workers = Some(Workers::start_with(2, listeners, &rows, 1000).unwrap());
        let secure = bound.get(1).copied();
        Ours { address: bound[0], secure, server, workers, store, catalogue, dir: Some(dir) }
    }

    /// Returns a new connection.
    pub fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// Flushes the memtables of all tables.
    pub fn flush_all(&self) {
        for partition in self.catalogue.list().iter().flat_map(|table| table.partitions()) {
            let family = self.store.family(*partition).expect("a family");
            self.store.db().cf(&family).unwrap().flush().unwrap();
        }
    }

    /// Returns the store.
    pub fn store(&self) -> &LocalStore {
        &self.store
    }

    /// Returns what serves this server over HTTP.
    pub fn http_parts(&self) -> http::Parts {
        http::Parts {
            server: self.server.clone(),
            store: self.store.clone(),
            catalogue: self.catalogue.clone(),
            pegasus: None,
            settings: Vec::new(),
            hosts: Vec::new(),
        }
    }

    /// Serves HTTP, over TLS if there is one, and takes samples. Returns the address.
    pub fn serve_http(&self, parts: http::Parts, tls: Option<Arc<Tls>>) -> SocketAddr {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let app = Arc::new(http::App::new(parts));
        std::thread::spawn(move || {
            runtime.block_on(async {
                tokio::spawn(http::sample(app.clone()));
                http::serve(listener, app, tls).await;
            });
        });
        address
    }

    /// Stops the server, and returns its directory.
    pub fn close(mut self) -> tempfile::TempDir {
        let dir = self.dir.take();
        drop(self);
        dir.expect("a directory")
    }

    /// Stops the workers. The store stays open.
    pub fn stop(&mut self) {
        if let Some(workers) = self.workers.take() {
            workers.stop();
        }
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        self.stop();
        let _ = self.store.close();
    }
}

/// A real Redis. It stops when it is dropped.
pub struct Theirs {
    pub address: SocketAddr,
    process: RedisProcess,
}

impl Theirs {
    /// Starts `redis-server` without files; `None`, with a message, if there is none.
    pub fn start() -> Option<Theirs> {
        let (process, stream) = RedisProcess::start(&[])?;
        let address = stream.get_ref().peer_addr().expect("an address");
        Some(Theirs { address, process })
    }

    /// Returns the directory of its files.
    pub fn directory(&self) -> &std::path::Path {
        self.process.directory()
    }

    /// Returns a new connection.
    pub fn connect(&self) -> Client {
        Client::connect(self.address)
    }
}

/// Returns how many random commands a test sends: `default`, or `FERROLITH_RANDOM_COMMANDS`.
pub fn random_commands(default: usize) -> usize {
    let count = std::env::var("FERROLITH_RANDOM_COMMANDS").ok();
    count.map_or(default, |count| count.parse().expect("FERROLITH_RANDOM_COMMANDS is a number"))
}

/// Returns a command from its words, which spaces separate.
pub fn words(text: &str) -> Vec<Vec<u8>> {
    text.split(' ').map(|word| word.as_bytes().to_vec()).collect()
}

/// Sends the same commands to both servers, on a connection each and in both protocols, and compares all replies. Ours
/// flushes now and then, so that it also reads tables. `canonical` may sort what has no order. Does nothing without a
/// Redis.
pub fn compare(
    commands: impl Fn(u8) -> Vec<Vec<Vec<u8>>>,
    canonical: impl Fn(&[Vec<u8>], Value) -> Value,
) {
    for protocol in [2, 3] {
        let Some(theirs) = Theirs::start() else { return };
        let ours = Ours::start();
        let (mut our, mut their) = (ours.connect(), theirs.connect());
        for client in [&mut our, &mut their] {
            client.call(&[b"HELLO".to_vec(), protocol.to_string().into_bytes()]);
        }
        let commands = commands(protocol);
        for (at, part) in commands.chunks(100).enumerate() {
            if at % 5 == 4 {
                ours.flush_all();
            }
            let (found, expected) = (our.pipeline(part), their.pipeline(part));
            for ((command, found), expected) in part.iter().zip(found).zip(expected) {
                let (found, expected) = (canonical(command, found), canonical(command, expected));
                assert_eq!(found, expected, "RESP{protocol}: {}", show(command));
            }
        }
    }
}

/// Returns a command for people.
pub fn show(command: &[Vec<u8>]) -> String {
    command.iter().map(|word| format!("{} ", word.escape_ascii())).collect()
}
