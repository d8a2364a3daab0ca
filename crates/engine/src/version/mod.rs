//! The set of files that make up a database: file metadata, versions, and their record on disk, the MANIFEST.
//!
//! | File | Owns |
//! |---|---|
//! | `file_meta` | one live table file, and the list of obsolete files that its number goes to |
//! | `edit`, `edit_file`, `edit_fields` | one MANIFEST record: a change of the set of files, as values and as bytes |
//! | `level`, `version` | the immutable set of files of a column family, and lookups in it |
//! | `level_iter` | one iterator over the files of a sorted level |
//! | `table_cache` | from a file's metadata to its open reader |
//! | `builder` | version + edits = next version, with every check of order and overlap |
//! | `manifest` | the MANIFEST as a file, and the switch from one to the next |
//! | `replay`, `recover` | from records to the state they describe, from the state to versions |
//! | `salvage` | a MANIFEST made anew from tables |
//! | `set` | the current version of every column family; installs edits |
//! | `check` | checks of a whole tree, for debug builds and tests |

pub mod builder;
#[cfg(any(test, debug_assertions))]
pub(crate) mod check;
mod data_paths;
pub mod edit;
mod edit_fields;
mod edit_file;
pub mod file_meta;
pub mod level;
pub mod level_iter;
pub mod manifest;
pub mod recover;
pub mod replay;
mod salvage;
pub mod set;
mod source;
mod table_cache;
#[expect(clippy::module_inception, reason = "the folder is named after its main thing")]
pub mod version;

pub use builder::VersionBuilder;
pub use data_paths::DataPaths;
pub use edit::VersionEdit;
pub use file_meta::{FileMeta, FileStats, ObsoleteFiles, ObsoleteTable};
pub use level::Level;
pub use level_iter::LevelIter;
pub use manifest::Manifest;
pub use recover::ColumnFamilySpec;
pub(crate) use salvage::{SalvagedFamily, write_salvaged};
pub use set::{Counters, VersionSet, VersionSetOptions};
pub use source::Source;
pub use table_cache::{OpenTables, TableCache};
pub use version::Version;

#[cfg(test)]
mod ldb_test;
#[cfg(test)]
mod matrix_test;
#[cfg(test)]
pub(crate) mod testing;
