//! Copies files with their checksums, at a limited rate.

use crate::base::checksum::crc32c_extend;
use crate::env::clock::{self, Instant};
use crate::env::sync::Mutex;
use crate::env::sync::atomic::{AtomicUsize, Ordering};
use crate::env::threads::together;
use crate::error::{Error, Result};
use crate::fs::{FileSystem, WritableOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Shares a rate in bytes per second among threads.
pub(super) struct Throttle {
    bytes_per_second: u64,
    /// The number of bytes that are copied at once.
    chunk: usize,
    /// When the bytes copied so far are paid for.
    paid_until: Mutex<Instant>,
}

impl Throttle {
    /// Creates a throttle; 0 bytes per second means no limit.
    pub(super) fn new(bytes_per_second: u64, chunk: usize) -> Throttle {
        // Even a slow copy should progress evenly.
        let chunk = match bytes_per_second {
            0 => chunk,
            rate => chunk.min((rate / 10).max(4 << 10) as usize),
        };
        Throttle { bytes_per_second, chunk, paid_until: Mutex::new(Instant::now()) }
    }

    fn pay(&self, bytes: usize) {
        if self.bytes_per_second == 0 {
            return;
        }
        let price = Duration::from_secs_f64(bytes as f64 / self.bytes_per_second as f64);
        let until = {
            let mut paid_until = self.paid_until.lock();
            *paid_until = (*paid_until).max(Instant::now()) + price;
            *paid_until
        };
        clock::sleep(until.duration_since(Instant::now()));
    }
}

/// A file to copy, and its destination.
pub(super) struct Copy {
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
    /// The number of bytes to copy, if the file may grow.
    pub(super) size: Option<u64>,
    /// Whether the copy has its final name only when it is complete, so that a later backup may use it.
    pub(super) is_shared: bool,
    /// Whether an unfinished backup left a copy, which is used if it is right.
    pub(super) may_exist: bool,
}

/// The ending of the name of a shared copy that is not complete.
const UNFINISHED: &str = "tmp";

/// Source, target and settings of copies.
pub(super) struct Copier<'a> {
    pub(super) source: Arc<dyn FileSystem>,
    pub(super) target: Arc<dyn FileSystem>,
    pub(super) sync: bool,
    pub(super) threads: usize,
    pub(super) throttle: Throttle,
    /// Whether to read each copy again from the device and to compare checksums.
    pub(super) verifies: bool,
    /// Called with the number of bytes copied. Its error ends the copies.
    pub(super) progress: &'a (dyn Fn(u64) -> Result<()> + Sync),
}

/// The result of a copy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Copied {
    pub(super) size: u64,
    pub(super) checksum: u32,
    /// Whether the copy existed already.
    pub(super) is_reused: bool,
}

impl Copier<'_> {
    /// Copies all files, several at a time. The results are in the order of the jobs.
    pub(super) fn run(&self, jobs: &[Copy]) -> Result<Vec<Copied>> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(vec![Copied::default(); jobs.len()]);
        let work = || -> Result<()> {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(i) else { return Ok(()) };
                // A thread that fails keeps the others from starting more copies.
                let copied =
                    self.copy(job).inspect_err(|_| next.store(jobs.len(), Ordering::Relaxed))?;
                results.lock()[i] = copied;
            }
        };
        let panicked = |_| Err(Error::corruption("copying a file panicked"));
        let copied = together("ferro-copy", self.threads.max(1) - 1, work);
        copied.into_iter().try_for_each(|result| result.unwrap_or_else(panicked))?;
        Ok(results.into_inner())
    }

    fn copy(&self, job: &Copy) -> Result<Copied> {
        if job.may_exist
            && let Some(found) = self.existing(job)?
        {
            return Ok(found);
        }
        let to = match job.is_shared {
            true => job.to.with_added_extension(UNFINISHED),
            false => job.to.clone(),
        };
        let copied = self.copy_to(job, &to)?;
        if self.verifies {
            self.verify(&to, &job.to, copied.checksum)?;
        }
        if job.is_shared {
            self.target.rename(&to, &job.to)?;
        }
        Ok(copied)
    }

    /// Returns the existing copy if its contents are those of the file. Both are read: the size alone would accept a
    /// copy that was damaged since.
    fn existing(&self, job: &Copy) -> Result<Option<Copied>> {
        let size = self.source.file_size(&job.from)?;
        if self.target.file_size(&job.to)? != size {
            return Ok(None);
        }
        let checksum = self.checksum(&*self.target, &job.to)?;
        if self.checksum(&*self.source, &job.from)? != checksum {
            return Ok(None);
        }
        (self.progress)(size)?;
        Ok(Some(Copied { size, checksum, is_reused: true }))
    }

    fn copy_to(&self, job: &Copy, to: &Path) -> Result<Copied> {
        let source = self.source.open_random_access(&job.from, false)?;
        let size = job.size.unwrap_or(source.size());
        let mut target = self.target.new_writable(to, WritableOptions::default())?;
        let mut buffer = vec![0; self.throttle.chunk.min(size as usize)];
        let mut copied = Copied::default();
        while copied.size < size {
            let want = buffer.len().min((size - copied.size) as usize);
            let read = source.read_at(copied.size, &mut buffer[..want])?;
            if read == 0 {
                return Err(Error::corruption(format!("file too small: {}", job.from.display())));
            }
            self.throttle.pay(read);
            target.append(&buffer[..read])?;
            copied.checksum = crc32c_extend(copied.checksum, &buffer[..read]);
            copied.size += read as u64;
            (self.progress)(read as u64)?;
        }
        if self.sync {
            target.sync()?;
        }
        target.close()?;
        Ok(copied)
    }

    /// Compares a copy, which may still have a temporary name, with the checksum of what was copied. The error shows
    /// the final name.
    fn verify(&self, copy: &Path, name: &Path, expected: u32) -> Result<()> {
        self.target.drop_cached(copy);
        let found = self.checksum(&*self.target, copy)?;
        match found == expected {
            true => Ok(()),
            false => Err(checksum_mismatch(name, expected, found)),
        }
    }

    /// Returns a file's checksum, unless the work is stopped.
    fn checksum(&self, fs: &dyn FileSystem, path: &Path) -> Result<u32> {
        checksum_with(fs, path, &self.throttle, &|_| (self.progress)(0))
    }
}

/// Returns the error of a file whose checksum is wrong, with RocksDB's text.
#[cold]
pub(super) fn checksum_mismatch(path: &Path, expected: u32, found: u32) -> Error {
    Error::corruption(format!(
        "File corrupted: Checksum mismatch for {}: Expected checksum is {expected:08X} while computed checksum is \
         {found:08X}",
        path.display()
    ))
}

/// Returns the CRC-32C of a file, and reads it no faster than the throttle allows.
pub(super) fn checksum_of(fs: &dyn FileSystem, path: &Path, throttle: &Throttle) -> Result<u32> {
    checksum_with(fs, path, throttle, &|_| Ok(()))
}

/// The same. `progress` is called with the number of bytes read, and its error ends the reading.
pub(super) fn checksum_with(
    fs: &dyn FileSystem,
    path: &Path,
    throttle: &Throttle,
    progress: &(dyn Fn(u64) -> Result<()> + Sync),
) -> Result<u32> {
    let file = fs.open_random_access(path, false)?;
    let mut buffer = vec![0; throttle.chunk.min(file.size() as usize).max(1)];
    let (mut offset, mut checksum) = (0, 0);
    loop {
        let read = file.read_at(offset, &mut buffer)?;
        if read == 0 {
            return Ok(checksum);
        }
        throttle.pay(read);
        checksum = crc32c_extend(checksum, &buffer[..read]);
        offset += read as u64;
        progress(read as u64)?;
    }
}
