//! Files written through a buffer and write(2).
//!
//! After a failed write or sync nobody knows what is on the device, so the file is broken for good:
//! every later call gives the same error.

use super::sys;
use crate::env::sync::Mutex;
use crate::error::{Error, Result};
use crate::fs::{FileSyncer, WritableFile, WritableOptions, io_error};
use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Small enough to stay in the second-level cache, large enough to make calls rare, and less than glibc maps:
/// from the first such piece that is freed on it keeps more in its heaps.
const BUFFER: usize = 124 << 10;
/// From this size on, pieces go to the system without a copy.
const DIRECT: usize = 32 << 10;
/// Writeback is started behind the end by this much: the last pages will be written again.
const WRITEBACK_LAG: u64 = 256 << 10;
const PAGE: u64 = 4096;

/// The open file, shared by the writer and its syncers.
pub(super) struct SharedFile {
    pub(super) file: File,
    pub(super) path: PathBuf,
    use_fsync: bool,
    /// Set after `failure` is; makes the usual check one load.
    broken: AtomicBool,
    failure: Mutex<Option<Error>>,
    syncs: AtomicU64,
}

impl SharedFile {
    pub(super) fn new(file: File, path: &Path, use_fsync: bool) -> Arc<SharedFile> {
        let (broken, failure) = (AtomicBool::new(false), Mutex::new(None));
        let (path, syncs) = (path.to_path_buf(), AtomicU64::new(0));
        Arc::new(SharedFile { file, path, use_fsync, broken, failure, syncs })
    }

    /// How often the file was synced.
    pub(super) fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::Relaxed)
    }

    /// The error that broke the file, if one did.
    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        if !self.broken.load(Ordering::Acquire) {
            return Ok(());
        }
        self.failure.lock().clone().map_or(Ok(()), Err)
    }

    /// Breaks the file.
    #[cold]
    pub(super) fn fail(&self, context: &str, e: io::Error) -> Error {
        let e = self.failure.lock().get_or_insert(io_error(context, &self.path, e)).clone();
        self.broken.store(true, Ordering::Release);
        e
    }
}

impl FileSyncer for SharedFile {
    fn sync(&self) -> Result<()> {
        self.check()?;
        self.syncs.fetch_add(1, Ordering::Relaxed);
        let (done, call) = if self.use_fsync {
            (self.file.sync_all(), "While fsync")
        } else {
            (self.file.sync_data(), "While fdatasync")
        };
        done.map_err(|e| self.fail(call, e))
    }
}

/// A buffered file. With `opts.log` each record goes to the operating system at once; else it waits
/// in the buffer as everything does.
pub(super) struct BufferedFile {
    shared: Arc<SharedFile>,
    buffer: Vec<u8>,
    /// Bytes handed to the operating system.
    written: u64,
    /// Blocks are allocated up to here; `u64::MAX` once the file system has refused.
    allocated: u64,
    allocation_step: u64,
    bytes_per_sync: u64,
    writeback_started: u64,
    is_log: bool,
    closed: bool,
}

impl BufferedFile {
    pub(super) fn new(file: File, path: &Path, opts: WritableOptions) -> BufferedFile {
        BufferedFile::over(SharedFile::new(file, path, opts.use_fsync), 0, opts)
    }

    /// Goes on after the first `written` bytes, where the file's cursor must stand.
    pub(super) fn over(
        shared: Arc<SharedFile>,
        written: u64,
        opts: WritableOptions,
    ) -> BufferedFile {
        BufferedFile {
            shared,
            buffer: Vec::new(),
            written,
            allocated: if opts.preallocate == 0 || opts.no_allocation { u64::MAX } else { written },
            allocation_step: opts.preallocate,
            bytes_per_sync: opts.bytes_per_sync,
            writeback_started: written,
            is_log: opts.log,
            closed: false,
        }
    }

    /// Writes what the buffer has, and `data` behind it.
    fn write_out(&mut self, data: &[u8]) -> Result<()> {
        self.shared.check()?;
        let end = self.size() + data.len() as u64;
        self.allocate_ahead(end);
        let written = write_both(&self.shared.file, &self.buffer, data);
        written.map_err(|e| self.shared.fail("While appending to file", e))?;
        self.buffer.clear();
        self.written = end;
        self.write_back();
        Ok(())
    }

    /// Keeps the file in one piece on the device. Its size does not move; a refusal is no error.
    fn allocate_ahead(&mut self, end: u64) {
        if end <= self.allocated {
            return;
        }
        let to = end.next_multiple_of(self.allocation_step);
        let done = sys::allocate(&self.shared.file, self.allocated, to - self.allocated, false);
        self.allocated = if done.is_ok() { to } else { u64::MAX };
    }

    fn write_back(&mut self) {
        let end = self.written.saturating_sub(WRITEBACK_LAG) / PAGE * PAGE;
        if self.bytes_per_sync > 0 && end >= self.writeback_started + self.bytes_per_sync {
            let from = self.writeback_started;
            sys::start_writeback(&self.shared.file, from, end - from);
            self.writeback_started = end;
        }
    }
}

/// One after the other, mostly by one call.
fn write_both(mut file: &File, mut first: &[u8], mut second: &[u8]) -> io::Result<()> {
    while !first.is_empty() {
        match file.write_vectored(&[IoSlice::new(first), IoSlice::new(second)]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => {
                let of_first = n.min(first.len());
                (first, second) = (&first[of_first..], &second[n - of_first..]);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    file.write_all(second)
}

impl WritableFile for BufferedFile {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        if data.len() >= DIRECT {
            return self.write_out(data);
        }
        if self.buffer.len() + data.len() > BUFFER {
            self.flush()?;
        }
        if data.len() > self.buffer.capacity() - self.buffer.len() {
            // Not twice the buffer, as doubling would come to.
            let room = (2 * self.buffer.capacity()).max(data.len() + self.buffer.len()).min(BUFFER);
            self.buffer.reserve_exact(room - self.buffer.len());
        }
        self.buffer.extend_from_slice(data);
        Ok(())
    }

    fn append_record(&mut self, header: &[u8], payload: &[u8]) -> Result<()> {
        // One call for both keeps the file free of headers without payload.
        self.buffer.extend_from_slice(header);
        self.buffer.extend_from_slice(payload);
        if self.is_log || self.buffer.len() >= BUFFER { self.flush() } else { self.shared.check() }
    }

    fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return self.shared.check();
        }
        self.write_out(&[])
    }

    fn sync(&mut self) -> Result<()> {
        self.flush()?;
        self.shared.sync()
    }

    fn syncer(&self) -> Arc<dyn FileSyncer> {
        self.shared.clone()
    }

    fn size(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    fn close(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.closed, true) {
            return Ok(());
        }
        self.flush()?;
        if self.allocation_step > 0 {
            let cut = self.shared.file.set_len(self.written);
            cut.map_err(|e| self.shared.fail("While ftruncate file", e))?;
        }
        Ok(())
    }
}

impl Drop for BufferedFile {
    fn drop(&mut self) {
        let _ = self.close();
    }
}
