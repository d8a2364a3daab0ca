//! What is loaded: sorted files and checkpoints, and the files that they consist of.

use crate::error::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// A file with the size and the digest that it must have.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Listed {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// The MD5 in lower-case hexadecimal digits; empty if it is not known.
    pub(super) md5: String,
}

/// What the rows are in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Content {
    /// A sorted file.
    Table,
    /// A directory with a whole database of a Pegasus replica.
    Checkpoint,
}

/// Rows that are loaded together.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Part {
    pub(super) path: PathBuf,
    pub(super) content: Content,
    /// The bytes of its files, for the progress.
    pub(super) bytes: u64,
    /// Of a backup, the partition and the number of partitions: other rows are left from a split of partitions.
    pub(super) only: Option<(u32, u32)>,
    /// What is known of its files.
    pub(super) listed: Vec<Listed>,
}

/// Returns a sorted file as a part.
pub(super) fn table(path: &Path, bytes: u64) -> Part {
    let (path, content) = (path.to_owned(), Content::Table);
    Part { path, content, bytes, only: None, listed: Vec::new() }
}

/// Returns a checkpoint as a part.
pub(super) fn checkpoint(
    path: &Path,
    only: Option<(u32, u32)>,
    listed: Vec<Listed>,
) -> Result<Part> {
    let names = names(path)?;
    let tables = names.iter().filter(|name| is_table(name));
    let bytes = tables.map(|name| size(&path.join(name))).sum::<Result<u64>>()?;
    Ok(Part { path: path.to_owned(), content: Content::Checkpoint, bytes, only, listed })
}

/// Returns the path of a file that a directory's metadata names.
///
/// # Errors
///
/// The name leads out of the directory.
pub(super) fn inside(dir: &Path, name: &str, named_by: &Path) -> Result<PathBuf> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == OsStr::new(name) => Ok(dir.join(name)),
        _ => Err(Error::corrupt(format!(
            "{}: expected the name of a file, found {name:?}",
            named_by.display()
        ))),
    }
}

/// Returns the names in a directory, sorted.
pub(super) fn names(dir: &Path) -> Result<Vec<OsString>> {
    let failed = |error| Error::Io(format!("reading {}", dir.display()), error);
    let entries = std::fs::read_dir(dir).map_err(failed)?;
    let names: std::io::Result<Vec<_>> =
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect();
    let mut names = names.map_err(failed)?;
    names.sort();
    Ok(names)
}

/// Returns whether a name is that of a sorted file. Hidden ones describe others: `.1.sst.meta`.
pub(super) fn is_table(name: &OsStr) -> bool {
    let path = Path::new(name);
    path.extension().is_some_and(|it| it == "sst") && !name.as_encoded_bytes().starts_with(b".")
}

/// Returns the bytes of a file.
pub(super) fn size(path: &Path) -> Result<u64> {
    let found = path.metadata();
    let found = found.map_err(|error| Error::Io(format!("reading {}", path.display()), error))?;
    Ok(found.len())
}
