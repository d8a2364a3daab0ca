//! The parts of a block-based table besides data: padding, filters and the index.

use super::builder::{BlockBasedTableBuilder, is_partitioned};
use super::index_prefixes::{METADATA, PREFIXES};
use super::open::{FULL_FILTER, PARTITIONED_FILTER};
use crate::base::key::user_key;
use crate::compress::CompressionType;
use crate::error::Result;
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use std::collections::BTreeMap;

/// The maximum alignment of blocks.
const PAGE: usize = 4096;

/// The blocks listed in the metaindex.
type Metas = BTreeMap<&'static str, BlockHandle>;

impl BlockBasedTableBuilder {
    /// Pads the page after a data block if blocks are aligned to pages.
    pub(super) fn align(&mut self) -> Result<()> {
        if !self.opts.block_align {
            return Ok(());
        }
        let page = self.opts.block_size.clamp(1, PAGE) as u64;
        let padding = vec![0; (self.offset.next_multiple_of(page) - self.offset) as usize];
        let written = self.file.append(&padding);
        self.broken |= written.is_err();
        written?;
        self.offset += padding.len() as u64;
        Ok(())
    }

    /// Writes the filter, or its partitions and the block that lists them.
    pub(super) fn write_filter(&mut self, metas: &mut Metas) -> Result<()> {
        let Some(filter) = self.filter.take().filter(|filter| !filter.is_empty()) else {
            return Ok(());
        };
        self.properties.num_filter_entries = filter.len() as u64;
        let in_parts = filter.is_partitioned();
        let parts = filter.finish(user_key(self.block.last_key()));
        self.properties.filter_size = parts.iter().map(|part| part.bytes.len() as u64).sum();
        let mut places = Vec::with_capacity(parts.len());
        for part in parts {
            places.push((part.bound, self.write_raw(&part.bytes, CompressionType::None)?));
        }
        if in_parts {
            let top = self.index.over(places.into_iter());
            self.properties.filter_size += top.len() as u64;
            metas.insert(PARTITIONED_FILTER, self.write_raw(&top, CompressionType::None)?);
        } else if let Some((_, handle)) = places.pop() {
            metas.insert(FULL_FILTER, handle);
        }
        Ok(())
    }

    /// Writes the index, and the additional blocks of the hash index.
    pub(super) fn write_index(&mut self, metas: &mut Metas) -> Result<BlockHandle> {
        self.properties.index_key_is_user_key = self.index.user_keys().into();
        self.properties.index_value_is_delta_encoded = self.index.delta_values().into();
        if let Some(prefixes) = self.prefixes.take() {
            let (prefixes, metadata) = prefixes.finish();
            metas.insert(PREFIXES, self.write_raw(&prefixes, CompressionType::None)?);
            metas.insert(METADATA, self.write_raw(&metadata, CompressionType::None)?);
        }
        let mut size = BLOCK_TRAILER_SIZE;
        let root = if is_partitioned(&self.opts) {
            let part_size = self.opts.metadata_block_size as usize;
            let parts = self.index.parts(part_size, self.opts.block_size_deviation);
            let mut places = Vec::with_capacity(parts.len());
            for part in parts {
                size += part.bytes.len();
                places.push((part.last, self.write_index_block(&part.bytes)?));
            }
            let top = self.index.top_level(&places);
            self.properties.index_partitions = places.len() as u64;
            self.properties.top_level_index_size = top.len() as u64;
            top
        } else {
            self.index.finish()
        };
        self.properties.index_size = (size + root.len()) as u64;
        self.write_index_block(&root)
    }

    fn write_index_block(&mut self, bytes: &[u8]) -> Result<BlockHandle> {
        if self.opts.enable_index_compression {
            self.write_compressed(bytes, false)
        } else {
            self.write_raw(bytes, CompressionType::None)
        }
    }
}
