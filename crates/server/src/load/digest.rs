//! The sizes and digests of files that Pegasus's metadata names.

use super::metadata::FileMeta;
use super::progress::LoadProgress;
use super::source::{Listed, inside};
use crate::error::{Error, Result};
use md5::{Digest, Md5};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The bytes that are read at once.
const CHUNK: usize = 256 << 10;

/// Returns the files of a directory that a file of metadata names.
///
/// # Errors
///
/// A name leads out of the directory, or the sizes are not valid or do not add up to `total`.
pub(super) fn listed(
    dir: &Path,
    files: &[FileMeta],
    total: i64,
    named_by: &Path,
) -> Result<Vec<Listed>> {
    let mut found = Vec::with_capacity(files.len());
    let mut sum = 0_u64;
    for file in files {
        let bytes = u64::try_from(file.size).map_err(|_| {
            Error::corrupt(format!(
                "{}: {}: expected a size, found {}",
                named_by.display(),
                file.name,
                file.size
            ))
        })?;
        sum = sum.saturating_add(bytes);
        let path = inside(dir, &file.name, named_by)?;
        found.push(Listed { path, bytes, md5: file.md5.to_ascii_lowercase() });
    }
    if i64::try_from(sum) != Ok(total) {
        return Err(Error::corrupt(format!(
            "{}: the sizes of the files are {sum} bytes together, expected {total}",
            named_by.display()
        )));
    }
    Ok(found)
}

/// Compares the size and the digest of a file with those in its metadata.
///
/// # Errors
///
/// The file cannot be read or is another one, or the load is to stop.
pub(super) fn compare(file: &Listed, progress: &LoadProgress) -> Result<()> {
    let name = file.path.display();
    let failed = |error| Error::Io(format!("reading {name}"), error);
    let mut source = File::open(&file.path).map_err(failed)?;
    let length = source.metadata().map_err(failed)?.len();
    if length != file.bytes {
        let expected = file.bytes;
        return Err(Error::corrupt(format!("{name}: expected {expected} bytes, found {length}")));
    }
    if file.md5.is_empty() {
        return Ok(());
    }
    let (mut digest, mut chunk) = (Md5::new(), vec![0; CHUNK]);
    loop {
        progress.check()?;
        let length = source.read(&mut chunk).map_err(failed)?;
        if length == 0 {
            break;
        }
        digest.update(chunk.get(..length).unwrap_or_default());
        progress.note_checked(length as u64);
    }
    let found: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    if found == file.md5 {
        return Ok(());
    }
    Err(Error::corrupt(format!("{name}: expected the MD5 {}, found {found}", file.md5)))
}
