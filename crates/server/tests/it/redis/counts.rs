//! What INFO and CLIENT LIST count.

use super::{Client, Ours, Value, words};
use ferrolith_server::clock::ManualClock;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Returns the number of a line of INFO's statistics.
fn number(client: &mut Client, name: &str) -> u64 {
    let Value::Bulk(text) = client.say("INFO all") else { panic!("no text") };
    let text = String::from_utf8(text).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name}:")));
    line.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
}

/// Each command, and how many keys it finds and misses.
#[test]
fn look_ups_of_commands_that_read_are_counted() {
    let ours = Ours::start();
    let mut client = ours.connect();
    for command in ["SET k v", "RPUSH l a b", "HSET h f v", "SADD s a", "ZADD z 1 a"] {
        client.say(command);
    }
    let cases = [
        ("SET k v", 0, 0),
        ("INCR n", 0, 0),
        ("LPOP l", 0, 0),
        ("DEL nope", 0, 0),
        ("GET k", 1, 0),
        ("GET nope", 0, 1),
        ("GET l", 1, 0),
        ("STRLEN k", 1, 0),
        ("MGET k nope k l", 3, 1),
        ("EXISTS k k nope", 2, 1),
        ("TYPE k", 1, 0),
        ("TTL nope", 0, 1),
        ("LRANGE l 0 -1", 1, 0),
        ("HGETALL h", 1, 0),
        ("HGET nope f", 0, 1),
        ("SINTER s nope", 1, 1),
        ("ZRANGE z 0 -1", 1, 0),
        ("ZUNION 2 z s", 2, 0),
        ("DUMP l", 1, 0),
        ("OBJECT ENCODING z", 1, 0),
        ("GETEX k EX 100", 1, 0),
        ("GETSET k w", 1, 0),
        ("GETDEL k", 1, 0),
        ("GETDEL k", 0, 1),
        ("SORT l ALPHA", 1, 0),
        ("SORT nope STORE d", 0, 1),
        ("SORT l BY k_* GET # GET v_*->f", 1, 2),
        ("SORT_RO l BY * ALPHA GET h*->f GET k_* GET k_*", 1, 4),
        ("SCAN 0", 0, 0),
        ("WATCH l", 0, 0),
    ];
    let mut counts = |command: &str| {
        client.say(command);
        (number(&mut client, "keyspace_hits"), number(&mut client, "keyspace_misses"))
    };
    let mut before = counts("PING");
    for (command, hits, misses) in cases {
        let after = counts(command);
        assert_eq!((after.0 - before.0, after.1 - before.1), (hits, misses), "{command}");
        before = after;
    }
    assert_eq!(counts("CONFIG RESETSTAT"), (0, 0));
}

/// Returns `calls` and `failed_calls` of BLPOP, and how often it was unblocked with an error.
fn waits(client: &mut Client) -> (String, String, String) {
    let Value::Bulk(all) = client.say("INFO everything") else { panic!("no text") };
    let all = String::from_utf8(all).unwrap();
    let line = |name: &str| all.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("");
    let part = |name| line("cmdstat_blpop:").split(',').find_map(|part| part.strip_prefix(name));
    let [calls, failed] = ["calls=", "failed_calls="].map(|name| part(name).unwrap_or("").into());
    (calls, failed, line("errorstat_UNBLOCKED:count=").into())
}

#[test]
fn commands_that_wait_are_counted_and_shown_once() {
    let ours = Ours::start();
    let (mut waiting, mut other, mut monitor) = (ours.connect(), ours.connect(), ours.connect());
    let Value::Integer(id) = waiting.say("CLIENT ID") else { panic!("no id") };
    assert_eq!(monitor.say("MONITOR"), Value::Simple("OK".into()));
    let all =
        |calls: &str, failed: &str, errors: &str| (calls.into(), failed.into(), errors.into());
    // Served, at the end of its time, and ended by others.
    let cases = [
        ("BLPOP l 0", Some("RPUSH l a".to_owned()), all("1", "0", "")),
        ("BLPOP l 0.01", None, all("2", "0", "")),
        ("BLPOP l 0", Some(format!("CLIENT UNBLOCK {id} ERROR")), all("3", "1", "1")),
        ("BLPOP l 0", Some(format!("CLIENT UNBLOCK {id}")), all("4", "2", "1")),
    ];
    for (command, end, expected) in cases {
        waiting.send(&words(command));
        if let Some(end) = end {
            let deadline = Instant::now() + Duration::from_secs(30);
            while number(&mut other, "blocked_clients") == 0 {
                assert!(Instant::now() < deadline, "{command} does not wait");
            }
            other.say(&end);
        }
        waiting.receive();
        assert_eq!(waits(&mut other), expected, "{command}");
    }
    other.say("PING the-end");
    let mut shown = 0;
    loop {
        let Value::Simple(line) = monitor.receive() else { panic!("no line") };
        shown += usize::from(line.contains("\"BLPOP\""));
        if line.contains("the-end") {
            break;
        }
    }
    assert_eq!(shown, 4);
}

#[test]
fn keys_that_are_removed_when_they_expire_are_counted() {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let ours = Ours::start_with(clock.clone());
    let mut client = ours.connect();
    client.say("CONFIG SET notify-keyspace-events Ex");
    client.say("SET a 1 PX 10");
    client.say("SET b 1 PX 20");
    client.say("SET c 1");
    clock.advance_ms(1000);
    let deadline = Instant::now() + Duration::from_secs(30);
    while number(&mut client, "expired_keys") < 2 {
        assert!(Instant::now() < deadline, "{}", number(&mut client, "expired_keys"));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(number(&mut client, "expired_keys"), 2);
}

#[test]
fn client_list_shows_requests_that_are_incomplete() {
    let ours = Ours::start();
    let (mut slow, mut other) = (ours.connect(), ours.connect());
    slow.say("CLIENT SETNAME slow");
    slow.raw(b"*2\r\n$3\r\nGET\r\n$5\r\nab");
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let Value::Bulk(text) = other.say("CLIENT LIST") else { panic!("no text") };
        let text = String::from_utf8(text).unwrap();
        let line = text.lines().find(|line| line.contains("name=slow")).expect("the client");
        if line.contains(" qbuf=19 ") {
            break;
        }
        assert!(Instant::now() < deadline, "{line}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
