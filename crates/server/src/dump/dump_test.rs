//! Tests of payloads without a Redis: every type is written and read, and damaged payloads are refused.

use fastrand::Rng;

use super::*;
use crate::streamid::StreamId;
use crate::testing::{bytes, fuzz_rounds, mutate};

const MEMORY_MAX: usize = 1 << 24;

/// Returns an element that is small, an integer, repetitive or long.
pub(super) fn element(random: &mut Rng) -> Vec<u8> {
    match random.usize(..10) {
        0 => (random.i64(..) >> random.u32(..64)).to_string().into_bytes(),
        1 => random.i32(-140..140).to_string().into_bytes(),
        2 => bytes(random, 70),
        3 => b"abcd".repeat(random.usize(..200)),
        4 if random.usize(..10) == 0 => bytes(random, 20_000),
        5 => format!("0{}", random.u32(..1000)).into_bytes(),
        _ => format!("element {}", random.u32(..100_000)).into_bytes(),
    }
}

/// Returns different elements, most often few.
pub(super) fn elements(random: &mut Rng) -> Vec<Vec<u8>> {
    let count = [1, 3, 20, 127, 129, 600][random.usize(..6)];
    let integers = random.usize(..4) == 0;
    let mut all: Vec<Vec<u8>> = (0..count)
        .map(|_| match integers {
            true => (random.i64(..) >> random.u32(..63)).to_string().into_bytes(),
            false => element(random),
        })
        .collect();
    all.sort();
    all.dedup();
    random.shuffle(&mut all);
    all
}

fn score(random: &mut Rng) -> f64 {
    match random.usize(..6) {
        0 => [f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0][random.usize(..4)],
        1 => f64::from(random.i32(-5..5)),
        2 => random.i64(..) as f64,
        3 => random.f64() * 1e-7,
        _ => random.f64() * 1000.0,
    }
}

fn stream(random: &mut Rng) -> Stream {
    let count = [0, 1, 5, 90, 130, 300][random.usize(..6)];
    let mut last_id = StreamId::new(random.u64(..1 << 40), random.u64(1..5));
    let fields: Vec<_> = (0..random.usize(1..4)).map(|_| element(random)).collect();
    let entries: Vec<StreamEntry> = (0..count)
        .map(|_| {
            last_id = match random.usize(..3) {
                0 => StreamId { seq: last_id.seq + random.u64(1..100), ..last_id },
                _ => StreamId::new(
                    last_id.ms + 1 + (random.u64(..1 << 42) >> random.u32(..42)),
                    random.u64(..9),
                ),
            };
            let same = random.usize(..4) > 0;
            let names = if same { fields.clone() } else { vec![element(random)] };
            let fields = names.into_iter().map(|name| (name, element(random))).collect();
            StreamEntry { id: last_id, fields }
        })
        .collect();
    let groups = (0..random.usize(..4)).map(|i| group(random, i, &entries)).collect();
    Stream {
        entries_added: entries.len() as u64 + random.u64(..10),
        max_deleted_id: if random.bool() { StreamId::MIN } else { last_id },
        entries,
        last_id,
        groups,
    }
}

fn group(random: &mut Rng, number: usize, entries: &[StreamEntry]) -> Group {
    let count = random.usize(..4);
    let mut consumers: Vec<Consumer> = (0..count)
        .map(|i| Consumer {
            name: format!("consumer {i}").into_bytes(),
            seen_ms: random.i64(..1 << 41),
            active_ms: if random.bool() { -1 } else { random.i64(..1 << 41) },
            pending: Vec::new(),
        })
        .collect();
    for entry in entries.iter().filter(|entry| count > 0 && entry.id.ms % 3 == 0) {
        consumers[random.usize(..count)].pending.push(Pending {
            id: entry.id,
            delivered_ms: random.i64(..1 << 41),
            deliveries: random.u64(1..300),
        });
    }
    let last_id =
        if entries.is_empty() { StreamId::MIN } else { entries[random.usize(..entries.len())].id };
    Group {
        name: format!("group {number}").into_bytes(),
        last_id,
        entries_read: random.bool().then_some(random.u64(..1000)),
        consumers,
    }
}

/// Returns a value of any type.
pub(super) fn value(random: &mut Rng) -> Value {
    match random.usize(..6) {
        0 => Value::String(element(random)),
        1 => {
            let mut list = elements(random);
            list.push(element(random));
            Value::List(list)
        }
        2 => Value::Set(elements(random)),
        3 => Value::SortedSet(
            elements(random).into_iter().map(|member| (member, score(random))).collect(),
        ),
        4 => Value::Hash(
            elements(random).into_iter().map(|field| (field, element(random))).collect(),
        ),
        _ => Value::Stream(Box::new(stream(random))),
    }
}

/// Returns a hash of which some fields expire.
fn expiring_hash(random: &mut Rng) -> Value {
    let names = elements(random).into_iter();
    let fields = names.map(|name| {
        let expire_ms = if random.bool() { 0 } else { random.u64(1..1 << 42) };
        HashField { name, value: element(random), expire_ms }
    });
    Value::ExpiringHash(fields.collect())
}

/// Sorts collections whose order means nothing, and drops what a version does not store.
pub(super) fn normal(mut value: Value, version: Version) -> Value {
    match &mut value {
        Value::Set(members) => members.sort(),
        Value::Hash(fields) => fields.sort(),
        Value::ExpiringHash(fields) => fields.sort(),
        Value::SortedSet(members) => members.sort_by(|(a, _), (b, _)| a.cmp(b)),
        Value::Stream(stream) => {
            stream.groups.sort_by(|a, b| a.name.cmp(&b.name));
            for group in &mut stream.groups {
                group.consumers.sort_by(|a, b| a.name.cmp(&b.name));
                for consumer in group.consumers.iter_mut().filter(|_| version < Version::V11) {
                    consumer.active_ms = consumer.seen_ms;
                }
            }
        }
        _ => {}
    }
    value
}

#[test]
fn values_come_back() {
    let mut random = Rng::with_seed(1);
    for round in 0..350 {
        let value = if round < 300 { value(&mut random) } else { expiring_hash(&mut random) };
        for version in [Version::V10, Version::V11] {
            let payload = encode(&value, version);
            let decoded = decode(&payload, usize::MAX).unwrap();
            assert_eq!(normal(decoded, version), normal(value.clone(), version));
        }
    }
}

#[test]
fn footers() {
    let payload = encode(&Value::String(b"abc".to_vec()), Version::V11);
    assert_eq!(payload[..5], *b"\x00\x03abc");
    assert_eq!(payload[5..7], [11, 0]);
    for end in 0..payload.len() {
        assert_eq!(decode(&payload[..end], MEMORY_MAX), Err(DumpError::Footer));
    }
    let mut newer = payload.clone();
    newer[5] = 13;
    let at = newer.len() - 8;
    let checksum = crc64::checksum(&newer[..at]);
    newer[at..].copy_from_slice(&checksum.to_le_bytes());
    assert_eq!(decode(&newer, MEMORY_MAX), Err(DumpError::Footer));
    let mut flipped = payload;
    flipped[2] ^= 1;
    assert_eq!(decode(&flipped, MEMORY_MAX), Err(DumpError::Footer));
    assert_eq!(DumpError::Footer.reply(), "ERR DUMP payload version or checksum are wrong");
}

/// Returns a payload with a sound footer.
pub(super) fn sealed(body: &[u8], version: Version) -> Vec<u8> {
    let mut payload = body.to_vec();
    payload.extend_from_slice(&version.number().to_le_bytes());
    let checksum = crc64::checksum(&payload);
    payload.extend_from_slice(&checksum.to_le_bytes());
    payload
}

fn refused(body: &[u8]) -> String {
    let error = decode(&sealed(body, Version::V11), MEMORY_MAX).unwrap_err();
    assert_eq!(error.reply(), "ERR Bad data format");
    error.to_string()
}

#[test]
fn damaged_bodies_are_refused_by_name() {
    for (body, error) in [
        (&b""[..], "damaged at byte 0: bytes are missing"),
        (b"\x07\x01", "not supported: type 7, a value of a module"),
        (b"\x1a\x01", "not supported: type 26 of a value"),
        (b"\x18\x01\0\0\0\0\0\0\0\0", "the collection has no elements"),
        (
            b"\x18\0\0\0\0\0\0\x01\0\x01\x01\x01a\x01b",
            "damaged at byte 15: a time that is too late",
        ),
        (b"\x00\x01", "damaged at byte 2: bytes are missing"),
        (b"\x00\xc4", "damaged at byte 2: unknown encoding of a string"),
        (b"\x00\x82", "damaged at byte 2: unknown encoding of a length"),
        (b"\x00\xc3\x02\x02\x00a", "damaged at byte 6: damaged LZF block"),
        (b"\x02\x00", "the collection has no elements"),
        (b"\x02\x02\x01a\x01a", "damaged at byte 6: a repeated element"),
        (b"\x05\x01\x01a\0\0\0\0\0\0\xf8\x7f", "damaged at byte 12: a score that is not a number"),
        (b"\x03\x01\x01a\xfd", "damaged at byte 5: a score that is not a number"),
        (b"\x03\x01\x01a\x02xy", "damaged at byte 7: a score that is not a number"),
        (
            b"\x02\x81\x7f\0\0\0\0\0\0\0",
            "damaged at byte 10: a count that is larger than the rest of the payload",
        ),
        (
            b"\x0b\x0c\x02\0\0\0\x02\0\0\0\x05\0\x04\0",
            "damaged at byte 14: an intset that is not sorted",
        ),
        (b"\x12\x01\x01\0", "damaged at byte 4: an empty node of a list"),
        (b"\x12\x01\x03\x01a", "damaged at byte 3: an unknown container of a list's node"),
        (b"\x12\x01\x02\x07\x07\0\0\0\0\0\xff", "the collection has no elements"),
    ] {
        assert_eq!(refused(body), error, "{}", body.escape_ascii());
    }
}

/// Redis reads a value and looks no further.
#[test]
fn bytes_behind_a_value_are_ignored() {
    let payload = sealed(b"\x00\x01ab", Version::V11);
    assert_eq!(decode(&payload, MEMORY_MAX), Ok(Value::String(b"a".to_vec())));
}

/// The payload of Redis 7.4 for the hash {a: 1, b: 2} whose field b expires at 1000, and one as a listpack.
#[test]
fn hashes_with_fields_that_expire() {
    let field = |name: &str, value: &str, expire_ms| HashField {
        name: name.into(),
        value: value.into(),
        expire_ms,
    };
    let value = Value::ExpiringHash(vec![field("a", "1", 0), field("b", "2", 1000)]);
    let body = b"\x18\xe8\x03\0\0\0\0\0\0\x02\x00\x01a\xc0\x01\x01\x01b\xc0\x02";
    assert_eq!(encode(&value, Version::V10), sealed(body, Version::V12));
    assert_eq!(decode(&sealed(body, Version::V12), MEMORY_MAX), Ok(value.clone()));
    let mut packed = listpack::Builder::new();
    ["a", "1", "0", "b", "2", "1000"].iter().for_each(|text| packed.push(text.as_bytes()));
    let mut body = b"\x19\xe8\x03\0\0\0\0\0\0".to_vec();
    writer::string(&mut body, &packed.finish());
    assert_eq!(decode(&sealed(&body, Version::V12), MEMORY_MAX), Ok(value));
}

#[test]
fn memory_is_bounded() {
    // A mebibyte of zeros in a few kilobytes.
    let payload = encode(&Value::String(vec![0; 1 << 20]), Version::V11);
    assert!(payload.len() < 1 << 14);
    assert_eq!(decode(&payload, 1 << 20), Err(DumpError::TooLarge));
    assert!(decode(&payload, (1 << 20) + 100).is_ok());
    let payload = encode(&Value::List(vec![b"1".to_vec(); 10_000]), Version::V11);
    assert_eq!(decode(&payload, 1 << 18), Err(DumpError::TooLarge));
}

#[test]
fn old_small_encodings() {
    // The hash {foo: bar, hello: world} of Redis 2.4, with unused bytes behind the first value.
    let zipmap = b"\x02\x03foo\x03\x02bar..\x05hello\x05\x00world\xff";
    let body = [&[9, zipmap.len() as u8], &zipmap[..]].concat();
    let pairs = [("foo", "bar"), ("hello", "world")];
    let expected = pairs.map(|(field, value)| (field.into(), value.into())).to_vec();
    assert_eq!(decode(&sealed(&body, Version::V11), MEMORY_MAX), Ok(Value::Hash(expected)));
    // The list [2, 5, "Hello World"] of Redis 2.6.
    let ziplist = b"\x1c\0\0\0\x0e\0\0\0\x03\0\x00\xf3\x02\xf6\x02\x0bHello World\xff";
    let body = [&[10, ziplist.len() as u8], &ziplist[..]].concat();
    let expected = ["2", "5", "Hello World"].map(Into::into).to_vec();
    assert_eq!(decode(&sealed(&body, Version::V11), MEMORY_MAX), Ok(Value::List(expected)));
}

/// Mutates payloads of all types: nothing panics, and what is accepted can be written and read again.
#[test]
fn damaged_payloads_never_panic() {
    let mut random = Rng::with_seed(2);
    let mut values: Vec<Value> = (0..200).map(|_| value(&mut random)).collect();
    values.extend((0..30).map(|_| expiring_hash(&mut random)));
    values.retain(|value| encode(value, Version::V11).len() < 1500);
    let versions = [Version::V10, Version::V11];
    let bodies: Vec<Vec<u8>> = values
        .iter()
        .flat_map(|value| versions.map(|version| encode(value, version)))
        .map(|payload| payload[..payload.len() - FOOTER].to_vec())
        .collect();
    let kinds: Vec<u8> = (0..27).collect();
    let mut accepted = 0;
    for _ in 0..fuzz_rounds() {
        let mut body = bodies[random.usize(..bodies.len())].clone();
        if random.usize(..10) == 0 {
            body[0] = kinds[random.usize(..kinds.len())];
        }
        mutate(&mut random, &mut body);
        let mut reader = Reader::new(&body, 1 << 20);
        let Ok(kind) = reader.byte().and_then(Kind::from_byte) else { continue };
        if let Ok(value) = kind::read(kind, &mut reader) {
            accepted += 1;
            if accepted % 50 == 0 {
                let again = decode(&encode(&value, Version::V11), usize::MAX).unwrap();
                assert_eq!(normal(again, Version::V11), normal(value, Version::V11));
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}
