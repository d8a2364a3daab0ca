//! Files: the one door to storage. The engine reads and writes all files of a database through
//! [`FileSystem`], so that tests can put memory or faults behind it.

//!
//! - [`posix()`]: the operating system's files; write-ahead logs are mapped.
//! - [`mem::MemFs`]: files in memory, with a clone that has lost what was not synced.
//! - [`fault::FaultFs`]: any of the two, with errors on demand.
//! - [`read_only::ReadOnlyFs`]: any of them, for reading only.
//! - [`filename`]: the names in a database directory. [`info_log`]: the file `LOG`.

use crate::error::{Code, Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) mod counted;
pub(crate) mod cpu_timer;
pub(crate) mod event_log;
pub mod fault;
pub mod filename;
pub(crate) mod gated;
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

/// The processor time that the calling thread has used; zero where the system does not say.
pub fn thread_cpu_time() -> std::time::Duration {
    posix::sys::thread_cpu_time()
}

/// The error of a file that does not exist.
pub fn no_such_file() -> std::io::Error {
    std::io::Error::from_raw_os_error(libc::ENOENT)
}

/// Whether the device could not read or write, which says something about the file and not about this process.
pub fn is_device_failure(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(libc::EIO)
}

/// Bytes in the header of a log's fragment.
pub const FRAGMENT_HEADER: usize = 7;

/// A part of a log's record.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    /// Zeros before its header, fewer than a header has.
    pub padding: usize,
    /// Its header. Without the last four bytes it is none.
    pub header: [u8; FRAGMENT_HEADER],
    /// Bytes of payload.
    pub len: usize,
}

impl Fragment {
    /// Bytes that it takes in the file.
    pub fn size(&self) -> u64 {
        (self.padding + FRAGMENT_HEADER + self.len) as u64
    }
}

/// A file that is written from front to back.
pub trait WritableFile: Send {
    /// Appends. Bytes may stay in a buffer until `flush`.
    fn append(&mut self, data: &[u8]) -> Result<()>;

    /// Appends `header` and `payload` such that a reader after a crash of this process sees the
    /// header only if it sees the payload. When it returns, the bytes survive this process
    /// (they are with the operating system). After an error the size is what it was, or nothing may follow.
    fn append_record(&mut self, header: &[u8; FRAGMENT_HEADER], payload: &[u8]) -> Result<()> {
        self.append(header)?;
        self.append(payload)?;
        self.flush()
    }

    /// As [`WritableFile::append_record`] for a record in several fragments, among which `payload` is
    /// divided. Where the file is a real log, a reader sees all of them or none.
    fn append_fragments(&mut self, fragments: &[Fragment], payload: &[u8]) -> Result<()> {
        let mut rest = payload;
        for fragment in fragments {
            let (part, after) = rest.split_at(fragment.len);
            if fragment.padding > 0 {
                self.append(&[0; FRAGMENT_HEADER][..fragment.padding])?;
            }
            self.append_record(&fragment.header, part)?;
            rest = after;
        }
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

    /// Whether an error has ended it: what it holds is unknown, and nothing may follow.
    fn is_broken(&self) -> bool {
        false
    }

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
    /// A write that fails for want of room leaves the file as it was, and may be repeated. Otherwise the file is
    /// broken for good, as it is after every other failure.
    pub outlives_full_disk: bool,
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
    /// Whether something has this name. An error if the system cannot tell: who takes that for "no" loses files.
    fn exists(&self, path: &Path) -> Result<bool>;
    /// Whether it is there and a directory.
    fn is_dir(&self, path: &Path) -> Result<bool>;
    /// Size in bytes.
    fn file_size(&self, path: &Path) -> Result<u64>;
    /// When it was last written, in seconds since 1970.
    fn modified_time(&self, path: &Path) -> Result<u64>;
    /// Names (not paths) in a directory.
    fn list_dir(&self, path: &Path) -> Result<Vec<String>>;
    /// Makes a directory, but not one above it: where that is missing, a volume is perhaps not mounted.
    fn create_dir_if_missing(&self, path: &Path) -> Result<()>;
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
pub(crate) fn io_error(
    context: impl std::fmt::Display,
    path: &Path,
    source: std::io::Error,
) -> Error {
    Error::io(format!("{context}: {}", path.display()), source).about_file(path)
}

/// The directory above `path` does not exist; RocksDB says so in the words of the call that failed.
#[cold]
pub(crate) fn no_parent(context: &str, path: &Path) -> Error {
    let missing = std::io::Error::from_raw_os_error(libc::ENOENT);
    let error = Error::io(format!("{context}: {}", path.display()), missing);
    // Without the slashes that may end the name.
    let path: PathBuf = path.components().collect();
    error.about_file(&path).explained(match path.parent() {
        None => "the path is empty".to_owned(),
        Some(parent) => format!(
            "cannot create {}: the directory {} does not exist: create it first",
            path.display(),
            parent.display()
        ),
    })
}

/// Who else has a database open.
enum Holder {
    /// Another handle of this process.
    ThisProcess,
    /// Another process, with its id if the system knows it.
    Process(Option<u32>),
}

/// The lock of a database is taken; `error` has RocksDB's words.
#[cold]
fn already_open(error: Error, lock: &Path, holder: &Holder) -> Error {
    let dir = lock.parent().unwrap_or(lock).display();
    let message = match holder {
        Holder::ThisProcess => format!(
            "the database {dir} is already open in this process: clone its handle, or close it first (iterators, \
             snapshots and column family handles also keep it open)"
        ),
        Holder::Process(id) => {
            let id = id.map_or(String::new(), |id| format!(" ({id})"));
            format!(
                "the database {dir} is already open in another process{id}: close it there, or open it for reading \
                 only"
            )
        }
    };
    error.explained(message).regarded_as(Code::Busy)
}

/// Something else has the name of a directory.
#[cold]
pub(crate) fn not_a_directory(path: &Path) -> Error {
    Error::new(Code::IOError, format!("`{}' exists but is not a directory", path.display()))
        .about_file(path)
}
