//! When commits reach the device: the durabilities, and the thread that syncs the WAL.
//!
//! A commit returns once the WAL has its bytes in the kernel, so it survives a crash of the process. With
//! [`Durability::Always`] a worker withholds the replies of a connection until a sync that began after their commits
//! has ended; one sync serves all connections that wait. Latches are not held meanwhile.

use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// When a write is safe from a crash of the machine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Durability {
    /// Before its reply is sent.
    Always,
    /// At most this time after its commit, plus the duration of one sync.
    Every(Duration),
    /// When the kernel writes its pages.
    Os,
}

impl FromStr for Durability {
    type Err = String;

    fn from_str(text: &str) -> Result<Durability, String> {
        let wrong = || {
            format!("durability is {text:?}, expected always, os, or every:MS with 1 to 60000 ms")
        };
        match text {
            "always" => Ok(Durability::Always),
            "os" => Ok(Durability::Os),
            _ => {
                let ms = text.strip_prefix("every:").and_then(|ms| ms.parse().ok());
                let ms = ms.filter(|ms| (1..=60_000).contains(ms)).ok_or_else(wrong)?;
                Ok(Durability::Every(Duration::from_millis(ms)))
            }
        }
    }
}

impl std::fmt::Display for Durability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Durability::Always => f.write_str("always"),
            Durability::Every(time) => write!(f, "every:{}", time.as_millis()),
            Durability::Os => f.write_str("os"),
        }
    }
}

/// How far the WAL is synced.
#[derive(Debug)]
pub struct SyncProgress {
    durability: Durability,
    /// Commits so far; counted only if replies wait for syncs.
    committed: AtomicU64,
    synced: watch::Sender<u64>,
    /// Wakes the thread that syncs.
    request: parking_lot::Condvar,
    state: parking_lot::Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_requested: bool,
    is_closing: bool,
}

impl SyncProgress {
    pub(super) fn new(durability: Durability) -> SyncProgress {
        SyncProgress {
            durability,
            committed: AtomicU64::new(0),
            synced: watch::Sender::new(0),
            request: parking_lot::Condvar::new(),
            state: parking_lot::Mutex::default(),
        }
    }

    /// Returns the durability in force.
    pub fn durability(&self) -> Durability {
        self.durability
    }

    /// Notes that a commit ended.
    pub(super) fn note_commit(&self) {
        if self.durability == Durability::Always {
            self.committed.fetch_add(1, Ordering::Release);
        }
    }

    /// Returns the number of commits that replies must wait for, or `None` if they need not wait.
    pub fn barrier(&self) -> Option<u64> {
        if self.durability != Durability::Always {
            return None;
        }
        let committed = self.committed.load(Ordering::Acquire);
        (*self.synced.borrow() < committed).then_some(committed)
    }

    /// Waits until so many commits are on the device.
    pub async fn wait(&self, barrier: u64) {
        let mut synced = self.synced.subscribe();
        {
            let mut state = self.state.lock();
            state.is_requested = true;
            self.request.notify_one();
        }
        // The sender lives as long as `self`.
        let _ = synced.wait_for(|synced| *synced >= barrier).await;
    }

    /// Ends [`run`](SyncProgress::run).
    pub(super) fn close(&self) {
        self.state.lock().is_closing = true;
        self.request.notify_all();
    }

    /// Syncs as the durability asks until the store closes. `sequence` returns the number of the latest commit, `sync`
    /// makes all commits before it durable and returns whether it could.
    pub(super) fn run(&self, sequence: impl Fn() -> u64, sync: impl Fn() -> bool) {
        let mut last = 0;
        loop {
            let mut state = self.state.lock();
            match self.durability {
                Durability::Every(time) if !state.is_closing => {
                    self.request.wait_for(&mut state, time);
                }
                Durability::Always if !state.is_closing && !state.is_requested => {
                    self.request.wait(&mut state);
                }
                _ => {}
            }
            state.is_requested = false;
            let is_closing = state.is_closing;
            drop(state);
            let committed = self.committed.load(Ordering::Acquire);
            let newest = sequence();
            if newest != last || *self.synced.borrow() < committed {
                if sync() {
                    last = newest;
                    self.synced.send_replace(committed);
                } else {
                    // A device that fails is not asked in a loop; replies stay withheld.
                    std::thread::sleep(Duration::from_millis(100));
                    self.state.lock().is_requested = true;
                }
            }
            if is_closing {
                return;
            }
        }
    }
}

#[cfg(test)]
#[path = "sync_test.rs"]
mod tests;
