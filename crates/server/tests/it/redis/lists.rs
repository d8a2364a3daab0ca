//! Lists: random commands compared with Redis, and what positions cost.

use super::{Ours, Value, compare, random_commands, words};
use fastrand::Rng;

const KEYS: [&str; 5] = ["l1", "l2", "l3", "{l1}4", "text"];
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "9",
    "100",
    "-1",
    "-2",
    "-3",
    "-7",
    "-100",
    "x",
    "",
    "1.5",
    "9223372036854775807",
];
const COUNTS: [&str; 10] = ["0", "1", "2", "3", "10", "-1", "-2", "x", "", "9223372036854775808"];
/// Short ones: the client blocks if there is nothing.
const TIMEOUTS: [&str; 7] = ["0.001", "0.01", "1e-3", "-1", "x", "", "nan"];
const SIDES: [&str; 4] = ["LEFT", "RIGHT", "left", "middle"];

fn pick<'a>(random: &mut Rng, from: &[&'a str]) -> &'a str {
    from[random.usize(..from.len())]
}

fn element(random: &mut Rng) -> String {
    match random.usize(..10) {
        0 => "12345".into(),
        1 => "-7".into(),
        2 => String::new(),
        3 => "with space".into(),
        _ => char::from(random.u8(b'a'..=b'f')).into(),
    }
}

/// Returns a random command on few keys with few different elements.
fn command(random: &mut Rng) -> Vec<Vec<u8>> {
    const NAMES: &[&str] = &[
        "LPUSH",
        "RPUSH",
        "LPUSHX",
        "RPUSHX",
        "LPOP",
        "RPOP",
        "LLEN",
        "LINDEX",
        "LRANGE",
        "LSET",
        "LTRIM",
        "LREM",
        "LINSERT",
        "LPOS",
        "RPOPLPUSH",
        "LMOVE",
        "LMPOP",
        "DEL",
        "BLPOP",
        "BRPOP",
        "BRPOPLPUSH",
        "BLMOVE",
        "BLMPOP",
    ];
    let name = match random.usize(..4) {
        0 => pick(random, &["LPUSH", "RPUSH"]),
        _ => pick(random, NAMES),
    };
    let mut words = vec![name.to_owned()];
    let key = |random: &mut Rng| pick(random, &KEYS).to_owned();
    let number = |random: &mut Rng| pick(random, &NUMBERS).to_owned();
    match name {
        "LPUSH" | "RPUSH" | "LPUSHX" | "RPUSHX" => {
            words.push(key(random));
            words.extend((0..random.usize(1..6)).map(|_| element(random)));
        }
        "LPOP" | "RPOP" => {
            words.push(key(random));
            if random.bool() {
                words.push(pick(random, &COUNTS).into());
            }
        }
        "LINDEX" => words.extend([key(random), number(random)]),
        "LRANGE" | "LTRIM" => words.extend([key(random), number(random), number(random)]),
        "LSET" => words.extend([key(random), number(random), element(random)]),
        "LREM" => words.extend([key(random), number(random), element(random)]),
        "LINSERT" => {
            let side = pick(random, &["BEFORE", "AFTER", "after", "beside"]).to_owned();
            words.extend([key(random), side, element(random), element(random)]);
        }
        "LPOS" => {
            words.extend([key(random), element(random)]);
            for _ in 0..random.usize(..4) {
                words.push(pick(random, &["RANK", "COUNT", "MAXLEN", "FIRST"]).into());
                words.push(number(random));
            }
        }
        "RPOPLPUSH" => words.extend([key(random), key(random)]),
        "LMOVE" => {
            words.extend([key(random), key(random)]);
            words.extend([pick(random, &SIDES).into(), pick(random, &SIDES).into()]);
        }
        "BLPOP" | "BRPOP" => {
            words.extend((0..random.usize(1..4)).map(|_| key(random)));
            words.push(pick(random, &TIMEOUTS).into());
        }
        "BRPOPLPUSH" => {
            words.extend([key(random), key(random), pick(random, &TIMEOUTS).into()]);
        }
        "BLMOVE" => {
            words.extend([key(random), key(random)]);
            words.extend([pick(random, &SIDES).into(), pick(random, &SIDES).into()]);
            words.push(pick(random, &TIMEOUTS).into());
        }
        "LMPOP" | "BLMPOP" => {
            if name == "BLMPOP" {
                words.push(pick(random, &TIMEOUTS).into());
            }
            words.push(pick(random, &["1", "2", "3", "0", "-1", "x"]).into());
            words.extend((0..random.usize(1..4)).map(|_| key(random)));
            words.push(pick(random, &SIDES).into());
            if random.bool() {
                words.extend([pick(random, &["COUNT", "count", "NO"]).into(), number(random)]);
            }
        }
        _ => words.push(key(random)),
    }
    match random.usize(..80) {
        // Not the timeout: an element in its place could be one without end.
        0 if !name.starts_with('B') => drop(words.pop()),
        1 => words.push("more".into()),
        _ => {}
    }
    words.into_iter().map(String::into_bytes).collect()
}

#[test]
fn lists_reply_as_redis_does() {
    let commands = |protocol: u8| {
        let mut random = Rng::with_seed(20 + u64::from(protocol));
        let mut commands = vec![words("SET text value")];
        commands.extend((0..random_commands(6000)).map(|_| command(&mut random)));
        commands
    };
    compare(commands, |_, value| value);
}

/// Returns a random command on a list of thousands of elements, most of which differ.
fn long_command(random: &mut Rng, number: usize) -> Vec<Vec<u8>> {
    let position = |random: &mut Rng| (random.i32(..4000) - 2000).to_string();
    let near = |random: &mut Rng| format!("e{}", random.usize(..number.max(1)));
    let (key, new) = ("long", format!("e{number}"));
    let text = match random.usize(..30) {
        0 => format!("LPUSH {key} {new} same"),
        1 => format!("RPUSH {key} {new} same"),
        2 => format!("LTRIM {key} {} {}", random.usize(..4), -(random.i32(1..4))),
        3 => format!("LREM {key} {} same", random.i32(-3..4)),
        4 => format!("LPOP {key} {}", random.usize(..3)),
        5 => format!("RPOP {key} {}", random.usize(..3)),
        6 => format!("LMOVE {key} {key} LEFT RIGHT"),
        7 => format!("LSET {key} {} set{number}", position(random)),
        8 => format!("LRANGE {key} {} {}", position(random), position(random)),
        9 => format!("LPOS {key} same RANK {} COUNT 3", [-2, -1, 1, 2][random.usize(..4)]),
        10 => format!("LLEN {key}"),
        11..=16 => format!("LINDEX {key} {}", position(random)),
        17..=21 => format!("LREM {key} 1 {}", near(random)),
        // Often beside the element that was inserted last.
        _ if random.bool() => format!("LINSERT {key} AFTER e{} {new}", number.saturating_sub(1)),
        _ => format!("LINSERT {key} BEFORE {} {new}", near(random)),
    };
    words(&text)
}

#[test]
fn long_lists_reply_as_redis_does() {
    let commands = |protocol: u8| {
        let mut random = Rng::with_seed(30 + u64::from(protocol));
        let mut commands: Vec<_> =
            (0..300).map(|i| words(&format!("RPUSH long {}", ten(i)))).collect();
        let count = random_commands(4000);
        for i in 0..count {
            commands.push(long_command(&mut random, 3000 + i));
            if i % 1000 == 900 {
                commands.push(words("LRANGE long 0 -1"));
            }
        }
        // Shrinks the list, so that it becomes dense again.
        for kept in [900, 300, 20] {
            commands.push(words(&format!("LTRIM long 5 {kept}")));
            commands.extend((0..50).map(|i| long_command(&mut random, 3000 + count + i)));
            commands.push(words("LRANGE long 0 -1"));
        }
        commands
    };
    compare(commands, |_, value| value);
}

fn ten(i: usize) -> String {
    let elements: Vec<_> = (i * 10..i * 10 + 10).map(|at| format!("e{at}")).collect();
    elements.join(" ")
}

#[test]
fn many_insertions_at_one_place() {
    let ours = Ours::start();
    let mut client = ours.connect();
    for i in 0..300 {
        client.say(&format!("RPUSH k {}", ten(i)));
    }
    let mut expected: Vec<String> = (0..3000).map(|i| format!("e{i}")).collect();
    let commands: Vec<_> =
        (0..3000).map(|i| words(&format!("LINSERT k AFTER e1500 n{i}"))).collect();
    // In parts: the client waits for the first reply of each for half a minute at most, and a busy machine takes longer
    // for all of them.
    commands.chunks(50).for_each(|part| drop(client.pipeline(part)));
    expected.splice(1501..1501, (0..3000).rev().map(|i| format!("n{i}")));
    let expected = Value::Array(expected.iter().map(|text| Value::bulk(text)).collect());
    assert_eq!(client.say("LRANGE k 0 -1"), expected);
}

/// The list is long and sparse, the end of the kept part lies between elements of one index, and both ends are cut, on
/// either side of the middle.
#[test]
fn both_ends_of_a_sparse_list_are_trimmed() {
    for (left, last) in [(5, 900), (700, 900), (2200, 2600), (5, 2990), (2700, 2990), (900, 905)] {
        let ours = Ours::start();
        let mut client = ours.connect();
        let mut expected: Vec<String> = (0..3000).map(|i| format!("e{i}")).collect();
        for i in 0..300 {
            client.say(&format!("RPUSH k {}", ten(i)));
        }
        for place in [left, last] {
            let before = expected[place - 4].clone();
            for i in 0..20 {
                let new = format!("n{place}-{i}");
                client.say(&format!("LINSERT k AFTER {before} {new}"));
                expected.insert(place - 3, new);
            }
        }
        assert_eq!(client.say(&format!("LTRIM k {left} {last}")), Value::Simple("OK".to_owned()));
        let mut expected = expected[left..=last].to_vec();
        client.say("RPUSH k a b c");
        client.say("LPUSH k d");
        expected.extend(["a", "b", "c"].map(str::to_owned));
        expected.insert(0, "d".to_owned());
        let all = Value::Array(expected.iter().map(|text| Value::bulk(text)).collect());
        assert_eq!(client.say("LRANGE k 0 -1"), all, "{left} {last}");
        assert_eq!(client.say("LLEN k"), Value::Integer(expected.len() as i64));
        for at in 0..expected.len() as i64 {
            let from_end = at - expected.len() as i64;
            let element = Value::bulk(&expected[at as usize]);
            assert_eq!(client.say(&format!("LINDEX k {at}")), element);
            assert_eq!(client.say(&format!("LINDEX k {from_end}")), element);
        }
    }
}
