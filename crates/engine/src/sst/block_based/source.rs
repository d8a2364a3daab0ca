//! The block source: reads blocks from a table's file, with range check, checksum and
//! decompression.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::{Block, Bytes};
use super::counting::{BlockKind, ReadTimers, count_read};
use super::filter::FilterLines;
use super::index::check_handle;
use super::readahead::Readahead;
use super::separated::join_separated;
use super::view::SEPARATED_BIT;
use crate::base::checksum::{block_checksum, context_modifier};
use crate::base::coding::fixed32_at;
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::cache::Memory;
use crate::compress::{CompressionType, Dictionary, decompress_with};
use crate::env::clock::Instant;
use crate::env::mapping::LargeVec;
use crate::error::{Error, Result};
use crate::fs::RandomAccessFile;
use crate::options::ChecksumType;
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle, Footer, read_exact_at};
use crate::stats::{self, HistogramType, Statistics, Ticker};
use std::sync::Arc;

/// The maximum ratio of a decompressed block's size to its compressed size, plus a small constant.
/// No codec reaches it, so a larger ratio is a sign of crafted bytes.
const EXPANSION_MAX: usize = 1 << 15;

/// The file of a table and the data needed to check its blocks.
pub struct BlockSource {
    file: Arc<dyn RandomAccessFile>,
    footer: Footer,
    /// Whether to use the mapping.
    mapped: bool,
    statistics: Option<Arc<Statistics>>,
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
        BlockSource { file, footer, mapped, statistics }
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
        let raw = self.expand(block, type_byte, None).map_err(|e| self.locate(handle, e))?;
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
        let raw = self.expand(block, type_byte, None).map_err(|e| self.locate(handle, e))?;
        Ok(FilterLines::of(&raw))
    }

    /// Reads the bytes of a block with their trailer, unchecked, to the beginning of `memory` if it is large enough.
    /// The memory is overwritten and need not be zeroed.
    fn read_into(&self, memory: Option<Memory>, handle: BlockHandle) -> Result<Memory> {
        let len = handle.size as usize + BLOCK_TRAILER_SIZE;
        let mut memory = match memory {
            Some(memory) if memory.len() >= len => memory,
            _ => Memory::zeroed(len),
        };
        read_exact_at(&*self.file, handle.offset, memory.get_mut(..len).unwrap_or_default())?;
        Ok(memory)
    }

    /// Whether the file is read with direct I/O.
    pub fn is_direct(&self) -> bool {
        self.file.alignment() > 1
    }

    /// Whether [`BlockSource::read_data`] can use memory.
    pub fn wants_memory(&self) -> bool {
        !self.mapped
    }

    /// Reads a checked data block: from the mapping, or into memory (`memory` if it is large
    /// enough).
    pub fn read_data(
        &self,
        handle: BlockHandle,
        dictionary: Option<&Dictionary>,
        readahead: Option<&mut Readahead>,
        memory: Option<Memory>,
    ) -> Result<Block> {
        self.check_range(handle)?;
        let len = handle.size as usize + BLOCK_TRAILER_SIZE;
        let bytes = if self.mapped {
            self.map_block(handle, len, dictionary)?
        } else {
            match readahead {
                Some(readahead) => {
                    let end = self.footer.offset;
                    let (file, stats) = (&self.file, &self.statistics);
                    let bytes = readahead.read(file, handle.offset, len, end, stats)?;
                    self.unpack(bytes, handle, dictionary)?
                }
                None => self.unpack_owned(self.read_into(memory, handle)?, handle, dictionary)?,
            }
        };
        Block::new(bytes).map_err(|e| self.locate(handle, e))
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
            let mut memory = Memory::zeroed(handle.size as usize + BLOCK_TRAILER_SIZE);
            read_exact_at(&*file, handle.offset, &mut memory).ok().map(|()| memory)
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
        let (block, type_byte, _) = split_trailer(bytes)?;
        if type_byte == 0 && !is_separated(block) {
            let file = Arc::clone(&self.file);
            return Ok(Bytes::Mapped { file, start, len: block.len() });
        }
        self.unpack(bytes, handle, dictionary)
    }

    /// Like `unpack`, without a copy if the block is not compressed.
    fn unpack_owned(
        &self,
        memory: Memory,
        handle: BlockHandle,
        dictionary: Option<&Dictionary>,
    ) -> Result<Bytes> {
        let len = handle.size as usize;
        let bytes = memory.get(..len + BLOCK_TRAILER_SIZE).unwrap_or_default();
        let (block, type_byte, _) = split_trailer(bytes)?;
        if type_byte != 0 || is_separated(block) {
            return self.unpack(bytes, handle, dictionary);
        }
        self.verify(bytes, handle.offset)?;
        Ok(Bytes::Owned { memory, len })
    }

    fn unpack(
        &self,
        bytes: &[u8],
        handle: BlockHandle,
        dictionary: Option<&Dictionary>,
    ) -> Result<Bytes> {
        self.verify(bytes, handle.offset)?;
        let (block, type_byte, _) = split_trailer(bytes)?;
        let expanded;
        let raw = match type_byte {
            0 => block,
            _ => {
                let raw = self.expand(block, type_byte, dictionary);
                expanded = raw.map_err(|e| self.locate(handle, e))?;
                &expanded
            }
        };
        if is_separated(raw) {
            let joined = join_separated(raw).map_err(|e| self.locate(handle, e))?;
            return Ok(Bytes::copy_of(&joined));
        }
        Ok(Bytes::copy_of(raw))
    }

    fn expand(&self, block: &[u8], byte: u8, dictionary: Option<&Dictionary>) -> Result<Vec<u8>> {
        let Some(kind) = CompressionType::from_byte(byte) else {
            return Err(Error::corruption(format!("unknown compression type {byte:#04x}")));
        };
        let limit = block.len().saturating_mul(EXPANSION_MAX).saturating_add(1 << 20);
        let timer = PerfTimer::start(PerfMetric::BlockDecompressTime);
        let stats = self.statistics.as_deref();
        let start = stats.filter(|stats| stats.has_detailed_timers()).map(|_| Instant::now());
        let raw = decompress_with(kind, self.footer.format_version, block, dictionary, limit)?;
        drop(timer);
        if let Some(stats) = stats {
            stats.add(Ticker::NumberBlockDecompressed, 1);
            stats.add(Ticker::BytesDecompressedFrom, block.len() as u64);
            stats.add(Ticker::BytesDecompressedTo, raw.len() as u64);
            if let Some(start) = start {
                let nanos = start.elapsed().as_nanos() as u64;
                stats.record(HistogramType::DecompressionTimesNanos, nanos);
            }
        }
        Ok(raw)
    }
}

/// Splits bytes into block, type byte and checksum.
fn split_trailer(bytes: &[u8]) -> Result<(&[u8], u8, u32)> {
    match bytes.split_last_chunk::<BLOCK_TRAILER_SIZE>() {
        Some((block, [kind, a, b, c, d])) => {
            Ok((block, *kind, u32::from_le_bytes([*a, *b, *c, *d])))
        }
        None => Err(Error::corruption("a block without a trailer")),
    }
}

fn is_separated(block: &[u8]) -> bool {
    let word = block.len().checked_sub(4).and_then(|at| fixed32_at(block, at));
    word.is_some_and(|word| word & SEPARATED_BIT != 0)
}
