//! SORT, compared with Redis, and values that DUMP and RESTORE carry between the two servers.

use super::{Client, Ours, Theirs, Value, compare, random_commands, show, words};
use fastrand::Rng;

fn pick<'a>(random: &mut Rng, list: &[&'a str]) -> &'a str {
    list[random.usize(..list.len())]
}

fn sort(random: &mut Rng) -> String {
    let name = if random.usize(..3) == 0 { "SORT_RO" } else { "SORT" };
    let key = pick(random, &["list", "set", "zset", "absent", "string", "words"]);
    let mut text = format!("{name} {key}");
    for _ in 0..random.usize(..5) {
        let option = pick(
            random,
            &["ASC", "desc", "ALPHA", "ALPHA", "LIMIT", "BY", "GET", "GET", "STORE", "x"],
        );
        text += " ";
        text += option;
        let values = match option {
            "LIMIT" => {
                let number = ["0", "1", "5", "-1", "100", "-10", "x", "9223372036854775807"];
                format!(" {} {}", pick(random, &number), pick(random, &number))
            }
            "BY" => {
                let by = ["w_*", "w_*", "h_*->w", "nosort", "#", "*", "h_*->", "none_*", "w_*->x"];
                format!(" {}", pick(random, &by))
            }
            "GET" => {
                let get = ["#", "w_*", "h_*->v", "h_*->none", "none_*", "x", "h_*", "list*"];
                format!(" {}", pick(random, &get))
            }
            "STORE" => format!(" {}", pick(random, &["stored", "stored", "string2", "set2"])),
            _ => String::new(),
        };
        text += &values;
        if random.usize(..40) == 0 {
            // An option without its value.
            text.truncate(text.len() - values.len());
        }
    }
    // Elements that have the same text to sort by are in any order in Redis.
    if text.contains("ALPHA") {
        text = text.replace("BY w_*->x", "BY u_*").replace("BY w_*", "BY u_*");
        text = text.replace("BY h_*->w", "BY u_*").replace("BY h_*->", "BY u_*");
        text = text.replace("BY none_*", "BY u_*").replace("BY *", "BY u_*");
    }
    // The order of an unsorted set is that of its hash table.
    let has_no_star = |part: &str| !part.split(' ').next().is_some_and(|by| by.contains('*'));
    if key == "set" && text.split("BY ").skip(1).any(has_no_star) {
        format!("SORT list {}", pick(random, &["", "ALPHA"]).trim())
    } else {
        text
    }
}

fn change(random: &mut Rng) -> String {
    let number = random.i32(-20..20);
    match random.usize(..14) {
        0 => format!("RPUSH list {number}"),
        1 => format!("RPUSH list {number}.5"),
        2 => format!("SADD set {number}"),
        3 => format!("ZADD zset {} {number}", random.i32(-5..5)),
        4 | 5 => format!("SET w_{number} {}", random.i32(-9..9)),
        6 => format!("SET w_{number} {}", pick(random, &["x", "1e3", " 5", "0x10", "inf", ""])),
        7 => format!("HSET h_{number} w {} v {}", random.i32(-9..9), random.u8(..)),
        8 => format!("RPUSH words {}", pick(random, &["a", "B", "b", "", "aa", "10", "9"])),
        9 => format!("LPOP {}", pick(random, &["list", "words", "stored"])),
        10 => format!("SREM set {number}"),
        11 => format!("DEL w_{number} h_{number} string2 set2"),
        12 => pick(random, &["SET string x", "SET string2 x", "SADD set2 x"]).into(),
        _ => pick(
            random,
            &["LRANGE stored 0 -1", "LRANGE string2 0 -1", "TYPE set2", "DEL list words"],
        )
        .into(),
    }
}

#[test]
fn sorts_as_redis() {
    let commands = |protocol: u8| {
        let mut random = Rng::with_seed(protocol.into());
        let mut next = |_| {
            let text = if random.bool() { sort(&mut random) } else { change(&mut random) };
            words(text.trim_end())
        };
        let numbers = (-20..20).flat_map(|at| [format!("{at}"), format!("{at}.5")]);
        let texts = ["a", "B", "b", "", "aa"].map(String::from);
        let unique = numbers.chain(texts).map(|at| words(&format!("SET u_{at} v{at}")));
        unique.chain((0..random_commands(12_000)).map(&mut next)).collect()
    };
    compare(commands, |_, value| value);
}

/// Returns commands that create values of all types, small and large.
fn values(random: &mut Rng) -> Vec<Vec<Vec<u8>>> {
    let mut commands = Vec::new();
    let element = |random: &mut Rng| match random.usize(..4) {
        0 => random.i64(..).to_string().into_bytes(),
        1 => random.i16(-200..200).to_string().into_bytes(),
        _ => (0..random.usize(..100)).map(|_| random.u8(..)).collect(),
    };
    for (at, count) in [1, 3, 40, 700].into_iter().enumerate() {
        for name in ["RPUSH", "SADD", "HSET", "ZADD", "SET"] {
            let mut command = vec![name.into(), format!("{name}{at}").into_bytes()];
            for _ in 0..if name == "SET" { 1 } else { count } {
                if name == "ZADD" {
                    let score = [random.f64() * 1e6, random.i32(-9..9).into(), f64::INFINITY];
                    command.push(score[random.usize(..3)].to_string().into_bytes());
                }
                command.push(element(random));
                if name == "HSET" {
                    command.push(element(random));
                }
            }
            commands.push(command);
        }
        let integers: Vec<_> =
            (0..count).map(|_| random.i32(..).to_string().into_bytes()).collect();
        let name = vec![b"SADD".to_vec(), format!("INTS{at}").into_bytes()];
        commands.push(name.into_iter().chain(integers).collect());
    }
    commands
}

/// Returns what a key holds.
fn content(client: &mut Client, key: &str) -> Value {
    let Value::Simple(ty) = client.say(&format!("TYPE {key}")) else { panic!("no type") };
    client.say(&match &ty[..] {
        "string" => format!("GET {key}"),
        "list" => format!("LRANGE {key} 0 -1"),
        "set" => format!("SMEMBERS {key}"),
        "hash" => format!("HGETALL {key}"),
        "zset" => format!("ZRANGE {key} 0 -1 WITHSCORES"),
        other => panic!("{key}: {other}"),
    })
}

/// Returns pairs of fields and values, or of members and scores; versions of Redis write scores differently.
fn pairs(value: Value, has_scores: bool) -> Value {
    let Value::Array(list) = value else { panic!("no list") };
    let pair = |pair: &[Value]| match pair {
        [member, Value::Bulk(score)] if has_scores => {
            let score = std::str::from_utf8(score).unwrap().parse::<f64>().unwrap();
            Value::Array(vec![member.clone(), Value::Double(score.to_string())])
        }
        pair => Value::Array(pair.to_vec()),
    };
    Value::Array(list.chunks(2).map(pair).collect())
}

#[test]
fn dumps_are_understood_by_the_other() {
    let Some(theirs) = Theirs::start() else { return };
    let ours = Ours::start();
    let (mut our, mut their) = (ours.connect(), theirs.connect());
    let mut random = Rng::with_seed(5);
    for command in values(&mut random) {
        let key = String::from_utf8(command[1].clone()).unwrap();
        assert_eq!(our.call(&command), their.call(&command), "{}", show(&command));
        let canonical = |client: &mut Client, key: &str| match &key[..1] {
            "H" => pairs(content(client, key), false).sorted(),
            "Z" => pairs(content(client, key), true),
            "R" => content(client, key),
            _ => content(client, key).sorted(),
        };
        let expected = canonical(&mut their, &key);
        let Value::Bulk(dump) = our.say(&format!("DUMP {key}")) else { panic!("{key}: no dump") };
        let restore =
            |dump: &[u8]| [b"RESTORE", &b"copy"[..], b"0", dump, b"REPLACE"].map(<[u8]>::to_vec);
        assert_eq!(their.call(&restore(&dump)), Value::Simple("OK".into()), "{key}");
        their.say(&format!("RENAME copy {key}copy"));
        assert_eq!(
            canonical(&mut their, &format!("{key}copy")),
            expected,
            "{key}: of ours in Redis"
        );
        let Value::Bulk(dump) = their.say(&format!("DUMP {key}")) else { panic!("{key}: no dump") };
        assert_eq!(our.call(&restore(&dump)), Value::Simple("OK".into()), "{key}");
        our.say(&format!("RENAME copy {key}copy"));
        assert_eq!(canonical(&mut our, &format!("{key}copy")), expected, "{key}: of Redis in ours");
    }
}

#[test]
fn restores_as_redis() {
    let commands = |protocol: u8| {
        let mut random = Rng::with_seed(u64::from(protocol) + 10);
        let Some(theirs) = Theirs::start() else { return Vec::new() };
        let mut client = theirs.connect();
        let mut dumps = vec![b"".to_vec(), b"x".to_vec(), vec![1; 20]];
        for command in values(&mut random) {
            client.call(&command);
            let Value::Bulk(dump) = client.call(&[b"DUMP", &command[1][..]]) else {
                panic!("no dump")
            };
            if dump.len() < 2000 {
                dumps.push(dump);
            }
        }
        (0..random_commands(3000)).map(|_| restore(&mut random, &dumps)).collect()
    };
    let canonical = |command: &[Vec<u8>], value: Value| match (&command[0][..], value) {
        (b"PTTL", Value::Integer(time)) => Value::Integer(time.min(1)),
        (_, value) => value.sorted(),
    };
    compare(commands, canonical);
}

fn restore(random: &mut Rng, dumps: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let key = pick(random, &["a", "b", "c"]);
    match random.usize(..8) {
        0 => return words(&format!("DEL {key}")),
        1 => return words(&format!("TYPE {key}")),
        2 => return words(&format!("PTTL {key}")),
        3 => return words(&format!("OBJECT ENCODING {key}")),
        _ => {}
    }
    let time = pick(random, &["0", "0", "100000", "-1", "x", "4102444800000", "1"]);
    let mut command = words(&format!("RESTORE {key} {time}"));
    command.push(dumps[random.usize(..dumps.len())].clone());
    for _ in 0..random.usize(..3) {
        let option = [
            "REPLACE",
            "REPLACE",
            "absttl",
            "IDLETIME 10",
            "FREQ 5",
            "FREQ 256",
            "IDLETIME -1",
            "IDLETIME",
            "x",
        ];
        command.extend(words(pick(random, &option)));
    }
    // Relative times must not end during the test, nor absolute ones begin in the past.
    let is_absolute = command.iter().any(|word| word == b"absttl");
    if time == "1" && !is_absolute {
        command[2] = b"0".to_vec();
    }
    command
}
