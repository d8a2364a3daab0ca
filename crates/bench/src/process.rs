//! The resources used by this process, from the kernel, so that every engine is measured in the same way.
//!
//! The number of bytes written is the larger of two counts, each of which misses something: the bytes of write calls
//! (which miss memory-mapped logs), and the growth of files in the database's directories, sampled five times a second
//! (which misses files with shorter lives).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Counters since the process began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Seconds of CPU in user mode, all threads.
    pub cpu_user: f64,
    /// Seconds of CPU in the kernel, all threads.
    pub cpu_system: f64,
    /// Bytes of read calls.
    pub read_calls_bytes: u64,
    /// Read calls.
    pub read_calls: u64,
    /// Bytes of write calls.
    pub write_calls_bytes: u64,
    /// Bytes that came from a device.
    pub device_read: u64,
    /// Bytes that go to a device.
    pub device_written: u64,
}

impl Usage {
    /// Returns the counters now.
    pub fn now() -> Usage {
        Usage::at("/proc/self")
    }

    /// Returns the counters of another process now; `None` if there is none. The kernel may hide bytes from other
    /// users.
    pub fn of(pid: u32) -> Option<Usage> {
        let path = format!("/proc/{pid}");
        Path::new(&path).join("stat").exists().then(|| Usage::at(&path))
    }

    fn at(path: &str) -> Usage {
        let io = fields(&format!("{path}/io"));
        let get = |name: &str| io.get(name).copied().unwrap_or(0);
        let stat = std::fs::read_to_string(format!("{path}/stat")).unwrap_or_default();
        // The second field, the command, may contain spaces; the fields after it do not.
        let after = stat.rsplit(')').next().unwrap_or_default();
        let ticks: Vec<f64> =
            after.split_whitespace().skip(11).take(2).filter_map(|f| f.parse().ok()).collect();
        Usage {
            cpu_user: ticks.first().copied().unwrap_or(0.0) / TICKS_PER_SECOND,
            cpu_system: ticks.get(1).copied().unwrap_or(0.0) / TICKS_PER_SECOND,
            read_calls_bytes: get("rchar"),
            read_calls: get("syscr"),
            write_calls_bytes: get("wchar"),
            device_read: get("read_bytes"),
            device_written: get("write_bytes"),
        }
    }

    /// Returns the growth since `earlier`.
    pub fn since(&self, earlier: &Usage) -> Usage {
        Usage {
            cpu_user: (self.cpu_user - earlier.cpu_user).max(0.0),
            cpu_system: (self.cpu_system - earlier.cpu_system).max(0.0),
            read_calls_bytes: self.read_calls_bytes.saturating_sub(earlier.read_calls_bytes),
            read_calls: self.read_calls.saturating_sub(earlier.read_calls),
            write_calls_bytes: self.write_calls_bytes.saturating_sub(earlier.write_calls_bytes),
            device_read: self.device_read.saturating_sub(earlier.device_read),
            device_written: self.device_written.saturating_sub(earlier.device_written),
        }
    }
}

/// Linux has reported times to user space in hundredths of a second on all machines for twenty years.
const TICKS_PER_SECOND: f64 = 100.0;

/// `name: number [unit]` per line.
fn fields(path: &str) -> HashMap<String, u64> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_owned(), value.split_whitespace().next()?.parse().ok()?))
        })
        .collect()
}

/// Memory in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// The maximum resident memory since `reset_peak`.
    pub peak: u64,
    /// Resident now and not backed by a file.
    pub anonymous: u64,
    /// Resident now and backed by a file, tmpfs included.
    pub mapped: u64,
}

impl Memory {
    /// Returns the kernel's current figures.
    pub fn now() -> Memory {
        Memory::at("/proc/self/status")
    }

    /// Returns the figures of another process; zeros if there is none.
    pub fn of(pid: u32) -> Memory {
        Memory::at(&format!("/proc/{pid}/status"))
    }

    fn at(path: &str) -> Memory {
        let status = fields(path);
        let get = |name: &str| status.get(name).copied().unwrap_or(0) * 1024;
        Memory {
            peak: get("VmHWM"),
            anonymous: get("RssAnon"),
            mapped: get("RssFile") + get("RssShmem"),
        }
    }

    /// Starts a new peak. If the kernel refuses, the peak is that of the whole process.
    pub fn reset_peak() {
        let _ = std::fs::write("/proc/self/clear_refs", "5");
    }
}

/// Bytes of all files below these directories.
pub fn size_on_disk(dirs: &[PathBuf]) -> u64 {
    let mut sum = 0;
    each_file(dirs, |_, meta| sum += bytes_of(meta));
    sum
}

/// Returns the bytes of a file, without holes and without space preallocated beyond its end.
fn bytes_of(meta: &std::fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    meta.len().min(meta.blocks() * 512)
}

fn each_file(dirs: &[PathBuf], mut visit: impl FnMut(&Path, &std::fs::Metadata)) {
    let mut left: Vec<PathBuf> = dirs.to_vec();
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => left.push(entry.path()),
                Ok(meta) => visit(&entry.path(), &meta),
                // Deleted meanwhile.
                Err(_) => {}
            }
        }
    }
}

#[derive(Default)]
struct Grown {
    largest: HashMap<(u64, PathBuf), u64>,
    bytes: u64,
}

impl Grown {
    fn look(&mut self, dirs: &[PathBuf]) {
        use std::os::unix::fs::MetadataExt;
        each_file(dirs, |path, meta| {
            let size = bytes_of(meta);
            let known = self.largest.entry((meta.ino(), path.to_owned())).or_insert(0);
            self.bytes += size.saturating_sub(*known);
            *known = size.max(*known);
        });
    }
}

/// Watches files grow until it is dropped.
pub struct FileWatch {
    dirs: Vec<PathBuf>,
    grown: Arc<Mutex<Grown>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

fn lock(grown: &Mutex<Grown>) -> MutexGuard<'_, Grown> {
    grown.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FileWatch {
    /// Begins to watch these directories.
    pub fn start(dirs: Vec<PathBuf>) -> FileWatch {
        let grown = Arc::new(Mutex::new(Grown::default()));
        let stop = Arc::new(AtomicBool::new(false));
        lock(&grown).look(&dirs);
        let (shared, flag, watched) = (Arc::clone(&grown), Arc::clone(&stop), dirs.clone());
        let thread = std::thread::spawn(move || {
            while !flag.load(Ordering::Relaxed) {
                std::thread::park_timeout(Duration::from_millis(200));
                lock(&shared).look(&watched);
            }
        });
        FileWatch { dirs, grown, stop, thread: Some(thread) }
    }

    /// Returns the number of bytes by which files have grown since the watch began.
    pub fn bytes(&self) -> u64 {
        let mut grown = lock(&self.grown);
        grown.look(&self.dirs);
        grown.bytes
    }
}

impl Drop for FileWatch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_counts_deleted_files_too() {
        let dir = std::env::temp_dir().join(format!("ferrolith-watch-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let watch = FileWatch::start(vec![dir.clone()]);
        let before = watch.bytes();
        std::fs::write(dir.join("a"), vec![1; 8192]).unwrap();
        assert_eq!(watch.bytes() - before, 8192);
        std::fs::remove_file(dir.join("a")).unwrap();
        std::fs::write(dir.join("b"), vec![1; 4096]).unwrap();
        assert_eq!(watch.bytes() - before, 12288);
        drop(watch);
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_peak_is_of_its_phase() {
        let big = std::hint::black_box(vec![1u8; 64 << 20]);
        let with = Memory::now().peak;
        drop(big);
        Memory::reset_peak();
        assert!(Memory::now().peak <= with);
        assert!(Usage::now().cpu_user + Usage::now().cpu_system >= 0.0);
    }
}
