//! A key as commands that create it, for servers that do not read RDB files: `redis-cli --pipe` sends them.
//!
//! Streams and functions need Redis 7.0, fields of hashes that expire 7.4. Of streams the commands leave out what no
//! command sets: when consumers were seen, and pending entries that were deleted.

use crate::dump::{Entry, Group, HashField, Stream, Value};
use crate::resp::write_request;
use crate::streamid::StreamId;
use crate::text::double;

/// The elements of one command.
const ELEMENTS: usize = 128;
/// The bytes of one command, except for its last element.
const BYTES: usize = 64 << 10;

/// A command that grows until it is long enough.
struct Growing<'o, 'k> {
    out: &'o mut Vec<u8>,
    head: [&'k [u8]; 2],
    words: Vec<Vec<u8>>,
    bytes: usize,
}

impl Growing<'_, '_> {
    /// Adds an element: one or two words.
    fn add<const N: usize>(&mut self, element: [&[u8]; N]) {
        if self.words.len() >= ELEMENTS || self.bytes >= BYTES {
            self.end();
        }
        self.bytes += element.iter().map(|word| word.len()).sum::<usize>();
        self.words.extend(element.map(<[u8]>::to_vec));
    }

    fn end(&mut self) {
        if !self.words.is_empty() {
            let words: Vec<&[u8]> =
                self.head.into_iter().chain(self.words.iter().map(|word| &word[..])).collect();
            write_request(self.out, &words);
        }
        self.words.clear();
        self.bytes = 0;
    }
}

/// Appends the commands that replace a key of the selected database.
pub fn write_commands(entry: &Entry, out: &mut Vec<u8>) {
    let key = &entry.key[..];
    let of = |name: &'static str| [name.as_bytes(), key];
    if !matches!(entry.value, Value::String(_)) {
        write_request(out, &of("DEL"));
    }
    let growing = |out, name| Growing { out, head: of(name), words: Vec::new(), bytes: 0 };
    match &entry.value {
        Value::String(text) => write_request(out, &[&b"SET"[..], key, text]),
        Value::List(elements) => {
            let mut command = growing(out, "RPUSH");
            elements.iter().for_each(|element| command.add([element]));
            command.end();
        }
        Value::Set(members) => {
            let mut command = growing(out, "SADD");
            members.iter().for_each(|member| command.add([member]));
            command.end();
        }
        Value::SortedSet(members) => {
            let mut command = growing(out, "ZADD");
            members.iter().for_each(|(member, score)| {
                command.add([double::format_17_digits(*score).as_bytes(), member]);
            });
            command.end();
        }
        Value::Hash(fields) => {
            let mut command = growing(out, "HMSET");
            fields.iter().for_each(|(name, value)| command.add([name, value]));
            command.end();
        }
        Value::ExpiringHash(fields) => {
            let mut command = growing(out, "HMSET");
            fields.iter().for_each(|field| command.add([&field.name, &field.value]));
            command.end();
            fields.iter().for_each(|field| write_field_expiry(key, field, out));
        }
        Value::Stream(stream) => write_stream(key, stream, out),
    }
    if let Some(expires_ms) = entry.expires_ms {
        write_request(out, &[b"PEXPIREAT", key, expires_ms.to_string().as_bytes()]);
    }
}

fn write_field_expiry(key: &[u8], field: &HashField, out: &mut Vec<u8>) {
    if field.expire_ms > 0 {
        let time = field.expire_ms.to_string();
        let words: [&[u8]; 6] = [b"HPEXPIREAT", key, time.as_bytes(), b"FIELDS", b"1", &field.name];
        write_request(out, &words);
    }
}

fn write_stream(key: &[u8], stream: &Stream, out: &mut Vec<u8>) {
    for entry in &stream.entries {
        let id = entry.id.to_string();
        let mut words: Vec<&[u8]> = vec![b"XADD", key, id.as_bytes()];
        entry.fields.iter().for_each(|(name, value)| words.extend([&name[..], &value[..]]));
        write_request(out, &words);
    }
    let (last, deleted) = (stream.last_id.to_string(), stream.max_deleted_id.to_string());
    if stream.entries.is_empty() {
        // An entry that is trimmed at once creates the stream. Its id must not be 0-0.
        let id = stream.last_id.max(StreamId::new(0, 1)).to_string();
        let words: [&[u8]; 7] = [b"XADD", key, b"MAXLEN", b"0", id.as_bytes(), b"x", b"y"];
        write_request(out, &words);
    }
    let added = stream.entries_added.to_string();
    let words: [&[u8]; 7] = [
        b"XSETID",
        key,
        last.as_bytes(),
        b"ENTRIESADDED",
        added.as_bytes(),
        b"MAXDELETEDID",
        deleted.as_bytes(),
    ];
    write_request(out, &words);
    stream.groups.iter().for_each(|group| write_group(key, group, out));
}

fn write_group(key: &[u8], group: &Group, out: &mut Vec<u8>) {
    let last = group.last_id.to_string();
    let read = group.entries_read.map(|read| read.to_string());
    let mut words: Vec<&[u8]> = vec![b"XGROUP", b"CREATE", key, &group.name, last.as_bytes()];
    if let Some(read) = &read {
        words.extend([b"ENTRIESREAD", read.as_bytes()]);
    }
    write_request(out, &words);
    for consumer in &group.consumers {
        write_request(out, &[b"XGROUP", b"CREATECONSUMER", key, &group.name, &consumer.name]);
        for entry in &consumer.pending {
            let (id, time) = (entry.id.to_string(), entry.delivered_ms.to_string());
            let deliveries = entry.deliveries.to_string();
            let words: [&[u8]; 12] = [
                b"XCLAIM",
                key,
                &group.name,
                &consumer.name,
                b"0",
                id.as_bytes(),
                b"TIME",
                time.as_bytes(),
                b"RETRYCOUNT",
                deliveries.as_bytes(),
                b"FORCE",
                b"JUSTID",
            ];
            write_request(out, &words);
        }
    }
}
