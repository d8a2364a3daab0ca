//! Backups in a place that is not a directory, such as an object store.
//!
//! [`BackupStorage`] is what such a place has to provide: whole objects that are listed, written, read and removed.
//! [`StorageFs`] presents it to the backup engine as a directory of the file system, so that creating, verifying,
//! restoring and deleting have one implementation for all places.
//!
//! * An object appears when it is complete, so temporary names are not needed: `meta/1.tmp` and `meta/1` are the same
//!   object, and renaming the one to the other does nothing.
//! * The names and sizes are listed once, and then kept up to date by what this engine writes and removes. Without
//!   that, opening a place would take a request for each file of each backup.

use crate::env::sync::Mutex;
use crate::error::{Code, Error, Result};
use crate::fs::{
    FileLock, FileSyncer, FileSystem, NoSync, RandomAccessFile, WritableFile, WritableOptions,
    io_error, no_such_file,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A place for backups other than a directory. Names are relative, with `/` between their parts.
///
/// Only one [`BackupEngine`](crate::backup::BackupEngine) at a time may change a place; its provider has to see to
/// that.
pub trait BackupStorage: Send + Sync {
    /// Returns the names and the sizes in bytes of all objects.
    ///
    /// # Errors
    /// Fails if the place cannot be reached.
    fn list(&self) -> io::Result<Vec<(String, u64)>>;

    /// Begins to write an object. It appears, or replaces the object of this name, when
    /// [`finish`](BackupWriter::finish) returns; a writer that is dropped before leaves nothing.
    ///
    /// # Errors
    /// Fails if the place cannot be reached or refuses to be changed.
    fn create(&self, name: &str) -> io::Result<Box<dyn BackupWriter>>;

    /// Fills the buffer from this offset, in bytes, as far as the object extends. Returns the number of bytes.
    ///
    /// # Errors
    /// Fails with [`NotFound`](io::ErrorKind::NotFound) if there is no such object.
    fn read_at(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Removes an object. One that does not exist is no error.
    ///
    /// # Errors
    /// Fails if the place cannot be reached or refuses to be changed.
    fn remove(&self, name: &str) -> io::Result<()>;
}

/// An object that is being written.
pub trait BackupWriter: Send {
    /// Appends bytes.
    ///
    /// # Errors
    /// Fails if they cannot be stored. The object can then not be finished.
    fn append(&mut self, data: &[u8]) -> io::Result<()>;

    /// Makes the object appear. It is durable afterwards.
    ///
    /// # Errors
    /// Fails if the object cannot be stored; then it does not appear.
    fn finish(&mut self) -> io::Result<()>;
}

/// The ending of temporary names.
const TEMPORARY: &str = ".tmp";
/// The largest file that is read as a whole, in bytes: the metadata of a backup.
const WHOLE_MAX: u64 = 64 << 20;

/// The objects of a storage as files below a directory; all other paths are those of the operating system.
pub(super) struct StorageFs {
    storage: Arc<dyn BackupStorage>,
    root: PathBuf,
    names: Arc<Names>,
    others: Arc<dyn FileSystem>,
}

/// The names and sizes of the objects, once they were listed.
#[derive(Default)]
struct Names(Mutex<Option<BTreeMap<String, u64>>>);

impl Names {
    /// Calls a function with all names.
    fn with<T>(
        &self,
        storage: &dyn BackupStorage,
        work: impl FnOnce(&mut BTreeMap<String, u64>) -> T,
    ) -> io::Result<T> {
        let mut names = self.0.lock();
        if names.is_none() {
            *names = Some(storage.list()?.into_iter().collect());
        }
        Ok(work(names.get_or_insert_default()))
    }
}

impl StorageFs {
    /// Presents a storage as the directory `root`.
    pub(super) fn new(storage: Arc<dyn BackupStorage>, root: &Path) -> StorageFs {
        let (names, others) = (Arc::default(), crate::fs::posix());
        StorageFs { storage, root: root.to_owned(), names, others }
    }

    /// Returns the name of the object at a path, if the path is below the root.
    fn name(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(&self.root).ok()?;
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        let name = parts.join("/");
        Some(name.strip_suffix(TEMPORARY).map_or(name.clone(), str::to_owned))
    }

    /// Returns the path of an object in messages, which have no temporary names: no object has such a name.
    fn shown(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn with_names<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&mut BTreeMap<String, u64>) -> T,
    ) -> Result<T> {
        let names = self.names.with(&*self.storage, work);
        names.map_err(|error| io_error("While listing for", path, error))
    }

    /// Returns the size of an object, if there is one of this name.
    fn size(&self, path: &Path, name: &str) -> Result<Option<u64>> {
        self.with_names(path, |names| names.get(name).copied())
    }

    /// Returns whether objects are below a name. The root always exists.
    fn is_folder(&self, path: &Path, name: &str) -> Result<bool> {
        let folder = format!("{name}/");
        let has_some = |names: &mut BTreeMap<String, u64>| {
            let first = names.range(folder.clone()..).next();
            first.is_some_and(|(found, _)| found.starts_with(&folder))
        };
        Ok(name.is_empty() || self.with_names(path, has_some)?)
    }

    fn unsupported<T>(&self, what: &str, path: &Path) -> Result<T> {
        let text = format!("{what} in a storage of backups: {}", path.display());
        Err(Error::not_supported(text).about_file(path))
    }
}

impl FileSystem for StorageFs {
    fn new_writable(&self, path: &Path, how: WritableOptions) -> Result<Box<dyn WritableFile>> {
        let Some(name) = self.name(path) else { return self.others.new_writable(path, how) };
        let writer = self.storage.create(&name);
        let path = self.shown(&name);
        let writer = writer.map_err(|error| io_error("While creating", &path, error))?;
        let names = Arc::clone(&self.names);
        Ok(Box::new(StoredFile { writer: Some(writer), names, name, path, size: 0 }))
    }

    fn open_random_access(&self, path: &Path, mmap: bool) -> Result<Arc<dyn RandomAccessFile>> {
        let Some(name) = self.name(path) else { return self.others.open_random_access(path, mmap) };
        let (storage, path) = (Arc::clone(&self.storage), self.shown(&name));
        let size = self.file_size(&path)?;
        Ok(Arc::new(StoredRead { storage, name, path, size }))
    }

    fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        if self.name(path).is_none() {
            return self.others.read_file(path);
        }
        let file = self.open_random_access(path, false)?;
        // Sizes come from the storage.
        if file.size() > WHOLE_MAX {
            return Err(Error::corruption(format!(
                "{} has {} bytes, expected at most {WHOLE_MAX}",
                path.display(),
                file.size()
            )));
        }
        let mut bytes = vec![0; file.size() as usize];
        let read = file.read_at(0, &mut bytes)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        match self.name(path) {
            Some(name) => Ok(self.size(path, &name)?.is_some() || self.is_folder(path, &name)?),
            None => self.others.exists(path),
        }
    }

    fn is_dir(&self, path: &Path) -> Result<bool> {
        match self.name(path) {
            Some(name) => self.is_folder(path, &name),
            None => self.others.is_dir(path),
        }
    }

    fn file_size(&self, path: &Path) -> Result<u64> {
        let Some(name) = self.name(path) else { return self.others.file_size(path) };
        let size = self.size(path, &name)?;
        size.ok_or_else(|| io_error("while stat a file for size", path, no_such_file()))
    }

    fn modified_time(&self, path: &Path) -> Result<u64> {
        match self.name(path) {
            Some(_) => self.unsupported("times of files", path),
            None => self.others.modified_time(path),
        }
    }

    fn list_dir(&self, path: &Path) -> Result<Vec<String>> {
        let Some(name) = self.name(path) else { return self.others.list_dir(path) };
        let folder = if name.is_empty() { name } else { format!("{name}/") };
        let children = self.with_names(path, |names| {
            let below = names.range(folder.clone()..).map_while(|(name, _)| {
                let rest = name.strip_prefix(&folder)?;
                Some(rest.split_once('/').map_or(rest, |(child, _)| child).to_owned())
            });
            below.collect::<BTreeSet<_>>()
        })?;
        Ok(children.into_iter().collect())
    }

    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        match self.name(path) {
            Some(_) => Ok(()),
            None => self.others.create_dir_if_missing(path),
        }
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        let Some(name) = self.name(path) else { return self.others.remove_file(path) };
        let removed = self.storage.remove(&name);
        removed.map_err(|error| io_error("While deleting", &self.shown(&name), error))?;
        self.with_names(path, |names| {
            names.remove(&name);
        })
    }

    fn remove_dir(&self, path: &Path) -> Result<()> {
        match self.name(path) {
            Some(_) => Ok(()),
            None => self.others.remove_dir(path),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        match (self.name(from), self.name(to)) {
            (None, None) => self.others.rename(from, to),
            (from, to) if from == to => Ok(()),
            _ => self.unsupported("renaming", to),
        }
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        match (self.name(from), self.name(to)) {
            (None, None) => self.others.link(from, to),
            _ => self.unsupported("links", to),
        }
    }

    fn truncate(&self, path: &Path, size: u64) -> Result<()> {
        match self.name(path) {
            Some(_) => self.unsupported("shortening files", path),
            None => self.others.truncate(path, size),
        }
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        match self.name(path) {
            Some(_) => Ok(()),
            None => self.others.sync_file(path),
        }
    }

    fn sync_dir(&self, path: &Path) -> Result<()> {
        match self.name(path) {
            Some(_) => Ok(()),
            None => self.others.sync_dir(path),
        }
    }

    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        match self.name(path) {
            Some(_) => self.unsupported("locks", path),
            None => self.others.lock_file(path),
        }
    }

    fn free_space(&self, path: &Path) -> Result<u64> {
        match self.name(path) {
            Some(_) => Ok(u64::MAX),
            None => self.others.free_space(path),
        }
    }

    fn drop_cached(&self, path: &Path) {
        if self.name(path).is_none() {
            self.others.drop_cached(path);
        }
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        match self.name(path) {
            Some(_) => path.to_owned(),
            None => self.others.absolute(path),
        }
    }
}

/// An object that is being written, as a file.
struct StoredFile {
    /// None once the file is closed or has failed.
    writer: Option<Box<dyn BackupWriter>>,
    names: Arc<Names>,
    name: String,
    path: PathBuf,
    size: u64,
}

impl StoredFile {
    fn failed(&self, error: io::Error) -> Error {
        io_error("While writing", &self.path, error)
    }

    fn broken(&self) -> Error {
        let text = format!("{} was closed, or could not be written", self.path.display());
        Error::new(Code::IOError, text).about_file(&self.path)
    }
}

impl WritableFile for StoredFile {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        let Some(writer) = &mut self.writer else { return Err(self.broken()) };
        if let Err(error) = writer.append(data) {
            self.writer = None;
            return Err(self.failed(error));
        }
        self.size += data.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    /// Does nothing: an object is durable once it exists.
    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn syncer(&self) -> Arc<dyn FileSyncer> {
        Arc::new(NoSync)
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn is_broken(&self) -> bool {
        self.writer.is_none()
    }

    fn close(&mut self) -> Result<()> {
        let mut writer = self.writer.take().ok_or_else(|| self.broken())?;
        writer.finish().map_err(|error| self.failed(error))?;
        if let Some(names) = self.names.0.lock().as_mut() {
            names.insert(self.name.clone(), self.size);
        }
        Ok(())
    }
}

/// An object that is read, as a file.
struct StoredRead {
    storage: Arc<dyn BackupStorage>,
    name: String,
    path: PathBuf,
    size: u64,
}

impl RandomAccessFile for StoredRead {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        // Stores refuse to read from the end on.
        let rest = self.size.saturating_sub(offset).min(buf.len() as u64) as usize;
        let buf = &mut buf[..rest];
        if buf.is_empty() {
            return Ok(0);
        }
        let read = self.storage.read_at(&self.name, offset, buf);
        read.map_err(|error| io_error("While reading", &self.path, error))
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
#[path = "storage_test.rs"]
mod tests;
