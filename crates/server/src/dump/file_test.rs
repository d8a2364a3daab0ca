//! Tests of RDB files: those of seven versions of Redis, and one of the installed Redis.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::super::tests::{normal, value};
use super::super::{Pending, Stream, encode};
use super::*;
use crate::streamid::StreamId;
use crate::testing::redis::{Redis, Reply};
use crate::testing::{fuzz_rounds, mutate};

const MEMORY_MAX: usize = 1 << 20;

/// A file, and whether its commands included those of streams.
const FILES: &[(&str, u16, bool, &[u8])] = &[
    ("2.4.18", 2, false, include_bytes!("testdata/redis-2.4.rdb")),
    ("2.6.17", 6, false, include_bytes!("testdata/redis-2.6.rdb")),
    ("3.2.13", 7, false, include_bytes!("testdata/redis-3.2.rdb")),
    ("5.0.14", 9, true, include_bytes!("testdata/redis-5.0.rdb")),
    ("6.2.16", 9, true, include_bytes!("testdata/redis-6.2.rdb")),
    ("7.0.15", 10, true, include_bytes!("testdata/redis-7.0.rdb")),
    ("7.2.6", 11, true, include_bytes!("testdata/redis-7.2.rdb")),
];

type Streams = BTreeMap<Vec<u8>, Stream>;
type Fields = BTreeMap<Vec<u8>, Vec<u8>>;
type Database = BTreeMap<(u64, Vec<u8>), (Value, Option<i64>)>;

/// Evaluates the commands of the files.
fn evaluate(commands: &str) -> Database {
    let mut all = Database::new();
    let mut database = 0;
    for line in commands.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let key = (database, words[1].into());
        let pair = || (words[2].into(), words.get(3).copied().unwrap_or_default().into());
        match words[0] {
            "SELECT" => database = words[1].parse().unwrap(),
            "SET" => drop(all.insert(key, (Value::String(words[2].into()), None))),
            "EXPIREAT" => {
                all.get_mut(&key).unwrap().1 = Some(words[2].parse::<i64>().unwrap() * 1000);
            }
            name => {
                let value = &mut all.entry(key).or_insert((empty(name), None)).0;
                match value {
                    Value::List(elements) | Value::Set(elements) => elements.push(pair().0),
                    Value::SortedSet(members) => {
                        members.push((pair().1, words[2].parse().unwrap()));
                    }
                    Value::Hash(fields) => fields.push(pair()),
                    _ => unreachable!(),
                }
            }
        }
    }
    all.into_iter().map(|(key, (value, at))| (key, (normal(value, Version::V11), at))).collect()
}

fn empty(command: &str) -> Value {
    match command {
        "RPUSH" => Value::List(Vec::new()),
        "SADD" => Value::Set(Vec::new()),
        "ZADD" => Value::SortedSet(Vec::new()),
        "HSET" => Value::Hash(Vec::new()),
        other => panic!("unknown command {other}"),
    }
}

/// Returns a file's keys without streams, its streams, and its auxiliary fields.
fn read(bytes: &[u8]) -> Result<(Database, Streams, Fields)> {
    let (mut all, mut streams, mut fields) = (Database::new(), Streams::new(), Fields::new());
    let mut file = RdbFile::open(bytes, MEMORY_MAX)?;
    while let Some(item) = file.next_item()? {
        match item {
            Item::Field { name, value } => drop(fields.insert(name, value)),
            Item::Function(_) => {}
            Item::Entry(entry) => match entry.value {
                Value::Stream(stream) => {
                    streams.insert(entry.key, *stream);
                }
                value => {
                    let value = (normal(value, Version::V11), entry.expires_ms);
                    all.insert((entry.database, entry.key), value);
                }
            },
        }
    }
    Ok((all, streams, fields))
}

#[test]
fn files_of_seven_versions() {
    let expected = evaluate(include_str!("testdata/commands.txt"));
    for (name, version, has_streams, bytes) in FILES {
        assert_eq!(RdbFile::open(*bytes, MEMORY_MAX).unwrap().version(), *version);
        let (all, streams, fields) = read(bytes).unwrap();
        assert_eq!(all, expected, "{name}");
        if *version >= 7 {
            assert_eq!(fields[&b"redis-ver"[..]], name.as_bytes());
        }
        assert_eq!(streams.len(), if *has_streams { 2 } else { 0 }, "{name}");
        if *has_streams {
            check_streams(&streams, *version);
        }
    }
}

fn check_streams(streams: &Streams, version: u16) {
    let id = StreamId::new;
    let stream = &streams[&b"stream"[..]];
    let ids: Vec<StreamId> = stream.entries.iter().map(|entry| entry.id).collect();
    assert_eq!(ids, [id(1001, 1), id(1002, 2), id(1004, 4), id(1005, 5), id(1006, 0), id(1007, 0)]);
    let fields = [("temperature", "24"), ("place", "room4")].map(|(f, v)| (f.into(), v.into()));
    assert_eq!(stream.entries[2].fields, fields);
    assert_eq!(stream.entries[4].fields, [("other".into(), "fields".into())]);
    assert_eq!(stream.last_id, id(1007, 0));
    // Before version 7, deleted entries leave no trace.
    let is_new = version >= 10;
    assert_eq!(stream.entries_added, if is_new { 7 } else { 6 });
    assert_eq!(stream.max_deleted_id, if is_new { id(1003, 3) } else { StreamId::MIN });
    let [idle, readers] = &stream.groups[..] else { panic!("{:?}", stream.groups) };
    assert_eq!((&idle.name[..], idle.last_id), (&b"idle"[..], id(1007, 0)));
    assert_eq!((&readers.name[..], readers.last_id), (&b"readers"[..], id(1004, 4)));
    // XGROUP CREATE does not count the entries before its id; the estimate for older files does.
    assert_eq!(idle.entries_read, if is_new { None } else { Some(6) });
    assert_eq!(readers.entries_read, None);
    let pending: Vec<(&[u8], Vec<StreamId>)> = readers
        .consumers
        .iter()
        .map(|consumer| (&consumer.name[..], consumer.pending.iter().map(|p| p.id).collect()))
        .collect();
    assert_eq!(pending, [(&b"alice"[..], vec![id(1002, 2)]), (&b"bob"[..], vec![id(1004, 4)])],);
    let Pending { delivered_ms, deliveries, .. } = readers.consumers[0].pending[0];
    assert_eq!(deliveries, 1);
    assert!(delivered_ms > 1_700_000_000_000 && readers.consumers[0].active_ms >= delivered_ms);
    let empty = &streams[&b"empty"[..]];
    assert_eq!((empty.entries.len(), empty.last_id), (0, id(5, 5)));
}

#[test]
fn damaged_files() {
    let bytes = FILES[6].3;
    let error = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "{end}");
    }
    let mut flipped = bytes.to_vec();
    let last = flipped.len() - 1;
    flipped[last] ^= 1;
    assert_eq!(error(&flipped), DumpError::Footer.to_string());
    flipped[last - 7..].fill(0);
    assert!(read(&flipped).is_ok(), "no checksum");
    assert_eq!(error(b"REDIS0013"), "not supported: version 13 of RDB files, known are 1 to 12");
    let head = "damaged at byte 9: expected the head of an RDB file: REDIS0011";
    assert_eq!(error(b"REDISabcd"), head);
    assert_eq!(error(b"REDIS0011\xf7"), "not supported: fields of modules");
    assert_eq!(error(b"REDIS0011\x07\x01k"), "not supported: type 7, a value of a module");
    // A string that claims more bytes than the file has, and more than a value may have.
    assert_eq!(error(b"REDIS0011\0\x01k\x44\x00abc"), "damaged at byte 14: bytes are missing");
    let large = b"REDIS0011\0\x01k\x80\x7f\xff\xff\xff";
    assert_eq!(error(large), DumpError::TooLarge.to_string());
}

/// Values in all encodings that Redis chooses, through its own file.
#[test]
fn the_file_of_the_installed_redis() {
    let Some(mut redis) = Redis::start() else { return };
    let info = String::from_utf8(redis.text(&["INFO", "server"])).unwrap();
    let version = if info.contains("redis_version:7.0.") { Version::V10 } else { Version::V11 };
    let mut random = Rng::with_seed(3);
    let mut expected = BTreeMap::new();
    for i in 0..300 {
        let key = format!("key {i}").into_bytes();
        let value = value(&mut random);
        let payload = encode(&value, version);
        let expires_ms = (random.usize(..3) == 0).then(|| random.i64(4_000_000_000_000..1 << 44));
        let ttl = expires_ms.unwrap_or(0).to_string();
        let reply = redis.call(&[b"RESTORE", &key[..], ttl.as_bytes(), &payload, b"ABSTTL"]);
        assert_eq!(reply, Reply::Text(b"OK".to_vec()));
        expected.insert(key, (normal(value, version), expires_ms));
    }
    redis.call(&["FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() end)"]);
    redis.call(&["SAVE"]);
    let source = std::fs::File::open(redis.directory().join("dump.rdb")).unwrap();
    let mut file = RdbFile::open(std::io::BufReader::new(source), usize::MAX).unwrap();
    let (mut functions, mut found) = (0, BTreeMap::new());
    while let Some(item) = file.next_item().unwrap() {
        match item {
            Item::Function(code) => functions += usize::from(code.starts_with(b"#!lua name=l")),
            Item::Entry(entry) => {
                let value = (normal(entry.value, version), entry.expires_ms);
                assert!(found.insert(entry.key, value).is_none());
            }
            Item::Field { .. } => {}
        }
    }
    assert_eq!(functions, 1);
    assert!(found == expected);
}

#[test]
fn damaged_files_never_panic() {
    let mut random = Rng::with_seed(4);
    for _ in 0..fuzz_rounds() {
        let mut bytes = FILES[random.usize(..FILES.len())].3.to_vec();
        mutate(&mut random, &mut bytes);
        let _ = read(&bytes);
    }
}
