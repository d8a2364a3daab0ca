//! Positions: the same random commands on a real Redis.

use super::{compare, random_commands, words};
use fastrand::Rng;

type Command = Vec<Vec<u8>>;

/// Random commands on a few keys, one of which holds a string.
fn commands(protocol: u8) -> Vec<Command> {
    let mut random = Rng::with_seed(u64::from(protocol) + 60);
    let mut commands = vec![words("SET string text")];
    commands.extend((0..random_commands(6000)).map(|_| {
        let mut command = command(&mut random);
        match random.usize(..80) {
            0 => drop(command.pop()),
            1 => command.push(b"extra".to_vec()),
            2 => {
                let at = random.usize(1..command.len());
                command[at] = b"1".to_vec();
            }
            _ => {}
        }
        command
    }));
    commands
}

fn pick(random: &mut Rng, list: &[&str]) -> Vec<u8> {
    list[random.usize(..list.len())].into()
}

fn key(random: &mut Rng) -> Vec<u8> {
    pick(random, &["g1", "g1", "g1", "g2", "g3", "absent", "string"])
}

fn member(random: &mut Rng) -> Vec<u8> {
    format!("m{}", random.usize(..200)).into()
}

fn position(random: &mut Rng) -> [Vec<u8>; 2] {
    let mut degrees = |max: f64| match random.usize(..60) {
        0 => b"x".to_vec(),
        1 => b"1e300".to_vec(),
        2 => (max + 5.0).to_string().into(),
        _ => ((random.f64() - 0.5) * 2.0 * max).to_string().into(),
    };
    [degrees(180.0), degrees(85.0)]
}

fn length(random: &mut Rng) -> Vec<u8> {
    match random.usize(..30) {
        0 => pick(random, &["x", "-1", "0", "inf", "nan"]),
        _ => 10f64.powf(random.f64() * 7.3).to_string().into(),
    }
}

fn unit(random: &mut Rng) -> Vec<u8> {
    pick(random, &["m", "m", "m", "m", "KM", "ft", "mi", "m", "m", "m", "yd"])
}

fn command(random: &mut Rng) -> Command {
    let name = pick(
        random,
        &[
            "GEOADD",
            "GEOADD",
            "GEOADD",
            "GEOPOS",
            "GEOHASH",
            "GEODIST",
            "GEORADIUS",
            "GEORADIUS_RO",
            "GEORADIUSBYMEMBER",
            "georadiusbymember_ro",
            "GEOSEARCH",
            "GeoSearch",
            "GEOSEARCHSTORE",
            "ZRANGE",
            "ZREM",
        ],
    );
    let mut command = vec![name.clone(), key(random)];
    match &name.to_ascii_uppercase()[..] {
        b"GEOADD" => {
            if random.usize(..4) == 0 {
                command.push(pick(random, &["NX", "xx", "CH"]));
            }
            for _ in 0..random.usize(1..5) {
                command.extend(position(random));
                command.push(member(random));
            }
        }
        b"GEOPOS" | b"GEOHASH" => command.extend((0..random.usize(..4)).map(|_| member(random))),
        b"GEODIST" => {
            command.extend([member(random), member(random)]);
            if random.bool() {
                command.push(unit(random));
            }
        }
        b"ZRANGE" => command.extend(words("0 -1 WITHSCORES")),
        b"ZREM" => command.push(member(random)),
        b"GEORADIUS" | b"GEORADIUS_RO" => {
            command.extend(position(random));
            command.extend([length(random), unit(random)]);
            radius_options(random, &mut command);
        }
        b"GEORADIUSBYMEMBER" | b"GEORADIUSBYMEMBER_RO" => {
            command.extend([member(random), length(random), unit(random)]);
            radius_options(random, &mut command);
        }
        name => {
            if name == b"GEOSEARCHSTORE" {
                command.insert(1, pick(random, &["g3", "stored"]));
                if random.usize(..3) == 0 {
                    command.push(b"STOREDIST".to_vec());
                }
            }
            if random.usize(..20) > 0 {
                match random.bool() {
                    true => command.extend([b"frommember".to_vec(), member(random)]),
                    false => {
                        command.push(b"FROMLONLAT".to_vec());
                        command.extend(position(random));
                    }
                }
            }
            if random.usize(..20) > 0 {
                match random.bool() {
                    true => command.extend([b"BYRADIUS".to_vec(), length(random), unit(random)]),
                    false => {
                        command.push(b"bybox".to_vec());
                        command.extend([length(random), length(random), unit(random)]);
                    }
                }
            }
            options(random, &mut command);
        }
    }
    command
}

fn radius_options(random: &mut Rng, command: &mut Command) {
    if random.usize(..4) == 0 {
        command.push(pick(random, &["STORE", "StoreDist"]));
        command.push(pick(random, &["g3", "stored"]));
    }
    options(random, command);
}

fn options(random: &mut Rng, command: &mut Command) {
    let is_store =
        command.iter().any(|word| word.to_ascii_uppercase().starts_with(b"GEOSEARCHSTORE"));
    for word in ["withdist", "WITHHASH", "withcoord"] {
        if random.usize(..if is_store { 20 } else { 4 }) == 0 {
            command.push(word.into());
        }
    }
    if random.usize(..3) == 0 {
        command.push(pick(random, &["ASC", "desc"]));
    }
    if random.usize(..3) == 0 {
        command.extend([b"COUNT".to_vec(), pick(random, &["1", "3", "10", "0", "-1", "x"])]);
        if random.usize(..3) == 0 {
            command.push(b"ANY".to_vec());
        }
    }
}

#[test]
fn positions_reply_as_redis_does() {
    compare(commands, |_, value| super::sorted_sets::numbers(value));
}
