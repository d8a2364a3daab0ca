//! Exchanges payloads with a real Redis.

use fastrand::Rng;

use super::tests::{elements, normal, sealed, value};
use super::{FOOTER, Value, Version, decode, encode};
use crate::testing::redis::{Redis, Reply};

fn version(redis: &mut Redis) -> Version {
    let info = String::from_utf8(redis.text(&["INFO", "server"])).unwrap();
    if info.contains("redis_version:7.0.") { Version::V10 } else { Version::V11 }
}

fn restore(redis: &mut Redis, key: &str, value: &Value, version: Version) {
    let payload = encode(value, version);
    let reply = redis.call(&[b"RESTORE", key.as_bytes(), b"0", &payload, b"REPLACE"]);
    assert_eq!(reply, Reply::Text(b"OK".to_vec()), "{value:?}");
}

fn dumped(redis: &mut Redis, key: &str) -> Value {
    decode(&redis.text(&["DUMP", key]), usize::MAX).unwrap()
}

/// Our payload goes to Redis, Redis's comes back, and goes to Redis again. Values and Redis's digests stay equal.
#[test]
fn redis_reads_ours_and_we_read_its() {
    // Redis checks our listpacks in depth.
    let sanitize = ["--sanitize-dump-payload", "yes"];
    let Some(mut redis) = Redis::start_with(&sanitize) else { return };
    let version = version(&mut redis);
    let mut random = Rng::with_seed(1);
    for _ in 0..1500 {
        let ours = value(&mut random);
        restore(&mut redis, "ours", &ours, version);
        let theirs = dumped(&mut redis, "ours");
        assert_eq!(normal(theirs.clone(), version), normal(ours, version));
        restore(&mut redis, "again", &theirs, version);
        let digests = redis.call(&["DEBUG", "DIGEST-VALUE", "ours", "again"]);
        let Reply::Array(digests) = digests else { panic!("{digests:?}") };
        assert_eq!(digests[0], digests[1], "{theirs:?}");
        if matches!(theirs, Value::Stream(_)) {
            let [first, again] = ["ours", "again"]
                .map(|key| redis.call(&["XINFO", "STREAM", key, "FULL", "COUNT", "0"]));
            assert_eq!(without_nodes(first), without_nodes(again));
        }
    }
}

/// Removes from XINFO's reply what depends on the memory layout of the stream.
fn without_nodes(reply: Reply) -> Vec<Reply> {
    let Reply::Array(items) = reply else { panic!("{reply:?}") };
    let is_kept = |name: &Reply| {
        let Reply::Text(name) = name else { return true };
        !name.starts_with(b"radix-tree")
    };
    items.chunks(2).filter(|pair| is_kept(&pair[0])).flatten().cloned().collect()
}

/// Redis builds values with commands under settings that choose each of its encodings.
#[test]
fn encodings_that_redis_chooses() {
    let Some(mut redis) = Redis::start() else { return };
    let version = version(&mut redis);
    let mut random = Rng::with_seed(2);
    let settings = [
        ("hash-max-listpack-entries", ["0", "4", "1000"]),
        ("hash-max-listpack-value", ["8", "64", "100000"]),
        ("zset-max-listpack-entries", ["0", "4", "1000"]),
        ("zset-max-listpack-value", ["8", "64", "100000"]),
        ("set-max-intset-entries", ["0", "4", "1000"]),
        ("set-max-listpack-entries", ["0", "4", "1000"]),
        ("list-max-listpack-size", ["-1", "3", "-5"]),
        ("list-compress-depth", ["0", "1", "2"]),
        ("stream-node-max-entries", ["1", "7", "100"]),
        ("rdbcompression", ["yes", "no", "yes"]),
    ];
    let mut encodings = std::collections::BTreeSet::new();
    for _ in 0..800 {
        let (name, values) = settings[random.usize(..settings.len())];
        // Redis 7.0 does not know all of them.
        redis.call(&["CONFIG", "SET", name, values[random.usize(..3)]]);
        redis.call(&["DEL", "k"]);
        let elements = elements(&mut random);
        let kind = ["RPUSH", "SADD", "ZADD", "HSET", "XADD"][random.usize(..5)];
        match kind {
            "RPUSH" | "SADD" => {
                let mut command = vec![kind.into(), b"k".to_vec()];
                command.extend(elements.iter().cloned());
                redis.call(&command);
            }
            "ZADD" => {
                let mut command = vec![kind.into(), b"k".to_vec()];
                for member in &elements {
                    let score = random.f64() * [1.0, 1e9, 1e-9][random.usize(..3)];
                    let score = if random.bool() { score } else { score.trunc() };
                    command.extend([score.to_string().into_bytes(), member.clone()]);
                }
                redis.call(&command);
            }
            "HSET" => {
                let mut command = vec![kind.into(), b"k".to_vec()];
                for (i, field) in elements.iter().enumerate() {
                    command.extend([field.clone(), elements[elements.len() - 1 - i].clone()]);
                }
                redis.call(&command);
            }
            _ => add_to_stream(&mut redis, &mut random, &elements),
        }
        let payload = redis.text(&["DUMP", "k"]);
        encodings.insert(payload[0]);
        let decoded = decode(&payload, usize::MAX).unwrap();
        let count = match &decoded {
            Value::List(list) | Value::Set(list) => list.len(),
            Value::SortedSet(members) => members.len(),
            Value::Hash(fields) => fields.len(),
            _ => elements.len(),
        };
        assert_eq!(count, elements.len());
        restore(&mut redis, "again", &decoded, version);
        let digests = redis.call(&["DEBUG", "DIGEST-VALUE", "k", "again"]);
        let Reply::Array(digests) = digests else { panic!("{digests:?}") };
        assert_eq!(digests[0], digests[1], "{decoded:?}");
    }
    let (v10, v11): (&[u8], &[u8]) =
        (&[2, 4, 5, 11, 16, 17, 18, 19], &[2, 4, 5, 11, 16, 17, 18, 20, 21]);
    let expected = if version == Version::V10 { v10 } else { v11 };
    assert_eq!(encodings.into_iter().collect::<Vec<_>>(), expected);
}

/// Adds entries with alternating fields, deletes some, and lets consumers read and acknowledge.
fn add_to_stream(redis: &mut Redis, random: &mut Rng, elements: &[Vec<u8>]) {
    let mut ids = Vec::new();
    for element in elements {
        let field = [&b"temperature"[..], b"humidity"][usize::from(random.usize(..5) == 0)];
        ids.push(redis.text(&[b"XADD", &b"k"[..], b"*", field, element]));
    }
    redis.call(&["XGROUP", "CREATE", "k", "g", "0"]);
    redis.call(&["XGROUP", "CREATE", "k", "at end", "$"]);
    for consumer in ["a", "b", "c"] {
        let count = random.usize(1..20).to_string();
        redis.call(&["XREADGROUP", "GROUP", "g", consumer, "COUNT", &count, "STREAMS", "k", ">"]);
    }
    for id in &ids {
        match random.usize(..5) {
            0 => drop(redis.call(&[b"XDEL", &b"k"[..], id])),
            1 => drop(redis.call(&[b"XACK", &b"k"[..], b"g", id])),
            _ => {}
        }
    }
}

/// Damaged payloads with sound checksums: we accept nothing that Redis refuses, and what both accept is the same value.
/// Redis accepts more: a value that reaches into the checksum, scores with a rest that is no number, and last ids of
/// streams below an entry's.
#[test]
fn damaged_payloads_are_refused_or_the_same_values() {
    let sanitize = ["--sanitize-dump-payload", "yes"];
    let Some(mut redis) = Redis::start_with(&sanitize) else { return };
    let version = version(&mut redis);
    let mut random = Rng::with_seed(5);
    let values: Vec<Value> = (0..300).map(|_| value(&mut random)).collect();
    let payloads = values.iter().map(|value| encode(value, version));
    let bodies: Vec<Vec<u8>> = payloads
        .filter(|payload| payload.len() < 400)
        .map(|payload| payload[..payload.len() - FOOTER].to_vec())
        .collect();
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut body = bodies[random.usize(..bodies.len())].clone();
        crate::testing::mutate(&mut random, &mut body);
        let payload = sealed(&body, version);
        let reply = redis.call(&[b"RESTORE", &b"k"[..], b"0", &payload, b"REPLACE"]);
        match decode(&payload, usize::MAX) {
            Ok(ours) => {
                let ok = Reply::Text(b"OK".to_vec());
                assert_eq!(reply, ok, "{} {ours:?}", body.escape_ascii());
                let theirs = normal(dumped(&mut redis, "k"), version);
                assert_eq!(normal(ours, version), theirs, "{}", body.escape_ascii());
                accepted += 1;
            }
            Err(error) if reply != Reply::Text(b"OK".to_vec()) => {
                assert_eq!(reply, Reply::Error(error.reply().to_owned()));
            }
            Err(_) => {}
        }
    }
    assert!(accepted > 1000, "{accepted}");
}
