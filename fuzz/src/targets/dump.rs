//! Payloads of DUMP and RESTORE, and RDB files. `input = kind:1 bytes`: a payload without its footer, one with it, the
//! payload of FUNCTION DUMP without its footer, an RDB file without its first bytes, or bytes for LZF.
//!
//! * Nothing panics, and the memory of a value is bounded by the caller's limit.
//! * A value that was decoded is the same after it is encoded, in each version, and decoded again.
//! * What LZF compresses comes back.

use ferrolith_server::dump::{
    Consumer, Group, Item, Pending, RdbFile, Stream, StreamEntry, Value, Version, decode,
    decode_functions, encode, encode_functions,
};
use ferrolith_server::streamid::StreamId;
use ferrolith_server::text::{crc64, lzf};

/// The memory that a value may take.
pub const MEMORY_MAX: usize = 1 << 20;

const VERSIONS: [Version; 2] = [Version::V10, Version::V11];
/// The length of version and checksum.
const FOOTER: usize = 10;

/// Checks one input.
pub fn run(input: &[u8]) {
    let Some((kind, bytes)) = input.split_first() else { return };
    match kind % 5 {
        0 => check_value(&sealed(bytes)),
        1 => check_value(bytes),
        2 => check_functions(&sealed(bytes)),
        3 => check_file(&[b"REDIS0011", bytes].concat()),
        _ => {
            if let Some(block) = lzf::compress(bytes) {
                assert_eq!(lzf::decompress(&block, bytes.len()).as_deref(), Some(bytes));
            }
            let _ = lzf::decompress(bytes, bytes.len() * 2);
        }
    }
}

/// Returns a payload with a version and the right checksum.
fn sealed(body: &[u8]) -> Vec<u8> {
    let mut payload = [body, &[11, 0]].concat();
    payload.extend_from_slice(&crc64::checksum(&payload).to_le_bytes());
    payload
}

fn check_value(payload: &[u8]) {
    match decode(payload, MEMORY_MAX) {
        Ok(value) => check_round_trip(&value),
        Err(error) => assert!(!error.to_string().is_empty() && !error.reply().is_empty()),
    }
}

fn check_round_trip(value: &Value) {
    for version in VERSIONS {
        let again = decode(&encode(value, version), usize::MAX);
        let again = again.unwrap_or_else(|error| panic!("{error}: {value:?}"));
        assert_eq!(normal(again, version), normal(value.clone(), version));
    }
}

fn check_functions(payload: &[u8]) {
    if let Ok(codes) = decode_functions(payload, MEMORY_MAX) {
        let again = encode_functions(codes.iter().map(Vec::as_slice), Version::V11);
        assert_eq!(decode_functions(&again, usize::MAX), Ok(codes));
    }
}

fn check_file(bytes: &[u8]) {
    let Ok(mut file) = RdbFile::open(bytes, MEMORY_MAX) else { return };
    while let Ok(Some(item)) = file.next_item() {
        if let Item::Entry(entry) = item {
            check_round_trip(&entry.value);
        }
    }
}

/// Sorts what has no order, and drops what a version does not store.
fn normal(mut value: Value, version: Version) -> Value {
    match &mut value {
        Value::Set(members) => members.sort(),
        Value::Hash(fields) => fields.sort(),
        Value::ExpiringHash(fields) => fields.sort(),
        Value::SortedSet(members) => members.sort_by(|(a, _), (b, _)| a.cmp(b)),
        Value::Stream(stream) => {
            for consumer in stream.groups.iter_mut().flat_map(|group| &mut group.consumers) {
                if version < Version::V11 {
                    consumer.active_ms = consumer.seen_ms;
                }
            }
        }
        Value::String(_) | Value::List(_) => {}
    }
    value
}

fn stream() -> Value {
    let id = |ms| StreamId::new(ms, 1);
    let text = |text: &str| text.as_bytes().to_vec();
    let entry = |ms| StreamEntry { id: id(ms), fields: vec![(text("f"), text("v")); 2] };
    let pending = Pending { id: id(6), delivered_ms: 9, deliveries: 2 };
    let consumer = Consumer { name: text("c"), seen_ms: 8, active_ms: -1, pending: vec![pending] };
    let group =
        Group { name: text("g"), last_id: id(6), entries_read: Some(1), consumers: vec![consumer] };
    Value::Stream(Box::new(Stream {
        entries: vec![entry(5), entry(6), entry(1 << 40)],
        last_id: id(1 << 40),
        max_deleted_id: id(2),
        entries_added: 4,
        groups: vec![group],
    }))
}

fn values() -> Vec<Value> {
    let elements = |count: usize, width: usize| -> Vec<Vec<u8>> {
        (0..count).map(|at| format!("{at:0width$}").into_bytes()).collect()
    };
    let pairs = |count, width| {
        elements(count, width).into_iter().map(|field| (field, b"value".to_vec())).collect()
    };
    let scores = |count, width| {
        let scores = [0.0, -1.5, f64::INFINITY, 3e20].into_iter().cycle();
        elements(count, width).into_iter().zip(scores).collect()
    };
    vec![
        Value::String(b"text".to_vec()),
        Value::String(b"-12345".to_vec()),
        Value::String(b"abc".repeat(50)),
        Value::List(elements(3, 2)),
        Value::List([elements(2, 1), vec![b"x".repeat(9000)]].concat()),
        Value::Set(elements(4, 1)),
        Value::Set(elements(5, 7)),
        Value::Set(elements(300, 3)),
        Value::SortedSet(scores(4, 3)),
        Value::SortedSet(scores(200, 3)),
        Value::Hash(pairs(3, 2)),
        Value::Hash(pairs(200, 5)),
        stream(),
    ]
}

/// Payloads of encodings that are read only: a zipmap, ziplists, a linked list, printed scores, and a quicklist.
const OLD: [&[u8]; 6] = [
    b"\x09\x1a\x02\x03foo\x03\x02bar..\x05hello\x05\x00world\xff",
    b"\x0a\x1c\x1c\0\0\0\x0e\0\0\0\x03\0\x00\xf3\x02\xf6\x02\x0bHello World\xff",
    b"\x0e\x01\x0f\x0f\0\0\0\x0c\0\0\0\x02\0\x00\xf3\x02\xf6\xff",
    b"\x01\x02\x01a\xc0\x05",
    b"\x03\x02\x01a\x031.5\x01b\xfe",
    b"\x02\x02\x01a\xc3\x04\x08\x01ab\xe0\x00\x01",
];

/// Returns inputs to begin with.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = OLD.iter().map(|body| [&[0], *body].concat()).collect();
    let mut file = Vec::new();
    for (at, value) in values().iter().enumerate() {
        for version in VERSIONS {
            let payload = encode(value, version);
            let body = &payload[..payload.len() - FOOTER];
            seeds.push([&[0], body].concat());
            if body.len() < 500 && version == Version::V11 {
                file.extend(
                    [&[252, at as u8, 0, 0, 0, 1, 0, 0, 0, body[0], 1, b'k'], &body[1..]].concat(),
                );
            }
        }
    }
    seeds.push([&[1], &encode(&Value::String(b"abc".to_vec()), Version::V11)[..]].concat());
    let code: [&[u8]; 2] = [b"#!lua name=a\nredis.register_function('f', g)", b"#!lua name=b\n"];
    let functions = encode_functions(code.into_iter(), Version::V11);
    seeds.push([&[2], &functions[..functions.len() - FOOTER]].concat());
    let head = b"\x03\xfa\x09redis-ver\x057.0.1\xf5\x02ab\xfe\x00\xfb\x02\x01\xf8\x05\xf9\x07";
    seeds.push([&head[..], &file, b"\xff\0\0\0\0\0\0\0\0"].concat());
    seeds.push([&[4], &b"abcdefgh".repeat(20)[..]].concat());
    seeds
}
