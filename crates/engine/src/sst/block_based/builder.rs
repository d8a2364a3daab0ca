//! The builder of block-based tables: divides entries into blocks, and adds filter, index, properties, metaindex and
//! footer.
//!
//! Blocks are cut and separators chosen as RocksDB does, so a file of the same entries and options has the same data
//! and index blocks. For a compression dictionary, data blocks are first held in memory. Properties are counted
//! exactly: RocksDB 11 checks entry counts in compactions if `format.version` permits it.

use super::block_builder::{BlockBuilder, BlockLimit};
use super::dictionary::HeldBlocks;
use super::filter::FilterBuilder;
use super::filter_parts::FilterParts;
use super::index_builder::IndexBuilder;
use super::index_prefixes::PrefixBlocks;
use super::open::{DICTIONARY, RANGE_DELETIONS};
use crate::base::hash::hash64;
use crate::base::key::{ParsedInternalKey, TRAILER_SIZE, ValueType, user_key};
use crate::base::short::common_prefix;
use crate::compress::{CompressionType, Dictionary};
use crate::error::{Error, Result};
use crate::fs::WritableFile;
use crate::options::{BlockBasedTableOptions, DataBlockIndexType, FilterPolicy, IndexType};
use crate::sst::format::{BlockHandle, Footer, READABLE_VERSIONS};
use crate::sst::properties::{INDEX_TYPE, PREFIX_FILTERING, TableProperties, WHOLE_KEY_FILTERING};
use crate::sst::{FinishedTable, TableBuilderContext};
use std::collections::BTreeMap;

/// A block-based table under construction.
pub struct BlockBasedTableBuilder {
    pub(super) file: Box<dyn WritableFile>,
    pub(super) ctx: TableBuilderContext,
    pub(super) opts: BlockBasedTableOptions,
    pub(super) offset: u64,
    pub(super) block: BlockBuilder,
    pub(super) index: IndexBuilder,
    pub(super) filter: Option<FilterParts>,
    /// Used only for the hash index.
    pub(super) prefixes: Option<PrefixBlocks>,
    range_deletions: BlockBuilder,
    block_limit: BlockLimit,
    /// The first key of the current block.
    first_key: Vec<u8>,
    pub(super) properties: TableProperties,
    pub(super) compressed: Vec<u8>,
    /// Blocks that wait for the dictionary, until it is built or turns out to be impossible.
    pub(super) held: Option<HeldBlocks>,
    pub(super) dictionary: Option<Dictionary>,
    /// Whether any block was stored compressed.
    pub(super) has_compressed_block: bool,
    pub(super) context_base: u32,
    /// Whether a write failed, so that the file cannot be finished.
    pub(super) broken: bool,
}

impl BlockBasedTableBuilder {
    /// Starts a table in an empty file.
    pub fn new(
        file: Box<dyn WritableFile>,
        ctx: TableBuilderContext,
        opts: BlockBasedTableOptions,
    ) -> Result<BlockBasedTableBuilder> {
        check_options(&ctx, &opts)?;
        let mut block =
            BlockBuilder::new(opts.block_restart_interval).with_sharing(opts.use_delta_encoding);
        if opts.data_block_index_type == DataBlockIndexType::BinaryAndHash {
            block = block.with_hash_index(opts.data_block_hash_table_util_ratio);
        }
        let policy = opts.filter_policy.filter(|_| !ctx.skip_filter);
        let part_size = is_partitioned(&opts).then_some(opts.metadata_block_size as usize);
        let part_size = part_size.filter(|_| opts.partition_filters);
        let filter =
            policy.map(|policy| FilterParts::new(filter_builder(policy, ctx.level), part_size));
        let is_hashed = opts.index_type == IndexType::HashSearch && ctx.prefix_extractor.is_some();
        let mut builder = BlockBasedTableBuilder {
            index: IndexBuilder::new(ctx.order.clone(), &opts),
            context_base: context_base(&ctx, opts.format_version),
            file,
            block,
            filter,
            prefixes: is_hashed.then(PrefixBlocks::default),
            range_deletions: BlockBuilder::new(1),
            offset: 0,
            block_limit: BlockLimit::new(opts.block_size, opts.block_size_deviation),
            first_key: Vec::new(),
            properties: TableProperties::default(),
            compressed: Vec::new(),
            held: HeldBlocks::new(&ctx, &opts),
            dictionary: None,
            has_compressed_block: false,
            broken: false,
            ctx,
            opts,
        };
        builder.describe();
        Ok(builder)
    }

    /// Appends an entry.
    pub fn add(&mut self, internal_key: &[u8], value: &[u8]) -> Result<()> {
        let parsed = ParsedInternalKey::parse(internal_key)?;
        if parsed.value_type == ValueType::RangeDeletion {
            self.add_range_deletion(internal_key, value);
            return Ok(());
        }
        let last = self.block.last_key();
        let common = common_prefix(last, internal_key);
        // The keys mostly differ within their user keys, and then this byte decides.
        let is_decided = common + TRAILER_SIZE < last.len().min(internal_key.len());
        let is_new = is_decided || last.is_empty() || user_key(last) != parsed.user_key;
        let is_after = match is_decided && self.ctx.order.is_bytewise() {
            true => last[common] < internal_key[common],
            false => last.is_empty() || self.ctx.order.compare(last, internal_key).is_lt(),
        };
        if !is_after {
            return Err(Error::corruption("keys were added to a table out of order"));
        }
        let p = &mut self.properties;
        match parsed.value_type {
            ValueType::Deletion | ValueType::SingleDeletion => p.num_deletions += 1,
            ValueType::Merge => p.num_merge_operands += 1,
            _ => {}
        }
        p.num_entries += 1;
        p.raw_key_size += internal_key.len() as u64;
        p.raw_value_size += value.len() as u64;
        if self.block.is_full(self.block_limit, internal_key, value) {
            self.cut_data_block(Some(internal_key))?;
        }
        if self.block.is_empty() {
            self.first_key.clear();
            self.first_key.extend_from_slice(internal_key);
        }
        let extractor = self.ctx.prefix_extractor.as_deref();
        if let Some(filter) = &mut self.filter {
            let last = Some(self.block.last_key()).filter(|last| is_new && !last.is_empty());
            let (last, whole_keys) = (last.map(user_key), self.opts.whole_key_filtering);
            filter.add(is_new, last, parsed.user_key, whole_keys, extractor);
        }
        if let Some(prefixes) = &mut self.prefixes {
            let extractor = extractor.filter(|e| e.in_domain(parsed.user_key));
            let block = self.index.len() + self.held.as_ref().map_or(0, HeldBlocks::len);
            prefixes.add(extractor.map(|e| e.transform(parsed.user_key)), block);
        }
        self.block.add_after(common, internal_key, value);
        self.block.add_to_hash_index(parsed.user_key);
        Ok(())
    }

    /// Adds a range tombstone. Range tombstones are in a separate block, and count as entries and
    /// as deletions.
    fn add_range_deletion(&mut self, begin: &[u8], end: &[u8]) {
        self.range_deletions.add(begin, end);
        let p = &mut self.properties;
        p.num_entries += 1;
        p.num_deletions += 1;
        p.num_range_deletions += 1;
        p.raw_key_size += begin.len() as u64;
        p.raw_value_size += end.len() as u64;
    }

    /// The approximate size of the data if it ended now, in bytes. Blocks that wait for a
    /// dictionary are not counted, since their compressed size is unknown.
    pub fn file_size(&self) -> u64 {
        let block = if self.block.is_empty() { 0 } else { self.block.size_estimate() };
        self.offset + block as u64
    }

    /// The number of entries added so far.
    pub fn num_entries(&self) -> u64 {
        self.properties.num_entries
    }

    /// Writes the remaining data, syncs and closes the file.
    pub fn finish(mut self) -> Result<FinishedTable> {
        if self.broken {
            return Err(Error::corruption("a table whose writes failed cannot be finished"));
        }
        if !self.block.is_empty() {
            self.cut_data_block(None)?;
        }
        self.properties.data_size = self.offset;
        let mut metas = BTreeMap::new();
        self.write_filter(&mut metas)?;
        let index = self.write_index(&mut metas)?;
        if self.opts.format_version >= 6 {
            metas.insert("rocksdb.index", index);
        }
        if let Some(dictionary) = self.dictionary.take() {
            let handle = self.write_raw(dictionary.bytes(), CompressionType::None)?;
            metas.insert(DICTIONARY, handle);
        }
        if !self.range_deletions.is_empty() {
            let block = self.range_deletions.finish().to_vec();
            metas.insert(RANGE_DELETIONS, self.write_raw(&block, CompressionType::None)?);
        }
        let properties = self.write_properties()?;
        metas.insert("rocksdb.properties", properties);
        let metaindex = self.write_metaindex(&metas)?;
        let footer = Footer {
            format_version: self.opts.format_version,
            checksum: self.opts.checksum,
            metaindex,
            index: Some(index),
            context_base: self.context_base,
            offset: self.offset,
        };
        self.file.append(&footer.encode())?;
        self.file.sync()?;
        let file_size = self.file.size();
        self.file.close()?;
        Ok(FinishedTable { file_size, properties: self.properties })
    }

    /// Ends the data block; `next` is the first key of the following block.
    fn cut_data_block(&mut self, next: Option<&[u8]>) -> Result<()> {
        if self.writes_in_place() {
            let handle = self.end_block_in_place()?;
            self.index.add(&self.first_key, self.block.last_key(), next, handle);
            return Ok(());
        }
        let raw = self.block.take();
        if let Some(held) = &mut self.held {
            let has_room = held.push(raw, &self.first_key, self.block.last_key());
            return if has_room && next.is_some() { Ok(()) } else { self.write_held(next) };
        }
        let handle = self.write_data(&raw)?;
        self.block.give_back(raw);
        self.index.add(&self.first_key, self.block.last_key(), next, handle);
        Ok(())
    }

    /// Builds the dictionary and writes the blocks that waited for it.
    fn write_held(&mut self, next: Option<&[u8]>) -> Result<()> {
        let Some(held) = self.held.take() else { return Ok(()) };
        self.dictionary = held.dictionary(&self.ctx);
        let mut blocks = held.into_blocks().peekable();
        while let Some(block) = blocks.next() {
            let handle = self.write_data(&block.raw)?;
            let after = blocks.peek().map(|block| block.first_key.as_slice());
            self.index.add(&block.first_key, &block.last_key, after.or(next), handle);
        }
        Ok(())
    }

    fn write_properties(&mut self) -> Result<BlockHandle> {
        if self.opts.format_version >= 7 {
            self.properties.compression_name = match self.ctx.compression {
                CompressionType::None => ";;".to_owned(),
                kind if self.has_compressed_block => format!("BuiltinV2;{:02x};", kind as u8),
                _ => "BuiltinV2;;".to_owned(),
            };
        }
        // One restart for the whole block, as readers expect.
        let mut block = BlockBuilder::new(usize::MAX);
        for (name, value) in self.properties.entries() {
            block.add(name.as_bytes(), &value);
        }
        self.write_raw(&block.take(), CompressionType::None)
    }

    fn write_metaindex(&mut self, metas: &BTreeMap<&str, BlockHandle>) -> Result<BlockHandle> {
        let mut block = BlockBuilder::new(1);
        for (name, handle) in metas {
            let mut value = Vec::new();
            handle.encode(&mut value);
            block.add(name.as_bytes(), &value);
        }
        self.write_raw(&block.take(), CompressionType::None)
    }

    /// Fills in the properties that are known at the start.
    fn describe(&mut self) {
        let (ctx, opts, p) = (&self.ctx, &self.opts, &mut self.properties);
        let or_none = |name: Option<&str>| name.unwrap_or("nullptr").to_owned();
        p.column_family_id = ctx.column_family_id.into();
        p.column_family_name = ctx.column_family_name.clone();
        p.orig_file_number = ctx.file_number;
        p.db_id = ctx.db_id.clone();
        p.db_session_id = ctx.db_session_id.clone();
        p.db_host_id = ctx.host.clone();
        p.creation_time = ctx.creation_time;
        p.oldest_key_time = ctx.oldest_key_time;
        p.file_creation_time = ctx.file_creation_time;
        p.format_version = opts.format_version.into();
        p.comparator_name = ctx.order.name().to_owned();
        p.merge_operator_name = or_none(ctx.merge_operator_name.as_deref());
        p.prefix_extractor_name = or_none(ctx.prefix_extractor.as_ref().map(|e| e.name()));
        p.property_collectors_names = "[]".to_owned();
        p.compression_name = ctx.compression.name().to_owned();
        let codec = &ctx.compression_opts;
        p.compression_options = format!(
            "window_bits={}; level={}; strategy={}; max_dict_bytes={}; zstd_max_train_bytes={}; \
             enabled={}; max_dict_buffer_bytes={}; use_zstd_dict_trainer={}; \
             max_compressed_bytes_per_kb={}; checksum={}; ",
            codec.window_bits,
            codec.level,
            codec.strategy,
            codec.max_dict_bytes,
            codec.zstd_max_train_bytes,
            u8::from(codec.enabled),
            codec.max_dict_buffer_bytes,
            u8::from(codec.use_zstd_dict_trainer),
            codec.max_compressed_bytes_per_kb,
            u8::from(codec.checksum),
        );
        if let (Some(_), Some(policy)) = (&self.filter, opts.filter_policy) {
            p.filter_policy_name = policy.name().to_owned();
        }
        let flag = |set: bool| if set { b"1".to_vec() } else { b"0".to_vec() };
        // Without prefixes, a hash index is an ordinary binary-search index.
        let plain = opts.index_type == IndexType::HashSearch && ctx.prefix_extractor.is_none();
        let index_type = if plain { IndexType::BinarySearch } else { opts.index_type };
        let index_type = (index_type as u32).to_le_bytes();
        p.user_collected.insert(INDEX_TYPE.to_owned(), index_type.to_vec());
        p.user_collected.insert(WHOLE_KEY_FILTERING.to_owned(), flag(opts.whole_key_filtering));
        p.user_collected.insert(PREFIX_FILTERING.to_owned(), flag(ctx.prefix_extractor.is_some()));
        if ctx.for_ingestion {
            p.mark_for_ingestion();
        }
    }
}

/// Whether the index is partitioned.
pub(super) fn is_partitioned(opts: &BlockBasedTableOptions) -> bool {
    opts.index_type == IndexType::TwoLevelIndexSearch
}

/// The filter builder of a table at `level`, which is negative if unknown.
fn filter_builder(policy: FilterPolicy, level: i32) -> FilterBuilder {
    match policy {
        FilterPolicy::Bloom { bits_per_key } => FilterBuilder::new(bits_per_key),
        FilterPolicy::Ribbon { bits_per_key, bloom_before_level } => {
            // RocksDB treats flushes as level -1; files on level 0 come from flushes.
            let level = match level {
                0 => -1,
                ..0 => i32::MAX - 1,
                level => level,
            };
            if level < bloom_before_level {
                FilterBuilder::new(bits_per_key)
            } else {
                FilterBuilder::ribbon(bits_per_key)
            }
        }
    }
}

fn check_options(ctx: &TableBuilderContext, opts: &BlockBasedTableOptions) -> Result<()> {
    if !READABLE_VERSIONS.contains(&opts.format_version) {
        return Err(Error::invalid_argument(format!(
            "format_version {}: {} to {} can be written",
            opts.format_version,
            READABLE_VERSIONS.start(),
            READABLE_VERSIONS.end()
        )));
    }
    if !ctx.compression.is_supported() {
        return Err(Error::not_supported(format!("{} compression", ctx.compression.name())));
    }
    Ok(())
}

/// The base of context checksums, which bind the blocks of a file of version 6 or later to that
/// file: any number except zero.
fn context_base(ctx: &TableBuilderContext, format_version: u32) -> u32 {
    if format_version < 6 {
        return 0;
    }
    let identity = format!("{}/{}/{}", ctx.db_id, ctx.db_session_id, ctx.file_number);
    hash64(identity.as_bytes()) as u32 | 1
}
