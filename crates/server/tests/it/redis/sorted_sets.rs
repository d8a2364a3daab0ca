//! Sorted sets: the same random commands on a real Redis.

use super::{Ours, Value, compare, random_commands, words};
use fastrand::Rng;

type Command = Vec<Vec<u8>>;

/// Random commands on a few keys, one of which holds a string. All members of `l1` and `l2` have the same score.
fn commands(protocol: u8) -> Vec<Command> {
    let mut random = Rng::with_seed(u64::from(protocol) + 50);
    let mut commands =
        vec![words("SET string text"), words("SADD s1 m1 m2 m3 m4 m5"), words("SADD s2 m2 m9")];
    commands.extend((0..random_commands(15_000)).map(|_| {
        let mut command = match random.usize(..10) {
            0..=4 => write(&mut random),
            5..=8 => read(&mut random),
            _ => combine(&mut random),
        };
        match random.usize(..80) {
            0 if command[0] != b"ZRANDMEMBER" => drop(command.pop()),
            // ZRANK has had an option since Redis 7.2.
            1 if !command[0].ends_with(b"RANK") => command.push(b"extra".to_vec()),
            // Members of `l1` and `l2` keep their score.
            2 if command[0] != b"ZRANDMEMBER"
                && !command.iter().any(|word| word.starts_with(b"l")) =>
            {
                let at = random.usize(1..command.len());
                command[at] = b"1".to_vec();
            }
            _ => {}
        }
        command
    }));
    commands
}

fn pick<'a>(random: &mut Rng, list: &[&'a str]) -> &'a str {
    list[random.usize(..list.len())]
}

fn key(random: &mut Rng) -> Vec<u8> {
    pick(random, &["z1", "z1", "z2", "z2", "z3", "z4", "absent", "string"]).into()
}

fn lex_key(random: &mut Rng) -> Vec<u8> {
    pick(random, &["l1", "l2", "l2", "l3"]).into()
}

fn member(random: &mut Rng) -> Vec<u8> {
    match random.usize(..10) {
        0 => Vec::new(),
        1 => vec![0xff, 0],
        2 => vec![b'y'; 100],
        _ => format!("m{}", random.usize(..30)).into_bytes(),
    }
}

fn score(random: &mut Rng) -> Vec<u8> {
    let texts = [
        "0",
        "-0",
        "1",
        "-1",
        "1.5",
        "inf",
        "-inf",
        "+inf",
        "3",
        "3",
        "2.25",
        "1e300",
        "-1e-300",
        "nan",
        "x",
        "",
        "0x1p3",
        "1e400",
        " 1",
        "17179869184",
        "0.1",
        "-0.0",
        "9007199254740993",
    ];
    match random.usize(..4) {
        0 => random.i32(-5..5).to_string().into(),
        1 => (f64::from(random.i32(-50..50)) / 8.0).to_string().into(),
        _ => {
            let common = if random.usize(..4) == 0 { texts.len() } else { 10 };
            pick(random, &texts[..common]).into()
        }
    }
}

fn write(random: &mut Rng) -> Command {
    let name = pick(
        random,
        &[
            "ZADD",
            "ZADD",
            "ZADD",
            "ZADD",
            "LEXADD",
            "LEXADD",
            "ZINCRBY",
            "ZREM",
            "ZREM",
            "ZPOPMIN",
            "ZPOPMAX",
            "BZPOPMIN",
            "BZPOPMAX",
            "ZMPOP",
            "BZMPOP",
            "ZREMRANGEBYRANK",
            "ZREMRANGEBYSCORE",
            "ZREMRANGEBYLEX",
            "ZRANGESTORE",
            "DEL",
        ],
    );
    let mut command: Command = vec![name.into(), key(random)];
    match name {
        "ZADD" => {
            for _ in 0..random.usize(..5).saturating_sub(2) {
                command.push(pick(random, &["NX", "xx", "GT", "LT", "CH", "incr"]).into());
            }
            let pairs = random.usize(1..4);
            (0..pairs).for_each(|_| command.extend([score(random), member(random)]));
        }
        "LEXADD" => {
            command = vec![b"ZADD".to_vec(), lex_key(random)];
            (0..random.usize(1..4)).for_each(|_| command.extend([b"7".to_vec(), member(random)]));
        }
        "ZINCRBY" => command.extend([score(random), member(random)]),
        "ZREM" => command.extend((0..random.usize(1..4)).map(|_| member(random))),
        "ZPOPMIN" | "ZPOPMAX" if random.bool() => command.push(count(random)),
        // With something to pop, or with an error: an empty one would wait.
        "BZPOPMIN" | "BZPOPMAX" => {
            command.extend([key(random), b"always".to_vec()]);
            command.push(pick(random, &["0.001", "0.001", "x", "-1", "1e-3"]).into());
        }
        "ZMPOP" | "BZMPOP" => {
            command = vec![name.into()];
            if name == "BZMPOP" {
                command.push(pick(random, &["0.001", "0.002", "-1", "x"]).into());
            }
            let keys = random.usize(1..3);
            command.push(if random.usize(..9) == 0 {
                count(random)
            } else {
                keys.to_string().into()
            });
            command.extend((0..keys).map(|_| key(random)));
            command.push(pick(random, &["MIN", "max", "max", "MIDDLE"]).into());
            if random.bool() {
                command.extend([b"COUNT".to_vec(), count(random)]);
            }
        }
        "ZREMRANGEBYRANK" => command.extend([index(random), index(random)]),
        "ZREMRANGEBYSCORE" => command.extend([bound(random), bound(random)]),
        "ZREMRANGEBYLEX" => {
            command[1] = lex_key(random);
            command.extend([lex(random), lex(random)]);
        }
        "ZRANGESTORE" => {
            command = range(random, "ZRANGE");
            command[0] = name.into();
            command.insert(1, key(random));
        }
        _ => {}
    }
    command
}

fn count(random: &mut Rng) -> Vec<u8> {
    pick(random, &["0", "1", "2", "3", "10", "-1", "x", "9223372036854775807"]).into()
}

fn index(random: &mut Rng) -> Vec<u8> {
    match random.usize(..12) {
        0 => pick(random, &["x", "9223372036854775807", "-9223372036854775808", "1.5"]).into(),
        1 => "-1".into(),
        _ => random.i32(-12..12).to_string().into(),
    }
}

fn bound(random: &mut Rng) -> Vec<u8> {
    let mut bound = pick(random, &["", "", "", "("]).as_bytes().to_vec();
    bound.extend(score(random));
    bound
}

fn lex(random: &mut Rng) -> Vec<u8> {
    match random.usize(..6) {
        0 => b"-".to_vec(),
        1 => b"+".to_vec(),
        2 => pick(random, &["", "x", "--", "[", "("]).into(),
        _ => {
            let mut bound = pick(random, &["[", "("]).as_bytes().to_vec();
            bound.extend(member(random));
            bound
        }
    }
}

/// A command of the family of ZRANGE.
fn range(random: &mut Rng, name: &str) -> Command {
    let order = match name {
        "ZRANGE" => pick(random, &["", "BYSCORE", "BYLEX", "BYSCORE", "BYLEX"]),
        "ZREVRANGE" => "",
        "ZRANGEBYSCORE" | "ZREVRANGEBYSCORE" => "BYSCORE",
        _ => "BYLEX",
    };
    let mut command: Command = vec![name.into()];
    match order {
        "" => command.extend([key(random), index(random), index(random)]),
        "BYSCORE" => command.extend([key(random), bound(random), bound(random)]),
        _ if random.usize(..8) == 0 => {
            // All members, also of sets with several scores.
            command.push(key(random));
            command.extend(words(pick(random, &["- +", "+ -"])));
        }
        _ => command.extend([lex_key(random), lex(random), lex(random)]),
    }
    if name == "ZRANGE" {
        if !order.is_empty() {
            command.push(order.into());
        }
        if random.bool() {
            command.push(b"REV".to_vec());
        }
    }
    if random.usize(..3) == 0 {
        command.push(b"withscores".to_vec());
    }
    if random.usize(..3) == 0 {
        command.extend([b"limit".to_vec(), index(random), index(random)]);
    }
    command
}

fn read(random: &mut Rng) -> Command {
    let name = pick(
        random,
        &[
            "ZCARD",
            "ZSCORE",
            "ZMSCORE",
            "ZRANK",
            "ZREVRANK",
            "ZCOUNT",
            "ZLEXCOUNT",
            "ZRANGE",
            "ZRANGE",
            "ZRANGE",
            "ZREVRANGE",
            "ZRANGEBYSCORE",
            "ZREVRANGEBYSCORE",
            "ZRANGEBYLEX",
            "ZREVRANGEBYLEX",
            "ZRANDMEMBER",
        ],
    );
    let mut command: Command = vec![name.into(), key(random)];
    match name {
        "ZSCORE" | "ZRANK" | "ZREVRANK" => command.push(member(random)),
        "ZMSCORE" => command.extend((0..random.usize(1..4)).map(|_| member(random))),
        "ZCOUNT" => command.extend([bound(random), bound(random)]),
        "ZLEXCOUNT" => command = vec![name.into(), lex_key(random), lex(random), lex(random)],
        "ZRANDMEMBER" => command.extend(match random.usize(..4) {
            0 => words("0"),
            1 => words("1000 WITHSCORES"),
            2 => words("5 nope"),
            _ => words("x withscores"),
        }),
        "ZCARD" => {}
        _ => command = range(random, name),
    }
    command
}

fn combine(random: &mut Rng) -> Command {
    let name = pick(
        random,
        &["ZUNION", "ZINTER", "ZDIFF", "ZINTERCARD", "ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE"],
    );
    let mut command: Command = vec![name.into()];
    if name.ends_with("STORE") {
        command.push(pick(random, &["z3", "z4", "z1"]).into());
    }
    let keys = random.usize(1..4);
    command.push(if random.usize(..15) == 0 { count(random) } else { keys.to_string().into() });
    command.extend((0..keys).map(|_| match random.usize(..8) {
        0 => lex_key(random),
        1 | 2 => pick(random, &["s1", "s2"]).into(),
        _ => key(random),
    }));
    if random.usize(..3) == 0 {
        command.push(b"WEIGHTS".to_vec());
        command.extend((0..keys).map(|_| score(random)));
    }
    if random.usize(..3) == 0 {
        command.push(b"AGGREGATE".to_vec());
        command.push(pick(random, &["SUM", "min", "MAX", "AVG"]).into());
    }
    if random.usize(..4) == 0 {
        command.push(b"WITHSCORES".to_vec());
    }
    if random.usize(..4) == 0 || name == "ZINTERCARD" {
        command.extend([b"LIMIT".to_vec(), count(random)]);
    }
    command
}

/// Reads scores as numbers: Redis 7.0 prints them with 17 digits, and stores -0 in large sorted sets only. Sorts what
/// has no order.
fn canonical(command: &[Vec<u8>], value: Value) -> Value {
    let value = numbers(value);
    if !command[0].eq_ignore_ascii_case(b"ZRANDMEMBER") {
        return value;
    }
    match value {
        Value::Array(list) => {
            let is_flat = matches!(list.first(), Some(Value::Bulk(_) | Value::Double(_)));
            let size = if is_flat { 2 } else { 1 };
            let pairs = list.chunks(size).map(|pair| Value::Array(pair.to_vec())).collect();
            Value::Array(pairs).sorted()
        }
        other => other,
    }
}

pub fn numbers(value: Value) -> Value {
    match value {
        Value::Array(list) => Value::Array(list.into_iter().map(numbers).collect()),
        Value::Double(text) => Value::Double(format!("{:?}", text.parse::<f64>().unwrap() + 0.0)),
        Value::Bulk(bytes) => match std::str::from_utf8(&bytes).map(str::parse::<f64>) {
            Ok(Ok(number)) => Value::bulk(&format!("{:?}", number + 0.0)),
            _ => Value::Bulk(bytes),
        },
        other => other,
    }
}

#[test]
fn sorted_sets_reply_as_redis_does() {
    compare(commands, canonical);
}

/// Members of the large sets, of which all of `l` have the same score.
const LARGE: usize = 9_000;

fn large_member(random: &mut Rng) -> String {
    format!("m{:05}", random.usize(..LARGE + 1000))
}

/// A command on a large set.
fn large_command(random: &mut Rng) -> Vec<Command> {
    let key = pick(random, &["big", "l"]);
    let score = |random: &mut Rng| if key == "l" { 0 } else { random.i64(-900..900) };
    let (one, other) = (large_member(random), large_member(random));
    let rank = random.usize(..LARGE);
    let (low, high) = (random.i64(-950..950), random.i64(-950..950));
    let text = match random.usize(..24) {
        0..=2 => format!("ZADD {key} {} {one} {} {other}", score(random), score(random)),
        3 => format!("ZREM {key} {one} {other}"),
        4 => format!("ZINCRBY {key} {} {one}", score(random)),
        5..=7 => format!("ZRANK {key} {one}"),
        8..=10 => format!("ZREVRANK {key} {one}"),
        11..=13 => format!("ZCOUNT big {low} ({high}"),
        14 | 15 => format!("ZLEXCOUNT l [{one} ({other}"),
        16 | 17 => format!("ZRANGE {key} {rank} {}", rank + 3),
        18 => format!("ZREVRANGE {key} {rank} {} WITHSCORES", rank + 2),
        19 => format!("ZREMRANGEBYRANK {key} {rank} {}", rank + 1),
        20 => pick(random, &["ZPOPMIN big", "ZPOPMAX l 3", "ZCARD big"]).into(),
        21 => {
            let commands = [
                "MULTI".into(),
                format!("ZADD {key} {} {one}", score(random)),
                format!("ZRANK {key} {one}"),
                format!("ZREM {key} {other}"),
                format!("ZREVRANK {key} {one}"),
                format!("ZRANGE {key} {rank} {rank}"),
                "EXEC".into(),
            ];
            return commands.iter().map(|text| words(text)).collect();
        }
        22 => {
            let source = "redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2]) redis.call('ZREM', KEYS[1], ARGV[3]) \
                          return {redis.call('ZRANK', KEYS[1], ARGV[2]), redis.call('ZCOUNT', KEYS[1], -100, 100)}";
            let score = score(random).to_string();
            let words = ["EVAL", source, "1", key, &score, &one, &other];
            return vec![words.map(|word| word.as_bytes().to_vec()).to_vec()];
        }
        _ => pick(
            random,
            &[
                "COPY big copy REPLACE",
                "ZRANK copy m00500",
                "DEL copy",
                "RENAME l l2",
                "RENAME l2 l",
            ],
        )
        .into(),
    };
    vec![words(&text)]
}

#[test]
fn large_sets_have_the_ranks_of_redis() {
    let commands = |protocol: u8| {
        let mut random = Rng::with_seed(u64::from(protocol) + 90);
        let mut commands = Vec::new();
        for key in ["big", "l"] {
            for first in (0..LARGE).step_by(500) {
                let mut command = words(&format!("ZADD {key}"));
                for at in first..first + 500 {
                    let score = if key == "l" { 0 } else { random.i64(-900..900) };
                    command.extend(words(&format!("{score} m{at:05}")));
                }
                commands.push(command);
            }
        }
        let count = random_commands(600);
        commands.extend((0..count).flat_map(|_| large_command(&mut random)));
        commands
    };
    compare(commands, canonical);
}

/// Clients ask for ranks while others write: what is there in the end is counted, whatever was divided meanwhile.
#[test]
fn ranks_are_right_after_concurrent_writes() {
    let ours = Ours::start();
    let mut client = ours.connect();
    for first in (0..30_000).step_by(1000) {
        let mut command = words("ZADD z");
        (first..first + 1000).for_each(|at| command.extend(words(&format!("{at} m{at}"))));
        client.call(&command);
    }
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let mut client = ours.connect();
            scope.spawn(move || {
                let mut random = Rng::with_seed(writer);
                for _ in 0..1500 {
                    let (score, member) = (random.u32(..30_000), random.u32(..40_000));
                    client.say(&format!("ZADD z {score} m{member}"));
                    client.say(&format!("ZREM z m{}", random.u32(..40_000)));
                }
            });
        }
        for reader in 0..2 {
            let mut client = ours.connect();
            scope.spawn(move || {
                let mut random = Rng::with_seed(10 + reader);
                for _ in 0..1500 {
                    let reply = client.say(&format!("ZRANK z m{}", random.u32(..40_000)));
                    assert!(matches!(reply, Value::Integer(_) | Value::Null), "{reply:?}");
                    client.say(&format!("ZLEXCOUNT z [m{} +", random.u32(..40_000)));
                }
            });
        }
    });
    assert!(!ours.server.ranks.is_empty());
    let Value::Array(members) = client.say("ZRANGE z 0 -1") else { panic!("no members") };
    let mut commands = vec![words("ZLEXCOUNT z - +"), words("ZCOUNT z 100 +inf")];
    for member in members.iter().step_by(97) {
        let Value::Bulk(member) = member else { panic!("no member") };
        commands.push(vec![b"ZRANK".to_vec(), b"z".to_vec(), member.clone()]);
    }
    let found = client.pipeline(&commands);
    assert_eq!(found[0], Value::Integer(members.len() as i64));
    let Value::Array(high) = client.say("ZRANGEBYSCORE z 100 +inf") else { panic!("no members") };
    assert_eq!(found[1], Value::Integer(high.len() as i64));
    for (at, found) in found[2..].iter().enumerate() {
        assert_eq!(*found, Value::Integer(97 * at as i64));
    }
}
