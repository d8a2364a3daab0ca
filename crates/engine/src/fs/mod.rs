//! File systems: the engine's only interface to storage. The engine reads and writes all files of a
//! database through [`FileSystem`], so that tests can substitute files in memory or inject faults.
//!
//! - [`posix()`]: the operating system's files; write-ahead logs are mapped.
//! - [`mem::MemFs`]: files in memory, with a clone that has lost all unsynced data.
//! - [`fault::FaultFs`]: either of the two, with injected errors.
//! - [`read_only::ReadOnlyFs`]: any of them, for reading only.
//! - [`filename`]: the names in a database directory. [`info_log`]: the file `LOG`.

use crate::error::{Code, Error, Result};
use std::mem::MaybeUninit;
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

/// The system's id of the calling thread.
pub fn thread_number() -> u64 {
    posix::sys::thread_number()
}

/// The processor time that the calling thread has used; zero if the system does not report it.
pub fn thread_cpu_time() -> std::time::Duration {
    posix::sys::thread_cpu_time()
}

/// The error for a file that does not exist.
pub fn no_such_file() -> std::io::Error {
    std::io::Error::from_raw_os_error(libc::ENOENT)
}

/// Whether the device failed to read or write, which is a problem of the file and not of this process.
pub fn is_device_failure(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(libc::EIO)
}

/// The size of the header of a log's fragment in bytes.
pub const FRAGMENT_HEADER: usize = 7;

/// A part of a log record.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    /// The number of zeros before its header, less than the size of a header.
    pub padding: usize,
    /// Its header, which is not valid without its last four bytes.
    pub header: [u8; FRAGMENT_HEADER],
    /// The size of its payload in bytes.
    pub len: usize,
}

impl Fragment {
    /// The size of the fragment in the file in bytes.
    pub fn size(&self) -> u64 {
        (self.padding + FRAGMENT_HEADER + self.len) as u64
    }
}

/// A file that is written sequentially.
pub trait WritableFile: Send {
    /// Appends bytes, which may stay in a buffer until `flush`.
    fn append(&mut self, data: &[u8]) -> Result<()>;

    /// Appends `header` and `payload` such that a reader after a crash of this process sees the header only if it sees
    /// the payload. On return, the operating system has the bytes, so they survive this process. After an error, either
    /// the size is unchanged, or nothing more may be appended.
    fn append_record(&mut self, header: &[u8; FRAGMENT_HEADER], payload: &[u8]) -> Result<()> {
        self.append(header)?;
        self.append(payload)?;
        self.flush()
    }

    /// Like [`WritableFile::append_record`] for a record in several fragments, among which `payload` is divided. If the
    /// file is a real log, a reader sees all of them or none.
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

    /// Passes all appended bytes to the operating system.
    fn flush(&mut self) -> Result<()>;

    /// Calls `flush`, then waits until the bytes are on the device.
    fn sync(&mut self) -> Result<()>;

    /// A handle that syncs all flushed bytes, usable while other threads append.
    fn syncer(&self) -> Arc<dyn FileSyncer>;

    /// The number of appended bytes.
    fn size(&self) -> u64;

    /// Whether an error has broken the file: its contents are unknown, and nothing more may be
    /// appended.
    fn is_broken(&self) -> bool {
        false
    }

    /// Gives up memory that is held for the next bytes. Called for a full file that stays open for a while.
    fn release_memory(&mut self) {}

    /// Flushes, removes space allocated ahead, and closes. Dropping a file does the same and
    /// ignores the error.
    fn close(&mut self) -> Result<()>;
}

/// Syncs a file while another thread appends to it.
pub trait FileSyncer: Send + Sync {
    /// Waits until all bytes flushed before this call are on the device.
    fn sync(&self) -> Result<()>;
}

/// The syncer of files whose bytes need no sync.
pub(crate) struct NoSync;

impl FileSyncer for NoSync {
    fn sync(&self) -> Result<()> {
        Ok(())
    }
}

/// A file that can be read at any offset, from many threads.
pub trait RandomAccessFile: Send + Sync {
    /// Fills `buf` from `offset` as far as the file extends; returns the number of bytes read.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize>;
    /// Like `read_at`, into memory that need not be initialised. Returns the bytes if all of them were read, and `None`
    /// if not, or if the file cannot do this: then `read_at` reads or reports the error.
    fn read_new<'b>(&self, _offset: u64, _buf: &'b mut [MaybeUninit<u8>]) -> Option<&'b mut [u8]> {
        None
    }
    /// The size in bytes at the time of opening.
    fn size(&self) -> u64;
    /// The whole file in memory, if it is mapped.
    fn mapped(&self) -> Option<&[u8]> {
        None
    }
    /// The alignment in bytes, a power of two, of the offsets, sizes and memory for which reads take no copy: 1 except
    /// for direct I/O.
    fn alignment(&self) -> usize {
        1
    }
    /// Announces a read of `len` bytes from `offset`, so that the system can begin it. This returns without waiting and
    /// is only a hint.
    fn will_read(&self, _offset: u64, _len: u64) {}
    /// Announces reads at random offsets, so that the system reads only what is requested or announced with
    /// [`RandomAccessFile::will_read`]. This is only a hint.
    fn will_read_at_random(&self) {}
    /// Whether a read at this offset would wait for a device. This returns without waiting and is only a hint: false if
    /// the system cannot tell.
    fn would_wait(&self, _offset: u64) -> bool {
        false
    }
    /// The file's path, for error messages.
    fn path(&self) -> &Path;
}

/// The settings for writing a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct WritableOptions {
    /// The expected size in bytes, for allocation ahead; 0 means unknown.
    pub preallocate: u64,
    /// Whether the file is a log: many small `append_record`s, each of which must survive the
    /// process. A real file system maps such files so that a record costs no system call.
    pub log: bool,
    /// Start writeback to the device after this many bytes; 0 disables this.
    pub bytes_per_sync: u64,
    /// Whether to sync with `fsync` where `fdatasync` would suffice.
    pub use_fsync: bool,
    /// Whether a write that fails because the device is full leaves the file unchanged, so that it may be repeated.
    /// Otherwise the file is permanently broken, as after every other failure.
    pub outlives_full_disk: bool,
    /// Whether to allocate nothing ahead. Logs are then not mapped, and each record costs a system
    /// call.
    pub no_allocation: bool,
    /// Whether to write past the page cache, with direct I/O. Such files are not logs, nothing is allocated ahead for
    /// them, and as their data is on the device at once, `bytes_per_sync` means nothing.
    pub direct: bool,
    /// The size of the buffer for direct I/O in bytes; 0 means 1 MiB.
    pub direct_buffer: usize,
}

/// How tables are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadMode {
    /// Through the page cache.
    #[default]
    Buffered,
    /// Through a memory map.
    Mapped,
    /// With direct I/O, past the page cache.
    Direct,
}

impl ReadMode {
    /// Opens a file for reading in this mode.
    pub fn open(self, fs: &dyn FileSystem, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        match self {
            ReadMode::Buffered => fs.open_random_access(path, false),
            ReadMode::Mapped => fs.open_random_access(path, true),
            ReadMode::Direct => fs.open_direct(path),
        }
    }
}

/// The lock on a database directory, released on drop.
pub trait FileLock: Send + Sync {}

/// A file system.
pub trait FileSystem: Send + Sync {
    /// Creates or truncates a file for writing.
    fn new_writable(&self, path: &Path, opts: WritableOptions) -> Result<Box<dyn WritableFile>>;
    /// Opens a file for reading; mapped if requested and possible.
    fn open_random_access(&self, path: &Path, mmap: bool) -> Result<Arc<dyn RandomAccessFile>>;
    /// Opens a file for reading with direct I/O. File systems without a page cache read as usual.
    fn open_direct(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        self.open_random_access(path, false)
    }
    /// The whole content of a (small) file.
    fn read_file(&self, path: &Path) -> Result<Vec<u8>>;
    /// Whether a file or directory with this name exists. An error if the system cannot answer: a caller that treats
    /// that as "no" loses files.
    fn exists(&self, path: &Path) -> Result<bool>;
    /// Whether the path exists and is a directory.
    fn is_dir(&self, path: &Path) -> Result<bool>;
    /// The size of a file in bytes.
    fn file_size(&self, path: &Path) -> Result<u64>;
    /// The time of the last write, in seconds since 1970.
    fn modified_time(&self, path: &Path) -> Result<u64>;
    /// The names (not paths) in a directory.
    fn list_dir(&self, path: &Path) -> Result<Vec<String>>;
    /// Creates a directory, but not its parent: if the parent is missing, a volume is perhaps not mounted.
    fn create_dir_if_missing(&self, path: &Path) -> Result<()>;
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> Result<()>;
    /// Removes an empty directory.
    fn remove_dir(&self, path: &Path) -> Result<()>;
    /// Renames a file, replacing any file with the new name.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;
    /// Creates a second name for a file.
    fn link(&self, from: &Path, to: &Path) -> Result<()>;
    /// Truncates a file to `size` bytes.
    fn truncate(&self, path: &Path, size: u64) -> Result<()>;
    /// Waits until the contents of a file that was written elsewhere are on the device.
    fn sync_file(&self, path: &Path) -> Result<()>;
    /// Waits until the names in a directory are on the device.
    fn sync_dir(&self, path: &Path) -> Result<()>;
    /// Takes the lock file; fails with RocksDB's error text if this process or another holds it.
    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>>;
    /// The number of bytes available to this user on the file system of `path`.
    fn free_space(&self, path: &Path) -> Result<u64>;
    /// Makes the next read of a synced file come from the device and not from a cache, where the system allows it.
    fn drop_cached(&self, _path: &Path) {}
    /// The absolute form of a path.
    fn absolute(&self, path: &Path) -> PathBuf;
}

/// The error for a refused operation `context` on `path`, in RocksDB's form.
#[cold]
pub(crate) fn io_error(
    context: impl std::fmt::Display,
    path: &Path,
    source: std::io::Error,
) -> Error {
    Error::io(format!("{context}: {}", path.display()), source).about_file(path)
}

/// The error for a missing parent directory of `path`, with RocksDB's text for the failed call.
#[cold]
pub(crate) fn no_parent(context: &str, path: &Path) -> Error {
    let missing = std::io::Error::from_raw_os_error(libc::ENOENT);
    let error = Error::io(format!("{context}: {}", path.display()), missing);
    // Removes trailing slashes from the name.
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

/// The holder of a database's lock.
enum Holder {
    /// Another handle of this process.
    ThisProcess,
    /// Another process, with its id if the system reports it.
    Process(Option<u32>),
}

/// The error for a database whose lock is held; `error` has RocksDB's text.
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

/// The error for a directory whose parent exists on a file system that refuses every new name as "not found".
#[cold]
pub(crate) fn no_new_directories(context: &str, path: &Path, source: std::io::Error) -> Error {
    let error = io_error(context, path, source);
    let path: PathBuf = path.components().collect();
    let text = format!(
        "cannot create {}: its file system does not accept new directories: choose another place",
        path.display()
    );
    error.about_file(&path).explained(text)
}

/// The error for a path that should be a directory but is something else.
#[cold]
pub(crate) fn not_a_directory(path: &Path) -> Error {
    Error::new(Code::IOError, format!("`{}' exists but is not a directory", path.display()))
        .about_file(path)
}
