//! Adding sorted files of rows to partitions, besides commits.

use super::{Format, Partition};
use crate::error::Result;
use ferrolith::SstFileWriter;
use std::path::{Path, PathBuf};

/// A store that takes sorted files of rows. They are added without the log and the memtables, so this is the fast way
/// to write many rows.
pub trait Ingest: Send + Sync + 'static {
    /// Begins a sorted file of rows, with the filters and the compression that tables of this format have.
    ///
    /// # Errors
    ///
    /// The file cannot be created.
    fn sorted_file(&self, format: Format, path: &Path) -> Result<SstFileWriter>;

    /// Writes what partitions have in memory to tables. Called before [`ingest`](Ingest::ingest), it makes that one
    /// short.
    ///
    /// # Errors
    ///
    /// A partition does not exist, or a table cannot be written.
    fn flush(&self, partitions: &[Partition]) -> Result<()>;

    /// Adds sorted files to partitions: each partition is named once, with at least one file. Their rows replace older
    /// ones of the same keys; of several files with a key, the last one counts. Readers see all files or none, also
    /// after a crash of the machine. The files are moved.
    ///
    /// A command that reads rows and then writes may lose its order with this: the caller holds the latches of all
    /// keys.
    ///
    /// # Errors
    ///
    /// A partition does not exist, or a file cannot be read or linked. Nothing is added then.
    fn ingest(&self, files: &[(Partition, Vec<PathBuf>)]) -> Result<()>;

    /// Returns the directory where sorted files are written before they are added. It is on the device of the data, and
    /// what it has is removed when the store opens.
    fn staging(&self) -> PathBuf;
}
