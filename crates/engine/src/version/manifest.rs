//! The MANIFEST as a file: a log (`wal/`) of edits, named by `CURRENT`.
//!
//! A MANIFEST is never changed other than by appending. It is replaced by writing a complete
//! snapshot to a new file, syncing it, and only then switching `CURRENT`.
//!
//! One thread writes at a time. After an error nobody knows how much of the last records is on
//! the device: the file must not be appended to again, the next edit goes to a new one.

use super::VersionEdit;
use super::replay::ManifestState;
use crate::error::{Error, Result};
use crate::fs::filename::{manifest_file_name, read_current, set_current_file};
use crate::fs::{FileSystem, WritableOptions};
use crate::options::WalRecoveryMode;
use crate::wal::{Damage, LogReader, LogWriter, ReadOutcome};
use std::path::Path;

/// An open MANIFEST.
pub struct Manifest {
    log: LogWriter,
    number: u64,
    snapshot_size: u64,
}

impl Manifest {
    /// Writes a new MANIFEST of these edits and syncs it. `CURRENT` stays as it is.
    pub fn create(
        fs: &dyn FileSystem,
        dir: &Path,
        number: u64,
        snapshot: &[VersionEdit],
    ) -> Result<Manifest> {
        let path = manifest_file_name(dir, number);
        let file = fs.new_writable(&path, WritableOptions::default())?;
        let log = LogWriter::new(file, number);
        let mut manifest = Manifest { log, number, snapshot_size: 0 };
        manifest.append(snapshot)?;
        manifest.snapshot_size = manifest.size();
        Ok(manifest)
    }

    /// Appends edits, one record each, and syncs once. After an error the MANIFEST is not to be
    /// written again.
    pub fn append(&mut self, edits: &[VersionEdit]) -> Result<()> {
        for edit in edits {
            self.log.add_record(&edit.encode())?;
        }
        self.log.flush()?;
        self.log.sync()
    }

    /// Makes it the one that `CURRENT` names. After an error `CURRENT` may name it or not.
    pub fn make_current(&self, fs: &dyn FileSystem, dir: &Path) -> Result<()> {
        set_current_file(fs, dir, self.number, true)
    }

    /// Bytes in it.
    pub fn size(&self) -> u64 {
        self.log.size()
    }

    /// Bytes of what it began with.
    pub fn snapshot_size(&self) -> u64 {
        self.snapshot_size
    }
}

/// Reads the MANIFEST that `CURRENT` names: its number and what it describes.
pub fn read_current_manifest(fs: &dyn FileSystem, dir: &Path) -> Result<(u64, ManifestState)> {
    let (path, number) = read_current(fs, dir)?;
    Ok((number, read_manifest(fs, &path)?))
}

/// Reads a MANIFEST: every record must be whole and right, only a torn last one is left out.
pub fn read_manifest(fs: &dyn FileSystem, path: &Path) -> Result<ManifestState> {
    let mut state = ManifestState::default();
    state.ends_clean = for_each_record(fs, path, |record| state.apply_record(record))?;
    state.finish().map_err(|e| e.in_file(path))?;
    Ok(state)
}

/// A torn last record is one that was not acknowledged. All other damage, also what a WAL would
/// tolerate at its end, is Corruption: later records would build on it. Returns whether the file ends
/// with its last record.
fn for_each_record(
    fs: &dyn FileSystem,
    path: &Path,
    mut apply: impl FnMut(&[u8]) -> Result<()>,
) -> Result<bool> {
    let file = fs.open_random_access(path, false)?;
    let size = file.size();
    let mut reader = LogReader::manifest(file);
    loop {
        let applied = match reader.read_record(WalRecoveryMode::TolerateCorruptedTailRecords)? {
            ReadOutcome::Record(record) => apply(record),
            ReadOutcome::Stop(damage) => return Err(damaged(path, &damage)),
            ReadOutcome::End => break,
        };
        if let Err(e) = applied {
            let what = format!("record at offset {}: {}", reader.record_offset(), e.message());
            return Err(Error::new(e.code(), what).in_file(path));
        }
    }
    match reader.damage().iter().find(|damage| !damage.torn_tail) {
        Some(damage) => Err(damaged(path, damage)),
        None => Ok(reader.end_offset() == size),
    }
}

fn damaged(path: &Path, damage: &Damage) -> Error {
    Error::corruption(damage.to_string()).in_file(path)
}
