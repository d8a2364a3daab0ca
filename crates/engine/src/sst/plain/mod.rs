//! PlainTable: rows in a memory-mapped file, found through a hash index over prefixes.

use super::TableReadContext;
use super::{FinishedTable, TableBuilderContext, TableIterOptions, TableProperties};
use crate::base::iterator::EmptyIterator;
use crate::base::{InternalIterator, LookupKey};
use crate::error::{Error, Result};
use crate::fs::{RandomAccessFile, WritableFile};
use crate::iter::GetContext;
use crate::options::{PlainTableOptions, ReadOptions};
use std::sync::Arc;

fn missing() -> Error {
    Error::not_supported("PlainTable")
}

/// An open PlainTable.
pub struct PlainTable {
    properties: TableProperties,
}

impl PlainTable {
    /// Opens a file.
    pub fn open(
        _file: Arc<dyn RandomAccessFile>,
        _ctx: &TableReadContext,
        _opts: &PlainTableOptions,
    ) -> Result<PlainTable> {
        Err(missing())
    }

    /// Looks a key up.
    pub fn get(&self, _key: &LookupKey, _ro: &ReadOptions, _ctx: &mut GetContext) -> Result<()> {
        Err(missing())
    }

    /// An iterator.
    pub fn iter(&self, _ro: &TableIterOptions) -> Box<dyn InternalIterator> {
        Box::new(EmptyIterator::with_error(missing()))
    }

    /// Whether keys with this prefix may exist.
    pub fn prefix_may_match(&self, _prefix: &[u8]) -> bool {
        true
    }

    /// About how many bytes lie before this key.
    pub fn approximate_offset_of(&self, _internal_key: &[u8]) -> u64 {
        0
    }

    /// What the file says about itself.
    pub fn properties(&self) -> &TableProperties {
        &self.properties
    }

    /// Bytes of memory held.
    pub fn memory_usage(&self) -> usize {
        0
    }
}

/// A PlainTable that is being written.
pub struct PlainTableBuilder {}

impl PlainTableBuilder {
    /// Starts a table.
    pub fn new(
        _file: Box<dyn WritableFile>,
        _ctx: TableBuilderContext,
        _opts: PlainTableOptions,
    ) -> Result<PlainTableBuilder> {
        Err(missing())
    }

    /// Appends an entry.
    pub fn add(&mut self, _internal_key: &[u8], _value: &[u8]) -> Result<()> {
        Err(missing())
    }

    /// About how large the file would be.
    pub fn file_size(&self) -> u64 {
        0
    }

    /// Entries so far.
    pub fn num_entries(&self) -> u64 {
        0
    }

    /// Writes the rest.
    pub fn finish(self) -> Result<FinishedTable> {
        Err(missing())
    }
}
