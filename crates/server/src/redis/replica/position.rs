//! What survives a restart: the role of the server, and the position in the other server's stream. It is one row.
//!
//! ```text
//! row = "wait" host port                          a full synchronisation has yet to begin; the data is the old one
//!     | "load" host port                          the data is incomplete (RR2)
//!     | "stream" host port id offset database     all commands up to the offset are applied (RR1)
//!     | "promoted" host port                      REPLICAOF NO ONE ended the replication of this server
//! ```
//!
//! The words are separated by spaces. Without the row, the server never was a replica.

use crate::error::{Error, Result};
use crate::redis::failure::Done;
use crate::store::local::SYSTEM;
use crate::store::{Store, Txn};
use std::fmt;

const ROW: &[u8] = b"redis.replica";

/// A server whose replica this one is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Target {
    /// The name or address of its host.
    pub host: String,
    /// Its port.
    pub port: u16,
}

impl Target {
    /// Returns the target of `HOST:PORT`.
    ///
    /// # Errors
    ///
    /// The text has another form.
    pub fn parse(text: &str) -> Result<Target> {
        let advice = match text.starts_with("rediss://") {
            true => " (--replica-tls yes connects with TLS)",
            false => "",
        };
        let wrong = || format!("--replica-of: expected HOST:PORT, found {text:?}{advice}");
        let address = text.rsplit_once(':').filter(|_| !text.contains("://"));
        let target = address.and_then(|(host, port)| Target::new(host, port));
        target.ok_or_else(|| Error::Setting(wrong()))
    }

    /// Returns the target of a host and a port; `None` if they have no valid form.
    pub fn new(host: &str, port: &str) -> Option<Target> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let is_plain = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_graphic());
        let port = port.parse::<u16>().ok().filter(|port| *port > 0)?;
        is_plain.then(|| Target { host: host.to_owned(), port })
    }

    /// Returns the address as sockets take it.
    pub fn address(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address())
    }
}

/// A position in a stream of commands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Position {
    /// The server that sends the stream.
    pub target: Target,
    /// The identity of the stream: 40 characters.
    pub id: String,
    /// The bytes of the stream up to here.
    pub offset: u64,
    /// The database that is selected here.
    pub database: u32,
}

/// The role that the row says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Saved {
    /// There is no row.
    Never,
    /// A full synchronisation has yet to begin.
    Waiting(Target),
    /// The data is incomplete.
    Loading(Target),
    /// The data is complete up to a position.
    At(Position),
    /// The server was a replica of this one.
    Promoted(Target),
}

impl Saved {
    fn parse(bytes: &[u8]) -> Option<Saved> {
        let text = std::str::from_utf8(bytes).ok()?;
        let words: Vec<&str> = text.split(' ').collect();
        let (host, port) = (words.get(1)?, words.get(2)?);
        let target = Target { host: (*host).to_owned(), port: port.parse().ok()? };
        Some(match (words.first()?, words.get(3..)?) {
            (&"wait", []) => Saved::Waiting(target),
            (&"load", []) => Saved::Loading(target),
            (&"promoted", []) => Saved::Promoted(target),
            (&"stream", [id, offset, database]) => Saved::At(Position {
                target,
                id: (*id).to_owned(),
                offset: offset.parse().ok()?,
                database: database.parse().ok()?,
            }),
            _ => return None,
        })
    }
}

/// Reads the row.
///
/// # Errors
///
/// The store failed, or the row has another form, as that of a later version.
pub fn saved(store: &dyn Store) -> Result<Saved> {
    let mut found = None;
    store.get(SYSTEM, ROW, None, &mut |value| found = Some(value.to_vec()))?;
    let Some(bytes) = found else { return Ok(Saved::Never) };
    Saved::parse(&bytes).ok_or_else(|| {
        let shown = bytes.escape_ascii();
        Error::corrupt(format!(
            "the row of the replica's state: expected a state, a host and a port, found \"{shown}\""
        ))
    })
}

/// Writes that the data is incomplete.
pub fn put_loading(txn: &mut Txn, target: &Target) -> Done {
    put(txn, &format!("load {} {}", target.host, target.port))
}

/// Writes that a full synchronisation has yet to begin.
pub fn put_waiting(txn: &mut Txn, target: &Target) -> Done {
    put(txn, &format!("wait {} {}", target.host, target.port))
}

/// Writes that the server is a master again.
pub fn put_promoted(txn: &mut Txn, target: &Target) -> Done {
    put(txn, &format!("promoted {} {}", target.host, target.port))
}

/// Writes a position.
pub fn put_position(txn: &mut Txn, position: &Position) -> Done {
    let Position { target: Target { host, port }, id, offset, database } = position;
    put(txn, &format!("stream {host} {port} {id} {offset} {database}"))
}

fn put(txn: &mut Txn, text: &str) -> Done {
    Ok(txn.put(SYSTEM, ROW, text.as_bytes())?)
}

#[cfg(test)]
#[path = "position_test.rs"]
mod tests;
