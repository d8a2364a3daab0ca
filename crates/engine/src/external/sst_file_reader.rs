//! Reads tables that belong to no database, entry by entry.

use super::ingest::{Destination, READ_ONCE};
use crate::base::key::ParsedInternalKey;
use crate::base::{InternalIterator, KeyOrder, ValueType};
use crate::error::{Error, Result};
use crate::options::Options;
use crate::sst::{Table, TableIterator};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number in the place of a file's number, which only a database gives.
const NO_NUMBER: u64 = 1;

/// What an entry of a file is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SstEntryKind {
    /// A key with its value.
    Value,
    /// A merge operand.
    Merge,
    /// A tombstone of one key.
    Deletion,
    /// An entry of another kind, such as a reference to a blob file.
    Other,
}

impl SstEntryKind {
    fn of(kind: ValueType) -> SstEntryKind {
        match kind {
            ValueType::Value => SstEntryKind::Value,
            ValueType::Merge => SstEntryKind::Merge,
            ValueType::Deletion | ValueType::SingleDeletion | ValueType::DeletionWithTimestamp => {
                SstEntryKind::Deletion
            }
            _ => SstEntryKind::Other,
        }
    }
}

/// An entry of a file. It lives until the next one is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SstEntry<'a> {
    /// What it is.
    pub kind: SstEntryKind,
    /// The key.
    pub key: &'a [u8],
    /// The value or the merge operand; empty for others.
    pub value: &'a [u8],
}

/// An open file.
pub struct SstFileReader {
    table: Arc<Table>,
    order: KeyOrder,
    path: PathBuf,
}

impl SstFileReader {
    /// Opens a file, whose comparator is that of the options.
    pub fn open(options: &Options, path: &Path) -> Result<SstFileReader> {
        let fs = options.db.components.file_system.clone().unwrap_or_else(crate::fs::posix);
        let order = KeyOrder::new(Arc::clone(&options.cf.comparator));
        let to = Destination {
            id: 0,
            options: Arc::new(options.cf.clone()),
            order: &order,
            read_mode: options.db.read_mode(),
        };
        let table = to.open_as_it_is(&*fs, path, NO_NUMBER)?;
        Ok(SstFileReader { table, order, path: path.to_owned() })
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all blocks and compares their checksums.
    pub fn verify_checksums(&self) -> Result<()> {
        self.table.verify_checksums()
    }

    /// Returns the number of entries that the file says it has, range tombstones included.
    pub fn num_entries(&self) -> u64 {
        self.table.properties().num_entries
    }

    /// Returns the number of range tombstones.
    pub fn num_range_deletions(&self) -> u64 {
        self.table.properties().num_range_deletions
    }

    /// Returns the entries from the first on.
    pub fn entries(&self) -> SstEntries {
        SstEntries {
            iter: self.table.iter(&READ_ONCE),
            order: self.order.clone(),
            place: Place::Before,
            last: Vec::new(),
        }
    }
}

/// Where a reader of entries is.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Place {
    Before,
    Within,
    Behind,
}

/// The entries of a file, in order. Range tombstones are not among them.
pub struct SstEntries {
    iter: TableIterator,
    order: KeyOrder,
    place: Place,
    /// The internal key of the entry before, so that a file without order is noticed.
    last: Vec<u8>,
}

impl SstEntries {
    /// Returns the next entry; `None` at the end, and after an error. Checksums of blocks are compared.
    pub fn next_entry(&mut self) -> Result<Option<SstEntry<'_>>> {
        match std::mem::replace(&mut self.place, Place::Behind) {
            Place::Before => self.iter.seek_to_first(),
            Place::Within => {
                self.last.clear();
                self.last.extend_from_slice(self.iter.key());
                self.iter.next();
            }
            Place::Behind => return Ok(None),
        }
        if !self.iter.valid() {
            return self.iter.status().map(|()| None);
        }
        let key = self.iter.key();
        let parsed = ParsedInternalKey::parse(key)?;
        if !self.last.is_empty() && self.order.compare(&self.last, key).is_ge() {
            return Err(Error::corruption(format!(
                "keys are not in ascending order: \"{}\" came after \"{}\"",
                parsed.user_key.escape_ascii(),
                crate::base::key::user_key(&self.last).escape_ascii()
            )));
        }
        self.place = Place::Within;
        let kind = SstEntryKind::of(parsed.value_type);
        Ok(Some(SstEntry { kind, key: parsed.user_key, value: self.iter.value() }))
    }
}

#[cfg(test)]
#[path = "sst_file_reader_test.rs"]
mod tests;
