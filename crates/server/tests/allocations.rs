//! SET and GET allocate nothing per request, alone and in pipelines. What allocates now and then, for many requests, is
//! allowed: blocks of the memtable and of the log.
//!
//! One test in a process of its own, since it counts the allocations of all threads.

use ferrolith_server::clock::SystemClock;
use ferrolith_server::net::workers::{Door, Workers, bind};
use ferrolith_server::redis;
use ferrolith_server::redis::server::Settings;
use ferrolith_server::store::local::{LocalStore, StoreOptions};
use ferrolith_server::store::{Durability, Latches, Store};
use ferrolith_server::tables::Catalogue;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The allocations per request that remain, at most.
const MEAN_MAX: f64 = 0.01;
/// Requests that are counted. Fewer fill buffers before.
const COUNTED: usize = 16_000;
const WARMING: usize = 4_000;
/// The keys, which all rounds write again.
const KEYS: usize = 1_000;
const VALUE: &str = "0123456789abcdef0123456789abcdef";

/// A server with one worker. It stops when it is dropped.
struct Ours {
    address: SocketAddr,
    workers: Option<Workers>,
    store: Arc<LocalStore>,
    _dir: tempfile::TempDir,
}

impl Ours {
    fn start() -> Ours {
        let dir = tempfile::tempdir().unwrap();
        let options = StoreOptions::new(Durability::Os, 256 << 20, 1);
        let store = LocalStore::open(dir.path(), options).unwrap();
        let catalogue = Arc::new(Catalogue::open(store.clone()).unwrap());
        let rows = store.clone() as Arc<dyn Store>;
        let (latches, clock) = (Arc::new(Latches::default()), Arc::new(SystemClock::new()));
        let settings = Settings::default();
        let server = redis::Server::new(rows.clone(), latches, clock, catalogue, settings);
        server.load_users().unwrap();
        let server = Arc::new(server);
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let (listeners, bound) = bind(&[any]).unwrap();
        let listeners = listeners.into_iter().map(|it| (it, Door::Redis(server.clone()))).collect();
        let workers = Some(Workers::start(1, listeners, &rows, 1000).unwrap());
        Ours { address: bound[0], workers, store, _dir: dir }
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        if let Some(workers) = self.workers.take() {
            workers.stop();
        }
        let _ = self.store.close();
    }
}

/// A connection and its buffers, which are not allocated anew.
struct Client {
    stream: TcpStream,
    request: Vec<u8>,
    reply: Vec<u8>,
}

impl Client {
    fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, request: Vec::with_capacity(1 << 16), reply: vec![0; 1 << 16] }
    }

    /// Sends requests of one kind at once, and reads their replies.
    fn exchange(&mut self, is_set: bool, first: usize, together: usize) {
        self.request.clear();
        for at in first..first + together {
            let (key, out) = (at % KEYS, &mut self.request);
            match is_set {
                true => write!(out, "*3\r\n$3\r\nSET\r\n$7\r\nkey{key:04}\r\n$32\r\n{VALUE}\r\n"),
                false => write!(out, "*2\r\n$3\r\nGET\r\n$7\r\nkey{key:04}\r\n"),
            }
            .unwrap();
        }
        self.stream.write_all(&self.request).unwrap();
        let reply_bytes = if is_set { 5 } else { VALUE.len() + 7 };
        let reply = &mut self.reply[..together * reply_bytes];
        self.stream.read_exact(reply).unwrap();
        let is_right = |reply: &[u8]| match is_set {
            true => reply == b"+OK\r\n",
            false => reply[5..37] == *VALUE.as_bytes(),
        };
        assert!(reply.chunks(reply_bytes).all(is_right), "{}", reply.escape_ascii());
    }

    fn run(&mut self, is_set: bool, together: usize, count: usize) {
        (0..count).step_by(together).for_each(|first| self.exchange(is_set, first, together));
    }
}

fn allocations() -> usize {
    let stats = HEAP.stats();
    stats.allocations + stats.reallocations
}

#[test]
fn get_and_set_allocate_nothing_per_request() {
    let ours = Ours::start();
    let mut client = Client::connect(ours.address);
    client.run(true, 1, KEYS);
    let mut failures = Vec::new();
    for together in [1, 16, 128] {
        for is_set in [true, false] {
            client.run(is_set, together, WARMING);
            let before = allocations();
            client.run(is_set, together, COUNTED);
            let mean = (allocations() - before) as f64 / COUNTED as f64;
            let name = if is_set { "SET" } else { "GET" };
            println!("{name}, {together} at once: {mean:.4} allocations");
            if mean > MEAN_MAX {
                failures.push(format!("{name}, {together} at once: {mean:.4}"));
            }
        }
    }
    assert!(failures.is_empty(), "more than {MEAN_MAX} allocations per request: {failures:#?}");
}
