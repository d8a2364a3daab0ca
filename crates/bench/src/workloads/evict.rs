//! `evictfiles`: drops the files of a database from the page cache, so that benchmarks after it read from the device.

use crate::flags::Flags;
use crate::report::say;
use crate::target::{Result, Target, directories};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The kernel does not drop a page that is being read, for example by a compaction or by the engine's opening: such a
/// table is tried again after a pause, so often.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(200);

/// The table readers are complete if their memory has not grown for so many pauses. Nothing waits longer than for
/// [`PAUSES_MAX`].
const STEADY: u32 = 2;
const PAUSES_MAX: u32 = 50;

/// Evicts the files of `--db` and `--wal_dir`. Fails if a table stays cached, because then the benchmarks that follow
/// would measure memory.
pub(super) fn files(target: &dyn Target, flags: &Flags) -> Result<()> {
    wait_for_readers(target);
    let (db, wal) = directories(flags);
    let mut paths = Vec::new();
    for dir in std::iter::once(db).chain(wal) {
        if is_memory(&dir).map_err(|error| format!("{}: {error}", dir.display()))? {
            return Err(format!(
                "evictfiles: {} is in memory, choose one on a device",
                dir.display()
            ));
        }
        collect(&dir, &mut paths)?;
    }
    let (mut bytes, mut cached) = (0, Vec::new());
    for path in &paths {
        // A file may be deleted meanwhile.
        let Ok(file) = File::open(path) else { continue };
        let is_table = path.extension().is_some_and(|extension| extension == "sst");
        let tries = if is_table { TRIES } else { 1 };
        let is_cached =
            evict(&file, tries).map_err(|error| format!("{}: {error}", path.display()))?;
        bytes += file.metadata().map_or(0, |data| data.len());
        // A log stays in the cache while an engine maps it.
        if is_cached && is_table {
            cached.push(path);
        }
    }
    if let Some(first) = cached.first() {
        return Err(format!(
            "evictfiles: {} of {} files stay in the page cache, the first one is {}. Do not set --mmap_read",
            cached.len(),
            paths.len(),
            first.display()
        ));
    }
    say(&format!("evicted {} files, {:.1} MB", paths.len(), bytes as f64 / 1_048_576.0));
    Ok(())
}

/// Waits until the engine has loaded the indexes and filters of its tables. Ferrolith does so after it has verified
/// them at opening; without the page cache, it would read them from the device again, beside the benchmark.
fn wait_for_readers(target: &dyn Target) {
    let size = || target.property("rocksdb.estimate-table-readers-mem");
    let (mut last, mut steady) = (size(), 0);
    for _ in 0..PAUSES_MAX {
        if last.is_none() || steady == STEADY {
            return;
        }
        std::thread::sleep(PAUSE);
        let now = size();
        steady = if now == last { steady + 1 } else { 0 };
        last = now;
    }
}

/// Collects the files below a directory.
fn collect(dir: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), paths)?,
            Ok(kind) if kind.is_file() => paths.push(entry.path()),
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether the files of a directory have no device.
#[cfg(target_os = "linux")]
fn is_memory(dir: &Path) -> std::io::Result<bool> {
    // tmpfs and ramfs, in statfs(2).
    Ok([0x0102_1994, 0x8584_58f6].contains(&rustix::fs::statfs(dir)?.f_type))
}

/// Writes a file back and drops its pages. Returns whether its first page is still cached after so many tries.
#[cfg(target_os = "linux")]
fn evict(file: &File, tries: u32) -> std::io::Result<bool> {
    // The kernel does not drop pages that are not written back.
    file.sync_data()?;
    for left in (0..tries).rev() {
        rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed)?;
        if !is_cached(file)? {
            return Ok(false);
        }
        if left > 0 {
            std::thread::sleep(PAUSE);
        }
    }
    Ok(true)
}

/// Returns whether the first page of a file is in the page cache: a read that must not wait for the device gets it.
#[cfg(target_os = "linux")]
fn is_cached(file: &File) -> std::io::Result<bool> {
    use rustix::io::{Errno, ReadWriteFlags, preadv2};
    let mut byte = [0];
    let mut buffers = [std::io::IoSliceMut::new(&mut byte)];
    match preadv2(file, &mut buffers, 0, ReadWriteFlags::NOWAIT) {
        Ok(read) => Ok(read > 0),
        // Not every file system has such reads; then nothing is known.
        Err(Errno::AGAIN | Errno::OPNOTSUPP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn is_memory(_: &Path) -> std::io::Result<bool> {
    Ok(false)
}

#[cfg(not(target_os = "linux"))]
fn evict(_: &File, _: u32) -> std::io::Result<bool> {
    Err(std::io::Error::other("evictfiles needs Linux"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_a_file_leave_the_cache() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("part")).unwrap();
        let path = dir.path().join("part/000001.sst");
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        let mut paths = Vec::new();
        collect(dir.path(), &mut paths).unwrap();
        assert_eq!(paths, std::slice::from_ref(&path));
        if is_memory(dir.path()).unwrap() {
            eprintln!("skipped: the temporary directory is in memory");
            return;
        }
        let file = File::open(&path).unwrap();
        assert!(is_cached(&file).unwrap(), "written just now");
        assert!(!evict(&file, TRIES).unwrap());
    }

    #[test]
    fn a_directory_that_does_not_exist_is_named() {
        let error = collect(Path::new("/nonexistent/db"), &mut Vec::new()).unwrap_err();
        assert!(error.contains("/nonexistent/db"), "{error}");
    }

    #[test]
    fn memory_is_no_device() {
        if Path::new("/dev/shm").exists() {
            assert!(is_memory(Path::new("/dev/shm")).unwrap());
        }
    }
}
