//! Clients that cache keys, and the messages that tell them to forget some.

use super::{Client, Ours, Theirs, Value, random_commands, show, words};
use fastrand::Rng;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn ok() -> Value {
    Value::Simple("OK".into())
}

fn invalidation(keys: &[&str]) -> Value {
    let keys = keys.iter().map(|key| Value::bulk(key)).collect();
    Value::Push(vec![Value::bulk("invalidate"), Value::Array(keys)])
}

/// Returns a client of RESP3.
fn connect(ours: &Ours) -> Client {
    let mut client = ours.connect();
    client.say("HELLO 3");
    client
}

#[test]
fn errors_and_descriptions_are_those_of_redis() {
    const WORDS: [&str; 13] = [
        "on",
        "on",
        "off",
        "bcast",
        "optin",
        "optout",
        "noloop",
        "prefix a",
        "prefix ab",
        "prefix b",
        "redirect 999999",
        "redirect x",
        "nope",
    ];
    let Some(theirs) = Theirs::start() else { return };
    let ours = Ours::start();
    let (mut our, mut their) = (ours.connect(), theirs.connect());
    let mut random = Rng::with_seed(4);
    for _ in 0..random_commands(3000) {
        let line = match random.usize(..8) {
            0 => "CLIENT TRACKINGINFO".to_owned(),
            1 => "CLIENT GETREDIR".to_owned(),
            2 => format!("CLIENT CACHING {}", random.choice(["yes", "no", "x"]).unwrap()),
            3 => "CLIENT TRACKING off".to_owned(),
            _ => {
                let options = (0..random.usize(..4)).map(|_| random.choice(WORDS).unwrap());
                let options: Vec<_> = options.collect();
                // Redis 7.0 replies twice when the second given prefix overlaps a later one.
                if options.iter().filter(|word| word.starts_with("prefix")).count() > 1 {
                    continue;
                }
                format!("CLIENT TRACKING on {}", options.join(" ")).trim_end().to_owned()
            }
        };
        assert_eq!(our.say(&line).sorted(), their.say(&line).sorted(), "{line}");
    }
}

#[test]
fn messages_follow_the_replies() {
    let ours = Ours::start();
    let (mut client, mut other) = (connect(&ours), ours.connect());
    assert_eq!(client.say("CLIENT TRACKING on"), ok());
    other.say("MSET a 1 b 2");
    assert_eq!(client.say("MGET a b"), Value::Array(vec![Value::bulk("1"), Value::bulk("2")]));
    other.say("MSET a 2 c 3");
    assert_eq!(client.receive(), invalidation(&["a"]));
    other.say("SET a 3");
    client.send(&words("SET b 3"));
    assert_eq!([client.receive(), client.receive()], [ok(), invalidation(&["b"])]);
    for line in ["GET a", "MULTI", "INCR a", "GET b"] {
        client.say(line);
    }
    let replies = Value::Array(vec![Value::Integer(4), Value::bulk("3")]);
    assert_eq!(client.say("EXEC"), replies);
    assert_eq!(client.receive(), invalidation(&["a"]));
    client.call(&["EVAL", "return redis.call('GET', KEYS[1])", "1", "a"]);
    other.say("DEL a");
    assert_eq!(client.receive(), invalidation(&["a"]));
    client.say("GET b");
    other.say("FLUSHALL");
    assert_eq!(client.receive(), Value::Push(vec![Value::bulk("invalidate"), Value::Null]));
    client.say("CLIENT TRACKING off");
    assert!(!ours.server.tracking.is_on());
}

#[test]
fn keys_that_expire_are_told() {
    let ours = Ours::start();
    let (mut client, mut other) = (connect(&ours), ours.connect());
    other.say("SET a 1 PX 300");
    client.say("CLIENT TRACKING on");
    assert_eq!(client.say("GET a"), Value::bulk("1"));
    assert_eq!(client.receive(), invalidation(&["a"]));
    client.say("CLIENT TRACKING off");
    client.say("CLIENT TRACKING on BCAST PREFIX b");
    other.say("SET b 1 PX 1");
    assert_eq!([client.receive(), client.receive()], [invalidation(&["b"]), invalidation(&["b"])]);
    other.say("CONFIG SET notify-keyspace-events KEA");
    let mut subscriber = ours.connect();
    subscriber.say("SUBSCRIBE __keyevent@0__:expired");
    other.say("SET c 1 PX 1");
    let Value::Array(message) = subscriber.receive() else { panic!() };
    assert_eq!(message[2], Value::bulk("c"));
}

#[test]
fn the_number_of_tracked_keys_is_bounded() {
    let ours = Ours::start();
    let mut client = connect(&ours);
    client.say("CLIENT TRACKING on");
    (0..50).for_each(|at| _ = client.say(&format!("GET k{at}")));
    assert_eq!(ours.server.tracking.sizes().keys, 50);
    assert_eq!(client.say("CONFIG SET tracking-table-max-keys 10"), ok());
    (0..40).for_each(|_| assert!(matches!(client.receive(), Value::Push(_))));
    client.send(&words("GET new"));
    assert_eq!(client.receive(), Value::Null);
    assert!(matches!(client.receive(), Value::Push(_)));
    drop(client);
    let start = Instant::now();
    while ours.server.tracking.is_on() {
        assert!(start.elapsed() < Duration::from_secs(20), "the table is freed");
    }
    assert_eq!(ours.server.tracking.sizes().readers, 0);
}

/// A client that reads through a cache.
struct Caching {
    client: Client,
    cache: HashMap<String, Value>,
}

impl Caching {
    fn new(ours: &Ours) -> Caching {
        let mut client = connect(ours);
        client.say("CLIENT TRACKING on");
        Caching { client, cache: HashMap::new() }
    }

    /// Sends a command and returns its reply. Messages before it change the cache.
    fn call(&mut self, line: &str) -> Value {
        self.client.send(&words(line));
        loop {
            match self.client.receive() {
                Value::Push(parts) => {
                    let Value::Array(keys) = &parts[1] else { panic!("{parts:?}") };
                    for key in keys {
                        let Value::Bulk(key) = key else { panic!("{key:?}") };
                        self.cache.remove(&String::from_utf8_lossy(key).into_owned());
                    }
                }
                reply => return reply,
            }
        }
    }

    fn read(&mut self, random: &mut Rng) {
        let key = format!("k{}", random.u8(..8));
        if !self.cache.contains_key(&key) {
            let value = self.call(&format!("GET {key}"));
            self.cache.insert(key, value);
        } else {
            self.call("PING");
        }
    }
}

#[test]
fn caches_never_keep_an_old_value() {
    let ours = Ours::start();
    let is_over = AtomicBool::new(false);
    let caches: Vec<Caching> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|seed| {
                let mut client = ours.connect();
                scope.spawn(move || {
                    let mut random = Rng::with_seed(seed);
                    for at in 0..random_commands(600) {
                        let (key, value) = (random.u8(..8), seed * 1_000_000 + at as u64);
                        let lines = [format!("SET k{key} {value}"), format!("DEL k{key}")];
                        let command = words(random.choice(&lines).unwrap());
                        assert!(
                            !matches!(client.call(&command), Value::Error(_)),
                            "{}",
                            show(&command)
                        );
                    }
                })
            })
            .collect();
        let readers: Vec<_> = (0..3)
            .map(|seed| {
                let (mut caching, is_over) = (Caching::new(&ours), &is_over);
                scope.spawn(move || {
                    let mut random = Rng::with_seed(seed);
                    while !is_over.load(Ordering::Acquire) {
                        caching.read(&mut random);
                    }
                    caching
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        is_over.store(true, Ordering::Release);
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    let mut client = ours.connect();
    for mut caching in caches {
        caching.call("PING");
        for (key, value) in &caching.cache {
            assert_eq!(*value, client.say(&format!("GET {key}")), "{key}");
        }
    }
}
