//! What a path has: a sorted file, a directory of such files, a checkpoint, or a directory of Pegasus.

use super::source::{Part, checkpoint, is_table, names, size, table};
use super::{bulk_load, cold_backup};
use crate::error::{Error, Result};
use std::path::Path;

/// Returns the parts of a path, in the order in which they are loaded.
///
/// # Errors
///
/// The path does not exist, cannot be read, has nothing that can be loaded, or is not complete.
pub(super) fn find(path: &Path) -> Result<Vec<Part>> {
    let failed = |error| Error::Io(format!("reading {}", path.display()), error);
    let found = path.metadata().map_err(failed)?;
    if found.is_file() {
        return Ok(vec![table(path, found.len())]);
    }
    if path.join(bulk_load::INFO).exists() {
        return bulk_load::find(path);
    }
    if path.join(cold_backup::METADATA).exists() {
        return cold_backup::find(path);
    }
    if path.join("CURRENT").exists() {
        return Ok(vec![checkpoint(path, None, Vec::new())?]);
    }
    let names = names(path)?;
    let tables = names.iter().filter(|name| is_table(name));
    let tables: Vec<_> = tables.map(|name| path.join(name)).collect();
    if !tables.is_empty() {
        let sized = tables.iter().map(|path| Ok(table(path, size(path)?)));
        return sized.collect();
    }
    let apps: Vec<_> =
        names.iter().filter(|name| path.join(name).join(cold_backup::METADATA).exists()).collect();
    match apps[..] {
        [app] => cold_backup::find(&path.join(app)),
        [] => Err(Error::Setting(format!(
            "{}: expected an SST file, a directory of such files (*.sst), a checkpoint (with CURRENT), a bulk load of \
             Pegasus (with {}) or a backup of Pegasus (with {})",
            path.display(),
            bulk_load::INFO,
            cold_backup::METADATA
        ))),
        _ => {
            let apps: Vec<_> = apps.iter().map(|app| app.to_string_lossy()).collect();
            Err(Error::Setting(format!(
                "{} has backups of several tables, name one of them: {}",
                path.display(),
                apps.join(", ")
            )))
        }
    }
}
