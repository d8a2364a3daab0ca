//! Tables that come from outside or go outside: files made for ingestion, what the database says of
//! its files, copies of them.
//!
//! Nothing here knows a database: the files of `utilities/` do.

pub(crate) mod copy;
mod ingest;
mod metadata;
mod sst_file_writer;

pub(crate) use ingest::{
    Destination, ExternalFile, TargetTree, check_together, key_range_of_all, table_boundaries,
};
pub use metadata::{
    ColumnFamilyMetaData, ExportImportFilesMetaData, LevelMetaData, LiveFileMetaData, LiveFiles,
};
pub use sst_file_writer::{ExternalSstFileInfo, SstFileWriter};
