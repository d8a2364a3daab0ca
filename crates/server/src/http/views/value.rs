//! The value of a key, by its type, a page at a time.

use super::super::App;
use super::super::auth::Caller;
use super::super::bytes::{shorten, show};
use super::super::commands::{self, Answer};
use super::super::query::Query;
use super::super::refusal::Refusal;
use crate::text::integer;
use schemars::JsonSchema;
use serde::Serialize;

/// The most elements of a page.
const PAGE: i64 = 100;
/// The bytes that elements of a page have together, if they are as large as the average; one element is always read.
const PAGE_BYTES: i64 = 4 << 20;
/// The bytes of a string that are read.
const STRING_BYTES: &[u8] = b"4095";

/// The value of a key. Which of `string` and `elements` is filled depends on the type.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(in crate::http) struct Value {
    /// The key as text; other bytes are escaped as `\xNN`.
    key: String,
    /// Its type: `string`, `list`, `set`, `zset`, `hash` or `stream`.
    r#type: String,
    /// How Redis would keep it, as OBJECT ENCODING says.
    encoding: String,
    /// Milliseconds until it expires; null if it does not.
    ttl_ms: Option<i64>,
    /// The estimated bytes of its rows, as MEMORY USAGE says.
    bytes: i64,
    /// The bytes of a string, or the elements of a collection.
    length: i64,
    /// The first 4096 bytes of a string; null for other types.
    string: Option<String>,
    /// Some elements of a collection; empty for strings.
    elements: Vec<Element>,
    /// The parameter `cursor` of the next page; empty if there is none.
    cursor: String,
}

/// An element of a collection. Texts are cut at 1024 bytes; other bytes are escaped as `\xNN`.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Element {
    /// The index in a list, the field of a hash, the member of a set or sorted set, or the id of a stream's entry.
    name: String,
    /// The value of a list's element or a hash's field, the score of a member, or fields and values of a stream's entry
    /// in turn; empty for members of sets.
    values: Vec<String>,
    /// Whether name and values are whole.
    is_whole: bool,
}

impl Element {
    fn new(name: &[u8], values: &[&[u8]]) -> Element {
        let (name, mut is_whole) = shorten(name);
        let mut shown = Vec::with_capacity(values.len());
        for value in values {
            let (text, is_all) = shorten(value);
            shown.push(text);
            is_whole &= is_all;
        }
        Element { name, values: shown, is_whole }
    }
}

/// What reads a key.
struct Reader<'r> {
    app: &'r App,
    caller: &'r Caller,
    database: u32,
    key: &'r [u8],
}

impl Reader<'_> {
    fn run(&self, words: &[&[u8]]) -> Result<Answer, Refusal> {
        commands::run(self.app, self.caller, self.database, words)
    }

    /// Runs a command whose only argument is the key.
    fn of_key(&self, command: &str) -> Result<Answer, Refusal> {
        self.run(&[command.as_bytes(), self.key])
    }
}

/// Returns the value of a key.
pub(in crate::http) fn get(
    app: &App,
    caller: &Caller,
    query: &Query<'_>,
) -> Result<Value, Refusal> {
    let database = query.number("database")? as u32;
    let reader = Reader { app, caller, database, key: query.required("key")? };
    let kind = String::from_utf8_lossy(&reader.of_key("TYPE")?.text()).into_owned();
    if kind == "none" {
        return Err(Refusal::missing("there is no such key"));
    }
    let ttl = reader.of_key("PTTL")?.integer();
    let mut value = Value {
        key: show(reader.key),
        encoding: show(&reader.run(&[b"OBJECT", b"ENCODING", reader.key])?.text()),
        ttl_ms: (ttl >= 0).then_some(ttl),
        bytes: reader.run(&[b"MEMORY", b"USAGE", reader.key])?.integer(),
        ..Value::default()
    };
    let cursor = query.bytes("cursor").unwrap_or(b"");
    match kind.as_str() {
        "string" => string(&reader, &mut value)?,
        "list" => list(&reader, cursor, &mut value)?,
        "zset" => sorted_set(&reader, cursor, &mut value)?,
        "set" => scanned(&reader, ["SCARD", "SSCAN"], cursor, &mut value)?,
        "hash" => scanned(&reader, ["HLEN", "HSCAN"], cursor, &mut value)?,
        "stream" => stream(&reader, cursor, &mut value)?,
        other => {
            return Err(Refusal::failed(format!("values of the type {other:?} are not shown")));
        }
    }
    value.r#type = kind;
    Ok(value)
}

fn string(reader: &Reader<'_>, value: &mut Value) -> Result<(), Refusal> {
    value.length = reader.of_key("STRLEN")?.integer();
    let text = reader.run(&[b"GETRANGE", reader.key, b"0", STRING_BYTES])?.text();
    value.string = Some(show(&text));
    Ok(())
}

/// Returns how many elements a page has: fewer if they are large.
fn room(value: &Value) -> i64 {
    let average = value.bytes / value.length.max(1);
    (PAGE_BYTES / average.max(1)).clamp(1, PAGE)
}

/// Returns the place that a cursor means, and the ends of the page there.
fn page(cursor: &[u8], room: i64) -> Result<(i64, String, String), Refusal> {
    let from = if cursor.is_empty() { Some(0) } else { integer::parse(cursor) };
    let from = from.filter(|from| (0..=i64::MAX - PAGE).contains(from));
    let from = from.ok_or_else(|| Refusal::bad("cursor: expected the cursor of a reply"))?;
    Ok((from, from.to_string(), (from + room - 1).to_string()))
}

fn list(reader: &Reader<'_>, cursor: &[u8], value: &mut Value) -> Result<(), Refusal> {
    value.length = reader.of_key("LLEN")?.integer();
    let (from, first, last) = page(cursor, room(value))?;
    let range = reader.run(&[b"LRANGE", reader.key, first.as_bytes(), last.as_bytes()])?.array();
    let numbered = range.into_iter().map(Answer::text).zip(from..);
    value.elements =
        numbered.map(|(it, at)| Element::new(at.to_string().as_bytes(), &[&it])).collect();
    set_next(value, from);
    Ok(())
}

fn sorted_set(reader: &Reader<'_>, cursor: &[u8], value: &mut Value) -> Result<(), Refusal> {
    value.length = reader.of_key("ZCARD")?.integer();
    let (from, first, last) = page(cursor, room(value))?;
    let words: [&[u8]; 5] =
        [b"ZRANGE", reader.key, first.as_bytes(), last.as_bytes(), b"WITHSCORES"];
    value.elements = pairs(reader.run(&words)?.array());
    set_next(value, from);
    Ok(())
}

/// Notes where the page behind the elements begins, if there is one.
fn set_next(value: &mut Value, from: i64) {
    let next = from + value.elements.len() as i64;
    if !value.elements.is_empty() && next < value.length {
        value.cursor = next.to_string();
    }
}

/// Reads sets and hashes, which have no order of numbers.
fn scanned(
    reader: &Reader<'_>,
    [count, scan]: [&str; 2],
    cursor: &[u8],
    value: &mut Value,
) -> Result<(), Refusal> {
    value.length = reader.of_key(count)?.integer();
    let cursor = if cursor.is_empty() { b"0" } else { cursor };
    let count = room(value).to_string();
    let words: [&[u8]; 5] = [scan.as_bytes(), reader.key, cursor, b"COUNT", count.as_bytes()];
    let mut reply = reader.run(&words)?.array().into_iter();
    let next = reply.next().unwrap_or(Answer::Null).text();
    let found = reply.next().unwrap_or(Answer::Null).array();
    value.elements = match scan {
        "SSCAN" => found.into_iter().map(|it| Element::new(&it.text(), &[])).collect(),
        _ => pairs(found),
    };
    if next != b"0" {
        value.cursor = show(&next);
    }
    Ok(())
}

fn pairs(answers: Vec<Answer>) -> Vec<Element> {
    let texts: Vec<_> = answers.into_iter().map(Answer::text).collect();
    let pair = |pair: &[Vec<u8>]| match pair {
        [name, value] => Element::new(name, &[value]),
        _ => Element::default(),
    };
    texts.chunks(2).map(pair).collect()
}

/// Reads a stream from its newest entry. The cursor is the id of the last entry that was shown.
fn stream(reader: &Reader<'_>, cursor: &[u8], value: &mut Value) -> Result<(), Refusal> {
    value.length = reader.of_key("XLEN")?.integer();
    let end = if cursor.is_empty() { b"+".to_vec() } else { [b"(", cursor].concat() };
    let (room, key) = (room(value), reader.key);
    let count = room.to_string();
    let words: [&[u8]; 6] = [b"XREVRANGE", key, &end, b"-", b"COUNT", count.as_bytes()];
    let mut last = Vec::new();
    for entry in reader.run(&words)?.array() {
        let mut parts = entry.array().into_iter();
        let id = parts.next().unwrap_or(Answer::Null).text();
        let fields = parts.next().unwrap_or(Answer::Null).array();
        let fields: Vec<_> = fields.into_iter().map(Answer::text).collect();
        let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
        value.elements.push(Element::new(&id, &fields));
        last = id;
    }
    if value.elements.len() as i64 == room {
        value.cursor = show(&last);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_large_elements_have_fewer() {
        let room = |bytes, length| room(&Value { bytes, length, ..Value::default() });
        assert_eq!([room(0, 0), room(1000, 10), room(1 << 40, 1 << 30)], [100; 3]);
        assert_eq!(room(100 << 20, 100), 4);
        assert_eq!(room(1 << 40, 10), 1);
        assert_eq!(room(i64::MAX, 0), 1);
    }
}
