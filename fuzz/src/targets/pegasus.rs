//! A connection of a Pegasus client, on a real store. `input = piece:1 (method:1 partition:1 length:2 argument)*`: the
//! length of the pieces in which the requests arrive, and requests whose heads are right, in both framings. What follows
//! the last of them is sent as it is.
//!
//! * Nothing panics; a connection ends with its input, or because of bytes that are not of the protocol.
//! * The replies are whole, at most one per request, and have the type of their method.
//!
//! Creating, dropping and renaming tables, and freezing the meta server, are decoded only: the next inputs would find
//! another server.

use super::thrift::{argument, arguments, framed_with};
use ferrolith_server::clock::ManualClock;
use ferrolith_server::net::thft;
use ferrolith_server::pegasus::{Admin, AdminOptions, Outcome, Scratch, Service};
use ferrolith_server::store::local::{LocalStore, StoreOptions};
use ferrolith_server::store::{Durability, Latches, Store};
use ferrolith_server::tables::Catalogue;
use ferrolith_server::thrift::frame::{Frame, Head, parse};
use ferrolith_server::thrift::meta::*;
use ferrolith_server::thrift::native;
use ferrolith_server::thrift::reply::{self, read};
use ferrolith_server::thrift::response::*;
use ferrolith_server::thrift::{ErrorName, Malformed};
use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Runtime;

const PARTITIONS: i32 = 4;
/// After this many inputs the store is replaced by an empty one.
const INPUTS_MAX: usize = 20_000;

const METHODS: [&str; 24] = [
    "RPC_RRDB_RRDB_GET",
    "RPC_RRDB_RRDB_PUT",
    "RPC_RRDB_RRDB_REMOVE",
    "RPC_RRDB_RRDB_MULTI_PUT",
    "RPC_RRDB_RRDB_MULTI_GET",
    "RPC_RRDB_RRDB_MULTI_REMOVE",
    "RPC_RRDB_RRDB_BATCH_GET",
    "RPC_RRDB_RRDB_SORTKEY_COUNT",
    "RPC_RRDB_RRDB_TTL",
    "RPC_RRDB_RRDB_INCR",
    "RPC_RRDB_RRDB_CHECK_AND_SET",
    "RPC_RRDB_RRDB_CHECK_AND_MUTATE",
    "RPC_RRDB_RRDB_GET_SCANNER",
    "RPC_RRDB_RRDB_SCAN",
    "RPC_RRDB_RRDB_CLEAR_SCANNER",
    "RPC_CM_QUERY_PARTITION_CONFIG_BY_INDEX",
    "RPC_CM_LIST_APPS",
    "RPC_CM_LIST_NODES",
    "RPC_CM_CLUSTER_INFO",
    "RPC_CM_UPDATE_APP_ENV",
    "RPC_NEGOTIATION",
    "RPC_CM_CREATE_APP",
    "RPC_CM_DROP_APP",
    "RPC_NO_SUCH_METHOD",
];

/// The methods that would change the server for the next inputs.
const KEPT_OUT: [&[u8]; 5] = [
    b"RPC_CM_CREATE_APP",
    b"RPC_CM_DROP_APP",
    b"RPC_CM_RECALL_APP",
    b"RPC_CM_RENAME_APP",
    b"RPC_CM_CONTROL_META",
];

/// A service with table "t", whose id is 1.
struct World {
    runtime: Runtime,
    service: Service,
    store: Arc<dyn Store>,
    inputs: usize,
    local: Arc<LocalStore>,
    _dir: tempfile::TempDir,
}

thread_local! {
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
}

/// Checks one input.
pub fn run(input: &[u8]) {
    WORLD.with_borrow_mut(|world| {
        if world.as_ref().is_some_and(|world| world.inputs > INPUTS_MAX) {
            *world = None;
        }
        world.get_or_insert_with(World::new).run(input);
    });
}

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().expect("a directory");
        let options = StoreOptions::new(Durability::Os, 8 << 20, 1);
        let local = LocalStore::open(dir.path(), options).expect("a store");
        let catalogue = Arc::new(Catalogue::open(local.clone()).expect("a catalogue"));
        let clock = Arc::new(ManualClock::new(1_767_225_600_000));
        let options = AdminOptions {
            addresses: vec!["127.0.0.1:34801".parse().expect("an address")],
            host_names: false,
            cluster: "fuzz".into(),
        };
        let admin = Admin::new(local.clone(), clock.clone(), catalogue, options).expect("tables");
        let (latches, store) = (Arc::new(Latches::default()), local.clone() as Arc<dyn Store>);
        let service = Service::new(store.clone(), latches, clock, admin);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("a runtime");
        let world = World { runtime, service, store, inputs: 0, local, _dir: dir };
        let options = CreateOptions { partition_count: PARTITIONS, ..world.options() };
        let create = argument(&CreateApp { app_name: "t".into(), options });
        let out = world.call("RPC_CM_CREATE_APP", &create);
        let created = read::<CreateAppReply>(&out).expect("a reply").expect("a whole one").0;
        assert_eq!(created.response.map(|reply| reply.app_id), Ok(1));
        world
    }

    fn options(&self) -> CreateOptions {
        CreateOptions { replica_count: 3, is_stateful: true, ..CreateOptions::default() }
    }

    /// Calls a method without a connection and returns the reply.
    fn call(&self, method: &str, argument: &[u8]) -> Vec<u8> {
        let (bytes, mut out) = (framed_with(&Head::default(), method, argument), Vec::new());
        let Ok(Frame::Whole(request, _)) = parse(&bytes, 1 << 20) else { panic!("a request") };
        let outcome = self.service.handle(&request, false, &mut Scratch::default(), &mut out);
        assert_eq!(outcome, Outcome::Replied);
        out
    }

    fn run(&mut self, input: &[u8]) {
        self.inputs += 1;
        let Some((piece, rest)) = input.split_first() else { return };
        let bytes = requests(rest);
        let Some((count, has_envs)) = survey(&bytes) else { return };
        let mut pipe = Pipe { input: &bytes, piece: usize::from(*piece) + 1, output: Vec::new() };
        let served = thft::serve(&mut pipe, None, &self.service, &self.store);
        if let Err(error) = self.runtime.block_on(served) {
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{error}");
        }
        check_replies(&pipe.output, count);
        if has_envs {
            let clear = UpdateAppEnv { app_name: "t".into(), op: 3, ..UpdateAppEnv::default() };
            self.call("RPC_CM_UPDATE_APP_ENV", &argument(&clear));
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.local.close();
    }
}

/// Returns the bytes of the requests that an input stands for.
fn requests(mut rest: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let [method, partition, low, high, tail @ ..] = rest {
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        let Some((argument, tail)) = tail.split_at_checked(length) else { break };
        let name = METHODS[usize::from(*method) % METHODS.len()];
        // Mostly the table and partitions that exist; meta servers are asked without a table.
        let app_id = match name.starts_with("RPC_RRDB") {
            true => i32::from(partition >> 4 != 15),
            false => 0,
        };
        let head = Head { app_id, partition: i32::from(partition % 8), ..Head::default() };
        match partition & 8 {
            0 => bytes.extend(framed_with(&head, name, argument)),
            _ => bytes.extend(native_with(&head, name, argument)),
        }
        rest = tail;
    }
    bytes.extend_from_slice(rest);
    bytes
}

/// Returns a request in the framing of the C++ client.
fn native_with(head: &Head, method: &str, argument: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    native::write_request(head, method, 7, &0i64, false, &mut frame);
    frame.truncate(native::HEAD_LEN);
    frame.extend_from_slice(argument);
    native::seal(&mut frame, argument.len().is_multiple_of(2));
    frame
}

/// Returns the number of requests, and whether one of them sets environments. `None` if one of them changes the server;
/// their arguments are decoded.
fn survey(bytes: &[u8]) -> Option<(usize, bool)> {
    let (mut count, mut has_envs, mut at) = (0, false, 0);
    while let Ok(Frame::Whole(request, length)) = parse(&bytes[at..], thft::BODY_BYTES_MAX) {
        if KEPT_OUT.contains(&request.method) {
            let _ = request.argument::<CreateApp>();
            return None;
        }
        has_envs |= request.method == b"RPC_CM_UPDATE_APP_ENV";
        (count, at) = (count + 1, at + length);
    }
    Some((count, has_envs))
}

/// The connection: input in pieces, then its end.
struct Pipe<'a> {
    input: &'a [u8],
    piece: usize,
    output: Vec<u8>,
}

impl AsyncRead for Pipe<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let length = self.piece.min(self.input.len()).min(buffer.remaining());
        let (piece, rest) = self.input.split_at(length);
        buffer.put_slice(piece);
        self.input = rest;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Pipe<'_> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.output.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

fn check_replies(mut rest: &[u8], count: usize) {
    let mut found = 0;
    while !rest.is_empty() {
        let name = method_of(rest);
        let length = check_reply(&name, rest);
        let length = length.unwrap_or_else(|error| panic!("{name}: {error}"));
        rest = &rest[length..];
        found += 1;
    }
    assert!(found <= count, "{found} replies to {count} requests");
}

/// Returns the name of the method that the first reply is of. A reply with an error of the RPC layer reads as any type.
fn method_of(bytes: &[u8]) -> String {
    if bytes.starts_with(native::MAGIC) {
        let name = bytes[40..88].split(|byte| *byte == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        // The name of a foreign method may have been cut.
        return name.strip_suffix("_ACK").unwrap_or_default().to_owned();
    }
    let error = &bytes[4..];
    let name_at = 4 + u32::from_be_bytes([error[0], error[1], error[2], error[3]]) as usize + 4;
    let name = &error[name_at..];
    let length = u32::from_be_bytes([name[0], name[1], name[2], name[3]]) as usize;
    let name = String::from_utf8_lossy(&name[4..4 + length]).into_owned();
    name.strip_suffix("_ACK").expect("the name of a reply").to_owned()
}

/// Reads the first reply as the type of its method, and returns its length.
fn check_reply(method: &str, bytes: &[u8]) -> Result<usize, Malformed> {
    macro_rules! length_as {
        ($message:ty) => {
            read::<$message>(bytes).map(|reply| reply.expect("a whole reply").1)
        };
    }
    match method.trim_start_matches("RPC_RRDB_RRDB_").trim_start_matches("RPC_CM_") {
        "GET" => length_as!(Read<'_>),
        "PUT" | "REMOVE" | "MULTI_PUT" | "CLEAR_SCANNER" => length_as!(Update<'_>),
        "MULTI_GET" => length_as!(MultiGetReply<'_>),
        "MULTI_REMOVE" => length_as!(MultiRemoveReply<'_>),
        "BATCH_GET" => length_as!(BatchGetReply<'_>),
        "SORTKEY_COUNT" => length_as!(Count<'_>),
        "TTL" => length_as!(Ttl<'_>),
        "INCR" => length_as!(IncrReply<'_>),
        "CHECK_AND_SET" | "CHECK_AND_MUTATE" => length_as!(CheckReply<'_>),
        "GET_SCANNER" | "SCAN" => length_as!(ScanReply<'_>),
        "QUERY_PARTITION_CONFIG_BY_INDEX" => length_as!(QueryConfigReply),
        "LIST_APPS" => length_as!(ListAppsReply),
        "LIST_NODES" => length_as!(ListNodesReply),
        "CLUSTER_INFO" => length_as!(ClusterInfoReply),
        "UPDATE_APP_ENV" => length_as!(HintReply),
        "RPC_NEGOTIATION" => length_as!(Negotiation<'_>),
        _ => {
            let (received, length) = reply::read::<Update<'_>>(bytes)?.expect("a whole reply");
            assert_eq!(received.response, Err(ErrorName::HandlerNotFound), "{method}");
            Ok(length)
        }
    }
}

/// Returns inputs to begin with: each request alone, in both framings, and all of them behind each other.
pub fn seeds() -> Vec<Vec<u8>> {
    let record = |method: &str, argument: &[u8], place: u8| {
        let number = METHODS.iter().position(|name| *name == method).expect("a method") as u8;
        let length = (argument.len() as u16).to_le_bytes();
        [&[number, place, length[0], length[1]], argument].concat()
    };
    let all = arguments();
    let records: Vec<Vec<u8>> = [3, 3 | 8]
        .into_iter()
        .flat_map(|place| all.iter().map(move |(name, it)| record(name, it, place)))
        .collect();
    let alone = records.iter().map(|record| [&[255], &record[..]].concat());
    // Without those that create tables, which are last.
    let (first, second) = records.split_at(all.len());
    let most = [&first[..all.len() - 1], &second[..all.len() - 1]].concat().concat();
    alone.chain([[&[17], &most[..]].concat()]).collect()
}
