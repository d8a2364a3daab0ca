//! Zstandard frames. The codec is pure Rust; a dictionary is parsed once and shared.

use super::{CompressionType, DEFAULT_LEVEL, broken, check_size, wrong_size};
use crate::error::{Error, Result};
use std::cell::RefCell;
use std::io::Read;
use std::sync::OnceLock;
use structured_zstd::decoding::{DictionaryHandle, FrameDecoder, StreamingDecoder};
use structured_zstd::encoding::{CompressionLevel, FrameCompressor};

/// A block of one repeated byte makes 128 KiB from four bytes.
const MAX_RATIO: usize = 32 << 10;

/// What RocksDB takes for its default level.
const DEFAULT: i32 = 3;
const CODEC: CompressionType = CompressionType::Zstd;

thread_local! {
    /// Contexts are large; each thread keeps one of each. The encoder is kept with its level.
    static DECODER: RefCell<Option<FrameDecoder>> = const { RefCell::new(None) };
    static ENCODER: RefCell<Option<(i32, FrameCompressor)>> = const { RefCell::new(None) };
}

/// A compression dictionary: the raw block, and its parsed form for Zstandard when first needed.
pub struct Dictionary {
    bytes: Vec<u8>,
    zstd: OnceLock<std::result::Result<DictionaryHandle, String>>,
}

impl Dictionary {
    /// Takes the content of the block `rocksdb.compression_dict`.
    pub fn new(bytes: Vec<u8>) -> Dictionary {
        Dictionary { bytes, zstd: OnceLock::new() }
    }

    /// The raw bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn zstd(&self) -> Result<&DictionaryHandle> {
        self.zstd
            .get_or_init(|| {
                DictionaryHandle::from_serialized_or_raw_content(&self.bytes)
                    .map_err(|e| e.to_string())
            })
            .as_ref()
            .map_err(|e| Error::corruption(format!("ZSTD dictionary: {e}")))
    }
}

pub(super) fn compress(level: i32, raw: &[u8], out: &mut Vec<u8>) {
    let level = if level == DEFAULT_LEVEL { DEFAULT } else { level };
    ENCODER.with_borrow_mut(|slot| {
        let mut encoder = match slot.take() {
            Some((l, e)) if l == level => e,
            _ => FrameCompressor::new(CompressionLevel::from_level(level)),
        };
        // The encoder replaces what it is given, so the frame is made aside.
        let frame = encoder.compress_independent_frame(raw);
        out.extend_from_slice(&frame);
        *slot = Some((level, encoder));
    });
}

pub(super) fn decompress(
    stream: &[u8],
    len: usize,
    dict: Option<&Dictionary>,
    max_len: usize,
) -> Result<Vec<u8>> {
    check_size(len, max_len.min(stream.len().saturating_mul(MAX_RATIO)))?;
    let dict = dict.map(Dictionary::zstd).transpose()?;
    let mut raw = vec![0; len];
    let n = DECODER.with_borrow_mut(|slot| {
        // Taken out, so that a decoder that failed is not used again.
        let mut decoder = slot.take().unwrap_or_default();
        let n = match dict {
            Some(d) => decoder.decode_all_with_dict_handle(stream, &mut raw, d),
            None => decoder.decode_all(stream, &mut raw),
        }
        .map_err(|e| broken(CODEC, e))?;
        *slot = Some(decoder);
        Ok::<_, Error>(n)
    })?;
    if n != len {
        return Err(wrong_size(CODEC, len, n));
    }
    Ok(raw)
}

/// The content of a frame that stands alone, as in compressed logs. Nothing says its size but the
/// frame, so it is read piece by piece.
pub(crate) fn decompress_frame(frame: &[u8]) -> Result<Vec<u8>> {
    let limit = frame.len().saturating_mul(MAX_RATIO) as u64;
    let mut decoder = StreamingDecoder::new(frame);
    let mut raw = Vec::new();
    decoder.by_ref().take(limit).read_to_end(&mut raw).map_err(|e| broken(CODEC, e))?;
    Ok(raw)
}
