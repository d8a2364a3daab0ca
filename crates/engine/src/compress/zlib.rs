//! Raw deflate streams, without a zlib header.

use super::{Codec, CompressionType, DEFAULT_LEVEL, Dictionary, broken, check_size, wrong_size};
use crate::error::Result;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// The maximum expansion: deflate encodes at most 258 bytes in two bits.
const MAX_RATIO: usize = 1040;
const CODEC: CompressionType = CompressionType::Zlib;

/// Compresses a block. `window_bits` is RocksDB's option: negative for raw deflate. Other stream
/// kinds have a header that no reader accepts, so only the absolute value is used here.
pub(super) fn compress(
    codec: &Codec,
    raw: &[u8],
    dict: Option<&Dictionary>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let level = match codec.level {
        DEFAULT_LEVEL | i32::MIN..0 => Compression::default(),
        n => Compression::new(n.min(9) as u32),
    };
    let bits = codec.window_bits.unsigned_abs().clamp(9, 15) as u8;
    let mut state = Compress::new_with_window_bits(level, false, bits);
    if let Some(d) = dict {
        state.set_dictionary(d.bytes()).map_err(|e| broken(CODEC, e))?;
    }
    out.reserve(raw.len() + raw.len() / 1024 + 64);
    loop {
        let input = raw.get(state.total_in() as usize..).unwrap_or_default();
        match state.compress_vec(input, out, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => return Ok(()),
            Ok(_) if out.len() == out.capacity() => out.reserve(raw.len() / 8 + 64),
            Ok(_) => return Err(broken(CODEC, "the stream did not end")),
            Err(e) => return Err(broken(CODEC, e)),
        }
    }
}

pub(super) fn decompress(
    stream: &[u8],
    len: Option<usize>,
    dict: Option<&Dictionary>,
    max_len: usize,
) -> Result<Vec<u8>> {
    let limit = max_len.min(stream.len().saturating_mul(MAX_RATIO));
    if let Some(len) = len {
        check_size(len, limit)?;
    }
    let mut state = Decompress::new(false);
    if let Some(d) = dict {
        state.set_dictionary(d.bytes()).map_err(|e| broken(CODEC, e))?;
    }
    // One byte more than expected, so that a longer stream is noticed.
    let mut raw = Vec::with_capacity(len.map_or_else(|| limit.min(4 * stream.len()), |n| n + 1));
    loop {
        let before = (state.total_in(), raw.len());
        let input = stream.get(state.total_in() as usize..).unwrap_or_default();
        let status = state
            .decompress_vec(input, &mut raw, FlushDecompress::None)
            .map_err(|e| broken(CODEC, e))?;
        match (status, len) {
            (Status::StreamEnd, Some(n)) if raw.len() != n => {
                return Err(wrong_size(CODEC, n, raw.len()));
            }
            (Status::StreamEnd, _) => {
                check_size(raw.len(), limit)?;
                return Ok(raw);
            }
            (_, Some(n)) if raw.len() > n => return Err(wrong_size(CODEC, n, raw.len())),
            (_, None) if raw.len() == raw.capacity() && raw.len() < limit => {
                raw.reserve(raw.len().clamp(64, limit - raw.len()));
            }
            _ if before == (state.total_in(), raw.len()) => {
                return Err(broken(CODEC, "the stream does not end"));
            }
            _ => {}
        }
    }
}
