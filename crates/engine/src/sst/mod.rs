//! Tables: one interface to the sorted files (SST) of all formats.
//!
//! The footer's magic number distinguishes the three formats: block-based, PlainTable and CuckooTable. A [`Table`] is
//! an open reader: immutable, usable from many threads, and closed when its last reference is dropped. A
//! [`TableBuilder`] writes one file from entries in internal-key order.
//!
//! Invariants:
//! * **ST1** All data that a table returns was covered by a checksum verified since the file was opened, unless the
//!   file has none.
//! * **ST2** No file contents make a reader panic, loop or allocate more than a small multiple of the file's size.

use crate::base::iterator::EmptyIterator;
use crate::base::{KeyOrder, LookupKey, SeqNo};
use crate::budget::{MemoryAccount, MemoryOwner};
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
mod readahead;
mod staged;
mod table_iterator;

use block_based::{BlockBasedTable, BlockBasedTableBuilder};
use cuckoo::{CuckooTable, CuckooTableBuilder};
use cuckoo_or_blocks::CuckooOrBlocksBuilder;
use plain::{PlainTable, PlainTableBuilder};

pub use access::BlockAccess;
pub use block_based::{Block, Missing};
pub use properties::TableProperties;
pub use readahead::{ReadaheadOptions, ScanEnd};
pub use staged::Staged;
pub use table_iterator::TableIterator;

/// The context that a reader needs besides its file.
#[derive(Clone)]
pub struct TableReadContext {
    /// The order of internal keys.
    pub order: KeyOrder,
    /// The column family's settings for reading tables; other formats are read with their defaults.
    pub factory: TableFactory,
    /// Maps keys to prefixes, for prefix filters and hash indexes.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// The cache of data blocks; `None` disables caching.
    pub cache: Option<Arc<Cache>>,
    /// Whether to use the mapping of a mapped file instead of reads.
    pub mmap: bool,
    /// Whether to tell the system that a block-based table is read at random. Scans then announce what they read next.
    pub random_reads: bool,
    /// The file's number, for error messages.
    pub file_number: u64,
    /// The file's largest sequence number in the MANIFEST, which is the sequence number of all
    /// entries of an ingested file.
    pub global_seqno: Option<SeqNo>,
    /// The statistics that count uses of filters and of the cache, if enabled.
    pub statistics: Option<Arc<Statistics>>,
    /// The account to which the memory of the table and its iterators is charged, if there is one.
    pub memory: Option<Arc<MemoryAccount>>,
    /// Whether the file is on the last level; used by statistics.
    pub at_last_level: bool,
}

/// What an open table takes besides the parts that it counts, in bytes: its properties, its file, and its place in the
/// list of open tables.
const OPEN_TABLE: usize = 3 << 10;

/// How an iterator over a table reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableIterOptions {
    /// Whether to verify checksums of data read from the file. Block-based tables always do: this
    /// costs less than a flag on every cached block.
    pub verify_checksums: bool,
    /// How blocks may be obtained.
    pub access: BlockAccess,
    /// Whether to return all keys in order, although the format may prefer a single prefix
    /// (PlainTable).
    pub total_order: bool,
    /// Whether all keys that the reader needs share the prefix of a forward seek's target, or of a backward seek's
    /// lower bound; if so, such seeks check the prefix filter.
    pub within_one_prefix: bool,
    /// What is read ahead.
    pub readahead: ReadaheadOptions,
    /// Whether this is a whole-file scan for a compaction: it uses large reads and caches nothing.
    pub for_compaction: bool,
    /// Whether the iterator holds every block that it has read until it is dropped, so that values do not move.
    pub pin: bool,
}

impl Default for TableIterOptions {
    fn default() -> TableIterOptions {
        TableIterOptions {
            verify_checksums: true,
            access: BlockAccess::default(),
            total_order: false,
            within_one_prefix: false,
            readahead: ReadaheadOptions::AUTOMATIC,
            for_compaction: false,
            pin: false,
        }
    }
}

/// An open table.
#[expect(clippy::large_enum_variant, reason = "there is one per file, always behind an Arc")]
pub enum Table {
    /// A table of the default format.
    BlockBased(BlockBasedTable),
    /// A table of rows in a mapped file.
    Plain(PlainTable),
    /// A table with a hash table in a mapped file.
    Cuckoo(CuckooTable),
}

impl Table {
    /// Opens a table of any format: reads and checks footer, properties, index and filter.
    pub fn open(file: Arc<dyn RandomAccessFile>, ctx: &TableReadContext) -> Result<Arc<Table>> {
        Table::open_in(file, ctx, None)
    }

    /// Like `open`, for one of many tables: the index and filter of a block-based table are read into `memory`,
    /// verified, and read again when they are first needed.
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
        if let Some(account) = &ctx.memory {
            table.charge_to(account);
        }
        Ok(Arc::new(table))
    }

    /// Charges the memory of the reader until it is dropped. A block-based table charges its index and filter itself,
    /// when it loads them.
    fn charge_to(&self, account: &Arc<MemoryAccount>) {
        let (charge, bytes) = match self {
            Table::BlockBased(table) => table.fixed_charge(),
            Table::Plain(table) => (table.charge(), self.memory_usage()),
            Table::Cuckoo(table) => (table.charge(), self.memory_usage()),
        };
        let _ = charge.set(account.charge(MemoryOwner::TableReaders, bytes + OPEN_TABLE));
    }

    /// Reads the parts that [`Table::open_late`] deferred. Returns ShutdownInProgress, without losing anything, if this
    /// is cancelled during the read.
    pub fn read_parts(&self, cancelled: &AtomicBool) -> Result<()> {
        match self {
            Table::BlockBased(table) => table.read_parts(cancelled),
            Table::Plain(_) | Table::Cuckoo(_) => Ok(()),
        }
    }

    /// Looks a key up: calls `ctx.save` for the visible entries of the user key, newest first,
    /// until the context needs no more.
    #[inline]
    pub fn get(&self, key: &LookupKey, ro: &ReadOptions, ctx: &mut GetContext) -> Result<()> {
        match self {
            Table::BlockBased(table) => table.get(key, ro, ctx),
            Table::Plain(table) => table.get(key, ro, ctx),
            Table::Cuckoo(table) => table.get(key, ro, ctx),
        }
    }

    /// Prefetches what a lookup of the key reads first.
    #[inline]
    pub fn prefetch(&self, key: &LookupKey) {
        match self {
            Table::BlockBased(table) => table.prefetch(key),
            Table::Plain(table) => table.prefetch(key),
            // This would compute the key's first hash once more.
            Table::Cuckoo(_) => {}
        }
    }

    /// Begins a staged lookup; `None` if only [`Table::get`] is possible.
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

    /// Clips range tombstones to the file's boundaries (internal keys), since they may no longer hold outside.
    pub fn clip_range_tombstones(&mut self, smallest: &[u8], largest: &[u8]) {
        if let Table::BlockBased(table) = self {
            table.clip_range_tombstones(smallest, largest);
        }
    }

    /// Whether the prefix filter admits keys with this prefix; true if there is no answer.
    pub fn prefix_may_match(&self, user_prefix: &[u8]) -> bool {
        match self {
            Table::BlockBased(table) => table.prefix_may_match(user_prefix),
            Table::Plain(table) => table.prefix_may_match(user_prefix),
            Table::Cuckoo(_) => true,
        }
    }

    /// The approximate number of bytes of the file before this internal key; 0 for a CuckooTable,
    /// whose keys are unordered.
    pub fn approximate_offset_of(&self, internal_key: &[u8]) -> Result<u64> {
        match self {
            Table::BlockBased(table) => table.approximate_offset_of(internal_key),
            Table::Plain(table) => Ok(table.approximate_offset_of(internal_key)),
            Table::Cuckoo(_) => Ok(0),
        }
    }

    /// The file's properties.
    pub fn properties(&self) -> &TableProperties {
        match self {
            Table::BlockBased(table) => table.properties(),
            Table::Plain(table) => table.properties(),
            Table::Cuckoo(table) => table.properties(),
        }
    }

    /// The memory that the reader holds outside the cache, in bytes.
    pub fn memory_usage(&self) -> usize {
        match self {
            Table::BlockBased(table) => table.memory_usage(),
            Table::Plain(table) => table.memory_usage(),
            Table::Cuckoo(table) => table.memory_usage(),
        }
    }

    /// Reads and checks every block.
    pub fn verify_checksums(&self) -> Result<()> {
        match self {
            Table::BlockBased(table) => table.verify_checksums(),
            Table::Plain(table) => table.verify_rows(),
            Table::Cuckoo(table) => table.verify_buckets(),
        }
    }
}

/// The context that a builder needs besides its file.
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
    /// The compression of blocks.
    pub compression: CompressionType,
    /// Settings of the compression.
    pub compression_opts: CompressionOptions,
    /// The intended size of the file in bytes; 0 means any.
    pub target_file_size: u64,
    /// The level that the file is for; -1 if unknown.
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
    /// When the data was first written, in seconds since 1970; 0 if unknown.
    pub creation_time: u64,
    /// When the oldest key was written, in seconds since 1970; 0 if unknown.
    pub oldest_key_time: u64,
    /// When the file is created, in seconds since 1970; 0 if unknown.
    pub file_creation_time: u64,
    /// Whether no deeper level has data under the file.
    pub bottommost: bool,
    /// Whether to omit the filter that the options request.
    pub skip_filter: bool,
    /// Whether the file is for ingestion: its properties mark it, and have room for a global
    /// sequence number.
    pub for_ingestion: bool,
    /// The statistics that count compression, if enabled.
    pub statistics: Option<Arc<Statistics>>,
}

/// A table under construction.
pub enum TableBuilder {
    /// A table of the default format.
    BlockBased(Box<BlockBasedTableBuilder>),
    /// Rows for a mapped file.
    Plain(Box<PlainTableBuilder>),
    /// A hash table for a mapped file, and for ingestion: an entry that does not fit is an error.
    Cuckoo(Box<CuckooTableBuilder>),
    /// A hash table if the entries fit into one, otherwise a block-based table.
    CuckooOrBlocks(Box<CuckooOrBlocksBuilder>),
}

/// The result of finishing a table.
#[derive(Clone, Debug)]
pub struct FinishedTable {
    /// Its size in bytes.
    pub file_size: u64,
    /// The contents of its properties block.
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

    /// Appends an entry. Internal keys must ascend; a range tombstone (its value is the end key) may be added at any
    /// time.
    pub fn add(&mut self, internal_key: &[u8], value: &[u8]) -> Result<()> {
        match self {
            TableBuilder::BlockBased(builder) => builder.add(internal_key, value),
            TableBuilder::Plain(builder) => builder.add(internal_key, value),
            TableBuilder::Cuckoo(builder) => builder.add(internal_key, value),
            TableBuilder::CuckooOrBlocks(builder) => builder.add(internal_key, value),
        }
    }

    /// The approximate size of the file if it were finished now, in bytes.
    pub fn file_size(&self) -> u64 {
        match self {
            TableBuilder::BlockBased(builder) => builder.file_size(),
            TableBuilder::Plain(builder) => builder.file_size(),
            TableBuilder::Cuckoo(builder) => builder.file_size(),
            TableBuilder::CuckooOrBlocks(builder) => builder.file_size(),
        }
    }

    /// The number of entries added so far.
    pub fn num_entries(&self) -> u64 {
        match self {
            TableBuilder::BlockBased(builder) => builder.num_entries(),
            TableBuilder::Plain(builder) => builder.num_entries(),
            TableBuilder::Cuckoo(builder) => builder.num_entries(),
            TableBuilder::CuckooOrBlocks(builder) => builder.num_entries(),
        }
    }

    /// Writes the remaining data, syncs and closes the file.
    pub fn finish(self) -> Result<FinishedTable> {
        match self {
            TableBuilder::BlockBased(builder) => builder.finish(),
            TableBuilder::Plain(builder) => builder.finish(),
            TableBuilder::Cuckoo(builder) => builder.finish(),
            TableBuilder::CuckooOrBlocks(builder) => builder.finish(),
        }
    }

    /// Abandons the table; the caller removes the file.
    pub fn abandon(self) {}
}
