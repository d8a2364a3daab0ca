//! Zstandard in pure Rust: small frames by our own codec, all others by the crate `structured-zstd`.

use super::{MAX_RATIO, Prepared, Settings, broken_stream, keep, small, take, unusable};
use crate::env::sync::OnceLock;
use crate::error::Result;
use std::cell::Cell;
use std::io::Read;
use structured_zstd::decoding::{
    ContentChecksum, DictionaryHandle, FrameDecoder, StreamingDecoder,
};
use structured_zstd::dictionary::{
    FastCoverOptions, FinalizeOptions, finalize_raw_dict, optimize_fastcover_dict,
};
use structured_zstd::encoding::{CompressionLevel, EncoderDictionary, FrameCompressor};

struct Encoder {
    settings: Settings,
    frames: FrameCompressor,
    /// The last frame. The compressor replaces its output, so it cannot append to that of its caller.
    frame: Vec<u8>,
}

thread_local! {
    static DECODER: Cell<Option<FrameDecoder>> = const { Cell::new(None) };
    static ENCODER: Cell<Option<Encoder>> = const { Cell::new(None) };
}

type Parsed<T> = OnceLock<std::result::Result<T, String>>;

/// The parsed forms of a dictionary.
#[derive(Default)]
pub(super) struct Forms {
    decoder: Parsed<DictionaryHandle>,
    encoder: Parsed<EncoderDictionary>,
}

fn for_decoder(dict: Prepared<'_>) -> Result<&DictionaryHandle> {
    let parse = DictionaryHandle::from_serialized_or_raw_content;
    let parsed =
        dict.forms.rust.decoder.get_or_init(|| parse(dict.bytes).map_err(|e| e.to_string()));
    parsed.as_ref().map_err(unusable)
}

fn for_encoder(dict: Prepared<'_>) -> Result<EncoderDictionary> {
    let parse = EncoderDictionary::from_serialized_or_raw_content;
    let parsed =
        dict.forms.rust.encoder.get_or_init(|| parse(dict.bytes).map_err(|e| e.to_string()));
    parsed.clone().map_err(unusable)
}

/// Returns a decoder that compares the checksums of frames that have one, which is not the crate's default.
fn new_decoder() -> FrameDecoder {
    let mut decoder = FrameDecoder::new();
    decoder.set_content_checksum(ContentChecksum::Verify);
    decoder
}

impl Encoder {
    fn new(settings: Settings, dict: Option<Prepared<'_>>) -> Result<Encoder> {
        let mut frames = FrameCompressor::new(CompressionLevel::from_level(settings.level));
        frames.set_content_checksum(settings.checksum);
        if let Some(d) = dict {
            frames.set_encoder_dictionary(for_encoder(d)?).map_err(broken_stream)?;
        }
        Ok(Encoder { settings, frames, frame: Vec::new() })
    }
}

/// Appends the frame of `raw` to `out`.
pub(super) fn compress(
    settings: Settings,
    raw: &[u8],
    dict: Option<Prepared<'_>>,
    out: &mut Vec<u8>,
) -> Result<()> {
    if dict.is_none() && small::compress(settings.level, settings.checksum, raw, out) {
        return Ok(());
    }
    let mut encoder = match take(&ENCODER) {
        Some(encoder) if encoder.settings == settings => encoder,
        _ => Encoder::new(settings, dict)?,
    };
    encoder.frames.compress_independent_frame_into(raw, &mut encoder.frame);
    out.extend_from_slice(&encoder.frame);
    keep(&ENCODER, encoder);
    Ok(())
}

/// Decompresses all frames of `stream` to the beginning of `raw`. Returns their size. Fails if they do not fit.
pub(super) fn decompress(
    stream: &[u8],
    raw: &mut [u8],
    dict: Option<Prepared<'_>>,
) -> Result<usize> {
    if dict.is_none()
        && let Some(n) = small::decompress(stream, raw).map_err(broken_stream)?
    {
        return Ok(n);
    }
    let dict = dict.map(for_decoder).transpose()?;
    // Taken out, so that a decoder that failed is not reused.
    let mut decoder = take(&DECODER).unwrap_or_else(new_decoder);
    let n = match dict {
        Some(d) => decoder.decode_all_with_dict_handle(stream, raw, d),
        None => decoder.decode_all(stream, raw),
    }
    .map_err(broken_stream)?;
    keep(&DECODER, decoder);
    Ok(n)
}

/// Decompresses a standalone frame, as in compressed logs. The size is only in the frame, so it is
/// read in pieces.
pub(crate) fn decompress_frame(frame: &[u8]) -> Result<Vec<u8>> {
    let limit = frame.len().saturating_mul(MAX_RATIO) as u64;
    let mut decoder = StreamingDecoder::new_with_decoder(frame, new_decoder());
    let mut raw = Vec::new();
    decoder.by_ref().take(limit).read_to_end(&mut raw).map_err(broken_stream)?;
    Ok(raw)
}

pub(super) fn train(samples: &[u8], lengths: &[usize], max_len: usize) -> Option<Vec<u8>> {
    let (options, finish) = (FastCoverOptions::default(), FinalizeOptions::default());
    Some(optimize_fastcover_dict(samples, lengths, max_len, &options, finish).ok()?.0)
}

pub(super) fn finalize(
    content: &[u8],
    samples: &[u8],
    lengths: &[usize],
    max_len: usize,
    level: i32,
) -> Option<Vec<u8>> {
    let options = FinalizeOptions { level, ..FinalizeOptions::default() };
    finalize_raw_dict(content, samples, lengths, max_len, options).ok()
}
