//! System calls that `std` does not have, and their replacements on other systems.
//!
//! Most are calls of `rustix`, which makes them directly: `libc` makes `pread` and its like points where a thread can
//! be cancelled, at the cost of two atomic operations for each. Two calls that `rustix` does not have need `unsafe`:
//! they get numbers, a descriptor that the borrowed `File` keeps open, or structs that outlive the call. Tests:
//! `posix_test.rs`.

#![allow(unsafe_code)]

use crate::error::Result;
use crate::fs::io_error;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::path::Path;

/// Reads from `offset` without moving a cursor, as `pread` does.
#[cfg(unix)]
pub(super) fn read_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    // The kernel takes a signed offset; no file has data beyond it.
    if offset > i64::MAX as u64 {
        return Ok(0);
    }
    Ok(rustix::io::pread(file, buf, offset)?)
}

/// Writes at `offset` without moving a cursor, as `pwrite` does.
#[cfg(unix)]
pub(super) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    Ok(rustix::io::pwrite(file, bytes, offset)?)
}

#[cfg(windows)]
pub(super) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, offset)
}

/// The alignment of direct I/O that all devices accept, in bytes.
pub(super) const DIRECT_ALIGNMENT: usize = 4096;

/// Makes the options open files for direct I/O.
#[cfg(target_os = "linux")]
pub(super) fn direct(options: &mut std::fs::OpenOptions) -> &mut std::fs::OpenOptions {
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_DIRECT)
}

/// Other systems: direct I/O is refused by [`direct_alignment`].
#[cfg(not(target_os = "linux"))]
pub(super) fn direct(options: &mut std::fs::OpenOptions) -> &mut std::fs::OpenOptions {
    options
}

/// The alignment that direct I/O on this file requires, in bytes: of memory, offsets and sizes. It is an error if the
/// kernel reports that the file does not support direct I/O.
#[cfg(target_os = "linux")]
pub(super) fn direct_alignment(file: &File) -> io::Result<usize> {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    // Kernels before 6.1 and some file systems do not report it.
    let found = match statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN) {
        Ok(found) if found.stx_mask & StatxFlags::DIOALIGN.bits() != 0 => found,
        _ => return Ok(DIRECT_ALIGNMENT),
    };
    let align = found.stx_dio_offset_align.max(found.stx_dio_mem_align) as usize;
    match found.stx_dio_offset_align {
        0 => Err(io::Error::from_raw_os_error(libc::EINVAL)),
        _ if align.is_power_of_two() => Ok(align),
        _ => Ok(DIRECT_ALIGNMENT),
    }
}

/// Other systems: this engine uses no direct I/O there.
#[cfg(not(target_os = "linux"))]
pub(super) fn direct_alignment(_: &File) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(windows)]
pub(super) fn read_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    match std::os::windows::fs::FileExt::seek_read(file, buf, offset) {
        // 38: the offset is at or after the end.
        Err(e) if e.raw_os_error() == Some(38) => Ok(0),
        other => other,
    }
}

#[cfg(unix)]
pub(super) fn sync_dir(path: &Path) -> Result<()> {
    let dir = File::open(path).map_err(|e| io_error("While open directory", path, e))?;
    dir.sync_all().map_err(|e| io_error("While fsync", path, e))
}

/// Windows makes names durable by itself and cannot open directories as files.
#[cfg(not(unix))]
pub(super) fn sync_dir(path: &Path) -> Result<()> {
    std::fs::metadata(path).map_err(|e| io_error("While open directory", path, e))?;
    Ok(())
}

#[cfg(unix)]
pub(super) fn free_space(path: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(path)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

/// `std` has no such call; no decision depends on this number alone.
#[cfg(not(unix))]
pub(super) fn free_space(path: &Path) -> io::Result<u64> {
    std::fs::metadata(path)?;
    Ok(u64::MAX)
}

/// Drops the clean pages of a file from the system's cache. It is advice, so there is no error.
#[cfg(target_os = "linux")]
pub(super) fn drop_cached(file: &File) {
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
}

#[cfg(not(target_os = "linux"))]
pub(super) fn drop_cached(_: &File) {}

/// Year, month, day, hour, minute, second of a time in seconds since 1970, in the local zone.
#[cfg(unix)]
pub(in crate::fs) fn local_time(secs: u64) -> [i32; 6] {
    // SAFETY: the integers and the pointer of tm may be zero.
    let mut tm: libc::tm = unsafe { std::mem::zeroed() };
    let secs = secs as libc::time_t;
    // SAFETY: both pointers are to locals that outlive the call.
    if unsafe { libc::localtime_r(&secs, &mut tm) }.is_null() {
        return [1970, 1, 1, 0, 0, 0];
    }
    [tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec]
}

/// The processor time that this thread has used.
#[cfg(target_os = "linux")]
pub(in crate::fs) fn thread_cpu_time() -> std::time::Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    std::time::Duration::try_from(time).unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
pub(in crate::fs) fn thread_cpu_time() -> std::time::Duration {
    std::time::Duration::ZERO
}

/// The system's id of this thread.
#[cfg(target_os = "linux")]
pub(in crate::fs) fn thread_number() -> u64 {
    // Queried once: the header of a LOG alone has two hundred lines.
    thread_local! {
        static NUMBER: u64 = u64::from(rustix::thread::gettid().as_raw_pid().unsigned_abs());
    }
    NUMBER.with(|number| *number)
}

#[cfg(not(target_os = "linux"))]
pub(in crate::fs) fn thread_number() -> u64 {
    u64::from(std::process::id())
}

#[cfg(target_os = "linux")]
pub(super) use linux::*;

#[cfg(target_os = "linux")]
mod linux {
    use super::*;
    use rustix::fs::{Advice, FallocateFlags, fadvise};
    use rustix::io::{Errno, ReadWriteFlags};
    use std::io::{IoSlice, IoSliceMut};
    use std::num::NonZeroU64;
    use std::os::fd::AsRawFd;

    /// A system call for a log.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::fs::posix) enum Call {
        Allocate,
        Map,
        Populate,
        Unmap,
        Write,
        Cut,
        Length,
    }

    /// Called before each of these calls. In tests it can inspect the file, or make the call fail.
    #[cfg(not(test))]
    #[inline(always)]
    pub(in crate::fs::posix) fn before(_: Call) -> io::Result<()> {
        Ok(())
    }

    #[cfg(test)]
    pub(in crate::fs::posix) use super::hooks::before;

    /// Allocates blocks for a range; with `grow`, also moves the end of the file. Beyond the process's limit for file
    /// sizes the kernel is not called: it would send a signal that ends the process.
    pub(in crate::fs::posix) fn allocate(
        file: &File,
        from: u64,
        len: u64,
        grow: bool,
    ) -> io::Result<()> {
        before(Call::Allocate)?;
        if from + len > file_size_limit() {
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        let mode = if grow { FallocateFlags::empty() } else { FallocateFlags::KEEP_SIZE };
        Ok(rustix::io::retry_on_intr(|| rustix::fs::fallocate(file, mode, from, len))?)
    }

    /// Writes all of these pieces consecutively.
    pub(in crate::fs::posix) fn write_all_at(
        file: &File,
        mut pieces: &mut [IoSlice<'_>],
        mut offset: u64,
    ) -> io::Result<()> {
        IoSlice::advance_slices(&mut pieces, 0);
        while !pieces.is_empty() {
            before(Call::Write)?;
            match rustix::io::pwritev(file, pieces, offset) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => {
                    offset += n as u64;
                    IoSlice::advance_slices(&mut pieces, n);
                }
                Err(Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
        Ok(())
    }

    /// Starts reading a range into the page cache without waiting.
    pub(in crate::fs::posix) fn will_read(file: &File, from: u64, len: u64) {
        // This is a hint: the read itself reports errors.
        let _ = fadvise(file, from, NonZeroU64::new(len), Advice::WillNeed);
    }

    /// Turns off the system's own readahead for this descriptor.
    pub(in crate::fs::posix) fn will_read_at_random(file: &File) {
        // Advice has no errors that matter.
        let _ = fadvise(file, 0, None, Advice::Random);
    }

    /// Reads from `offset` into memory that need not be initialised. `None` if not all of it was read at once.
    pub(in crate::fs::posix) fn read_new<'b>(
        file: &File,
        buf: &'b mut [MaybeUninit<u8>],
        offset: u64,
    ) -> Option<&'b mut [u8]> {
        match rustix::io::pread(file, buf, offset) {
            Ok((read, [])) => Some(read),
            _ => None,
        }
    }

    /// Whether the byte at this offset is not in the page cache; false if the file system cannot tell.
    pub(in crate::fs::posix) fn would_wait(file: &File, offset: u64) -> bool {
        let mut byte = [0];
        let piece = &mut [IoSliceMut::new(&mut byte)];
        rustix::io::preadv2(file, piece, offset, ReadWriteFlags::NOWAIT) == Err(Errno::WOULDBLOCK)
    }

    /// Starts writing a range to the device without waiting.
    pub(in crate::fs::posix) fn start_writeback(file: &File, from: u64, len: u64) {
        // This is a hint: a failure here happens again, and is reported, when the file is synced.
        // SAFETY: only numbers and an open descriptor.
        let _ = unsafe {
            libc::sync_file_range(
                file.as_raw_fd(),
                from as libc::off64_t,
                len as libc::off64_t,
                libc::SYNC_FILE_RANGE_WRITE,
            )
        };
    }

    /// The properties of the file system under a file that may be mapped.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::fs::posix) struct Ground {
        /// Whether allocation takes memory; on a device it is bookkeeping, and cheaper in large
        /// amounts.
        pub(in crate::fs::posix) memory: bool,
        /// Whether an allocated block is always changed in place. If not, a store into the mapping may need another
        /// block, and raises SIGBUS if there is none.
        pub(in crate::fs::posix) in_place: bool,
    }

    /// The properties of the file's file system, if logs are mapped there. XFS copies blocks that a reflink copy
    /// shares; the file system under an overlay is unknown and may copy all blocks. File systems that always copy are
    /// not mapped, since that would cost more than write(2).
    pub(in crate::fs::posix) fn ground_to_map(file: &File) -> Option<Ground> {
        const EXT: u32 = 0xEF53;
        const XFS: u32 = 0x5846_5342;
        const TMPFS: u32 = 0x0102_1994;
        const OVERLAY: u32 = 0x794C_7630;
        match rustix::fs::fstatfs(file).ok()?.f_type as u32 {
            EXT => Some(Ground { memory: false, in_place: true }),
            TMPFS => Some(Ground { memory: true, in_place: true }),
            XFS | OVERLAY => Some(Ground { memory: false, in_place: false }),
            _ => None,
        }
    }
}

/// The maximum size of a file for this process. The kernel answers writes beyond it with SIGXFSZ, which ends the
/// process unless the signal is ignored.
#[cfg(unix)]
pub(super) fn file_size_limit() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::Fsize).current.unwrap_or(u64::MAX)
}

/// There is no such limit.
#[cfg(not(unix))]
pub(super) fn file_size_limit() -> u64 {
    u64::MAX
}

/// The calling thread's hook before calls for logs.
#[cfg(all(test, target_os = "linux"))]
pub(super) mod hooks {
    use super::{Call, io};
    use std::cell::RefCell;

    type Hook = Box<dyn FnMut(Call) -> io::Result<()>>;
    thread_local! {
        static HOOK: RefCell<Option<Hook>> = const { RefCell::new(None) };
    }

    /// Sets a hook that precedes each of these calls on this thread; its error makes the call fail.
    pub(in crate::fs::posix) fn set(hook: impl FnMut(Call) -> io::Result<()> + 'static) {
        HOOK.set(Some(Box::new(hook)));
    }

    pub(in crate::fs::posix) fn clear() {
        HOOK.set(None);
    }

    pub(in crate::fs::posix) fn before(call: Call) -> io::Result<()> {
        // A hook that inspects files calls this function itself.
        let Some(mut hook) = HOOK.take() else { return Ok(()) };
        let result = hook(call);
        HOOK.set(Some(hook));
        result
    }
}

/// Other systems: the time zone is not determined, and the time is UTC.
#[cfg(not(unix))]
pub(in crate::fs) fn local_time(secs: u64) -> [i32; 6] {
    let (days, rest) = ((secs / 86_400) as i64, (secs % 86_400) as i32);
    // Years that begin in March, in eras of 400 years, have their leap day at the end.
    let z = days + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    [year as i32, month as i32, day as i32, rest / 3600, rest / 60 % 60, rest % 60]
}

/// Other systems: nothing is read ahead.
#[cfg(not(target_os = "linux"))]
pub(super) fn will_read(_: &File, _: u64, _: u64) {}

/// Other systems: their readahead stays as it is.
#[cfg(not(target_os = "linux"))]
pub(super) fn will_read_at_random(_: &File) {}

/// Other systems: `read_at` has to do.
#[cfg(not(target_os = "linux"))]
pub(super) fn read_new<'b>(_: &File, _: &'b mut [MaybeUninit<u8>], _: u64) -> Option<&'b mut [u8]> {
    None
}

/// Other systems: nobody can tell.
#[cfg(not(target_os = "linux"))]
pub(super) fn would_wait(_: &File, _: u64) -> bool {
    false
}

/// Other systems: blocks are not allocated ahead.
#[cfg(not(target_os = "linux"))]
pub(super) fn allocate(_: &File, _: u64, _: u64, _: bool) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Other systems: the system decides when to write.
#[cfg(not(target_os = "linux"))]
pub(super) fn start_writeback(_: &File, _: u64, _: u64) {}
