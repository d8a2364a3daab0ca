//! A write-ahead log in a mapping: a record is a copy in memory, without a system call.
//!
//! The page cache belongs to the kernel, so what a process has stored there survives the process as
//! if it had called write(2). The file is allocated ahead in chunks, and a window of it is mapped
//! and touched ahead. Before a byte is placed its block is allocated, so a full device is an error
//! and never a signal. Behind the end there are zeros, which readers take for the end of the log.
//! `close` cuts them off.
//!
//! Touching the window makes its pages dirty; the first sync after that writes the whole window
//! and turns its extents into written ones. Later syncs in the window overwrite such blocks: no
//! metadata changes, so the file system commits nothing but the data. That is why windows start
//! small (a log with one record should not cost a megabyte) and grow.
//!
//! What of a large record has no room in the window is written with write(2): the kernel fills whole
//! pages at once, where a window would first be mapped, zeroed and, for all threads, unmapped.
//! Headers still come last, and a window begins behind the record when a small one asks for it.
//!
//! Where allocation ahead is refused, the file goes on as a [`BufferedFile`] with one write(2) per
//! record.
//!
//! Why unsafe: the window is raw memory from mmap. Invariants: `window.start <= size`; every byte of
//! the window lies below `allocated`, which is at most the file's length; only `&mut self` writes
//! the window; nobody else cuts the file (its directory is locked). A reader may map or read the
//! same file: it sees bytes, never a Rust reference of ours, as none into the window is made.
//! Tests: `posix_test.rs` (contents, full device, refusal of allocation, killed writer).

#![allow(unsafe_code)]

use super::sys::{self, Medium};
use super::writable::{BufferedFile, SharedFile};
use crate::error::{Error, Result};
use crate::fs::{FileSyncer, WritableFile, WritableOptions, io_error};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{Ordering, compiler_fence};

/// The most that is allocated ahead.
const MAX_CHUNK: u64 = 4 << 20;
/// The same for large records.
const MAX_CHUNK_LARGE: u64 = 256 << 10;
/// And in memory, where allocating costs what the pages cost: one record of 100 KB in 320 waits some
/// milliseconds for all, so that 99 of 100 wait for none.
const MAX_CHUNK_LARGE_IN_MEMORY: u64 = 32 << 20;
const MIN_WINDOW: usize = 64 << 10;
/// What is written stays mapped, and resident, until the window moves on; who moves it on waits for that. Of
/// windows of 256 KiB one write of 100 bytes in 2,000 had to, and with the faults of its pages that was the
/// 99.9th percentile of a fill (60 us, and 16 to 40 with 1 MiB).
const MAX_WINDOW: usize = 1 << 20;
/// The same behind a window that was synced: the next one's first sync writes all of it, for 16 writers the 99.9th
/// percentile (2.5 ms with 1 MiB, 1.7 ms with this).
const MAX_WINDOW_SYNCED: usize = 512 << 10;
/// Records from here on are large.
const LARGE: u64 = 32 << 10;
/// All page sizes in use divide it.
const ALIGN: u64 = 64 << 10;

/// A mapped stretch of the file. Unmapped on drop.
struct Window {
    base: NonNull<u8>,
    len: usize,
    /// Where in the file it begins.
    start: u64,
}

impl Window {
    fn map(file: &File, start: u64, len: usize) -> io::Result<Window> {
        // SAFETY: a new mapping at a place the kernel chooses touches no memory of ours.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                start as libc::off_t,
            )
        };
        let base = match NonNull::new(base.cast::<u8>()) {
            Some(base) if base.as_ptr().cast() != libc::MAP_FAILED => base,
            _ => return Err(io::Error::last_os_error()),
        };
        let window = Window { base, len, start };
        // SAFETY: the range is the mapping just made.
        if unsafe { libc::madvise(base.as_ptr().cast(), len, libc::MADV_POPULATE_WRITE) } != 0 {
            let e = io::Error::last_os_error();
            // Kernels before 5.14 do not know the advice: pages come one by one, as touched.
            if e.raw_os_error() != Some(libc::EINVAL) {
                return Err(e);
            }
        }
        Ok(window)
    }

    /// Copies `data` to `offset` in the file. Panics if it is not in the window.
    #[inline]
    fn put(&self, offset: u64, data: &[u8]) {
        let at = self.position(offset, data.len());
        // SAFETY: `position` has checked the range. `data` is not in the window: no reference
        // into it exists.
        unsafe { ptr::copy_nonoverlapping(data.as_ptr(), self.base.as_ptr().add(at), data.len()) }
    }

    /// Stores four bytes in one instruction.
    #[inline]
    fn put_word(&self, offset: u64, word: [u8; 4]) {
        let at = self.position(offset, 4);
        // SAFETY: `position` has checked the range; unaligned stores are allowed here.
        unsafe {
            self.base.as_ptr().add(at).cast::<u32>().write_unaligned(u32::from_ne_bytes(word))
        }
    }

    #[inline]
    fn position(&self, offset: u64, len: usize) -> usize {
        let at = (offset - self.start) as usize;
        assert!(at <= self.len && len <= self.len - at, "outside of the window");
        at
    }

    fn end(&self) -> u64 {
        self.start + self.len as u64
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: the range is a whole mapping of ours, and no pointer into it is kept.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
    }
}

// SAFETY: the mapping belongs to the process, not to a thread, and `Window` is its only owner.
unsafe impl Send for Window {}

/// See the module.
pub(super) struct MappedLog {
    shared: Arc<SharedFile>,
    size: u64,
    /// The file's length: blocks below are allocated.
    allocated: u64,
    window: Option<Window>,
    next_window: usize,
    /// How often the file had been synced when the window was mapped.
    syncs: u64,
    /// Where the large record ends that is being placed in parts; 0 before the first one.
    large_until: u64,
    medium: Medium,
    opts: WritableOptions,
    /// Takes over where allocation ahead is refused.
    fallback: Option<BufferedFile>,
    closed: bool,
}

impl MappedLog {
    pub(super) fn new(file: File, path: &Path, opts: WritableOptions, medium: Medium) -> MappedLog {
        MappedLog {
            shared: SharedFile::new(file, path, opts.use_fsync),
            size: 0,
            allocated: 0,
            window: None,
            next_window: MIN_WINDOW,
            syncs: 0,
            large_until: 0,
            medium,
            opts,
            fallback: None,
            closed: false,
        }
    }

    /// The window, if the next `len` bytes lie in it.
    #[inline]
    fn room(&self, len: usize) -> Option<&Window> {
        self.window.as_ref().filter(|w| self.size + len as u64 <= w.end())
    }

    /// Moves the window so that the next `len` bytes lie in it. `false`: there is a fallback now.
    #[cold]
    fn make_room(&mut self, len: usize) -> Result<bool> {
        self.shared.check()?;
        let end = self.size + len as u64;
        if end > self.allocated && !self.allocate(end)? {
            return Ok(false);
        }
        let start = self.size / ALIGN * ALIGN;
        let wanted = (end - start).max(self.window_len() as u64).next_multiple_of(ALIGN);
        let len = wanted.min(self.allocated - start) as usize;
        // The old window goes first: never two of them in memory.
        self.leave_window();
        match Window::map(&self.shared.file, start, len) {
            Ok(window) => self.window = Some(window),
            Err(e) if e.raw_os_error() == Some(libc::ENODEV) => {
                self.fall_back()?;
                return Ok(false);
            }
            Err(e) => return Err(io_error("While mmap log file", &self.shared.path, e)),
        }
        Ok(true)
    }

    /// How long the next window is, if the record allows.
    fn window_len(&mut self) -> usize {
        let before = std::mem::replace(&mut self.syncs, self.shared.syncs());
        let most = if self.syncs > before { MAX_WINDOW_SYNCED } else { MAX_WINDOW };
        let len = self.next_window.min(most);
        self.next_window = (len * 2).min(MAX_WINDOW);
        len
    }

    fn leave_window(&mut self) {
        if let Some(old) = self.window.take()
            && self.opts.bytes_per_sync > 0
        {
            sys::start_writeback(&self.shared.file, old.start, self.size - old.start);
        }
    }

    /// Allocates up to `end` and further. On a full device it takes the little it needs, if that
    /// is there; else nothing has changed and a later call may succeed.
    fn allocate(&mut self, end: u64) -> Result<bool> {
        let near = end.next_multiple_of(4096).max(self.allocated);
        let most = match (end - self.size >= LARGE, self.medium) {
            (true, Medium::Memory) => MAX_CHUNK_LARGE_IN_MEMORY,
            (true, Medium::Device) => MAX_CHUNK_LARGE,
            (false, _) => MAX_CHUNK,
        };
        let far = self.further(end, most);
        for target in [far, near] {
            match sys::allocate(&self.shared.file, self.allocated, target - self.allocated, true) {
                Ok(()) => {
                    self.allocated = target;
                    return Ok(true);
                }
                Err(e) if refuses_to_allocate(&e) => {
                    self.fall_back()?;
                    return Ok(false);
                }
                Err(e) => {
                    // Some of it may have been allocated; give that back.
                    let _ = self.shared.file.set_len(self.allocated);
                    if target == near || e.kind() != io::ErrorKind::StorageFull {
                        return Err(io_error("While appending to file", &self.shared.path, e));
                    }
                }
            }
        }
        Ok(true)
    }

    /// Where allocation for a record up to `end` stops, with at most so much ahead.
    fn further(&self, end: u64, most: u64) -> u64 {
        let ahead = match self.opts.preallocate {
            0 => most,
            n => n.clamp(ALIGN, most),
        };
        (self.allocated + ahead).max(end).next_multiple_of(ALIGN)
    }

    #[cold]
    pub(super) fn fall_back(&mut self) -> Result<()> {
        self.window = None;
        let failed = |e| io_error("While appending to file", &self.shared.path, e);
        let mut file = &self.shared.file;
        file.set_len(self.size).map_err(failed)?;
        file.seek(SeekFrom::Start(self.size)).map_err(failed)?;
        self.allocated = self.size;
        let opts = WritableOptions { preallocate: 0, ..self.opts };
        self.fallback = Some(BufferedFile::over(self.shared.clone(), self.size, opts));
        Ok(())
    }

    #[cold]
    fn slow_append_record(&mut self, header: &[u8], payload: &[u8]) -> Result<()> {
        if let Some(file) = &mut self.fallback {
            return file.append_record(header, payload);
        }
        if self.closed {
            return Err(closed(&self.shared.path));
        }
        if self.size < self.large_until {
            return self.write_part(header, payload);
        }
        self.make_room(header.len() + payload.len())?;
        self.append_record(header, payload)
    }

    /// Places a part of a large record without a window.
    fn write_part(&mut self, header: &[u8], payload: &[u8]) -> Result<()> {
        self.shared.check()?;
        self.leave_window();
        let begin = self.size + header.len() as u64;
        let end = begin + payload.len() as u64;
        if end > self.allocated && !self.allocate(end)? {
            return self.append_record(header, payload);
        }
        let file = &self.shared.file;
        let written = file.write_all_at(payload, begin);
        let written = written.and_then(|()| file.write_all_at(header, self.size));
        // Blocks were allocated, so the device is in trouble; what of it was written nobody knows.
        written.map_err(|e| self.shared.fail("While appending to file", e))?;
        if self.opts.bytes_per_sync > 0 {
            sys::start_writeback(file, self.size, end - self.size);
        }
        self.size = end;
        Ok(())
    }
}

/// The file system does not have the call, or not for this file.
fn refuses_to_allocate(e: &io::Error) -> bool {
    matches!(
        e.raw_os_error(),
        Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EINVAL | libc::ENODEV | libc::EPERM)
    )
}

fn closed(path: &Path) -> Error {
    io_error("While appending to file", path, io::Error::from_raw_os_error(libc::EBADF))
}

impl WritableFile for MappedLog {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        for part in data.chunks(MAX_WINDOW) {
            if let Some(file) = &mut self.fallback {
                file.append(part)?;
            } else if let Some(window) = self.room(part.len()) {
                window.put(self.size, part);
                self.size += part.len() as u64;
            } else {
                self.slow_append_record(&[], part)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn append_record(&mut self, header: &[u8], payload: &[u8]) -> Result<()> {
        let len = header.len() + payload.len();
        let Some(window) = self.room(len) else {
            return self.slow_append_record(header, payload);
        };
        window.put(self.size + header.len() as u64, payload);
        // A killed process has executed its stores up to one instruction, so the order in the
        // program is all that counts. The first bytes alone are a zero length and type: no record.
        // Then one store brings length and type at once.
        compiler_fence(Ordering::Release);
        match (header.first_chunk::<4>(), header.get(3..7).and_then(|h| h.first_chunk::<4>())) {
            (Some(crc), Some(len_and_type)) => {
                window.put(self.size + 7, &header[7..]);
                window.put_word(self.size, *crc);
                compiler_fence(Ordering::Release);
                window.put_word(self.size + 3, *len_and_type);
            }
            _ => window.put(self.size, header),
        }
        self.size += len as u64;
        Ok(())
    }

    fn reserve(&mut self, bytes: u64) -> Result<()> {
        let end = self.size + bytes;
        if self.fallback.is_none() && !self.closed && end > self.allocated {
            self.allocate(end)?;
        }
        self.large_until = if bytes >= LARGE { end } else { 0 };
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        match &mut self.fallback {
            Some(file) => file.flush(),
            None => self.shared.check(),
        }
    }

    fn sync(&mut self) -> Result<()> {
        self.flush()?;
        self.shared.sync()
    }

    fn syncer(&self) -> Arc<dyn FileSyncer> {
        self.shared.clone()
    }

    fn size(&self) -> u64 {
        self.fallback.as_ref().map_or(self.size, |file| file.size())
    }

    fn close(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.closed, true) {
            return Ok(());
        }
        if let Some(file) = &mut self.fallback {
            return file.close();
        }
        self.window = None;
        if self.allocated > self.size {
            let cut = self.shared.file.set_len(self.size);
            cut.map_err(|e| self.shared.fail("While ftruncate file", e))?;
            self.allocated = self.size;
        }
        Ok(())
    }
}

impl Drop for MappedLog {
    fn drop(&mut self) {
        let _ = self.close();
    }
}
