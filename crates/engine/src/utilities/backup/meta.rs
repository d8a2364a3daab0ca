//! The meta file of a backup.
//!
//! ```text
//! [schema_version 2.1]              newer files, with more fields and lines at the end
//! 1795291969                        seconds since 1970
//! 150                               sequence number
//! [metadata 68656c6c6f]             what the user gave, in hexadecimal digits
//! 5                                 files
//! private/1/CURRENT crc32 2659179228
//! ```
//!
//! The checksum is an unmasked CRC-32C in decimal. We write version 1. We read version 2 if its additional fields may
//! be ignored.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::base::SeqNo;
use crate::error::{Error, Result};
use crate::fs::{FileSystem, WritableOptions};
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

/// A file of a backup.
#[derive(Clone, Debug)]
pub(super) struct BackupFile {
    /// The path, relative to the backup directory.
    pub(super) path: String,
    pub(super) size: u64,
    pub(super) checksum: Option<u32>,
}

/// The content of a backup.
#[derive(Clone, Debug)]
pub(super) struct Meta {
    pub(super) timestamp: i64,
    pub(super) sequence: SeqNo,
    pub(super) app_metadata: Vec<u8>,
    pub(super) files: Vec<BackupFile>,
}

/// Returns the path of a backup's meta file.
pub(super) fn path(dir: &Path, id: u32) -> PathBuf {
    dir.join("meta").join(id.to_string())
}

/// Reads a meta file. The files that it names must exist.
pub(super) fn read(fs: &dyn FileSystem, dir: &Path, id: u32) -> Result<Meta> {
    let path = path(dir, id);
    let bytes = fs.read_file(&path)?;
    let mut meta = parse(&String::from_utf8_lossy(&bytes)).map_err(|e| e.in_file(&path))?;
    for file in &mut meta.files {
        // Another error may go away, and must not make this backup a damaged one.
        let missing = |e: Error| match e.is_path_not_found() {
            true => Error::corruption(format!("{} is missing", file.path)).in_file(&path),
            false => e,
        };
        file.size = fs.file_size(&dir.join(&file.path)).map_err(missing)?;
    }
    Ok(meta)
}

fn parse(text: &str) -> Result<Meta> {
    let mut lines = text.lines().peekable();
    let version = lines.next_if(|line| line.starts_with("schema_version "));
    if let Some(version) = version
        && !version.starts_with("schema_version 2.")
        && version != "schema_version 1"
    {
        return Err(Error::not_supported(format!("backup meta file of {version}")));
    }
    let timestamp = number(lines.next(), "a time")?;
    let sequence = number(lines.next(), "a sequence number")?;
    let app_metadata = match lines.next_if(|line| line.starts_with("metadata ")) {
        Some(line) => unhex(line.trim_start_matches("metadata "))?,
        None => Vec::new(),
    };
    let count: usize = number(lines.next(), "a number of files")?;
    let mut files = Vec::new();
    for _ in 0..count {
        let line = lines
            .next()
            .ok_or_else(|| Error::corruption("fewer files than the announced number"))?;
        files.push(parse_file(line)?);
    }
    if version.is_none() && lines.next().is_some() {
        return Err(Error::corruption("more lines than the announced number of files"));
    }
    Ok(Meta { timestamp, sequence, app_metadata, files })
}

fn number<T: std::str::FromStr>(line: Option<&str>, what: &str) -> Result<T> {
    let text = line.unwrap_or("");
    text.parse().map_err(|_| Error::corruption(format!("expected {what}, found {text:?}")))
}

fn parse_file(line: &str) -> Result<BackupFile> {
    let mut fields = line.split(' ');
    let path = fields.next().unwrap_or("").to_owned();
    let inside = Path::new(&path).components().all(|part| matches!(part, Component::Normal(_)));
    if path.is_empty() || !inside {
        return Err(Error::corruption(format!("expected a file's path, found {path:?}")));
    }
    let mut checksum = None;
    while let Some(field) = fields.next() {
        let value = fields.next();
        if field == "crc32" {
            checksum = Some(number(value, "a checksum")?);
        } else if field.starts_with("ni::") {
            return Err(Error::not_supported(format!("backup of {path} with {field}")));
        }
    }
    Ok(BackupFile { path, size: 0, checksum })
}

fn unhex(digits: &str) -> Result<Vec<u8>> {
    let bad = || Error::corruption(format!("expected hexadecimal digits, found {digits:?}"));
    let digit = |b: &u8| char::from(*b).to_digit(16).map(|d| d as u8);
    let pairs = digits.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => digit(high).zip(digit(low)).map(|(h, l)| h << 4 | l),
        _ => None,
    });
    pairs.collect::<Option<_>>().ok_or_else(bad)
}

/// Writes a meta file. The backup exists once the file has its final name.
pub(super) fn write(
    fs: &dyn FileSystem,
    dir: &Path,
    id: u32,
    meta: &Meta,
    sync: bool,
) -> Result<()> {
    let path = path(dir, id);
    let temporary = dir.join("meta").join(format!("{id}.tmp"));
    let mut file = fs.new_writable(&temporary, WritableOptions::default())?;
    file.append(print(meta).as_bytes())?;
    if sync {
        file.sync()?;
    }
    file.close()?;
    fs.rename(&temporary, &path)?;
    if sync { fs.sync_dir(&dir.join("meta")) } else { Ok(()) }
}

fn print(meta: &Meta) -> String {
    let mut text = format!("{}\n{}\n", meta.timestamp, meta.sequence);
    if !meta.app_metadata.is_empty() {
        text.push_str("metadata ");
        // Writing to a string never fails.
        for byte in &meta.app_metadata {
            let _ = write!(text, "{byte:02X}");
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}", meta.files.len());
    for file in &meta.files {
        let _ = match file.checksum {
            Some(checksum) => writeln!(text, "{} crc32 {checksum}", file.path),
            None => writeln!(text, "{}", file.path),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A meta file that RocksDB 10.10.1 wrote.
    const THEIRS: &str = "1795291969\n150\n2\nshared_checksum/000009_sYU37SIMPCHAVFW9BEK57_1970.sst \
                          crc32 247822940\nprivate/1/CURRENT crc32 2659179228\n";

    #[test]
    fn rocksdb_meta_files_are_read_and_written_byte_for_byte() {
        let meta = parse(THEIRS).unwrap();
        assert_eq!((meta.timestamp, meta.sequence, meta.files.len()), (1_795_291_969, 150, 2));
        assert_eq!(meta.files[0].checksum, Some(247_822_940));
        assert_eq!(print(&meta), THEIRS);
        let with = Meta { app_metadata: b"hi\x00".to_vec(), ..meta };
        assert_eq!(parse(&print(&with)).unwrap().app_metadata, b"hi\x00");
    }

    #[test]
    fn newer_files_are_read_as_far_as_possible() {
        let newer = "schema_version 2.1\n5\n6\n1\nprivate/1/CURRENT crc32 7 size 8 temp 1\n// x\n";
        assert_eq!(parse(newer).unwrap().files[0].checksum, Some(7));
        let excluded = "schema_version 2.1\n5\n6\n1\nshared/1.sst ni::excluded true\n";
        assert!(parse(excluded).is_err());
        assert!(parse("schema_version 3.0\n5\n6\n0\n").is_err());
    }

    #[test]
    fn damage_is_an_error() {
        for bad in [
            "",
            "garbage\n",
            "5\n6\n2\nprivate/1/CURRENT crc32 7\n",
            "5\n6\n1\n../../etc/passwd crc32 7\n",
            "5\n6\n1\n/etc/passwd crc32 7\n",
            "5\n6\n1\nprivate/1/CURRENT crc32 x\n",
            "5\n6\nmetadata 123\n0\n",
            "5\n6\n0\nprivate/1/CURRENT crc32 7\n",
            "5\n6\n18446744073709551615\n",
        ] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
