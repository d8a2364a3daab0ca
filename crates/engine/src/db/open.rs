//! Opening, listing and destroying databases.

use super::handles::{ColumnFamily, Db};
use crate::error::Result;
use crate::fs::filename::{self, FileKind};
use crate::fs::{io_error, no_such_file};
use crate::open::{self, ColumnFamilyDescriptor, Core, DEFAULT_COLUMN_FAMILY};
use crate::options::{DbOptions, Options};
use crate::version::VersionSet;
use std::path::Path;
use std::sync::Arc;

impl Db {
    /// Opens a database that has only the default column family.
    pub fn open(options: &Options, path: impl AsRef<Path>) -> Result<Db> {
        let default = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY, options.cf.clone());
        Ok(Db::open_cf(&options.db, path, vec![default])?.0)
    }

    /// Opens a database with these column families, which must be all that it has. The handles are in the order of the
    /// descriptors.
    pub fn open_cf(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: Vec<ColumnFamilyDescriptor>,
    ) -> Result<(Db, Vec<ColumnFamily>)> {
        let names: Vec<String> = families.iter().map(|family| family.name.clone()).collect();
        with_handles(open::open(options.clone(), path.as_ref(), families)?, &names)
    }

    /// Returns the names of the column families in a database, without opening it.
    pub fn list_column_families(
        options: &DbOptions,
        path: impl AsRef<Path>,
    ) -> Result<Vec<String>> {
        let fs = open::file_system(options);
        let dir = fs.absolute(path.as_ref());
        VersionSet::list_column_families(&*fs, &dir)
    }

    /// Deletes a database: every file that belongs to it, and the directories if they contain nothing else. Returns an
    /// error if the database is open anywhere.
    pub fn destroy(options: &DbOptions, path: impl AsRef<Path>) -> Result<()> {
        Db::destroy_cf(options, path, &[])
    }

    /// Does the same as [`Db::destroy`], including the data paths that these column families have of their own.
    pub fn destroy_cf(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: &[ColumnFamilyDescriptor],
    ) -> Result<()> {
        let fs = open::file_system(options);
        let dir = fs.absolute(path.as_ref());
        if !fs.exists(&dir)? {
            return match dir.parent() {
                // Only one directory level is ever created, so a missing parent suggests a wrong name.
                Some(parent) if !fs.exists(parent)? => {
                    let missing = no_such_file();
                    let lock = filename::lock_file_name(&dir);
                    let error = io_error("while open a file for lock", &lock, missing);
                    Err(error.explained(format!("{} does not exist", parent.display())))
                }
                _ => Ok(()),
            };
        }
        let lock = fs.lock_file(&filename::lock_file_name(&dir))?;
        let wal_dir = open::wal_directory(&*fs, options, &dir);
        let is_wal = |kind| matches!(kind, FileKind::Wal(_));
        // Other files in the archive do not belong to this database.
        open::remove_files(&*fs, &filename::archive_dir(&wal_dir), is_wal)?;
        open::remove_files(&*fs, &wal_dir, is_wal)?;
        open::remove_files(&*fs, &dir, |kind| kind != FileKind::Lock)?;
        let of_families = families.iter().flat_map(|family| &family.options.cf_paths);
        for path in options.db_paths.iter().chain(of_families) {
            let path = fs.absolute(&path.path);
            open::remove_files(&*fs, &path, |kind| matches!(kind, FileKind::Table(_)))?;
            if path != dir {
                let _ = fs.remove_dir(&path);
            }
        }
        drop(lock);
        fs.remove_file(&filename::lock_file_name(&dir))?;
        // Both calls fail if the directories contain anything else, which then stays.
        let _ = fs.remove_dir(&wal_dir);
        let _ = fs.remove_dir(&dir);
        Ok(())
    }

    /// Opens the default column family read-only. With `error_if_wal_file_exists`, returns an error if the database was
    /// not closed after a flush of all data.
    pub fn open_for_read_only(
        options: &Options,
        path: impl AsRef<Path>,
        error_if_wal_file_exists: bool,
    ) -> Result<Db> {
        let default = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY, options.cf.clone());
        let families = vec![default];
        Ok(Db::open_cf_for_read_only(&options.db, path, families, error_if_wal_file_exists)?.0)
    }

    /// Does the same as [`Db::open_for_read_only`] with these column families, which need not be all that the database
    /// has.
    pub fn open_cf_for_read_only(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: Vec<ColumnFamilyDescriptor>,
        error_if_wal_file_exists: bool,
    ) -> Result<(Db, Vec<ColumnFamily>)> {
        let names: Vec<String> = families.iter().map(|family| family.name.clone()).collect();
        let core = open::open_read_only(
            options.clone(),
            path.as_ref(),
            families,
            error_if_wal_file_exists,
        )?;
        with_handles(core, &names)
    }
}

/// Returns what the user gets: the database, and a handle for each of these families.
fn with_handles(core: Arc<Core>, names: &[String]) -> Result<(Db, Vec<ColumnFamily>)> {
    let db = Db::new(core, true);
    let handles = names.iter().map(|name| db.cf(name).ok_or_else(|| open::not_found(name)));
    let handles = handles.collect::<Result<_>>()?;
    Ok((db, handles))
}
