//! Writes tables outside a database, for ingestion.
//!
//! Entries are added in key order, one per key, all with sequence number 0. Their actual sequence number is decided
//! when a database ingests the file.

use crate::base::key::{append_internal_key, pack_trailer};
use crate::base::{KeyOrder, ValueType};
use crate::compress::CompressionType;
use crate::error::{Error, Result};
use crate::fs::counted::CountedWrites;
use crate::fs::identity::{host_name, new_session_id};
use crate::fs::{FileSystem, WritableOptions};
use crate::options::{self, ColumnFamilyOptions, CompressionOptions, Options, TableFactory};
use crate::sst::properties::{EXTERNAL_VERSION_WRITTEN, UNKNOWN_COLUMN_FAMILY};
use crate::sst::{TableBuilder, TableBuilderContext};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The database id in the files, the same as RocksDB's.
const DB_ID: &str = "SST Writer";

/// The content of a finished file. Names are RocksDB's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalSstFileInfo {
    /// The path of the file.
    pub file_path: PathBuf,
    /// The first key.
    pub smallest_key: Vec<u8>,
    /// The last key.
    pub largest_key: Vec<u8>,
    /// The begin of the first range tombstone.
    pub smallest_range_del_key: Vec<u8>,
    /// The end of the last range tombstone.
    pub largest_range_del_key: Vec<u8>,
    /// The size of the file in bytes.
    pub file_size: u64,
    /// The number of entries, without range tombstones.
    pub num_entries: u64,
    /// The number of range tombstones.
    pub num_range_del_entries: u64,
    /// The version of the file format.
    pub version: u32,
}

/// Writes one or more files, one after the other.
pub struct SstFileWriter {
    fs: Arc<dyn FileSystem>,
    options: Options,
    order: KeyOrder,
    /// The target of the files; `None` means any column family.
    column_family: Option<(u32, String)>,
    session_id: String,
    next_file_number: u64,
    builder: Option<TableBuilder>,
    info: ExternalSstFileInfo,
    /// The internal key of the entry that is being added.
    key: Vec<u8>,
}

impl SstFileWriter {
    /// Creates a writer of files for column families with these options.
    pub fn new(options: &Options) -> SstFileWriter {
        SstFileWriter {
            fs: options.db.components.file_system.clone().unwrap_or_else(crate::fs::posix),
            order: KeyOrder::new(Arc::clone(&options.cf.comparator)),
            options: options.clone(),
            column_family: None,
            session_id: new_session_id(),
            next_file_number: 1,
            builder: None,
            info: ExternalSstFileInfo::default(),
            key: Vec::new(),
        }
    }

    /// Restricts the files to this column family; others will refuse them.
    #[must_use]
    pub fn for_column_family(mut self, id: u32, name: &str) -> SstFileWriter {
        self.column_family = Some((id, name.to_owned()));
        self
    }

    /// Begins a file. Discards a previous file that was not finished.
    pub fn open(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        options::validate_cf(&self.options.cf)?;
        self.abandon();
        let opts = WritableOptions {
            bytes_per_sync: self.options.db.bytes_per_sync,
            use_fsync: self.options.db.use_fsync,
            ..WritableOptions::default()
        };
        let file = self.fs.new_writable(path, opts)?;
        let file = CountedWrites::wrap(file, self.options.db.statistics.as_ref());
        let context = self.context();
        self.next_file_number += 1;
        self.builder = Some(TableBuilder::new(file, context)?);
        self.info = ExternalSstFileInfo {
            file_path: path.to_owned(),
            version: EXTERNAL_VERSION_WRITTEN,
            ..ExternalSstFileInfo::default()
        };
        Ok(())
    }

    /// Adds a key with its value.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.add(key, value, ValueType::Value)
    }

    /// Adds a key with a timestamp, for a comparator with timestamps of this size.
    pub fn put_with_ts(&mut self, key: &[u8], ts: &[u8], value: &[u8]) -> Result<()> {
        self.add_at(key, ts, value, ValueType::Value)
    }

    /// Adds a merge operand, which is merged with the database's value.
    pub fn merge(&mut self, key: &[u8], operand: &[u8]) -> Result<()> {
        self.add(key, operand, ValueType::Merge)
    }

    /// Adds a tombstone.
    pub fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.add(key, b"", ValueType::Deletion)
    }

    /// Adds a tombstone with a timestamp.
    pub fn delete_with_ts(&mut self, key: &[u8], ts: &[u8]) -> Result<()> {
        self.add_at(key, ts, b"", ValueType::DeletionWithTimestamp)
    }

    /// Adds a range tombstone for `[begin, end)`. Range tombstones may be added in any order and at any time. They do
    /// not hide keys of the same file.
    pub fn delete_range(&mut self, begin: &[u8], end: &[u8]) -> Result<()> {
        self.check_timestamp(b"")?;
        let Some(builder) = &mut self.builder else { return Err(not_opened()) };
        match self.order.compare_user(begin, end) {
            std::cmp::Ordering::Greater => {
                return Err(Error::invalid_argument("end key comes before start key"));
            }
            std::cmp::Ordering::Equal => return Ok(()),
            std::cmp::Ordering::Less => {}
        }
        self.key.clear();
        append_internal_key(&mut self.key, begin, pack_trailer(0, ValueType::RangeDeletion));
        builder.add(&self.key, end)?;
        let info = &mut self.info;
        let first = info.num_range_del_entries == 0;
        if first || self.order.compare_user(begin, &info.smallest_range_del_key).is_lt() {
            info.smallest_range_del_key = begin.to_vec();
        }
        if first || self.order.compare_user(end, &info.largest_range_del_key).is_gt() {
            info.largest_range_del_key = end.to_vec();
        }
        info.num_range_del_entries += 1;
        info.file_size = builder.file_size();
        Ok(())
    }

    fn add(&mut self, key: &[u8], value: &[u8], kind: ValueType) -> Result<()> {
        self.check_timestamp(b"")?;
        self.append(key, value, kind)
    }

    fn add_at(&mut self, key: &[u8], ts: &[u8], value: &[u8], kind: ValueType) -> Result<()> {
        self.check_timestamp(ts)?;
        self.append(&[key, ts].concat(), value, kind)
    }

    fn check_timestamp(&self, ts: &[u8]) -> Result<()> {
        match self.options.cf.comparator.timestamp_size() {
            size if size == ts.len() => Ok(()),
            _ => Err(Error::invalid_argument("Timestamp size mismatch")),
        }
    }

    fn append(&mut self, key: &[u8], value: &[u8], kind: ValueType) -> Result<()> {
        let Some(builder) = &mut self.builder else { return Err(not_opened()) };
        let info = &mut self.info;
        if info.num_entries > 0 && self.order.compare_user(key, &info.largest_key).is_le() {
            let error = "Keys must be added in strict ascending order.";
            return Err(Error::invalid_argument(error).advice(format_args!(
                "\"{}\" came after \"{}\"",
                key.escape_ascii(),
                info.largest_key.escape_ascii()
            )));
        }
        self.key.clear();
        append_internal_key(&mut self.key, key, pack_trailer(0, kind));
        builder.add(&self.key, value)?;
        if info.num_entries == 0 {
            info.smallest_key = key.to_vec();
        }
        info.num_entries += 1;
        info.largest_key.clear();
        info.largest_key.extend_from_slice(key);
        info.file_size = builder.file_size();
        Ok(())
    }

    /// Completes and syncs the file.
    pub fn finish(&mut self) -> Result<ExternalSstFileInfo> {
        if self.builder.is_some()
            && self.info.num_entries == 0
            && self.info.num_range_del_entries == 0
        {
            return Err(Error::invalid_argument("Cannot create sst file with no entries"));
        }
        let builder = self.builder.take().ok_or_else(not_opened)?;
        match builder.finish() {
            Ok(finished) => {
                self.info.file_size = finished.file_size;
                Ok(self.info.clone())
            }
            Err(e) => {
                // Best effort: a partial file is useless.
                let _ = self.fs.remove_file(&self.info.file_path);
                Err(e)
            }
        }
    }

    /// Returns the size in bytes of the current file so far, or of the last finished file.
    pub fn file_size(&self) -> u64 {
        self.info.file_size
    }

    fn abandon(&mut self) {
        if let Some(builder) = self.builder.take() {
            builder.abandon();
        }
    }

    fn context(&self) -> TableBuilderContext {
        let cf = &self.options.cf;
        let unknown = (UNKNOWN_COLUMN_FAMILY as u32, String::new());
        let (column_family_id, column_family_name) = self.column_family.clone().unwrap_or(unknown);
        TableBuilderContext {
            order: self.order.clone(),
            factory: cf.table_factory.clone(),
            prefix_extractor: cf.prefix_extractor.clone(),
            merge_operator_name: cf.merge_operator.as_ref().map(|m| m.name().to_owned()),
            compression: compression(cf),
            compression_opts: compression_opts(cf),
            target_file_size: 0,
            level: -1,
            column_family_id,
            column_family_name,
            file_number: self.next_file_number,
            db_id: DB_ID.to_owned(),
            db_session_id: self.session_id.clone(),
            host: host_name(),
            creation_time: 0,
            oldest_key_time: 0,
            file_creation_time: 0,
            bottommost: false,
            skip_filter: false,
            for_ingestion: true,
            statistics: self.options.db.statistics.clone(),
        }
    }
}

/// Returns the codec. Such files mostly end up on the last level.
fn compression(cf: &ColumnFamilyOptions) -> CompressionType {
    match cf.table_factory {
        TableFactory::BlockBased(_) => cf
            .bottommost_compression
            .or(cf.compression_per_level.last().copied())
            .unwrap_or(cf.compression),
        _ => CompressionType::None,
    }
}

/// Returns the last level's settings, if it has a codec and settings of its own.
fn compression_opts(cf: &ColumnFamilyOptions) -> CompressionOptions {
    let last = &cf.bottommost_compression_opts;
    if cf.bottommost_compression.is_some() && last.enabled { *last } else { cf.compression_opts }
}

#[cold]
fn not_opened() -> Error {
    Error::invalid_argument("File is not opened")
}

impl std::fmt::Debug for SstFileWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SstFileWriter({:?})", self.info)
    }
}

#[cfg(test)]
#[path = "sst_file_writer_test.rs"]
mod tests;
