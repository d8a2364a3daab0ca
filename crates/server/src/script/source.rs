//! Scripts of EVAL as data, and the cache that all workers share.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;

use super::flags::Flags;
use super::{sha, shebang};

/// A script with a header that is well-formed.
#[derive(Debug)]
pub struct Script {
    sha: String,
    source: Vec<u8>,
    code_start: usize,
    flags: Flags,
}

impl Script {
    /// Reads the header of a script. The error is Redis's text without a code.
    pub fn new(source: &[u8]) -> Result<Script, String> {
        let header = shebang::script(source)?;
        Ok(Script {
            sha: sha::hex(source),
            source: source.to_vec(),
            code_start: header.code_start,
            flags: header.flags,
        })
    }

    /// Returns the SHA-1 of the source in lower-case hexadecimal.
    pub fn sha(&self) -> &str {
        &self.sha
    }

    /// Returns the flags of the header.
    pub fn flags(&self) -> Flags {
        self.flags
    }

    /// Returns the length of the source in bytes.
    pub fn length(&self) -> usize {
        self.source.len()
    }

    /// Returns the source after the header.
    pub(super) fn code(&self) -> &[u8] {
        self.source.get(self.code_start..).unwrap_or_default()
    }
}

/// The scripts that EVALSHA finds.
#[derive(Debug, Default)]
pub struct ScriptCache {
    scripts: RwLock<HashMap<String, Arc<Script>>>,
    flushes: AtomicU64,
}

impl ScriptCache {
    /// Returns a script by its SHA-1, in hexadecimal of either case.
    pub fn get(&self, sha: &[u8]) -> Option<Arc<Script>> {
        if sha.len() != sha::HEX_LENGTH {
            return None;
        }
        let sha = std::str::from_utf8(sha).ok()?.to_ascii_lowercase();
        self.scripts.read().get(&sha).cloned()
    }

    /// Adds a script that compiles.
    pub fn add(&self, script: Arc<Script>) {
        self.scripts.write().entry(script.sha.clone()).or_insert(script);
    }

    /// Removes all scripts. Workers drop their compiled scripts before their next run.
    pub fn flush(&self) {
        self.scripts.write().clear();
        self.flushes.fetch_add(1, Ordering::Release);
    }

    /// Returns how often the cache was flushed.
    pub fn flushes(&self) -> u64 {
        self.flushes.load(Ordering::Acquire)
    }

    /// Returns the number of scripts and the bytes of their sources.
    pub fn size(&self) -> (usize, usize) {
        let scripts = self.scripts.read();
        (scripts.len(), scripts.values().map(|script| script.length()).sum())
    }
}
