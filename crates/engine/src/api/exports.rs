//! Moving column families from one database to another as table files.

use super::{ColumnFamily, ColumnFamilyOptions, Db};
use crate::error::Result;
use crate::options::ImportColumnFamilyOptions;
use crate::utilities::Checkpoint;
use std::path::Path;

pub use crate::external::ExportImportFilesMetaData as ExportedColumnFamily;

impl ColumnFamily {
    /// Creates a directory with the family's tables, after a flush, for [`Db::import_cf`]. The directory must not
    /// exist.
    ///
    /// # Errors
    /// Fails if the directory exists or cannot be written, or for a dropped family.
    pub fn export(&self, dir: impl AsRef<Path>) -> Result<ExportedColumnFamily> {
        Checkpoint::new(self.db().inner()).export_column_family(self.alive()?, dir)
    }
}

impl Db {
    /// Creates a column family from exported tables, which are copied.
    ///
    /// ```
    /// use ferrolith::{ColumnFamilyOptions, Db};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = Db::open(dir.path().join("db"))?;
    /// let planets = db.create_cf("planets")?;
    /// planets.put("3", "Earth")?;
    /// let exported = planets.export(dir.path().join("export"))?;
    /// let copy = db.import_cf("copy", ColumnFamilyOptions::new(), &exported)?;
    /// assert_eq!(copy.get("3")?.unwrap(), "Earth");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if a family of that name exists, if the comparators differ, or if a file cannot be read or written.
    pub fn import_cf(
        &self,
        name: &str,
        options: impl Into<ColumnFamilyOptions>,
        exported: &ExportedColumnFamily,
    ) -> Result<ColumnFamily> {
        let (options, how) = (options.into(), ImportColumnFamilyOptions::default());
        let handle =
            self.inner().create_cf_with_import(name, options.inner(), &how, &[exported])?;
        Ok(ColumnFamily::new(self, handle))
    }
}
