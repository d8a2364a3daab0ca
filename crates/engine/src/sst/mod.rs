//! Tables: the sorted files (SST) behind one door.
//!
//! Three formats, block-based, PlainTable and CuckooTable, told apart by the footer's magic number. A
//! [`Table`] is an open reader: immutable, used by many threads at once, and closed when its last
//! count goes.
//! A [`TableBuilder`] writes one file from entries in internal-key order.
//!
//! Invariants:
//! * **ST1** What a table returns was covered by a verified checksum since the file was opened,
//!   unless the file has none.
//! * **ST2** No bytes make a reader panic, loop or allocate more than a small multiple of the file.

use crate::base::iterator::EmptyIterator;
use crate::base::{KeyOrder, LookupKey, SeqNo};
use crate::cache::Cache;
use crate::compress::CompressionType;
use crate::env::sync::atomic::AtomicBool;
use crate::error::Result;
use crate::fs::{RandomAccessFile, WritableFile};
use crate::hooks::SliceTransform;
use crate::iter::GetContext;
use crate::options::{
    BlockBasedTableOptions, CompressionOptions, PlainTableOptions, ReadOptions, TableFactory,
};
use crate::rangedel::Fragments;
use crate::stats::Statistics;
use std::sync::Arc;

mod access;
pub mod block_based;
pub mod cuckoo;
mod cuckoo_or_blocks;
pub mod format;
mod meta_block;
pub mod plain;
pub mod properties;
mod staged;
mod table_iterator;

use block_based::{BlockBasedTable, BlockBasedTableBuilder};
use cuckoo::{CuckooTable, CuckooTableBuilder};
use cuckoo_or_blocks::CuckooOrBlocksBuilder;
use plain::{PlainTable, PlainTableBuilder};

pub use access::BlockAccess;
pub use properties::TableProperties;
pub use staged::Staged;
pub use table_iterator::TableIterator;

/// What a reader needs besides its file.
#[derive(Clone)]
pub struct TableReadContext {
    /// The order of internal keys.
    pub order: KeyOrder,
    /// How the column family reads tables; other formats are read with their defaults.
    pub factory: TableFactory,
    /// Maps keys to prefixes, for prefix filters and hash indexes.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// Where data blocks are kept; `None` keeps none.
    pub cache: Option<Arc<Cache>>,
    /// Use the mapping of a mapped file instead of reads.
    pub mmap: bool,
    /// The file's number, for messages.
    pub file_number: u64,
    /// The file's largest sequence number in the MANIFEST; ingested files take it for all entries.
    pub global_seqno: Option<SeqNo>,
    /// Where uses of filters and of the cache are counted, if they are.
    pub statistics: Option<Arc<Statistics>>,
    /// The file is on the last level: for statistics.
    pub at_last_level: bool,
}

/// How an iterator over a table reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableIterOptions {
    /// Verify checksums of what is read from the file. Block-based tables always do: it costs less
    /// than a flag on every cached block.
    pub verify_checksums: bool,
    /// How blocks may be got.
    pub access: BlockAccess,
    /// All keys in order, although the format may prefer one prefix (PlainTable).
    pub total_order: bool,
    /// All keys that the reader wants have the prefix of the seek's target: a forward seek asks the prefix filter.
    pub within_one_prefix: bool,
    /// Bytes read ahead; 0 leaves it to the iterator, which starts small and doubles.
    pub readahead: usize,
    /// A whole-file scan for a compaction: large reads, nothing cached.
    pub for_compaction: bool,
    /// Every block that was read stays held, so that values stay where they are, until the iterator is dropped.
    pub pin: bool,
}

impl Default for TableIterOptions {
    fn default() -> TableIterOptions {
        TableIterOptions {
            verify_checksums: true,
            access: BlockAccess::default(),
            total_order: false,
            within_one_prefix: false,
            readahead: 0,
            for_compaction: false,
            pin: false,
        }
    }
}

/// An open table.
#[expect(clippy::large_enum_variant, reason = "there is one per file, always behind an Arc")]
pub enum Table {
    /// The default format.
    BlockBased(BlockBasedTable),
    /// Rows in a mapped file.
    Plain(PlainTable),
    /// A hash table in a mapped file.
    Cuckoo(CuckooTable),
}

impl Table {
    /// Opens a table of any format: reads and checks footer, properties, index and filter.
    pub fn open(file: Arc<dyn RandomAccessFile>, ctx: &TableReadContext) -> Result<Arc<Table>> {
        Table::open_in(file, ctx, None)
    }

    /// As `open`, for one of many tables: index and filter of a block-based table are verified by means of
    /// `memory`, and read again when they are needed first.
    pub fn open_late(
        file: Arc<dyn RandomAccessFile>,
        ctx: &TableReadContext,
        memory: &mut Vec<u8>,
    ) -> Result<Arc<Table>> {
        Table::open_in(file, ctx, Some(memory))
    }

    fn open_in(
        file: Arc<dyn RandomAccessFile>,
        ctx: &TableReadContext,
        memory: Option<&mut Vec<u8>>,
    ) -> Result<Arc<Table>> {
        let table = match format::recognise(&*file)? {
            format::TableKind::BlockBased => {
                let defaults = BlockBasedTableOptions::default();
                let opts = match &ctx.factory {
                    TableFactory::BlockBased(opts) => opts,
                    _ => &defaults,
                };
                Table::BlockBased(match memory {
                    Some(memory) => BlockBasedTable::open_late(file, ctx, opts, memory)?,
                    None => BlockBasedTable::open(file, ctx, opts)?,
                })
            }
            format::TableKind::Plain => {
                let defaults = PlainTableOptions::default();
                let opts = match &ctx.factory {
                    TableFactory::Plain(opts) => opts,
                    _ => &defaults,
                };
                Table::Plain(PlainTable::open(file, ctx, opts)?)
            }
            format::TableKind::Cuckoo => Table::Cuckoo(CuckooTable::open(file, ctx)?),
        };
        Ok(Arc::new(table))
    }

    /// Reads what [`Table::open_late`] left for later. ShutdownInProgress, and nothing is lost, if that
    /// is cancelled meanwhile.
    pub fn read_parts(&self, cancelled: &AtomicBool) -> Result<()> {
        match self {
            Table::BlockBased(table) => table.read_parts(cancelled),
            Table::Plain(_) | Table::Cuckoo(_) => Ok(()),
        }
    }

    /// Looks a key up: calls `ctx.save` for the visible entries of the user key, newest first,
    /// until it wants no more.
    #[inline]
    pub fn get(&self, key: &LookupKey, ro: &ReadOptions, ctx: &mut GetContext) -> Result<()> {
        match self {
            Table::BlockBased(table) => table.get(key, ro, ctx),
            Table::Plain(table) => table.get(key, ro, ctx),
            Table::Cuckoo(table) => table.get(key, ro, ctx),
        }
    }

    /// Asks for what a lookup of the key reads first.
    #[inline]
    pub fn prefetch(&self, key: &LookupKey) {
        match self {
            Table::BlockBased(table) => table.prefetch(key),
            Table::Plain(table) => table.prefetch(key),
            // Its first hash would be computed once more for it.
            Table::Cuckoo(_) => {}
        }
    }

    /// Begins a lookup in stages; `None` where only [`Table::get`] will do.
    #[inline]
    pub fn stage<'a>(&'a self, key: &'a LookupKey<'a>) -> Option<Staged<'a>> {
        match self {
            Table::BlockBased(table) => {
                block_based::Staged::begin(table, key).map(Staged::BlockBased)
            }
            Table::Plain(table) => plain::Staged::begin(table, key).map(Staged::Plain),
            Table::Cuckoo(_) => None,
        }
    }

    /// An iterator over the table; it keeps the table open.
    pub fn iter(self: &Arc<Table>, ro: &TableIterOptions) -> TableIterator {
        match &**self {
            Table::BlockBased(_) => match block_based::TableIter::new(Arc::clone(self), ro) {
                Ok(iter) => TableIterator::BlockBased(iter),
                Err(e) => TableIterator::Failed(EmptyIterator::with_error(e)),
            },
            Table::Plain(table) => TableIterator::Plain(table.iter(ro)),
            Table::Cuckoo(table) => TableIterator::Cuckoo(table.iter()),
        }
    }

    /// The range tombstones of the table, if it has any.
    #[inline]
    pub fn range_tombstones(&self) -> Option<&Arc<Fragments>> {
        match self {
            Table::BlockBased(table) => table.range_tombstones(),
            Table::Plain(_) | Table::Cuckoo(_) => None,
        }
    }

    /// Cuts off what range tombstones say beyond the file's boundaries (internal keys): it may not be
    /// true there any more.
    pub fn clip_range_tombstones(&mut self, smallest: &[u8], largest: &[u8]) {
        if let Table::BlockBased(table) = self {
            table.clip_range_tombstones(smallest, largest);
        }
    }

    /// Whether the prefix filter allows for keys with this prefix; true when it cannot say.
    pub fn prefix_may_match(&self, user_prefix: &[u8]) -> bool {
        match self {
            Table::BlockBased(table) => table.prefix_may_match(user_prefix),
            Table::Plain(table) => table.prefix_may_match(user_prefix),
            Table::Cuckoo(_) => true,
        }
    }

    /// About how many bytes of the file lie before this internal key: none in a CuckooTable, whose
    /// keys lie anywhere.
    pub fn approximate_offset_of(&self, internal_key: &[u8]) -> Result<u64> {
        match self {
            Table::BlockBased(table) => table.approximate_offset_of(internal_key),
            Table::Plain(table) => Ok(table.approximate_offset_of(internal_key)),
            Table::Cuckoo(_) => Ok(0),
        }
    }

    /// What the file says about itself.
    pub fn properties(&self) -> &TableProperties {
        match self {
            Table::BlockBased(table) => table.properties(),
            Table::Plain(table) => table.properties(),
            Table::Cuckoo(table) => table.properties(),
        }
    }

    /// Bytes of memory that the reader holds outside of the cache.
    pub fn memory_usage(&self) -> usize {
        match self {
            Table::BlockBased(table) => table.memory_usage(),
            Table::Plain(table) => table.memory_usage(),
            Table::Cuckoo(table) => table.memory_usage(),
        }
    }

    /// Reads every block and checks it.
    pub fn verify_checksums(&self) -> Result<()> {
        match self {
            Table::BlockBased(table) => table.verify_checksums(),
            Table::Plain(table) => table.verify_rows(),
            Table::Cuckoo(table) => table.verify_buckets(),
        }
    }
}

/// What a builder needs besides its file.
#[derive(Clone)]
pub struct TableBuilderContext {
    /// The order of internal keys.
    pub order: KeyOrder,
    /// The format and its options.
    pub factory: TableFactory,
    /// Maps keys to prefixes, for the filter.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// The merge operator's name, for the properties.
    pub merge_operator_name: Option<String>,
    /// The codec of blocks.
    pub compression: CompressionType,
    /// Settings of the codec.
    pub compression_opts: CompressionOptions,
    /// The size that the file is to have; 0 for any.
    pub target_file_size: u64,
    /// The level the file is for; -1 when unknown.
    pub level: i32,
    /// The column family's id.
    pub column_family_id: u32,
    /// The column family's name.
    pub column_family_name: String,
    /// The file's number.
    pub file_number: u64,
    /// The database's identity.
    pub db_id: String,
    /// The session's identity.
    pub db_session_id: String,
    /// The host's name.
    pub host: String,
    /// When the data was first written, in seconds since 1970; 0 unknown.
    pub creation_time: u64,
    /// When the oldest key was written, in seconds since 1970; 0 unknown.
    pub oldest_key_time: u64,
    /// When the file is made, in seconds since 1970; 0 unknown.
    pub file_creation_time: u64,
    /// Nothing lies below the file.
    pub bottommost: bool,
    /// Write no filter although the options ask for one.
    pub skip_filter: bool,
    /// The file is for ingestion: it says so, and has a place for a global sequence number.
    pub for_ingestion: bool,
    /// Where what is compressed is counted, if it is.
    pub statistics: Option<Arc<Statistics>>,
}

/// A table that is being written.
pub enum TableBuilder {
    /// The default format.
    BlockBased(Box<BlockBasedTableBuilder>),
    /// Rows for a mapped file.
    Plain(Box<PlainTableBuilder>),
    /// A hash table for a mapped file, and for ingestion: what does not fit is an error of the entry.
    Cuckoo(Box<CuckooTableBuilder>),
    /// A hash table if the entries fit into one.
    CuckooOrBlocks(Box<CuckooOrBlocksBuilder>),
}

/// What became of a finished table.
#[derive(Clone, Debug)]
pub struct FinishedTable {
    /// Its size in bytes.
    pub file_size: u64,
    /// What was written into its properties block.
    pub properties: TableProperties,
}

impl TableBuilder {
    /// Starts a table in an empty file.
    pub fn new(file: Box<dyn WritableFile>, ctx: TableBuilderContext) -> Result<TableBuilder> {
        Ok(match ctx.factory.clone() {
            TableFactory::BlockBased(opts) => {
                TableBuilder::BlockBased(Box::new(BlockBasedTableBuilder::new(file, ctx, opts)?))
            }
            TableFactory::Plain(opts) => {
                TableBuilder::Plain(Box::new(PlainTableBuilder::new(file, ctx, opts)?))
            }
            TableFactory::Cuckoo(opts) if ctx.for_ingestion => {
                TableBuilder::Cuckoo(Box::new(CuckooTableBuilder::new(file, ctx, opts)))
            }
            TableFactory::Cuckoo(opts) => {
                TableBuilder::CuckooOrBlocks(Box::new(CuckooOrBlocksBuilder::new(file, ctx, opts)))
            }
        })
    }

    /// Appends an entry; internal keys must ascend. A range tombstone (its value is the end) may come
    /// at any time.
    pub fn add(&mut self, internal_key: &[u8], value: &[u8]) -> Result<()> {
        match self {
            TableBuilder::BlockBased(builder) => builder.add(internal_key, value),
            TableBuilder::Plain(builder) => builder.add(internal_key, value),
            TableBuilder::Cuckoo(builder) => builder.add(internal_key, value),
            TableBuilder::CuckooOrBlocks(builder) => builder.add(internal_key, value),
        }
    }

    /// About how large the file would be if it were finished now.
    pub fn file_size(&self) -> u64 {
        match self {
            TableBuilder::BlockBased(builder) => builder.file_size(),
            TableBuilder::Plain(builder) => builder.file_size(),
            TableBuilder::Cuckoo(builder) => builder.file_size(),
            TableBuilder::CuckooOrBlocks(builder) => builder.file_size(),
        }
    }

    /// Entries added so far.
    pub fn num_entries(&self) -> u64 {
        match self {
            TableBuilder::BlockBased(builder) => builder.num_entries(),
            TableBuilder::Plain(builder) => builder.num_entries(),
            TableBuilder::Cuckoo(builder) => builder.num_entries(),
            TableBuilder::CuckooOrBlocks(builder) => builder.num_entries(),
        }
    }

    /// Writes the rest, syncs and closes the file.
    pub fn finish(self) -> Result<FinishedTable> {
        match self {
            TableBuilder::BlockBased(builder) => builder.finish(),
            TableBuilder::Plain(builder) => builder.finish(),
            TableBuilder::Cuckoo(builder) => builder.finish(),
            TableBuilder::CuckooOrBlocks(builder) => builder.finish(),
        }
    }

    /// Gives up; the caller removes the file.
    pub fn abandon(self) {}
}
