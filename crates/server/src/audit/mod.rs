//! The audit log: administrative calls at all doors, one JSON object a line.
//!
//! 1. A caller has its reply after the entry was written, by one system call that does not wait for the device.
//! 2. A file that cannot be written stops nothing: entries are lost and counted, and standard error says so.
//! 3. Callers leave secrets out. This module only shortens.
//!
//! Each door decides what is administrative: `redis/auditing.rs`, `pegasus/auditing.rs`, `http/answer.rs`.

use crate::complaints::Complaints;
use crate::error::{Error, Result};
use parking_lot::Mutex;
use serde::Serialize;
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The words of a call that an entry has.
const WORDS_MAX: usize = 64;
/// The bytes of a word or of a result that an entry has.
const WORD_BYTES: usize = 256;
/// The permissions of a new file: entries name users and addresses.
const MODE: u32 = 0o600;

/// An administrative call.
#[derive(Debug, Serialize)]
pub struct Entry<'a> {
    /// When it ended, in milliseconds since 1970.
    pub at_ms: u64,
    /// The protocol: `redis`, `pegasus` or `http`.
    pub door: &'static str,
    /// The user; null if there is none, as before a login and for Pegasus clients.
    pub user: Option<Cow<'a, str>>,
    /// The address of the client; null if it is not known.
    pub client: Option<SocketAddr>,
    /// The call and its arguments, without secrets.
    pub call: Vec<Cow<'a, str>>,
    /// `ok`, or the error that the client got.
    pub result: Cow<'a, str>,
}

/// The audit log of a server.
#[derive(Debug)]
pub struct Audit {
    path: PathBuf,
    log: Mutex<Log>,
    lost: AtomicU64,
    opened: Instant,
}

#[derive(Debug)]
struct Log {
    file: File,
    complaints: Complaints,
    /// Whether the last entry was written in part.
    is_torn: bool,
}

impl Audit {
    /// Opens the file to append to it, and creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// The directory does not exist, or the file cannot be written.
    pub fn open(path: &Path) -> Result<Audit> {
        let log = Log {
            file: open(path)?,
            complaints: Complaints::new("writing the audit log"),
            is_torn: false,
        };
        let (path, lost) = (path.to_owned(), AtomicU64::new(0));
        Ok(Audit { path, log: Mutex::new(log), lost, opened: Instant::now() })
    }

    /// Opens the file anew, after a tool has renamed it.
    ///
    /// # Errors
    ///
    /// As [`open`](Audit::open). Entries then go to the old file.
    pub fn reopen(&self) -> Result<()> {
        let file = open(&self.path)?;
        let mut log = self.log.lock();
        (log.file, log.is_torn) = (file, false);
        Ok(())
    }

    /// Writes an entry.
    pub fn write(&self, entry: &Entry<'_>) {
        let line = serde_json::to_vec(entry).map_err(io::Error::other);
        let mut log = self.log.lock();
        let written = line.and_then(|line| log.append(line));
        if written.is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        let named = written.map_err(|error| format!("{}: {error}", self.path.display()));
        let now_us = u64::try_from(self.opened.elapsed().as_micros()).unwrap_or(u64::MAX);
        if let Some(line) = log.complaints.note(named, now_us) {
            eprintln!("{line}");
        }
    }

    /// Returns how many entries could not be written.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Log {
    fn append(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        if self.is_torn {
            line.insert(0, b'\n');
        }
        line.push(b'\n');
        let written = self.file.write(&line)?;
        self.is_torn = written < line.len();
        match self.is_torn {
            false => Ok(()),
            true => Err(io::ErrorKind::StorageFull.into()),
        }
    }
}

fn open(path: &Path) -> Result<File> {
    let opened = OpenOptions::new().append(true).create(true).mode(MODE).open(path);
    opened.map_err(|error| Error::Io(format!("audit-log {}", path.display()), error))
}

/// Returns words as an entry has them: as text, and shortened.
pub fn words<'a>(all: impl ExactSizeIterator<Item = &'a [u8]>) -> Vec<Cow<'a, str>> {
    let more = all.len().saturating_sub(WORDS_MAX);
    let mut words: Vec<_> = all.take(WORDS_MAX).map(text).collect();
    if more > 0 {
        words.push(format!("... ({more} more)").into());
    }
    words
}

/// Returns bytes as text, shortened.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    match bytes.split_at_checked(WORD_BYTES) {
        Some((kept, rest)) if !rest.is_empty() => {
            format!("{}... ({} more bytes)", String::from_utf8_lossy(kept), rest.len()).into()
        }
        _ => String::from_utf8_lossy(bytes),
    }
}

#[cfg(test)]
#[path = "audit_test.rs"]
mod tests;
