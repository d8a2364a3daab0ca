//! The lock of a database directory: a table of locks for this process, and fcntl for other
//! processes.
//!
//! Both are needed. An fcntl lock belongs to the process: a second open in it would succeed, and
//! closing any descriptor of the file would release the lock.
//!
//! Tests: the contract in `mem_test.rs`, and two processes in `posix_test.rs`.

use super::sys::thread_number;
use crate::env::clock;
use crate::env::sync::Mutex;
use crate::error::Result;
use crate::fs::{FileLock, Holder, already_open, io_error};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The locks held in this process: when each was taken, and by which thread.
static HELD: Mutex<BTreeMap<PathBuf, (u64, u64)>> = Mutex::new(BTreeMap::new());

/// A held lock.
pub(super) struct ProcessLock {
    key: PathBuf,
    file: File,
}

impl ProcessLock {
    pub(super) fn take(path: &Path) -> Result<ProcessLock> {
        let key = same_for_all_names(path);
        let mut held = HELD.lock();
        if let Some((time, thread)) = held.get(&key) {
            let context = format!(
                "lock hold by current process, acquire time {time} acquiring thread {thread}"
            );
            let error = io_error(context, path, io::Error::from_raw_os_error(libc::ENOLCK));
            return Err(already_open(error, path, &Holder::ThisProcess));
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|e| io_error("while open a file for lock", path, e))?;
        set_lock(&file, true).map_err(|e| {
            let is_held = matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::PermissionDenied);
            let error = io_error("While lock file", path, e);
            match is_held {
                true => already_open(error, path, &Holder::Process(holder(&file))),
                false => error,
            }
        })?;
        let now = clock::since_1970().as_secs();
        held.insert(key.clone(), (now, thread_number()));
        Ok(ProcessLock { key, file })
    }
}

impl FileLock for ProcessLock {}

impl Drop for ProcessLock {
    fn drop(&mut self) {
        let mut held = HELD.lock();
        // Closing the file also releases the lock; this call is for descriptors that a child has
        // inherited.
        let _ = set_lock(&self.file, false);
        held.remove(&self.key);
    }
}

/// The directory's canonical path, so that two names of one directory share a lock.
fn same_for_all_names(path: &Path) -> PathBuf {
    let dir = match path.parent() {
        Some(dir) if dir.as_os_str().is_empty() => Path::new("."),
        Some(dir) => dir,
        None => return path.to_path_buf(),
    };
    match (dir.canonicalize(), path.file_name()) {
        (Ok(dir), Some(name)) => dir.join(name),
        _ => path.to_path_buf(),
    }
}

#[cfg(unix)]
fn set_lock(file: &File, lock: bool) -> io::Result<()> {
    use rustix::fs::FlockOperation::{NonBlockingLockExclusive, NonBlockingUnlock};
    let operation = if lock { NonBlockingLockExclusive } else { NonBlockingUnlock };
    Ok(rustix::fs::fcntl_lock(file, operation)?)
}

/// The process that holds the lock.
#[cfg(unix)]
fn holder(file: &File) -> Option<u32> {
    use rustix::process::{Flock, FlockType, fcntl_getlk};
    let wanted = Flock::from(FlockType::WriteLock);
    // None for a process that is not visible from here, such as one outside the container.
    let holder = fcntl_getlk(file, &wanted).ok()??.pid?;
    u32::try_from(holder.as_raw_pid()).ok()
}

#[cfg(not(unix))]
fn holder(_: &File) -> Option<u32> {
    None
}

#[cfg(not(unix))]
fn set_lock(file: &File, lock: bool) -> io::Result<()> {
    match lock {
        true => file.try_lock().map_err(Into::into),
        false => file.unlock(),
    }
}
