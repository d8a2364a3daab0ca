//! Files that a crash or an older session left behind: found at opening, by listing the directories.

use super::keeper::FileKeeper;
use super::wal_list::{list_wals, wals_among};
use crate::error::Result;
use crate::fs::FileSystem;
use crate::fs::filename::{self, FileKind};
use crate::version::VersionSet;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Which files of older sessions go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leftovers {
    /// All that nobody needs.
    All,
    /// Tables: until a MANIFEST was written, it is not known which of them count.
    Tables,
}

impl FileKeeper {
    /// Deletes what a crash or an older session left in the directories. Runs once, after a
    /// successful recovery and before any job: so no file is being made.
    ///
    /// If the MANIFEST did not end with its last edit, edits may be missing: it and the tables that
    /// nobody knows go to `lost`, for a repair.
    ///
    /// `data_dirs` are those of the tables of all families, and `wals` the live ones.
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
                // What an older session had no time to remove.
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

    /// The part of [`FileKeeper::purge_leftovers`] for directories that hold nothing but tables.
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

    /// Removes a table or a MANIFEST that nobody knows. What cannot be removed is tried again at the
    /// next open.
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

/// Moves a file that may still be needed out of the way, into the directory `lost` beside it.
pub(crate) fn move_to_lost(fs: &dyn FileSystem, path: &Path) -> Result<()> {
    fs.rename(path, &place_in_lost(fs, path)?)
}

/// Where a file goes that is set aside. Makes the directory.
pub(crate) fn place_in_lost(fs: &dyn FileSystem, path: &Path) -> Result<PathBuf> {
    let dir = path.parent().unwrap_or(path).join("lost");
    fs.create_dir_if_missing(&dir)?;
    Ok(dir.join(path.file_name().unwrap_or_default()))
}

/// Whether it is a table that waited to be removed at a limited rate.
fn is_trash(name: &str) -> bool {
    name.ends_with(".sst.trash")
}
