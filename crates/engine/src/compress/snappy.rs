//! Snappy: raw streams, which begin with their uncompressed length.

use super::{CompressionType, Room, broken, check_size, wrong_size};
use crate::error::Result;

/// The maximum expansion: a Snappy element of 3 bytes produces at most 64.
const MAX_RATIO: usize = 32;

pub(super) fn compress(raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    out.resize(start + snap::raw::max_compress_len(raw.len()), 0);
    let n = snap::raw::Encoder::new()
        .compress(raw, out.get_mut(start..).unwrap_or_default())
        .map_err(|e| broken(CompressionType::Snappy, e))?;
    out.truncate(start + n);
    Ok(())
}

pub(super) fn decompress(data: &[u8], max_len: usize, room: &mut dyn Room) -> Result<usize> {
    let broken = |e| broken(CompressionType::Snappy, e);
    let len = snap::raw::decompress_len(data).map_err(broken)?;
    check_size(len, max_len.min(data.len().saturating_mul(MAX_RATIO)))?;
    let raw = room.provide(len);
    let n = snap::raw::Decoder::new().decompress(data, raw).map_err(broken)?;
    if n != len {
        return Err(wrong_size(CompressionType::Snappy, len, n));
    }
    Ok(n)
}
