//! A running server as the receiver of an import: ours, or Redis from 7.0 on.

use super::sink::Sink;
use crate::dump::{Entry, Version, encode};
use crate::error::{Error, Result};
use crate::redis::entries::{Existing, Moved};
use crate::resp::{Peer, PeerReply, write_request};
use crate::script::library_name;
use std::io;
use std::time::Duration;

/// How long the server may take for a connection and for each reply.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The characters of a note, which servers limit.
const NOTE_MAX: usize = 250;

/// How to reach a server.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// `HOST:PORT`.
    pub address: String,
    /// The user; empty for the default one.
    pub user: String,
    /// The password; empty for none.
    pub password: String,
    /// What happens to keys that exist already.
    pub existing: Existing,
}

/// A running server.
pub struct Remote {
    peer: Peer,
    existing: Existing,
    version: Version,
    database: u64,
}

impl Remote {
    /// Connects, and learns the server's version.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, refuses the password, or is older than Redis 7.0.
    pub fn connect(options: &RemoteOptions) -> Result<Remote> {
        let address = &options.address;
        let failed = |error| Error::Io(format!("server {address}"), error);
        let mut peer = Peer::connect(address, TIMEOUT).map_err(failed)?;
        peer.authenticate(&options.user, &options.password).map_err(failed)?;
        let info = match peer.call(&[b"INFO", b"server"]).map_err(failed)? {
            PeerReply::Bulk(text) => String::from_utf8_lossy(&text).into_owned(),
            other => return Err(refused(address, "INFO", &other)),
        };
        let shown = info.lines().find_map(|line| line.strip_prefix("redis_version:"));
        let shown = shown.unwrap_or("unknown");
        let mut parts = shown.split('.').map_while(|part| part.parse::<u32>().ok());
        let version = match (parts.next(), parts.next()) {
            (Some(7), Some(2..)) | (Some(8..), _) => Version::V11,
            (Some(7), _) => Version::V10,
            _ => {
                return Err(Error::Setting(format!(
                    "server {address} has version {shown}: expected 7.0 or later; for older ones, \
                     pipe the commands of `export --commands` into redis-cli --pipe"
                )));
            }
        };
        Ok(Remote { peer, existing: options.existing, version, database: 0 })
    }

    /// Has the server note a text in its log and its audit log, as well as possible: Redis has no such command, and the
    /// user may not have the right.
    pub fn note(&mut self, text: &str) {
        let text: String = text.chars().take(NOTE_MAX).collect();
        _ = self.peer.call(&[b"FERROLITH", b"NOTE", text.as_bytes()]);
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::Io(format!("server {}", self.peer.address()), error)
    }

    fn select(&mut self, database: u64) -> Result<()> {
        if self.database == database {
            return Ok(());
        }
        let number = database.to_string();
        let reply = self.peer.call(&[b"SELECT", number.as_bytes()]);
        match reply.map_err(|error| self.failed(error))? {
            PeerReply::Simple(_) => self.database = database,
            other => return Err(refused(self.peer.address(), &format!("SELECT {number}"), &other)),
        }
        Ok(())
    }
}

impl Sink for Remote {
    fn put(&mut self, entries: Vec<Entry>) -> Result<Moved> {
        let Some(first) = entries.first() else { return Ok(Moved::default()) };
        self.select(first.database)?;
        let mut requests = Vec::new();
        for entry in &entries {
            // A time before 1970 is over, as is the first millisecond; 0 would mean never.
            let ttl = entry.expires_ms.map_or(0, |ms| ms.max(1)).to_string();
            let payload = encode(&entry.value, self.version);
            let mut words: Vec<&[u8]> =
                vec![b"RESTORE", &entry.key, ttl.as_bytes(), &payload, b"ABSTTL"];
            if self.existing == Existing::Replace {
                words.push(b"REPLACE");
            }
            write_request(&mut requests, &words);
        }
        self.peer.send(&requests).map_err(|error| self.failed(error))?;
        let (mut moved, mut failure) = (Moved::default(), None);
        for entry in &entries {
            match self.peer.receive().map_err(|error| self.failed(error))? {
                PeerReply::Simple(_) => moved.written += 1,
                PeerReply::Error(text)
                    if text.starts_with("BUSYKEY") && self.existing == Existing::Keep =>
                {
                    moved.kept += 1;
                }
                // The replies to the other requests are read, so that the connection stays of use.
                other => {
                    let what = format!("RESTORE of key {}", entry.key.escape_ascii());
                    failure.get_or_insert_with(|| refused(self.peer.address(), &what, &other));
                }
            }
        }
        failure.map_or(Ok(moved), Err)
    }

    fn put_function(&mut self, code: Vec<u8>) -> Result<bool> {
        let mut words: Vec<&[u8]> = vec![b"FUNCTION", b"LOAD"];
        if self.existing == Existing::Replace {
            words.push(b"REPLACE");
        }
        words.push(&code);
        let reply = self.peer.call(&words);
        match reply.map_err(|error| self.failed(error))? {
            PeerReply::Bulk(_) => Ok(true),
            PeerReply::Error(text)
                if text.ends_with("already exists") && self.existing == Existing::Keep =>
            {
                Ok(false)
            }
            other => {
                let name = library_name(&code).unwrap_or_default();
                let what = format!("FUNCTION LOAD of library {}", name.escape_ascii());
                Err(refused(self.peer.address(), &what, &other))
            }
        }
    }

    /// The server decides when its commits are on the device.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Returns the error of a request that was not answered as expected.
fn refused(address: &str, what: &str, reply: &PeerReply) -> Error {
    let found = match reply {
        PeerReply::Error(text) => text.clone(),
        other => format!("found the reply {other:?}"),
    };
    Error::Setting(format!("server {address}: {what}: {found}"))
}
