//! Buffered files, written with write(2).
//!
//! After a failed sync the state on the device is unknown, so the file is permanently broken: every later call returns
//! the same error. The same holds after a failed write, except for files whose writer requested to continue after a
//! full disk: the number of bytes that the system accepted is known, and a partly written record is removed by
//! truncation.

use super::sys;
use crate::env::lock_rank;
use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicBool, AtomicU64, Ordering};
use crate::error::{Error, Result};
use crate::fs::{FRAGMENT_HEADER, FileSyncer, Fragment, WritableFile, WritableOptions, io_error};
use std::fs::File;
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The size of the buffer: small enough to stay in the second-level cache, large enough to make calls rare, and below
/// the size that glibc maps, since after the first free of a mapped piece glibc keeps more memory in its heaps.
const BUFFER: usize = 124 << 10;
/// Pieces of at least this size are written without a copy.
const DIRECT: usize = 32 << 10;
/// Writeback starts this many bytes before the end, since the last pages will be written again.
const WRITEBACK_LAG: u64 = 256 << 10;
const PAGE: u64 = 4096;

/// The open file, shared by the writer and its syncers.
pub(super) struct SharedFile {
    pub(super) file: File,
    pub(super) path: PathBuf,
    use_fsync: bool,
    /// Whether a write that fails because the device is full may be repeated.
    outlives_full_disk: bool,
    /// The maximum size of the file; see [`sys::file_size_limit`].
    limit: u64,
    /// Set after `failure`; with it, the usual check is one load.
    broken: AtomicBool,
    failure: Mutex<Option<Error>>,
    syncs: AtomicU64,
}

impl SharedFile {
    pub(super) fn new(file: File, path: &Path, opts: WritableOptions) -> Arc<SharedFile> {
        Arc::new(SharedFile {
            file,
            path: path.to_path_buf(),
            use_fsync: opts.use_fsync,
            outlives_full_disk: opts.outlives_full_disk,
            limit: sys::file_size_limit(),
            broken: AtomicBool::new(false),
            failure: Mutex::new(None),
            syncs: AtomicU64::new(0),
        })
    }

    /// The number of syncs of the file.
    pub(super) fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::Relaxed)
    }

    /// The maximum size of the file in bytes.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// The error that broke the file, if any.
    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        if !self.broken.load(Ordering::Acquire) {
            return Ok(());
        }
        self.failure.lock().clone().map_or(Ok(()), Err)
    }

    /// Handles a failed write of which the caller knows how many bytes were accepted.
    #[cold]
    fn write_failed(&self, e: io::Error) -> Error {
        const CONTEXT: &str = "While appending to file";
        match self.outlives_full_disk && passes(&e) {
            true => io_error(CONTEXT, &self.path, e),
            false => self.fail(CONTEXT, e),
        }
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
        lock_rank::assert_may_wait_for_device();
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

/// A buffered file. With `opts.log` each record is passed to the operating system at once;
/// otherwise it waits in the buffer like all other data.
pub(super) struct BufferedFile {
    shared: Arc<SharedFile>,
    buffer: Vec<u8>,
    /// The number of bytes passed to the operating system.
    written: u64,
    /// Blocks are allocated up to this offset; `u64::MAX` after the file system refused.
    allocated: u64,
    allocation_step: u64,
    bytes_per_sync: u64,
    writeback_started: u64,
    is_log: bool,
    closed: bool,
}

impl BufferedFile {
    pub(super) fn new(file: File, path: &Path, opts: WritableOptions) -> BufferedFile {
        BufferedFile::over(SharedFile::new(file, path, opts), 0, opts)
    }

    /// Continues a file after its first `written` bytes, where the file's cursor must be.
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

    /// Writes the buffer, and then these pieces. After an error the buffer contains the part of it that was not
    /// written; a part of the pieces may have been written.
    fn write_out(&mut self, data: &mut [IoSlice<'_>]) -> Result<()> {
        self.shared.check()?;
        let end = self.size() + data.iter().map(|piece| piece.len() as u64).sum::<u64>();
        self.allocate_ahead(end);
        if end > self.shared.limit {
            return Err(self.shared.write_failed(io::Error::from_raw_os_error(libc::EFBIG)));
        }
        let (taken, result) = write_both(&self.shared.file, &self.buffer, data);
        self.buffer.drain(..taken.min(self.buffer.len()));
        self.written += taken as u64;
        result.map_err(|e| self.shared.write_failed(e))?;
        self.write_back();
        Ok(())
    }

    /// After the error `e`, truncates a partly written record that began at `size`. If that fails, nothing more may be
    /// appended.
    #[cold]
    fn take_back(&mut self, size: u64, e: Error) -> Error {
        if let Err(broken) = self.shared.check() {
            return broken;
        }
        if let Some(kept) = size.checked_sub(self.written) {
            self.buffer.truncate(kept as usize);
            return e;
        }
        let mut file = &self.shared.file;
        if let Err(cut) = file.set_len(size).and_then(|()| file.seek(SeekFrom::Start(size))) {
            return self.shared.fail("While ftruncate file", cut);
        }
        self.buffer.clear();
        self.written = size;
        // Truncation releases blocks allocated ahead.
        self.allocated = if self.allocated == u64::MAX { u64::MAX } else { size };
        e
    }

    /// Allocates ahead, which keeps the file contiguous on the device. The file's size does not
    /// change; a refusal is no error.
    fn allocate_ahead(&mut self, end: u64) {
        if end <= self.allocated {
            return;
        }
        // Beyond the limit even an allocation that keeps the size may end the process.
        let to = end.next_multiple_of(self.allocation_step).min(self.shared.limit);
        if to <= self.allocated {
            return;
        }
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

/// Whether an error disappears when there is room again, or when the limit is raised.
pub(super) fn passes(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::OutOfMemory
    )
}

/// Writes both parts consecutively, mostly in one call. Returns the number of bytes that the system
/// accepted, and the result.
fn write_both(mut file: &File, first: &[u8], data: &mut [IoSlice<'_>]) -> (usize, io::Result<()>) {
    // A log record has only the buffer, and needs no memory for a list.
    let (mut alone, mut list) = ([IoSlice::new(first)], Vec::new());
    let mut pieces = &mut alone[..];
    if !data.is_empty() {
        list.push(IoSlice::new(first));
        list.extend(data.iter().map(|piece| IoSlice::new(piece)));
        pieces = &mut list;
    }
    let mut taken = 0;
    IoSlice::advance_slices(&mut pieces, 0);
    while !pieces.is_empty() {
        match file.write_vectored(pieces) {
            Ok(0) => return (taken, Err(io::ErrorKind::WriteZero.into())),
            Ok(n) => {
                taken += n;
                IoSlice::advance_slices(&mut pieces, n);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return (taken, Err(e)),
        }
    }
    (taken, Ok(()))
}

impl WritableFile for BufferedFile {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        if data.len() >= DIRECT {
            let size = self.size();
            return self.write_out(&mut [IoSlice::new(data)]).map_err(|e| self.take_back(size, e));
        }
        if self.buffer.len() + data.len() > BUFFER {
            self.flush()?;
        }
        if data.len() > self.buffer.capacity() - self.buffer.len() {
            // At most the size of the buffer, which doubling could exceed.
            let room = (2 * self.buffer.capacity()).max(data.len() + self.buffer.len()).min(BUFFER);
            self.buffer.reserve_exact(room - self.buffer.len());
        }
        self.buffer.extend_from_slice(data);
        Ok(())
    }

    fn append_record(&mut self, header: &[u8; FRAGMENT_HEADER], payload: &[u8]) -> Result<()> {
        let fragment = Fragment { padding: 0, header: *header, len: payload.len() };
        self.append_fragments(&[fragment], payload)
    }

    fn append_fragments(&mut self, fragments: &[Fragment], payload: &[u8]) -> Result<()> {
        // One call for everything avoids headers without payload and partial records.
        let (size, mut rest) = (self.size(), payload);
        let written = if payload.len() >= DIRECT {
            let padding = [0; FRAGMENT_HEADER];
            let mut pieces = Vec::with_capacity(3 * fragments.len());
            for fragment in fragments {
                let (part, after) = rest.split_at(fragment.len);
                let bytes = [&padding[..fragment.padding], &fragment.header, part];
                pieces.extend(bytes.map(IoSlice::new));
                rest = after;
            }
            self.write_out(&mut pieces)
        } else {
            for fragment in fragments {
                let (part, after) = rest.split_at(fragment.len);
                self.buffer.resize(self.buffer.len() + fragment.padding, 0);
                self.buffer.extend_from_slice(&fragment.header);
                self.buffer.extend_from_slice(part);
                rest = after;
            }
            match self.is_log || self.buffer.len() >= BUFFER {
                true => self.flush(),
                false => self.shared.check(),
            }
        };
        written.map_err(|e| self.take_back(size, e))
    }

    fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return self.shared.check();
        }
        self.write_out(&mut [])
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

    fn is_broken(&self) -> bool {
        self.shared.check().is_err()
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
