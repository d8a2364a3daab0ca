//! What was acknowledged, in a file that outlives a killed process: per thread the number of
//! batches that came back from `write`, as a little-endian u64.
//!
//! A number is written after its batch came back and before the next one starts. So after a kill,
//! the first batch of a thread that the ledger does not count may be there or not; later ones may
//! not be there.

use crate::store::Result;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// An open ledger; threads write to their own place.
pub struct Ledger {
    file: File,
}

impl Ledger {
    /// Opens a ledger, making it if there is none.
    pub fn open(path: &Path) -> Result<Ledger> {
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        Ok(Ledger { file: file.map_err(|e| format!("{}: {e}", path.display()))? })
    }

    /// Batches of `thread` that came back.
    pub fn acknowledged(&self, thread: u32) -> Result<u64> {
        let mut bytes = [0; 8];
        match self.file.read_at(&mut bytes, u64::from(thread) * 8).map_err(|e| e.to_string())? {
            8 => Ok(u64::from_le_bytes(bytes)),
            _ => Ok(0),
        }
    }

    /// Records that so many batches of `thread` came back.
    pub fn acknowledge(&self, thread: u32, batches: u64) -> Result<()> {
        let at = u64::from(thread) * 8;
        self.file.write_all_at(&batches.to_le_bytes(), at).map_err(|e| e.to_string())
    }
}
