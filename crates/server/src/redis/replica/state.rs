//! The role of the server, as commands see it, and how far the copy of another server's data is.

use super::position::{Position, Target};
use parking_lot::{Condvar, Mutex};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;
use tracing::info;

/// The role of the server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub enum Mode {
    /// Clients write.
    Master = 0,
    /// Clients read a copy.
    Replica = 1,
    /// The copy is incomplete.
    Loading = 2,
}

/// The state of the connection to the other server.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum LinkState {
    /// It is about to be made.
    #[default]
    Down,
    /// It is being made.
    Connecting,
    /// All data is being copied.
    Syncing,
    /// The stream arrives.
    Up,
}

/// How far the replication is.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// The other server; `None` if this one is a master.
    pub target: Option<Target>,
    /// The connection.
    pub link: LinkState,
    /// The position up to which commands are applied; `None` before the first copy is complete.
    pub position: Option<Position>,
    /// The bytes of the stream that arrived.
    pub read_offset: u64,
    /// When bytes arrived last, by the monotonic clock; 0 for never.
    pub heard_us: u64,
    /// When the connection was lost, by the monotonic clock.
    pub down_us: u64,
    /// The bytes of the copy, if they are known, those that arrived, were checked, and were written to the store.
    pub copy: Copied,
    /// Commands of the stream that failed since the last full copy. The copy may differ from the original then.
    pub errors: u64,
    /// Why a command of the stream failed last, or why the connection was lost.
    pub last_error: String,
}

/// The progress of a copy.
#[derive(Clone, Copy, Debug, Default)]
pub struct Copied {
    /// The bytes of the whole copy; `None` if the other server did not say.
    pub total: Option<u64>,
    /// The bytes that arrived.
    pub read: u64,
    /// The bytes that were checked.
    pub checked: u64,
    /// The bytes that were loaded.
    pub loaded: u64,
    /// The keys that were loaded.
    pub keys: u64,
}

/// The role of the server and the state of the replication.
#[derive(Debug, Default)]
pub struct Replication {
    mode: AtomicU8,
    generation: AtomicU64,
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    status: Status,
    /// The connection, so that a change of the role ends it.
    socket: Option<TcpStream>,
    is_stopping: bool,
}

impl Replication {
    /// Returns the role.
    #[inline]
    pub fn mode(&self) -> Mode {
        match self.mode.load(Ordering::Acquire) {
            0 => Mode::Master,
            1 => Mode::Replica,
            _ => Mode::Loading,
        }
    }

    /// Returns the number of the role: it changes whenever REPLICAOF makes the server follow another one or none.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Returns a copy of the state.
    pub fn status(&self) -> Status {
        self.inner.lock().status.clone()
    }

    /// Changes the role. The connection ends, and its thread begins anew.
    pub(super) fn set_role(&self, mode: Mode, target: Option<Target>, position: Option<Position>) {
        match &target {
            Some(master) => info!(target: "ferrolith::replica", %master, ?mode, "role: replica"),
            None => info!(target: "ferrolith::replica", "role: master"),
        }
        let mut inner = self.inner.lock();
        self.mode.store(mode as u8, Ordering::Release);
        self.generation.fetch_add(1, Ordering::AcqRel);
        let read_offset = position.as_ref().map_or(0, |position| position.offset);
        inner.status = Status { target, position, read_offset, ..Status::default() };
        inner.hang_up();
        self.changed.notify_all();
    }

    /// Changes the mode of a replica, unless its role changed meanwhile.
    pub(super) fn set_mode(&self, generation: u64, mode: Mode) {
        let _inner = self.inner.lock();
        if self.generation() == generation {
            self.mode.store(mode as u8, Ordering::Release);
        }
    }

    /// Changes the state on behalf of the thread of a connection, unless the role changed meanwhile.
    pub(super) fn update(&self, generation: u64, change: impl FnOnce(&mut Status)) {
        let mut inner = self.inner.lock();
        if self.generation() == generation {
            change(&mut inner.status);
        }
    }

    /// Notes the connection. Returns whether the role is still the same.
    pub(super) fn set_socket(&self, generation: u64, socket: TcpStream) -> bool {
        let mut inner = self.inner.lock();
        let is_same = self.generation() == generation && !inner.is_stopping;
        if is_same {
            inner.socket = Some(socket);
        }
        is_same
    }

    /// Ends the connection, unless the role changed meanwhile.
    pub(super) fn hang_up(&self, generation: u64) {
        let mut inner = self.inner.lock();
        if self.generation() == generation {
            inner.hang_up();
        }
    }

    /// Waits until the server is a replica. Returns the role's number and the state, or `None` if the server stops.
    pub(super) fn wait_for_target(&self) -> Option<(u64, Status)> {
        let mut inner = self.inner.lock();
        loop {
            if inner.is_stopping {
                return None;
            }
            if inner.status.target.is_some() {
                return Some((self.generation(), inner.status.clone()));
            }
            self.changed.wait(&mut inner);
        }
    }

    /// Waits for a while, or until the role changes or the server stops.
    pub(super) fn pause(&self, generation: u64, time: Duration) {
        let mut inner = self.inner.lock();
        if !inner.is_stopping && self.generation() == generation {
            self.changed.wait_for(&mut inner, time);
        }
    }

    /// Ends the connection and its thread.
    pub fn stop(&self) {
        let mut inner = self.inner.lock();
        inner.is_stopping = true;
        inner.hang_up();
        self.changed.notify_all();
    }

    /// Returns whether the server stops.
    pub(super) fn is_stopping(&self) -> bool {
        self.inner.lock().is_stopping
    }
}

impl Inner {
    fn hang_up(&mut self) {
        if let Some(socket) = self.socket.take() {
            // A connection that ended already is as good.
            _ = socket.shutdown(Shutdown::Both);
        }
    }
}
