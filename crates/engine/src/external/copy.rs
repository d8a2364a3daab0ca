//! Hard links and copies of files, and directories that appear atomically.

use crate::error::{Error, Result};
use crate::fs::{FileSystem, WritableOptions, no_parent};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The number of bytes that a copy reads at once.
const CHUNK: usize = 1 << 20;

/// Returns whether the error means that a hard link is impossible: the target is on another device, or the file system
/// has no hard links.
fn cannot_link(error: &Error) -> bool {
    let source = std::error::Error::source(error).and_then(|e| e.downcast_ref::<std::io::Error>());
    let kind = source.map(std::io::Error::kind);
    matches!(kind, Some(ErrorKind::CrossesDevices | ErrorKind::Unsupported))
}

/// Creates a hard link to `from`. Returns `false` if only a copy is possible.
pub(crate) fn link(fs: &dyn FileSystem, from: &Path, to: &Path) -> Result<bool> {
    match fs.link(from, to) {
        Ok(()) => Ok(true),
        Err(e) if cannot_link(&e) => Ok(false),
        Err(e) => Err(e),
    }
}

/// Copies the first `size` bytes of a file, or all bytes with `None`, and syncs the copy.
pub(crate) fn copy_file(
    fs: &dyn FileSystem,
    from: &Path,
    to: &Path,
    size: Option<u64>,
    use_fsync: bool,
) -> Result<()> {
    let source = fs.open_random_access(from, false)?;
    let size = size.unwrap_or(source.size());
    let mut target = fs.new_writable(to, WritableOptions { use_fsync, ..Default::default() })?;
    let mut buffer = vec![0; CHUNK.min(size as usize)];
    let mut done = 0;
    while done < size {
        let want = buffer.len().min((size - done) as usize);
        let read = source.read_at(done, &mut buffer[..want])?;
        if read == 0 {
            return Err(Error::corruption(format!("file too small: {}", from.display())));
        }
        target.append(&buffer[..read])?;
        done += read as u64;
    }
    target.sync()?;
    target.close()
}

/// Creates a small file with this content and syncs it.
pub(crate) fn write_file(fs: &dyn FileSystem, path: &Path, content: &[u8]) -> Result<()> {
    let mut file = fs.new_writable(path, WritableOptions::default())?;
    file.append(content)?;
    file.sync()?;
    file.close()
}

/// A directory that is filled under a temporary name and then renamed, or removed if it is not finished.
pub(crate) struct Staging<'a> {
    fs: &'a dyn FileSystem,
    /// The final path.
    target: PathBuf,
    /// The temporary path.
    dir: PathBuf,
    /// Whether hard links work, as far as known.
    links: bool,
    use_fsync: bool,
    finished: bool,
}

impl<'a> Staging<'a> {
    /// Creates an empty directory that will become `target`, which must not exist. Removes leftovers of an earlier
    /// attempt.
    pub(crate) fn new(
        fs: &'a dyn FileSystem,
        target: &Path,
        use_fsync: bool,
    ) -> Result<Staging<'a>> {
        let mut name = target.as_os_str().to_owned();
        name.push(".tmp");
        let dir = PathBuf::from(name);
        clean(fs, &dir).map_err(|e| {
            Error::new(
                crate::Code::Aborted,
                format!(
                    "Failed to clean the temporary directory {} needed before checkpoint creation : {e}",
                    dir.display()
                ),
            )
        })?;
        // Only one directory level is created, so a missing parent suggests a wrong name.
        if let Some(parent) = target.parent()
            && !fs.is_dir(parent)?
        {
            return Err(no_parent("While mkdir", &dir));
        }
        fs.create_dir_if_missing(&dir)?;
        let target = target.to_owned();
        Ok(Staging { fs, target, dir, links: true, use_fsync, finished: false })
    }

    /// Adds a file that never changes: by a hard link if possible.
    pub(crate) fn link_or_copy(&mut self, from: &Path, name: &str) -> Result<()> {
        let to = self.dir.join(name);
        self.links = self.links && link(self.fs, from, &to)?;
        if self.links { Ok(()) } else { copy_file(self.fs, from, &to, None, self.use_fsync) }
    }

    /// Adds the first `size` bytes of a file that may grow.
    pub(crate) fn copy(&self, from: &Path, name: &str, size: u64) -> Result<()> {
        copy_file(self.fs, from, &self.dir.join(name), Some(size), self.use_fsync)
    }

    /// Adds a new file.
    pub(crate) fn create(&self, name: &str, content: &[u8]) -> Result<()> {
        write_file(self.fs, &self.dir.join(name), content)
    }

    /// Gives the directory its final name, durably.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.fs.sync_dir(&self.dir)?;
        self.fs.rename(&self.dir, &self.target)?;
        self.finished = true;
        self.fs.sync_dir(&self.target)?;
        match self.target.parent() {
            Some(parent) => self.fs.sync_dir(parent),
            None => Ok(()),
        }
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        if !self.finished {
            // Best effort: the next attempt cleans up first.
            let _ = clean(self.fs, &self.dir);
        }
    }
}

/// Removes a directory and its files, if it exists.
fn clean(fs: &dyn FileSystem, dir: &Path) -> Result<()> {
    if !fs.exists(dir)? {
        return Ok(());
    }
    for name in fs.list_dir(dir)? {
        fs.remove_file(&dir.join(name))?;
    }
    fs.remove_dir(dir)
}

#[cfg(test)]
#[path = "copy_test.rs"]
mod tests;
