//! Redis commands on a Pegasus table: the rows that Pegasus clients see, the replies, compared with those of the
//! server's own Redis tables, and limits.

use crate::pegasus::{Server, place};
use crate::redis::{Client, Ours, Value, random_commands, show, words};
use fastrand::Rng;
use ferrolith_server::rows::pegasus::key;
use ferrolith_server::store::Durability;
use ferrolith_server::thrift::request::{Incr, KeyValue, MultiGet, MultiPut, Put};
use ferrolith_server::thrift::response::{Count, IncrReply, MultiGetReply, Read, Ttl, Update};
use ferrolith_server::thrift::{self, Blob, reply};

/// 2026-01-01 in seconds since 2016, the time of the tests.
const NOW: i32 = 1_767_225_600 - 1_451_606_400;

fn start() -> (Server, Client) {
    let server = Server::start(Durability::Os);
    let client = Client::connect(server.proxy);
    (server, client)
}

fn ok() -> Value {
    Value::Simple("OK".into())
}

fn bulks(texts: &[&str]) -> Value {
    Value::Array(texts.iter().map(|text| Value::bulk(text)).collect())
}

/// Calls an operation of Pegasus and passes its response to `read`.
fn pegasus<'a, R>(
    server: &Server,
    (method, hash_key): (&str, &[u8]),
    request: &impl thrift::Value<'a>,
    read: impl Fn(&[u8]) -> Option<(R, usize)>,
) -> R {
    let mut client = server.connect();
    client.send(place(hash_key), &format!("RPC_RRDB_RRDB_{method}"), 1, request);
    client.receive_with(read)
}

/// Returns the value of a row as Pegasus clients see it; `None` if it is absent.
fn value_of(server: &Server, hash_key: &[u8], sort_key: &[u8]) -> Option<Vec<u8>> {
    let raw = Blob::from(key(hash_key, sort_key));
    pegasus(server, ("GET", hash_key), &raw, |bytes| {
        let (received, len) = reply::read::<Read<'_>>(bytes).unwrap()?;
        let read = received.response.unwrap();
        assert!(read.error == 0 || read.error == 1, "{}", read.error);
        Some(((read.error == 0).then(|| read.value.to_vec()), len))
    })
}

/// Returns how many seconds a row lives as Pegasus clients see it; -1 without end.
fn ttl_of(server: &Server, hash_key: &[u8], sort_key: &[u8]) -> i32 {
    let raw = Blob::from(key(hash_key, sort_key));
    pegasus(server, ("TTL", hash_key), &raw, |bytes| {
        let (received, len) = reply::read::<Ttl<'_>>(bytes).unwrap()?;
        let ttl = received.response.unwrap();
        assert_eq!(ttl.error, 0);
        Some((ttl.ttl_seconds, len))
    })
}

fn put(server: &Server, hash_key: &[u8], sort_key: &[u8], value: &[u8], expiry: i32) {
    let request = Put {
        key: key(hash_key, sort_key).into(),
        value: value.to_vec().into(),
        expire_ts_seconds: expiry,
    };
    let mut client = server.connect();
    client.send(place(hash_key), "RPC_RRDB_RRDB_PUT", 1, &request);
    assert_eq!(client.receive_update(), (1, 0));
}

#[test]
fn pegasus_clients_see_what_redis_clients_write() {
    let (server, mut client) = start();
    assert_eq!(client.say("SET user1 v1"), ok());
    assert_eq!(value_of(&server, b"user1", b""), Some(b"v1".to_vec()));
    assert_eq!(ttl_of(&server, b"user1", b""), -1);
    assert_eq!(client.say("SET user1 v2 EX 100"), ok());
    assert_eq!(ttl_of(&server, b"user1", b""), 100);
    assert_eq!(client.say("HSET user1 name Ann age 7"), Value::Integer(2));
    assert_eq!(value_of(&server, b"user1", b"name"), Some(b"Ann".to_vec()));
    assert_eq!(value_of(&server, b"user1", b"age"), Some(b"7".to_vec()));
    assert_eq!(client.say("HEXPIRE user1 50 FIELDS 1 age"), Value::Array(vec![Value::Integer(1)]));
    assert_eq!(ttl_of(&server, b"user1", b"age"), 50);
    let wanted = MultiGet {
        hash_key: b"user1".into(),
        start_inclusive: true,
        stop_inclusive: true,
        ..MultiGet::default()
    };
    let rows = pegasus(&server, ("MULTI_GET", b"user1"), &wanted, |bytes| {
        let (received, len) = reply::read::<MultiGetReply<'_>>(bytes).unwrap()?;
        let kvs = received.response.unwrap().kvs;
        Some((kvs.iter().map(|row| row.key.to_vec()).collect::<Vec<_>>(), len))
    });
    assert_eq!(rows, [b"".to_vec(), b"age".to_vec(), b"name".to_vec()]);
    assert_eq!(client.say("HLEN user1"), Value::Integer(2), "the string is no field");
    let count = pegasus(&server, ("SORTKEY_COUNT", b"user1"), &Blob::from(b"user1"), |bytes| {
        let (received, len) = reply::read::<Count<'_>>(bytes).unwrap()?;
        Some((received.response.unwrap().count, len))
    });
    assert_eq!(count, 3);
    assert_eq!(client.say("DEL user1"), Value::Integer(1));
    assert_eq!(value_of(&server, b"user1", b""), None);
    assert_eq!(value_of(&server, b"user1", b"name"), None);
}

#[test]
fn redis_clients_see_what_pegasus_clients_write() {
    let (server, mut client) = start();
    put(&server, b"k", b"", b"v", 0);
    put(&server, b"brief", b"", b"v", NOW + 100);
    assert_eq!(client.say("GET k"), Value::bulk("v"));
    assert_eq!(client.say("TTL k"), Value::Integer(-1));
    assert_eq!(client.say("PTTL brief"), Value::Integer(100_000));
    let row = |name: &'static [u8], value: &'static [u8]| KeyValue {
        key: name.into(),
        value: value.into(),
        expire_ts_seconds: None,
    };
    let kvs = vec![row(b"b", b"2"), row(b"a", b"1")];
    let many = MultiPut { hash_key: b"h".into(), kvs, expire_ts_seconds: NOW + 50 };
    let error = pegasus(&server, ("MULTI_PUT", b"h"), &many, |bytes| {
        let (received, len) = reply::read::<Update<'_>>(bytes).unwrap()?;
        Some((received.response.unwrap().error, len))
    });
    assert_eq!(error, 0);
    assert_eq!(client.say("HGETALL h"), bulks(&["a", "1", "b", "2"]));
    assert_eq!(client.say("TYPE h"), Value::Simple("hash".into()));
    let left = Value::Array(vec![Value::Integer(50), Value::Integer(-2)]);
    assert_eq!(client.say("HTTL h FIELDS 2 a no"), left);
    assert_eq!(client.say("TTL h"), Value::Integer(-1));
    // Both count in the same row.
    assert_eq!(client.say("INCRBY n 5"), Value::Integer(5));
    let incr = Incr { key: key(b"n", b"").into(), increment: 2, expire_ts_seconds: 0 };
    let sum = pegasus(&server, ("INCR", b"n"), &incr, |bytes| {
        let (received, len) = reply::read::<IncrReply<'_>>(bytes).unwrap()?;
        Some((received.response.unwrap().new_value, len))
    });
    assert_eq!(sum, 7);
    assert_eq!(client.say("DECR n"), Value::Integer(6));
    server.clock.advance_ms(50_000);
    assert_eq!(client.say("EXISTS h k brief"), Value::Integer(2));
    server.clock.advance_ms(50_000);
    assert_eq!(client.say("GET brief"), Value::Null);
}

#[test]
fn rows_have_the_documented_bytes() {
    let (server, mut client) = start();
    server.clock.advance_ms(250);
    client.say("SET h1 v1 EX 60");
    client.say("HSET h1 s1 v2");
    let timetag = 0x0647_4846_2410_9002;
    let string = [&0x12cf_f7bd_u32.to_be_bytes()[..], &u64::to_be_bytes(timetag), b"v1"].concat();
    assert_eq!(server.stored(b"h1", b""), Some(string));
    let field = [&[0; 4][..], &u64::to_be_bytes(timetag), b"v2"].concat();
    assert_eq!(server.stored(b"h1", b"s1"), Some(field));
}

#[test]
fn expiries_are_rounded_up_to_seconds() {
    let (server, mut client) = start();
    server.clock.advance_ms(300);
    assert_eq!(client.say("SET a v PX 1"), ok());
    assert_eq!(client.say("PTTL a"), Value::Integer(700));
    assert_eq!(ttl_of(&server, b"a", b""), 1);
    server.clock.advance_ms(699);
    assert_eq!(client.say("GET a"), Value::bulk("v"));
    server.clock.advance_ms(1);
    assert_eq!(client.say("GET a"), Value::Null);
    let invalid = |name: &str| Value::Error(format!("ERR invalid expire time in '{name}' command"));
    assert_eq!(client.say("SET a v EXAT 3599090048"), invalid("set"));
    assert_eq!(client.say("SET a v EXAT 3599090047"), ok());
    assert_eq!(client.say("EXPIREAT a 3599090048"), invalid("expireat"));
    assert_eq!(client.say("EXPIRETIME a"), Value::Integer(3_599_090_047));
    assert_eq!(client.say("SET a v EXAT 5"), ok());
    assert_eq!(client.say("EXISTS a"), Value::Integer(0));
}

#[test]
fn the_tables_default_time_holds() {
    let (server, mut client) = start();
    server.set_env("default_ttl", "60");
    for command in ["SET a 1", "INCR n", "APPEND t x", "MSET m 1", "SETNX x 1"] {
        client.say(command);
    }
    for name in ["a", "n", "t", "m", "x"] {
        assert_eq!(client.say(&format!("TTL {name}")), Value::Integer(60), "{name}");
    }
    client.say("HSET h f v");
    assert_eq!(client.say("HTTL h FIELDS 1 f"), Value::Array(vec![Value::Integer(60)]));
    assert_eq!(client.say("PERSIST a"), Value::Integer(1));
    assert_eq!(client.say("TTL a"), Value::Integer(-1));
    // What is kept is kept, also "never".
    for command in ["APPEND a x", "SET a 2 KEEPTTL", "SET a 3 XX GET KEEPTTL"] {
        client.say(command);
        assert_eq!(client.say("TTL a"), Value::Integer(-1), "{command}");
    }
    // Before the table had a default time, rows lived without end.
    server.set_env("default_ttl", "0");
    for command in ["SET n 1", "HSET h n 1 i 1 f 1.5"] {
        client.say(command);
    }
    server.set_env("default_ttl", "60");
    for command in ["INCR n", "DECRBY n 3", "INCRBYFLOAT n 0.5"] {
        client.say(command);
        assert_eq!(client.say("TTL n"), Value::Integer(-1), "{command}");
    }
    for (command, field) in [("HINCRBY h i 2", "i"), ("HINCRBYFLOAT h f 2", "f")] {
        client.say(command);
        let ttl = client.say(&format!("HTTL h FIELDS 1 {field}"));
        assert_eq!(ttl, Value::Array(vec![Value::Integer(-1)]), "{command}");
    }
    client.say("HINCRBY h new 2");
    assert_eq!(client.say("HTTL h FIELDS 1 new"), Value::Array(vec![Value::Integer(60)]));
    client.say("EXPIRE m 20");
    for command in ["APPEND m x", "SET m 2 KEEPTTL", "INCR m"] {
        client.say(command);
        assert_eq!(client.say("TTL m"), Value::Integer(20), "{command}");
    }
    client.say("SET new 1 KEEPTTL");
    assert_eq!(client.say("TTL new"), Value::Integer(60));
    assert_eq!(client.say("SET a 4"), ok());
    assert_eq!(client.say("TTL a"), Value::Integer(60));
}

#[test]
fn an_expiry_in_the_past_deletes_only_the_string() {
    let (server, mut client) = start();
    for command in ["EXPIRE k 0", "PEXPIRE k -1", "EXPIREAT k 5", "PEXPIREAT k 5000"] {
        client.say("SET k v");
        client.say("HSET k f 1 g 2");
        assert_eq!(client.say(command), Value::Integer(1), "{command}");
        assert_eq!(value_of(&server, b"k", b""), None, "{command}");
        assert_eq!(client.say("HGETALL k"), bulks(&["f", "1", "g", "2"]), "{command}");
        assert_eq!(client.say("TYPE k"), Value::Simple("hash".into()));
    }
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let (_server, mut client) = start();
    for (command, name) in [
        ("LPUSH l 1", "lpush"),
        ("ZADD z 1 m", "zadd"),
        ("MULTI", "multi"),
        ("EXEC", "exec"),
        ("EVAL x 0", "eval"),
        ("FCALL f 0", "fcall"),
        ("GEOSEARCH g FROMMEMBER m BYRADIUS 1 m", "geosearch"),
        ("GEOADD g 1 1 m", "geoadd"),
        ("CONFIG GET x", "config|get"),
        ("CLIENT LIST", "client|list"),
        ("KEYS *", "keys"),
        ("SUBSCRIBE c", "subscribe"),
    ] {
        let Value::Error(text) = client.say(command) else { panic!("{command} has no error") };
        let expected = format!("ERR the command '{name}' is not supported on Pegasus tables");
        assert!(text.starts_with(&expected), "{text}");
    }
    let unknown = "ERR unknown command 'nope', with args beginning with: 'a' ";
    assert_eq!(client.say("nope a"), Value::Error(unknown.into()));
    let unknown = "ERR unknown subcommand 'maint_notifications'. Try CLIENT HELP.";
    assert_eq!(client.say("CLIENT maint_notifications on"), Value::Error(unknown.into()));
    client.say("HSET h f v");
    let error = |value| match value {
        Value::Error(text) => text,
        other => panic!("{other:?} is no error"),
    };
    assert!(error(client.say("EXPIRE h 10")).contains("the expiry of a whole hash"));
    assert_eq!(client.say("EXPIRE absent 10"), Value::Integer(0));
    assert!(error(client.call(&["HSET", "h", "", "v"])).contains("the empty field"));
    assert!(error(client.call(&["HSET", "", "f", "v"])).contains("a key that is not empty"));
    assert_eq!(client.call(&["SET", "", "empty"]), ok());
    assert_eq!(client.call(&["GET", ""]), Value::bulk("empty"));
    assert_eq!(client.call(&["DEL", ""]), Value::Integer(1));
    assert_eq!(client.say("SELECT 0"), ok());
    assert!(error(client.say("SELECT 1")).contains("out of range"));
}

#[test]
fn sizes_are_limited() {
    let (_server, mut client) = start();
    let large = vec![b'x'; 1 << 20];
    let Value::Error(text) = client.call(&[&b"SET"[..], b"k", &large]) else { panic!("no error") };
    assert!(text.contains("have 1048580 bytes, expected at most 1048576"), "{text}");
    let fits = &large[..(1 << 20) - 4];
    assert_eq!(client.call(&[&b"SET"[..], b"k", fits]), ok());
    let Value::Error(text) = client.say("APPEND k 12345") else { panic!("no error") };
    assert!(text.contains("would have 1048577 bytes"), "{text}");
    let name = vec![b'n'; 65_535];
    let Value::Error(text) = client.call(&[&b"GET"[..], &name]) else { panic!("no error") };
    assert!(text.contains("the key has 65535 bytes"), "{text}");
    assert_eq!(client.call(&[&b"SET"[..], &name[1..], b"v"]), ok());
    client.raw(b"*1\r\n$17000000\r\n");
    assert_eq!(client.receive(), Value::Error("ERR Protocol error: invalid bulk length".into()));
    assert!(client.is_closed());
}

#[test]
fn large_hashes_are_deleted_by_a_range() {
    let (server, mut client) = start();
    for at in 0..60 {
        let mut command = words("HSET big");
        for field in 0..20 {
            command.extend([format!("{at}-{field}").into_bytes(), b"v".to_vec()]);
        }
        assert_eq!(client.call(&command), Value::Integer(20));
    }
    client.say("SET big s");
    client.say("HSET bih f v");
    put(&server, b"bi", b"g", b"v", 0);
    assert_eq!(client.say("HLEN big"), Value::Integer(1200));
    assert_eq!(client.say("DEL big big none"), Value::Integer(1));
    assert_eq!(client.say("EXISTS big"), Value::Integer(0));
    assert_eq!(client.say("HGETALL bih"), bulks(&["f", "v"]));
    assert_eq!(value_of(&server, b"bi", b"g"), Some(b"v".to_vec()));
    assert_eq!(client.say("HSET big f v"), Value::Integer(1));
    assert_eq!(client.say("HGETALL big"), bulks(&["f", "v"]));
}

/// Returns all elements of a scan with this many per call.
fn scan_all(client: &mut Client, command: &str, count: usize) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), "0".to_owned());
    loop {
        let Value::Array(reply) =
            client.say(&command.replace('@', &cursor).replace('#', &count.to_string()))
        else {
            panic!("{command}")
        };
        let [Value::Bulk(next), Value::Array(elements)] = &reply[..] else { panic!("{reply:?}") };
        all.extend_from_slice(elements);
        cursor = String::from_utf8(next.clone()).unwrap();
        if cursor == "0" {
            return all;
        }
    }
}

#[test]
fn scans_return_every_key_and_field_once() {
    let (server, mut client) = start();
    let mut expected = Vec::new();
    for at in 0..100 {
        let name = format!("key{at}");
        match at % 3 {
            0 => client.say(&format!("SET {name} v")),
            1 => client.say(&format!("HSET {name} a 1 b 2 c 3")),
            _ => client.say(&format!("SET {name} v EX 10")),
        };
        if at % 3 != 2 {
            expected.push(Value::bulk(&name));
        }
    }
    // Rows that are no keys of Redis.
    let mut raw = server.connect();
    let request = Put { key: key(b"", b"sorted").into(), ..Put::default() };
    raw.send(place(b"sorted"), "RPC_RRDB_RRDB_PUT", 1, &request);
    assert_eq!(raw.receive_update(), (1, 0));
    server.clock.advance_ms(10_000);
    expected.sort();
    for count in [1, 7, 1000] {
        let mut found = scan_all(&mut client, "SCAN @ COUNT #", count);
        found.sort();
        assert_eq!(found, expected, "COUNT {count}");
    }
    assert_eq!(scan_all(&mut client, "SCAN @ COUNT # TYPE hash MATCH key1*", 3).len(), 5);
    let fields = scan_all(&mut client, "HSCAN key1 @ COUNT #", 1);
    assert_eq!(Value::Array(fields), bulks(&["a", "1", "b", "2", "c", "3"]));
    let fields = scan_all(&mut client, "HSCAN key1 @ COUNT # MATCH [bc] NOVALUES", 2);
    assert_eq!(Value::Array(fields), bulks(&["b", "c"]));
    assert_eq!(client.say("SCAN x"), Value::Error("ERR invalid cursor".into()));
}

#[test]
fn limits_of_the_table_hold() {
    let (server, mut client) = start();
    server.set_env("replica.deny_client_request", "reconfig*write");
    assert_eq!(client.say("SET a 1"), Value::Error("ERR ERR_INVALID_STATE".into()));
    assert_eq!(client.say("GET a"), Value::Null);
    server.set_env("replica.deny_client_request", "timeout*read");
    assert_eq!(client.say("GET a"), Value::Error("ERR ERR_TIMEOUT".into()));
    assert_eq!(client.say("SET a 1"), ok());
    server.set_env("replica.deny_client_request", "timeout*write");
    server.set_env("replica.read_throttling", "1*delay*50,3*reject*50");
    let commands: Vec<_> = (0..6).map(|_| words("GET a")).collect();
    let replies = client.pipeline(&commands);
    // Delayed or rejected, each reply is in its place.
    assert_eq!(replies[0], Value::bulk("1"));
    let busy = Value::Error("ERR ERR_BUSY".into());
    assert!(
        replies.iter().all(|reply| *reply == Value::bulk("1") || *reply == busy),
        "{replies:?}"
    );
    assert!(replies.contains(&busy), "{replies:?}");
}

#[test]
fn clients_can_connect() {
    let (_server, mut client) = start();
    let Value::Map(hello) = client.say("HELLO 3 SETNAME me") else { panic!("no map") };
    assert!(hello.contains(&(Value::bulk("proto"), Value::Integer(3))));
    assert_eq!(client.say("CLIENT GETNAME"), Value::bulk("me"));
    assert_eq!(client.say("CLIENT SETINFO lib-name x"), ok());
    client.say("HSET h f v");
    assert_eq!(client.say("HGETALL h"), Value::Map(vec![(Value::bulk("f"), Value::bulk("v"))]));
    let Value::Array(all) = client.say("COMMAND LIST") else { panic!("no list") };
    assert_eq!(client.say("COMMAND COUNT"), Value::Integer(all.len() as i64));
    assert_eq!(client.say("COMMAND DOCS"), Value::Map(vec![]));
    let Value::Verbatim(info) = client.say("INFO") else { panic!("no text") };
    assert!(String::from_utf8(info).unwrap().contains("pegasus_table:t\r\n"));
    client.raw(b"PING\r\n*0\r\n*1\r\n$4\r\nPING\r\n");
    assert_eq!(
        [client.receive(), client.receive()],
        [(); 2].map(|()| Value::Simple("PONG".into()))
    );
    assert_eq!(client.say("RESET"), Value::Simple("RESET".into()));
    assert_eq!(client.say("QUIT"), ok());
    assert!(client.is_closed());
}

/// Values of strings and fields.
const VALUES: [&str; 10] =
    ["", "0", "1", "-7", "10", "abc", "9223372036854775807", "1.5", "01", "+1"];

fn one<'a>(random: &mut Rng, list: &[&'a str]) -> &'a str {
    list[random.usize(..list.len())]
}

/// Returns a random command on strings `s…` and hashes `h…`. The seconds to live are odd: see the test.
fn command(random: &mut Rng) -> Vec<Vec<u8>> {
    let (text, number) = (random.u8(b'0'..b'6') as char, random.i64(-4..9));
    let (string, hash) = (format!("s{text}"), format!("h{text}"));
    let other = format!("s{}", random.u8(b'0'..b'6') as char);
    let (field, field2) =
        (one(random, &["f", "g", "hh", "i"]), one(random, &["f", "g", "hh", "i"]));
    let (value, value2) = (one(random, &VALUES), one(random, &VALUES));
    let seconds = 100_001 + 2 * random.u32(..25_000);
    let brief = one(random, &["-3", "-1", "0", "1", "3", "7"]);
    let when = one(random, &["", " NX", " XX", " GT", " LT"]);
    let commands = [
        format!("GET {string}"),
        format!("SET {string} {value}"),
        format!("SET {string} {value} EX {seconds}"),
        format!("SET {string} {value} PX {seconds}000 GET"),
        format!("SET {string} {value} NX GET"),
        format!("SET {string} {value} XX KEEPTTL"),
        format!("SET {string} {value} EX {brief}"),
        format!("SET {string} {value} EX 1 KEEPTTL"),
        format!("SETNX {string} {value}"),
        format!("SETEX {string} {seconds} {value}"),
        format!("PSETEX {string} {seconds}000 {value}"),
        format!("GETSET {string} {value}"),
        format!("GETDEL {string}"),
        format!("GETEX {string} EX {seconds}"),
        format!("GETEX {string} PERSIST"),
        format!("MGET {string} {other} none"),
        format!("MSET {string} {value} {other} {value2}"),
        format!("MSET {string} {value} {other}"),
        format!("MSETNX {string} {value} {other} {value2}"),
        format!("APPEND {string} {value}"),
        format!("STRLEN {string}"),
        format!("GETRANGE {string} {number} {}", random.i64(-4..9)),
        format!("INCR {string}"),
        format!("DECR {string}"),
        format!("INCRBY {string} {value}"),
        format!("DECRBY {string} {number}"),
        format!("INCRBYFLOAT {string} {value}"),
        format!("DEL {string} {other} {string}"),
        format!("UNLINK {hash} {string}"),
        format!("EXISTS {string} {hash} {string}"),
        format!("TYPE {string}"),
        format!("TYPE {hash}"),
        format!("EXPIRE {string} {seconds}{when}"),
        format!("PEXPIRE {string} {seconds}000{when}"),
        format!("EXPIRE {string} {brief}"),
        format!("EXPIREAT {string} 1900000000{when}"),
        format!("TTL {string}"),
        format!("PTTL {string}"),
        format!("EXPIRETIME {string}"),
        format!("PEXPIRETIME {string}"),
        format!("PERSIST {string}"),
        format!("HSET {hash} {field} {value} {field2} {value2}"),
        format!("HSET {hash} {field}"),
        format!("HMSET {hash} {field} {value}"),
        format!("HSETNX {hash} {field} {value}"),
        format!("HGET {hash} {field}"),
        format!("HMGET {hash} {field} {field2} none"),
        format!("HGETALL {hash}"),
        format!("HKEYS {hash}"),
        format!("HVALS {hash}"),
        format!("HLEN {hash}"),
        format!("HEXISTS {hash} {field}"),
        format!("HSTRLEN {hash} {field}"),
        format!("HDEL {hash} {field} {field2}"),
        format!("HINCRBY {hash} {field} {value}"),
        format!("HINCRBYFLOAT {hash} {field} {value}"),
        format!("HEXPIRE {hash} {seconds}{when} FIELDS 2 {field} {field2}"),
        format!("HEXPIREAT {hash} {number} FIELDS 1 {field}"),
        format!("HPEXPIRE {hash} {seconds}000 FIELDS 2 {field} {field2}"),
        format!("HTTL {hash} FIELDS 2 {field} {field2}"),
        format!("HPTTL {hash} FIELDS 1 {field}"),
        format!("HEXPIRETIME {hash} FIELDS 1 {field}"),
        format!("HPERSIST {hash} FIELDS 2 {field} {field2}"),
    ];
    words(&commands[random.usize(..commands.len())])
}

#[test]
fn replies_are_those_of_redis_tables() {
    let server = Server::start(Durability::Os);
    let ours = Ours::start_with(server.clock.clone());
    let (mut proxied, mut redis) = (Client::connect(server.proxy), ours.connect());
    let mut random = Rng::with_seed(5);
    // The time is an odd second and expiries are even ones, so that nothing expires now.
    server.clock.advance_ms(1000);
    for round in 0..random_commands(10_000).div_ceil(50) {
        let commands: Vec<_> = (0..50).map(|_| command(&mut random)).collect();
        let (found, expected) = (proxied.pipeline(&commands), redis.pipeline(&commands));
        for ((command, found), expected) in commands.iter().zip(found).zip(expected) {
            assert_eq!(found, expected, "{}", show(command));
        }
        if round % 8 == 0 {
            server.clock.advance_ms(2000 * random.u64(..5000));
        }
    }
}
