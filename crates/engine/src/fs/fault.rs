//! A file system that fails on demand, for tests.
//!
//! A [`Fault`] describes which operations on which paths fail, starting with which one, and how
//! often. Faults are checked in the order of their injection; the first match applies. Operations
//! are counted whether they fail or not, so that a test can first count them and then fail each of
//! them, one per run. One mutex guards the faults; it is not held during an operation.

use super::{
    FRAGMENT_HEADER, FileLock, FileSyncer, FileSystem, RandomAccessFile, WritableFile,
    WritableOptions, io_error,
};
use crate::env::sync::Mutex;
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An operation that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Creation of a file for writing.
    Create,
    /// `append` and `append_record`.
    Append,
    /// `flush`.
    Flush,
    /// `sync`, of a file, through its syncer, or by name.
    Sync,
    /// `close`.
    Close,
    /// Opening a file for reading.
    Open,
    /// `read_at` and `read_file`.
    Read,
    /// `will_read`, which has no errors.
    WillRead,
    /// `would_wait`, which has no errors: with a fault, the read would wait.
    WouldWait,
    /// All queries of names: size, time, list.
    Stat,
    /// Creation of a directory.
    CreateDir,
    /// Removal of a file or a directory.
    Remove,
    /// `rename` and `link`; faults match the new name.
    Rename,
    /// `truncate`.
    Truncate,
    /// `sync_dir`.
    SyncDir,
    /// `lock_file`.
    Lock,
    /// `will_read_at_random`, which has no errors.
    Advise,
}

impl Op {
    /// Whether the operation changes files or makes them durable.
    pub fn is_write(self) -> bool {
        use Op::{Advise, Lock, Open, Read, Stat, WillRead, WouldWait};
        !matches!(self, Open | Read | WillRead | WouldWait | Stat | Lock | Advise)
    }
}

/// The way in which an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The device reports an error (EIO).
    Io,
    /// The device is full (ENOSPC).
    NoSpace,
    /// The file system does not support the operation (EINVAL).
    Refused,
    /// An append writes only this many bytes before the device is full; a read returns only this
    /// many bytes, without an error.
    Short(usize),
    /// The operation succeeds, but reports EIO.
    AfterDone,
}

/// A set of operations that fail.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The operation that fails; `None` means all that write.
    pub op: Option<Op>,
    /// A substring of the affected paths; empty means all paths.
    pub path_contains: String,
    /// The number of matching operations that succeed first.
    pub skip: u64,
    /// The number of operations that fail after that.
    pub times: u64,
    /// The way in which they fail.
    pub kind: FaultKind,
}

impl Fault {
    /// From now on `op` always fails on paths that contain `path`.
    pub fn always(op: Op, path: &str, kind: FaultKind) -> Fault {
        Fault { op: Some(op), path_contains: path.to_owned(), skip: 0, times: u64::MAX, kind }
    }

    /// Only the `n`-th matching operation from now (the first is 0) fails.
    pub fn nth(op: Op, path: &str, n: u64, kind: FaultKind) -> Fault {
        Fault { skip: n, times: 1, ..Fault::always(op, path, kind) }
    }

    /// From the `n`-th writing operation on, nothing reaches the device.
    pub fn writes_stop(n: u64, kind: FaultKind) -> Fault {
        Fault { op: None, path_contains: String::new(), skip: n, times: u64::MAX, kind }
    }
}

/// Called before an operation on a path.
type Observer = Arc<dyn Fn(Op, &Path) + Send + Sync>;

#[derive(Default)]
struct State {
    faults: Vec<Fault>,
    observer: Option<Observer>,
    /// The result of `free_space`, if it is overridden.
    free_space: Option<u64>,
    counts: HashMap<Op, u64>,
}

type SharedState = Arc<Mutex<State>>;

/// A wrapper of another file system that injects faults. Clones share the faults.
#[derive(Clone)]
pub struct FaultFs {
    inner: Arc<dyn FileSystem>,
    state: SharedState,
}

impl FaultFs {
    /// Wraps `inner` without faults.
    pub fn new(inner: Arc<dyn FileSystem>) -> FaultFs {
        FaultFs { inner, state: SharedState::default() }
    }

    /// Adds a fault after the existing ones.
    pub fn inject(&self, fault: Fault) {
        self.state.lock().faults.push(fault);
    }

    /// Removes all faults.
    pub fn clear(&self) {
        self.state.lock().faults.clear();
    }

    /// Overrides the result of `free_space`; `None` restores the real one.
    pub fn set_free_space(&self, bytes: Option<u64>) {
        self.state.lock().free_space = bytes;
    }

    /// Calls `observer` before every operation. The operation waits until it returns.
    pub fn observe(&self, observer: impl Fn(Op, &Path) + Send + Sync + 'static) {
        self.state.lock().observer = Some(Arc::new(observer));
    }

    /// The number of times that `op` was attempted.
    pub fn count(&self, op: Op) -> u64 {
        self.state.lock().counts.get(&op).copied().unwrap_or(0)
    }

    /// The number of writing operations attempted.
    pub fn write_count(&self) -> u64 {
        self.state.lock().counts.iter().filter(|(op, _)| op.is_write()).map(|(_, n)| n).sum()
    }

    /// Runs `f` unless a fault applies.
    fn run<T>(&self, op: Op, path: &Path, f: impl FnOnce() -> Result<T>) -> Result<T> {
        run(&self.state, op, path, f)
    }
}

/// Counts the operation and finds the fault that applies to it.
fn hit(state: &SharedState, op: Op, path: &Path) -> Option<FaultKind> {
    let observer = state.lock().observer.clone();
    if let Some(observer) = observer {
        observer(op, path);
    }
    let mut state = state.lock();
    *state.counts.entry(op).or_default() += 1;
    let path = path.to_string_lossy();
    for fault in &mut state.faults {
        let matches = fault.op.map_or(op.is_write(), |o| o == op);
        if !matches || fault.times == 0 || !path.contains(&fault.path_contains) {
            continue;
        }
        if fault.skip > 0 {
            fault.skip -= 1;
            continue;
        }
        fault.times -= u64::from(fault.times != u64::MAX);
        return Some(fault.kind);
    }
    None
}

fn error(kind: FaultKind, op: Op, path: &Path) -> Error {
    let code = match kind {
        FaultKind::NoSpace | FaultKind::Short(_) => libc::ENOSPC,
        FaultKind::Io | FaultKind::AfterDone => libc::EIO,
        FaultKind::Refused => libc::EINVAL,
    };
    let source = io::Error::from_raw_os_error(code);
    io_error(format_args!("Injected fault in {op:?}"), path, source)
}

fn run<T>(state: &SharedState, op: Op, path: &Path, f: impl FnOnce() -> Result<T>) -> Result<T> {
    match hit(state, op, path) {
        None => f(),
        Some(kind) => {
            if kind == FaultKind::AfterDone {
                f()?;
            }
            Err(error(kind, op, path))
        }
    }
}

struct Writer {
    inner: Box<dyn WritableFile>,
    state: SharedState,
    path: PathBuf,
}

impl Writer {
    /// Appends the part of the data that a fault lets through.
    fn append_parts(
        &mut self,
        parts: &[&[u8]],
        all: impl FnOnce(&mut dyn WritableFile) -> Result<()>,
    ) -> Result<()> {
        let Some(kind) = hit(&self.state, Op::Append, &self.path) else {
            return all(&mut *self.inner);
        };
        match kind {
            FaultKind::AfterDone => all(&mut *self.inner)?,
            FaultKind::Short(n) => {
                let bytes = parts.concat();
                self.inner.append(&bytes[..n.min(bytes.len())])?;
            }
            FaultKind::Io | FaultKind::NoSpace | FaultKind::Refused => {}
        }
        Err(error(kind, Op::Append, &self.path))
    }
}

impl WritableFile for Writer {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        self.append_parts(&[data], |f| f.append(data))
    }

    fn append_record(&mut self, header: &[u8; FRAGMENT_HEADER], payload: &[u8]) -> Result<()> {
        self.append_parts(&[header, payload], |f| f.append_record(header, payload))
    }

    fn flush(&mut self) -> Result<()> {
        run(&self.state, Op::Flush, &self.path, || self.inner.flush())
    }

    fn sync(&mut self) -> Result<()> {
        run(&self.state, Op::Sync, &self.path, || self.inner.sync())
    }

    fn syncer(&self) -> Arc<dyn FileSyncer> {
        let (inner, state) = (self.inner.syncer(), self.state.clone());
        Arc::new(Syncer { inner, state, path: self.path.clone() })
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }

    fn is_broken(&self) -> bool {
        self.inner.is_broken()
    }

    fn release_memory(&mut self) {
        self.inner.release_memory();
    }

    fn close(&mut self) -> Result<()> {
        run(&self.state, Op::Close, &self.path, || self.inner.close())
    }
}

struct Syncer {
    inner: Arc<dyn FileSyncer>,
    state: SharedState,
    path: PathBuf,
}

impl FileSyncer for Syncer {
    fn sync(&self) -> Result<()> {
        run(&self.state, Op::Sync, &self.path, || self.inner.sync())
    }
}

struct Reader {
    inner: Arc<dyn RandomAccessFile>,
    state: SharedState,
}

impl RandomAccessFile for Reader {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        match hit(&self.state, Op::Read, self.inner.path()) {
            None => self.inner.read_at(offset, buf),
            Some(FaultKind::Short(n)) => {
                let n = n.min(buf.len());
                self.inner.read_at(offset, &mut buf[..n])
            }
            Some(kind) => Err(error(kind, Op::Read, self.inner.path())),
        }
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }

    fn mapped(&self) -> Option<&[u8]> {
        self.inner.mapped()
    }

    fn alignment(&self) -> usize {
        self.inner.alignment()
    }

    fn will_read(&self, offset: u64, len: u64) {
        hit(&self.state, Op::WillRead, self.inner.path());
        self.inner.will_read(offset, len);
    }

    fn will_read_at_random(&self) {
        hit(&self.state, Op::Advise, self.inner.path());
        self.inner.will_read_at_random();
    }

    fn would_wait(&self, offset: u64) -> bool {
        let fault = hit(&self.state, Op::WouldWait, self.inner.path());
        fault.is_some() || self.inner.would_wait(offset)
    }

    fn path(&self) -> &Path {
        self.inner.path()
    }
}

impl FileSystem for FaultFs {
    fn new_writable(&self, path: &Path, opts: WritableOptions) -> Result<Box<dyn WritableFile>> {
        let inner = self.run(Op::Create, path, || self.inner.new_writable(path, opts))?;
        Ok(Box::new(Writer { inner, state: self.state.clone(), path: path.to_path_buf() }))
    }

    fn open_random_access(&self, path: &Path, mmap: bool) -> Result<Arc<dyn RandomAccessFile>> {
        let inner = self.run(Op::Open, path, || self.inner.open_random_access(path, mmap))?;
        Ok(Arc::new(Reader { inner, state: self.state.clone() }))
    }

    fn open_direct(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        let inner = self.run(Op::Open, path, || self.inner.open_direct(path))?;
        Ok(Arc::new(Reader { inner, state: self.state.clone() }))
    }

    fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        match hit(&self.state, Op::Read, path) {
            None => self.inner.read_file(path),
            Some(FaultKind::Short(n)) => self.inner.read_file(path).map(|mut bytes| {
                bytes.truncate(n);
                bytes
            }),
            Some(kind) => Err(error(kind, Op::Read, path)),
        }
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        self.run(Op::Stat, path, || self.inner.exists(path))
    }

    fn is_dir(&self, path: &Path) -> Result<bool> {
        self.run(Op::Stat, path, || self.inner.is_dir(path))
    }

    fn file_size(&self, path: &Path) -> Result<u64> {
        self.run(Op::Stat, path, || self.inner.file_size(path))
    }

    fn modified_time(&self, path: &Path) -> Result<u64> {
        self.run(Op::Stat, path, || self.inner.modified_time(path))
    }

    fn list_dir(&self, path: &Path) -> Result<Vec<String>> {
        self.run(Op::Stat, path, || self.inner.list_dir(path))
    }

    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        self.run(Op::CreateDir, path, || self.inner.create_dir_if_missing(path))
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        self.run(Op::Remove, path, || self.inner.remove_file(path))
    }

    fn remove_dir(&self, path: &Path) -> Result<()> {
        self.run(Op::Remove, path, || self.inner.remove_dir(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.run(Op::Rename, to, || self.inner.rename(from, to))
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        self.run(Op::Rename, to, || self.inner.link(from, to))
    }

    fn truncate(&self, path: &Path, size: u64) -> Result<()> {
        self.run(Op::Truncate, path, || self.inner.truncate(path, size))
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        self.run(Op::Sync, path, || self.inner.sync_file(path))
    }

    fn sync_dir(&self, path: &Path) -> Result<()> {
        self.run(Op::SyncDir, path, || self.inner.sync_dir(path))
    }

    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        self.run(Op::Lock, path, || self.inner.lock_file(path))
    }

    fn free_space(&self, path: &Path) -> Result<u64> {
        match self.state.lock().free_space {
            Some(bytes) => Ok(bytes),
            None => self.inner.free_space(path),
        }
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.inner.absolute(path)
    }
}

#[cfg(test)]
#[path = "fault_test.rs"]
mod tests;
