//! Fields that expire, with a clock that the test moves: examples, and random commands beside a model.

use super::{Client, Ours, Value, random_commands, words};
use fastrand::Rng;
use ferrolith_server::clock::ManualClock;
use std::collections::BTreeMap;
use std::sync::Arc;

const START_MS: u64 = 1_700_000_000_000;

fn start() -> (Ours, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START_MS));
    (Ours::start_with(clock.clone()), clock)
}

fn integers(list: &[i64]) -> Value {
    Value::Array(list.iter().map(|number| Value::Integer(*number)).collect())
}

#[test]
fn dumped_hashes_keep_the_expiries_of_their_fields() {
    let (ours, clock) = start();
    let mut client = ours.connect();
    client.say("HSET h a 1 b 2 c 3");
    client.say("HPEXPIRE h 100 FIELDS 1 a");
    client.say("HPEXPIRE h 5000 FIELDS 1 b");
    let Value::Bulk(dumped) = client.say("DUMP h") else { panic!("no payload") };
    let restore = |client: &mut Client, key: &str| {
        client.call(&[b"RESTORE", key.as_bytes(), b"0", &dumped].map(<[u8]>::to_vec))
    };
    clock.advance_ms(50);
    assert_eq!(restore(&mut client, "early"), Value::Simple("OK".into()));
    assert_eq!(client.say("HPTTL early FIELDS 3 a b c"), integers(&[50, 4950, -1]));
    clock.advance_ms(51);
    assert_eq!(restore(&mut client, "late"), Value::Simple("OK".into()));
    assert_eq!(client.say("HLEN late"), Value::Integer(2), "fields that have expired are left out");
    clock.advance_ms(4900);
    for key in ["early", "late"] {
        assert_eq!(client.say(&format!("HLEN {key}")), Value::Integer(1));
        assert_eq!(client.say(&format!("HGET {key} c")), Value::bulk("3"));
    }
}

#[test]
fn fields_expire_one_by_one() {
    let (ours, clock) = start();
    let mut client = ours.connect();
    client.say("HSET h a 1 b 2 c 3");
    assert_eq!(client.say("HPEXPIRE h 100 FIELDS 2 a nope"), integers(&[1, -2]));
    assert_eq!(client.say("HEXPIRE h 1 NX FIELDS 2 a b"), integers(&[0, 1]));
    assert_eq!(client.say("HPTTL h FIELDS 4 a b c d"), integers(&[100, 1000, -1, -2]));
    assert_eq!(client.say("HTTL h FIELDS 1 a"), integers(&[1]));
    let time = START_MS as i64 + 100;
    assert_eq!(client.say("HPEXPIRETIME h FIELDS 1 a"), integers(&[time]));
    clock.advance_ms(100);
    assert_eq!(client.say("HPTTL h FIELDS 1 a"), integers(&[0]), "its last millisecond");
    assert_eq!(client.say("HLEN h"), Value::Integer(3));
    clock.advance_ms(1);
    assert_eq!(client.say("HLEN h"), Value::Integer(2));
    assert_eq!(client.say("HGET h a"), Value::Null);
    assert_eq!(client.say("HSETNX h a 4"), Value::Integer(1));
    assert_eq!(client.say("HPTTL h FIELDS 1 a"), integers(&[-1]), "a new value has no expiry");
    assert_eq!(client.say("HINCRBY h b 5"), Value::Integer(7));
    assert_eq!(client.say("HPTTL h FIELDS 1 b"), integers(&[899]), "a sum keeps the expiry");
    assert_eq!(client.say("HPERSIST h FIELDS 3 a b x"), integers(&[-1, 1, -2]));
    clock.advance_ms(5000);
    assert_eq!(client.say("HLEN h"), Value::Integer(3));
}

#[test]
fn a_hash_whose_fields_have_all_expired_is_absent() {
    let (ours, clock) = start();
    let mut client = ours.connect();
    client.say("HSET h a 1 b 2");
    client.say("HPEXPIRE h 10 FIELDS 1 a");
    client.say("HPEXPIRE h 20 FIELDS 1 b");
    clock.advance_ms(11);
    assert_eq!(client.say("HGETALL h"), Value::Array(vec![Value::bulk("b"), Value::bulk("2")]));
    clock.advance_ms(10);
    assert_eq!(client.say("HLEN h"), Value::Integer(0));
    assert_eq!(client.say("HGETALL h"), Value::Array(vec![]));
    assert_eq!(client.say("TYPE h"), Value::Simple("none".into()));
    assert_eq!(client.say("DBSIZE"), Value::Integer(0));
    assert_eq!(client.say("KEYS *"), Value::Array(vec![]));
    assert_eq!(client.say("DEL h"), Value::Integer(0));
    client.say("HSET h c 3");
    assert_eq!(client.say("HKEYS h"), Value::Array(vec![Value::bulk("c")]));
    assert_eq!(client.say("HPEXPIRE h 0 FIELDS 1 c"), integers(&[2]), "a time in the past deletes");
    assert_eq!(client.say("DEL h"), Value::Integer(0));
}

#[test]
fn copies_keep_the_expiries_of_fields() {
    let (ours, clock) = start();
    let mut client = ours.connect();
    client.say("HSET h a 1 b 2");
    client.say("HPEXPIRE h 10 FIELDS 1 a");
    assert_eq!(client.say("COPY h copy"), Value::Integer(1));
    assert_eq!(client.say("RENAME h moved"), Value::Simple("OK".into()));
    for key in ["copy", "moved"] {
        let ttl = client.say(&format!("HPTTL {key} FIELDS 2 a b"));
        assert_eq!(ttl, integers(&[10, -1]), "{key}");
    }
    clock.advance_ms(11);
    for key in ["copy", "moved"] {
        assert_eq!(client.say(&format!("HLEN {key}")), Value::Integer(1), "{key}");
        assert_eq!(client.say(&format!("HSET {key} c 3")), Value::Integer(1), "{key}");
        assert_eq!(client.say(&format!("HLEN {key}")), Value::Integer(2), "{key}");
    }
}

#[test]
fn more_fields_expire_than_one_command_removes() {
    let (ours, clock) = start();
    let mut client = ours.connect();
    let name = |i: usize| format!("f{i:05}").into_bytes();
    let mut set = words("HSET h stays 1");
    let mut expire = words("HPEXPIRE h 10 FIELDS 5000");
    for i in 0..5000 {
        set.extend([name(i), b"v".to_vec()]);
        expire.push(name(i));
    }
    client.call(&set);
    client.call(&expire);
    clock.advance_ms(11);
    assert_eq!(client.say("HLEN h"), Value::Integer(1));
    // Each write removes a part. A field that is written again is not removed later.
    for left in [4000, 3000, 2000, 1000, 0] {
        assert_eq!(
            client.say("HSET h f04999 new"),
            Value::Integer(if left == 4000 { 1 } else { 0 })
        );
        assert_eq!(client.say("HLEN h"), Value::Integer(2));
        assert_eq!(client.say("HGET h f04999"), Value::bulk("new"), "{left} left");
    }
    assert_eq!(client.say("HDEL h stays f04999 f00000"), Value::Integer(2));
    assert_eq!(client.say("DEL h"), Value::Integer(0));
}

#[test]
fn errors_of_arguments() {
    let (ours, _) = start();
    let mut client = ours.connect();
    client.say("SET s 1");
    for (command, error) in [
        (
            "HEXPIRE s 1 FIELDS 1 a",
            "WRONGTYPE Operation against a key holding the wrong kind of value",
        ),
        ("HEXPIRE h x FIELDS 1 a", "ERR value is not an integer or out of range"),
        ("HEXPIRE h -1 FIELDS 1 a", "ERR invalid expire time, must be >= 0"),
        ("HEXPIRE h 99999999999999 FIELDS 1 a", "ERR invalid expire time in 'hexpire' command"),
        (
            "HEXPIRE h 1 XX FILDS 1 a",
            "ERR Mandatory argument FIELDS is missing or not at the right position",
        ),
        ("HEXPIRE h 1 FIELDS 0 a", "ERR Parameter `numFields` should be greater than 0"),
        (
            "HPEXPIREAT h 1 FIELDS 2 a",
            "ERR The `numfields` parameter must match the number of arguments",
        ),
        ("HTTL h FIELDS 0 a", "ERR Number of fields must be a positive integer"),
        (
            "HPERSIST h FIELDS 1 a b",
            "ERR The `numfields` parameter must match the number of arguments",
        ),
    ] {
        assert_eq!(client.say(command), Value::Error(error.into()), "{command}");
    }
}

#[test]
fn values_and_expiries_in_one_command() {
    let (ours, clock) = start();
    let mut client = ours.connect();
    let bulks = |list: &[&str]| {
        let value = |text: &&str| if text.is_empty() { Value::Null } else { Value::bulk(text) };
        Value::Array(list.iter().map(value).collect())
    };
    assert_eq!(client.say("HSETEX h FXX PX 50 FIELDS 1 a 1"), Value::Integer(0));
    assert_eq!(client.say("HSETEX h FNX PX 50 FIELDS 2 a 1 b 2"), Value::Integer(1));
    assert_eq!(client.say("HSETEX h FNX FIELDS 2 a 1 c 2"), Value::Integer(0));
    assert_eq!(client.say("HPTTL h FIELDS 3 a b c"), integers(&[50, 50, -2]));
    assert_eq!(client.say("HSETEX h KEEPTTL FIELDS 2 a 3 c 4"), Value::Integer(1));
    assert_eq!(client.say("HPTTL h FIELDS 2 a c"), integers(&[50, -1]));
    assert_eq!(client.say("HSETEX h FIELDS 1 b 5"), Value::Integer(1));
    assert_eq!(client.say("HPTTL h FIELDS 1 b"), integers(&[-1]));
    assert_eq!(client.say("HGETEX h PERSIST FIELDS 2 a x"), bulks(&["3", ""]));
    assert_eq!(client.say("HGETEX h EX 1 FIELDS 1 b"), bulks(&["5"]));
    assert_eq!(client.say("HGETEX h FIELDS 1 b"), bulks(&["5"]));
    assert_eq!(client.say("HPTTL h FIELDS 2 a b"), integers(&[-1, 1000]));
    assert_eq!(client.say("HGETDEL h FIELDS 3 a a x"), bulks(&["3", "", ""]));
    clock.advance_ms(1001);
    assert_eq!(client.say("HGETALL h"), bulks(&["c", "4"]));
    assert_eq!(client.say("HSETEX h PXAT 1 FIELDS 2 c 4 d 5"), Value::Integer(1));
    assert_eq!(client.say("EXISTS h"), Value::Integer(0));
    assert_eq!(client.say("HSETEX h EX 10 FIELDS 1 a 1"), Value::Integer(1));
    assert_eq!(client.say("HGETEX h PX 0 FIELDS 1 a"), bulks(&["1"]));
    assert_eq!(client.say("EXISTS h"), Value::Integer(0));
    for (command, error) in [
        (
            "HSETEX h EX 1 KEEPTTL FIELDS 1 a 1",
            "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified",
        ),
        ("HSETEX h FNX FXX FIELDS 1 a 1", "ERR Only one of FXX or FNX arguments can be specified"),
        ("HSETEX h BOGUS FIELDS 1 a 1", "ERR unknown argument: BOGUS"),
        ("HSETEX h FIELDS 0 a 1", "ERR invalid number of fields"),
        ("HSETEX h FIELDS 2 a 1", "ERR wrong number of arguments for 'hsetex' command"),
        ("HGETDEL h FIELDS 0 a", "ERR Number of fields must be a positive integer"),
    ] {
        assert_eq!(client.say(command), Value::Error(error.into()), "{command}");
    }
}

/// A hash: fields with their values and expiries.
#[derive(Default)]
struct Model(BTreeMap<String, (String, Option<u64>)>);

impl Model {
    fn expire(&mut self, now_ms: u64) {
        self.0.retain(|_, (_, expires)| expires.is_none_or(|at| at >= now_ms));
    }

    /// Runs a command, and returns its reply.
    fn run(&mut self, command: &[String], now_ms: u64) -> Value {
        let names = || command.iter().skip_while(|word| *word != "FIELDS").skip(2);
        match &command[0][..] {
            "HSET" => {
                let pairs = command[2..].chunks(2);
                let created = pairs.filter(|pair| {
                    self.0.insert(pair[0].clone(), (pair[1].clone(), None)).is_none()
                });
                Value::Integer(created.count() as i64)
            }
            "HINCRBY" => {
                let entry = self.0.entry(command[2].clone()).or_insert(("0".into(), None));
                let sum = entry.0.parse::<i64>().unwrap() + 1;
                entry.0 = sum.to_string();
                Value::Integer(sum)
            }
            "HDEL" => {
                let deleted = command[2..].iter().filter(|name| self.0.remove(*name).is_some());
                Value::Integer(deleted.count() as i64)
            }
            "HLEN" => Value::Integer(self.0.len() as i64),
            "DEL" => {
                let was_there = !self.0.is_empty();
                self.0.clear();
                Value::Integer(was_there.into())
            }
            "HGETALL" => {
                let pairs = self.0.iter().flat_map(|(name, (value, _))| [name, value]);
                Value::Array(pairs.map(|text| Value::bulk(text)).collect())
            }
            "HPERSIST" => integers(&names().map(|name| self.persist(name)).collect::<Vec<_>>()),
            "HPTTL" => {
                let left = |name| match self.0.get(name) {
                    None => -2,
                    Some((_, None)) => -1,
                    Some((_, Some(at))) => (at - now_ms) as i64,
                };
                integers(&names().map(left).collect::<Vec<_>>())
            }
            _ => {
                let at = now_ms + command[2].parse::<u64>().unwrap();
                let replies: Vec<_> =
                    names().map(|name| self.set_expiry(name, &command[3], at, now_ms)).collect();
                integers(&replies)
            }
        }
    }

    fn persist(&mut self, name: &String) -> i64 {
        match self.0.get_mut(name) {
            None => -2,
            Some((_, expires)) => expires.take().map_or(-1, |_| 1),
        }
    }

    fn set_expiry(&mut self, name: &String, condition: &str, at: u64, now_ms: u64) -> i64 {
        let Some((_, expires)) = self.0.get_mut(name) else { return -2 };
        let is_allowed = match condition {
            "NX" => expires.is_none(),
            "XX" => expires.is_some(),
            "GT" => expires.is_some_and(|old| at > old),
            "LT" => expires.is_none_or(|old| at < old),
            _ => true,
        };
        if !is_allowed {
            return 0;
        }
        *expires = Some(at);
        if at <= now_ms {
            self.0.remove(name);
            return 2;
        }
        1
    }
}

fn random_command(random: &mut Rng) -> Vec<String> {
    let names = |random: &mut Rng| -> Vec<String> {
        (0..random.usize(1..4)).map(|_| format!("f{}", random.usize(..8))).collect()
    };
    let with_fields = |mut command: Vec<String>, names: Vec<String>| {
        command.extend(["FIELDS".into(), names.len().to_string()]);
        command.extend(names);
        command
    };
    let head = |name: &str| vec![name.to_owned(), "h".to_owned()];
    match random.usize(..20) {
        0..=3 => {
            let mut command = head("HSET");
            for name in names(random) {
                command.extend([name, random.u32(..100).to_string()]);
            }
            command
        }
        4 => [head("HINCRBY"), vec![format!("f{}", random.usize(..8)), "1".into()]].concat(),
        5 => [head("HDEL"), names(random)].concat(),
        6 | 7 => head("HLEN"),
        8 | 9 => head("HGETALL"),
        10 => with_fields(head("HPERSIST"), names(random)),
        11 | 12 => with_fields(head("HPTTL"), names(random)),
        13 if random.usize(..5) == 0 => head("DEL"),
        _ => {
            let mut command = head("HPEXPIRE");
            command.push(random.u32(..30).to_string());
            if random.bool() {
                command.push(["NX", "XX", "GT", "LT"][random.usize(..4)].into());
            }
            with_fields(command, names(random))
        }
    }
}

#[test]
fn random_commands_reply_as_a_model_does() {
    let (ours, clock) = start();
    let mut client: Client = ours.connect();
    let mut random = Rng::with_seed(70);
    let (mut model, mut now_ms) = (Model::default(), START_MS);
    for _ in 0..random_commands(5000) {
        if random.usize(..3) == 0 {
            let step = random.u64(..10);
            clock.advance_ms(step);
            now_ms += step;
            model.expire(now_ms);
        }
        let command = random_command(&mut random);
        let expected = model.run(&command, now_ms);
        assert_eq!(client.call(&command), expected, "{command:?}");
    }
}
