//! An in-memory file system, for tests.
//!
//! It stores two states: the one that programs see, and the one that a device would have after a
//! power failure. Bytes become durable when their file is synced; names (creations, renames,
//! removals) when their directory is synced. [`MemFs::crash_clone`] returns the second state.
//! Directories themselves are durable at once.
//!
//! One mutex guards the names, and each file has its own. A file's lock is never held while the
//! lock of names is taken.

use super::{
    FileLock, FileSyncer, FileSystem, Holder, RandomAccessFile, WritableFile, WritableOptions,
    already_open, io_error,
};
use crate::env::clock;
use crate::env::sync::Mutex;
use crate::error::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An in-memory file system. Clones share its contents.
#[derive(Clone, Default)]
pub struct MemFs(Arc<Mutex<Names>>);

#[derive(Default)]
struct Names {
    dirs: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, Arc<File>>,
    durable: BTreeMap<PathBuf, Arc<File>>,
    locked: BTreeSet<PathBuf>,
}

impl Names {
    /// Moves a directory with everything below it; durable at once, as directories are.
    fn rename_dir(&mut self, from: &Path, to: &Path) {
        let moved = |path: &PathBuf| path.strip_prefix(from).map_or(path.clone(), |p| to.join(p));
        self.dirs = self.dirs.iter().map(moved).collect();
        for files in [&mut self.files, &mut self.durable] {
            *files = std::mem::take(files).into_iter().map(|(p, f)| (moved(&p), f)).collect();
        }
    }
}

#[derive(Default)]
struct File(Mutex<Content>);

#[derive(Default)]
struct Content {
    bytes: Vec<u8>,
    synced: usize,
    modified: u64,
}

impl Content {
    fn touch(&mut self) {
        self.modified = clock::since_1970().as_secs();
    }
}

impl MemFs {
    /// An empty file system.
    pub fn new() -> MemFs {
        MemFs::default()
    }

    /// The state after a power failure at this point: synced bytes under synced names.
    pub fn crash_clone(&self) -> MemFs {
        self.crash_clone_with(|_, _| 0)
    }

    /// Like [`MemFs::crash_clone`], but some unsynced bytes survive: `survivors` receives each
    /// file's path and number of unsynced bytes, and returns how many of them reached the device.
    pub fn crash_clone_with(&self, mut survivors: impl FnMut(&Path, usize) -> usize) -> MemFs {
        let names = self.0.lock();
        let files: BTreeMap<_, _> = names
            .durable
            .iter()
            .map(|(path, file)| {
                let old = file.0.lock();
                let loose = old.bytes.len() - old.synced;
                let keep = old.synced + survivors(path, loose).min(loose);
                let bytes = old.bytes[..keep].to_vec();
                let content = Content { synced: keep, bytes, modified: old.modified };
                (path.clone(), Arc::new(File(Mutex::new(content))))
            })
            .collect();
        MemFs(Arc::new(Mutex::new(Names {
            dirs: names.dirs.clone(),
            durable: files.clone(),
            files,
            locked: BTreeSet::new(),
        })))
    }

    fn find(&self, context: &str, path: &Path) -> Result<Arc<File>> {
        self.0.lock().files.get(path).cloned().ok_or_else(|| not_found(context, path))
    }
}

fn not_found(context: &str, path: &Path) -> crate::Error {
    io_error(context, path, io::Error::from_raw_os_error(libc::ENOENT))
}

struct Writer(Arc<File>);

impl WritableFile for Writer {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        let mut content = self.0.0.lock();
        content.bytes.extend_from_slice(data);
        content.touch();
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.0.sync()
    }

    fn syncer(&self) -> Arc<dyn FileSyncer> {
        self.0.clone()
    }

    fn size(&self) -> u64 {
        self.0.0.lock().bytes.len() as u64
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

impl FileSyncer for File {
    fn sync(&self) -> Result<()> {
        let mut content = self.0.lock();
        content.synced = content.bytes.len();
        Ok(())
    }
}

struct Reader {
    file: Arc<File>,
    path: PathBuf,
    size: u64,
    /// A copy that replaces a mapping: the bytes of an open table do not change.
    mapped: Option<Vec<u8>>,
}

impl RandomAccessFile for Reader {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let content = self.file.0.lock();
        let from = content.bytes.len().min(usize::try_from(offset).unwrap_or(usize::MAX));
        let n = buf.len().min(content.bytes.len() - from);
        buf[..n].copy_from_slice(&content.bytes[from..from + n]);
        Ok(n)
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn mapped(&self) -> Option<&[u8]> {
        self.mapped.as_deref()
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

struct Lock {
    fs: MemFs,
    path: PathBuf,
}

impl FileLock for Lock {}

impl Drop for Lock {
    fn drop(&mut self) {
        self.fs.0.lock().locked.remove(&self.path);
    }
}

impl FileSystem for MemFs {
    fn new_writable(&self, path: &Path, _: WritableOptions) -> Result<Box<dyn WritableFile>> {
        let mut names = self.0.lock();
        if path.parent().is_some_and(|dir| !names.dirs.contains(dir)) {
            return Err(not_found("While open a file for appending", path));
        }
        let file = Arc::new(File::default());
        file.0.lock().touch();
        names.files.insert(path.to_path_buf(), file.clone());
        Ok(Box::new(Writer(file)))
    }

    fn open_random_access(&self, path: &Path, mmap: bool) -> Result<Arc<dyn RandomAccessFile>> {
        let file = self.find("While open a file for random read", path)?;
        let content = file.0.lock();
        let size = content.bytes.len() as u64;
        let mapped = mmap.then(|| content.bytes.clone());
        drop(content);
        Ok(Arc::new(Reader { file, path: path.to_path_buf(), size, mapped }))
    }

    fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        let file = self.find("While opening a file for sequentially reading", path)?;
        let content = file.0.lock();
        Ok(content.bytes.clone())
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        let names = self.0.lock();
        Ok(names.files.contains_key(path) || names.dirs.contains(path))
    }

    fn is_dir(&self, path: &Path) -> Result<bool> {
        Ok(self.0.lock().dirs.contains(path))
    }

    fn file_size(&self, path: &Path) -> Result<u64> {
        let file = self.find("while stat a file for size", path)?;
        let content = file.0.lock();
        Ok(content.bytes.len() as u64)
    }

    fn modified_time(&self, path: &Path) -> Result<u64> {
        let file = self.find("while stat a file for modification time", path)?;
        let content = file.0.lock();
        Ok(content.modified)
    }

    fn list_dir(&self, path: &Path) -> Result<Vec<String>> {
        let names = self.0.lock();
        if !names.dirs.contains(path) {
            return Err(not_found("While opendir", path));
        }
        let children = names.files.keys().chain(&names.dirs).filter(|p| p.parent() == Some(path));
        Ok(children.filter_map(|p| Some(p.file_name()?.to_str()?.to_owned())).collect())
    }

    /// Also creates the directories above it: no volume can be missing here.
    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        self.0.lock().dirs.extend(path.ancestors().map(Path::to_path_buf));
        Ok(())
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        let removed = self.0.lock().files.remove(path);
        removed.map(|_| ()).ok_or_else(|| not_found("while unlink() file", path))
    }

    fn remove_dir(&self, path: &Path) -> Result<()> {
        let mut names = self.0.lock();
        if names.files.keys().chain(&names.dirs).any(|p| p.parent() == Some(path)) {
            let e = io::Error::from_raw_os_error(libc::ENOTEMPTY);
            return Err(io_error("While rmdir", path, e));
        }
        if !names.dirs.remove(path) {
            return Err(not_found("While rmdir", path));
        }
        // The directory's removed files cannot come back after a crash.
        names.durable.retain(|p, _| p.parent() != Some(path));
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let mut names = self.0.lock();
        if names.dirs.contains(from) {
            names.rename_dir(from, to);
            return Ok(());
        }
        let Some(file) = names.files.remove(from) else {
            let context = format!("while rename file to {}", to.display());
            return Err(not_found(&context, from));
        };
        names.files.insert(to.to_path_buf(), file);
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        let mut names = self.0.lock();
        let context = format!("while link file to {}", to.display());
        let Some(file) = names.files.get(from).cloned() else {
            return Err(not_found(&context, from));
        };
        if names.files.contains_key(to) {
            return Err(io_error(context, from, io::Error::from_raw_os_error(libc::EEXIST)));
        }
        names.files.insert(to.to_path_buf(), file);
        Ok(())
    }

    fn truncate(&self, path: &Path, size: u64) -> Result<()> {
        let file = self.find("While ftruncate file", path)?;
        let mut content = file.0.lock();
        content.bytes.resize(size as usize, 0);
        content.synced = content.synced.min(content.bytes.len());
        content.touch();
        Ok(())
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        let file = self.find("While fsync a file", path)?;
        let mut content = file.0.lock();
        content.synced = content.bytes.len();
        Ok(())
    }

    fn sync_dir(&self, path: &Path) -> Result<()> {
        let mut names = self.0.lock();
        if !names.dirs.contains(path) {
            return Err(not_found("While open directory", path));
        }
        let Names { files, durable, .. } = &mut *names;
        durable.retain(|p, _| p.parent() != Some(path));
        let inside = files.iter().filter(|(p, _)| p.parent() == Some(path));
        durable.extend(inside.map(|(p, f)| (p.clone(), f.clone())));
        Ok(())
    }

    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        let mut names = self.0.lock();
        if !names.locked.insert(path.to_path_buf()) {
            let e = io::Error::from_raw_os_error(libc::ENOLCK);
            let error = io_error("lock hold by current process", path, e);
            return Err(already_open(error, path, &Holder::ThisProcess));
        }
        names.files.entry(path.to_path_buf()).or_default();
        Ok(Box::new(Lock { fs: self.clone(), path: path.to_path_buf() }))
    }

    fn free_space(&self, _: &Path) -> Result<u64> {
        Ok(1 << 40)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Path::new("/").join(path)
    }
}

#[cfg(test)]
#[path = "mem_test.rs"]
pub(crate) mod tests;
