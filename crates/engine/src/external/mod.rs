//! Tables from or for other places: files for ingestion, metadata of a database's files, and copies of them.
//!
//! Nothing here depends on the database; `utilities/` uses these parts.

pub(crate) mod copy;
mod ingest;
mod metadata;
mod sst_file_reader;
mod sst_file_writer;

pub(crate) use ingest::{
    Destination, ExternalFile, TargetTree, check_together, key_range_of_all, table_boundaries,
};
pub use metadata::{
    ColumnFamilyMetaData, ExportImportFilesMetaData, LevelMetaData, LiveFileMetaData, LiveFiles,
};
pub use sst_file_reader::{SstEntries, SstEntry, SstEntryKind, SstFileReader};
pub use sst_file_writer::{ExternalSstFileInfo, SstFileWriter};
