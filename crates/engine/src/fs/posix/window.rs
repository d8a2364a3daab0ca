//! A mapped stretch of a log.
//!
//! Why unsafe: it is raw memory from mmap. Invariants: only its owner, with `&mut` to the log, stores into it; no
//! Rust reference into it is made, so a reader may map or read the same file; stores stay below what the log
//! has allocated, and one that faults all the same is survived and noticed ([`Watch`]). Tests: `posix_test.rs`,
//! `log_test.rs`.

#![allow(unsafe_code)]

use super::sigbus::{LONGEST, Watch};
use super::sys::{self, Call};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// A mapped stretch of the file. Unmapped on drop.
pub(super) struct Window {
    base: NonNull<u8>,
    len: usize,
    /// Where in the file it begins.
    start: u64,
    watch: Arc<Watch>,
}

impl Window {
    /// Maps `len` bytes from `start`, all of which are allocated if they are to be touched.
    pub(super) fn map(
        file: &File,
        start: u64,
        len: usize,
        watch: &Arc<Watch>,
    ) -> io::Result<Window> {
        sys::before(Call::Map)?;
        // A record of gigabytes.
        if len > LONGEST {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
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
        watch.guard(base.as_ptr(), len);
        Ok(Window { base, len, start, watch: Arc::clone(watch) })
    }

    /// Gives the pages from `from` to `to` in the file their memory, for less than it costs to touch one after
    /// the other.
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
            // Kernels before 5.14 do not know the advice: pages come one by one, as touched.
            e if e.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            e => Err(e),
        }
    }

    /// Copies `data` to `offset` in the file. Panics if it is not in the window.
    #[inline]
    pub(super) fn put(&self, offset: u64, data: &[u8]) {
        let at = self.position(offset, data.len());
        // SAFETY: `position` has checked the range. `data` is not in the window: no reference
        // into it exists.
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

    /// Whether something that was put since it was mapped may be missing in the file.
    #[inline]
    pub(super) fn is_lost(&self) -> bool {
        self.watch.lost()
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
        // A mapping is gone only for want of memory, and then stays: it costs addresses, nothing else.
        let _ = sys::before(Call::Unmap);
        self.watch.forget();
        // SAFETY: the range is a whole mapping of ours, and no pointer into it is kept.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
    }
}

// SAFETY: the mapping belongs to the process, not to a thread, and `Window` is its only owner.
unsafe impl Send for Window {}
