//! LZ4 blocks (not frames).
//!
//! Most blocks have no dictionary. For them `encode` and `decode` take less time per block than the crate `lz4_flex`,
//! which does the rest. Either reads what the other writes.

#[cfg(any(test, fuzzing))]
pub mod checks;
mod decode;
mod encode;

use super::{CompressionType, Dictionary, Room, broken, check_size, wrong_size};
use crate::error::Result;
use lz4_flex::block;

/// The maximum expansion: each byte of a run of length bytes with value 255 produces at most 255
/// bytes.
const MAX_RATIO: usize = 256;

pub(super) fn compress(raw: &[u8], dict: Option<&Dictionary>, out: &mut Vec<u8>) -> Result<()> {
    if dict.is_none() && encode::encode(raw, out) {
        return Ok(());
    }
    let start = out.len();
    out.resize(start + block::get_maximum_output_size(raw.len()), 0);
    let room = out.get_mut(start..).unwrap_or_default();
    let n = match dict {
        Some(d) => block::compress_into_with_dict(raw, room, d.bytes()),
        None => block::compress_into(raw, room),
    }
    .map_err(|e| broken(CompressionType::Lz4, e))?;
    out.truncate(start + n);
    Ok(())
}

pub(super) fn decompress(
    stream: &[u8],
    len: usize,
    dict: Option<&Dictionary>,
    max_len: usize,
    room: &mut dyn Room,
) -> Result<usize> {
    check_size(len, max_len.min((stream.len() + 1).saturating_mul(MAX_RATIO)))?;
    let raw = room.provide(len);
    let n = match dict {
        Some(d) => block::decompress_into_with_dict(stream, raw, d.bytes())
            .map_err(|e| broken(CompressionType::Lz4, e))?,
        None => decode::decode(stream, raw).map_err(|e| broken(CompressionType::Lz4, e))?,
    };
    if n != len {
        return Err(wrong_size(CompressionType::Lz4, len, n));
    }
    Ok(n)
}

#[cfg(test)]
#[path = "lz4_test.rs"]
mod tests;
