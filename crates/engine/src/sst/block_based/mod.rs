//! The block-based table.

use super::TableReadContext;
use super::{FinishedTable, Table, TableBuilderContext, TableIterOptions, TableProperties};
use crate::base::{InternalIterator, LookupKey};
use crate::error::{Error, Result};
use crate::fs::{RandomAccessFile, WritableFile};
use crate::iter::GetContext;
use crate::options::{BlockBasedTableOptions, ReadOptions};
use std::sync::Arc;

fn missing() -> Error {
    Error::not_supported("block-based table")
}

/// An open block-based table.
pub struct BlockBasedTable {
    properties: TableProperties,
}

impl BlockBasedTable {
    /// Opens a file.
    pub fn open(
        _file: Arc<dyn RandomAccessFile>,
        _ctx: &TableReadContext,
        _opts: &BlockBasedTableOptions,
    ) -> Result<BlockBasedTable> {
        Err(missing())
    }

    /// Looks a key up.
    pub fn get(&self, _key: &LookupKey, _ro: &ReadOptions, _ctx: &mut GetContext) -> Result<()> {
        Err(missing())
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

    /// Reads every block.
    pub fn verify_checksums(&self) -> Result<()> {
        Err(missing())
    }
}

/// An iterator.
pub struct TableIter {}

impl TableIter {
    /// An iterator over a block-based table.
    pub fn new(_table: Arc<Table>, _ro: &TableIterOptions) -> Result<TableIter> {
        Err(missing())
    }
}

impl InternalIterator for TableIter {
    fn valid(&self) -> bool {
        false
    }
    fn seek_to_first(&mut self) {}
    fn seek_to_last(&mut self) {}
    fn seek(&mut self, _target: &[u8]) {}
    fn seek_for_prev(&mut self, _target: &[u8]) {}
    fn next(&mut self) {}
    fn prev(&mut self) {}
    fn key(&self) -> &[u8] {
        &[]
    }
    fn value(&self) -> &[u8] {
        &[]
    }
    fn status(&self) -> Result<()> {
        Err(missing())
    }
}

/// A table that is being written.
pub struct BlockBasedTableBuilder {}

impl BlockBasedTableBuilder {
    /// Starts a table.
    pub fn new(
        _file: Box<dyn WritableFile>,
        _ctx: TableBuilderContext,
        _opts: BlockBasedTableOptions,
    ) -> Result<BlockBasedTableBuilder> {
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
