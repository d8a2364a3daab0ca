//! Bulk loading: writing and reading SST files outside a database, and ingesting them.
//!
//! Ingesting sorted files is faster than writing their keys, because nothing is logged, sorted or compacted. [`Db`] and
//! [`ColumnFamily`] have the methods `ingest_external_file` and `ingest_external_file_opt`.
//! [`Db::ingest_external_files`] adds files to several families at once.
//!
//! [`Db`]: crate::Db
//! [`Db::ingest_external_files`]: crate::Db::ingest_external_files
//! [`ColumnFamily`]: crate::ColumnFamily
//!
//! ```
//! use ferrolith::{Db, Options};
//! use ferrolith::ingest::SstFileWriter;
//! # let dir = tempfile::tempdir().unwrap();
//! # let (path, file) = (dir.path().join("db"), dir.path().join("load.sst"));
//! let mut writer = SstFileWriter::create(Options::new(), &file)?;
//! for n in 0..1000 {
//!     writer.put(format!("key{n:04}"), "value")?; // in the order of the keys
//! }
//! writer.finish()?;
//!
//! let db = Db::open(path)?;
//! db.ingest_external_file([&file])?;
//! assert_eq!(db.iter().count(), 1000);
//! # Ok::<(), ferrolith::Error>(())
//! ```

use crate::error::Result;
use crate::{Options, external};
use std::borrow::Borrow;
use std::fmt;
use std::path::{Path, PathBuf};

pub use crate::external::{ExternalSstFileInfo, SstEntry, SstEntryKind};
pub use crate::options::IngestExternalFileOptions;

/// Writes one SST file.
pub struct SstFileWriter {
    inner: external::SstFileWriter,
    path: PathBuf,
}

impl SstFileWriter {
    /// Creates the file. The comparator and the table options must be those of the column family that will ingest it.
    ///
    /// # Errors
    /// Fails if the file cannot be created, or for options that cannot be honoured.
    pub fn create(options: impl Borrow<Options>, path: impl AsRef<Path>) -> Result<SstFileWriter> {
        let mut inner = external::SstFileWriter::new(options.borrow().inner());
        inner.open(path.as_ref())?;
        Ok(SstFileWriter { inner, path: path.as_ref().to_owned() })
    }

    /// Adds a key with its value. Keys must be added in ascending order.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` if the key is not larger than the one before, or if the file cannot be written.
    pub fn put(&mut self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        self.inner.put(key.as_ref(), value.as_ref())
    }

    /// Adds a merge operand, which is merged with the database's value.
    ///
    /// # Errors
    /// Same as [`SstFileWriter::put`].
    pub fn merge(&mut self, key: impl AsRef<[u8]>, operand: impl AsRef<[u8]>) -> Result<()> {
        self.inner.merge(key.as_ref(), operand.as_ref())
    }

    /// Adds a tombstone: ingesting the file deletes the key.
    ///
    /// # Errors
    /// Same as [`SstFileWriter::put`].
    pub fn delete(&mut self, key: impl AsRef<[u8]>) -> Result<()> {
        self.inner.delete(key.as_ref())
    }

    /// Deletes the database's keys from `begin` up to but excluding `end`. Keys of the file itself stay. Ranges may be
    /// added in any order.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` if `end` sorts before `begin`, or if the file cannot be written.
    pub fn delete_range(&mut self, begin: impl AsRef<[u8]>, end: impl AsRef<[u8]>) -> Result<()> {
        self.inner.delete_range(begin.as_ref(), end.as_ref())
    }

    /// Returns the number of bytes written so far.
    pub fn file_size(&self) -> u64 {
        self.inner.file_size()
    }

    /// Completes and syncs the file, and returns a description of its content. Dropping the writer instead discards the
    /// file.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` if nothing was added, or if the file cannot be written.
    pub fn finish(mut self) -> Result<ExternalSstFileInfo> {
        self.inner.finish()
    }
}

impl fmt::Debug for SstFileWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SstFileWriter").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Reads an SST file that belongs to no database, such as one that an [`SstFileWriter`] wrote.
///
/// ```
/// use ferrolith::Options;
/// use ferrolith::ingest::{SstFileReader, SstFileWriter};
/// # let dir = tempfile::tempdir().unwrap();
/// # let file = dir.path().join("load.sst");
/// let mut writer = SstFileWriter::create(Options::new(), &file)?;
/// writer.put("planet:3", "Earth")?;
/// writer.finish()?;
///
/// let reader = SstFileReader::open(Options::new(), &file)?;
/// let mut entries = reader.entries();
/// while let Some(entry) = entries.next_entry()? {
///     assert_eq!((entry.key, entry.value), (&b"planet:3"[..], &b"Earth"[..]));
/// }
/// # Ok::<(), ferrolith::Error>(())
/// ```
pub struct SstFileReader {
    inner: external::SstFileReader,
}

impl SstFileReader {
    /// Opens the file. The comparator of the options must be that of the file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is no SST file, is cut off, or was written with another comparator.
    pub fn open(options: impl Borrow<Options>, path: impl AsRef<Path>) -> Result<SstFileReader> {
        let inner = external::SstFileReader::open(options.borrow().inner(), path.as_ref())?;
        Ok(SstFileReader { inner })
    }

    /// Reads all blocks and compares their checksums.
    ///
    /// # Errors
    /// Fails with `Corruption` if a checksum is wrong, or if the file cannot be read.
    pub fn verify_checksums(&self) -> Result<()> {
        self.inner.verify_checksums()
    }

    /// Returns the number of entries according to the file's properties, range tombstones included.
    pub fn num_entries(&self) -> u64 {
        self.inner.num_entries()
    }

    /// Returns the number of range tombstones, which are not among the [`entries`](SstFileReader::entries).
    pub fn num_range_deletions(&self) -> u64 {
        self.inner.num_range_deletions()
    }

    /// Returns the entries, from the first on.
    pub fn entries(&self) -> SstEntries {
        SstEntries { inner: self.inner.entries() }
    }
}

impl fmt::Debug for SstFileReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SstFileReader").field("path", &self.inner.path()).finish_non_exhaustive()
    }
}

/// The entries of an SST file in the order of their keys, as [`SstFileReader::entries`] returns them.
pub struct SstEntries {
    inner: external::SstEntries,
}

impl SstEntries {
    /// Returns the next entry, or `None` at the end.
    ///
    /// # Errors
    /// Fails with `Corruption` if a checksum is wrong or a key is not larger than the one before, or if the file cannot
    /// be read. The entries end then.
    pub fn next_entry(&mut self) -> Result<Option<SstEntry<'_>>> {
        self.inner.next_entry()
    }
}

impl fmt::Debug for SstEntries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SstEntries").finish_non_exhaustive()
    }
}
