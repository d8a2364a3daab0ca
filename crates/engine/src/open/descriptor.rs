//! Which column families are opened, and how.

use crate::error::Error;
use crate::options::ColumnFamilyOptions;

/// The name of the column family that every database has.
pub const DEFAULT_COLUMN_FAMILY: &str = "default";

/// A column family to open, and how.
#[derive(Clone)]
pub struct ColumnFamilyDescriptor {
    /// Its name.
    pub name: String,
    /// Its options.
    pub options: ColumnFamilyOptions,
}

impl ColumnFamilyDescriptor {
    /// A column family with these options.
    pub fn new(name: impl Into<String>, options: ColumnFamilyOptions) -> ColumnFamilyDescriptor {
        ColumnFamilyDescriptor { name: name.into(), options }
    }
}

/// The error of a family that a database does not have.
pub(crate) fn not_found(name: &str) -> Error {
    Error::invalid_argument(format!("Column family not found: {name}"))
        .advice("create it first, or set create_missing_column_families")
}
