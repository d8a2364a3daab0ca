//! Zstandard frames. The codec is pure Rust; contexts are kept per thread.

use super::dictionary::zstd_level;
use super::{Codec, CompressionType, Dictionary, Room, broken, check_size, wrong_size};
use crate::error::Result;
use std::cell::Cell;
use std::io::Read;
use std::thread::LocalKey;
use structured_zstd::decoding::{FrameDecoder, StreamingDecoder};
use structured_zstd::encoding::{CompressionLevel, FrameCompressor};

/// The maximum expansion: a block of one repeated byte produces 128 KiB from four bytes.
const MAX_RATIO: usize = 32 << 10;

const CODEC: CompressionType = CompressionType::Zstd;

/// An encoder and the settings that it was created with.
struct Encoder {
    level: i32,
    checksum: bool,
    /// The identity of its dictionary; 0 without one.
    dictionary: u64,
    frames: FrameCompressor,
    /// The last frame. The compressor replaces its output, so it cannot append to that of its caller.
    frame: Vec<u8>,
}

thread_local! {
    /// Contexts are large, so each thread keeps one of each.
    static DECODER: Cell<Option<FrameDecoder>> = const { Cell::new(None) };
    static ENCODER: Cell<Option<Encoder>> = const { Cell::new(None) };
}

/// Takes the context that this thread keeps. Returns `None` at the thread's end, when its
/// thread-locals are destroyed.
fn take<T>(place: &'static LocalKey<Cell<Option<T>>>) -> Option<T> {
    place.try_with(Cell::take).ok().flatten()
}

/// Keeps `context` for the thread's next call.
fn keep<T>(place: &'static LocalKey<Cell<Option<T>>>, context: T) {
    let _ = place.try_with(|kept| kept.set(Some(context)));
}

impl Encoder {
    fn new(codec: &Codec, dict: Option<&Dictionary>) -> Result<Encoder> {
        let level = zstd_level(codec.level);
        let mut frames = FrameCompressor::new(CompressionLevel::from_level(level));
        frames.set_content_checksum(codec.checksum);
        if let Some(d) = dict {
            frames.set_encoder_dictionary(d.for_encoder()?).map_err(|e| broken(CODEC, e))?;
        }
        let dictionary = dict.map_or(0, Dictionary::identity);
        Ok(Encoder { level, checksum: codec.checksum, dictionary, frames, frame: Vec::new() })
    }

    fn serves(&self, codec: &Codec, dict: Option<&Dictionary>) -> bool {
        self.level == zstd_level(codec.level)
            && self.checksum == codec.checksum
            && self.dictionary == dict.map_or(0, Dictionary::identity)
    }
}

pub(super) fn compress(
    codec: &Codec,
    raw: &[u8],
    dict: Option<&Dictionary>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut encoder = match take(&ENCODER) {
        Some(encoder) if encoder.serves(codec, dict) => encoder,
        _ => Encoder::new(codec, dict)?,
    };
    encoder.frames.compress_independent_frame_into(raw, &mut encoder.frame);
    out.extend_from_slice(&encoder.frame);
    keep(&ENCODER, encoder);
    Ok(())
}

pub(super) fn decompress(
    stream: &[u8],
    len: usize,
    dict: Option<&Dictionary>,
    max_len: usize,
    room: &mut dyn Room,
) -> Result<usize> {
    check_size(len, max_len.min(stream.len().saturating_mul(MAX_RATIO)))?;
    let dict = dict.map(Dictionary::for_decoder).transpose()?;
    let raw = room.provide(len);
    // Taken out, so that a decoder that failed is not reused.
    let mut decoder = take(&DECODER).unwrap_or_default();
    let n = match dict {
        Some(d) => decoder.decode_all_with_dict_handle(stream, raw, d),
        None => decoder.decode_all(stream, raw),
    }
    .map_err(|e| broken(CODEC, e))?;
    keep(&DECODER, decoder);
    if n != len {
        return Err(wrong_size(CODEC, len, n));
    }
    Ok(n)
}

/// Decompresses a standalone frame, as in compressed logs. The size is only in the frame, so it is
/// read in pieces.
pub(crate) fn decompress_frame(frame: &[u8]) -> Result<Vec<u8>> {
    let limit = frame.len().saturating_mul(MAX_RATIO) as u64;
    let mut decoder = StreamingDecoder::new(frame);
    let mut raw = Vec::new();
    decoder.by_ref().take(limit).read_to_end(&mut raw).map_err(|e| broken(CODEC, e))?;
    Ok(raw)
}
