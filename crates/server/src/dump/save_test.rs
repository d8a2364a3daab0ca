//! Tests of written RDB files: our reader and the installed Redis read them.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::super::tests::{normal, value};
use super::super::{HashField, Item, RdbFile};
use super::*;
use crate::testing::redis::{Redis, Reply};

type Keys = BTreeMap<(u64, Vec<u8>), (Value, Option<i64>)>;

/// Returns a file of random keys in two databases, and the keys.
fn file(version: Version) -> (Vec<u8>, Keys) {
    let mut random = Rng::with_seed(7);
    let mut writer = RdbWriter::begin(Vec::new(), version).unwrap();
    writer.field(b"redis-ver", b"7.0.15").unwrap();
    writer.function(b"#!lua name=l\nredis.register_function('f', function() end)").unwrap();
    let mut keys = Keys::new();
    for number in 0..300 {
        let database = if number < 200 { 0 } else { 9 };
        let key = format!("key {number}").into_bytes();
        let expires_ms = (random.usize(..3) == 0).then(|| random.i64(4_000_000_000_000..1 << 44));
        let value = value(&mut random);
        writer
            .entry(&Entry { database, key: key.clone(), value: value.clone(), expires_ms })
            .unwrap();
        keys.insert((database, key), (normal(value, version), expires_ms));
    }
    let written = writer.written_bytes();
    let bytes = writer.finish().unwrap();
    assert_eq!(bytes.len() as u64, written + 9, "the end and the checksum follow");
    (bytes, keys)
}

#[test]
fn our_reader_reads_all_versions() {
    for version in [Version::V10, Version::V11, Version::V12] {
        let (bytes, expected) = file(version);
        let mut file = RdbFile::open(&bytes[..], usize::MAX).unwrap();
        assert_eq!(file.version(), version.number());
        let (mut found, mut functions) = (Keys::new(), 0);
        while let Some(item) = file.next_item().unwrap() {
            match item {
                Item::Entry(Entry { database, key, value, expires_ms }) => {
                    let value = (normal(value, version), expires_ms);
                    assert!(found.insert((database, key), value).is_none());
                }
                Item::Function(_) => functions += 1,
                Item::Field { name, .. } => assert_eq!(name, b"redis-ver"),
            }
        }
        assert!(found == expected);
        assert_eq!((functions, file.offset()), (1, bytes.len()));
    }
}

#[test]
fn fields_that_expire_need_version_12() {
    let field = HashField { name: b"f".to_vec(), value: b"v".to_vec(), expire_ms: 1 << 41 };
    let value = Value::ExpiringHash(vec![field]);
    let entry = Entry { database: 0, key: b"k".to_vec(), value, expires_ms: None };
    let mut old = RdbWriter::begin(Vec::new(), Version::V11).unwrap();
    let error = old.entry(&entry).unwrap_err().to_string();
    assert!(error.contains("fields that expire in RDB files of version 11"), "{error}");
    let mut new = RdbWriter::begin(Vec::new(), Version::V12).unwrap();
    new.entry(&entry).unwrap();
    let bytes = new.finish().unwrap();
    let mut file = RdbFile::open(&bytes[..], usize::MAX).unwrap();
    assert_eq!(file.next_item().unwrap(), Some(Item::Entry(entry)));
    assert_eq!(file.next_item().unwrap(), None);
}

#[test]
fn the_installed_redis_loads_the_file() {
    let Some(mut redis) = Redis::start() else { return };
    let (bytes, expected) = file(Version::V10);
    std::fs::write(redis.directory().join("dump.rdb"), bytes).unwrap();
    assert_eq!(redis.call(&["DEBUG", "RELOAD", "NOSAVE"]), Reply::Text(b"OK".to_vec()));
    for database in [0, 9] {
        redis.text(&["SELECT", &database.to_string()]);
        let of_database = expected.iter().filter(|((at, _), _)| *at == database);
        assert_eq!(redis.call(&["DBSIZE"]), Reply::Integer(of_database.clone().count() as i64));
        for ((_, key), (value, expires_ms)) in of_database {
            let payload = redis.text(&[&b"DUMP"[..], key]);
            let found = super::super::decode(&payload, usize::MAX).unwrap();
            assert!(normal(found, Version::V10) == *value, "{}", key.escape_ascii());
            let found = redis.call(&[&b"PEXPIRETIME"[..], key]);
            assert_eq!(found, Reply::Integer(expires_ms.unwrap_or(-1)));
        }
    }
    let reply = redis.call(&["FCALL", "f", "0"]);
    assert_eq!(reply, Reply::Null, "the function is there");
}
