//! Free space that compactions leave to flushes and logs.
//!
//! A compaction may need more space than the device has left. If it wrote until the device is full, writers would also
//! find the device full. Therefore its files report "no space" earlier, while there is still room for a memtable's
//! table and its log. The free space is checked once per step of at most 1 MiB written by the whole job, so that
//! small outputs always succeed.

use crate::env::sync::std_atomic::{AtomicU64, Ordering::Relaxed};
use crate::error::{Code, Error, Result, SubCode};
use crate::fs::gated::{Gate, Gated};
use crate::fs::{FileSystem, WritableFile};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The binary logarithm of the maximum number of bytes written between two checks of the free space.
const STEP_BITS_MAX: u32 = 20;
/// At most this fraction (the inverse) of the space that is free when the job starts is kept free.
const PART_KEPT: u64 = 8;

/// The space that one job leaves free in one directory. All files of the job share it.
pub struct KeptFree {
    fs: Arc<dyn FileSystem>,
    dir: PathBuf,
    bytes: u64,
    /// The binary logarithm of the number of bytes written between two checks.
    step_bits: u32,
    written: AtomicU64,
}

impl KeptFree {
    /// Keeps up to `wanted` bytes free on the device of `dir`, but never more than a fraction of the current free
    /// space. Returns `None` if the free space is unknown.
    pub fn new(fs: &Arc<dyn FileSystem>, dir: &Path, wanted: u64) -> Option<Arc<KeptFree>> {
        let free = fs.free_space(dir).ok()?;
        let bytes = wanted.min(free / PART_KEPT);
        let step_bits = (bytes / 4).max(1).ilog2().min(STEP_BITS_MAX);
        let (fs, dir, written) = (Arc::clone(fs), dir.to_owned(), AtomicU64::new(0));
        Some(Arc::new(KeptFree { fs, dir, bytes, step_bits, written }))
    }

    /// Guards a file of the job, if the job keeps space free.
    pub fn guard(
        file: Box<dyn WritableFile>,
        kept: Option<&Arc<KeptFree>>,
    ) -> Box<dyn WritableFile> {
        Gated::wrap(file, kept.cloned())
    }

    /// Counts bytes that are about to be written. Returns an error if too little space is free.
    fn count(&self, bytes: usize) -> Result<()> {
        let before = self.written.fetch_add(bytes as u64, Relaxed);
        if before >> self.step_bits == (before + bytes as u64) >> self.step_bits {
            return Ok(());
        }
        // If the free space cannot be queried, writing finds out.
        match self.fs.free_space(&self.dir) {
            Ok(free) if free < self.bytes => Err(self.too_little(free)),
            _ => Ok(()),
        }
    }

    #[cold]
    fn too_little(&self, free: u64) -> Error {
        let (dir, kept) = (self.dir.display(), self.bytes);
        let text = format!(
            "{dir}: {free} bytes are free; compactions reserve {kept} bytes for flushes and logs"
        );
        Error::new(Code::IOError, text).with_subcode(SubCode::NoSpace)
    }
}

impl Gate for Arc<KeptFree> {
    fn pass(&self, bytes: usize) -> Result<()> {
        self.count(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::WritableOptions;
    use crate::fs::fault::FaultFs;
    use crate::fs::mem::MemFs;

    #[test]
    fn writes_end_while_some_space_is_left() {
        let faults = FaultFs::new(Arc::new(MemFs::new()));
        let fs: Arc<dyn FileSystem> = Arc::new(faults.clone());
        fs.create_dir_if_missing(Path::new("/db")).unwrap();
        faults.set_free_space(Some(8 << 20));
        let kept = KeptFree::new(&fs, Path::new("/db"), 4 << 20).unwrap();
        assert_eq!((kept.bytes, kept.step_bits), (1 << 20, 18), "an eighth of what is free");
        let file = fs.new_writable(Path::new("/db/1.sst"), WritableOptions::default()).unwrap();
        let mut file = KeptFree::guard(file, Some(&kept));
        file.append(&[0; 300 << 10]).unwrap();
        faults.set_free_space(Some((1 << 20) - 1));
        file.append(&[0; 100 << 10]).unwrap();
        let e = file.append(&[0; 200 << 10]).unwrap_err();
        assert!(e.is_no_space() && e.message().contains("1048575 bytes are free"), "{e}");
        assert_eq!(file.size(), 400 << 10);
        faults.set_free_space(None);
        file.append(&[0; 1 << 20]).unwrap();
    }
}
