//! MIGRATE between two of our servers, and to Redis, compared with MIGRATE of Redis.

use super::{Client, Ours, Theirs, Value, words};
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

/// Keys of all types, and how to read them.
const FILL: [&str; 8] = [
    "SET s value",
    "SET expiring v EX 1000",
    "RPUSH l a b c",
    "SADD set 1 2 3",
    "HSET h f v g w",
    "ZADD z 1.5 a 2 b",
    "XADD x 1-1 f v",
    "SETBIT bits 9 1",
];
const READ: [&str; 8] = [
    "GET s",
    "GET expiring",
    "LRANGE l 0 -1",
    "SCARD set",
    "HGETALL h",
    "ZRANGE z 0 -1 WITHSCORES",
    "XRANGE x - +",
    "GET bits",
];

fn ok() -> Value {
    Value::Simple("OK".into())
}

fn to(target: SocketAddr, rest: &str) -> Vec<Vec<u8>> {
    words(&format!("MIGRATE {} {} {rest}", target.ip(), target.port()))
}

/// `MIGRATE … "" 0 5000 OPTIONS KEYS …`.
fn keys_to(target: SocketAddr, options: &str, keys: &str) -> Vec<Vec<u8>> {
    let options = if options.is_empty() { String::new() } else { format!("{options} ") };
    let mut command = to(target, &format!("key 0 5000 {options}KEYS {keys}"));
    command[3].clear();
    command
}

fn moves_all_types(source: SocketAddr, target: SocketAddr) {
    let (mut from, mut at) = (Client::connect(source), Client::connect(target));
    FILL.iter().for_each(|command| drop(from.say(command)));
    let before: Vec<_> = READ.iter().map(|command| from.say(command)).collect();
    assert_eq!(from.call(&to(target, "s 0 5000")), ok());
    let rest = "expiring l set h z x bits none";
    assert_eq!(from.call(&keys_to(target, "COPY", rest)), ok());
    assert_eq!(from.say("EXISTS s expiring l set h z x bits"), Value::Integer(7));
    let refused = "ERR Target instance replied with error: BUSYKEY Target key name already exists.";
    assert_eq!(from.call(&keys_to(target, "", rest)), Value::Error(refused.into()));
    assert_eq!(from.say("EXISTS s expiring l set h z x bits"), Value::Integer(7));
    assert_eq!(from.call(&keys_to(target, "REPLACE", rest)), ok());
    assert_eq!(from.say("DBSIZE"), Value::Integer(0));
    for (command, before) in READ.iter().zip(before) {
        assert_eq!(at.say(command), before, "{command}");
    }
    let Value::Integer(ttl) = at.say("TTL expiring") else { panic!("no time") };
    assert!((900..=1000).contains(&ttl), "{ttl}");
    assert_eq!(from.call(&to(target, "s 0 5000")), Value::Simple("NOKEY".into()));
    // What the target takes is deleted here, although it refuses another key.
    from.pipeline(&[words("SET s 1"), words("SET new 1"), words("SET s2 1")]);
    assert_eq!(from.call(&keys_to(target, "", "new s s2")), Value::Error(refused.into()));
    assert_eq!(from.say("EXISTS new s2"), Value::Integer(0));
    assert_eq!(from.say("GET s"), Value::bulk("1"));
    assert_eq!(from.call(&to(target, "s 3 5000")), ok());
    at.say("SELECT 3");
    assert_eq!(at.say("GET s"), Value::bulk("1"));
}

#[test]
fn keys_move_between_our_servers() {
    let (source, target) = (Ours::start(), Ours::start());
    moves_all_types(source.address, target.address);
}

#[test]
fn keys_move_to_redis_and_from_redis() {
    let Some(theirs) = Theirs::start() else { return };
    moves_all_types(Ours::start().address, theirs.address);
    let mut client = Client::connect(theirs.address);
    client.say("FLUSHALL");
    moves_all_types(theirs.address, Ours::start().address);
}

#[test]
fn failures_have_the_texts_of_redis() {
    let Some(theirs) = Theirs::start() else { return };
    let (ours, target) = (Ours::start(), Theirs::start().unwrap());
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut clients = [Client::connect(ours.address), Client::connect(theirs.address)];
    clients.iter_mut().for_each(|client| drop(client.say("MSET k 1 l 2")));
    let mut cases = vec![
        to(closed, "none 0 100"),
        to(closed, "k 0 100"),
        to(closed, "k x 100"),
        to(closed, "k 0 x"),
        to(closed, "k 0 100 NOPE"),
        to(closed, "k 0 100 AUTH"),
        to(closed, "k 0 100 KEYS k"),
        to(target.address, "k 99 1000"),
        to(target.address, "k 0 1000 AUTH wrong"),
        to(target.address, "k 0 1000 AUTH2 user wrong"),
        to(target.address, "k 0 -1 COPY REPLACE"),
        words("MIGRATE 127.0.0.1 1 k 0"),
    ];
    cases.push(keys_to(closed, "COPY REPLACE", "none none2"));
    for command in cases {
        let [ours, theirs] = clients.each_mut().map(|client| client.call(&command));
        assert_eq!(ours, theirs, "{}", super::show(&command));
    }
    assert_eq!(clients[0].say("EXISTS k l"), Value::Integer(2));
}

#[test]
fn a_target_that_does_not_answer_holds_up_nobody_else() {
    let ours = Ours::start();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let (mut client, mut other) = (ours.connect(), ours.connect());
    client.say("MSET k 1 other 2");
    let start = Instant::now();
    client.send(&to(silent.local_addr().unwrap(), "k 0 2000"));
    // The connection is made: the command waits for a reply.
    let _accepted = silent.accept().unwrap();
    assert_eq!(other.say("GET other"), Value::bulk("2"));
    assert!(start.elapsed() < Duration::from_millis(1900), "{:?}", start.elapsed());
    let error = "IOERR error or timeout reading from target instance";
    assert_eq!(client.receive(), Value::Error(error.into()));
    assert!(start.elapsed() >= Duration::from_millis(1900), "{:?}", start.elapsed());
    assert_eq!(client.say("GET k"), Value::bulk("1"));
}

/// A target that sends a byte now and then gets no more time than one that is silent.
#[test]
fn a_target_that_answers_slowly_does_not_hold_the_keys() {
    let ours = Ours::start();
    let slow = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = ours.connect();
    client.say("SET k 1");
    let start = Instant::now();
    client.send(&to(slow.local_addr().unwrap(), "k 0 500"));
    let (mut socket, _) = slow.accept().unwrap();
    let writer = std::thread::spawn(move || {
        while socket.write_all(b"+").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let error = "IOERR error or timeout reading from target instance";
    assert_eq!(client.receive(), Value::Error(error.into()));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    writer.join().unwrap();
    assert_eq!(client.say("GET k"), Value::bulk("1"));
}

/// Keys and passwords that are words of the command, and the empty key, move and are guarded as others are.
#[test]
fn keys_with_odd_names_move_if_the_user_may() {
    let (source, target) = (Ours::start(), Ours::start());
    target.connect().say("CONFIG SET requirepass keys");
    let mut client = source.connect();
    client.pipeline(&[
        words("MSET keys 1 a 2 secret 3"),
        vec![b"SET".to_vec(), vec![], b"4".to_vec()],
    ]);
    client.say("ACL SETUSER u on nopass +@all ~a ~keys");
    let mut user = source.connect();
    user.say("AUTH u x");
    let is_refused =
        |reply: Value| matches!(reply, Value::Error(text) if text.starts_with("NOPERM"));
    assert!(is_refused(user.call(&keys_to(target.address, "AUTH keys", "secret keys a"))));
    let mut empty = to(target.address, "key 0 5000 AUTH keys");
    empty[3].clear();
    assert!(is_refused(user.call(&empty)));
    assert_eq!(client.say("DBSIZE"), Value::Integer(4));
    assert_eq!(user.call(&keys_to(target.address, "AUTH keys", "a keys")), ok());
    assert_eq!(client.call(&empty), ok());
    assert_eq!(client.say("KEYS *"), Value::Array(vec![Value::bulk("secret")]));
    let mut at = target.connect();
    at.say("AUTH keys");
    assert_eq!(at.say("MGET keys a"), Value::Array(vec![Value::bulk("1"), Value::bulk("2")]));
    assert_eq!(at.say("DBSIZE"), Value::Integer(3));
}

#[test]
fn passwords_are_sent_and_transactions_refused() {
    let (source, target) = (Ours::start(), Ours::start());
    target.connect().say("CONFIG SET requirepass secret");
    let mut client = source.connect();
    client.say("MSET a 1 b 2");
    let Value::Error(text) = client.call(&to(target.address, "a 0 5000")) else { panic!() };
    assert!(text.starts_with("ERR Target instance replied with error: NOAUTH"), "{text}");
    assert_eq!(client.call(&to(target.address, "a 0 5000 AUTH secret")), ok());
    assert_eq!(client.call(&to(target.address, "b 0 5000 AUTH2 default secret")), ok());
    assert_eq!(client.say("DBSIZE"), Value::Integer(0));
    client.say("SET a 1");
    client.say("MULTI");
    client.call(&to(target.address, "a 0 5000 AUTH secret"));
    let refused = "ERR MIGRATE is not supported in transactions and scripts";
    assert_eq!(client.say("EXEC"), Value::Array(vec![Value::Error(refused.into())]));
}
