//! Flushes, compactions, copies and properties: operations on the files of an open database.

use super::options::text::explained;
use super::{ColumnFamily, Db, KeyRange};
use crate::base::SeqNo;
use crate::error::Result;
use crate::external::{ColumnFamilyMetaData, LiveFileMetaData};
use crate::options::{
    CompactRangeOptions, FlushOptions, IngestExternalFileOptions, SizeApproximationOptions,
    WaitForCompactOptions,
};
use crate::stats::Statistics;
use crate::utilities::{Checkpoint, IngestExternalFileArg};
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

/// Returns the ends of a range in the form of the engine's manual jobs: each is inclusive or unbounded.
fn ends(range: &impl KeyRange) -> (Option<&[u8]>, Option<&[u8]>) {
    fn key(bound: Bound<&[u8]>) -> Option<&[u8]> {
        match bound {
            Bound::Unbounded => None,
            Bound::Included(key) | Bound::Excluded(key) => Some(key),
        }
    }
    let (begin, end) = range.bounds();
    (key(begin), key(end))
}

impl Db {
    /// Returns the database directory.
    pub fn path(&self) -> &Path {
        self.inner().path()
    }

    /// Returns the identity that the database got when it was created.
    pub fn identity(&self) -> &str {
        self.inner().identity()
    }

    /// Returns the sequence number of the newest write.
    pub fn latest_sequence_number(&self) -> SeqNo {
        self.inner().latest_sequence_number()
    }

    /// Flushes the memtable of the default column family, and waits until it is written.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("key", "value")?;
    /// db.flush()?;
    /// assert_eq!(db.live_files().len(), 1);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the database is closed or read-only, or if the table cannot be written.
    pub fn flush(&self) -> Result<()> {
        self.flush_opt(&FlushOptions::default())
    }

    /// Like [`Db::flush`], with options.
    ///
    /// # Errors
    /// Same as [`Db::flush`].
    pub fn flush_opt(&self, options: &FlushOptions) -> Result<()> {
        self.inner().flush(options)
    }

    /// Flushes several column families. With the option `atomic_flush`, they are flushed at one point.
    ///
    /// # Errors
    /// Same as [`Db::flush`]; also for a dropped family or one of another database.
    pub fn flush_cfs<'a>(
        &self,
        families: impl IntoIterator<Item = &'a ColumnFamily>,
    ) -> Result<()> {
        let handles: Vec<_> =
            families.into_iter().map(|cf| cf.checked(self)).collect::<Result<_>>()?;
        self.inner().flush_cfs(&FlushOptions::default(), &handles)
    }

    /// Writes buffered log records (see `manual_wal_flush`) to the log file; with `sync`, also syncs it.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("key", "value")?;
    /// db.flush_wal(true)?; // everything written so far survives a crash of the machine
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the database is closed or if the log cannot be written.
    pub fn flush_wal(&self, sync: bool) -> Result<()> {
        self.inner().flush_wal(sync)
    }

    /// Compacts the whole default column family into its last level; see [`Db::compact_range`].
    ///
    /// # Errors
    /// Same as [`Db::compact_range`].
    pub fn compact(&self) -> Result<()> {
        self.compact_range(..)
    }

    /// Compacts a range of the default column family into its last level.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("key", "value")?;
    /// db.compact_range("a".."m")?;
    /// db.compact()?; // everything
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the database is closed or read-only, if manual compactions are disabled, or if a file cannot be read or
    /// written.
    pub fn compact_range(&self, range: impl KeyRange) -> Result<()> {
        self.compact_range_opt(range, &CompactRangeOptions::default())
    }

    /// Like [`Db::compact_range`], with options.
    ///
    /// # Errors
    /// Same as [`Db::compact_range`].
    pub fn compact_range_opt(
        &self,
        range: impl KeyRange,
        options: &CompactRangeOptions,
    ) -> Result<()> {
        let (begin, end) = ends(&range);
        self.inner().compact_range(options, begin, end)
    }

    /// Waits until no flush and no compaction is running or due.
    ///
    /// # Errors
    /// Fails if background work failed.
    pub fn wait_for_compact(&self) -> Result<()> {
        self.inner().wait_for_compact()
    }

    /// Like [`Db::wait_for_compact`], with options.
    ///
    /// # Errors
    /// Same as [`Db::wait_for_compact`]; fails with `TimedOut` after the time in the options.
    pub fn wait_for_compact_opt(&self, options: &WaitForCompactOptions) -> Result<()> {
        self.inner().wait_for_compact_opt(options)
    }

    /// Prevents flushes and compactions from starting until [`Db::continue_background_work`], and waits for running
    /// ones. Calls are counted.
    ///
    /// # Errors
    /// Currently none.
    pub fn pause_background_work(&self) -> Result<()> {
        self.inner().pause_background_work()
    }

    /// Reverts one [`Db::pause_background_work`].
    ///
    /// # Errors
    /// Fails if background work is not paused.
    pub fn continue_background_work(&self) -> Result<()> {
        self.inner().continue_background_work()
    }

    /// Ends flushes and compactions for good, for example before the program exits. With `wait`, waits for running
    /// ones.
    pub fn cancel_all_background_work(&self, wait: bool) {
        self.inner().cancel_all_background_work(wait);
    }

    /// Returns a property of the default column family by RocksDB's name, or `None` for an unknown name.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("key", "value")?;
    /// assert_eq!(db.property("rocksdb.num-entries-active-mem-table").as_deref(), Some("1"));
    /// assert_eq!(db.property_int("rocksdb.estimate-num-keys"), Some(1));
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn property(&self, name: &str) -> Option<String> {
        self.inner().property(name)
    }

    /// Returns a numeric property.
    pub fn property_int(&self, name: &str) -> Option<u64> {
        self.inner().property_int(name)
    }

    /// Returns the sum of a numeric property over all column families.
    pub fn aggregated_property_int(&self, name: &str) -> Option<u64> {
        self.inner().aggregated_property_int(name)
    }

    /// Returns descriptions of all table files.
    pub fn live_files(&self) -> Vec<LiveFileMetaData> {
        self.inner().live_files_metadata()
    }

    /// Returns the tickers and histograms, if [`Options::enable_statistics`](crate::Options::enable_statistics) enabled
    /// them.
    pub fn statistics(&self) -> Option<Arc<Statistics>> {
        self.inner().statistics()
    }

    /// Creates a directory that can be opened as a copy of the database at this point in time. If the directory is on
    /// the same file system, tables are hard-linked instead of copied. The directory must not exist.
    ///
    /// ```
    /// use ferrolith::{Db, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = Db::open(dir.path().join("db"))?;
    /// # let copy = dir.path().join("copy");
    /// db.put("key", "value")?;
    /// db.checkpoint(&copy)?;
    /// db.put("key", "newer")?;
    /// assert_eq!(Db::open(&copy)?.get("key")?.unwrap(), "value");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the directory exists, or if a file cannot be written.
    pub fn checkpoint(&self, dir: impl AsRef<Path>) -> Result<()> {
        Checkpoint::new(self.inner()).create(dir, 0).map(|_| ())
    }

    /// Adds table files that an `SstFileWriter` or RocksDB wrote to the default column family.
    ///
    /// # Errors
    /// Fails if a file cannot be read, was written with another comparator, or overlaps another file in a way that the
    /// options do not allow. Nothing is added then.
    pub fn ingest_external_file<P: AsRef<Path>>(
        &self,
        files: impl IntoIterator<Item = P>,
    ) -> Result<()> {
        self.ingest_external_file_opt(files, &IngestExternalFileOptions::default())
    }

    /// Like [`Db::ingest_external_file`], with options.
    ///
    /// # Errors
    /// Same as [`Db::ingest_external_file`].
    pub fn ingest_external_file_opt<P: AsRef<Path>>(
        &self,
        files: impl IntoIterator<Item = P>,
        options: &IngestExternalFileOptions,
    ) -> Result<()> {
        let files: Vec<P> = files.into_iter().collect();
        self.inner().ingest_external_file(&files, options)
    }

    /// Like [`Db::ingest_external_file_opt`], for files of several column families, each of which is named once.
    /// Readers see all files or none, also after a crash.
    ///
    /// # Errors
    /// Same as [`Db::ingest_external_file`]; also for a dropped family or one of another database, and if a family has
    /// no files or is named twice.
    pub fn ingest_external_files<'a, P: AsRef<Path>>(
        &self,
        files: impl IntoIterator<Item = (&'a ColumnFamily, Vec<P>)>,
        options: &IngestExternalFileOptions,
    ) -> Result<()> {
        let of_family = |(family, files): (&ColumnFamily, Vec<P>)| {
            Ok(IngestExternalFileArg {
                column_family: family.checked(self)?.clone(),
                external_files: files.iter().map(|path| path.as_ref().to_owned()).collect(),
                options: *options,
            })
        };
        let files: Vec<_> = files.into_iter().map(of_family).collect::<Result<_>>()?;
        self.inner().ingest_external_files(&files)
    }

    /// Changes options of the default column family while the database is open. Either all change or none.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.set_options(&[("write_buffer_size", "16M"), ("disable_auto_compactions", "true")])?;
    /// db.set_db_options(&[("max_background_jobs", "4")])?;
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails for options that do not exist or cannot change while the database is open.
    pub fn set_options(&self, changes: &[(&str, &str)]) -> Result<()> {
        self.inner().set_options(changes).map_err(explained)
    }

    /// Changes database-wide options while the database is open. Either all change or none.
    ///
    /// # Errors
    /// Same as [`Db::set_options`].
    pub fn set_db_options(&self, changes: &[(&str, &str)]) -> Result<()> {
        self.inner().set_db_options(changes).map_err(explained)
    }

    /// Resumes after a background error whose cause is gone, such as a full disk.
    ///
    /// # Errors
    /// Fails if the error cannot be recovered from.
    pub fn resume(&self) -> Result<()> {
        self.inner().resume()
    }

    /// Closes the database for all handles: their calls fail from now on. Existing iterators can still be used.
    /// Dropping the last handle also closes the database, but cannot return an error.
    ///
    /// ```
    /// use ferrolith::ErrorKind;
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// let other = db.clone();
    /// db.close()?;
    /// assert_eq!(other.get("key").unwrap_err().kind(), ErrorKind::Closed);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the last log records cannot be written.
    pub fn close(&self) -> Result<()> {
        self.inner().close()
    }

    /// Returns whether the database was closed.
    pub fn is_closed(&self) -> bool {
        self.inner().is_closed()
    }
}

impl ColumnFamily {
    /// Flushes the memtable; see [`Db::flush`].
    ///
    /// # Errors
    /// Same as [`Db::flush`]; also for a dropped family.
    pub fn flush(&self) -> Result<()> {
        self.flush_opt(&FlushOptions::default())
    }

    /// Like [`ColumnFamily::flush`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::flush`].
    pub fn flush_opt(&self, options: &FlushOptions) -> Result<()> {
        self.db().inner().flush_cf(options, self.alive()?)
    }

    /// Compacts the whole family into the last level; see [`Db::compact_range`].
    ///
    /// # Errors
    /// Same as [`Db::compact_range`]; also for a dropped family.
    pub fn compact(&self) -> Result<()> {
        self.compact_range(..)
    }

    /// Drops every table below level 0 whose keys are all between `begin` and `end`, without reading it. Some keys in
    /// the range may remain, and older values of dropped keys may reappear.
    ///
    /// # Errors
    /// Fails for a dropped family, or if the database is closed or read-only.
    pub fn delete_files_in_range(
        &self,
        begin: impl AsRef<[u8]>,
        end: impl AsRef<[u8]>,
    ) -> Result<()> {
        let range = (Some(begin.as_ref()), Some(end.as_ref()));
        self.db().inner().delete_files_in_range(self.alive()?, range.0, range.1)
    }

    /// Compacts a range into the last level; see [`Db::compact_range`].
    ///
    /// # Errors
    /// Same as [`Db::compact_range`]; also for a dropped family.
    pub fn compact_range(&self, range: impl KeyRange) -> Result<()> {
        self.compact_range_opt(range, &CompactRangeOptions::default())
    }

    /// Like [`ColumnFamily::compact_range`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::compact_range`].
    pub fn compact_range_opt(
        &self,
        range: impl KeyRange,
        options: &CompactRangeOptions,
    ) -> Result<()> {
        let (begin, end) = ends(&range);
        let handle = self.alive()?;
        self.db().inner().compact_range_cf(options, handle, begin, end)
    }

    /// Returns a property by RocksDB's name; see [`Db::property`]. Returns `None` also for a dropped family.
    pub fn property(&self, name: &str) -> Option<String> {
        self.db().inner().property_cf(self.alive().ok()?, name)
    }

    /// Returns a numeric property.
    pub fn property_int(&self, name: &str) -> Option<u64> {
        self.db().inner().property_int_cf(self.alive().ok()?, name)
    }

    /// Returns descriptions of the levels and their tables.
    ///
    /// # Errors
    /// Fails for a dropped family or a closed database.
    pub fn metadata(&self) -> Result<ColumnFamilyMetaData> {
        self.db().inner().column_family_metadata(self.alive()?)
    }

    /// Estimates the number of bytes that the keys of each range `begin..end` take in tables.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// let sizes = db.default_cf().approximate_sizes(&[("a", "m"), ("m", "z")])?;
    /// assert_eq!(sizes, [0, 0]);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails for a dropped family or a closed database.
    pub fn approximate_sizes<K: AsRef<[u8]>>(&self, ranges: &[(K, K)]) -> Result<Vec<u64>> {
        let ranges: Vec<_> = ranges.iter().map(|(a, b)| (a.as_ref(), b.as_ref())).collect();
        let options = SizeApproximationOptions::default();
        self.db().inner().approximate_sizes(&options, self.alive()?, &ranges)
    }

    /// Adds table files; see [`Db::ingest_external_file`].
    ///
    /// # Errors
    /// Same as [`Db::ingest_external_file`]; also for a dropped family.
    pub fn ingest_external_file<P: AsRef<Path>>(
        &self,
        files: impl IntoIterator<Item = P>,
    ) -> Result<()> {
        self.ingest_external_file_opt(files, &IngestExternalFileOptions::default())
    }

    /// Like [`ColumnFamily::ingest_external_file`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::ingest_external_file`].
    pub fn ingest_external_file_opt<P: AsRef<Path>>(
        &self,
        files: impl IntoIterator<Item = P>,
        options: &IngestExternalFileOptions,
    ) -> Result<()> {
        let files: Vec<P> = files.into_iter().collect();
        self.db().inner().ingest_external_file_cf(self.alive()?, &files, options)
    }

    /// Changes options while the database is open. Either all change or none; see [`Db::set_options`].
    ///
    /// # Errors
    /// Same as [`Db::set_options`]; also for a dropped family.
    pub fn set_options(&self, changes: &[(&str, &str)]) -> Result<()> {
        self.db().inner().set_options_cf(self.alive()?, changes).map_err(explained)
    }
}
