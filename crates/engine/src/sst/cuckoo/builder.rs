//! The CuckooTable builder.
//!
//! The position of an entry depends on all others, so the builder keeps entries in memory and writes the file in
//! `finish`. Sequence numbers are omitted if all of them are 0 and there are no deletions. RocksDB decides this by the
//! first entry and loses the sequence numbers of the others.
//!
//! Empty buckets need a user key that is not a key of the file: the one just below the smallest key or just above the
//! largest, treated as numbers, or else one from a gap between two keys.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::layout::{Layout, NATIVE};
use super::placing::{FREE, Keys, place};
use crate::base::KeyOrder;
use crate::base::coding::{put_fixed32, put_fixed64};
use crate::base::key::{
    ParsedInternalKey, TRAILER_SIZE, ValueType, append_internal_key, pack_trailer, user_key,
};
use crate::error::{Error, Result};
use crate::fs::WritableFile;
use crate::options::CuckooTableOptions;
use crate::sst::format::{BlockHandle, CUCKOO_MAGIC, FOOTER_SIZE};
use crate::sst::meta_block::{self, PROPERTIES_BLOCK};
use crate::sst::{FinishedTable, TableBuilderContext, TableProperties};
use std::cmp::Ordering;

/// Buckets are appended to the file in pieces of about this size.
const BUFFER_SIZE: usize = 64 << 10;
/// RocksDB counts entries with 31 bits.
const ENTRIES_MAX: u64 = i32::MAX as u64 - 1;
/// The byte that fills the place of a missing value.
const FILLER: u8 = b'a';

/// The assignment of a bucket to each entry; a table that can be written.
pub struct PlacedEntries {
    layout: Layout,
    buckets: Vec<u32>,
    empty_key: Vec<u8>,
}

/// A CuckooTable under construction.
pub struct CuckooTableBuilder {
    file: Box<dyn WritableFile>,
    opts: CuckooTableOptions,
    order: KeyOrder,
    entries: Entries,
    /// Whether all sequence numbers are 0 and all entries are values.
    zeroed: bool,
    properties: TableProperties,
}

/// All added entries, with keys and values stored separately.
#[derive(Default)]
pub(in crate::sst) struct Entries {
    /// Internal keys.
    keys: Vec<u8>,
    /// Values, and filler for entries without one.
    values: Vec<u8>,
    count: u32,
    /// The length of an internal key; 0 before the first.
    key_len: usize,
    /// The length of a value; `None` before the first.
    value_len: Option<usize>,
}

impl Entries {
    /// Internal keys and values in insertion order; the value of a deletion is filler.
    pub(in crate::sst) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        (0..self.count).map(|entry| (self.key(entry), self.value(entry)))
    }

    fn key(&self, entry: u32) -> &[u8] {
        slot(&self.keys, entry, self.key_len)
    }

    fn value(&self, entry: u32) -> &[u8] {
        slot(&self.values, entry, self.value_len.unwrap_or(0))
    }

    fn push(&mut self, key: &[u8], value: Option<&[u8]>) {
        self.keys.extend_from_slice(key);
        self.key_len = key.len();
        if let (Some(value), None) = (value, self.value_len) {
            self.value_len = Some(value.len());
            self.values.resize(self.count as usize * value.len(), FILLER);
        }
        match value {
            Some(value) => self.values.extend_from_slice(value),
            None => self.values.resize(self.values.len() + self.value_len.unwrap_or(0), FILLER),
        }
        self.count += 1;
    }
}

impl Keys for Entries {
    fn user_key(&self, entry: u32) -> &[u8] {
        user_key(self.key(entry))
    }
}

fn slot(bytes: &[u8], entry: u32, len: usize) -> &[u8] {
    let start = entry as usize * len;
    bytes.get(start..start + len).unwrap_or_default()
}

impl CuckooTableBuilder {
    /// Starts a table in an empty file.
    pub fn new(
        file: Box<dyn WritableFile>,
        ctx: TableBuilderContext,
        opts: CuckooTableOptions,
    ) -> CuckooTableBuilder {
        // Properties that RocksDB's builder omits are omitted here, too, above all the mark of
        // files for ingestion: RocksDB's reader cannot assign a global sequence number.
        let properties = TableProperties {
            num_data_blocks: 1,
            column_family_id: u64::from(ctx.column_family_id),
            creation_time: ctx.creation_time,
            oldest_key_time: ctx.oldest_key_time,
            file_creation_time: ctx.file_creation_time,
            orig_file_number: ctx.file_number,
            db_id: ctx.db_id,
            db_session_id: ctx.db_session_id,
            db_host_id: ctx.host,
            column_family_name: ctx.column_family_name,
            ..TableProperties::default()
        };
        let (order, entries) = (ctx.order, Entries::default());
        CuckooTableBuilder { file, opts, order, entries, zeroed: true, properties }
    }

    /// Appends an entry. Internal keys must ascend, and user keys must differ.
    pub fn add(&mut self, internal_key: &[u8], value: &[u8]) -> Result<()> {
        let key = ParsedInternalKey::parse(internal_key)?;
        let value = match key.value_type {
            ValueType::Value => Some(value),
            ValueType::Deletion => None,
            other => {
                return Err(Error::not_supported(format!("Unsupported key type {}", other as u8)));
            }
        };
        self.check(&key, internal_key, value)?;
        self.zeroed &= key.sequence == 0 && value.is_some();
        self.entries.push(internal_key, value);
        self.properties.num_entries += 1;
        self.properties.num_deletions += u64::from(value.is_none());
        Ok(())
    }

    /// The approximate size of the file if it were finished now, in bytes.
    pub fn file_size(&self) -> u64 {
        let value_len = self.entries.value_len.unwrap_or(0);
        match self.entries.count {
            0 => 0,
            count => (self.entries.key_len + value_len) as u64 * self.table_size(count),
        }
    }

    /// The number of entries added so far.
    pub fn num_entries(&self) -> u64 {
        self.properties.num_entries
    }

    /// Places the entries, writes everything, syncs and closes the file.
    pub fn finish(self) -> Result<FinishedTable> {
        let placed = self.place()?;
        self.write(placed)
    }

    /// Assigns a bucket to every entry; writes nothing. Fails if the entries do not fit into one hash table.
    pub fn place(&self) -> Result<PlacedEntries> {
        let mut layout = self.layout();
        let buckets = match self.entries.count {
            0 => Vec::new(),
            count => place(&self.entries, count, &mut layout, self.opts.max_search_depth)?,
        };
        let empty_key = self.empty_key(&layout)?;
        Ok(PlacedEntries { layout, buckets, empty_key })
    }

    /// Writes everything, syncs and closes the file.
    pub fn write(mut self, placed: PlacedEntries) -> Result<FinishedTable> {
        let PlacedEntries { layout, buckets, empty_key } = placed;
        self.write_buckets(&layout, &buckets, &empty_key)?;
        let bucket_len = (layout.key_len + layout.value_len) as u64;
        let p = &mut self.properties;
        p.data_size = buckets.len() as u64 * bucket_len;
        p.raw_key_size = p.num_entries * layout.key_len as u64;
        p.raw_value_size = p.num_entries * layout.value_len as u64;
        layout.describe(p, &empty_key);
        let tail = self.tail();
        self.file.append(&tail)?;
        self.file.sync()?;
        self.file.close()?;
        let file_size = self.properties.data_size + tail.len() as u64;
        Ok(FinishedTable { file_size, properties: self.properties })
    }

    /// Abandons the table and returns the file, which is still empty, and the added entries.
    pub(in crate::sst) fn into_parts(self) -> (Box<dyn WritableFile>, Entries) {
        (self.file, self.entries)
    }

    fn check(&self, key: &ParsedInternalKey, whole: &[u8], value: Option<&[u8]>) -> Result<()> {
        let entries = &self.entries;
        if self.properties.num_entries >= ENTRIES_MAX {
            return Err(Error::not_supported("Number of keys in a file must be < 2^32-1"));
        }
        if let (Some(value), Some(expected)) = (value, entries.value_len)
            && value.len() != expected
        {
            return Err(Error::not_supported("all values have to be the same size"));
        }
        if entries.count == 0 {
            return Ok(());
        }
        if whole.len() != entries.key_len {
            return Err(Error::not_supported("all keys have to be the same size"));
        }
        match self.order.compare_user(entries.user_key(entries.count - 1), key.user_key) {
            Ordering::Less => Ok(()),
            Ordering::Equal => Err(Error::not_supported("Same key is being inserted again.")),
            Ordering::Greater => {
                Err(Error::corruption("CuckooTable: keys were added out of order"))
            }
        }
    }

    /// The table size that satisfies `hash_table_ratio`.
    fn table_size(&self, count: u32) -> u64 {
        // A size that is too large is reported when the entries are placed.
        let wanted = f64::from(count) / self.opts.hash_table_ratio;
        if self.opts.use_module_hash {
            (wanted as u64).max(1)
        } else {
            (wanted.ceil() as u64).max(2).checked_next_power_of_two().unwrap_or(1 << 63)
        }
    }

    fn layout(&self) -> Layout {
        let entries = &self.entries;
        let user_key_len = entries.key_len.saturating_sub(TRAILER_SIZE);
        Layout {
            user_key_len,
            key_len: if self.zeroed { user_key_len } else { entries.key_len },
            value_len: entries.value_len.unwrap_or(0),
            hashes: 2,
            table_size: if entries.count == 0 { 0 } else { self.table_size(entries.count) },
            block_size: self.opts.cuckoo_block_size.max(1),
            // Shorter keys have no eight bytes; RocksDB reads past their end and cannot find them
            // again.
            identity_first: self.opts.identity_as_first_hash && user_key_len >= 8,
            use_module: self.opts.use_module_hash,
            murmur: NATIVE,
        }
    }

    /// The key of empty buckets.
    fn empty_key(&self, layout: &Layout) -> Result<Vec<u8>> {
        if self.entries.count == 0 {
            return Ok(Vec::new());
        }
        let mut keys: Vec<&[u8]> =
            (0..self.entries.count).map(|entry| self.entries.user_key(entry)).collect();
        let unused =
            unused_key(&mut keys).ok_or_else(|| Error::corruption("Unable to find unused key"))?;
        if layout.is_last_level() {
            return Ok(unused);
        }
        let mut key = Vec::with_capacity(layout.key_len);
        append_internal_key(&mut key, &unused, pack_trailer(0, ValueType::Value));
        Ok(key)
    }

    fn write_buckets(&mut self, layout: &Layout, buckets: &[u32], empty: &[u8]) -> Result<()> {
        let mut buffer = Vec::with_capacity(BUFFER_SIZE + layout.key_len + layout.value_len);
        for &entry in buckets {
            if entry == FREE {
                buffer.extend_from_slice(empty);
                buffer.resize(buffer.len() + layout.value_len, FILLER);
            } else {
                let key = self.entries.key(entry);
                buffer.extend_from_slice(key.get(..layout.key_len).unwrap_or_default());
                buffer.extend_from_slice(self.entries.value(entry));
            }
            if buffer.len() >= BUFFER_SIZE {
                self.file.append(&buffer)?;
                buffer.clear();
            }
        }
        self.file.append(&buffer)
    }

    /// Encodes properties, metaindex and footer.
    fn tail(&self) -> Vec<u8> {
        let start = self.properties.data_size;
        let entries = self.properties.entries();
        let entries = entries.iter().map(|(k, v)| (k.as_bytes(), v.as_slice()));
        let mut tail = meta_block::encode(entries, usize::MAX);
        let properties = BlockHandle { offset: start, size: tail.len() as u64 };
        let mut handle = Vec::new();
        properties.encode(&mut handle);
        let block = meta_block::encode([(PROPERTIES_BLOCK.as_bytes(), &handle[..])], 1);
        let metaindex = BlockHandle { offset: start + properties.size, size: block.len() as u64 };
        tail.extend_from_slice(&block);
        let footer_at = tail.len();
        tail.push(0);
        metaindex.encode(&mut tail);
        BlockHandle::default().encode(&mut tail);
        tail.resize(footer_at + FOOTER_SIZE - 12, 0);
        put_fixed32(&mut tail, 1);
        put_fixed64(&mut tail, CUCKOO_MAGIC);
        tail
    }
}

/// A key of the same length that is not one of these; `None` if there is no such key.
fn unused_key(keys: &mut Vec<&[u8]>) -> Option<Vec<u8>> {
    // User comparators may have another order.
    if !keys.is_sorted() {
        keys.sort_unstable();
    }
    let below = keys.first().and_then(|key| neighbour(key, false));
    below.or_else(|| keys.last().and_then(|key| neighbour(key, true))).or_else(|| {
        let pairs =
            keys.windows(2).filter_map(|pair| Some((neighbour(pair.first()?, true)?, pair)));
        let mut gaps = pairs.filter(|(after, pair)| pair.get(1) != Some(&&after[..]));
        gaps.next().map(|(after, _)| after)
    })
}

/// The key just above or just below `key`, treated as a number of the same length.
fn neighbour(key: &[u8], above: bool) -> Option<Vec<u8>> {
    let mut key = key.to_vec();
    for byte in key.iter_mut().rev() {
        let (next, carries) = if above { byte.overflowing_add(1) } else { byte.overflowing_sub(1) };
        *byte = next;
        if !carries {
            return Some(key);
        }
    }
    None
}

#[cfg(test)]
#[path = "builder_test.rs"]
mod tests;
