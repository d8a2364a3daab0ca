//! The SST file manager: a limit on the table space of all its databases, and the rate at which obsolete tables are
//! deleted.
//!
//! With a delete rate, a file is first renamed to `….trash`, and a thread deletes trash at that rate, so that a device
//! that frees blocks slowly is not overloaded. If there is too much trash in relation to live tables, files are deleted
//! immediately. Trash of an older session is deleted at open.

use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use crate::env::threads::spawn;
use crate::error::Result;
use crate::fs::FileSystem;
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The extension of a file that waits to be deleted.
pub(crate) const TRASH: &str = "trash";

struct Trash {
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    size: u64,
}

#[derive(Default)]
struct State {
    files: HashMap<PathBuf, u64>,
    trash: VecDeque<Trash>,
    cleaning: bool,
}

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    total: AtomicU64,
    trash_size: AtomicU64,
    /// Bytes that running compactions may add.
    reserved: AtomicU64,
    space_max: AtomicU64,
    compaction_buffer: AtomicU64,
    delete_rate: AtomicI64,
    /// The maximum ratio of trash, as the bits of a float.
    trash_ratio_max: AtomicU64,
    /// Whether the manager was dropped.
    closing: AtomicBool,
}

/// Tracks the tables of databases.
pub struct SstFileManager(Arc<Inner>);

impl SstFileManager {
    /// Creates a manager without limits.
    pub fn new() -> Arc<SstFileManager> {
        let shared = Inner::default();
        shared.trash_ratio_max.store(0.25f64.to_bits(), Relaxed);
        Arc::new(SstFileManager(Arc::new(shared)))
    }

    /// Sets the limit for the total size of all tables in bytes; 0 means no limit.
    pub fn set_max_allowed_space_usage(&self, bytes: u64) {
        self.0.space_max.store(bytes, Relaxed);
    }

    /// Sets the number of bytes that compactions leave free below the limit.
    pub fn set_compaction_buffer_size(&self, bytes: u64) {
        self.0.compaction_buffer.store(bytes, Relaxed);
    }

    /// Returns whether the limit is reached.
    pub fn is_max_allowed_space_reached(&self) -> bool {
        let limit = self.0.space_max.load(Relaxed);
        limit > 0 && self.total_size() >= limit
    }

    /// Returns whether the limit would be reached if running compactions wrote all that they may.
    pub fn is_max_allowed_space_reached_including_compactions(&self) -> bool {
        let limit = self.0.space_max.load(Relaxed);
        limit > 0 && self.total_size() + self.0.reserved.load(Relaxed) >= limit
    }

    /// Returns the total size of all tables in bytes.
    pub fn total_size(&self) -> u64 {
        self.0.total.load(Relaxed)
    }

    /// Returns the total size of files that wait to be deleted, in bytes.
    pub fn total_trash_size(&self) -> u64 {
        self.0.trash_size.load(Relaxed)
    }

    /// Returns the delete rate in bytes per second; 0 or less means immediate deletion.
    pub fn delete_rate_bytes_per_second(&self) -> i64 {
        self.0.delete_rate.load(Relaxed)
    }

    /// Sets the delete rate.
    pub fn set_delete_rate_bytes_per_second(&self, rate: i64) {
        self.0.delete_rate.store(rate, Relaxed);
    }

    /// Returns the maximum ratio of trash to tables, above which files are deleted immediately.
    pub fn max_trash_db_ratio(&self) -> f64 {
        f64::from_bits(self.0.trash_ratio_max.load(Relaxed))
    }

    /// Sets the ratio.
    pub fn set_max_trash_db_ratio(&self, ratio: f64) {
        self.0.trash_ratio_max.store(ratio.to_bits(), Relaxed);
    }

    /// Registers a table that was created, or found at open.
    pub fn on_add_file(&self, path: &Path, size: u64) {
        let mut state = self.0.state.lock();
        let old = state.files.insert(path.to_owned(), size).unwrap_or(0);
        self.0.total.fetch_add(size, Relaxed);
        self.0.total.fetch_sub(old, Relaxed);
    }

    /// Removes a table that is gone.
    pub fn on_delete_file(&self, path: &Path) {
        if let Some(size) = self.0.state.lock().files.remove(path) {
            self.0.total.fetch_sub(size, Relaxed);
        }
    }

    /// Reserves space for a compaction that may add `bytes`. Returns false if there is not enough.
    pub fn reserve_for_compaction(&self, bytes: u64) -> bool {
        let limit = self.0.space_max.load(Relaxed);
        let buffer = self.0.compaction_buffer.load(Relaxed);
        let needed = self.0.reserved.fetch_add(bytes, Relaxed) + bytes;
        if limit == 0 || self.total_size() + needed + buffer <= limit {
            return true;
        }
        self.release(bytes);
        false
    }

    /// Releases space that [`SstFileManager::reserve_for_compaction`] reserved.
    pub fn release(&self, bytes: u64) {
        self.0.reserved.fetch_sub(bytes, Relaxed);
    }

    /// Deletes a table, immediately or at the delete rate. Returns whether it was moved to the trash.
    pub fn delete_file(&self, fs: &Arc<dyn FileSystem>, path: &Path) -> Result<bool> {
        let size = self.0.state.lock().files.get(path).copied().unwrap_or(0);
        let allowed = self.total_size() as f64 * self.max_trash_db_ratio();
        let at_once =
            self.delete_rate_bytes_per_second() <= 0 || self.total_trash_size() as f64 > allowed;
        if at_once {
            fs.remove_file(path)?;
            self.on_delete_file(path);
            return Ok(false);
        }
        let mut name = path.as_os_str().to_owned();
        name.push(".");
        name.push(TRASH);
        let trash = PathBuf::from(name);
        fs.rename(path, &trash)?;
        self.on_delete_file(path);
        self.0.trash_size.fetch_add(size, Relaxed);
        let mut state = self.0.state.lock();
        state.trash.push_back(Trash { fs: Arc::clone(fs), path: trash, size });
        if !std::mem::replace(&mut state.cleaning, true) {
            let shared = Arc::clone(&self.0);
            if spawn("ferro-trash", move || shared.clean()).is_err() {
                // No other thread would delete it.
                state.cleaning = false;
                state.trash.drain(..).for_each(|trash| self.0.remove(&trash));
            }
        }
        Ok(true)
    }
}

impl Inner {
    fn remove(&self, trash: &Trash) {
        // If this fails, the next open deletes the file.
        let _ = trash.fs.remove_file(&trash.path);
        self.trash_size.fetch_sub(trash.size, Relaxed);
    }

    /// Deletes trash at the delete rate until there is none.
    fn clean(&self) {
        loop {
            let mut state = self.state.lock();
            let Some(trash) = state.trash.pop_front() else {
                state.cleaning = false;
                return;
            };
            drop(state);
            self.remove(&trash);
            let rate = self.delete_rate.load(Relaxed);
            let mut left = if rate > 0 { trash.size as f64 / rate as f64 } else { 0.0 };
            while left > 0.0 && !self.closing.load(Relaxed) {
                let step = left.min(0.05);
                crate::env::clock::sleep(Duration::from_secs_f64(step));
                left -= step;
            }
            if self.closing.load(Relaxed) {
                return;
            }
        }
    }
}

impl Drop for SstFileManager {
    fn drop(&mut self) {
        self.0.closing.store(true, Relaxed);
    }
}

impl std::fmt::Debug for SstFileManager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SstFileManager({} bytes)", self.total_size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::WritableOptions;
    use crate::fs::mem::MemFs;

    fn made(
        fs: &Arc<dyn FileSystem>,
        manager: &SstFileManager,
        name: &str,
        size: usize,
    ) -> PathBuf {
        let path = Path::new("/db").join(name);
        let mut file = fs.new_writable(&path, WritableOptions::default()).unwrap();
        file.append(&vec![0; size]).unwrap();
        file.close().unwrap();
        manager.on_add_file(&path, size as u64);
        path
    }

    #[test]
    fn space_is_counted_and_limited() {
        let manager = SstFileManager::new();
        manager.on_add_file(Path::new("/a"), 60);
        manager.on_add_file(Path::new("/b"), 30);
        manager.on_add_file(Path::new("/b"), 30);
        assert_eq!(manager.total_size(), 90);
        manager.set_max_allowed_space_usage(100);
        assert!(!manager.is_max_allowed_space_reached());
        assert!(!manager.reserve_for_compaction(20));
        assert!(manager.reserve_for_compaction(10));
        assert!(manager.is_max_allowed_space_reached_including_compactions());
        manager.release(10);
        manager.on_add_file(Path::new("/c"), 10);
        assert!(manager.is_max_allowed_space_reached());
        manager.on_delete_file(Path::new("/a"));
        assert_eq!(manager.total_size(), 40);
    }

    #[test]
    fn trash_goes_at_once_where_no_thread_can_remove_it() {
        let fs: Arc<dyn FileSystem> = Arc::new(MemFs::new());
        fs.create_dir_if_missing(Path::new("/db")).unwrap();
        let manager = SstFileManager::new();
        manager.set_delete_rate_bytes_per_second(1);
        manager.set_max_trash_db_ratio(10.0);
        let file = made(&fs, &manager, "1.sst", 1000);
        let refusals = crate::env::threads::Refusals::after(0);
        assert!(manager.delete_file(&fs, &file).unwrap());
        assert_eq!((refusals.count(), manager.total_trash_size()), (1, 0));
        assert!(fs.list_dir(Path::new("/db")).unwrap().is_empty());
    }

    #[test]
    fn trash_goes_at_the_rate() {
        let fs: Arc<dyn FileSystem> = Arc::new(MemFs::new());
        fs.create_dir_if_missing(Path::new("/db")).unwrap();
        let manager = SstFileManager::new();
        let now = made(&fs, &manager, "1.sst", 1000);
        assert!(!manager.delete_file(&fs, &now).unwrap());
        assert!(!fs.exists(&now).unwrap() && manager.total_size() == 0);
        manager.set_delete_rate_bytes_per_second(10_000);
        manager.set_max_trash_db_ratio(10.0);
        let files = ["2.sst", "3.sst", "4.sst"].map(|name| made(&fs, &manager, name, 1000));
        let start = crate::env::clock::Instant::now();
        for file in &files {
            assert!(manager.delete_file(&fs, file).unwrap());
        }
        assert!(manager.total_trash_size() >= 1000 && manager.total_size() == 0);
        while manager.total_trash_size() > 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(start.elapsed() >= Duration::from_millis(200), "three files at ten a second");
        assert!(fs.list_dir(Path::new("/db")).unwrap().is_empty());
    }
}
