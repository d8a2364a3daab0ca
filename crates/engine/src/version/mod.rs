//! Which files make up a database: per file, per version, and on disk in the MANIFEST.
//!
//! | File | Owns |
//! |---|---|
//! | `file_meta` | one live table file, and the graveyard that its number goes to |
//! | `edit`, `edit_file` | one MANIFEST record: a change of the set of files, as values and as bytes |
//! | `level`, `version` | the immutable set of files of a column family, and lookups in it |
//! | `builder` | version + edits = next version, with every check of order and overlap |
//! | `level_iter` | one iterator over the files of a sorted level |

pub mod builder;
pub mod edit;
mod edit_file;
pub mod file_meta;
pub mod level;
pub mod level_iter;
#[expect(clippy::module_inception, reason = "the folder is named after its main thing")]
pub mod version;

pub use builder::VersionBuilder;
pub use edit::{BlobFileAddition, BlobFileGarbage, VersionEdit, WalAddition};
pub use file_meta::{FileMeta, FileStats, Graveyard};
pub use level::Level;
pub use level_iter::LevelIter;
pub use version::{DeeperKeys, Version};

#[cfg(test)]
mod testing;
