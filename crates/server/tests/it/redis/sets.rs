//! Sets, compared with a real Redis, and random members.

use super::strings::one;
use super::{Ours, Value, compare, random_commands, words};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};

const MEMBERS: &[&str] = &[
    "a",
    "b",
    "c",
    "d",
    "e",
    "1",
    "2",
    "3",
    "-1",
    "",
    "long member with spaces",
    "9223372036854775807",
];

const FORMS: &[&str] = &[
    "SADD K M M M",
    "SADD K M",
    "SADD K M M",
    "SADD K N",
    "SREM K M M",
    "SREM K M",
    "SMEMBERS K",
    "SISMEMBER K M",
    "SMISMEMBER K M M M",
    "SCARD K",
    "SMOVE K K M",
    "SMOVE K K M",
    "SINTER K K",
    "SINTER K K K",
    "SINTER K",
    "SINTERCARD 2 K K",
    "SINTERCARD 2 K K LIMIT 1",
    "SINTERCARD 0 K",
    "SINTERCARD 3 K K",
    "SINTERCARD 1 K LIMIT -1",
    "SINTERCARD 1 K nope",
    "SINTERCARD a K",
    "SINTERSTORE K K K",
    "SUNION K K K",
    "SUNIONSTORE K K K",
    "SDIFF K K",
    "SDIFF K K K K",
    "SDIFFSTORE K K K",
    "SPOP K 1000",
    "SPOP K -1",
    "SPOP K a",
    "SPOP K 0",
    "SPOP K 1 2",
    "SRANDMEMBER K",
    "SRANDMEMBER K 3",
    "SRANDMEMBER K -5",
    "SRANDMEMBER K 1000",
    "SRANDMEMBER K 0",
    "SRANDMEMBER K a",
    "SRANDMEMBER K -9223372036854775808",
    "SRANDMEMBER K 1 2",
    "SSCAN K 0 COUNT 1000",
    "SSCAN K 0 COUNT 1000 MATCH *",
    "SSCAN K 0 MATCH [ab] COUNT 100",
    "SSCAN K a",
    "SSCAN K 0 COUNT 0",
    "SSCAN K 0 nope",
    "SSCAN K 0 COUNT",
    "DEL K",
    "ZADD z N M",
    "ZUNION 2 K z WITHSCORES",
    "ZINTER 2 K z",
    "ZDIFF 2 K z",
    "SET s x",
    "SCARD K",
];

fn fill(random: &mut Rng, form: &str) -> Vec<Vec<u8>> {
    form.split(' ')
        .map(|word| match word {
            "K" => one(random, &["k", "l", "m", "n", "s"]).as_bytes().to_vec(),
            "M" => one(random, MEMBERS).as_bytes().to_vec(),
            "N" => random.u64(..2000).to_string().into_bytes(),
            word => word.as_bytes().to_vec(),
        })
        .collect()
}

/// Sorts members, and keeps only the number of random ones.
fn canonical(command: &[Vec<u8>], value: Value) -> Value {
    let name = command[0].to_ascii_uppercase();
    match (&name[..], value) {
        (b"SRANDMEMBER", Value::Array(list)) if command[2] != b"1000" => {
            Value::Integer(list.len() as i64)
        }
        (b"SRANDMEMBER", Value::Bulk(_)) => Value::bulk("some member"),
        (b"SSCAN", Value::Array(list)) => {
            Value::Array(list.into_iter().map(Value::sorted).collect())
        }
        (b"SMISMEMBER", value) => value,
        (_, value) => value.sorted(),
    }
}

#[test]
fn random_sets() {
    let commands = |protocol: u8| {
        let mut random = Rng::with_seed(30 + u64::from(protocol));
        let one = |random: &mut Rng| {
            let form = FORMS[random.usize(..FORMS.len())];
            fill(random, form)
        };
        (0..random_commands(2000)).map(|_| one(&mut random)).collect()
    };
    compare(commands, canonical);
}

fn texts(value: Value) -> Vec<Vec<u8>> {
    let (Value::Array(list) | Value::Set(list)) = value else { panic!("no list: {value:?}") };
    let text = |value| match value {
        Value::Bulk(text) => text,
        other => panic!("no string: {other:?}"),
    };
    list.into_iter().map(text).collect()
}

/// Adds so many members to a key: their decimal numbers.
fn add(client: &mut super::Client, key: &str, count: usize) {
    let members: Vec<String> = (0..count).map(|at| at.to_string()).collect();
    for part in members.chunks(1000) {
        let mut command = words(&format!("SADD {key}"));
        command.extend(part.iter().map(|member| member.clone().into_bytes()));
        assert_eq!(client.call(&command), Value::Integer(part.len() as i64));
    }
}

/// Draws from a small and from a large set, and checks by chi-square that all members are equally likely.
#[test]
fn random_members_are_equally_likely() {
    let ours = Ours::start();
    let mut client = ours.connect();
    for (key, size, draws) in [("small", 100, 20_000), ("large", 2000, 60_000)] {
        add(&mut client, key, size);
        let mut seen: BTreeMap<Vec<u8>, f64> = BTreeMap::new();
        for _ in 0..draws / 100 {
            for member in texts(client.say(&format!("SRANDMEMBER {key} -100"))) {
                *seen.entry(member).or_default() += 1.0;
            }
        }
        let expected = draws as f64 / size as f64;
        let missing = (size - seen.len()) as f64 * expected;
        let chi: f64 = seen.values().map(|found| (found - expected).powi(2) / expected).sum();
        let freedom = (size - 1) as f64;
        // The normal approximation; beyond five standard deviations once in three million runs.
        let deviation = (chi + missing - freedom) / (2.0 * freedom).sqrt();
        assert!(deviation.abs() < 5.0, "{key}: chi-square {chi}, {deviation} standard deviations");
    }
}

#[test]
fn popped_members_are_distinct_and_gone() {
    let ours = Ours::start();
    let mut client = ours.connect();
    add(&mut client, "s", 3000);
    let mut popped = BTreeSet::new();
    for count in ["1", "7", "100", "1500", "5"] {
        let members = texts(client.say(&format!("SPOP s {count}")));
        assert_eq!(members.len().to_string(), count);
        for member in members {
            assert!(popped.insert(member), "a member came twice");
        }
    }
    let left = texts(client.say("SMEMBERS s"));
    assert_eq!(client.say("SCARD s"), Value::Integer(left.len() as i64));
    assert!(left.iter().all(|member| !popped.contains(member)));
    assert_eq!(left.len() + popped.len(), 3000);
    let distinct: BTreeSet<_> = texts(client.say("SRANDMEMBER s 100")).into_iter().collect();
    assert_eq!(distinct.len(), 100);
    while let Value::Bulk(member) = client.say("SPOP s") {
        assert!(popped.insert(member));
    }
    assert_eq!(popped.len(), 3000);
    assert_eq!(client.say("SMEMBERS s"), Value::Array(Vec::new()));
}

/// A scan returns all members that are there during the whole scan, in spite of changes.
#[test]
fn scans_return_all_members() {
    let ours = Ours::start();
    let mut client = ours.connect();
    add(&mut client, "s", 2000);
    let (mut seen, mut cursor, mut calls) = (BTreeSet::new(), b"0".to_vec(), 0);
    loop {
        let reply = client.call(&[b"SSCAN", &b"s"[..], &cursor, b"COUNT", b"50"]);
        let Value::Array(reply) = reply else { panic!("no array: {reply:?}") };
        let [Value::Bulk(next), members] = &reply[..] else { panic!("no cursor: {reply:?}") };
        seen.extend(texts(members.clone()));
        client.say(&format!("SREM s {}", 1000 + calls));
        client.say(&format!("SADD s x{calls}"));
        calls += 1;
        cursor = next.clone();
        if cursor == b"0" {
            break;
        }
    }
    assert!((30..=45).contains(&calls), "{calls} calls");
    assert!((0..1000).all(|at: usize| seen.contains(at.to_string().as_bytes())));
}

/// Results beyond a batch are stored before the key that names them.
#[test]
fn large_results_are_stored() {
    let ours = Ours::start();
    let mut client = ours.connect();
    add(&mut client, "one", 20_000);
    add(&mut client, "two", 30_000);
    assert_eq!(client.say("SUNIONSTORE all one two"), Value::Integer(30_000));
    assert_eq!(client.say("SINTERCARD 3 one two all"), Value::Integer(20_000));
    assert_eq!(client.say("SDIFFSTORE all all one"), Value::Integer(10_000));
    assert_eq!(client.say("SCARD all"), Value::Integer(10_000));
    assert_eq!(texts(client.say("SMEMBERS all")).len(), 10_000);
    assert_eq!(client.say("SINTERSTORE all all one"), Value::Integer(0));
    assert_eq!(client.say("SCARD all"), Value::Integer(0));
}
