//! Files: the one door to storage. Everything the engine reads or writes goes through
//! [`FileSystem`], so that tests can put memory or faults behind it.

//!
//! - [`posix()`]: the operating system's files; write-ahead logs are mapped.
//! - [`mem::MemFs`]: files in memory, with a clone that has lost what was not synced.
//! - [`fault::FaultFs`]: any of the two, with errors on demand.
//! - [`read_only::ReadOnlyFs`]: any of them, for reading only.
//! - [`filename`]: the names in a database directory. [`info_log`]: the file `LOG`.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) mod event_log;
pub mod fault;
pub mod filename;
pub mod identity;
pub mod info_log;
pub mod mem;
mod posix;
pub mod read_only;

pub use posix::posix;

/// The number that the system shows for the calling thread.
pub fn thread_number() -> u64 {
    posix::sys::thread_number()
}

/// A file that is written from front to back.
pub trait WritableFile: Send {
    /// Appends. Bytes may stay in a buffer until `flush`.
    fn append(&mut self, data: &[u8]) -> Result<()>;

    /// Appends `header` and `payload` such that a reader after a crash of this process sees the
    /// header only if it sees the payload. When it returns, the bytes survive this process
    /// (they are with the operating system).
    fn append_record(&mut self, header: &[u8], payload: &[u8]) -> Result<()> {
        self.append(header)?;
        self.append(payload)?;
        self.flush()
    }

    /// Makes sure that the next `bytes` will find space, where that can be known ahead.
    fn reserve(&mut self, _bytes: u64) -> Result<()> {
        Ok(())
    }

    /// Hands everything appended so far to the operating system.
    fn flush(&mut self) -> Result<()>;

    /// `flush`, then waits until the device has it.
    fn sync(&mut self) -> Result<()>;

    /// A handle that syncs everything flushed so far, usable while others append.
    fn syncer(&self) -> Arc<dyn FileSyncer>;

    /// Bytes appended so far.
    fn size(&self) -> u64;

    /// Flushes, cuts off what was allocated ahead and closes. Dropping a file does the same and
    /// loses the error.
    fn close(&mut self) -> Result<()>;
}

/// Syncs a file that somebody else appends to.
pub trait FileSyncer: Send + Sync {
    /// Waits until the device has everything that was flushed before this call.
    fn sync(&self) -> Result<()>;
}

/// A file that is read at any place. Safe from many threads.
pub trait RandomAccessFile: Send + Sync {
    /// Fills `buf` from `offset` as far as the file goes; returns how many bytes were read.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize>;
    /// The size in bytes when it was opened.
    fn size(&self) -> u64;
    /// The whole file in memory, if it is mapped.
    fn mapped(&self) -> Option<&[u8]> {
        None
    }
    /// The name, for messages.
    fn path(&self) -> &Path;
}

/// How a writable file is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct WritableOptions {
    /// Bytes that will probably be written, for allocation ahead; 0 means unknown.
    pub preallocate: u64,
    /// The file is a log: many small `append_record`s, each of which must survive the process.
    /// A real file system maps such files so that a record costs no system call.
    pub log: bool,
    /// Push to the device after so many bytes; 0 never.
    pub bytes_per_sync: u64,
    /// Sync with `fsync`, where `fdatasync` would do.
    pub use_fsync: bool,
    /// Allocate nothing ahead. Logs are not mapped then: each record costs a system call.
    pub no_allocation: bool,
}

/// A held lock on a database directory; dropping it lets go.
pub trait FileLock: Send + Sync {}

/// A file system.
pub trait FileSystem: Send + Sync {
    /// Creates or truncates a file for writing.
    fn new_writable(&self, path: &Path, opts: WritableOptions) -> Result<Box<dyn WritableFile>>;
    /// Opens a file for reading; mapped if asked and possible.
    fn open_random_access(&self, path: &Path, mmap: bool) -> Result<Arc<dyn RandomAccessFile>>;
    /// The whole content of a (small) file.
    fn read_file(&self, path: &Path) -> Result<Vec<u8>>;
    /// Whether something has this name.
    fn exists(&self, path: &Path) -> bool;
    /// Whether it is a directory.
    fn is_dir(&self, path: &Path) -> bool;
    /// Size in bytes.
    fn file_size(&self, path: &Path) -> Result<u64>;
    /// When it was last written, in seconds since 1970.
    fn modified_time(&self, path: &Path) -> Result<u64>;
    /// Names (not paths) in a directory.
    fn list_dir(&self, path: &Path) -> Result<Vec<String>>;
    /// Makes a directory and those above it.
    fn create_dir_all(&self, path: &Path) -> Result<()>;
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> Result<()>;
    /// Removes an empty directory.
    fn remove_dir(&self, path: &Path) -> Result<()>;
    /// Renames a file over another.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;
    /// Makes a second name for a file.
    fn link(&self, from: &Path, to: &Path) -> Result<()>;
    /// Cuts a file to `size` bytes.
    fn truncate(&self, path: &Path, size: u64) -> Result<()>;
    /// Waits until the device has what a file holds that somebody else wrote.
    fn sync_file(&self, path: &Path) -> Result<()>;
    /// Waits until the names in a directory are on the device.
    fn sync_dir(&self, path: &Path) -> Result<()>;
    /// Takes the lock file; RocksDB's error text if somebody has it, in this process or another.
    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>>;
    /// Bytes free for this user where `path` is.
    fn free_space(&self, path: &Path) -> Result<u64>;
    /// The absolute form of a path.
    fn absolute(&self, path: &Path) -> PathBuf;
}

/// The operating system refused `context` on `path`, in RocksDB's form.
#[cold]
fn io_error(context: impl std::fmt::Display, path: &Path, source: std::io::Error) -> Error {
    Error::io(format!("{context}: {}", path.display()), source)
}
