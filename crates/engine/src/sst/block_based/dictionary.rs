//! Data blocks held in memory until their file's compression dictionary is built.
//!
//! ```text
//! blocks are held ──► enough of them, or the end ──► samples ──► dictionary ──► all are written
//! ```
//!
//! RocksDB holds all blocks of the file up to `max_dict_buffer_bytes` or the target size of the
//! file, and charges them to the block cache. If the cache is full and has a strict limit, the
//! dictionary is built from the blocks held so far.

use crate::cache::{Cache, Reservation};
use crate::compress::{CompressionType, Dictionary, DictionarySource};
use crate::env::mapping::LargeVec;
use crate::options::{BlockBasedTableOptions, CompressionOptions};
use crate::sst::TableBuilderContext;
use std::sync::Arc;

/// The cache is charged in pieces of this size.
const PIECE: usize = 256 << 10;

/// A finished block that was not written yet.
pub(super) struct HeldBlock {
    pub(super) raw: LargeVec<u8>,
    pub(super) first_key: Vec<u8>,
    pub(super) last_key: Vec<u8>,
}

/// The blocks of a file so far.
pub(super) struct HeldBlocks {
    blocks: Vec<HeldBlock>,
    /// Their uncompressed size in bytes.
    bytes: u64,
    /// The maximum of `bytes`.
    bytes_max: u64,
    memory: usize,
    cache: Option<Arc<Cache>>,
    charged: Vec<Reservation>,
}

/// The number of sample bytes from which a dictionary is built; `None` if there is to be none.
fn sample_bytes(kind: CompressionType, opts: &CompressionOptions) -> Option<usize> {
    if !kind.takes_dictionary() || opts.max_dict_bytes == 0 {
        return None;
    }
    let trained = kind == CompressionType::Zstd && opts.zstd_max_train_bytes > 0;
    Some(if trained { opts.zstd_max_train_bytes } else { opts.max_dict_bytes } as usize)
}

impl HeldBlocks {
    /// An empty buffer for the blocks of a file with a dictionary; `None` for a file without one.
    pub(super) fn new(
        ctx: &TableBuilderContext,
        opts: &BlockBasedTableOptions,
    ) -> Option<HeldBlocks> {
        sample_bytes(ctx.compression, &ctx.compression_opts)?;
        let limits = [ctx.compression_opts.max_dict_buffer_bytes, ctx.target_file_size];
        let bytes_max = limits.into_iter().filter(|&limit| limit > 0).min().unwrap_or(u64::MAX);
        let cache = opts.block_cache.clone().filter(|_| !opts.no_block_cache);
        let (blocks, charged) = (Vec::new(), Vec::new());
        Some(HeldBlocks { blocks, bytes: 0, bytes_max, memory: 0, cache, charged })
    }

    /// The number of held blocks.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Holds a block. Returns false if there is no room for more, so that this was the last one.
    pub(super) fn push(
        &mut self,
        mut raw: LargeVec<u8>,
        first_key: &[u8],
        last_key: &[u8],
    ) -> bool {
        raw.shrink_to_fit();
        self.bytes += raw.len() as u64;
        self.memory += raw.len() + first_key.len() + last_key.len() + size_of::<HeldBlock>();
        self.blocks.push(HeldBlock {
            raw,
            first_key: first_key.to_vec(),
            last_key: last_key.to_vec(),
        });
        self.bytes <= self.bytes_max && self.charge()
    }

    /// Charges the memory to the cache; returns false if the cache has no room for it.
    fn charge(&mut self) -> bool {
        let Some(cache) = &self.cache else { return true };
        while self.charged.len() * PIECE < self.memory {
            match cache.reserve(PIECE) {
                Ok(piece) => self.charged.push(piece),
                Err(_) => return false,
            }
        }
        true
    }

    /// The dictionary built from these blocks, if one can be built.
    pub(super) fn dictionary(&self, ctx: &TableBuilderContext) -> Option<Dictionary> {
        let (kind, opts) = (ctx.compression, &ctx.compression_opts);
        let source = match kind {
            CompressionType::Zstd if opts.zstd_max_train_bytes > 0 => {
                if opts.use_zstd_dict_trainer {
                    DictionarySource::Trained
                } else {
                    DictionarySource::Finalized
                }
            }
            _ => DictionarySource::Samples,
        };
        let (samples, lengths) = self.samples(sample_bytes(kind, opts)?);
        let max_len = opts.max_dict_bytes as usize;
        Dictionary::from_samples(source, &samples, &lengths, max_len, opts.level)
    }

    /// Blocks from all parts of the file, up to this total size, and the length of each.
    fn samples(&self, size_max: usize) -> (Vec<u8>, Vec<usize>) {
        let (mut samples, mut lengths) = (Vec::new(), Vec::new());
        let count = self.blocks.len();
        let average = (self.bytes as usize / count.max(1)).max(1);
        let wanted = size_max.div_ceil(average).min(count);
        for i in 0..wanted {
            let raw = &self.blocks[(2 * i + 1) * count / (2 * wanted)].raw;
            let taken = raw.len().min(size_max - samples.len());
            if taken > 0 {
                samples.extend_from_slice(&raw[..taken]);
                lengths.push(taken);
            }
        }
        (samples, lengths)
    }

    /// The blocks in order.
    pub(super) fn into_blocks(self) -> impl Iterator<Item = HeldBlock> {
        self.blocks.into_iter()
    }
}
