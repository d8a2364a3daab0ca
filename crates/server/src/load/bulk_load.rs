//! The directory of a bulk load of Pegasus.
//!
//! ```text
//! <root>/<cluster>/<table>/bulk_load_info             the table's id, name and number of partitions
//! <root>/<cluster>/<table>/<N>/bulk_load_metadata     the files of partition N: name, size, MD5
//! <root>/<cluster>/<table>/<N>/<name>                 a sorted file
//! ```

use super::digest::listed;
use super::metadata::{AppInfo, BulkLoadMetadata, partitions, read};
use super::source::{Part, table};
use crate::error::{Error, Result};
use std::path::Path;

/// The file that makes a directory one of a bulk load.
pub(super) const INFO: &str = "bulk_load_info";
const METADATA: &str = "bulk_load_metadata";

/// Returns the files of a bulk load, partition by partition.
///
/// # Errors
///
/// A file of metadata is missing or damaged.
pub(super) fn find(dir: &Path) -> Result<Vec<Part>> {
    let path = dir.join(INFO);
    let info: AppInfo = read(&path)?;
    let mut parts = Vec::new();
    for index in 0..partitions(&info, &path)? {
        let dir = dir.join(index.to_string());
        let path = dir.join(METADATA);
        if !path.exists() {
            return Err(Error::corrupt(format!(
                "{} is missing: the bulk load of table {:?} has {} partitions",
                path.display(),
                info.app_name,
                info.partition_count
            )));
        }
        let metadata: BulkLoadMetadata = read(&path)?;
        for file in listed(&dir, &metadata.files, metadata.file_total_size, &path)? {
            parts.push(Part { listed: vec![file.clone()], ..table(&file.path, file.bytes) });
        }
    }
    Ok(parts)
}
