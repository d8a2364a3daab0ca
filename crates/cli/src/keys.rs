//! Keys of one server: get, set, del, scan, count.

use crate::Answer;
use crate::connection::{Connection, Server, unexpected};
use crate::output::{Output, Progress, text};
use clap::Args;
use ferrolith_server::error::{Error, Result};
use ferrolith_server::resp::PeerReply;
use serde_json::json;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

/// Arguments of `get`.
#[derive(Debug, Args)]
pub(crate) struct Get {
    /// The key
    key: OsString,
    /// Print the bytes of the value and nothing else, not even the end of the line
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    #[command(flatten)]
    server: Server,
}

impl Get {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        let key = self.key.as_bytes();
        let reply = self.server.connect()?.call(&[b"GET", key])?;
        let PeerReply::Bulk(value) = reply else {
            if reply != PeerReply::Null {
                return Err(unexpected("GET", &reply));
            }
            match out.is_json() {
                true => out.print("", &json!({ "key": text(key), "value": null })),
                false => eprintln!("ferrolith: the key does not exist"),
            }
            return Ok(Answer::No);
        };
        match out.is_json() {
            true => out.print("", &json!({ "key": text(key), "value": text(&value) })),
            false => {
                out.raw(&value);
                out.raw(if self.raw { b"" } else { b"\n" });
            }
        }
        Ok(Answer::Yes)
    }
}

/// Arguments of `set`.
#[derive(Debug, Args)]
pub(crate) struct Set {
    /// The key
    key: OsString,
    /// The value; `-` reads it from the standard input
    value: OsString,
    /// The time after which the key expires, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    ttl: Option<u64>,
    #[command(flatten)]
    server: Server,
}

impl Set {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        let mut value = self.value.as_bytes().to_vec();
        if value == b"-" {
            value.clear();
            let read = std::io::stdin().lock().read_to_end(&mut value);
            read.map_err(|error| Error::Io("reading the standard input".to_owned(), error))?;
        }
        let mut words: Vec<&[u8]> = vec![b"SET", self.key.as_bytes(), &value];
        let ttl = self.ttl.map(|ttl| ttl.to_string());
        if let Some(ttl) = &ttl {
            words.extend([&b"EX"[..], ttl.as_bytes()]);
        }
        self.server.connect()?.call(&words)?;
        out.print("", &json!({ "key": text(self.key.as_bytes()), "bytes": value.len() }));
        Ok(Answer::Yes)
    }
}

/// Arguments of `del`.
#[derive(Debug, Args)]
pub(crate) struct Del {
    /// The keys
    #[arg(required = true)]
    keys: Vec<OsString>,
    #[command(flatten)]
    server: Server,
}

impl Del {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        let keys = self.keys.iter().map(|key| key.as_bytes());
        let words: Vec<&[u8]> = std::iter::once(&b"DEL"[..]).chain(keys).collect();
        let reply = self.server.connect()?.call(&words)?;
        let PeerReply::Integer(count) = reply else { return Err(unexpected("DEL", &reply)) };
        out.print(format!("deleted {count} keys\n"), &json!({ "deleted": count }));
        Ok(Answer::Yes)
    }
}

/// Which keys of a database.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// Only keys that match a pattern, such as `user:*`
    #[arg(long = "match", value_name = "PATTERN")]
    pattern: Option<OsString>,
    /// Only keys of a type: string, list, set, zset, hash or stream
    #[arg(long = "type", value_name = "TYPE", value_parser = ["string", "list", "set", "zset", "hash", "stream"])]
    kind: Option<String>,
}

impl Which {
    fn is_all(&self) -> bool {
        self.pattern.is_none() && self.kind.is_none()
    }

    fn words(&self) -> Vec<&[u8]> {
        let pattern = self.pattern.iter().flat_map(|it| [&b"MATCH"[..], it.as_bytes()]);
        let kind = self.kind.iter().flat_map(|it| [&b"TYPE"[..], it.as_bytes()]);
        pattern.chain(kind).collect()
    }

    /// Calls `found` with some keys at a time, until it returns `false`. A key that changes meanwhile may come twice.
    pub(crate) fn each(
        &self,
        connection: &mut Connection,
        mut found: impl FnMut(&mut Connection, Vec<Vec<u8>>) -> Result<bool>,
    ) -> Result<()> {
        let mut cursor = b"0".to_vec();
        loop {
            let (next, keys) = connection.scan(&cursor, &self.words())?;
            if !found(connection, keys)? || next == b"0" {
                return Ok(());
            }
            cursor = next;
        }
    }
}

/// Arguments of `scan`.
#[derive(Debug, Args)]
pub(crate) struct Scan {
    #[command(flatten)]
    which: Which,
    /// Stop after so many keys
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    #[command(flatten)]
    server: Server,
}

impl Scan {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        let mut left = self.limit.unwrap_or(u64::MAX);
        self.which.each(&mut self.server.connect()?, |_, keys| {
            for key in keys.into_iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
                left -= 1;
                match out.is_json() {
                    true => out.print("", &text(&key)),
                    false => out.raw(&[&key[..], b"\n"].concat()),
                }
            }
            Ok(left > 0)
        })?;
        Ok(Answer::Yes)
    }
}

/// Arguments of `count`.
#[derive(Debug, Args)]
pub(crate) struct Count {
    #[command(flatten)]
    which: Which,
    /// Read the names of all keys. Without it, and without a filter, DBSIZE counts: above a million keys, this server
    /// estimates
    #[arg(long)]
    exact: bool,
    #[command(flatten)]
    server: Server,
}

impl Count {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        let mut connection = self.server.connect()?;
        let mut count = 0;
        if self.which.is_all() && !self.exact {
            let reply = connection.call(&[b"DBSIZE"])?;
            let PeerReply::Integer(size) = reply else { return Err(unexpected("DBSIZE", &reply)) };
            count = size as u64;
        } else {
            let mut progress = Progress::begin();
            self.which.each(&mut connection, |_, keys| {
                count += keys.len() as u64;
                progress.show(|| format!("{count} keys"));
                Ok(true)
            })?;
            progress.end();
        }
        out.print(format!("{count}\n"), &json!({ "keys": count }));
        Ok(Answer::Yes)
    }
}
