//! Who holds the lock of a place in an object store, as the object `LOCK` says it, and whether that process runs.

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The tokens of the leases that this process holds or is taking. One that it could not release is not among them.
static OURS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Keeps a token among [`OURS`].
pub(super) struct Token(String);

impl Token {
    pub(super) fn new(token: &str) -> Token {
        OURS.lock().insert(token.to_owned());
        Token(token.to_owned())
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        OURS.lock().remove(&self.0);
    }
}

/// The content of the object: the holder, and how often it has written the object.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Holder {
    /// A random text, another one for each lease.
    pub(super) token: String,
    /// The name of the machine.
    pub(super) host: String,
    pub(super) process: u32,
    /// What tells machines and their spaces of process numbers apart; empty if the system does not say.
    domain: String,
    /// When the process started, in the system's ticks; 0 if the system does not say.
    started: u64,
    /// How often the holder has written the object.
    pub(super) beat: u64,
}

impl Holder {
    /// Returns this process with a new token.
    pub(super) fn this() -> Holder {
        let process = std::process::id();
        Holder {
            token: format!("{:032x}", fastrand::u128(..)),
            host: read("/proc/sys/kernel/hostname"),
            process,
            domain: domain(),
            started: started(process),
            beat: 0,
        }
    }

    /// Returns the holder that an object names. One that is not understood has an unknown holder.
    pub(super) fn parse(bytes: &[u8]) -> Holder {
        serde_json::from_slice(bytes).unwrap_or_else(|_| Holder {
            token: String::from_utf8_lossy(bytes).into_owned(),
            host: "another machine".to_owned(),
            process: 0,
            domain: String::new(),
            started: 0,
            beat: 0,
        })
    }

    /// Returns whether the holder runs, if this machine can tell.
    pub(super) fn runs(&self) -> Option<bool> {
        let is_known = !self.domain.is_empty() && self.started > 0 && self.domain == domain();
        if !is_known {
            return None;
        }
        match started(self.process) {
            ticks if ticks != self.started && (ticks != 0 || is_gone(self.process)) => Some(false),
            // A system may hide the processes of other users.
            0 => None,
            _ if self.process == std::process::id() => Some(OURS.lock().contains(&self.token)),
            _ => Some(true),
        }
    }

    /// Returns the content of the object.
    pub(super) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

fn read(file: &str) -> String {
    std::fs::read_to_string(file).map_or_else(|_| String::new(), |text| text.trim().to_owned())
}

/// Returns the boot of the machine and the space of process numbers; empty if the system does not say.
fn domain() -> String {
    let space = std::fs::read_link("/proc/self/ns/pid");
    let boot = read("/proc/sys/kernel/random/boot_id");
    match space {
        Ok(space) if !boot.is_empty() => format!("{boot} {}", space.display()),
        _ => String::new(),
    }
}

/// Returns when a process started, in ticks since the boot; 0 if there is none or the system does not say.
fn started(process: u32) -> u64 {
    let text = read(&format!("/proc/{process}/stat"));
    // The second field is the program's name in parentheses, which may have anything in it.
    let after = text.rsplit_once(')').map_or("", |(_, after)| after);
    after.split_whitespace().nth(19).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

/// Returns whether there is no process with this number.
fn is_gone(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    process.is_none_or(|process| {
        rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH)
    })
}
