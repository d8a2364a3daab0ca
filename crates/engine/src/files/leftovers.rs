//! Leftover files of a crash or an older session. They are found at opening by listing the directories.

use super::keeper::FileKeeper;
use super::wal_list::{list_wals, wals_among};
use crate::error::Result;
use crate::fs::FileSystem;
use crate::fs::filename::{self, FileKind};
use crate::version::VersionSet;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Which leftover files to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leftovers {
    /// All that are not needed.
    All,
    /// Tables only: until a MANIFEST is written, it is not known which of the other files are needed.
    Tables,
}

impl FileKeeper {
    /// Deletes files in the directories that a crash or an older session left. Runs once, after a successful recovery
    /// and before any job, so no file is being written.
    ///
    /// If the MANIFEST did not end with its last edit, edits may be missing. Then it and the unknown tables are moved
    /// to `lost`, for a repair.
    ///
    /// `data_dirs` are the table directories of all families, and `wals` the live WALs.
    pub(crate) fn purge_leftovers(
        &self,
        which: Leftovers,
        versions: &VersionSet,
        data_dirs: BTreeSet<PathBuf>,
        wals: &BTreeSet<u64>,
    ) -> Result<()> {
        let names = self.session.fs.list_dir(&self.session.dir)?;
        for name in &names {
            match filename::parse_file_name(name) {
                Some(FileKind::Table(number)) if !versions.needs_table(number) => {
                    self.remove_leftover(versions, &self.session.dir.join(name));
                }
                Some(FileKind::Manifest(number))
                    if which == Leftovers::All && !versions.needs_manifest(number) =>
                {
                    self.remove_leftover(versions, &self.session.dir.join(name));
                }
                Some(FileKind::Temp(_)) => drop(self.delete(&self.session.dir.join(name))),
                // Files that an older session had no time to delete.
                None if is_trash(name) => drop(self.delete(&self.session.dir.join(name))),
                _ => {}
            }
        }
        self.purge_data_paths(versions, data_dirs)?;
        if which == Leftovers::Tables {
            return Ok(());
        }
        let mut replayed = match self.session.wal_dir == self.session.dir {
            true => wals_among(&names),
            false => list_wals(&self.session)?,
        };
        replayed.retain(|number| !wals.contains(number));
        self.delete_wals(&replayed);
        Ok(())
    }

    /// The part of [`FileKeeper::purge_leftovers`] for directories that hold only tables.
    fn purge_data_paths(&self, versions: &VersionSet, mut dirs: BTreeSet<PathBuf>) -> Result<()> {
        dirs.remove(&self.session.dir);
        for dir in dirs {
            for name in self.session.fs.list_dir(&dir)? {
                match filename::parse_file_name(&name) {
                    Some(FileKind::Table(number)) if !versions.needs_table(number) => {
                        self.remove_leftover(versions, &dir.join(&name));
                    }
                    None if is_trash(&name) => drop(self.delete(&dir.join(&name))),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Removes a table or a MANIFEST that the database does not refer to. If this fails, the next open retries it.
    fn remove_leftover(&self, versions: &VersionSet, path: &Path) {
        if versions.read_clean() {
            let _ = self.delete(path);
            return;
        }
        let path_text = path.display();
        match move_to_lost(&*self.session.fs, path) {
            Ok(()) => self.session.info_log.warn(format_args!(
                "{path_text} was moved to the directory lost: the MANIFEST ends in the middle \
                 of a record, so edits may be missing"
            )),
            Err(e) => self
                .session
                .info_log
                .warn(format_args!("cannot move {path_text} to the directory lost: {e}")),
        }
    }
}

/// Moves a file that may still be needed into the directory `lost` beside it.
pub(crate) fn move_to_lost(fs: &dyn FileSystem, path: &Path) -> Result<()> {
    fs.rename(path, &place_in_lost(fs, path)?)
}

/// Returns the path in `lost` for a file that is set aside. Creates the directory.
pub(crate) fn place_in_lost(fs: &dyn FileSystem, path: &Path) -> Result<PathBuf> {
    let dir = path.parent().unwrap_or(path).join("lost");
    fs.create_dir_if_missing(&dir)?;
    Ok(dir.join(path.file_name().unwrap_or_default()))
}

/// Returns whether the file is a table that waited to be deleted at a limited rate.
fn is_trash(name: &str) -> bool {
    name.ends_with(".sst.trash")
}
