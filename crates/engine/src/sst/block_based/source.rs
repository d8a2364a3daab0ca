//! The block source: reads blocks from a table's file, with range check, checksum and
//! decompression.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::{Block, Bytes};
use super::counting::{BlockKind, ReadTimers, count_read};
use super::filter::FilterLines;
use super::index::check_handle;
use super::raw_block::{SpareMemory, plain_block, split_trailer, with_scratch};
use super::readahead::Readahead;
use super::view::{BlockView, Layout};
use crate::base::checksum::{block_checksum, context_modifier};
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::base::prefetch::prefetch_bytes;
use crate::cache::Memory;
use crate::compress::Dictionary;
use crate::env::mapping::LargeVec;
use crate::env::sync::std_atomic::{AtomicUsize, Ordering::Relaxed};
use crate::error::{Error, Result};
use crate::fs::RandomAccessFile;
use crate::options::ChecksumType;
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle, Footer, read_exact_at};
use crate::stats::{self, Statistics, Ticker};
use std::sync::Arc;

/// The file of a table and the data needed to check its blocks.
pub struct BlockSource {
    file: Arc<dyn RandomAccessFile>,
    footer: Footer,
    /// Whether to use the mapping.
    mapped: bool,
    /// The size of the last data block that was decompressed; 0 before the first one.
    pub(super) raw_len: AtomicUsize,
    pub(super) statistics: Option<Arc<Statistics>>,
}

/// The location of a checked block in a [`Readahead`].
pub(super) struct BlockInBuffer {
    /// The offset of the block in the file.
    offset: u64,
    layout: Layout,
}

/// A checked block that was read for a scan.
#[expect(clippy::large_enum_variant, reason = "it is moved once, to where a block is kept")]
pub(super) enum Scanned {
    /// It is in the buffer of the scan.
    InBuffer(BlockInBuffer),
    /// It is in memory of its own.
    Unpacked(Block),
}

impl BlockInBuffer {
    /// The block, if this is the buffer that it was read into and nothing else was read since.
    #[inline]
    pub(super) fn view<'a>(&self, readahead: &'a Readahead) -> BlockView<'a> {
        BlockView::of(readahead.bytes(self.offset, self.layout.len()), self.layout)
    }
}

impl BlockSource {
    /// A source for a file whose footer was read.
    pub fn new(
        file: Arc<dyn RandomAccessFile>,
        footer: Footer,
        mmap: bool,
        statistics: Option<Arc<Statistics>>,
    ) -> BlockSource {
        let mapped = mmap && file.mapped().is_some_and(|map| map.len() as u64 >= file.size());
        BlockSource { file, footer, mapped, raw_len: AtomicUsize::new(0), statistics }
    }

    /// The footer.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// Adds the file's name to an error.
    pub fn locate(&self, handle: BlockHandle, e: Error) -> Error {
        if !e.is_corruption() {
            return e.in_file(self.file.path());
        }
        Error::corruption_at(self.file.path(), handle.offset, e.message())
    }

    /// Reads the bytes of a block with their trailer, unchecked.
    pub fn read_with_trailer(&self, kind: BlockKind, handle: BlockHandle) -> Result<LargeVec<u8>> {
        self.check_range(handle)?;
        let _timers = self.count_read(kind, handle);
        let mut bytes = LargeVec::zeroed(handle.size as usize + BLOCK_TRAILER_SIZE);
        read_exact_at(&*self.file, handle.offset, &mut bytes)?;
        Ok(bytes)
    }

    /// See [`count_read`].
    pub(super) fn count_read(&self, kind: BlockKind, handle: BlockHandle) -> ReadTimers<'_> {
        count_read(&self.statistics, kind, handle)
    }

    fn check_range(&self, handle: BlockHandle) -> Result<()> {
        check_handle(handle, self.footer.offset).map_err(|e| e.in_file(self.file.path()))
    }

    /// Checks a block that is followed by its trailer.
    pub fn verify(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let kind = self.footer.checksum;
        if kind == ChecksumType::NoChecksum {
            return Ok(());
        }
        let (block, type_byte, stored) = split_trailer(bytes)?;
        let timer = PerfTimer::start(PerfMetric::BlockChecksumTime);
        let actual = block_checksum(kind, block, type_byte)
            .wrapping_add(context_modifier(self.footer.context_base, offset));
        drop(timer);
        stats::add(&self.statistics, Ticker::BlockChecksumComputeCount, 1);
        if stored == actual {
            return Ok(());
        }
        stats::add(&self.statistics, Ticker::BlockChecksumMismatchCount, 1);
        Err(Error::corruption(format!(
            "block checksum mismatch: stored = {stored}, computed = {actual}, type = {}  in {} offset {offset} size {}",
            kind as u8,
            self.file.path().display(),
            block.len()
        ))
        .about_file(self.file.path())
        .about_offset(offset))
    }

    /// Reads a checked, uncompressed block without user entries.
    pub fn read_meta(&self, kind: BlockKind, handle: BlockHandle) -> Result<LargeVec<u8>> {
        let mut bytes = self.read_with_trailer(kind, handle)?;
        self.verify(&bytes, handle.offset)?;
        let (block, type_byte, _) = split_trailer(&bytes)?;
        if type_byte == 0 {
            bytes.truncate(handle.size as usize);
            return Ok(bytes);
        }
        let raw = self.expand_meta(handle, block, type_byte)?;
        Ok(LargeVec::from(raw.as_slice()))
    }

    /// Like `read_meta`, but reads into the filter's final memory.
    pub fn read_filter(&self, handle: BlockHandle) -> Result<FilterLines> {
        self.check_range(handle)?;
        let _timers = self.count_read(BlockKind::Filter, handle);
        let mut lines = FilterLines::zeroed(handle.size as usize + BLOCK_TRAILER_SIZE);
        read_exact_at(&*self.file, handle.offset, lines.bytes_mut())?;
        self.verify(lines.bytes(), handle.offset)?;
        let (block, type_byte, _) = split_trailer(lines.bytes())?;
        if type_byte == 0 {
            lines.truncate(handle.size as usize);
            return Ok(lines);
        }
        Ok(FilterLines::of(&self.expand_meta(handle, block, type_byte)?))
    }

    /// Whether the file is read with direct I/O.
    pub fn is_direct(&self) -> bool {
        self.file.alignment() > 1
    }

    /// Tells the system that the file is read at random.
    pub fn will_read_at_random(&self) {
        self.file.will_read_at_random();
    }

    /// Whether [`BlockSource::read_data`] can use memory.
    pub fn wants_memory(&self) -> bool {
        !self.mapped
    }

    /// Reads a checked data block: from the mapping, through `readahead`, or into memory, for which `spare` is asked
    /// first.
    pub fn read_data(
        &self,
        handle: BlockHandle,
        dictionary: Option<&Dictionary>,
        readahead: Option<&mut Readahead>,
        spare: SpareMemory<'_>,
    ) -> Result<Block> {
        self.check_range(handle)?;
        let len = handle.size as usize + BLOCK_TRAILER_SIZE;
        let readahead = readahead.and_then(|readahead| {
            let may_be_alone = !self.mapped && !self.is_direct();
            let is_alone = may_be_alone && readahead.reads_alone(handle.offset, len);
            (!is_alone).then_some(readahead)
        });
        let bytes = if self.mapped {
            self.map_block(handle, len, dictionary)?
        } else if let Some(readahead) = readahead {
            let end = self.footer.offset;
            let bytes = readahead.read(&self.file, handle.offset, len, end, &self.statistics)?;
            self.unpack(bytes, handle, dictionary, spare)?
        } else if let raw_len @ 1.. = self.raw_len.load(Relaxed) {
            self.read_compressed(handle, dictionary, spare(raw_len))?
        } else {
            let memory = self.read_into(spare(len), handle.offset, len)?;
            self.unpack_owned(memory, handle, dictionary)?
        };
        Block::new(bytes).map_err(|e| self.locate(handle, e))
    }

    /// Reads a data block into the buffer of a scan, and checks it. It stays there if it is stored as it is used;
    /// otherwise `spare` is asked for memory. The file must not be mapped.
    pub(super) fn read_scanned(
        &self,
        handle: BlockHandle,
        dictionary: Option<&Dictionary>,
        readahead: &mut Readahead,
        spare: SpareMemory<'_>,
    ) -> Result<Scanned> {
        self.check_range(handle)?;
        let (len, end) = (handle.size as usize + BLOCK_TRAILER_SIZE, self.footer.offset);
        let bytes = readahead.read(&self.file, handle.offset, len, end, &self.statistics)?;
        let Some(block) = plain_block(bytes) else {
            let bytes = self.unpack(bytes, handle, dictionary, spare)?;
            return Block::new(bytes).map(Scanned::Unpacked).map_err(|e| self.locate(handle, e));
        };
        self.verify(bytes, handle.offset)?;
        let layout = Layout::parse(block).map_err(|e| self.locate(handle, e))?;
        Ok(Scanned::InBuffer(BlockInBuffer { offset: handle.offset, layout }))
    }

    /// Reads `len` bytes into this memory, or into new memory.
    fn read_into(&self, spare: Option<Memory>, offset: u64, len: usize) -> Result<Memory> {
        let mut memory = match spare {
            Some(spare) => spare,
            None => match Memory::filled_by(len, |place| self.file.read_new(offset, place)) {
                Some(filled) => return Ok(filled),
                None => Memory::for_block(len),
            },
        };
        read_exact_at(&*self.file, offset, memory.get_mut(..len).unwrap_or_default())?;
        Ok(memory)
    }

    /// Reads a block that is probably compressed, by way of a buffer of the thread. `likely` is memory for it if its
    /// size is that of the last one; the lines of an evicted block have left the processor's caches, and are fetched
    /// while the file is read.
    fn read_compressed(
        &self,
        handle: BlockHandle,
        dictionary: Option<&Dictionary>,
        mut likely: Option<Memory>,
    ) -> Result<Bytes> {
        if let Some(memory) = &likely {
            prefetch_bytes(memory.as_ptr(), memory.len());
        }
        with_scratch(handle.size as usize + BLOCK_TRAILER_SIZE, |bytes| {
            read_exact_at(&*self.file, handle.offset, bytes)?;
            let spare = &mut |len| likely.take().filter(|memory| memory.suits_block(len));
            self.unpack(bytes, handle, dictionary, spare)
        })
    }

    /// Whether reading a block would wait for a device, as far as the system can tell.
    pub fn would_wait(&self, handle: BlockHandle) -> bool {
        !self.mapped && self.file.would_wait(handle.offset)
    }

    /// Announces that a block will be read.
    pub fn will_read(&self, handle: BlockHandle) {
        if !self.mapped && self.check_range(handle).is_ok() {
            self.file.will_read(handle.offset, handle.size + BLOCK_TRAILER_SIZE as u64);
        }
    }

    /// Returns a job that reads the bytes of a block with their trailer, unchecked; `None` if the block is mapped or
    /// its handle is damaged.
    pub fn read_later(
        &self,
        handle: BlockHandle,
    ) -> Option<impl FnOnce() -> Option<Memory> + Send + use<>> {
        let is_readable = !self.mapped && self.check_range(handle).is_ok();
        let file = is_readable.then(|| Arc::clone(&self.file))?;
        Some(move || {
            let len = handle.size as usize + BLOCK_TRAILER_SIZE;
            let mut memory = Memory::for_block(len);
            let bytes = memory.get_mut(..len).unwrap_or_default();
            read_exact_at(&*file, handle.offset, bytes).ok().map(|()| memory)
        })
    }

    /// Checks and decompresses a data block that [`BlockSource::read_later`] has read.
    pub fn unpack_data(
        &self,
        memory: Memory,
        handle: BlockHandle,
        dictionary: Option<&Dictionary>,
    ) -> Result<Block> {
        let bytes = self.unpack_owned(memory, handle, dictionary)?;
        Block::new(bytes).map_err(|e| self.locate(handle, e))
    }

    fn map_block(
        &self,
        handle: BlockHandle,
        len: usize,
        dictionary: Option<&Dictionary>,
    ) -> Result<Bytes> {
        let start = handle.offset as usize;
        let map = self.file.mapped().unwrap_or_default();
        let bytes = map.get(start..start + len).unwrap_or_default();
        self.verify(bytes, handle.offset)?;
        if let Some(block) = plain_block(bytes) {
            let file = Arc::clone(&self.file);
            return Ok(Bytes::Mapped { file, start, len: block.len() });
        }
        self.unpack(bytes, handle, dictionary, &mut |_| None)
    }
}
