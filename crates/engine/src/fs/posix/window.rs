//! The window: the mapped part of a log.
//!
//! The module needs `unsafe` because a window is raw memory from mmap. Invariants: only its owner, with `&mut` to the
//! log, stores into it, although another thread may have mapped and populated it; no Rust reference into it is made, so
//! a reader may map or read the same file; stores stay within the allocated part of the log, and a store that faults
//! nevertheless is survived and detected ([`Watch`]). Tests: `posix_test.rs`, `log_test.rs`.

#![allow(unsafe_code)]

use super::sigbus::{LONGEST, Watch};
use super::sys::{self, Call};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// A mapped part of the file. Unmapped on drop.
pub(super) struct Window {
    base: NonNull<u8>,
    len: usize,
    /// The file offset of its beginning.
    start: u64,
    /// Guards the mapping while its owner stores into it.
    watch: Option<Arc<Watch>>,
}

impl Window {
    /// Maps `len` bytes from `start`. They must be allocated if they are to be touched. [`Window::guard`] must follow
    /// before anything is stored.
    pub(super) fn map(file: &File, start: u64, len: usize) -> io::Result<Window> {
        sys::before(Call::Map)?;
        // This happens for a record of gigabytes.
        if len > LONGEST {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        // SAFETY: a new mapping at an address that the kernel chooses does not overlap existing
        // memory.
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
        Ok(Window { base, len, start, watch: None })
    }

    /// Makes stores survivable that fault. A watch guards one window at a time.
    pub(super) fn guard(&mut self, watch: &Arc<Watch>) {
        watch.guard(self.base.as_ptr(), self.len);
        self.watch = Some(Arc::clone(watch));
    }

    /// Ends the guard. Nothing may be stored after that.
    pub(super) fn end_guard(&mut self) {
        if let Some(watch) = self.watch.take() {
            watch.forget();
        }
    }

    /// Populates the pages between the file offsets `from` and `to`, which costs less than touching them one by one.
    pub(super) fn populate(&self, from: u64, to: u64) -> io::Result<()> {
        sys::before(Call::Populate)?;
        let at = self.position(from, (to - from) as usize);
        // SAFETY: `position` has checked the range. The advice is about whole pages of the mapping.
        let done = unsafe {
            let begin = self.base.as_ptr().add(at);
            libc::madvise(begin.cast(), (to - from) as usize, libc::MADV_POPULATE_WRITE)
        };
        match io::Error::last_os_error() {
            _ if done == 0 => Ok(()),
            // Kernels before 5.14 do not support the advice: pages are populated when they are
            // touched.
            e if e.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            e => Err(e),
        }
    }

    /// Copies `data` to `offset` in the file. Panics if that is outside the window.
    #[inline]
    pub(super) fn put(&self, offset: u64, data: &[u8]) {
        let at = self.position(offset, data.len());
        // SAFETY: `position` has checked the range. `data` does not overlap the window: no
        // reference into it exists.
        unsafe { ptr::copy_nonoverlapping(data.as_ptr(), self.base.as_ptr().add(at), data.len()) }
    }

    /// Stores four bytes in one instruction.
    #[inline]
    pub(super) fn put_word(&self, offset: u64, word: [u8; 4]) {
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

    /// Whether bytes stored since the window was mapped may be missing in the file.
    #[inline]
    pub(super) fn is_lost(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.lost())
    }

    pub(super) fn start(&self) -> u64 {
        self.start
    }

    pub(super) fn end(&self) -> u64 {
        self.start + self.len as u64
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // Unmapping fails only for lack of memory; the mapping then stays and costs only addresses.
        let _ = sys::before(Call::Unmap);
        self.end_guard();
        // SAFETY: the window owns the whole mapping, and no pointer into it is kept.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
    }
}

// SAFETY: the mapping belongs to the process, not to a thread, and `Window` is its only owner.
unsafe impl Send for Window {}
