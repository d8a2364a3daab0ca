//! Commands on keys of any type, compared with Redis; SCAN's guarantee; databases.

use super::{Ours, Value, compare, random_commands, show, words};
use fastrand::Rng;
use std::collections::BTreeSet;

const KEYS: [&str; 8] = ["a", "b", "c", "{t}a", "{t}b", "", "a*", "{"];
/// Times in seconds or milliseconds; none ends during the test.
const NUMBERS: [&str; 14] = [
    "0",
    "-1",
    "555000",
    "755000",
    "855000",
    "955000",
    "x",
    "",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775",
    "9223372036854776",
    "99999999999999999999",
    "1.5",
];
const PATTERNS: [&str; 12] =
    ["*", "a", "a*", "?", "{t}*", "{t}a", "[ab]", "[^a]", "\\a*", "{t}[a", "", "nothing*"];

fn pick<'a>(random: &mut Rng, list: &[&'a str]) -> &'a str {
    list[random.usize(..list.len())]
}

/// Returns a time argument: seconds, milliseconds, or a Unix time in either.
fn time(random: &mut Rng) -> String {
    match random.usize(..4) {
        0 => pick(random, &["1893456000", "1893456000000", "2524608000", "1050000000"]).to_owned(),
        _ => pick(random, &NUMBERS).to_owned(),
    }
}

fn command(random: &mut Rng) -> String {
    let (key, other) = (pick(random, &KEYS), pick(random, &KEYS));
    match random.usize(..34) {
        0..4 => format!("SET {key} {}", random.u8(..)),
        4 => format!("RPUSH {key} {} {}", random.u8(..), random.u8(..)),
        5 => format!("SADD {key} {} x", random.u8(..)),
        30 => format!("HSET {key} {} {}", random.u8(..10), random.u8(..)),
        31 => format!("ZADD {key} {} {}", random.u8(..10), random.u8(..)),
        32 => {
            let name = pick(random, &["ENCODING", "ENCODING", "FREQ", "x"]);
            format!("OBJECT {name} {key}")
        }
        33 => {
            let read = ["LRANGE K 0 -1", "SMEMBERS K", "HGETALL K", "ZRANGE K 0 -1 WITHSCORES"];
            pick(random, &read).replace('K', key)
        }
        6 => format!("DEL {key} {other}"),
        7 => format!("UNLINK {key}"),
        8 => format!("EXISTS {key} {other} {key}"),
        9 => format!("TOUCH {key} {other}"),
        10 => format!("TYPE {key}"),
        11..14 => {
            let name = pick(random, &["EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"]);
            let time = time(random);
            let mut text = format!("{name} {key} {time}");
            // Times after the year 10889 are stored as that, so their order is lost.
            let conditions = if time.len() < 14 { random.usize(..6).saturating_sub(3) } else { 0 };
            for _ in 0..conditions {
                text += " ";
                text += pick(random, &["NX", "XX", "GT", "lt", "x"]);
            }
            text
        }
        14..17 => {
            let name = pick(random, &["TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME"]);
            format!("{name} {key}")
        }
        17 => format!("PERSIST {key}"),
        18 => format!("KEYS {}", pick(random, &PATTERNS)),
        19 => "DBSIZE".into(),
        20 => format!("RENAME {key} {other}"),
        21 => format!("RENAMENX {key} {other}"),
        22 => {
            let options =
                ["", " REPLACE", " DB 1", " DB 1 REPLACE", " DB 16", " DB x", " DB", " y"];
            format!("COPY {key} {other}{}", pick(random, &options))
        }
        23 => {
            format!("MOVE {key} {}", pick(random, &["0", "1", "1", "-1", "16", "x", "3000000000"]))
        }
        24 => {
            let options = [
                "",
                " MATCH a*",
                " COUNT 100",
                " COUNT 0",
                " COUNT x",
                " MATCH",
                " TYPE set",
                " TYPE string",
                " TYPE x",
                " NOVALUES",
            ];
            let cursor =
                pick(random, &["0", "0", "0", "x", "", "-", "99999999999999999999", "0x1"]);
            format!("SCAN {cursor}{}", pick(random, &options))
        }
        25 => pick(random, &["SELECT 0", "SELECT 1", "SELECT 1"]).into(),
        26 if random.usize(..10) == 0 => {
            pick(random, &["FLUSHDB", "FLUSHALL", "FLUSHDB ASYNC", "FLUSHALL SYNC", "FLUSHALL X"])
                .into()
        }
        27 if random.usize(..3) == 0 => {
            let index = |random: &mut Rng| pick(random, &["0", "1", "1", "2", "x", "16", "-1"]);
            format!("SWAPDB {} {}", index(random), index(random))
        }
        28 => pick(random, &["MULTI", "EXEC", "EXEC", "DISCARD"]).into(),
        _ => format!("GET {key}"),
    }
}

/// Makes replies comparable that depend on the time or have no order.
fn canonical(command: &[Vec<u8>], value: Value) -> Value {
    let name = command[0].to_ascii_uppercase();
    match value {
        // The servers evaluate at different times, so the first two digits and the number of digits are compared.
        Value::Integer(time) if name.ends_with(b"TTL") || name.ends_with(b"EXPIRETIME") => {
            let max = if name.starts_with(b"P") { 200_000_000_000_000 } else { 200_000_000_000 };
            let (mut time, mut digits) = (time.min(max), 0);
            while time >= 100 {
                (time, digits) = (time / 10, digits + 1);
            }
            Value::Integer(time + 100 * digits)
        }
        value if name == b"EXEC" => match value {
            Value::Array(list) => Value::Integer(list.len() as i64),
            value => value,
        },
        Value::Array(list) if name == b"SCAN" => {
            Value::Array(list.into_iter().map(Value::sorted).collect())
        }
        value => value.sorted(),
    }
}

#[test]
fn replies_as_redis() {
    let commands = |protocol: u8| {
        let mut random = Rng::with_seed(protocol.into());
        (0..random_commands(10_000)).map(|_| words(&command(&mut random))).collect()
    };
    compare(commands, canonical);
}

/// Iterates with a cursor. Returns all elements, and calls `between` after each call.
fn scan(
    client: &mut super::Client,
    command: &str,
    mut between: impl FnMut(&mut super::Client),
) -> Vec<Vec<u8>> {
    let (mut cursor, mut all) = ("0".to_owned(), Vec::new());
    loop {
        let words = words(&command.replace("CURSOR", &cursor));
        let Value::Array(reply) = client.call(&words) else { panic!("{}", show(&words)) };
        let [Value::Bulk(next), Value::Array(elements)] = &reply[..] else { panic!("{reply:?}") };
        all.extend(elements.iter().map(|element| match element {
            Value::Bulk(element) => element.clone(),
            other => panic!("{other:?}"),
        }));
        cursor = String::from_utf8(next.clone()).unwrap();
        if cursor == "0" {
            return all;
        }
        between(client);
    }
}

#[test]
fn scan_returns_all_that_stays() {
    let ours = Ours::start();
    let mut client = ours.connect();
    let stays: BTreeSet<Vec<u8>> = (0..500).map(|i| format!("stays{i}").into_bytes()).collect();
    for key in &stays {
        client.call(&[b"SET", &key[..], b"x"]);
    }
    for slots in ["", "{tag}"] {
        for i in 0..300 {
            client.say(&format!("SET {slots}goes{i} x"));
        }
    }
    let mut random = Rng::with_seed(1);
    let found = scan(&mut client, "SCAN CURSOR COUNT 7", |client| {
        let i = random.usize(..300);
        client.say(&format!("DEL goes{i} {{tag}}goes{i}"));
        client.say(&format!("SET comes{i} x"));
        client.say(&format!("SET {{tag}}goes{} x", random.usize(..300)));
    });
    let found: BTreeSet<Vec<u8>> = found.into_iter().collect();
    assert!(stays.is_subset(&found), "{} of {}", found.intersection(&stays).count(), stays.len());
    // Without changes, each key is returned once.
    let all = scan(&mut client, "SCAN CURSOR COUNT 13 MATCH stays*", |_| {});
    assert_eq!(all.len(), stays.len());
    assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), stays);
    let tagged = scan(&mut client, "SCAN CURSOR COUNT 13 MATCH {tag}*", |_| {});
    let Value::Array(keys) = client.say("KEYS {tag}*") else { panic!("no list") };
    assert_eq!(tagged.len(), keys.len());
    // A cursor that the server does not know begins again.
    let Value::Array(reply) = client.say("SCAN 1234567890123 COUNT 100000") else {
        panic!("no list")
    };
    assert_eq!(reply[0], Value::bulk("0"));
}

#[test]
fn random_keys_are_fair() {
    let ours = Ours::start();
    let mut client = ours.connect();
    assert_eq!(client.say("RANDOMKEY"), Value::Null);
    // These two slots are neighbours, so the first key of a random slot would nearly always be the same.
    let mut counts = std::collections::BTreeMap::new();
    client.say("SET {a}1 x");
    client.say("SET {a}2 x");
    for _ in 0..400 {
        let Value::Bulk(key) = client.say("RANDOMKEY") else { panic!("no key") };
        *counts.entry(key).or_insert(0) += 1;
    }
    assert!(counts.len() == 2 && counts.values().all(|count| *count > 120), "{counts:?}");
}

#[test]
fn swapped_databases() {
    let ours = Ours::start();
    let (mut client, mut other) = (ours.connect(), ours.connect());
    client.say("SET a 0");
    client.say("WATCH a");
    other.say("SELECT 1");
    other.say("SET b 1");
    other.say("SWAPDB 0 1");
    assert_eq!(other.say("GET a"), Value::bulk("0"));
    assert_eq!(client.say("GET b"), Value::bulk("1"));
    client.say("MULTI");
    assert_eq!(client.say("EXEC"), Value::NullArray, "a was swapped away");
    // A key in neither database stays watched under its number.
    client.say("WATCH c");
    other.say("SWAPDB 0 1");
    other.say("SELECT 0");
    client.say("MULTI");
    assert_eq!(client.say("EXEC"), Value::Array(vec![]));
    client.say("WATCH c");
    other.say("SWAPDB 1 0");
    other.say("SET c 1");
    client.say("MULTI");
    assert_eq!(client.say("EXEC"), Value::NullArray);
}

/// Adds a list of 3 MB and a hash of 2 MB, more than a batch takes.
fn add_large(client: &mut super::Client) -> (Value, Value) {
    for part in 0..30 {
        let elements = (0..100).map(|i| format!("{part}.{i}.{}", "x".repeat(1000)).into_bytes());
        let mut push = words("RPUSH list");
        push.extend(elements.clone());
        client.call(&push);
        let mut set = words("HSET hash");
        for (i, element) in elements.enumerate() {
            set.extend([format!("{part}.{i}").into_bytes(), element[..700].to_vec()]);
        }
        client.call(&set);
    }
    (client.say("LRANGE list 0 -1"), client.say("HGETALL hash"))
}

#[test]
fn large_values_are_copied() {
    let ours = Ours::start();
    let mut client = ours.connect();
    let (list, hash) = add_large(&mut client);
    client.say("SET {t}list x");
    assert_eq!(client.say("RENAME list {t}list"), Value::Simple("OK".into()));
    assert_eq!(client.say("EXISTS list"), Value::Integer(0));
    assert_eq!(client.say("LRANGE {t}list 0 -1"), list);
    client.say("MULTI");
    client.say("COPY hash hash2");
    client.say("HDEL hash2 0.0");
    client.say("HLEN hash2");
    client.say("COPY hash hash DB 3");
    client.say("MOVE {t}list 3");
    let Value::Array(replies) = client.say("EXEC") else { panic!("no list") };
    assert_eq!(replies, [1, 1, 2999, 1, 1].map(Value::Integer));
    assert_eq!(client.say("HGETALL hash"), hash);
    assert_eq!(client.say("TYPE {t}list"), Value::Simple("none".into()));
    client.say("SELECT 3");
    assert_eq!(client.say("LRANGE {t}list 0 -1"), list);
    assert_eq!(client.say("HGETALL hash"), hash);
    for (key, read, value) in [("hash", "HGETALL", &hash), ("{t}list", "LRANGE", &list)] {
        let Value::Bulk(dump) = client.say(&format!("DUMP {key}")) else { panic!("no dump") };
        let restore = [b"RESTORE", &b"restored"[..], b"0", &dump, b"REPLACE"];
        assert_eq!(client.call(&restore), Value::Simple("OK".into()));
        let range = if read == "LRANGE" { " 0 -1" } else { "" };
        assert_eq!(client.say(&format!("{read} restored{range}")), *value);
    }
    assert_eq!(client.say("DBSIZE"), Value::Integer(3));
}

#[test]
fn waits() {
    let ours = Ours::start();
    let mut client = ours.connect();
    client.say("SET a 1");
    assert_eq!(client.say("WAIT 0 0"), Value::Integer(0));
    assert_eq!(client.say("WAIT 1 50"), Value::Integer(0));
    assert_eq!(client.say("WAIT 1 -1"), Value::Error("ERR timeout is negative".into()));
    let pair = Value::Array([1, 0].map(Value::Integer).to_vec());
    assert_eq!(client.say("WAITAOF 1 0 0"), pair);
    assert_eq!(client.say("WAITAOF 1 1 50"), pair);
    // The command is gone from the list of those that wait.
    let Value::Bulk(info) = client.say("INFO clients") else { panic!("no text") };
    let info = String::from_utf8(info).unwrap();
    assert!(info.contains("blocked_clients:0"), "{info}");
}
