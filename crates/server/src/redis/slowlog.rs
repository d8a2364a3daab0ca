//! The slow log: the latest commands that took longer than `slowlog-log-slower-than`.

use super::args::Args;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// The arguments of an entry, the last of which may say how many more there were.
const ARGUMENTS_MAX: usize = 32;
/// The bytes of an argument that are kept.
const ARGUMENT_BYTES: usize = 128;

/// A slow command.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    /// Counts all entries since the start.
    pub id: u64,
    /// When it ended, in seconds since 1970.
    pub at_s: u64,
    /// How long it took, in microseconds.
    pub us: u64,
    /// Its arguments, shortened.
    pub args: Vec<Vec<u8>>,
    /// The address of the client.
    pub address: String,
    /// The name of the client.
    pub name: Vec<u8>,
}

/// The slow log.
#[derive(Debug, Default)]
pub struct SlowLog(Mutex<Log>);

#[derive(Debug, Default)]
struct Log {
    entries: VecDeque<Entry>,
    next: u64,
}

impl SlowLog {
    /// Adds an entry, whose id is set here, and removes the oldest ones beyond `max`.
    pub fn add(&self, mut entry: Entry, max: usize) {
        let mut log = self.0.lock();
        entry.id = log.next;
        log.next += 1;
        log.entries.push_front(entry);
        log.entries.truncate(max);
    }

    /// Removes the oldest entries beyond `max`.
    pub fn truncate(&self, max: usize) {
        self.0.lock().entries.truncate(max);
    }

    /// Returns the newest entries, the newest first.
    pub fn newest(&self, count: usize) -> Vec<Entry> {
        self.0.lock().entries.iter().take(count).cloned().collect()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.0.lock().entries.len()
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Returns the arguments as an entry keeps them.
pub fn shorten(args: &[&[u8]]) -> Vec<Vec<u8>> {
    let kept = if args.len() > ARGUMENTS_MAX { ARGUMENTS_MAX - 1 } else { args.len() };
    let mut shortened: Vec<_> = args.iter().take(kept).map(|arg| shorten_one(arg)).collect();
    if kept < args.len() {
        shortened.push(format!("... ({} more arguments)", args.len() - kept).into_bytes());
    }
    shortened
}

fn shorten_one(arg: &[u8]) -> Vec<u8> {
    match arg.split_at_checked(ARGUMENT_BYTES) {
        Some((kept, rest)) if !rest.is_empty() => {
            let mut shortened = kept.to_vec();
            shortened.extend(format!("... ({} more bytes)", rest.len()).into_bytes());
            shortened
        }
        _ => arg.to_vec(),
    }
}

/// Returns the arguments of a command as logs may show them: without passwords.
pub fn redact<'a>(command: &str, args: Args<'a>) -> Vec<&'a [u8]> {
    const HIDDEN: &[u8] = b"(redacted)";
    let mut shown = args.all().to_vec();
    let mut hide = |at: usize| {
        if let Some(arg) = shown.get_mut(at) {
            *arg = HIDDEN;
        }
    };
    match command {
        "auth" => (1..args.len()).for_each(hide),
        "hello" => {
            let mut options = 2..args.len();
            while let Some(at) = options.next() {
                if args.is(at, "auth") {
                    hide(at + 1);
                    hide(at + 2);
                    options.nth(1);
                } else if args.is(at, "setname") {
                    options.next();
                }
            }
        }
        "config|set" => {
            let secret = |at: usize| {
                super::parameters::Id::find(args.at(at)).is_some_and(|id| id.parameter().is_secret)
            };
            (2..args.len()).step_by(2).filter(|at| secret(*at)).for_each(|at| hide(at + 1));
        }
        "migrate" => {
            for at in 6..args.len() {
                if args.is(at, "auth") {
                    hide(at + 1);
                } else if args.is(at, "auth2") {
                    hide(at + 1);
                    hide(at + 2);
                }
            }
        }
        "acl|setuser" | "acl|deluser" | "acl|getuser" => (2..args.len()).for_each(hide),
        _ => {}
    }
    shown
}

#[cfg(test)]
#[path = "slowlog_test.rs"]
mod tests;
