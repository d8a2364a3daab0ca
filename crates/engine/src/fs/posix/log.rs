//! The mapped write-ahead log: writing a record is a copy in memory, without a system call.
//!
//! The page cache belongs to the kernel, so bytes that a process has stored there survive the process as if it had
//! called write(2). The file is allocated ahead in chunks, and a window of it is mapped and touched ahead. When a
//! window is half full, the helper thread prepares the next one (`next_window.rs`); records that come before it is
//! ready are written with write(2). The block of each byte is allocated before the byte is placed, so a full device is
//! an error before anything is placed. The log ends with zeros, which readers treat as its end. `close` removes them.
//!
//! Touching the window makes its pages dirty; the first sync after that writes the whole window and converts its
//! extents into written ones. Later syncs in the window overwrite such blocks: no metadata changes, so the file system
//! commits only the data. That is why windows start small (a log with one record should not cost a megabyte) and grow.
//!
//! A record is published as a whole. First, room for all of its fragments is allocated, then their payloads are placed,
//! and last their headers are stored, in adjacent stores without a call in between: a killed process leaves the whole
//! record or none of it. Payloads of large records are placed with write(2), since the kernel fills whole pages at
//! once, whereas the pages of a window would be zeroed first; their headers are stored through a window that is not
//! touched ahead.
//!
//! If the file system does not change blocks in place, or another process has truncated the file, a store may fault.
//! `sigbus.rs` turns that into a mark, and the record is written again with write(2), which succeeds or returns the
//! error. If mapping fails (ENOMEM), records are also written with write(2), and mapping is retried later. If the file
//! system does not support allocation ahead, the file continues as a [`BufferedFile`] with one write(2) per record.
//!
//! Invariants:
//! * **ML1** `size <= allocated`, which is at most the file's length unless another process truncates it.
//! * **ML2** `hot_end <= touched_end`, which is 0, or at most `allocated` and the window's end; the window is touched
//!   up to there.
//! * **ML3** After `size` the file contains no header, and after a failed record only zeros; otherwise the file is
//!   permanently broken.

use super::next_window::{NextWindow, Plan, Prepared};
use super::publish::{placed, publish};
use super::sigbus::Watch;
use super::sys::{self, Call, Ground};
use super::window::Window;
use super::writable::{BufferedFile, SharedFile, passes};
use crate::error::{Error, Result};
use crate::fs::{FRAGMENT_HEADER, FileSyncer, Fragment, WritableFile, WritableOptions, io_error};
use std::fs::File;
use std::io::{self, IoSlice, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

/// The maximum number of bytes allocated ahead.
const MAX_CHUNK: u64 = 4 << 20;
/// The same on a file system in memory, where allocation costs as much as the pages.
const MAX_CHUNK_IN_MEMORY: u64 = 1 << 20;
/// The same for large records.
const MAX_CHUNK_LARGE: u64 = 256 << 10;
/// The same for large records on a file system in memory. Of records of 100 KB, one in 320 waits some milliseconds for
/// the allocation, and the others do not wait.
const MAX_CHUNK_LARGE_IN_MEMORY: u64 = 32 << 20;
const MIN_WINDOW: u64 = 64 << 10;
/// The maximum length of a window. Written parts stay mapped and resident until the window moves, and the write that
/// moves it waits for that. With windows of 256 KiB, one write of 100 bytes in 2,000 had to wait, and with the page
/// faults this was the 99.9th percentile of a fill (60 us, compared with 16 to 40 us with 1 MiB).
const MAX_WINDOW: u64 = 1 << 20;
/// The same for a window that follows a synced one. The first sync in a window writes all of it; for 16 writers this
/// was the 99.9th percentile (2.5 ms with 1 MiB, 1.7 ms with this length).
const MAX_WINDOW_SYNCED: u64 = 512 << 10;
/// The length of a window for the headers of large records. Only pages with a header are touched.
const LARGE_WINDOW: u64 = 4 << 20;
/// Records of at least this size are large.
const LARGE: u64 = 32 << 10;
/// A multiple of all page sizes in use.
const ALIGN: u64 = 64 << 10;
const HEADER: u64 = FRAGMENT_HEADER as u64;

/// The mapped log; see the module.
pub(super) struct MappedLog {
    shared: Arc<SharedFile>,
    size: u64,
    /// The file's length: blocks below it are allocated.
    allocated: u64,
    window: Option<Window>,
    /// Records up to this offset are stored through the window without further checks.
    hot_end: u64,
    /// The same after the next window was requested.
    touched_end: u64,
    next: NextWindow,
    next_window: u64,
    /// After mapping failed, it is not retried before the log has this size.
    map_again_at: u64,
    /// The number of syncs of the file at the time when the window was mapped.
    syncs: u64,
    watch: Arc<Watch>,
    ground: Ground,
    opts: WritableOptions,
    /// Replaces the mapping if allocation ahead is refused.
    fallback: Option<BufferedFile>,
    closed: bool,
}

impl MappedLog {
    pub(super) fn new(
        file: File,
        path: &Path,
        opts: WritableOptions,
        ground: Ground,
        watch: Watch,
    ) -> MappedLog {
        MappedLog {
            shared: SharedFile::new(file, path, opts),
            size: 0,
            allocated: 0,
            window: None,
            hot_end: 0,
            touched_end: 0,
            next: NextWindow::default(),
            next_window: MIN_WINDOW,
            map_again_at: 0,
            syncs: 0,
            watch: Arc::new(watch),
            ground,
            opts,
            fallback: None,
            closed: false,
        }
    }

    // ---- room ----

    /// Moves the window so that it contains a small record up to `end`, if it can be mapped.
    #[cold]
    fn make_room(&mut self, end: u64) -> Result<()> {
        if end <= self.touched_end {
            self.hot_end = self.touched_end;
            self.request_next_window();
            return Ok(());
        }
        // Records that have blocks need not wait for the window.
        if end <= self.allocated && self.next.is_late() {
            return Ok(());
        }
        if self.size >= self.map_again_at
            && let Some(next) = self.next.take()
            && self.take_over(next, end)?
        {
            return Ok(());
        }
        if end > self.allocated && !self.allocate(end)? {
            return Ok(());
        }
        if self.size < self.map_again_at {
            return Ok(());
        }
        // A window for large records may exist already.
        if self.window.as_ref().is_none_or(|window| window.end() < end) {
            let start = self.size / ALIGN * ALIGN;
            let wanted = (end - start).max(self.window_len()).next_multiple_of(ALIGN);
            if !self.map(start, wanted.min(self.allocated - start))? {
                return Ok(());
            }
        }
        let Some(window) = &self.window else { return Ok(()) };
        let from = (self.size / ALIGN * ALIGN).max(window.start());
        let to = window.end().min(self.allocated).min((from + MAX_WINDOW).max(end));
        match window.populate(from, to) {
            Ok(()) => self.touched_up_to(to),
            // write(2) will report the error.
            Err(_) => self.give_up_mapping(),
        }
        Ok(())
    }

    /// Notes that the window is touched up to this offset.
    fn touched_up_to(&mut self, end: u64) {
        self.touched_end = end;
        // A log that stays within one window does not need a thread.
        let waits = end - self.size <= MIN_WINDOW;
        self.hot_end = if waits { end } else { self.size + (end - self.size) / 2 };
    }

    /// Has the helper thread prepare the next window. Logs that are synced do without: a sync would write the zeros of
    /// the next window, too, and takes as long as preparing it.
    fn request_next_window(&mut self) {
        if self.shared.syncs() > self.syncs || self.size < self.map_again_at {
            return;
        }
        // A record that does not fit the current window begins in it.
        let start = (self.touched_end / ALIGN - 1) * ALIGN;
        let end = start + self.window_len().max(2 * ALIGN);
        let chunk = if self.ground.memory { MAX_CHUNK_IN_MEMORY } else { MAX_CHUNK };
        // Records that come before the window is ready also need blocks.
        let allocate_to = match end + MAX_WINDOW > self.allocated {
            true => self.further(end, chunk),
            false => self.allocated,
        };
        if allocate_to <= sys::file_size_limit() {
            let plan = Plan { start, end, allocated: self.allocated, allocate_to };
            self.next.prepare(&self.shared, plan);
        }
    }

    /// Replaces the window by the next one. Returns false if that does not contain a record up to `end`.
    fn take_over(&mut self, next: Prepared, end: u64) -> Result<bool> {
        let Prepared { mut window, allocated } = next;
        self.allocated = self.allocated.max(allocated);
        self.check_length()?;
        let fits = window.start() <= self.size && end <= window.end();
        if !fits || !(self.ground.in_place || self.watch.stands()) {
            return Ok(false);
        }
        let touched_end = window.end();
        if let Some(old) = self.leave_window() {
            self.next.unmap(old);
        }
        window.guard(&self.watch);
        self.window = Some(window);
        self.touched_up_to(touched_end);
        Ok(true)
    }

    /// Ensures that a window exists in which the headers of a large record up to `end` can be stored. Returns false if
    /// there is none.
    fn make_room_for_headers(&mut self, end: u64) -> Result<bool> {
        if self.window.as_ref().is_some_and(|window| end <= window.end()) {
            return Ok(true);
        }
        if self.size < self.map_again_at {
            return Ok(false);
        }
        let start = self.size / ALIGN * ALIGN;
        self.map(start, (end - start).max(LARGE_WINDOW).next_multiple_of(ALIGN))
    }

    /// Maps another window, which is not touched yet. Returns false if that is impossible now.
    fn map(&mut self, start: u64, len: u64) -> Result<bool> {
        // The old window is unmapped first, to save memory.
        drop(self.leave_window());
        self.check_length()?;
        // If a store may fault, the handler must be installed.
        if !(self.ground.in_place || self.watch.stands()) {
            self.give_up_mapping();
            return Ok(false);
        }
        match Window::map(&self.shared.file, start, len as usize) {
            Ok(mut window) => {
                window.guard(&self.watch);
                self.window = Some(window);
            }
            Err(e) if e.raw_os_error() == Some(libc::ENODEV) => self.fall_back()?,
            Err(_) => self.give_up_mapping(),
        }
        Ok(self.window.is_some())
    }

    fn give_up_mapping(&mut self) {
        drop(self.leave_window());
        self.map_again_at = self.size + ALIGN;
    }

    /// The length of the next window, unless the record needs a longer one.
    fn window_len(&mut self) -> u64 {
        let before = std::mem::replace(&mut self.syncs, self.shared.syncs());
        let most = if self.syncs > before { MAX_WINDOW_SYNCED } else { MAX_WINDOW };
        let len = self.next_window.min(most);
        self.next_window = (len * 2).min(MAX_WINDOW);
        len
    }

    /// Gives the window up; the result is to be unmapped.
    fn leave_window(&mut self) -> Option<Window> {
        (self.hot_end, self.touched_end) = (0, 0);
        let old = self.window.take()?;
        if self.opts.bytes_per_sync > 0 {
            let from = old.start().min(self.size);
            sys::start_writeback(&self.shared.file, from, self.size - from);
        }
        Some(old)
    }

    /// Allocates up to `end` and further. On a full device it allocates only the little that is needed, if possible;
    /// otherwise nothing has changed and a later call may succeed. Returns false if the log has switched to the
    /// fallback.
    fn allocate(&mut self, end: u64) -> Result<bool> {
        self.check_length()?;
        let near = end.next_multiple_of(4096).max(self.allocated);
        let most = match (end - self.size >= LARGE, self.ground.memory) {
            (true, true) => MAX_CHUNK_LARGE_IN_MEMORY,
            (true, false) => MAX_CHUNK_LARGE,
            (false, true) => MAX_CHUNK_IN_MEMORY,
            (false, false) => MAX_CHUNK,
        };
        let far = self.further(end, most).min(sys::file_size_limit() / 4096 * 4096).max(near);
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
                    // A part may have been allocated; release it.
                    let _ = self.cut(self.allocated);
                    if target == near || !passes(&e) {
                        return Err(io_error("While appending to file", &self.shared.path, e));
                    }
                }
            }
        }
        Ok(true)
    }

    /// The end of an allocation for a record up to `end`, with at most `most` bytes ahead.
    fn further(&self, end: u64, most: u64) -> u64 {
        let ahead = match self.opts.preallocate {
            0 => most,
            n => n.clamp(ALIGN, most),
        };
        (self.allocated + ahead).max(end).next_multiple_of(ALIGN)
    }

    /// Breaks the log if another process has truncated the file: acknowledged records may be lost.
    fn check_length(&self) -> Result<()> {
        let len = sys::before(Call::Length).and_then(|()| Ok(self.shared.file.metadata()?.len()));
        let len = len.map_err(|e| io_error("while stat a file for size", &self.shared.path, e))?;
        if len < self.allocated {
            let what =
                format!("another process truncated it from {} bytes to {len}", self.allocated);
            return Err(self.shared.fail("While appending to file", io::Error::other(what)));
        }
        Ok(())
    }

    #[cold]
    pub(super) fn fall_back(&mut self) -> Result<()> {
        drop(self.leave_window());
        let cut = self.cut(self.size);
        let failed = |e| io_error("While appending to file", &self.shared.path, e);
        cut.map_err(failed)?;
        self.allocated = self.size;
        let mut file = &self.shared.file;
        file.seek(SeekFrom::Start(self.size)).map_err(failed)?;
        let opts = WritableOptions { preallocate: 0, ..self.opts };
        self.fallback = Some(BufferedFile::over(self.shared.clone(), self.size, opts));
        Ok(())
    }

    // ---- placing ----

    #[cold]
    fn slow_append(&mut self, fragments: &[Fragment], payload: &[u8]) -> Result<()> {
        if let Some(file) = &mut self.fallback {
            return file.append_fragments(fragments, payload);
        }
        if self.closed {
            return Err(closed(&self.shared.path));
        }
        self.shared.check()?;
        let len: u64 = fragments.iter().map(Fragment::size).sum();
        let end = self.size + len;
        if len >= LARGE {
            let has_room = end <= self.allocated || self.allocate(end)?;
            if has_room && self.make_room_for_headers(end)? {
                return self.write_fragments(fragments, payload, end, true);
            }
        } else {
            if end > self.hot_end {
                self.make_room(end)?;
            }
            if end <= self.hot_end {
                return self.store_fragments(fragments, payload, end);
            }
        }
        match &mut self.fallback {
            Some(file) => file.append_fragments(fragments, payload),
            None => self.write_fragments(fragments, payload, end, false),
        }
    }

    /// Places a record that is entirely inside the window.
    fn store_fragments(&mut self, fragments: &[Fragment], payload: &[u8], end: u64) -> Result<()> {
        let Some(window) = &self.window else {
            return self.write_fragments(fragments, payload, end, false);
        };
        for (at, fragment, part) in placed(self.size, fragments, payload) {
            debug_assert_eq!(part.len(), fragment.len);
            window.put(at + HEADER, part);
        }
        publish(window, self.size, fragments, payload);
        if window.is_lost() {
            return self.write_lost(fragments, payload, end);
        }
        self.size = end;
        Ok(())
    }

    /// Places a record again whose stores were lost.
    #[cold]
    fn write_lost(&mut self, fragments: &[Fragment], payload: &[u8], end: u64) -> Result<()> {
        self.give_up_mapping();
        self.check_length()?;
        self.write_fragments(fragments, payload, end, false)
    }

    /// Places a record, whose blocks are allocated, with write(2). Its headers are placed last, through the window if
    /// that is `mapped` up to `end`.
    fn write_fragments(
        &mut self,
        fragments: &[Fragment],
        payload: &[u8],
        end: u64,
        mapped: bool,
    ) -> Result<()> {
        let from = self.size;
        let (file, gap) = (&self.shared.file, [0; 2 * FRAGMENT_HEADER]);
        let mut pieces = Vec::with_capacity(2 * fragments.len());
        for (_, fragment, part) in placed(from, fragments, payload) {
            pieces.push(IoSlice::new(&gap[..fragment.padding + FRAGMENT_HEADER]));
            pieces.push(IoSlice::new(part));
        }
        if let Err(e) = sys::write_all_at(file, &mut pieces, from) {
            return Err(self.take_back(e));
        }
        let published = match self.window.as_ref().filter(|_| mapped) {
            Some(window) => {
                publish(window, from, fragments, payload);
                !window.is_lost()
            }
            None => false,
        };
        if !published {
            if mapped {
                self.give_up_mapping();
            }
            if let Err(e) = self.write_headers(fragments, payload) {
                return Err(self.take_back(e));
            }
        }
        if self.opts.bytes_per_sync > 0 {
            sys::start_writeback(&self.shared.file, from, end - from);
        }
        self.size = end;
        Ok(())
    }

    fn write_headers(&self, fragments: &[Fragment], payload: &[u8]) -> io::Result<()> {
        for (at, fragment, _) in placed(self.size, fragments, payload) {
            sys::before(Call::Write)?;
            self.shared.file.write_all_at(&fragment.header, at)?;
        }
        Ok(())
    }

    /// Removes a record that was written in part. If that fails, or if it is unknown what was written, nothing more may
    /// be appended.
    #[cold]
    fn take_back(&mut self, e: io::Error) -> Error {
        drop(self.leave_window());
        match self.cut(self.size) {
            Ok(()) if passes(&e) => {
                self.allocated = self.size;
                io_error("While appending to file", &self.shared.path, e)
            }
            _ => self.shared.fail("While appending to file", e),
        }
    }

    /// Shortens the file (NW1).
    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.next.discard();
        sys::before(Call::Cut)?;
        self.shared.file.set_len(len)?;
        self.next.shortened();
        Ok(())
    }
}

/// Whether the file system does not support the call, or not for this file.
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
        if let Some(file) = &mut self.fallback {
            return file.append(data);
        }
        if self.closed {
            return Err(closed(&self.shared.path));
        }
        self.shared.check()?;
        let end = self.size + data.len() as u64;
        if end > self.allocated && !self.allocate(end)? {
            return self.append(data);
        }
        if let Err(e) = self.shared.file.write_all_at(data, self.size) {
            return Err(self.take_back(e));
        }
        self.size = end;
        Ok(())
    }

    #[inline]
    fn append_record(&mut self, header: &[u8; FRAGMENT_HEADER], payload: &[u8]) -> Result<()> {
        let end = self.size + HEADER + payload.len() as u64;
        let fragment = || [Fragment { padding: 0, header: *header, len: payload.len() }];
        let Some(window) = self.window.as_ref().filter(|_| end <= self.hot_end) else {
            return self.slow_append(&fragment(), payload);
        };
        window.put(self.size + HEADER, payload);
        publish(window, self.size, &fragment(), payload);
        if window.is_lost() {
            return self.write_lost(&fragment(), payload, end);
        }
        self.size = end;
        Ok(())
    }

    fn append_fragments(&mut self, fragments: &[Fragment], payload: &[u8]) -> Result<()> {
        self.slow_append(fragments, payload)
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

    fn is_broken(&self) -> bool {
        self.shared.check().is_err()
    }

    fn release_memory(&mut self) {
        self.next.discard();
        drop(self.leave_window());
    }

    fn close(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.closed, true) {
            return Ok(());
        }
        if let Some(file) = &mut self.fallback {
            return file.close();
        }
        drop(self.leave_window());
        if self.allocated > self.size || self.next.may_have_extended() {
            let cut = self.cut(self.size);
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

#[cfg(test)]
#[path = "log_test.rs"]
mod tests;
