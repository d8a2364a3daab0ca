//! The keys of a Redis database, some at a time.

use super::super::App;
use super::super::auth::Caller;
use super::super::bytes::{encode, show};
use super::super::commands::{self, Answer};
use super::super::query::Query;
use super::super::refusal::Refusal;
use crate::text::integer;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Keys that one step looks at.
const STEP: &[u8] = b"1000";
/// How long one request may look for keys.
const TIME_MAX: Duration = Duration::from_millis(300);

/// Some keys of a database, in the order of SCAN.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Keys {
    /// The keys.
    keys: Vec<Key>,
    /// The cursor with which the next request goes on; `0` when all keys were seen. A request may find no keys and
    /// still have a cursor: it looked for 0.3 seconds.
    cursor: String,
    /// The databases that were ever written to.
    databases: Vec<u32>,
}

/// A key.
#[derive(Debug, Serialize, JsonSchema)]
struct Key {
    /// The key as text; other bytes are escaped as `\xNN`.
    text: String,
    /// The key percent-encoded, for the parameter `key` of `/value`.
    key: String,
    /// Its type, such as `string` or `zset`.
    r#type: String,
    /// Milliseconds until it expires; null if it does not.
    ttl_ms: Option<i64>,
}

/// Returns keys with a prefix.
pub(in crate::http) fn get(app: &App, caller: &Caller, query: &Query<'_>) -> Result<Keys, Refusal> {
    let database = query.number("database")? as u32;
    let wanted = query.number("count")? as usize;
    let mut cursor = query.bytes("cursor").unwrap_or(b"0").to_vec();
    if integer::parse_unsigned(&cursor).is_none() {
        return Err(Refusal::bad("cursor: expected the cursor of a reply"));
    }
    let server = &app.parts.server;
    let exists = |index: &u32| server.databases.existing(*index).is_some();
    let databases: Vec<u32> = (0..server.databases.count()).filter(exists).collect();
    if !databases.contains(&database) {
        if database >= server.databases.count() {
            return Err(Refusal::missing(format!("there is no database {database}")));
        }
        caller.check(&["scan", "0"])?;
        return Ok(Keys { keys: Vec::new(), cursor: "0".to_owned(), databases });
    }
    let pattern = pattern(query.bytes("prefix").unwrap_or_default());
    let (mut names, start, count) = (Vec::new(), Instant::now(), wanted.to_string());
    loop {
        // Few keys at a time without a prefix: all of them match.
        let step = if pattern == b"*" { count.as_bytes() } else { STEP };
        let words: [&[u8]; 6] = [b"SCAN", &cursor, b"MATCH", &pattern, b"COUNT", step];
        let mut reply = commands::run(app, caller, database, &words)?.array().into_iter();
        cursor = reply.next().unwrap_or(Answer::Null).text();
        names.extend(reply.next().unwrap_or(Answer::Null).array().into_iter().map(Answer::text));
        let is_enough = names.len() >= wanted || (pattern == b"*" && !names.is_empty());
        if cursor == b"0" || is_enough || start.elapsed() > TIME_MAX {
            break;
        }
    }
    let keys = names.iter().filter_map(|name| key(app, caller, database, name).transpose());
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    Ok(Keys { keys, cursor: String::from_utf8_lossy(&cursor).into_owned(), databases })
}

/// Describes a key; `None` if it is gone.
fn key(app: &App, caller: &Caller, database: u32, name: &[u8]) -> Result<Option<Key>, Refusal> {
    let run = |words: &[&[u8]]| commands::run(app, caller, database, words);
    let (kind, ttl) = match (run(&[b"TYPE", name]), run(&[b"PTTL", name])) {
        (Ok(kind), Ok(ttl)) => (kind.text(), ttl.integer()),
        // The user may list the keys, but not look at this one.
        (Err(refusal), _) | (_, Err(refusal)) if refusal.body.error == "forbidden" => {
            (b"(no permission)".to_vec(), -1)
        }
        (Err(refusal), _) | (_, Err(refusal)) => return Err(refusal),
    };
    Ok((kind != b"none").then(|| Key {
        text: show(name),
        key: encode(name),
        r#type: String::from_utf8_lossy(&kind).into_owned(),
        ttl_ms: (ttl >= 0).then_some(ttl),
    }))
}

/// Returns the pattern of all keys with a prefix.
fn pattern(prefix: &[u8]) -> Vec<u8> {
    let mut pattern = Vec::with_capacity(prefix.len() + 1);
    for byte in prefix {
        if matches!(byte, b'*' | b'?' | b'[' | b']' | b'\\' | b'^') {
            pattern.push(b'\\');
        }
        pattern.push(*byte);
    }
    pattern.push(b'*');
    pattern
}
