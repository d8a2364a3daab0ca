//! The PlainTable builder.
//!
//! ```text
//! file = row*, [Bloom block, index block], properties, metaindex, footer(48 bytes)
//! ```
//! Rows are described in `row.rs`. No block has a checksum. Offsets have 31 bits, so a file cannot
//! exceed [`MAX_FILE_SIZE`]; the builder returns an error before it accepts a row that would exceed
//! it.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::MAX_FILE_SIZE;
use super::row::{RowFormat, RowWriter};
use super::stored::{StoredIndex, bloom_block, prefix_hash};
use super::{BLOOM_BLOCK, BLOOM_BLOCKS, BLOOM_VERSION, ENCODING_TYPE, INDEX_BLOCK};
use crate::base::KeyOrder;
use crate::base::coding::{put_fixed64, put_varint32};
use crate::base::key::{ParsedInternalKey, ValueType, trailer};
use crate::error::{Error, Result};
use crate::fs::WritableFile;
use crate::hooks::SliceTransform;
use crate::options::PlainTableOptions;
use crate::sst::format::{BlockHandle, LEGACY_FOOTER_SIZE, LEGACY_PLAIN_MAGIC};
use crate::sst::meta_block::{self, PROPERTIES_BLOCK};
use crate::sst::{FinishedTable, TableBuilderContext, TableProperties};
use std::cmp::Ordering;
use std::sync::Arc;

/// Rows are appended to the file in pieces of about this size.
const BUFFER_SIZE: usize = 64 << 10;
/// The maximum size of properties, metaindex and footer in bytes, without names that the user
/// chose.
const TAIL_RESERVE: u64 = 4 << 10;

/// The data for `store_index_in_file`.
struct Stored {
    index: StoredIndex,
    /// Hashes of all prefixes (of user keys without an extractor), one per row.
    hashes: Vec<u32>,
}

/// A PlainTable under construction.
pub struct PlainTableBuilder {
    file: Box<dyn WritableFile>,
    opts: PlainTableOptions,
    order: KeyOrder,
    prefix_extractor: Option<Arc<dyn SliceTransform>>,
    rows: RowWriter,
    /// Rows that were not appended to the file yet.
    buffer: Vec<u8>,
    /// The file offset of the next byte, including `buffer`.
    offset: u64,
    tail_reserve: u64,
    stored: Option<Stored>,
    last_key: Vec<u8>,
    properties: TableProperties,
}

impl PlainTableBuilder {
    /// Starts a table in an empty file.
    pub fn new(
        file: Box<dyn WritableFile>,
        ctx: TableBuilderContext,
        opts: PlainTableOptions,
    ) -> Result<PlainTableBuilder> {
        let format =
            RowFormat { user_key_len: opts.user_key_len as usize, encoding: opts.encoding_type };
        let extractor_name = ctx.prefix_extractor.as_ref().map_or("nullptr", |t| t.name());
        let mut properties = TableProperties {
            num_data_blocks: 1,
            format_version: opts.encoding_type as u64,
            fixed_key_len: u64::from(opts.user_key_len),
            column_family_id: u64::from(ctx.column_family_id),
            creation_time: ctx.creation_time,
            oldest_key_time: ctx.oldest_key_time,
            file_creation_time: ctx.file_creation_time,
            orig_file_number: ctx.file_number,
            prefix_extractor_name: extractor_name.to_owned(),
            db_id: ctx.db_id,
            db_session_id: ctx.db_session_id,
            db_host_id: ctx.host,
            column_family_name: ctx.column_family_name,
            ..TableProperties::default()
        };
        let encoding = u32::from(opts.encoding_type as u8);
        properties.user_collected.insert(ENCODING_TYPE.into(), encoding.to_le_bytes().to_vec());
        if ctx.for_ingestion {
            properties.mark_for_ingestion();
        }
        let names = [
            &properties.prefix_extractor_name,
            &properties.db_id,
            &properties.db_session_id,
            &properties.db_host_id,
            &properties.column_family_name,
        ];
        let tail_reserve = TAIL_RESERVE + names.iter().map(|n| n.len() as u64).sum::<u64>();
        // Without an extractor all rows have the empty prefix: total order mode.
        let hash_table_ratio =
            if ctx.prefix_extractor.is_some() { opts.hash_table_ratio } else { 0.0 };
        let stored = opts.store_index_in_file.then(|| Stored {
            index: StoredIndex::new(opts.index_sparseness, hash_table_ratio),
            hashes: Vec::new(),
        });
        Ok(PlainTableBuilder {
            file,
            opts,
            order: ctx.order,
            prefix_extractor: ctx.prefix_extractor,
            rows: RowWriter::new(format, opts.index_sparseness),
            buffer: Vec::with_capacity(BUFFER_SIZE + (BUFFER_SIZE >> 2)),
            offset: 0,
            tail_reserve,
            stored,
            last_key: Vec::new(),
            properties,
        })
    }

    /// Appends an entry; internal keys must ascend.
    pub fn add(&mut self, internal_key: &[u8], value: &[u8]) -> Result<()> {
        let key = ParsedInternalKey::parse(internal_key)?;
        self.check(&key, internal_key, value)?;
        let prefix = match &self.prefix_extractor {
            Some(t) if t.in_domain(key.user_key) => t.transform(key.user_key),
            // A key without a prefix is its own prefix.
            Some(_) => key.user_key,
            None => &[],
        };
        if let Some(stored) = &mut self.stored {
            let whole = self.prefix_extractor.is_none();
            stored.hashes.push(prefix_hash(if whole { key.user_key } else { prefix }));
            stored.index.add(prefix, self.offset as u32);
        }
        let before = self.buffer.len();
        self.rows.put(&mut self.buffer, key.user_key, prefix, trailer(internal_key), value);
        self.offset += (self.buffer.len() - before) as u64;
        if self.buffer.len() >= BUFFER_SIZE {
            self.file.append(&self.buffer)?;
            self.buffer.clear();
        }
        self.last_key.clear();
        self.last_key.extend_from_slice(internal_key);
        self.count(key.value_type, internal_key, value);
        Ok(())
    }

    /// Adds a property with a name that the caller chooses.
    pub fn set_user_property(&mut self, name: &str, value: Vec<u8>) {
        self.tail_reserve += (name.len() + value.len() + 16) as u64;
        self.properties.user_collected.insert(name.to_owned(), value);
    }

    /// The approximate size of the file if it were finished now, in bytes.
    pub fn file_size(&self) -> u64 {
        self.offset
    }

    /// The number of entries added so far.
    pub fn num_entries(&self) -> u64 {
        self.properties.num_entries
    }

    /// Writes the remaining data, syncs and closes the file.
    pub fn finish(mut self) -> Result<FinishedTable> {
        self.properties.data_size = self.offset;
        let mut blocks: Vec<(&str, BlockHandle)> = Vec::new();
        if let Some(stored) = self.stored.take() {
            self.properties.user_collected.insert(BLOOM_VERSION.into(), b"1".to_vec());
            let bits = self.properties.num_entries
                * u64::try_from(self.opts.bloom_bits_per_key).unwrap_or(0);
            if bits > 0 {
                let bits = u32::try_from(bits).unwrap_or(!7);
                let mut no_lines = Vec::new();
                put_varint32(&mut no_lines, 0);
                self.properties.user_collected.insert(BLOOM_BLOCKS.into(), no_lines);
                let handle = self.append_block(&bloom_block(&stored.hashes, bits))?;
                self.properties.filter_size = handle.size;
                blocks.push((BLOOM_BLOCK, handle));
            }
            let handle = self.append_block(&stored.index.encode())?;
            self.properties.index_size = handle.size;
            blocks.push((INDEX_BLOCK, handle));
        }
        let entries = self.properties.entries();
        let entries = entries.iter().map(|(k, v)| (k.as_bytes(), v.as_slice()));
        let handle = self.append_block(&meta_block::encode(entries, usize::MAX))?;
        blocks.push((PROPERTIES_BLOCK, handle));
        let metaindex = self.append_metaindex(blocks)?;
        let mut footer = Vec::with_capacity(LEGACY_FOOTER_SIZE);
        metaindex.encode(&mut footer);
        BlockHandle::default().encode(&mut footer);
        footer.resize(LEGACY_FOOTER_SIZE - 8, 0);
        put_fixed64(&mut footer, LEGACY_PLAIN_MAGIC);
        self.append_block(&footer)?;
        self.file.append(&self.buffer)?;
        self.file.sync()?;
        self.file.close()?;
        Ok(FinishedTable { file_size: self.offset, properties: self.properties })
    }

    fn append_metaindex(&mut self, mut blocks: Vec<(&str, BlockHandle)>) -> Result<BlockHandle> {
        blocks.sort_by_key(|(name, _)| *name);
        let encoded: Vec<(&str, Vec<u8>)> = blocks
            .into_iter()
            .map(|(name, handle)| {
                let mut bytes = Vec::new();
                handle.encode(&mut bytes);
                (name, bytes)
            })
            .collect();
        let entries = encoded.iter().map(|(k, v)| (k.as_bytes(), v.as_slice()));
        self.append_block(&meta_block::encode(entries, 1))
    }

    fn append_block(&mut self, bytes: &[u8]) -> Result<BlockHandle> {
        let handle = BlockHandle { offset: self.offset, size: bytes.len() as u64 };
        if self.offset + handle.size > MAX_FILE_SIZE {
            return Err(too_large(self.offset + handle.size));
        }
        self.file.append(&self.buffer)?;
        self.buffer.clear();
        self.buffer.extend_from_slice(bytes);
        self.offset += handle.size;
        Ok(handle)
    }

    fn check(&self, key: &ParsedInternalKey, internal_key: &[u8], value: &[u8]) -> Result<()> {
        if key.value_type == ValueType::RangeDeletion {
            return Err(Error::not_supported("range deletions in PlainTable"));
        }
        let fixed = self.opts.user_key_len as usize;
        if fixed != 0 && key.user_key.len() != fixed {
            return Err(Error::invalid_argument(format!(
                "PlainTable with user_key_len {fixed}: a user key has {} bytes",
                key.user_key.len()
            )));
        }
        if !self.last_key.is_empty()
            && self.order.compare(&self.last_key, internal_key) == Ordering::Greater
        {
            return Err(Error::corruption("PlainTable: keys were added out of order"));
        }
        let stored = self.stored.as_ref().map_or(0, |s| {
            let bits = u64::try_from(self.opts.bloom_bits_per_key).unwrap_or(0);
            s.index.max_len() + (s.hashes.len() as u64 + 1) * bits / 8
        });
        let row = RowWriter::max_len(internal_key.len(), value.len());
        let end = self.offset + row + stored + self.tail_reserve;
        if end > MAX_FILE_SIZE { Err(too_large(end)) } else { Ok(()) }
    }

    fn count(&mut self, kind: ValueType, internal_key: &[u8], value: &[u8]) {
        let p = &mut self.properties;
        p.num_entries += 1;
        p.raw_key_size += internal_key.len() as u64;
        p.raw_value_size += value.len() as u64;
        match kind {
            ValueType::Deletion | ValueType::SingleDeletion => p.num_deletions += 1,
            ValueType::Merge => p.num_merge_operands += 1,
            _ => {}
        }
    }
}

#[cold]
fn too_large(bytes: u64) -> Error {
    Error::not_supported(format!(
        "PlainTable files of more than {MAX_FILE_SIZE} bytes (2^31-1), this one would need {bytes}; \
         use a smaller target_file_size_base or write_buffer_size"
    ))
}

#[cfg(test)]
#[path = "builder_test.rs"]
mod tests;
