//! How the builder writes blocks: compression, trailers, and collecting blocks for large writes.

use super::builder::BlockBasedTableBuilder;
use crate::base::checksum::{block_checksum, context_modifier};
use crate::compress::{Codec, CompressionType, decompress_with};
use crate::env::clock::Instant;
use crate::error::{Error, Result};
use crate::options::ChecksumType;
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use crate::stats::{HistogramType, Statistics, Ticker, Timer};
use std::sync::Arc;

/// Blocks that are written as they are built are collected up to this size: enough to make calls rare, and little
/// enough to stay in the second-level cache.
const COLLECTED: usize = 96 << 10;

impl BlockBasedTableBuilder {
    /// Whether data blocks are written as they are built, so that they need no copy.
    pub(super) fn writes_in_place(&self) -> bool {
        self.ctx.compression == CompressionType::None
            && self.held.is_none()
            && !self.opts.block_align
    }

    /// Ends the data block where it is, and writes it when enough blocks are collected.
    pub(super) fn end_block_in_place(&mut self) -> Result<BlockHandle> {
        let statistics = self.ctx.statistics.clone();
        let _timer = Timer::start(&statistics, HistogramType::WriteRawBlockMicros);
        let (checksum, modifier) = (self.opts.checksum, self.modifier());
        let size =
            self.block.end(|block| trailer(checksum, block, CompressionType::None, modifier));
        if let Some(stats) = &self.ctx.statistics {
            count_compression(stats, false, size, None);
        }
        let handle = self.pass(size);
        self.properties.num_data_blocks += 1;
        if self.block.ended().len() >= COLLECTED {
            self.write_ended()?;
        }
        Ok(handle)
    }

    /// Writes the blocks that were collected.
    fn write_ended(&mut self) -> Result<()> {
        if !self.block.ended().is_empty() {
            let written = self.file.append(self.block.ended());
            self.broken |= written.is_err();
            written?;
            self.block.forget_ended();
        }
        Ok(())
    }

    /// Writes a data block.
    pub(super) fn write_data(&mut self, raw: &[u8]) -> Result<BlockHandle> {
        let handle = self.write_compressed(raw, true)?;
        self.align()?;
        self.properties.num_data_blocks += 1;
        Ok(handle)
    }

    /// Writes a block, compressed if that saves as much as the options require. Only data blocks use the dictionary:
    /// readers decompress indexes without it.
    pub(super) fn write_compressed(&mut self, raw: &[u8], is_data: bool) -> Result<BlockHandle> {
        let (opts, format_version) = (&self.ctx.compression_opts, self.opts.format_version);
        let dictionary = self.dictionary.as_ref().filter(|_| is_data);
        let codec = Codec {
            kind: self.ctx.compression,
            level: opts.level,
            window_bits: opts.window_bits,
            checksum: opts.checksum,
            format_version,
        };
        let mut out = std::mem::take(&mut self.compressed);
        // As in RocksDB, a compressed block must be smaller than the original, whatever the option
        // says.
        let per_kb = u64::try_from(opts.max_compressed_bytes_per_kb).unwrap_or(0).min(1023);
        let is_tried = codec.kind != CompressionType::None && per_kb > 0;
        let fits = is_tried
            && timed(&self.ctx.statistics, || codec.compress(raw, dictionary, &mut out))?
            && out.len() as u64 <= (raw.len() as u64 * per_kb) >> 10;
        if let Some(stats) = &self.ctx.statistics {
            count_compression(stats, is_tried, raw.len(), fits.then_some(out.len()));
        }
        let handle = if fits {
            if self.opts.verify_compression
                && decompress_with(codec.kind, format_version, &out, dictionary, raw.len())? != raw
            {
                return Err(Error::corruption(
                    "a compressed block does not decompress to its original content",
                ));
            }
            self.has_compressed_block = true;
            self.write_packed(&mut out, codec.kind)
        } else {
            self.write_raw(raw, CompressionType::None)
        };
        self.compressed = out;
        handle
    }

    /// Writes a block as it is, of this kind.
    pub(super) fn write_raw(&mut self, block: &[u8], kind: CompressionType) -> Result<BlockHandle> {
        let statistics = self.ctx.statistics.clone();
        let timer = Timer::start(&statistics, HistogramType::WriteRawBlockMicros);
        self.write_ended()?;
        let trailer = self.trailer_of(block, kind);
        let written = self.file.append(block).and_then(|()| self.file.append(&trailer));
        drop(timer);
        self.wrote(block.len(), written)
    }

    /// Writes a compressed block, behind which its trailer is put, so that both are one write.
    fn write_packed(&mut self, block: &mut Vec<u8>, kind: CompressionType) -> Result<BlockHandle> {
        let timer = Timer::start(&self.ctx.statistics, HistogramType::WriteRawBlockMicros);
        let (size, trailer) = (block.len(), self.trailer_of(block, kind));
        block.extend_from_slice(&trailer);
        let written = self.file.append(block);
        drop(timer);
        self.wrote(size, written)
    }

    fn trailer_of(&self, block: &[u8], kind: CompressionType) -> [u8; BLOCK_TRAILER_SIZE] {
        trailer(self.opts.checksum, block, kind, self.modifier())
    }

    /// What is added to the checksum of the next block.
    fn modifier(&self) -> u32 {
        context_modifier(self.context_base, self.offset)
    }

    /// Takes note of the result of writing a block of this size and its trailer.
    fn wrote(&mut self, size: usize, written: Result<()>) -> Result<BlockHandle> {
        self.broken |= written.is_err();
        written?;
        Ok(self.pass(size))
    }

    /// Moves past a block of this size and its trailer, and returns where the block is.
    fn pass(&mut self, size: usize) -> BlockHandle {
        let handle = BlockHandle { offset: self.offset, size: size as u64 };
        self.offset += (size + BLOCK_TRAILER_SIZE) as u64;
        handle
    }
}

/// The trailer of a block; `modifier` is added to its checksum.
fn trailer(
    checksum: ChecksumType,
    block: &[u8],
    kind: CompressionType,
    modifier: u32,
) -> [u8; BLOCK_TRAILER_SIZE] {
    let mut trailer = [kind as u8, 0, 0, 0, 0];
    if checksum != ChecksumType::NoChecksum {
        let sum = block_checksum(checksum, block, kind as u8).wrapping_add(modifier);
        trailer[1..].copy_from_slice(&sum.to_le_bytes());
    }
    trailer
}

/// Runs a codec, and records its time if detailed timers are on.
fn timed<T>(statistics: &Option<Arc<Statistics>>, compress: impl FnOnce() -> T) -> T {
    let stats = statistics.as_deref().filter(|stats| stats.has_detailed_timers());
    let Some(stats) = stats else { return compress() };
    let start = Instant::now();
    let compressed = compress();
    stats.record(HistogramType::CompressionTimesNanos, start.elapsed().as_nanos() as u64);
    compressed
}

/// Counts a block in the statistics; `compressed` is its size if it was stored compressed.
fn count_compression(stats: &Statistics, is_tried: bool, raw: usize, compressed: Option<usize>) {
    let (blocks, bytes) = match (compressed, is_tried) {
        (Some(len), _) => {
            stats.add(Ticker::BytesCompressedTo, len as u64);
            (Ticker::NumberBlockCompressed, Ticker::BytesCompressedFrom)
        }
        (None, true) => (Ticker::NumberBlockCompressionRejected, Ticker::BytesCompressionRejected),
        (None, false) => (Ticker::NumberBlockCompressionBypassed, Ticker::BytesCompressionBypassed),
    };
    stats.add(blocks, 1);
    stats.add(bytes, raw as u64);
}
