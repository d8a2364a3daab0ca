//! Restoring a backup to a directory of its own.

use super::Vault;
use crate::error::{Error, Result};
use ferrolith::backup::RestoreOptions;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Instant;
use tracing::{error, info};

/// The file of a directory whose restore has not finished.
pub const UNFINISHED: &str = "RESTORE-UNFINISHED";

/// Restores a backup to a directory that does not exist or is empty, or in which an earlier restore did not finish.
/// Every byte is compared with the backup's checksums. The log has the beginning and the end.
///
/// # Errors
///
/// The directory has other files, a file of the backup is missing or damaged (the error names it), or a file cannot be
/// written.
pub fn restore(vault: &Vault, id: u32, to: &Path) -> Result<()> {
    let (place, shown, begun) = (vault.place(), to.display(), Instant::now());
    info!(
        target: "ferrolith::backup",
        kind = "restore", %place, backup = id, to = %shown, "started"
    );
    let restored = copy(vault, id, to);
    let seconds = begun.elapsed().as_secs();
    match &restored {
        Ok(()) => {
            let found = vault.list().into_iter().find(|it| it.backup_id == id);
            let (bytes, files) = found.map_or((0, 0), |it| (it.size, it.number_files));
            info!(
                target: "ferrolith::backup",
                kind = "restore", %place, backup = id, to = %shown, bytes, files, seconds, "done"
            );
        }
        Err(error) => error!(
            target: "ferrolith::backup",
            kind = "restore", %place, backup = id, to = %shown, seconds, %error, "failed"
        ),
    }
    restored
}

fn copy(vault: &Vault, id: u32, to: &Path) -> Result<()> {
    prepare(to)?;
    let engine = vault.engine();
    // Missing files are found before anything is copied.
    engine.verify_backup(id, false)?;
    let mark = to.join(UNFINISHED);
    let failed = |error| Error::Io(format!("writing {}", mark.display()), error);
    let text = format!("backup {id} of {}\n", vault.place());
    fs::write(&mark, text).map_err(failed)?;
    sync(to).map_err(failed)?;
    engine.restore_from_backup_opt(id, to, to, &RestoreOptions::new())?;
    fs::remove_file(&mark).map_err(failed)?;
    sync(to).map_err(failed)
}

/// Checks that no restore of a directory is unfinished.
///
/// # Errors
///
/// One is.
pub fn check_complete(dir: &Path) -> Result<()> {
    match is_unfinished(dir)? {
        false => Ok(()),
        true => Err(Error::Setting(format!(
            "a restore to {} has not finished: run it again, or remove the directory",
            dir.display()
        ))),
    }
}

fn is_unfinished(dir: &Path) -> Result<bool> {
    let failed = |error| Error::Io(format!("reading {}", dir.display()), error);
    dir.join(UNFINISHED).try_exists().map_err(failed)
}

/// Creates the directory, or checks that nothing in it would be lost.
fn prepare(to: &Path) -> Result<()> {
    let failed = |error| Error::Io(format!("reading {}", to.display()), error);
    let mut names = match fs::read_dir(to) {
        Ok(names) => names,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return fs::create_dir(to)
                .map_err(|error| Error::Io(format!("creating {}", to.display()), error));
        }
        Err(error) => return Err(failed(error)),
    };
    if is_unfinished(to)? {
        return Ok(());
    }
    match names.next() {
        None => Ok(()),
        Some(Err(error)) => Err(failed(error)),
        Some(Ok(entry)) => Err(Error::Setting(format!(
            "{} is not empty, it has {:?}: restore to a new directory",
            to.display(),
            entry.file_name()
        ))),
    }
}

fn sync(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}
