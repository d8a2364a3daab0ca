//! What the system says about devices, processes and its settings. What cannot be read is `None`.

use rustix::fs::{major, minor, statvfs};
use std::fs::{metadata, read_to_string};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The space of the device of a directory, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space {
    pub(crate) total: u64,
    pub(crate) free: u64,
}

/// Returns the space of the device of a directory.
pub(crate) fn space(dir: &Path) -> Option<Space> {
    let stat = statvfs(dir).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(stat.f_frsize);
    Some(Space { total: bytes(stat.f_blocks), free: bytes(stat.f_bavail) })
}

/// Returns the process that holds the lock of a file.
pub(crate) fn lock_holder(path: &Path) -> Option<u32> {
    let found = metadata(path).ok()?;
    let device = found.dev();
    let id = format!("{:02x}:{:02x}:{}", major(device), minor(device), found.ino());
    let locks = read_to_string("/proc/locks").ok()?;
    // Such as `1: POSIX  ADVISORY  WRITE 123 08:01:456 0 EOF`.
    locks.lines().find_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == id)?;
        words.get(at.checked_sub(1)?)?.parse().ok()
    })
}

/// Returns the number of files that a process may open.
pub(crate) fn open_files_limit(process: u32) -> Option<u64> {
    let limits = read_to_string(format!("/proc/{process}/limits")).ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the number of files that a process has open.
pub(crate) fn open_files(process: u32) -> Option<u64> {
    Some(std::fs::read_dir(format!("/proc/{process}/fd")).ok()?.count() as u64)
}

/// Returns the bytes of a process that are swapped out.
pub(crate) fn swapped(process: u32) -> Option<u64> {
    let status = read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSwap:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// Returns whether the kernel uses huge pages for all memory.
pub(crate) fn has_huge_pages_always() -> bool {
    let setting = read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    setting.is_ok_and(|text| text.contains("[always]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let space = space(dir.path()).unwrap();
        assert!(space.total >= space.free && space.total > 0, "{space:?}");
        let this = std::process::id();
        assert!(open_files(this).unwrap() <= open_files_limit(this).unwrap());
        assert_eq!(lock_holder(dir.path()), None);
        let db = ferrolith::Db::open(dir.path().join("db")).unwrap();
        assert_eq!(lock_holder(&dir.path().join("db/LOCK")), Some(this));
        db.close().unwrap();
        assert_eq!(lock_holder(&dir.path().join("db/LOCK")), None);
    }
}
