//! Opening a database, and operations on a database that is not open.

use super::Db;
use super::error::{not_opened, refuse_backups};
use super::options::{ColumnFamilyOptions, Options};
use crate::error::Result;
use crate::open::{ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY};
use crate::utilities::AnyDb;
use std::borrow::Borrow;
use std::path::Path;

impl Db {
    /// Opens the database in this directory with default options, and creates it if there is none.
    ///
    /// All its column families are opened, also with default options. For a database that needs other options (a merge
    /// operator, a comparator), use [`Db::open_with`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// let db = ferrolith::Db::open(path)?;
    /// db.put("key", "value")?;
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the database is open elsewhere, if it is damaged, if it was written with another comparator, or if the
    /// directory cannot be created, read or written.
    pub fn open(path: impl AsRef<Path>) -> Result<Db> {
        Db::open_with(Options::new().create_if_missing(true), path)
    }

    /// Opens the database in this directory.
    ///
    /// The column families named with [`Options::column_family`] are opened with their options, and created if they do
    /// not exist. The database's other families are opened with the options of the default family.
    ///
    /// ```
    /// use ferrolith::{ColumnFamilyOptions, CompressionType, Db, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// let options = Options::new()
    ///     .create_if_missing(true)
    ///     .compression(CompressionType::Lz4)
    ///     .column_family("archive", ColumnFamilyOptions::new().compression(CompressionType::Zstd));
    /// let db = Db::open_with(&options, path)?;
    /// db.cf("archive")?.put("key", "value")?;
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::open`]; also if there is no database and [`Options::create_if_missing`] is false, and for options
    /// that cannot be honoured: the message names the option.
    pub fn open_with(options: impl Borrow<Options>, path: impl AsRef<Path>) -> Result<Db> {
        let options = options.borrow();
        let families = descriptors(options, path.as_ref())?;
        let (db, _) = AnyDb::open_cf(&options.to_open(), path, families).map_err(not_opened)?;
        Ok(Db::from_inner(db))
    }

    /// Opens a database with these column families. Each has the options given with [`Options::column_family`],
    /// otherwise those of the default family, and is created if it does not exist.
    ///
    /// ```
    /// use ferrolith::{Db, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// let options = Options::new().create_if_missing(true);
    /// let db = Db::open_cf(options, path, ["users", "visits"])?;
    /// db.cf("users")?.put("1", "Ada")?;
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::open_with`].
    pub fn open_cf<N: AsRef<str>>(
        options: impl Borrow<Options>,
        path: impl AsRef<Path>,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Db> {
        let mut options = options.borrow().clone();
        for name in names {
            if !options.has_family(name.as_ref()) {
                let of_default = ColumnFamilyOptions::from(&options);
                options = options.column_family(name.as_ref(), of_default);
            }
        }
        Db::open_with(options, path)
    }

    /// Opens a database for reading while another process may have it open for writing. It shows the state at the time
    /// of the opening. Writes fail.
    ///
    /// ```
    /// use ferrolith::{Db, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// let writer = Db::open(path)?;
    /// writer.put("key", "value")?;
    /// let reader = Db::open_read_only(Options::new(), path)?;
    /// assert_eq!(reader.get("key")?.unwrap(), "value");
    /// assert!(reader.put("key", "other").is_err());
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if there is no database, if it is damaged, or for options that cannot be honoured.
    pub fn open_read_only(options: impl Borrow<Options>, path: impl AsRef<Path>) -> Result<Db> {
        let options = options.borrow();
        let families = existing(options, path.as_ref())?;
        let (db, _) = AnyDb::open_cf_for_read_only(&options.inner().db, path, families, false)
            .map_err(not_opened)?;
        Ok(Db::from_inner(db))
    }

    /// Opens a database whose entries expire: compactions drop entries older than the time to live, which
    /// [`Options::time_to_live`] sets for each family or for the database. Until then an expired entry may still be
    /// read.
    ///
    /// Values are stored with the time of their write, as with RocksDB's `DBWithTTL`, so the database must always be
    /// opened with this method.
    ///
    /// Such a database does not support transactions, as in RocksDB's C API: opening a
    /// [`TransactionDb`](crate::transaction::TransactionDb) or an
    /// [`OptimisticTransactionDb`](crate::transaction::OptimisticTransactionDb) with a time to live is an error.
    ///
    /// ```
    /// use ferrolith::{Db, Options};
    /// use std::time::Duration;
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// let day = Duration::from_secs(24 * 60 * 60);
    /// let options = Options::new().create_if_missing(true).time_to_live(day);
    /// let db = Db::open_with_ttl(options, path)?;
    /// db.put("session:1", "Ada")?;
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::open_with`].
    pub fn open_with_ttl(options: impl Borrow<Options>, path: impl AsRef<Path>) -> Result<Db> {
        let options = options.borrow();
        let families = descriptors(options, path.as_ref())?;
        let ttls: Vec<i32> =
            families.iter().map(|family| options.ttl_seconds(&family.name)).collect();
        let (db, _) = AnyDb::open_cf_with_ttl(&options.to_open(), path, families, &ttls, false)
            .map_err(not_opened)?;
        Ok(Db::from_inner(db))
    }

    /// Returns the names of a database's column families without opening it.
    ///
    /// ```
    /// use ferrolith::{Db, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// Db::open(path)?.create_cf("planets")?;
    /// assert_eq!(Db::list_cf(Options::new(), path)?, ["default", "planets"]);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if there is no database, or if its MANIFEST cannot be read.
    pub fn list_cf(options: impl Borrow<Options>, path: impl AsRef<Path>) -> Result<Vec<String>> {
        AnyDb::list_column_families(&options.borrow().inner().db, path)
    }

    /// Deletes a database: all its files, and its directories if they contain nothing else.
    ///
    /// ```
    /// use ferrolith::{Db, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path().join("db");
    /// drop(Db::open(&path)?);
    /// Db::destroy(Options::new(), &path)?;
    /// assert!(!path.exists());
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the database is open somewhere, or if a file cannot be deleted.
    pub fn destroy(options: impl Borrow<Options>, path: impl AsRef<Path>) -> Result<()> {
        let options = options.borrow();
        let families = existing(options, path.as_ref())?;
        AnyDb::destroy_cf(&options.inner().db, path, &families)
    }

    /// Rebuilds a database from the remaining files of a directory whose MANIFEST is lost or damaged. Unusable tables
    /// and logs are moved to the directory `lost`. Deleted data may reappear.
    ///
    /// ```
    /// use ferrolith::{Db, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// let db = Db::open(path)?;
    /// db.put("key", "value")?;
    /// db.flush()?;
    /// db.close()?;
    /// std::fs::remove_file(path.join("CURRENT")).unwrap();
    /// Db::repair(Options::new(), path)?;
    /// assert_eq!(Db::open(path)?.get("key")?.unwrap(), "value");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the database is open somewhere, or if the directory cannot be read or written.
    pub fn repair(options: impl Borrow<Options>, path: impl AsRef<Path>) -> Result<()> {
        let options = options.borrow();
        let families = options.descriptors();
        AnyDb::repair_cf(&options.inner().db, path, &families, Some(&options.inner().cf))
    }
}

/// Returns the named families and the other families of the database.
pub(super) fn descriptors(options: &Options, path: &Path) -> Result<Vec<ColumnFamilyDescriptor>> {
    if options.inner().db.components.file_system.is_none() {
        refuse_backups(path)?;
    }
    let mut families = options.descriptors();
    // If there is no database to list, opening it creates one or returns the error.
    let listed = AnyDb::list_column_families(&options.inner().db, path).unwrap_or_default();
    for name in listed {
        if families.iter().all(|family| family.name != name) {
            families.push(ColumnFamilyDescriptor::new(name, options.inner().cf.clone()));
        }
    }
    Ok(families)
}

/// Returns the families of the database, or only the default one if they cannot be listed.
fn existing(options: &Options, path: &Path) -> Result<Vec<ColumnFamilyDescriptor>> {
    let listed = AnyDb::list_column_families(&options.inner().db, path);
    let mut families = descriptors(options, path)?;
    families.retain(|family| match &listed {
        Ok(listed) => listed.contains(&family.name),
        Err(_) => family.name == DEFAULT_COLUMN_FAMILY,
    });
    Ok(families)
}
