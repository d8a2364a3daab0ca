//! Descriptors of the column families to open.

use crate::error::Error;
use crate::options::ColumnFamilyOptions;

/// The name of the column family that every database has.
pub const DEFAULT_COLUMN_FAMILY: &str = "default";

/// A column family to open, and its options.
#[derive(Clone)]
pub struct ColumnFamilyDescriptor {
    /// The name.
    pub name: String,
    /// The options.
    pub options: ColumnFamilyOptions,
}

impl ColumnFamilyDescriptor {
    /// Creates the descriptor of a column family with these options.
    pub fn new(name: impl Into<String>, options: ColumnFamilyOptions) -> ColumnFamilyDescriptor {
        ColumnFamilyDescriptor { name: name.into(), options }
    }
}

/// Returns the error for a family that a database does not have.
pub(crate) fn not_found(name: &str) -> Error {
    Error::invalid_argument(format!("Column family not found: {name}"))
        .advice("create it first, or set create_missing_column_families")
}
