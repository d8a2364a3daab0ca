//! A server program with all doors, users with few rights, and some data; and what of it no refused request may change.

use crate::http::Http;
use crate::redis::{Client, Value};
use crate::tls::file;
use ferrolith_server::rows::pegasus::key;
use ferrolith_server::thrift::frame::{Head, write_request};
use ferrolith_server::thrift::meta::{
    AppInfo, CreateApp, CreateAppReply, CreateOptions, DropApp, DropOptions, ErrorReply, ListApps,
    ListAppsReply,
};
use ferrolith_server::thrift::request::Put;
use ferrolith_server::thrift::response::{Read as ReadReply, Update};
use ferrolith_server::thrift::{Blob, Value as Thrift, partition_hash, partition_of, reply};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The partitions of the table `t` of Pegasus clients.
pub const PARTITIONS: u32 = 4;

/// `Authorization` of the user `default`.
pub const ADMIN: &str = "Authorization: Basic ZGVmYXVsdDpyaWdodA==\r\n";

/// Users besides `default`, whose password is `right`.
const USERS: [&str; 5] = [
    "reader on >word ~app:* +@read +@connection +multi +exec -@dangerous",
    "writer on >word %W~app:* &app:* +@all -@admin -@dangerous",
    "operator on >word ~* +info +slowlog +config|get +memory +scan",
    "sleeper off >word ~* +@all",
    "rotated on >word <word >new ~* +@all",
];

/// A running server, which is killed when it is dropped.
pub struct World {
    pub redis: SocketAddr,
    pub redis_tls: SocketAddr,
    pub pegasus: SocketAddr,
    pub pegasus_tls: SocketAddr,
    pub proxy: SocketAddr,
    pub http: Http,
    pub http_tls: SocketAddr,
    /// The ids of the Pegasus table `t`, of the table of Redis's database 0, and of a dropped table.
    pub table: i32,
    pub redis_table: i32,
    pub dropped: i32,
    child: Child,
    _dir: tempfile::TempDir,
}

/// What no refused request may change.
#[derive(Debug, PartialEq)]
pub struct State {
    redis: Vec<Value>,
    tables: Vec<AppInfo>,
    row: Vec<u8>,
    health: String,
}

impl World {
    /// Starts a server whose doors with TLS want a certificate.
    pub fn start() -> World {
        let dir = tempfile::tempdir().unwrap();
        let (cert, key, ca) = (file("server.pem"), file("server.key"), file("ca.pem"));
        let any = "127.0.0.1:0";
        let mut child = Command::new(env!("CARGO_BIN_EXE_ferrolith-server"))
            .arg("--dir")
            .arg(dir.path())
            .args(["--durability", "os", "--memory-mb", "64", "--requirepass", "right"])
            .args(USERS.map(|user| format!("--user={user}")))
            .args(["--listen", any, "--tls-listen", any, "--pegasus-listen", any])
            .args(["--pegasus-tls-listen", any, "--http-listen", any, "--http-tls-listen", any])
            .args(["--tls-cert", &cert, "--tls-key", &key, "--tls-ca", &ca])
            .args(["--pegasus-table", "t:4", "--pegasus-redis-listen", "t=127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut next = || -> SocketAddr {
            let line = lines.next().expect("a line with an address").unwrap();
            line.rsplit_once(": ").unwrap().1.parse().unwrap()
        };
        let [redis, redis_tls, pegasus, pegasus_tls, proxy, http, http_tls] =
            std::array::from_fn(|_| next());
        let mut world = World {
            redis,
            redis_tls,
            pegasus,
            pegasus_tls,
            proxy,
            http: Http(http),
            http_tls,
            table: 0,
            redis_table: 0,
            dropped: 0,
            child,
            _dir: dir,
        };
        world.fill();
        world
    }

    fn fill(&mut self) {
        let mut admin = self.admin();
        for line in [
            "SET app:1 shown",
            "SET other hidden",
            "RPUSH app:list a",
            "ACL SETUSER removed on >word ~* +@all",
            "ACL DELUSER removed",
        ] {
            assert!(!matches!(admin.say(line), Value::Error(_)), "{line}");
        }
        let options = CreateOptions {
            partition_count: 2,
            replica_count: 1,
            is_stateful: true,
            ..CreateOptions::default()
        };
        let create = CreateApp { app_name: "dropped".into(), options };
        self.dropped = self.meta::<CreateAppReply>("CREATE_APP", &create).app_id;
        let drop = DropApp { app_name: "dropped".into(), options: DropOptions::default() };
        assert_eq!(self.meta::<ErrorReply>("DROP_APP", &drop), ErrorReply::default());
        let tables = self.tables();
        let id = |kind: &str, name: &str| {
            let is_it = |it: &&AppInfo| it.app_type == kind && it.app_name.contains(name);
            tables.iter().find(is_it).unwrap_or_else(|| panic!("{name}: {tables:?}")).app_id
        };
        (self.table, self.redis_table) = (id("pegasus", "t"), id("redis", ""));
        let put = Put { key: key(b"h", b"s").into(), value: b"v".into(), expire_ts_seconds: 0 };
        let mut bytes = Vec::new();
        write_request(&self.head(b"h"), "RPC_RRDB_RRDB_PUT", 1, &put, &mut bytes);
        let put = |bytes: &[u8]| {
            Some(reply::read::<Update<'_>>(bytes).unwrap()?.0.response.unwrap().error)
        };
        assert_eq!(self.ask_pegasus(&bytes, put), 0);
    }

    /// Returns the head of a request for a hash key of the Pegasus table.
    pub fn head(&self, hash_key: &[u8]) -> Head {
        let partition_hash = partition_hash(hash_key, b"");
        let partition = partition_of(partition_hash, PARTITIONS) as i32;
        Head { app_id: self.table, partition, partition_hash, ..Head::default() }
    }

    /// Returns a Redis client that is logged in as `default`.
    pub fn admin(&self) -> Client {
        let mut admin = Client::connect(self.redis);
        assert_eq!(admin.say("AUTH right"), Value::Simple("OK".into()));
        admin
    }

    /// Sends a request to the door of Pegasus, and returns what `decode` finds in the reply.
    pub fn ask_pegasus<R>(&self, request: &[u8], decode: impl Fn(&[u8]) -> Option<R>) -> R {
        let mut stream = connect(self.pegasus);
        stream.write_all(request).unwrap();
        let (mut input, mut chunk) = (Vec::new(), [0; 4096]);
        loop {
            if let Some(found) = decode(&input) {
                return found;
            }
            let len = stream.read(&mut chunk).unwrap();
            assert!(len > 0, "the server closed the connection");
            input.extend_from_slice(&chunk[..len]);
        }
    }

    /// Calls a method of the meta server.
    pub fn meta<T: for<'a> Thrift<'a>>(
        &self,
        method: &str,
        request: &impl for<'a> Thrift<'a>,
    ) -> T {
        let mut bytes = Vec::new();
        write_request(&Head::default(), &format!("RPC_CM_{method}"), 1, request, &mut bytes);
        self.ask_pegasus(&bytes, |bytes| {
            Some(reply::read::<T>(bytes).unwrap()?.0.response.unwrap())
        })
    }

    fn tables(&self) -> Vec<AppInfo> {
        self.meta::<ListAppsReply>("LIST_APPS", &ListApps::default()).infos
    }

    /// Returns the state, asked for over new connections of all doors without TLS.
    pub fn state(&self) -> State {
        let mut admin = self.admin();
        let Value::Array(mut keys) = admin.say("KEYS *") else { panic!("KEYS") };
        keys.sort();
        let mut redis: Vec<_> =
            ["ACL LIST", "CONFIG GET *", "FUNCTION LIST", "ROLE", "INFO keyspace"]
                .map(|line| admin.say(line))
                .into();
        for name in &keys {
            let Value::Bulk(name) = name else { panic!("{name:?}") };
            redis.push(admin.call(&[b"DUMP", &name[..]]));
        }
        redis.extend(keys);
        let mut proxy = Client::connect(self.proxy);
        redis.push(proxy.say("HGET h s"));
        let mut get = Vec::new();
        let raw = Blob::from(key(b"h", b"s"));
        write_request(&self.head(b"h"), "RPC_RRDB_RRDB_GET", 1, &raw, &mut get);
        let row = self.ask_pegasus(&get, |bytes| {
            let (received, _) = reply::read::<ReadReply<'_>>(bytes).unwrap()?;
            Some(received.response.unwrap().value.to_vec())
        });
        let health = self.http.get("/health").body;
        State { redis, tables: self.tables(), row, health }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Connects; reads do not wait for ever.
pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}
