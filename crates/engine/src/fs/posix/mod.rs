//! The operating system's file system.
//!
//! `writable` buffers and calls write(2). `log` maps a write-ahead log, so that a record costs no system call, with
//! `window` for the mapping, `next_window` for preparing the next one, `publish` for the order of stores and `sigbus`
//! for stores that fault. `random_access` reads, and `direct` reads and writes past the page cache. `lock` implements
//! the lock of a directory, and `sys` has the other calls that `std` lacks. Systems other than Linux use the portable
//! half of `sys`, never map logs and refuse direct I/O.

mod direct;
mod lock;
#[cfg(target_os = "linux")]
mod log;
#[cfg(target_os = "linux")]
mod next_window;
#[cfg(target_os = "linux")]
mod publish;
mod random_access;
#[cfg(target_os = "linux")]
mod sigbus;
pub(in crate::fs) mod sys;
#[cfg(target_os = "linux")]
mod window;
mod writable;

use super::{
    FileLock, FileSystem, RandomAccessFile, WritableFile, WritableOptions, io_error,
    no_new_directories, no_parent, not_a_directory,
};
use crate::env::clock;
use crate::env::lock_rank;
use crate::error::Result;
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The operating system's file system.
pub fn posix() -> Arc<dyn FileSystem> {
    Arc::new(Posix)
}

struct Posix;

impl FileSystem for Posix {
    fn new_writable(&self, path: &Path, opts: WritableOptions) -> Result<Box<dyn WritableFile>> {
        let failed = |e| io_error("While open a file for appending", path, e);
        let mut open = OpenOptions::new();
        open.read(true).write(true).create(true).truncate(true);
        if opts.direct {
            let file = sys::direct(&mut open).open(path).map_err(failed)?;
            return Ok(Box::new(direct::DirectFile::new(file, path, opts).map_err(failed)?));
        }
        let file = open.open(path).map_err(failed)?;
        #[cfg(target_os = "linux")]
        if opts.log
            && !opts.no_allocation
            && let Some(ground) = sys::ground_to_map(&file)
            && let Some(watch) = sigbus::Watch::new()
        {
            return Ok(Box::new(log::MappedLog::new(file, path, opts, ground, watch)));
        }
        Ok(Box::new(writable::BufferedFile::new(file, path, opts)))
    }

    fn open_random_access(&self, path: &Path, mmap: bool) -> Result<Arc<dyn RandomAccessFile>> {
        let file =
            File::open(path).map_err(|e| io_error("While open a file for random read", path, e))?;
        random_access::open(file, path, mmap)
    }

    fn open_direct(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        Ok(Arc::new(direct::DirectReads::open(path)?))
    }

    fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        fs::read(path)
            .map_err(|e| io_error("While opening a file for sequentially reading", path, e))
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        Ok(stat(path)?.is_some())
    }

    fn is_dir(&self, path: &Path) -> Result<bool> {
        Ok(stat(path)?.is_some_and(|found| found.is_dir()))
    }

    fn file_size(&self, path: &Path) -> Result<u64> {
        let meta = fs::metadata(path).map_err(|e| io_error("while stat a file for size", path, e));
        Ok(meta?.len())
    }

    fn modified_time(&self, path: &Path) -> Result<u64> {
        let time = fs::metadata(path)
            .and_then(|m| m.modified())
            .map_err(|e| io_error("while stat a file for modification time", path, e))?;
        Ok(clock::of_file(time).as_secs())
    }

    fn list_dir(&self, path: &Path) -> Result<Vec<String>> {
        let failed = |e| io_error("While opendir", path, e);
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            // A name that is not Unicode does not belong to a database.
            names.extend(entry.map_err(failed)?.file_name().into_string());
        }
        Ok(names)
    }

    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        let Err(e) = fs::create_dir(path) else { return Ok(()) };
        if path.is_dir() {
            return Ok(());
        }
        match e.kind() {
            ErrorKind::AlreadyExists => Err(not_a_directory(path)),
            // File systems such as /proc answer "not found" to every new name.
            ErrorKind::NotFound if path.parent().is_some_and(Path::is_dir) => {
                Err(no_new_directories("While mkdir if missing", path, e))
            }
            ErrorKind::NotFound => Err(no_parent("While mkdir if missing", path)),
            _ => Err(io_error("While mkdir if missing", path, e)),
        }
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        fs::remove_file(path).map_err(|e| io_error("while unlink() file", path, e))
    }

    fn remove_dir(&self, path: &Path) -> Result<()> {
        fs::remove_dir(path).map_err(|e| io_error("While rmdir", path, e))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        fs::rename(from, to)
            .map_err(|e| io_error(format_args!("while rename file to {}", to.display()), from, e))
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        fs::hard_link(from, to)
            .map_err(|e| io_error(format_args!("while link file to {}", to.display()), from, e))
    }

    fn truncate(&self, path: &Path, size: u64) -> Result<()> {
        OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|f| f.set_len(size))
            .map_err(|e| io_error("While ftruncate file", path, e))
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        File::open(path)
            .and_then(|file| file.sync_all())
            .map_err(|e| io_error("While fsync a file", path, e))
    }

    fn sync_dir(&self, path: &Path) -> Result<()> {
        lock_rank::assert_may_wait_for_device();
        sys::sync_dir(path)
    }

    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        Ok(Box::new(lock::ProcessLock::take(path)?))
    }

    fn free_space(&self, path: &Path) -> Result<u64> {
        sys::free_space(path).map_err(|e| io_error("While statvfs", path, e))
    }

    fn drop_cached(&self, path: &Path) {
        // A file that cannot be opened fails when it is read.
        if let Ok(file) = File::open(path) {
            sys::drop_cached(&file);
        }
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
    }
}

/// The metadata of the file with this name, if it exists.
fn stat(path: &Path) -> Result<Option<fs::Metadata>> {
    match fs::metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(e) => Err(io_error("while stat a file", path, e)),
    }
}

#[cfg(test)]
#[path = "posix_test.rs"]
mod tests;
