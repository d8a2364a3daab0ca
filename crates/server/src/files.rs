//! Replaces files in one step.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Replaces the contents of a file, or creates it for its owner alone. After a crash it has the old or the new
/// contents. A link is followed, and the file keeps its permissions.
///
/// # Errors
///
/// The file's directory cannot be written.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(dir)?;
    file.write_all(contents)?;
    if let Ok(metadata) = fs::metadata(&path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&path)?;
    // The name is durable only with its directory.
    File::open(dir)?.sync_all()
}

#[cfg(test)]
#[path = "files_test.rs"]
mod tests;
