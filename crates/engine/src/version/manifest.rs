//! The MANIFEST file: a log (`wal/`) of edits, named by `CURRENT`.
//!
//! A MANIFEST changes only by appending. It is replaced by writing a complete snapshot to a new
//! file, syncing it, and only then switching `CURRENT`.
//!
//! One thread writes at a time. After an error it is unknown how much of the last records is on the
//! device: the file must not be appended to again, and the next edit is written to a new MANIFEST.

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
    /// Creates a new MANIFEST with these edits and syncs it. Does not change `CURRENT`.
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

    /// Appends edits, one record each, and syncs once. After an error the MANIFEST must not be
    /// written again.
    pub fn append(&mut self, edits: &[VersionEdit]) -> Result<()> {
        for edit in edits {
            let record = edit.encode();
            debug_assert!(
                VersionEdit::decode(&record).is_ok_and(|read| read == *edit),
                "expected {edit:?} in the record, found {:?}",
                VersionEdit::decode(&record)
            );
            self.log.add_record(&record)?;
        }
        self.log.flush()?;
        self.log.sync()
    }

    /// Makes `CURRENT` name this MANIFEST. After an error `CURRENT` may or may not name it.
    pub fn make_current(&self, fs: &dyn FileSystem, dir: &Path) -> Result<()> {
        set_current_file(fs, dir, self.number, true)
    }

    /// The file's size in bytes.
    pub fn size(&self) -> u64 {
        self.log.size()
    }

    /// The size of the initial snapshot in bytes.
    pub fn snapshot_size(&self) -> u64 {
        self.snapshot_size
    }
}

/// Reads the MANIFEST that `CURRENT` names. Returns its number and the state that it describes.
pub fn read_current_manifest(fs: &dyn FileSystem, dir: &Path) -> Result<(u64, ManifestState)> {
    let (path, number) = read_current(fs, dir)?;
    Ok((number, read_manifest(fs, &path)?))
}

/// Reads a MANIFEST. Every record must be complete and valid, except for a torn last record, which
/// is ignored.
pub fn read_manifest(fs: &dyn FileSystem, path: &Path) -> Result<ManifestState> {
    let mut state = ManifestState::default();
    state.ends_clean = for_each_record(fs, path, |record| state.apply_record(record))?;
    state.finish().map_err(|e| e.in_file(path))?;
    Ok(state)
}

/// Visits the records of a MANIFEST. A torn last record was never acknowledged and is ignored. All other damage,
/// including damage that a WAL would tolerate at its end, is Corruption, since later records would build on it. Returns
/// whether the file ends with its last record.
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
