//! The Pegasus protocol over sockets: pipelining, delays, foreign bytes, and many mutated requests.
//! `FERROLITH_MUTATIONS=N` runs N rounds of mutations.

use crate::redis::Duplex;
use ferrolith_server::clock::ManualClock;
use ferrolith_server::net::workers::{Door, Listener, Workers, bind};
use ferrolith_server::pegasus::proxy::Proxy;
use ferrolith_server::pegasus::{Admin, AdminOptions, Outcome, Scratch, Service};
use ferrolith_server::rows::pegasus::key;
use ferrolith_server::store::local::{LocalStore, StoreOptions};
use ferrolith_server::store::{Durability, Latches, Store};
use ferrolith_server::tables::Catalogue;
use ferrolith_server::thrift::frame::{Frame, Head, parse, write_request};
use ferrolith_server::thrift::meta::*;
use ferrolith_server::thrift::native;
use ferrolith_server::thrift::request::*;
use ferrolith_server::thrift::response::{Read, Ttl, Update};
use ferrolith_server::thrift::{Blob, ErrorName, Value, partition_hash, partition_of, reply};
use ferrolith_server::tls::{ClientCertificates, Tls};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, SocketAddrV4, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A server with table "t" of 4 partitions, whose id is 1. It stops when the test ends.
pub struct Server {
    address: SocketAddr,
    is_secure: bool,
    /// Where Redis clients use the table.
    pub proxy: SocketAddr,
    pub clock: Arc<ManualClock>,
    service: Arc<Service>,
    workers: Option<Workers>,
    store: Arc<LocalStore>,
    _dir: tempfile::TempDir,
}

impl Server {
    pub fn start(durability: Durability) -> Server {
        Server::start_with(durability, None)
    }

    fn start_with(durability: Durability, tls: Option<Arc<Tls>>) -> Server {
        let dir = tempfile::tempdir().unwrap();
        let store =
            LocalStore::open(dir.path(), StoreOptions::new(durability, 8 << 20, 1)).unwrap();
        let clock = Arc::new(ManualClock::new(1_767_225_600_000));
        let catalogue = Arc::new(Catalogue::open(store.clone()).unwrap());
        let (listeners, bound) =
            bind(&["127.0.0.1:0".parse::<SocketAddrV4>().unwrap(); 2]).unwrap();
        let SocketAddr::V4(address) = bound[0] else { unreachable!("an IPv4 listener") };
        let options =
            AdminOptions { addresses: vec![address], host_names: false, cluster: "test".into() };
        let admin = Admin::new(store.clone(), clock.clone(), catalogue, options).unwrap();
        let (latches, rows) = (Arc::new(Latches::default()), store.clone() as Arc<dyn Store>);
        let service = Arc::new(Service::new(rows.clone(), latches, clock.clone(), admin));
        let is_secure = tls.is_some();
        let proxy = Door::Proxy(Arc::new(Proxy::new(service.clone(), "t".into())));
        let doors = [(Door::Pegasus(service.clone()), tls), (proxy, None)];
        let listener = |(socket, (door, tls))| Listener { socket, door, tls };
        let listeners = listeners.into_iter().zip(doors).map(listener).collect();
        let workers = Some(Workers::start_with(1, listeners, &rows, 100).unwrap());
        let (address, proxy) = (bound[0], bound[1]);
        let server =
            Server { address, is_secure, proxy, clock, service, workers, store, _dir: dir };
        let options = CreateOptions {
            partition_count: 4,
            replica_count: 1,
            is_stateful: true,
            ..CreateOptions::default()
        };
        let create = CreateApp { app_name: "t".into(), options };
        let mut client = server.connect();
        client.send(Head::default(), "RPC_CM_CREATE_APP", 1, &create);
        assert_eq!(client.receive::<CreateAppReply>().1.app_id, 1);
        server
    }

    pub fn connect(&self) -> Client {
        if self.is_secure {
            let stream = crate::tls::connect(self.address, Some("client")).unwrap();
            return Client { stream: Box::new(stream), input: Vec::new() };
        }
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Client { stream: Box::new(stream), input: Vec::new() }
    }

    /// Returns the stored bytes of a row.
    pub fn stored(&self, hash_key: &[u8], sort_key: &[u8]) -> Option<Vec<u8>> {
        let table = self.service.admin().table(1).unwrap();
        let (at, mut found) = (table.at(place(hash_key).partition).unwrap(), None);
        let raw = key(hash_key, sort_key);
        self.store.get(at, &raw, None, &mut |value| found = Some(value.to_vec())).unwrap();
        found
    }

    pub fn set_env(&self, name: &str, text: &str) {
        let request = UpdateAppEnv {
            app_name: "t".into(),
            op: 1,
            keys: Some(vec![name.into()]),
            values: Some(vec![text.into()]),
            clear_prefix: None,
        };
        let mut client = self.connect();
        client.send(Head::default(), "RPC_CM_UPDATE_APP_ENV", 1, &request);
        assert_eq!(client.receive::<HintReply>().1, HintReply::default());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(workers) = self.workers.take() {
            workers.stop();
        }
        self.store.close().unwrap();
    }
}

pub struct Client {
    stream: Box<dyn Duplex>,
    input: Vec<u8>,
}

impl Client {
    pub fn send<'a>(&mut self, head: Head, method: &str, sequence: i32, request: &impl Value<'a>) {
        let mut bytes = Vec::new();
        write_request(&head, method, sequence, request, &mut bytes);
        self.stream.write_all(&bytes).unwrap();
    }

    /// Sends a request in the framing of the C++ client.
    fn send_native<'a>(&mut self, head: Head, method: &str, number: u64, request: &impl Value<'a>) {
        let mut bytes = Vec::new();
        native::write_request(&head, method, number, request, true, &mut bytes);
        self.stream.write_all(&bytes).unwrap();
    }

    /// Returns the sequence number and the response of the next reply.
    pub fn receive<T: for<'a> Value<'a>>(&mut self) -> (i32, T) {
        self.receive_with(|bytes| {
            let (received, len) = reply::read::<T>(bytes).unwrap()?;
            Some(((received.sequence, received.response.unwrap()), len))
        })
    }

    /// Returns the sequence number and the value of the next reply, which is that of a GET.
    pub fn receive_value(&mut self) -> (i32, Vec<u8>) {
        self.receive_with(|bytes| {
            let (received, len) = reply::read::<Read<'_>>(bytes).unwrap()?;
            let read = received.response.unwrap();
            assert_eq!(read.error, 0);
            Some(((received.sequence, read.value.to_vec()), len))
        })
    }

    /// Returns the sequence number of the next reply, which is that of a write, and its status.
    pub fn receive_update(&mut self) -> (i32, i32) {
        self.receive_with(|bytes| {
            let (received, len) = reply::read::<Update<'_>>(bytes).unwrap()?;
            Some(((received.sequence, received.response.unwrap().error), len))
        })
    }

    /// Returns the sequence number of the next reply, and its value if it is that of a GET.
    fn receive_either(&mut self) -> (i32, Option<Vec<u8>>) {
        self.receive_with(|bytes| {
            // The fields of the responses have other types.
            if let Ok(read) = reply::read::<Read<'_>>(bytes) {
                let (received, len) = read?;
                let read = received.response.unwrap();
                assert_eq!(read.error, 0);
                return Some(((received.sequence, Some(read.value.to_vec())), len));
            }
            let (received, len) = reply::read::<Update<'_>>(bytes).unwrap()?;
            assert_eq!(received.response.unwrap().error, 0);
            Some(((received.sequence, None), len))
        })
    }

    pub fn receive_with<R>(&mut self, decode: impl Fn(&[u8]) -> Option<(R, usize)>) -> R {
        loop {
            if let Some((result, len)) = decode(&self.input) {
                self.input.drain(..len);
                return result;
            }
            let mut chunk = [0; 4096];
            let len = self.stream.read(&mut chunk).unwrap();
            assert!(len > 0, "the server closed the connection");
            self.input.extend_from_slice(&chunk[..len]);
        }
    }

    /// Returns whether the server closes the connection.
    fn is_closed(&mut self) -> bool {
        let mut chunk = [0; 64];
        // A reset is a close with unread input.
        matches!(self.stream.read(&mut chunk), Ok(0))
            || self.stream.read(&mut chunk).is_ok_and(|len| len == 0)
    }
}

pub fn place(hash_key: &[u8]) -> Head {
    let partition_hash = partition_hash(hash_key, b"");
    let partition = partition_of(partition_hash, 4) as i32;
    Head { app_id: 1, partition, partition_hash, ..Head::default() }
}

fn put(hash_key: &[u8], value: &[u8]) -> Put<'static> {
    let (key, value) = (key(hash_key, b"s").into(), value.to_vec().into());
    Put { key, value, expire_ts_seconds: 0 }
}

fn raw(hash_key: &[u8]) -> Blob<'static> {
    Blob::from(key(hash_key, b"s"))
}

#[test]
fn pipelined_requests_are_answered() {
    are_answered(&Server::start(Durability::Always));
}

#[test]
fn requests_over_tls_are_answered() {
    let tls = crate::tls::settings("server", ClientCertificates::Required);
    are_answered(&Server::start_with(Durability::Os, Some(Arc::new(Tls::open(tls).unwrap()))));
}

fn are_answered(server: &Server) {
    let mut client = server.connect();
    let names: Vec<Vec<u8>> = (0..200).map(|i| format!("key{i}").into_bytes()).collect();
    for (i, name) in (0..).zip(&names) {
        client.send(place(name), "RPC_RRDB_RRDB_PUT", 2 * i, &put(name, name));
        client.send(place(name), "RPC_RRDB_RRDB_GET", 2 * i + 1, &raw(name));
    }
    // Those of a group come in any order.
    let mut replies: Vec<_> = (0..400).map(|_| client.receive_either()).collect();
    replies.sort();
    let values = names.iter().flat_map(|name| [None, Some(name.clone())]);
    assert_eq!(replies, (0..).zip(values).collect::<Vec<_>>());
}

#[test]
fn a_group_of_reads_and_writes_is_answered_one_by_one() {
    let server = Server::start(Durability::Os);
    let mut client = server.connect();
    client.send(place(b"old"), "RPC_RRDB_RRDB_PUT", 0, &put(b"old", b"v"));
    let brief = Put { expire_ts_seconds: 1, ..put(b"brief", b"v") };
    client.send(place(b"brief"), "RPC_RRDB_RRDB_PUT", 1, &brief);
    assert_eq!((client.receive_update(), client.receive_update()), ((0, 0), (1, 0)));
    let mut bytes = Vec::new();
    let mut add = |head: Head, method: &str, number: i32, key: Blob<'static>| {
        let name = format!("RPC_RRDB_RRDB_{method}");
        match number % 2 {
            0 => write_request(&head, &name, number, &key, &mut bytes),
            _ => native::write_request(&head, &name, number as u64, &key, true, &mut bytes),
        }
    };
    add(place(b"old"), "GET", 2, raw(b"old"));
    add(place(b"absent"), "GET", 3, raw(b"absent"));
    add(place(b"brief"), "GET", 4, raw(b"brief"));
    add(Head { partition: 9, ..place(b"old") }, "GET", 5, raw(b"old"));
    add(Head { app_id: 9, ..place(b"old") }, "REMOVE", 6, raw(b"old"));
    add(place(b"old"), "GET", 7, Blob::from(b"\xff\xff"));
    add(place(b"old"), "GET", 8, raw(b"old"));
    client.stream.write_all(&bytes).unwrap();
    let mut replies: Vec<_> = (0..7)
        .map(|_| {
            client.receive_with(|bytes| {
                let (received, len) = reply::read::<Read<'_>>(bytes).unwrap()?;
                let outcome = received.response.map(|read| (read.error, read.value.to_vec()));
                Some(((received.sequence, outcome), len))
            })
        })
        .collect();
    replies.sort_by_key(|(number, _)| *number);
    let (there, absent) = (Ok((0, b"v".to_vec())), Ok((1, Vec::new())));
    let missing = Err(ErrorName::ObjectNotFound);
    let expected = [
        there.clone(),
        absent.clone(),
        absent,
        missing.clone(),
        missing,
        Ok((4, Vec::new())),
        there,
    ];
    assert_eq!(replies, (2..).zip(expected).collect::<Vec<_>>());
}

#[test]
fn a_request_that_arrives_byte_by_byte_is_answered() {
    let server = Server::start(Durability::Os);
    let mut client = server.connect();
    let mut bytes = Vec::new();
    write_request(&place(b"h"), "RPC_RRDB_RRDB_PUT", 5, &put(b"h", b"v"), &mut bytes);
    for byte in bytes {
        client.stream.write_all(&[byte]).unwrap();
    }
    assert_eq!(client.receive_update(), (5, 0));
}

#[test]
fn both_framings_share_a_connection() {
    let server = Server::start(Durability::Always);
    let mut client = server.connect();
    let names: Vec<Vec<u8>> = (0..100).map(|i| format!("key{i}").into_bytes()).collect();
    for (i, name) in (0..).zip(&names) {
        client.send_native(place(name), "RPC_RRDB_RRDB_PUT", i as u64, &put(name, name));
        client.send(place(name), "RPC_RRDB_RRDB_TTL", i, &raw(name));
        client.send(place(name), "RPC_RRDB_RRDB_PUT", i, &put(name, b"second"));
        client.send_native(place(name), "RPC_RRDB_RRDB_TTL", i as u64, &raw(name));
    }
    // TTL is not grouped with others, so the replies have the order of the requests.
    for (i, _) in (0..).zip(&names) {
        for _ in 0..2 {
            assert_eq!(client.receive_update(), (i, 0));
            let (number, ttl) = client.receive_with(|bytes| {
                let (received, len) = reply::read::<Ttl<'_>>(bytes).unwrap()?;
                Some(((received.sequence, received.response.unwrap().ttl_seconds), len))
            });
            assert_eq!((number, ttl), (i, -1));
        }
    }
    // What the C++ client asks the meta server first.
    let query = QueryConfig { app_name: "t".into(), partition_indices: vec![] };
    client.send_native(Head::default(), "RPC_CM_QUERY_PARTITION_CONFIG_BY_INDEX", 1, &query);
    let (_, reply) = client.receive::<QueryConfigReply>();
    assert_eq!((reply.app_id, reply.partitions.len()), (1, 4));
}

#[test]
fn an_rdsn_request_that_arrives_byte_by_byte_is_answered() {
    let server = Server::start(Durability::Os);
    let mut client = server.connect();
    let mut bytes = Vec::new();
    let put = put(b"h", b"v");
    native::write_request(&place(b"h"), "RPC_RRDB_RRDB_PUT", 5, &put, true, &mut bytes);
    for byte in bytes {
        client.stream.write_all(&[byte]).unwrap();
    }
    assert_eq!(client.receive_update(), (5, 0));
}

#[test]
fn a_delayed_rdsn_request_is_answered_in_its_framing() {
    let server = Server::start(Durability::Os);
    server.set_env("replica.write_throttling", "1*delay*50");
    let mut client = server.connect();
    client.send_native(place(b"h"), "RPC_RRDB_RRDB_PUT", 1, &put(b"h", b"first"));
    client.send_native(place(b"h"), "RPC_RRDB_RRDB_PUT", 2, &put(b"h", b"second"));
    assert_eq!(client.receive_update(), (1, 0));
    client.receive_with(|bytes| bytes.starts_with(native::MAGIC).then_some(((), 0)));
    assert_eq!(client.receive_update(), (2, 0));
}

#[test]
fn a_delayed_request_does_not_hold_up_the_next() {
    let server = Server::start(Durability::Os);
    server.set_env("replica.write_throttling", "1*delay*300");
    let mut client = server.connect();
    let begun = Instant::now();
    client.send(place(b"h"), "RPC_RRDB_RRDB_PUT", 1, &put(b"h", b"first"));
    client.send(place(b"h"), "RPC_RRDB_RRDB_PUT", 2, &put(b"h", b"second"));
    client.send(place(b"h"), "RPC_RRDB_RRDB_GET", 3, &raw(b"h"));
    assert_eq!(client.receive_update(), (1, 0));
    assert_eq!(client.receive_value(), (3, b"first".to_vec()));
    assert_eq!(client.receive_update(), (2, 0));
    assert!(begun.elapsed() >= Duration::from_millis(300));
    client.send(place(b"h"), "RPC_RRDB_RRDB_GET", 4, &raw(b"h"));
    assert_eq!(client.receive_value(), (4, b"second".to_vec()));
}

#[test]
fn foreign_bytes_close_only_their_connection() {
    let server = Server::start(Durability::Os);
    let mut client = server.connect();
    for bytes in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        b"RDSX",
        &[&b"RDSN\0\0\0\0\xc0\0\0\0\0\0\0\0\xff\xff\xff\x7f"[..], &[0; 172]].concat(),
        b"THFT\0\0\0\x09\0\0\0\x30\0\0\0\0",
        &[&b"THFT\0\0\0\0\0\0\0\x30\0\0\0\0\x7f\xff\xff\xff"[..], &[0; 40]].concat(),
        &[0xff; 5000],
    ] {
        let mut foreign = server.connect();
        foreign.stream.write_all(bytes).unwrap();
        assert!(foreign.is_closed(), "{}", bytes.escape_ascii());
    }
    client.send(place(b"h"), "RPC_RRDB_RRDB_PUT", 1, &put(b"h", b"v"));
    assert_eq!(client.receive_update(), (1, 0));
}

#[test]
fn requests_before_foreign_bytes_are_answered() {
    let server = Server::start(Durability::Always);
    let mut client = server.connect();
    let mut bytes = Vec::new();
    write_request(&place(b"h"), "RPC_RRDB_RRDB_PUT", 1, &put(b"h", b"v"), &mut bytes);
    write_request(&place(b"h"), "RPC_RRDB_RRDB_TTL", 2, &raw(b"h"), &mut bytes);
    bytes.extend_from_slice(b"GET / HTTP/1.1\r\n\r\n");
    client.stream.write_all(&bytes).unwrap();
    assert_eq!(client.receive_update(), (1, 0));
    let (number, ttl) = client.receive_with(|bytes| {
        let (received, len) = reply::read::<Ttl<'_>>(bytes).unwrap()?;
        Some(((received.sequence, received.response.unwrap().ttl_seconds), len))
    });
    assert_eq!((number, ttl), (2, -1));
    assert!(client.input.is_empty() && client.is_closed());
}

/// Requests with everything in them, as a start for mutations.
fn seeds() -> Vec<Vec<u8>> {
    let (hash_key, sort_key) = (|| Blob::from(b"h"), || Blob::from(b"s1"));
    let row = KeyValue { key: sort_key(), value: sort_key(), expire_ts_seconds: Some(9) };
    let mutate = Mutate { sort_key: sort_key(), value: sort_key(), ..Mutate::default() };
    let mut seeds = Vec::new();
    macro_rules! seed {
        ($($method:literal $request:expr;)*) => {$({
            let mut bytes = Vec::new();
            let name = format!("RPC_RRDB_RRDB_{}", $method);
            write_request(&place(b"h"), &name, 1, &$request, &mut bytes);
            seeds.push(bytes);
        })*};
    }
    seed! {
        "PUT" put(b"h", b"v");
        "GET" raw(b"h");
        "TTL" raw(b"h");
        "REMOVE" raw(b"h");
        "SORTKEY_COUNT" hash_key();
        "INCR" Incr { key: key(b"h", b"n").into(), increment: 1, expire_ts_seconds: 0 };
        "MULTI_PUT" MultiPut { hash_key: hash_key(), kvs: vec![row; 3], expire_ts_seconds: 0 };
        "MULTI_REMOVE" MultiRemove { hash_key: hash_key(), sort_keys: vec![sort_key()], max_count: 0 };
        "MULTI_GET" MultiGet { hash_key: hash_key(), sort_keys: vec![sort_key(); 2], ..MultiGet::default() };
        "MULTI_GET" MultiGet { hash_key: hash_key(), sort_key_filter_type: 2, sort_key_filter_pattern: sort_key(), reverse: true, ..MultiGet::default() };
        "BATCH_GET" BatchGet { keys: vec![FullKey { hash_key: hash_key(), sort_key: sort_key() }] };
        "CHECK_AND_SET" CheckAndSet { hash_key: hash_key(), check_type: 13, set_value: sort_key(), ..CheckAndSet::default() };
        "CHECK_AND_MUTATE" CheckAndMutate { hash_key: hash_key(), mutate_list: vec![mutate], ..CheckAndMutate::default() };
        "GET_SCANNER" GetScanner { start_key: b"\0\0".into(), stop_key: b"\xff\xff".into(), batch_size: 1, ..GetScanner::default() };
        "SCAN" Scan { context_id: 1 };
    }
    seeds
}

#[test]
fn mutated_requests_are_answered_or_refused() {
    let server = Server::start(Durability::Os);
    let rounds = std::env::var("FERROLITH_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let (seeds, mut random) = (seeds(), fastrand::Rng::with_seed(11));
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let (mut replied, mut broken) = (0, 0);
    for _ in 0..rounds.unwrap_or(10_000_u64) {
        let mut bytes = seeds[random.usize(..seeds.len())].clone();
        for _ in 0..random.usize(..4) {
            // Mostly the argument, behind the head and the method's name.
            let at = if random.u8(..8) == 0 { 0 } else { 80 };
            let at = random.usize(at.min(bytes.len() - 1)..bytes.len());
            match random.u8(..4) {
                0 => bytes[at] ^= 1 << random.u8(..8),
                1 => bytes[at] = [0, 1, 2, 0x7f, 0x80, 0xff][random.usize(..6)],
                2 => bytes.insert(at, random.u8(..)),
                _ => drop(bytes.remove(at)),
            }
        }
        let len = bytes.len().saturating_sub(48) as u32;
        bytes[16..20].copy_from_slice(&len.to_be_bytes());
        out.clear();
        match parse(&bytes, 1 << 20) {
            Ok(Frame::Whole(request, _)) => {
                if server.service.handle(&request, false, &mut scratch, &mut out)
                    == Outcome::Replied
                {
                    replied += 1;
                    let len = u32::from_be_bytes(*out.first_chunk().unwrap());
                    assert_eq!(len as usize, out.len());
                }
            }
            Ok(Frame::Partial(_)) | Err(_) => broken += 1,
        }
    }
    assert!(replied > 1000 && broken > 10, "{replied} {broken}");
    let mut client = server.connect();
    client.send(place(b"h"), "RPC_RRDB_RRDB_PUT", 1, &put(b"h", b"v"));
    assert_eq!(client.receive_update(), (1, 0));
}
