//! Names of the files in a database directory, and how `CURRENT` and `IDENTITY` are replaced.
//!
//! A number in a name is decimal, padded with zeros to six digits; any run of digits is read.
//! `CURRENT` holds the name of the live MANIFEST and one newline. Both files are replaced by
//! writing a temporary file, syncing it, renaming it over the old one and syncing the directory, so
//! that after a crash either the old file or the new one exists.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::{FileSystem, WritableOptions};
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// The kind of a file in a database directory, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// `CURRENT`.
    Current,
    /// `LOCK`.
    Lock,
    /// `IDENTITY`.
    Identity,
    /// `LOG`, or `LOG.old.<micros>` with the time at which it was renamed.
    InfoLog(Option<u64>),
    /// `MANIFEST-N`.
    Manifest(u64),
    /// `N.sst`, or `N.ldb` as in LevelDB.
    Table(u64),
    /// `N.log`.
    Wal(u64),
    /// `OPTIONS-N`.
    Options(u64),
    /// `N.blob`.
    Blob(u64),
    /// `N.dbtmp` or `OPTIONS-N.dbtmp`: a useless file left by a crash.
    Temp(u64),
    /// `COMPACTION_PROGRESS-N`: a state file of newer RocksDB versions.
    CompactionProgress(u64),
    /// `METADB-N`: a name that RocksDB has reserved.
    MetaDb(u64),
}

/// Parses a name (not a path). Returns `None` if it is not a file of a database.
pub fn parse_file_name(name: &str) -> Option<FileKind> {
    match name {
        "CURRENT" => return Some(FileKind::Current),
        "LOCK" => return Some(FileKind::Lock),
        "IDENTITY" => return Some(FileKind::Identity),
        "LOG" | "LOG.old" => return Some(FileKind::InfoLog(None)),
        _ => {}
    }
    if let Some(micros) = name.strip_prefix("LOG.old.") {
        return number(micros).map(|n| FileKind::InfoLog(Some(n)));
    }
    if let Some((head, tail)) = name.rsplit_once('-') {
        return match head {
            "MANIFEST" => number(tail).map(FileKind::Manifest),
            "METADB" => number(tail).map(FileKind::MetaDb),
            "COMPACTION_PROGRESS" => number(tail).map(FileKind::CompactionProgress),
            "OPTIONS" => match tail.strip_suffix(".dbtmp") {
                Some(n) => number(n).map(FileKind::Temp),
                None => number(tail).map(FileKind::Options),
            },
            _ => None,
        };
    }
    let (head, suffix) = name.split_once('.')?;
    let n = number(head)?;
    match suffix {
        "sst" | "ldb" => Some(FileKind::Table(n)),
        "log" => Some(FileKind::Wal(n)),
        "blob" => Some(FileKind::Blob(n)),
        "dbtmp" => Some(FileKind::Temp(n)),
        _ => None,
    }
}

fn number(digits: &str) -> Option<u64> {
    // `parse` alone would accept a sign.
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// `N.sst`.
pub fn table_file_name(dir: &Path, n: u64) -> PathBuf {
    dir.join(format!("{n:06}.sst"))
}

/// `N.ldb`, LevelDB's name of a table.
pub fn leveldb_table_file_name(dir: &Path, n: u64) -> PathBuf {
    dir.join(format!("{n:06}.ldb"))
}

/// `N.log`.
pub fn wal_file_name(dir: &Path, n: u64) -> PathBuf {
    dir.join(format!("{n:06}.log"))
}

/// `MANIFEST-N`.
pub fn manifest_file_name(dir: &Path, n: u64) -> PathBuf {
    dir.join(format!("MANIFEST-{n:06}"))
}

/// `OPTIONS-N`.
pub fn options_file_name(dir: &Path, n: u64) -> PathBuf {
    dir.join(format!("OPTIONS-{n:06}"))
}

/// `OPTIONS-N.dbtmp`.
pub fn temp_options_file_name(dir: &Path, n: u64) -> PathBuf {
    dir.join(format!("OPTIONS-{n:06}.dbtmp"))
}

/// `N.dbtmp`.
pub fn temp_file_name(dir: &Path, n: u64) -> PathBuf {
    dir.join(format!("{n:06}.dbtmp"))
}

/// `CURRENT`.
pub fn current_file_name(dir: &Path) -> PathBuf {
    dir.join("CURRENT")
}

/// `LOCK`.
pub fn lock_file_name(dir: &Path) -> PathBuf {
    dir.join("LOCK")
}

/// `IDENTITY`.
pub fn identity_file_name(dir: &Path) -> PathBuf {
    dir.join("IDENTITY")
}

/// `LOG`.
pub fn info_log_file_name(dir: &Path) -> PathBuf {
    dir.join("LOG")
}

/// `LOG.old.<micros>`.
pub fn old_info_log_file_name(dir: &Path, micros: u64) -> PathBuf {
    dir.join(format!("LOG.old.{micros}"))
}

/// `archive`, the directory of obsolete logs that are kept.
pub fn archive_dir(dir: &Path) -> PathBuf {
    dir.join("archive")
}

/// `archive/N.log`.
pub fn archived_wal_file_name(dir: &Path, n: u64) -> PathBuf {
    wal_file_name(&archive_dir(dir), n)
}

/// Makes `MANIFEST-number` the live one. The MANIFEST must have been synced.
pub fn set_current_file(
    fs: &dyn FileSystem,
    dir: &Path,
    manifest_number: u64,
    sync: bool,
) -> Result<()> {
    let content = format!("MANIFEST-{manifest_number:06}\n");
    replace(fs, dir, manifest_number, &current_file_name(dir), content.as_bytes(), sync)
}

/// Writes the database's id.
pub fn set_identity_file(fs: &dyn FileSystem, dir: &Path, id: &str) -> Result<()> {
    replace(fs, dir, 0, &identity_file_name(dir), id.as_bytes(), true)
}

fn replace(
    fs: &dyn FileSystem,
    dir: &Path,
    temp_number: u64,
    path: &Path,
    content: &[u8],
    sync: bool,
) -> Result<()> {
    let temp = temp_file_name(dir, temp_number);
    let write = || {
        let mut file = fs.new_writable(&temp, WritableOptions::default())?;
        file.append(content)?;
        if sync {
            file.sync()?;
        }
        file.close()?;
        fs.rename(&temp, path)
    };
    if let Err(e) = write() {
        // Best effort: the next open removes temporary files, too.
        let _ = fs.remove_file(&temp);
        return Err(e);
    }
    if sync { fs.sync_dir(dir) } else { Ok(()) }
}

/// The MANIFEST that `CURRENT` names: its path and its number.
pub fn read_current(fs: &dyn FileSystem, dir: &Path) -> Result<(PathBuf, u64)> {
    let path = current_file_name(dir);
    let content = fs.read_file(&path).map_err(|e| match e.is_path_not_found() {
        true => e.explained(format!(
            "there is no database in {}: it has no file CURRENT",
            dir.display()
        )),
        false => e,
    })?;
    let content = String::from_utf8_lossy(&content);
    let Some(name) = content.strip_suffix('\n') else {
        return Err(Error::corruption("CURRENT file does not end with newline").in_file(&path));
    };
    match parse_file_name(name) {
        Some(FileKind::Manifest(n)) => Ok((dir.join(name), n)),
        _ => Err(Error::corruption(format!(
            "CURRENT file corrupted: it names {name:?}, expected MANIFEST-N"
        ))
        .in_file(&path)),
    }
}

#[cfg(test)]
#[path = "filename_test.rs"]
mod tests;
