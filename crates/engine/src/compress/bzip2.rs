//! bzip2 streams. RocksDB always writes the smallest block size regardless of the level, and so does this engine.

use super::{CompressionType, broken, check_size, wrong_size};
use crate::error::Result;
use bzip2::{Action, Compress, Compression, Decompress, Status};

/// The maximum expansion. Runs are first reduced to a byte count: a block of 900 KB can expand to
/// 46 MB and takes about 40 bytes.
const MAX_RATIO: usize = 2 << 20;
/// The expansion for which memory is reserved before the stream's real expansion is known.
const FIRST_RATIO: usize = 8;
/// The effort after which sorting of repetitive data falls back, as the library recommends.
const WORK_FACTOR: u32 = 30;
const CODEC: CompressionType = CompressionType::Bzip2;

pub(super) fn compress(raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut state = Compress::new(Compression::fast(), WORK_FACTOR);
    out.reserve(raw.len() + raw.len() / 100 + 600);
    loop {
        let input = raw.get(state.total_in() as usize..).unwrap_or_default();
        match state.compress_vec(input, out, Action::Finish) {
            Ok(Status::StreamEnd) => return Ok(()),
            Ok(_) if out.len() == out.capacity() => out.reserve(raw.len() / 8 + 600),
            Ok(_) => return Err(broken(CODEC, "the stream did not end")),
            Err(e) => return Err(broken(CODEC, e)),
        }
    }
}

/// Decompresses a stream. `len` is the raw size stored with the block, if its format has one.
pub(super) fn decompress(stream: &[u8], len: Option<usize>, max_len: usize) -> Result<Vec<u8>> {
    let limit = max_len.min(stream.len().saturating_mul(MAX_RATIO));
    if let Some(len) = len {
        check_size(len, limit)?;
    }
    // One byte more than expected, so that a longer stream is noticed.
    let most = len.unwrap_or(limit).saturating_add(1);
    let mut raw = Vec::with_capacity(most.min(stream.len().saturating_mul(FIRST_RATIO)));
    let mut state = Decompress::new(false);
    loop {
        let before = (state.total_in(), raw.len());
        let input = stream.get(state.total_in() as usize..).unwrap_or_default();
        let status = state.decompress_vec(input, &mut raw).map_err(|e| broken(CODEC, e))?;
        if raw.len() >= most {
            return match len {
                Some(len) => Err(wrong_size(CODEC, len, raw.len())),
                None => check_size(raw.len(), limit).map(|()| raw),
            };
        }
        match (status, len) {
            (Status::StreamEnd, Some(len)) if raw.len() != len => {
                return Err(wrong_size(CODEC, len, raw.len()));
            }
            (Status::StreamEnd, _) => return Ok(raw),
            _ if raw.len() == raw.capacity() => {
                raw.reserve(raw.len().max(64).min(most - raw.len()));
            }
            _ if before == (state.total_in(), raw.len()) => {
                return Err(broken(CODEC, "the stream does not end"));
            }
            _ => {}
        }
    }
}
