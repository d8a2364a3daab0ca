//! The log of refused commands and logins.

use parking_lot::Mutex;
use std::collections::VecDeque;

/// How long entries of the same kind are counted together, in milliseconds.
const GROUPED_MS: u64 = 60_000;
/// The latest entries that are searched for one of the same kind.
const SEARCHED: usize = 10;

/// The bytes that are kept of a key or channel.
const OBJECT_BYTES: usize = 4096;

/// Why something was refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reason {
    /// A login with a wrong name or password.
    Login,
    /// The command.
    Command,
    /// A key.
    Key,
    /// A channel.
    Channel,
}

impl Reason {
    /// Returns the name that ACL LOG shows.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Login => "auth",
            Reason::Command => "command",
            Reason::Key => "key",
            Reason::Channel => "channel",
        }
    }
}

/// Where a command was refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Place {
    /// When the client sent it.
    Top,
    /// When it was queued in a transaction, or ran there.
    Multi,
    /// In a script.
    Script,
}

impl Place {
    /// Returns the name that ACL LOG shows.
    pub fn name(self) -> &'static str {
        match self {
            Place::Top => "toplevel",
            Place::Multi => "multi",
            Place::Script => "lua",
        }
    }
}

/// An entry.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    /// How often it happened.
    pub count: u64,
    /// Why it was refused.
    pub reason: Reason,
    /// Where.
    pub place: Place,
    /// The command, the key, the channel, or the command of the login.
    pub object: Vec<u8>,
    /// The user.
    pub user: Vec<u8>,
    /// When it happened last, in milliseconds since 1970.
    pub at_ms: u64,
    /// The client's line in CLIENT LIST when it happened last.
    pub client: String,
}

impl Entry {
    fn is_like(&self, other: &Entry) -> bool {
        (self.reason, self.place) == (other.reason, other.place)
            && self.at_ms.abs_diff(other.at_ms) <= GROUPED_MS
            && self.object == other.object
            && self.user == other.user
    }
}

/// The entries, the latest first.
#[derive(Debug, Default)]
pub struct AccessLog(Mutex<VecDeque<Entry>>);

impl AccessLog {
    /// Adds an entry, or counts it with one of the same kind. At most `max` entries are kept.
    pub fn add(&self, mut entry: Entry, max: usize) {
        entry.object.truncate(OBJECT_BYTES);
        let mut entries = self.0.lock();
        let found = entries.iter().take(SEARCHED).position(|other| other.is_like(&entry));
        let before = found.and_then(|at| entries.remove(at)).map_or(0, |before| before.count);
        entries.push_front(Entry { count: entry.count + before, ..entry });
        entries.truncate(max);
    }

    /// Returns the latest entries.
    pub fn latest(&self, count: usize) -> Vec<Entry> {
        self.0.lock().iter().take(count).cloned().collect()
    }

    /// Removes all entries.
    pub fn reset(&self) {
        self.0.lock().clear();
    }
}

#[cfg(test)]
#[path = "log_test.rs"]
mod tests;
