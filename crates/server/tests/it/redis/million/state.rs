//! Comparing all keys of both servers, and carrying each value to the other server.

use super::{Pair, Value, words};

/// Compares times to live and contents of all keys of both databases, and restores each value on both servers from the
/// payload of the other one. Ends a transaction.
pub(super) fn compare(pair: &mut Pair) {
    pair.compare(&[words("DISCARD"), words("UNWATCH")]);
    for database in [1, 0] {
        // SCAN removes keys that have expired, which DBSIZE would count.
        let select = words(&format!("SELECT {database}"));
        pair.compare(&[select, words("KEYS *"), words("SCAN 0 COUNT 1000"), words("DBSIZE")]);
        let Value::Array(keys) = pair.theirs.say("KEYS *").sorted() else { panic!("no keys") };
        for key in keys {
            let Value::Bulk(key) = key else { panic!("no key: {key:?}") };
            let key = String::from_utf8(key).unwrap();
            contents(pair, &key);
            let payload = dump(pair, &key);
            restore(pair, payload);
            contents(pair, "restored");
            pair.compare(&[words("DEL restored")]);
        }
    }
}

/// Compares what a key holds.
fn contents(pair: &mut Pair, key: &str) {
    let Value::Simple(kind) = pair.theirs.say(&format!("TYPE {key}")) else { panic!("no type") };
    let read = match &kind[..] {
        "string" => format!("GET {key}"),
        "list" => format!("LRANGE {key} 0 -1"),
        "set" => format!("SMEMBERS {key}"),
        "hash" => format!("HGETALL {key}"),
        "zset" => format!("ZRANGE {key} 0 -1 WITHSCORES"),
        "stream" => format!("XRANGE {key} - +"),
        other => panic!("unknown type {other} of {key}"),
    };
    let mut commands = vec![words(&format!("TYPE {key}")), words(&format!("PEXPIRETIME {key}"))];
    commands.push(words(&read));
    if kind == "stream" {
        commands.push(words(&format!("XINFO GROUPS {key}")));
    }
    pair.compare(&commands);
}

/// Returns our payload and that of Redis.
fn dump(pair: &mut Pair, key: &str) -> [Vec<u8>; 2] {
    [&mut pair.ours, &mut pair.theirs].map(|client| match client.say(&format!("DUMP {key}")) {
        Value::Bulk(payload) => payload,
        other => panic!("DUMP {key}: {other:?}"),
    })
}

/// Restores Redis's payload here, and ours there.
fn restore(pair: &mut Pair, [ours, theirs]: [Vec<u8>; 2]) {
    for (client, payload) in [(&mut pair.ours, theirs), (&mut pair.theirs, ours)] {
        let reply = client.call(&[b"RESTORE", &b"restored"[..], b"0", &payload, b"REPLACE"]);
        assert_eq!(reply, Value::Simple("OK".into()), "b\"{}\"", payload.escape_ascii());
    }
}
