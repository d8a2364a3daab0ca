//! A service on a store in a temporary directory, with a clock that tests move, and calls of its methods over the bytes
//! of the protocol.

use super::{Admin, AdminOptions, Outcome, Scratch, Service};
use crate::clock::ManualClock;
use crate::store::local::{LocalStore, StoreOptions};
use crate::store::{Durability, Latches};
use crate::tables::Catalogue;
use crate::thrift::frame::{Frame, Head, parse, write_request};
use crate::thrift::meta::{CreateApp, CreateAppReply, CreateOptions, HintReply, UpdateAppEnv};
use crate::thrift::{ErrorName, Value, partition_hash, partition_of, reply};
use std::sync::Arc;

/// 2026-01-01, in Unix seconds.
pub(super) const START: u64 = 1_767_225_600;
/// [`START`] in seconds since 2016.
pub(super) const START_EXPIRY: i32 = (START - crate::rows::pegasus::EPOCH_UNIX_SECONDS) as i32;

/// A service.
pub(super) struct Server {
    pub(super) clock: Arc<ManualClock>,
    pub(super) store: Arc<LocalStore>,
    pub(super) service: Service,
    pub(super) dir: tempfile::TempDir,
}

/// The reply to a call, or what else followed.
pub(super) type Called<T> = Result<T, ErrorName>;

impl Server {
    /// Starts a service without tables.
    pub(super) fn new() -> Server {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(START * 1000));
        Server::open(dir, clock)
    }

    fn open(dir: tempfile::TempDir, clock: Arc<ManualClock>) -> Server {
        let options = StoreOptions::new(Durability::Os, 8 << 20, 1);
        let store = LocalStore::open(dir.path(), options).unwrap();
        let catalogue = Arc::new(Catalogue::open(store.clone()).unwrap());
        let options = AdminOptions {
            addresses: vec!["127.0.0.1:34801".parse().unwrap()],
            host_names: false,
            cluster: "test".into(),
        };
        let admin = Admin::new(store.clone(), clock.clone(), catalogue, options).unwrap();
        let latches = Arc::new(Latches::default());
        let service = Service::new(store.clone(), latches, clock.clone(), admin);
        Server { clock, store, service, dir }
    }

    /// Closes the store and opens it again.
    pub(super) fn reopen(self) -> Server {
        let Server { clock, store, service, dir } = self;
        drop(service);
        store.close().unwrap();
        drop(store);
        Server::open(dir, clock)
    }

    /// Starts a service with table "t" of 4 partitions, whose id is 1.
    pub(super) fn with_table() -> Server {
        let server = Server::new();
        assert_eq!(server.create("t", 4), Ok(1));
        server
    }

    /// Creates a table and returns its id.
    pub(super) fn create(&self, name: &str, partition_count: i32) -> Called<i32> {
        let options = CreateOptions {
            partition_count,
            replica_count: 3,
            app_type: "pegasus".into(),
            is_stateful: true,
            ..CreateOptions::default()
        };
        let request = CreateApp { app_name: name.into(), options };
        let reply: CreateAppReply = self.meta("RPC_CM_CREATE_APP", &request)?;
        if reply.err == ErrorName::Ok { Ok(reply.app_id) } else { Err(reply.err) }
    }

    /// Sets an environment of table "t" and returns the hint of a refusal.
    pub(super) fn set_env(&self, name: &str, text: &str) -> String {
        let request = UpdateAppEnv {
            app_name: "t".into(),
            op: 1,
            keys: Some(vec![name.into()]),
            values: Some(vec![text.into()]),
            clear_prefix: None,
        };
        self.meta::<HintReply>("RPC_CM_UPDATE_APP_ENV", &request).unwrap().hint
    }

    /// Calls a method of the meta server.
    pub(super) fn meta<'a, R>(&self, method: &str, request: &impl Value<'a>) -> Called<R>
    where
        R: for<'r> Value<'r>,
    {
        let mut out = Vec::new();
        self.send(Head::default(), method, request, &mut out);
        reply::read::<R>(&out).unwrap().unwrap().0.response
    }

    /// Calls an operation on table 1 at the partition of a hash key.
    pub(super) fn call<'a>(
        &self,
        method: &str,
        hash_key: &[u8],
        request: &impl Value<'a>,
    ) -> Reply {
        self.call_at(place(hash_key), method, request)
    }

    /// Calls an operation with this head.
    pub(super) fn call_at<'a>(&self, head: Head, method: &str, request: &impl Value<'a>) -> Reply {
        let mut out = Vec::new();
        let outcome = self.send(head, &format!("RPC_RRDB_RRDB_{method}"), request, &mut out);
        assert_eq!(outcome, Outcome::Replied, "{method}");
        Reply(out)
    }

    /// Sends a request and returns what followed.
    pub(super) fn send<'a>(
        &self,
        head: Head,
        method: &str,
        request: &impl Value<'a>,
        out: &mut Vec<u8>,
    ) -> Outcome {
        let mut bytes = Vec::new();
        write_request(&head, method, 7, request, &mut bytes);
        match parse(&bytes, 1 << 24).unwrap() {
            Frame::Whole(request, _) => {
                self.service.handle(&request, false, &mut Scratch::default(), out)
            }
            Frame::Partial(needed) => panic!("{needed} bytes needed"),
        }
    }
}

/// The head of a request to table 1 with 4 partitions.
pub(super) fn place(hash_key: &[u8]) -> Head {
    let hash = partition_hash(hash_key, b"");
    let partition = partition_of(hash, 4) as i32;
    Head { app_id: 1, partition, partition_hash: hash, ..Head::default() }
}

/// The bytes of a reply.
pub(super) struct Reply(Vec<u8>);

impl Reply {
    /// Returns the response, or the error of the RPC layer.
    pub(super) fn get<'a, R: Value<'a>>(&'a self) -> Called<R> {
        let (received, len) = reply::read::<R>(&self.0).unwrap().unwrap();
        assert_eq!((received.sequence, len), (7, self.0.len()));
        assert!(received.method.ends_with(b"_ACK"));
        received.response
    }

    /// Returns the error of the RPC layer.
    pub(super) fn error(&self) -> ErrorName {
        self.get::<crate::thrift::response::Update<'_>>().unwrap_err()
    }
}
