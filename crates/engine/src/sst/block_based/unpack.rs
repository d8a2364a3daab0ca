//! Unpacking of blocks: checks, decompression, and memory for the result.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::Bytes;
use super::raw_block::{SpareMemory, is_separated, split_trailer};
use super::separated::join_separated;
use super::source::BlockSource;
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::cache::Memory;
use crate::compress::{CompressionType, Dictionary, Room, decompress_into};
use crate::env::clock::Instant;
use crate::env::sync::std_atomic::Ordering::Relaxed;
use crate::error::{Error, Result};
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use crate::stats::{HistogramType, Ticker};

/// The maximum ratio of a decompressed block's size to its compressed size, plus a small constant.
/// No codec reaches it, so a larger ratio is a sign of crafted bytes.
const EXPANSION_MAX: usize = 1 << 15;

/// Memory for a block that is being decompressed.
struct BlockRoom<'a> {
    spare: SpareMemory<'a>,
    memory: Memory,
    len: usize,
}

impl Room for BlockRoom<'_> {
    fn provide(&mut self, len: usize) -> &mut [u8] {
        self.memory = (self.spare)(len).unwrap_or_else(|| Memory::for_block(len));
        self.len = len;
        self.memory.get_mut(..len).unwrap_or_default()
    }
}

impl BlockSource {
    /// Like `unpack`, without a copy if the block is not compressed.
    pub(super) fn unpack_owned(
        &self,
        memory: Memory,
        handle: BlockHandle,
        dictionary: Option<&Dictionary>,
    ) -> Result<Bytes> {
        let len = handle.size as usize;
        let bytes = memory.get(..len + BLOCK_TRAILER_SIZE).unwrap_or_default();
        let (block, type_byte, _) = split_trailer(bytes)?;
        if type_byte != 0 || is_separated(block) {
            return self.unpack(bytes, handle, dictionary, &mut |_| None);
        }
        self.verify(bytes, handle.offset)?;
        Ok(Bytes::Owned { memory, len })
    }

    /// Checks a data block that is followed by its trailer, and returns it decompressed.
    pub(super) fn unpack(
        &self,
        bytes: &[u8],
        handle: BlockHandle,
        dictionary: Option<&Dictionary>,
        spare: SpareMemory<'_>,
    ) -> Result<Bytes> {
        self.verify(bytes, handle.offset)?;
        let (block, type_byte, _) = split_trailer(bytes)?;
        let raw = match type_byte {
            0 if is_separated(block) => return self.join(block, handle),
            0 => Bytes::copy_of(block, spare(block.len())),
            _ => {
                let mut room = BlockRoom { spare, memory: Memory::default(), len: 0 };
                self.expand(block, type_byte, dictionary, &mut room)
                    .map_err(|e| self.locate(handle, e))?;
                if self.raw_len.load(Relaxed) != room.len {
                    self.raw_len.store(room.len, Relaxed);
                }
                Bytes::Owned { memory: room.memory, len: room.len }
            }
        };
        match is_separated(raw.as_slice()) {
            true => self.join(raw.as_slice(), handle),
            false => Ok(raw),
        }
    }

    fn join(&self, separated: &[u8], handle: BlockHandle) -> Result<Bytes> {
        let joined = join_separated(separated).map_err(|e| self.locate(handle, e))?;
        Ok(Bytes::copy_of(&joined, None))
    }

    /// Decompresses a block without user entries.
    pub(super) fn expand_meta(
        &self,
        handle: BlockHandle,
        block: &[u8],
        byte: u8,
    ) -> Result<Vec<u8>> {
        let mut raw = Vec::new();
        self.expand(block, byte, None, &mut raw).map_err(|e| self.locate(handle, e))?;
        Ok(raw)
    }

    /// Decompresses a block, and counts that.
    fn expand(
        &self,
        block: &[u8],
        byte: u8,
        dictionary: Option<&Dictionary>,
        room: &mut dyn Room,
    ) -> Result<()> {
        let Some(kind) = CompressionType::from_byte(byte) else {
            return Err(Error::corruption(format!("unknown compression type {byte:#04x}")));
        };
        let limit = block.len().saturating_mul(EXPANSION_MAX).saturating_add(1 << 20);
        let timer = PerfTimer::start(PerfMetric::BlockDecompressTime);
        let stats = self.statistics.as_deref();
        let start = stats.filter(|stats| stats.has_detailed_timers()).map(|_| Instant::now());
        let version = self.footer().format_version;
        let len = decompress_into(kind, version, block, dictionary, limit, room)?;
        drop(timer);
        if let Some(stats) = stats {
            stats.add(Ticker::NumberBlockDecompressed, 1);
            stats.add(Ticker::BytesDecompressedFrom, block.len() as u64);
            stats.add(Ticker::BytesDecompressedTo, len as u64);
            if let Some(start) = start {
                let nanos = start.elapsed().as_nanos() as u64;
                stats.record(HistogramType::DecompressionTimesNanos, nanos);
            }
        }
        Ok(())
    }
}
