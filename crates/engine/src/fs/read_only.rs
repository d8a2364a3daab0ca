//! A read-only file system, under databases opened for reading only.
//!
//! Any change of a file or a name is refused with RocksDB's message, so that no overlooked code
//! path can write beside the process that owns the directory.

use super::{FileLock, FileSyncer, FileSystem, RandomAccessFile, WritableFile, WritableOptions};
use crate::error::{Code, Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The error for every other operation on a database opened for reading only.
#[cold]
pub fn read_only_error() -> Error {
    Error::not_supported("Not supported operation in read only mode.")
        .explained("the database is open for reading only: open it with Db::open to change it")
        .regarded_as(Code::InvalidArgument)
}

/// Reads from another file system.
pub struct ReadOnlyFs(Arc<dyn FileSystem>);

impl ReadOnlyFs {
    /// A read-only view of `inner`.
    pub fn new(inner: Arc<dyn FileSystem>) -> ReadOnlyFs {
        ReadOnlyFs(inner)
    }
}

impl FileSystem for ReadOnlyFs {
    fn new_writable(&self, _path: &Path, _opts: WritableOptions) -> Result<Box<dyn WritableFile>> {
        Err(read_only_error())
    }

    fn open_random_access(&self, path: &Path, mmap: bool) -> Result<Arc<dyn RandomAccessFile>> {
        self.0.open_random_access(path, mmap)
    }

    fn open_direct(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        self.0.open_direct(path)
    }

    fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        self.0.read_file(path)
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        self.0.exists(path)
    }

    fn is_dir(&self, path: &Path) -> Result<bool> {
        self.0.is_dir(path)
    }

    fn file_size(&self, path: &Path) -> Result<u64> {
        self.0.file_size(path)
    }

    fn modified_time(&self, path: &Path) -> Result<u64> {
        self.0.modified_time(path)
    }

    fn list_dir(&self, path: &Path) -> Result<Vec<String>> {
        self.0.list_dir(path)
    }

    fn create_dir_if_missing(&self, _path: &Path) -> Result<()> {
        Err(read_only_error())
    }

    fn remove_file(&self, _path: &Path) -> Result<()> {
        Err(read_only_error())
    }

    fn remove_dir(&self, _path: &Path) -> Result<()> {
        Err(read_only_error())
    }

    fn rename(&self, _from: &Path, _to: &Path) -> Result<()> {
        Err(read_only_error())
    }

    fn link(&self, _from: &Path, _to: &Path) -> Result<()> {
        Err(read_only_error())
    }

    fn truncate(&self, _path: &Path, _size: u64) -> Result<()> {
        Err(read_only_error())
    }

    fn sync_file(&self, _path: &Path) -> Result<()> {
        Err(read_only_error())
    }

    fn sync_dir(&self, _path: &Path) -> Result<()> {
        Err(read_only_error())
    }

    fn lock_file(&self, _path: &Path) -> Result<Box<dyn FileLock>> {
        Err(read_only_error())
    }

    fn free_space(&self, path: &Path) -> Result<u64> {
        self.0.free_space(path)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.0.absolute(path)
    }
}

/// A placeholder for a file to write. It accepts no data, and closing it is no error.
pub struct NoFile;

impl WritableFile for NoFile {
    fn append(&mut self, _data: &[u8]) -> Result<()> {
        Err(read_only_error())
    }

    fn flush(&mut self) -> Result<()> {
        Err(read_only_error())
    }

    fn sync(&mut self) -> Result<()> {
        Err(read_only_error())
    }

    fn syncer(&self) -> Arc<dyn FileSyncer> {
        Arc::new(NoFile)
    }

    fn size(&self) -> u64 {
        0
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

impl FileSyncer for NoFile {
    fn sync(&self) -> Result<()> {
        Err(read_only_error())
    }
}
