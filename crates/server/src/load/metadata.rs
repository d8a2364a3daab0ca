//! The files of JSON in Pegasus's directories. Fields that are not needed are ignored.

use crate::error::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// The longest file of JSON, in bytes: an entry for a table takes about a hundred.
const BYTES_MAX: u64 = 64 << 20;

/// `bulk_load_info`: the table for which a bulk load was made. `app_metadata` of a backup has the same fields.
#[derive(Debug, Deserialize)]
pub(super) struct AppInfo {
    pub(super) app_name: String,
    pub(super) partition_count: i32,
}

/// A file, with its size and its MD5 in hexadecimal digits. The MD5 may be empty.
#[derive(Debug, Deserialize)]
pub(super) struct FileMeta {
    pub(super) name: String,
    pub(super) size: i64,
    pub(super) md5: String,
}

/// `bulk_load_metadata`: the files of a partition.
#[derive(Debug, Deserialize)]
pub(super) struct BulkLoadMetadata {
    pub(super) files: Vec<FileMeta>,
    pub(super) file_total_size: i64,
}

/// `backup_metadata`: the files of a checkpoint.
#[derive(Debug, Deserialize)]
pub(super) struct BackupMetadata {
    pub(super) files: Vec<FileMeta>,
    pub(super) checkpoint_total_size: i64,
}

/// Reads a file of JSON.
///
/// # Errors
///
/// It does not exist, cannot be read, or does not have the fields.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = read_text(path)?;
    serde_json::from_str(&text)
        .map_err(|error| Error::corrupt(format!("{}: {error}", path.display())))
}

/// Reads a file of text.
///
/// # Errors
///
/// It does not exist, cannot be read, is too long, or is not UTF-8.
pub(super) fn read_text(path: &Path) -> Result<String> {
    let failed = |error| Error::Io(format!("reading {}", path.display()), error);
    let length = path.metadata().map_err(failed)?.len();
    if length > BYTES_MAX {
        return Err(Error::corrupt(format!(
            "{}: expected at most {BYTES_MAX} bytes, found {length}",
            path.display()
        )));
    }
    std::fs::read_to_string(path).map_err(failed)
}

/// Returns the number of partitions of a table.
///
/// # Errors
///
/// It is not one that a table can have.
pub(super) fn partitions(info: &AppInfo, path: &Path) -> Result<u32> {
    let count = u32::try_from(info.partition_count).unwrap_or(0);
    if count.is_power_of_two() {
        return Ok(count);
    }
    Err(Error::corrupt(format!(
        "{}: partition_count: expected a power of two, found {}",
        path.display(),
        info.partition_count
    )))
}
