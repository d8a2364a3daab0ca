//! The parts of a table that lookups need in memory: its fences, its filter, and the slots of its cached blocks.
//!
//! A table that is opened alone loads its parts at once. A database that opens all its tables reads the same blocks and
//! verifies their checksums, but into memory that the next table reuses, and keeps only their locations: allocating
//! memory for all filters and fences, page by page, and decoding them took most of the time of opening. Partitioned
//! indexes and filters are always loaded at once. The first lookups in a table bypass the parts (see [`super::early`]);
//! the first reader that needs them loads and verifies them again, and others wait for it. Damage that a checksum does
//! not reveal, which only crafted files have, is therefore found by the reader that loads the parts.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::Block;
use super::counting::BlockKind;
use super::early::{Early, IndexBlock};
use super::fences::Fences;
use super::filter::Filter;
use super::index::{IndexForm, check_handle, for_each_entry};
use super::source::BlockSource;
use super::view::BlockView;
use crate::base::KeyOrder;
use crate::budget::{Charge, MemoryAccount, MemoryOwner};
use crate::cache::{Cache, SlotArray};
use crate::env::sync::OnceCell;
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::error::{Code, Error, Result};
use crate::fs::RandomAccessFile;
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle, read_exact_at};
use std::sync::Arc;

const READERS: MemoryOwner = MemoryOwner::TableReaders;

/// The filter of a table.
pub(super) enum TableFilter {
    /// The file has no filter, or it must not be used.
    None,
    /// One filter for the whole file.
    Full(Filter),
    /// One filter per range of keys; the fences are the upper bounds of the ranges.
    Partitioned(Fences, Vec<Filter>),
}

/// The loaded parts.
pub(super) struct Parts {
    pub(super) fences: Fences,
    pub(super) filter: TableFilter,
    /// The slots that cache data blocks; `None` without a cache.
    pub(super) slots: Option<Arc<SlotArray<Block>>>,
    /// What is charged for the parts, if memory is limited.
    charge: Option<Charge>,
}

/// The location of a usable filter in the file.
#[derive(Clone, Copy)]
pub(super) enum FilterAt {
    None,
    Full(BlockHandle),
    Partitioned(BlockHandle),
}

/// The locations of the parts in the file, and their format.
pub(super) struct PartsAt {
    pub(super) index: BlockHandle,
    /// Whether the index is partitioned.
    pub(super) is_partitioned: bool,
    pub(super) form: IndexForm,
    /// The number of data blocks in the properties.
    pub(super) data_blocks: u64,
    pub(super) filter: FilterAt,
    pub(super) cache: Option<Arc<Cache>>,
    pub(super) memory: Option<Arc<MemoryAccount>>,
}

/// The parts of a table, loaded now or later.
pub(super) struct LateParts {
    read: OnceCell<Parts>,
    early: Early,
    at: PartsAt,
}

impl LateParts {
    /// Parts that are not loaded yet.
    pub(super) fn new(at: PartsAt) -> LateParts {
        LateParts { read: OnceCell::new(), early: Early::default(), at }
    }

    /// The parts, if they are loaded.
    #[inline]
    pub(super) fn ready(&self) -> Option<&Parts> {
        self.read.get()
    }

    /// The parts, which are loaded if necessary.
    #[inline]
    pub(super) fn get(&self, source: &BlockSource, order: &KeyOrder) -> Result<&Parts> {
        match self.read.get() {
            Some(parts) => Ok(parts),
            None => self.read(source, order, &AtomicBool::new(false)),
        }
    }

    /// Loads the parts if necessary. Fails soon after `cancelled` is set; other threads may then load them.
    #[cold]
    pub(super) fn read(
        &self,
        source: &BlockSource,
        order: &KeyOrder,
        cancelled: &AtomicBool,
    ) -> Result<&Parts> {
        let mut is_mine = false;
        let parts = self.read.get_or_try_init(|| {
            let index = self.early.index_if_read();
            let parts = self.at.read(source, order, index.as_deref(), cancelled)?;
            is_mine = true;
            Ok(parts)
        })?;
        if is_mine {
            self.early.forget_index();
        }
        Ok(parts)
    }

    /// The index block for an early lookup; `None` if the parts are loaded or should be loaded now.
    pub(super) fn early_index(&self, source: &BlockSource) -> Result<Option<Arc<IndexBlock>>> {
        if self.at.is_partitioned || self.ready().is_some() || !self.early.begin() {
            return Ok(None);
        }
        let read = || {
            let bytes = source.read_meta(BlockKind::Index, self.at.index)?;
            Ok(IndexBlock { bytes, form: self.at.form })
        };
        self.early.index(read).map(Some)
    }

    /// The memory outside the cache's blocks, in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        let early = || self.early.index_if_read().map_or(0, |index| index.bytes.len());
        self.ready().map_or_else(early, Parts::memory_usage)
    }

    /// The account of the table's memory, if memory is limited.
    pub(super) fn account(&self) -> Option<&Arc<MemoryAccount>> {
        self.at.memory.as_ref()
    }

    /// Whether data blocks are cached.
    pub(super) fn has_cache(&self) -> bool {
        self.at.cache.is_some()
    }

    /// The handle of the index block.
    pub(super) fn index(&self) -> BlockHandle {
        self.at.index
    }

    /// Verifies the blocks that are to be loaded later, in reusable memory; parts that consist of many blocks are
    /// loaded now.
    pub(super) fn verify(
        &self,
        source: &BlockSource,
        file: &dyn RandomAccessFile,
        order: &KeyOrder,
        memory: &mut Vec<u8>,
    ) -> Result<()> {
        if self.at.is_partitioned || matches!(self.at.filter, FilterAt::Partitioned(_)) {
            return self.get(source, order).map(|_| ());
        }
        if let FilterAt::Full(handle) = self.at.filter {
            verified(source, BlockKind::Filter, file, handle, memory)?;
        }
        let (block, type_byte) = verified(source, BlockKind::Index, file, self.at.index, memory)?;
        if type_byte == 0 {
            BlockView::new(block).map_err(|e| source.locate(self.at.index, e))?;
        }
        Ok(())
    }
}

/// A block as stored in the file, and its type byte, with its checksum verified.
fn verified<'m>(
    source: &BlockSource,
    kind: BlockKind,
    file: &dyn RandomAccessFile,
    handle: BlockHandle,
    memory: &'m mut Vec<u8>,
) -> Result<(&'m [u8], u8)> {
    check_handle(handle, source.footer().offset).map_err(|e| e.in_file(file.path()))?;
    let len = handle.size as usize + BLOCK_TRAILER_SIZE;
    if memory.len() < len {
        memory.resize(len, 0);
    }
    let bytes = memory.get_mut(..len).unwrap_or_default();
    let _timers = source.count_read(kind, handle);
    read_exact_at(file, handle.offset, bytes)?;
    source.verify(bytes, handle.offset)?;
    let (block, trailer) = bytes.split_at_checked(handle.size as usize).unwrap_or_default();
    Ok((block, trailer.first().copied().unwrap_or_default()))
}

fn refuse_if(cancelled: &AtomicBool) -> Result<()> {
    match cancelled.load(Ordering::Relaxed) {
        true => Err(Error::new(
            Code::ShutdownInProgress,
            "reading a table's index and filter was cancelled",
        )),
        false => Ok(()),
    }
}

impl PartsAt {
    fn read(
        &self,
        source: &BlockSource,
        order: &KeyOrder,
        index: Option<&IndexBlock>,
        cancelled: &AtomicBool,
    ) -> Result<Parts> {
        let fences = match index {
            Some(index) => self.read_index(&index.bytes, source, order, cancelled)?,
            None => self.read_index(
                &source.read_meta(BlockKind::Index, self.index)?,
                source,
                order,
                cancelled,
            )?,
        };
        refuse_if(cancelled)?;
        let filter = self.read_filter(source, order)?;
        let slots = self.cache.as_ref().map(|cache| {
            SlotArray::with_recycling(Arc::clone(cache), fences.len(), Some(Block::HANDLING))
        });
        let mut parts = Parts { fences, filter, slots, charge: None };
        let charge = |account| MemoryAccount::charge(account, READERS, parts.memory_usage());
        parts.charge = self.memory.as_ref().map(charge);
        Ok(parts)
    }

    fn read_index(
        &self,
        bytes: &[u8],
        source: &BlockSource,
        order: &KeyOrder,
        cancelled: &AtomicBool,
    ) -> Result<Fences> {
        let (handle, form) = (self.index, self.form);
        let mut fences = Fences::collect(form.user_keys);
        let limit = source.footer().offset;
        fences.reserve(bytes.len(), self.data_blocks);
        let mut push = |key: &[u8], handle| {
            refuse_if(cancelled)?;
            check_handle(handle, limit)?;
            fences.push(key, handle)
        };
        let result = if self.is_partitioned {
            let mut budget = limit;
            for_each_entry(bytes, form, |_, part| {
                // Crafted handles could list one partition many times.
                budget = budget.checked_sub(part.size).ok_or_else(|| {
                    Error::corruption("index partitions are larger than the file")
                })?;
                for_each_entry(&source.read_meta(BlockKind::Index, part)?, form, &mut push)
            })
        } else {
            for_each_entry(bytes, form, &mut push)
        };
        result.and_then(|()| fences.finish(order)).map_err(|e| source.locate(handle, e))?;
        Ok(fences)
    }

    fn read_filter(&self, source: &BlockSource, order: &KeyOrder) -> Result<TableFilter> {
        let handle = match self.filter {
            FilterAt::None => return Ok(TableFilter::None),
            FilterAt::Full(handle) => {
                return Ok(TableFilter::Full(Filter::new(source.read_filter(handle)?)));
            }
            FilterAt::Partitioned(handle) => handle,
        };
        let mut fences = Fences::collect(self.form.user_keys);
        let mut filters = Vec::new();
        let mut budget = source.footer().offset;
        let form = IndexForm { first_keys: false, ..self.form };
        for_each_entry(&source.read_meta(BlockKind::Filter, handle)?, form, |key, part| {
            budget = budget
                .checked_sub(part.size)
                .ok_or_else(|| Error::corruption("filter partitions are larger than the file"))?;
            filters.push(Filter::new(source.read_filter(part)?));
            fences.push(key, part)
        })
        .and_then(|()| fences.finish(order))
        .map_err(|e| source.locate(handle, e))?;
        Ok(TableFilter::Partitioned(fences, filters))
    }
}

impl Parts {
    /// The memory outside the cache's blocks, in bytes.
    fn memory_usage(&self) -> usize {
        let (index, filter) = self.sizes();
        index + filter.unwrap_or(0)
    }

    /// The memory of the index and of the filter, if there is one, in bytes.
    pub(super) fn sizes(&self) -> (usize, Option<usize>) {
        let filter = match &self.filter {
            TableFilter::None => None,
            TableFilter::Full(filter) => Some(filter.memory_usage()),
            TableFilter::Partitioned(fences, filters) => {
                let filters = filters.iter().map(Filter::memory_usage).sum::<usize>();
                Some(fences.memory_usage() + filters)
            }
        };
        let slots = self.slots.as_ref().map_or(0, |slots| size_of::<usize>() * slots.len());
        (self.fences.memory_usage() + slots, filter)
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        if let Some(slots) = &self.slots {
            slots.clear();
        }
    }
}

#[cfg(test)]
#[path = "parts_test.rs"]
mod tests;
