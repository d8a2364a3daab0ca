//! An open CuckooTable: point lookups, and the interface of the format to the rest of the engine.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::iter::CuckooIter;
use super::reader::Reader;
use crate::base::pinned::{Pin, PinnedBytes};
use crate::base::{LookupKey, PinnedValue};
use crate::budget::Charge;
use crate::env::sync::OnceLock;
use crate::error::{Error, Result};
use crate::fs::RandomAccessFile;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::sst::{TableProperties, TableReadContext};
use std::sync::Arc;

/// An open CuckooTable. Clones share one reader.
#[derive(Clone)]
pub struct CuckooTable(Arc<Reader>);

impl CuckooTable {
    /// Opens a file and checks its parameters.
    pub fn open(file: Arc<dyn RandomAccessFile>, ctx: &TableReadContext) -> Result<CuckooTable> {
        if !ctx.mmap {
            // RocksDB's message.
            return Err(Error::invalid_argument("File is not mmaped"));
        }
        Reader::open(file, ctx).map(|reader| CuckooTable(Arc::new(reader)))
    }

    /// Looks a key up: calls `ctx.save` for its entry if it is visible.
    #[inline]
    pub fn get(&self, key: &LookupKey, _ro: &ReadOptions, ctx: &mut GetContext) -> Result<()> {
        let reader = &*self.0;
        let user_key = key.user_key();
        if user_key.len() != reader.layout.user_key_len {
            return Ok(());
        }
        for bucket in reader.layout.path(user_key) {
            let entry = reader.entry(bucket);
            // Checked first, since a lookup may be for the key of empty buckets.
            if entry.user_key == reader.empty_key {
                break;
            }
            if entry.user_key == user_key {
                if entry.trailer >> 8 <= key.sequence() {
                    let kind = reader.kind(bucket, entry.trailer)?;
                    ctx.save(entry.trailer >> 8, kind, entry.value, Some(self));
                }
                break;
            }
        }
        Ok(())
    }

    /// An iterator in key order; it keeps the table open.
    pub fn iter(&self) -> CuckooIter {
        CuckooIter::new(Arc::clone(&self.0))
    }

    /// The file's properties.
    pub fn properties(&self) -> &TableProperties {
        &self.0.properties
    }

    /// The memory that the reader holds, in bytes; a mapped file is not counted.
    pub fn memory_usage(&self) -> usize {
        let sorted = self.0.sorted.get().and_then(|sorted| sorted.as_ref().ok());
        size_of::<Reader>()
            + self.0.image.as_ref().map_or(0, Vec::capacity)
            + sorted.map_or(0, |sorted| sorted.capacity() * size_of::<u32>())
    }

    /// The place of the reader's charge.
    pub(in crate::sst) fn charge(&self) -> &OnceLock<Charge> {
        &self.0.charge
    }

    /// Reads every bucket. The number of keys must match the properties; keys must differ, have known types, and be
    /// found in their buckets. Buckets have no checksums.
    pub fn verify_buckets(&self) -> Result<()> {
        let reader = &*self.0;
        for bucket in reader.sort()? {
            let entry = reader.entry(bucket.into());
            let path = reader.layout.path(entry.user_key);
            let mut taken = path.take_while(|&b| reader.entry(b).user_key != reader.empty_key);
            if !taken.any(|b| b == u64::from(bucket)) {
                return Err(
                    reader.corruption(bucket.into(), "key: none of its hashes selects this bucket")
                );
            }
        }
        Ok(())
    }
}

impl Pin for CuckooTable {
    fn pin(&self, value: &[u8]) -> Option<PinnedValue> {
        let owner: Arc<dyn PinnedBytes> = Arc::clone(&self.0) as _;
        PinnedValue::part_of(owner, value)
    }
}

#[cfg(test)]
#[path = "table_test.rs"]
mod tests;
