//! Benchmarks of checksums and codecs. They always use Ferrolith's, whichever engine is measured, just as RocksDB's
//! tool always uses RocksDB's.

use super::thread::Thread;
use crate::stats::Op;
use crate::target::Result;
use crate::values::ValueMaker;
use ferrolith::internal::base::checksum::{ChecksumType, block_checksum, crc32c};
use ferrolith::internal::compress::{self, Codec, CompressionType};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are checksummed.
const CHECKSUMMED: u64 = 5000 << 20;
/// Bytes that are compressed or decompressed.
const COMPRESSED: u64 = 1 << 30;

pub(super) fn crc32c_blocks(t: &mut Thread<'_>) -> Result<()> {
    checksum(t, Op::Crc, crc32c)
}

pub(super) fn xxhash(t: &mut Thread<'_>) -> Result<()> {
    checksum(t, Op::Hash, |data| block_checksum(ChecksumType::XxHash, data, 0))
}

pub(super) fn xxhash64(t: &mut Thread<'_>) -> Result<()> {
    checksum(t, Op::Hash, |data| block_checksum(ChecksumType::XxHash64, data, 0))
}

pub(super) fn xxh3(t: &mut Thread<'_>) -> Result<()> {
    checksum(t, Op::Hash, |data| block_checksum(ChecksumType::Xxh3, data, 0))
}

fn checksum(t: &mut Thread<'_>, op: Op, of: impl Fn(&[u8]) -> u32) -> Result<()> {
    let data = vec![b'x'; t.config.block_size];
    let mut sum = 0u32;
    let mut bytes = 0;
    while bytes < CHECKSUMMED {
        sum = sum.wrapping_add(of(black_box(&data)));
        bytes += data.len() as u64;
        t.finished(1, op);
    }
    black_box(sum);
    t.stats.bytes = bytes;
    t.stats.message = format!("({} per op)", data.len());
    Ok(())
}

/// Loads a shared word.
pub(super) fn acquire_load(t: &mut Thread<'_>) -> Result<()> {
    let word = AtomicU64::new(1);
    for _ in 0..100_000 {
        for _ in 0..1000 {
            black_box(black_box(&word).load(Ordering::Acquire));
        }
        t.finished(1, Op::Other);
    }
    t.stats.message = "(each op is 1000 loads)".to_owned();
    Ok(())
}

fn codec(t: &Thread<'_>) -> Result<Codec> {
    let kind = CompressionType::from_name(t.config.codec);
    let kind = kind.filter(|kind| *kind != CompressionType::None && kind.is_supported());
    let kind = kind.ok_or_else(|| {
        format!("--compression_type={}: there is nothing to measure", t.config.codec)
    })?;
    Ok(Codec {
        kind,
        level: t.config.codec_level,
        window_bits: -14,
        checksum: false,
        format_version: 2,
    })
}

/// Returns a block of values that compresses as `--compression_ratio` says.
fn block(t: &Thread<'_>) -> Vec<u8> {
    let mut values = ValueMaker::new(&t.shared.values);
    let mut block = Vec::with_capacity(t.config.block_size);
    while block.len() < t.config.block_size {
        let value = values.make();
        let wanted = value.len().min(t.config.block_size - block.len());
        block.extend_from_slice(&value[..wanted]);
        if value.is_empty() {
            block.push(b'x');
        }
    }
    block
}

pub(super) fn compress(t: &mut Thread<'_>) -> Result<()> {
    let (codec, block) = (codec(t)?, block(t));
    let (mut out, mut bytes, mut produced) = (Vec::new(), 0, 0u64);
    while bytes < COMPRESSED {
        codec.compress(&block, None, &mut out).map_err(|error| error.to_string())?;
        produced += out.len() as u64;
        bytes += block.len() as u64;
        t.finished(1, Op::Compress);
    }
    t.stats.message = format!("(output: {:.1}%)", produced as f64 * 100.0 / bytes as f64);
    t.stats.bytes = bytes;
    Ok(())
}

pub(super) fn uncompress(t: &mut Thread<'_>) -> Result<()> {
    let (codec, block) = (codec(t)?, block(t));
    let (mut packed, mut bytes) = (Vec::new(), 0);
    codec.compress(&block, None, &mut packed).map_err(|error| error.to_string())?;
    while bytes < COMPRESSED {
        let plain =
            compress::decompress(codec.kind, codec.format_version, &packed, None, block.len());
        bytes += black_box(plain.map_err(|error| error.to_string())?).len() as u64;
        t.finished(1, Op::Other);
    }
    t.stats.bytes = bytes;
    Ok(())
}
