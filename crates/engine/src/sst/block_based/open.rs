//! Opening a block-based table: footer, metaindex, properties, dictionary, index, filter.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::counting::{BlockKind, CachedParts};
use super::cursor::Cursor;
use super::index::IndexForm;
use super::parts::{FilterAt, LateParts, PartsAt};
use super::readahead::Pacing;
use super::source::BlockSource;
use super::table::BlockBasedTable;
use super::view::BlockView;
use crate::base::coding::Decoder;
use crate::base::key::ParsedInternalKey;
use crate::base::{KeyOrder, SeqNo, ValueType};
use crate::compress::Dictionary;
use crate::env::sync::OnceLock;
use crate::error::{Error, Result};
use crate::fs::RandomAccessFile;
use crate::options::BlockBasedTableOptions;
use crate::rangedel::{Fragments, Tombstone};
use crate::sst::TableReadContext;
use crate::sst::format::{
    BlockHandle, FOOTER_SIZE, Footer, READABLE_VERSIONS, read_exact_at, unsupported_version,
};
use crate::sst::properties::{
    EXTERNAL_GLOBAL_SEQNO, EXTERNAL_VERSION, INDEX_TYPE, PREFIX_FILTERING, TableProperties,
    WHOLE_KEY_FILTERING,
};
use crate::stats::{self, Ticker};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const PROPERTIES: &str = "rocksdb.properties";
pub(super) const RANGE_DELETIONS: &str = "rocksdb.range_del";
pub(super) const DICTIONARY: &str = "rocksdb.compression_dict";
const INDEX: &str = "rocksdb.index";
/// RocksDB's name for all its filters, as the builder writes it.
pub(super) const FULL_FILTER: &str = "fullfilter.rocksdb.BuiltinBloomFilter";
pub(super) const PARTITIONED_FILTER: &str = "partitionedfilter.rocksdb.BuiltinBloomFilter";

type MetaBlocks = BTreeMap<String, BlockHandle>;

impl BlockBasedTable {
    /// Opens a file. Reads and checks everything except data blocks.
    pub fn open(
        file: Arc<dyn RandomAccessFile>,
        ctx: &TableReadContext,
        opts: &BlockBasedTableOptions,
    ) -> Result<BlockBasedTable> {
        let path = file.path().to_owned();
        let opened = open(file, ctx, opts).and_then(|table| {
            table.parts()?;
            table.reserved(ctx, opts)
        });
        opened.map_err(|e| in_file(&path, e))
    }

    /// Like `open`, but index and filter are only verified, in `memory`, which further tables reuse. They are read
    /// again when they are first needed.
    pub fn open_late(
        file: Arc<dyn RandomAccessFile>,
        ctx: &TableReadContext,
        opts: &BlockBasedTableOptions,
        memory: &mut Vec<u8>,
    ) -> Result<BlockBasedTable> {
        // In this case their charge to the cache's budget must be known now.
        if opts.cache_index_and_filter_blocks {
            return BlockBasedTable::open(file, ctx, opts);
        }
        let path = file.path().to_owned();
        let opened = open(Arc::clone(&file), ctx, opts).and_then(|table| {
            table.parts.verify(&table.source, &*file, &table.order, memory)?;
            Ok(table)
        });
        opened.map_err(|e| in_file(&path, e))
    }

    fn reserved(
        mut self,
        ctx: &TableReadContext,
        opts: &BlockBasedTableOptions,
    ) -> Result<BlockBasedTable> {
        if let Some(cache) = ctx.cache.as_ref().filter(|_| opts.cache_index_and_filter_blocks) {
            // A memory account counts the parts itself, and never refuses them.
            if ctx.memory.is_none() {
                self._reservation = Some(cache.reserve(self.memory_usage())?);
            }
            let cached = self.cached_parts()?;
            if let Some(stats) = &self.statistics {
                cached.count_added(stats);
            }
            self.cached = Some(Box::new(cached));
        }
        Ok(self)
    }

    /// The sizes of the parts that are charged to the cache.
    fn cached_parts(&self) -> Result<CachedParts> {
        let (index, filter) = self.parts()?.sizes();
        let dictionary = self.dictionary.as_ref().map(|d| d.bytes().len() as u64);
        Ok(CachedParts { index: index as u64, filter: filter.map(|size| size as u64), dictionary })
    }
}

fn in_file(path: &Path, e: Error) -> Error {
    if e.message().starts_with(&*path.to_string_lossy()) { e } else { e.in_file(path) }
}

/// Opens everything except index and filter.
fn open(
    file: Arc<dyn RandomAccessFile>,
    ctx: &TableReadContext,
    opts: &BlockBasedTableOptions,
) -> Result<BlockBasedTable> {
    let footer = read_footer(&*file).inspect_err(|e| {
        let damaged = u64::from(e.is_corruption());
        stats::add(&ctx.statistics, Ticker::SstFooterCorruptionCount, damaged);
    })?;
    let source = BlockSource::new(file, footer, ctx.mmap, ctx.statistics.clone());
    let metas = read_metaindex(&source)?;
    let properties = read_properties(&source, &metas)?;
    let dictionary = read_dictionary(&source, &metas)?;
    let form = index_form(&properties)?;
    let index = source.footer().index.or_else(|| metas.get(INDEX).copied());
    let parts = LateParts::new(PartsAt {
        index: index.ok_or_else(|| Error::corruption("metaindex: no entry rocksdb.index"))?,
        is_partitioned: properties.user_fixed32(INDEX_TYPE) == Some(2),
        form,
        data_blocks: properties.num_data_blocks,
        filter: find_filter(&metas, ctx, opts),
        cache: ctx.cache.clone(),
        memory: ctx.memory.clone(),
    });
    let extractor = ctx.prefix_extractor.clone().filter(|extractor| {
        properties.prefix_extractor_name == extractor.name()
            && properties.user_flag(PREFIX_FILTERING)
    });
    let global_seqno = global_seqno(&properties, ctx.global_seqno)?;
    let range_tombstones = match metas.get(RANGE_DELETIONS) {
        Some(&handle) => read_range_tombstones(&source, handle, &ctx.order, global_seqno)?,
        None => None,
    };
    // Last, since the parts of a table are read in one run.
    if ctx.random_reads {
        source.will_read_at_random();
    }
    Ok(BlockBasedTable {
        fingerprints: ctx.order.is_bytewise() && form.user_keys,
        whole_keys: properties.user_flag(WHOLE_KEY_FILTERING),
        prefixes: extractor,
        has_range_tombstones: range_tombstones.is_some(),
        range_tombstones,
        global_seqno,
        order: ctx.order.clone(),
        source,
        parts,
        dictionary,
        properties,
        pacing: Pacing::automatic(opts).asynchronous(ctx.random_reads),
        statistics: ctx.statistics.clone(),
        at_last_level: ctx.at_last_level,
        cached: None,
        _reservation: None,
        charge: OnceLock::new(),
    })
}

fn read_dictionary(source: &BlockSource, metas: &MetaBlocks) -> Result<Option<Dictionary>> {
    let Some(&handle) = metas.get(DICTIONARY) else { return Ok(None) };
    let bytes = source.read_meta(BlockKind::Dictionary, handle)?;
    Ok(Some(Dictionary::new(bytes.to_vec())))
}

fn read_footer(file: &dyn RandomAccessFile) -> Result<Footer> {
    let size = file.size();
    let mut tail = vec![0; FOOTER_SIZE.min(size as usize)];
    read_exact_at(file, size - tail.len() as u64, &mut tail)?;
    let footer = Footer::decode(&tail, size)?;
    if !READABLE_VERSIONS.contains(&footer.format_version) {
        return Err(unsupported_version(footer.format_version));
    }
    Ok(footer)
}

fn read_metaindex(source: &BlockSource) -> Result<MetaBlocks> {
    let handle = source.footer().metaindex;
    let bytes = source.read_meta(BlockKind::Other, handle)?;
    let mut metas = MetaBlocks::new();
    BlockView::new(&bytes)
        .and_then(|view| {
            view.for_each(|key, value| {
                let name = String::from_utf8_lossy(key).into_owned();
                // Blocks of unknown features may have other values.
                if let Ok(handle) = BlockHandle::decode(&mut Decoder::new(value)) {
                    metas.insert(name, handle);
                }
                Ok(())
            })
        })
        .map_err(|e| source.locate(handle, e))?;
    Ok(metas)
}

fn read_properties(source: &BlockSource, metas: &MetaBlocks) -> Result<TableProperties> {
    let handle = *metas
        .get(PROPERTIES)
        .ok_or_else(|| Error::corruption("metaindex: no entry rocksdb.properties"))?;
    let mut bytes = source.read_with_trailer(BlockKind::Other, handle)?;
    if let Err(e) = source.verify(&bytes, handle.offset) {
        // Old ingestions wrote the sequence number into the block without updating its checksum.
        let mut original = bytes.to_vec();
        let block = original.get_mut(..handle.size as usize).unwrap_or_default();
        if !zero_global_seqno(block) || source.verify(&original, handle.offset).is_err() {
            return Err(e);
        }
    }
    bytes.truncate(handle.size as usize);
    let mut properties = TableProperties::default();
    let mut last = Vec::new();
    BlockView::new(&bytes)
        .and_then(|view| {
            view.for_each(|key, value| {
                if !last.is_empty() && last.as_slice() >= key {
                    return Err(Error::corruption("properties are out of order"));
                }
                last = key.to_vec();
                properties.accept(key, value)
            })
        })
        .map_err(|e| source.locate(handle, e))?;
    Ok(properties)
}

/// Zeroes the value of the global sequence number in a properties block; false if there is none.
fn zero_global_seqno(block: &mut [u8]) -> bool {
    let Some((start, end)) = find_global_seqno(block) else { return false };
    match block.get_mut(start..end) {
        Some(value) if value.len() == 8 => {
            value.fill(0);
            true
        }
        _ => false,
    }
}

fn find_global_seqno(block: &[u8]) -> Option<(usize, usize)> {
    let view = BlockView::new(block).ok()?;
    let mut cursor = Cursor::default();
    cursor.rewind_to_start();
    while cursor.next(&view).ok()? {
        if cursor.key() == EXTERNAL_GLOBAL_SEQNO.as_bytes() {
            return Some(cursor.value_range());
        }
    }
    None
}

/// The sequence number of all entries, if the file was made for ingestion.
fn global_seqno(properties: &TableProperties, manifest: Option<SeqNo>) -> Result<Option<SeqNo>> {
    let stored = properties.user_fixed64(EXTERNAL_GLOBAL_SEQNO);
    let Some(version) = properties.user_fixed32(EXTERNAL_VERSION) else {
        return match stored {
            Some(seq) if seq != 0 => {
                Err(Error::corruption("a file that was not made for ingestion has a global seqno"))
            }
            _ => Ok(None),
        };
    };
    if version < 2 {
        return Ok(None);
    }
    let stored = stored.unwrap_or(0);
    match manifest {
        Some(seq) if stored != 0 && stored != seq => Err(Error::corruption(format!(
            "an ingested file has global seqno {stored}, expected {seq} as in the MANIFEST"
        ))),
        Some(seq) => Ok(Some(seq).filter(|&seq| seq != 0)),
        None => Ok(Some(stored).filter(|&seq| seq != 0)),
    }
}

fn index_form(properties: &TableProperties) -> Result<IndexForm> {
    let kind = properties.user_fixed32(INDEX_TYPE).unwrap_or(0);
    if kind > 3 {
        return Err(Error::not_supported(format!("index type {kind}")));
    }
    Ok(IndexForm {
        user_keys: properties.index_key_is_user_key != 0,
        delta_values: properties.index_value_is_delta_encoded != 0,
        first_keys: kind == 3,
    })
}

/// Reads the block of range deletions: `internal key of the begin -> end`. They may overlap.
fn read_range_tombstones(
    source: &BlockSource,
    handle: BlockHandle,
    order: &KeyOrder,
    global_seqno: Option<SeqNo>,
) -> Result<Option<Arc<Fragments>>> {
    let bytes = source.read_meta(BlockKind::Other, handle)?;
    let mut stored = Vec::new();
    let all = BlockView::new(&bytes).and_then(|view| {
        view.for_each(|key, end| {
            let parsed = ParsedInternalKey::parse(key)?;
            if parsed.value_type != ValueType::RangeDeletion {
                return Err(Error::corruption(format!(
                    "range deletions: expected only such, found {:?}",
                    parsed.value_type
                )));
            }
            let seq = global_seqno.unwrap_or(parsed.sequence);
            stored.push((parsed.user_key.to_vec(), end.to_vec(), seq));
            Ok(())
        })
    });
    let tombstones = stored.iter().map(|(begin, end, seq)| Tombstone { begin, end, seq: *seq });
    let fragments = all.and_then(|()| Fragments::from_file(order, tombstones));
    let fragments = fragments.map_err(|e| source.locate(handle, e))?;
    Ok(Some(Arc::new(fragments)).filter(|fragments| !fragments.is_empty()))
}

/// The location of the filter, if the options permit its use.
fn find_filter(
    metas: &MetaBlocks,
    ctx: &TableReadContext,
    opts: &BlockBasedTableOptions,
) -> FilterAt {
    // Filters contain user keys without timestamps, but nothing here removes timestamps from keys.
    if opts.filter_policy.is_none() || ctx.order.name().ends_with(".u64ts") {
        return FilterAt::None;
    }
    match (metas.get(FULL_FILTER), metas.get(PARTITIONED_FILTER)) {
        (Some(&handle), _) => FilterAt::Full(handle),
        (None, Some(&handle)) => FilterAt::Partitioned(handle),
        (None, None) => FilterAt::None,
    }
}
