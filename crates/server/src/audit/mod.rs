//! The audit log: administrative calls at all doors, one JSON object a line.
//!
//! 1. A caller has its reply after the entry was written, by one system call that does not wait for the device.
//! 2. A file that cannot be written stops nothing: entries are lost and counted, and the log says so.
//! 3. Callers leave secrets out. This module only shortens.
//!
//! Each door decides what is administrative: `redis/auditing.rs`, `pegasus/auditing.rs`, `http/answer.rs`. `work` is
//! for programs that work on the data without a server.

mod work;

pub use work::WorkFlags;

use crate::error::Result;
use crate::logs::LineFile;
use serde::Serialize;
use std::borrow::Cow;
use std::net::SocketAddr;
use std::path::Path;
use tracing::error;

/// The words of a call that an entry has.
const WORDS_MAX: usize = 64;
/// The bytes of a word or of a result that an entry has.
const WORD_BYTES: usize = 256;

/// An administrative call.
#[derive(Debug, Serialize)]
pub struct Entry<'a> {
    /// When it ended, in milliseconds since 1970.
    pub at_ms: u64,
    /// The protocol: `redis`, `pegasus` or `http`; `program` for the work of a program on the same machine.
    pub door: &'static str,
    /// The user; null if there is none, as before a login and for Pegasus clients. Of programs the user's number.
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
pub struct Audit(LineFile);

impl Audit {
    /// Opens the file to append to it, and creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// The directory does not exist, or the file cannot be written.
    pub fn open(path: &Path) -> Result<Audit> {
        LineFile::open("audit-log", "writing the audit log", path).map(Audit)
    }

    /// Opens the file anew, after a tool has renamed it.
    ///
    /// # Errors
    ///
    /// As [`open`](Audit::open). Entries then go to the old file.
    pub fn reopen(&self) -> Result<()> {
        self.0.reopen()
    }

    /// Writes an entry.
    pub fn write(&self, entry: &Entry<'_>) {
        // Strings, numbers and addresses always become JSON.
        let mut line = serde_json::to_vec(entry).unwrap_or_default();
        line.push(b'\n');
        if let Some(complaint) = self.0.write(&line) {
            error!(target: "ferrolith::server", "{complaint}");
        }
    }

    /// Returns how many entries could not be written.
    pub fn lost(&self) -> u64 {
        self.0.lost()
    }
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
