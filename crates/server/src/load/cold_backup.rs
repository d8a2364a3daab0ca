//! The directory of a table in a backup of Pegasus.
//!
//! ```text
//! <root>/<backup>/backup_info                              the backup as a whole; not read
//! <root>/<backup>/<table>_<id>/meta/app_metadata           the table: name, number of partitions
//! <root>/<backup>/<table>_<id>/<N>/current_checkpoint      the name of the checkpoint that counts
//! <root>/<backup>/<table>_<id>/<N>/<checkpoint>/backup_metadata    its files: name, size, MD5
//! <root>/<backup>/<table>_<id>/<N>/<checkpoint>/...        CURRENT, MANIFEST-..., *.sst
//! ```
//!
//! Pegasus writes `current_checkpoint` when a partition is complete, so a backup that did not end lacks one.

use super::digest::listed;
use super::metadata::{AppInfo, BackupMetadata, partitions, read, read_text};
use super::source::{Part, checkpoint, inside};
use crate::error::{Error, Result};
use std::path::Path;

/// The file that makes a directory one of a table in a backup.
pub(super) const METADATA: &str = "meta/app_metadata";
const CURRENT: &str = "current_checkpoint";
const FILES: &str = "backup_metadata";

/// Returns the checkpoints of a table, one for each partition.
///
/// # Errors
///
/// A file of metadata is missing or damaged.
pub(super) fn find(dir: &Path) -> Result<Vec<Part>> {
    let path = dir.join(METADATA);
    let info: AppInfo = read(&path)?;
    let count = partitions(&info, &path)?;
    (0..count).map(|index| partition(dir, &info, (index, count))).collect()
}

fn partition(dir: &Path, info: &AppInfo, (index, count): (u32, u32)) -> Result<Part> {
    let dir = dir.join(index.to_string());
    let path = dir.join(CURRENT);
    if !path.exists() {
        return Err(Error::corrupt(format!(
            "{} is missing: the backup of table {:?}, which has {count} partitions, is not complete",
            path.display(),
            info.app_name
        )));
    }
    let name = read_text(&path)?;
    let dir = inside(&dir, name.trim_end(), &path)?;
    let path = dir.join(FILES);
    let metadata: BackupMetadata = read(&path)?;
    let files = listed(&dir, &metadata.files, metadata.checkpoint_total_size, &path)?;
    if !files.iter().any(|file| file.path.ends_with("CURRENT")) {
        return Err(Error::corrupt(format!(
            "{}: expected CURRENT among the files of a checkpoint",
            path.display()
        )));
    }
    checkpoint(&dir, Some((index, count)), files)
}
