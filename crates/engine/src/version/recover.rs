//! Building versions from the state that a MANIFEST describes, with all checks that opening a
//! database makes.

use super::builder::sort_level0;
use super::replay::{ColumnFamilyState, ManifestState};
use super::{DataPaths, FileMeta, Version, VersionBuilder, VersionEdit};
use crate::base::KeyOrder;
use crate::error::{Error, Result};
use crate::fs::FileSystem;
use crate::options::DbPath;
use std::sync::Arc;

/// The opener's description of a column family.
#[derive(Clone, Debug)]
pub struct ColumnFamilySpec {
    /// Its name.
    pub name: String,
    /// Its key order.
    pub order: KeyOrder,
    /// The number of levels of its tree.
    pub num_levels: usize,
    /// The directories of its tables; empty means the database directory.
    pub paths: Vec<DbPath>,
}

/// Checks that the opener lists every column family of the database.
pub(super) fn check_all_known(state: &ManifestState, specs: &[ColumnFamilySpec]) -> Result<()> {
    let known = |name: &str| specs.iter().any(|spec| spec.name == name);
    let names = state.column_families.values().map(|cf| cf.name.as_str());
    let unknown: Vec<&str> = names.filter(|name| !known(name)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Error::invalid_argument(format!("Column families not opened: {}", unknown.join(", "))))
}

/// Builds the version of a column family, checking order and overlap and the files on disk.
pub(super) fn build_version(
    fs: &dyn FileSystem,
    paths: &DataPaths,
    cf: &ColumnFamilyState,
    spec: &ColumnFamilySpec,
) -> Result<Version> {
    if let Some(name) = &cf.comparator
        && name != spec.order.name()
    {
        let message = format!("{}: does not match existing comparator {name}", spec.order.name());
        return Err(Error::invalid_argument(message).explained(format!(
            "column family {:?} was created with the comparator {name}, and cannot be opened with {}",
            spec.name,
            spec.order.name()
        )));
    }
    refuse_blob_files(cf)?;
    let mut edit =
        VersionEdit { new_files: cf.files.values().cloned().collect(), ..Default::default() };
    complete_epochs(&spec.order, &mut edit.new_files)?;
    let base = Version::empty(spec.order.clone(), spec.num_levels);
    let mut builder = VersionBuilder::new(Arc::new(base));
    builder.apply(&edit)?;
    let version = builder.build()?.version;
    for (_, file) in version.all_files() {
        check_file(fs, paths, file)?;
    }
    Ok(version)
}

fn refuse_blob_files(cf: &ColumnFamilyState) -> Result<()> {
    let pointed_at = cf.files.values().map(|(_, f)| f.oldest_blob_file_number).filter(|&n| n != 0);
    match cf.live_blob_files().chain(pointed_at).min() {
        None => Ok(()),
        Some(number) => Err(Error::not_supported(format!(
            "blob files: column family {} has values in {number:06}.blob",
            cf.name
        ))),
    }
}

/// Assigns epoch numbers to all files, unless every file has one. The rule is RocksDB's: the
/// deepest level is oldest, each level below level 0 shares one number, and on level 0 each file
/// has its own, by age.
fn complete_epochs(order: &KeyOrder, files: &mut [(usize, Arc<FileMeta>)]) -> Result<()> {
    if files.iter().all(|(_, f)| f.epoch_number != 0) {
        return Ok(());
    }
    let renumbered = |f: &FileMeta, epoch| Arc::new(f.with_epoch(epoch));
    let mut level0: Vec<_> =
        files.iter().filter(|(level, _)| *level == 0).map(|(_, f)| renumbered(f, 0)).collect();
    sort_level0(order, &mut level0)?;
    let mut deep: Vec<usize> = files.iter().map(|(level, _)| *level).filter(|&l| l > 0).collect();
    deep.sort_unstable();
    deep.dedup();
    for (level, file) in files.iter_mut() {
        let after = if *level == 0 {
            let newer = level0.iter().position(|f| f.number == file.number).unwrap_or_default();
            deep.len() + level0.len() - 1 - newer
        } else {
            deep.iter().filter(|&l| l > level).count()
        };
        *file = renumbered(file, 1 + after as u64);
    }
    Ok(())
}

/// Checks that a live file exists and has the size recorded in the MANIFEST.
fn check_file(fs: &dyn FileSystem, paths: &DataPaths, file: &FileMeta) -> Result<()> {
    let mut path = paths.table(file);
    let size = match fs.file_size(&path) {
        Ok(size) => size,
        Err(_) => {
            path = paths.table_that_exists(fs, file)?;
            if !fs.exists(&path)? {
                return Err(Error::corruption(format!(
                    "IO error: No such file or directory: While open a file for random read: {}: No such file or \
                     directory: the MANIFEST names it",
                    path.display()
                ))
                .explained(format!(
                    "table {} is missing, but the MANIFEST names it",
                    path.display()
                ))
.about_file(&path));
            }
            fs.file_size(&path)?
        }
    };
    if size != file.file_size {
        return Err(Error::corruption(format!(
            "Sst file size mismatch between expected {} and file system {size} sstable: {}: the expected size \
             comes from the MANIFEST",
            file.file_size,
            path.display()
        ))
        .explained(format!(
            "table {} has {size} bytes; the MANIFEST says {}",
            path.display(),
            file.file_size
        ))
.about_file(&path));
    }
    Ok(())
}

#[cfg(test)]
#[path = "recover_test.rs"]
mod tests;
