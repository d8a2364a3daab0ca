//! System calls that `std` does not have, and what other systems do in their place.
//!
//! Why unsafe: the calls go through `libc`. Each passes only plain numbers, a descriptor that the
//! borrowed `File` keeps open, or a buffer that lives through the call. Tests: `posix_test.rs`.

#![allow(unsafe_code)]

use crate::error::Result;
use crate::fs::io_error;
use std::fs::File;
use std::io;
use std::path::Path;

/// Reads from `offset` without moving a cursor, as `pread` does.
#[cfg(unix)]
pub(super) fn read_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    // The kernel takes a signed offset; nothing lies beyond it.
    if offset > i64::MAX as u64 {
        return Ok(0);
    }
    std::os::unix::fs::FileExt::read_at(file, buf, offset)
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

/// Windows makes names durable by itself and does not open directories as files.
#[cfg(not(unix))]
pub(super) fn sync_dir(path: &Path) -> Result<()> {
    std::fs::metadata(path).map_err(|e| io_error("While open directory", path, e))?;
    Ok(())
}

#[cfg(unix)]
pub(super) fn free_space(path: &Path) -> io::Result<u64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: all fields of statvfs are integers, for which zero is a value.
    let mut stat: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: `path` ends with a zero byte and `stat` may be written; both live through the call.
    if unsafe { libc::statvfs(path.as_ptr(), &mut stat) } != 0 {
        return Err(io::Error::last_os_error());
    }
    #[allow(clippy::unnecessary_cast, reason = "the fields are narrower on some systems")]
    Ok((stat.f_bavail as u64).saturating_mul(stat.f_frsize as u64))
}

/// There is no call for it in `std`; nothing decides by it alone.
#[cfg(not(unix))]
pub(super) fn free_space(path: &Path) -> io::Result<u64> {
    std::fs::metadata(path)?;
    Ok(u64::MAX)
}

/// Year, month, day, hour, minute, second of a time in seconds since 1970, in the local zone.
#[cfg(unix)]
pub(in crate::fs) fn local_time(secs: u64) -> [i32; 6] {
    // SAFETY: the integers and the pointer of tm may be zero.
    let mut tm: libc::tm = unsafe { std::mem::zeroed() };
    let secs = secs as libc::time_t;
    // SAFETY: both pointers are to locals that live through the call.
    if unsafe { libc::localtime_r(&secs, &mut tm) }.is_null() {
        return [1970, 1, 1, 0, 0, 0];
    }
    [tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec]
}

/// The number the system shows for this thread.
#[cfg(target_os = "linux")]
pub(in crate::fs) fn thread_number() -> u64 {
    // Asked once: the head of a LOG alone has two hundred lines.
    thread_local! {
        // SAFETY: has no preconditions.
        static NUMBER: u64 = unsafe { libc::gettid() } as u64;
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
    use std::os::fd::AsRawFd;

    /// Allocates blocks for a range; `grow` moves the end of the file too.
    pub(in crate::fs::posix) fn allocate(
        file: &File,
        from: u64,
        len: u64,
        grow: bool,
    ) -> io::Result<()> {
        let mode = if grow { 0 } else { libc::FALLOC_FL_KEEP_SIZE };
        loop {
            // SAFETY: only numbers and an open descriptor.
            let rc = unsafe {
                libc::fallocate(file.as_raw_fd(), mode, from as libc::off_t, len as libc::off_t)
            };
            let e = io::Error::last_os_error();
            match rc {
                0 => return Ok(()),
                _ if e.kind() == io::ErrorKind::Interrupted => {}
                _ => return Err(e),
            }
        }
    }

    /// Starts writing a range to the device without waiting.
    pub(in crate::fs::posix) fn start_writeback(file: &File, from: u64, len: u64) {
        // A hint: what fails here fails again, and is reported, when the file is synced.
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

    /// What a file that may be mapped lies on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::fs::posix) enum Medium {
        /// Allocating is bookkeeping, and cheaper for much at once.
        Device,
        /// Allocating takes the memory.
        Memory,
    }

    /// What the file lies on if a page that was allocated can always be written through a mapping. File
    /// systems that write elsewhere on every change can run out of space later; a process learns that
    /// by SIGBUS. So only those are mapped that change blocks in place. (An overlay is taken for its
    /// usual upper half, ext4 or XFS.)
    pub(in crate::fs::posix) fn medium_to_map(file: &File) -> Option<Medium> {
        const EXT: u32 = 0xEF53;
        const XFS: u32 = 0x5846_5342;
        const TMPFS: u32 = 0x0102_1994;
        const OVERLAY: u32 = 0x794C_7630;
        // SAFETY: all fields of statfs are integers, for which zero is a value.
        let mut stat: libc::statfs = unsafe { std::mem::zeroed() };
        // SAFETY: an open descriptor, and a struct that may be written and lives through the call.
        let rc = unsafe { libc::fstatfs(file.as_raw_fd(), &mut stat) };
        match stat.f_type as u32 {
            _ if rc != 0 => None,
            EXT | XFS | OVERLAY => Some(Medium::Device),
            TMPFS => Some(Medium::Memory),
            _ => None,
        }
    }
}

/// Elsewhere the zone is not asked for: the time is that of Greenwich.
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

/// Elsewhere blocks are not allocated ahead.
#[cfg(not(target_os = "linux"))]
pub(super) fn allocate(_: &File, _: u64, _: u64, _: bool) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Elsewhere the system chooses when to write.
#[cfg(not(target_os = "linux"))]
pub(super) fn start_writeback(_: &File, _: u64, _: u64) {}
