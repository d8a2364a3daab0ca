//! Hashes: the same random commands on a real Redis, and fields that expire.

use super::{Value, compare, random_commands};
use fastrand::Rng;

type Command = Vec<Vec<u8>>;

/// Random commands on a few keys, one of which holds a string.
fn commands(protocol: u8) -> Vec<Command> {
    let mut random = Rng::with_seed(u64::from(protocol) + 40);
    let mut commands = vec![super::words("SET string text")];
    commands.extend((0..random_commands(10_000)).map(|_| command(&mut random)));
    commands
}

fn key(random: &mut Rng) -> &'static str {
    ["h1", "h2", "h3", "h4", "absent", "string"][random.usize(..6)]
}

fn field(random: &mut Rng) -> Vec<u8> {
    match random.usize(..12) {
        0 => Vec::new(),
        1 => vec![0, 0xff, b'\r', b'\n'],
        2 => vec![b'x'; 100],
        _ => format!("f{}", random.usize(..20)).into_bytes(),
    }
}

fn value(random: &mut Rng) -> Vec<u8> {
    let texts = [
        "",
        "0",
        "-1",
        "12",
        "9223372036854775807",
        "-9223372036854775808",
        "1.5",
        "-0",
        "3e5",
        "abc",
        " 1",
        "0x10",
        "inf",
        "nan",
        "00",
        "1e400",
        "-1e-30",
        "0.1",
        "3.0",
    ];
    match random.usize(..4) {
        0 => vec![random.u8(..); random.usize(..200)],
        _ => texts[random.usize(..texts.len())].into(),
    }
}

fn command(random: &mut Rng) -> Command {
    let names = [
        "HSET",
        "HSET",
        "HSET",
        "HMSET",
        "HSETNX",
        "HGET",
        "HMGET",
        "HGETALL",
        "HKEYS",
        "HVALS",
        "HLEN",
        "HEXISTS",
        "HSTRLEN",
        "HDEL",
        "HDEL",
        "HINCRBY",
        "HINCRBYFLOAT",
        "HRANDFIELD",
        "DEL",
    ];
    let name = names[random.usize(..names.len())];
    let mut command = vec![name.as_bytes().to_vec(), key(random).into()];
    match name {
        "HSET" | "HMSET" => {
            for _ in 0..random.usize(1..4) {
                command.extend([field(random), value(random)]);
            }
        }
        "HSETNX" => command.extend([field(random), value(random)]),
        "HINCRBY" | "HINCRBYFLOAT" => command.extend([field(random), value(random)]),
        "HGET" | "HEXISTS" | "HSTRLEN" => command.push(field(random)),
        "HMGET" | "HDEL" => command.extend((0..random.usize(1..5)).map(|_| field(random))),
        // Only what does not depend on chance.
        "HRANDFIELD" => match random.usize(..5) {
            0 => command.push(b"0".to_vec()),
            1 => command.push(b"x".to_vec()),
            2 => command.push(i64::MIN.to_string().into()),
            3 => command.extend([b"1000".to_vec(), b"withvalues".to_vec()]),
            _ => command.extend([b"5".to_vec(), b"nope".to_vec()]),
        },
        _ => {}
    }
    match random.usize(..60) {
        0 if name != "HRANDFIELD" => drop(command.pop()),
        1 => command.push(b"extra".to_vec()),
        _ => {}
    }
    command
}

/// Sorts what has no order. Pairs stay together.
fn canonical(command: &[Vec<u8>], value: Value) -> Value {
    let name = command[0].to_ascii_uppercase();
    match (&name[..], value) {
        (b"HKEYS" | b"HVALS", value) => value.sorted(),
        (b"HGETALL" | b"HRANDFIELD", Value::Array(list)) => {
            let is_flat = list.first().is_some_and(|item| matches!(item, Value::Bulk(_)));
            let size = if is_flat { 2 } else { 1 };
            let pairs = list.chunks(size).map(|pair| Value::Array(pair.to_vec())).collect();
            Value::Array(pairs).sorted()
        }
        (_, value @ Value::Map(_)) => value.sorted(),
        (_, value) => value,
    }
}

#[test]
fn hashes_reply_as_redis_does() {
    compare(commands, canonical);
}
