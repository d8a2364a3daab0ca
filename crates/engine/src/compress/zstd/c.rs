//! Zstandard by its C library, through the crate `zstd-safe`.

use super::{MAX_RATIO, Prepared, Settings, broken_stream, keep, take, unusable};
use crate::env::sync::OnceLock;
use crate::error::{Code, Error, Result, SubCode};
use std::cell::Cell;
use std::io::Cursor;
use zstd_safe::zstd_sys::ZSTD_ErrorCode::ZSTD_error_dstSize_tooSmall;
use zstd_safe::{CCtx, CParameter, DCtx, DDict, ResetDirective, is_error_kind};

use super::finalize::describe;
pub(super) use super::finalize::finalize;

/// The expansion that is expected of a frame of unknown size.
const UNKNOWN_RATIO: usize = 4;

struct Encoder {
    settings: Settings,
    context: CCtx<'static>,
}

thread_local! {
    static DECODER: Cell<Option<DCtx<'static>>> = const { Cell::new(None) };
    static ENCODER: Cell<Option<Encoder>> = const { Cell::new(None) };
}

/// The parsed form of a dictionary; an encoder keeps a parsed copy of its own, which depends on its level.
#[derive(Default)]
pub(super) struct Forms {
    /// `None` if the bytes are no dictionary.
    decoder: OnceLock<Option<DDict<'static>>>,
}

fn for_decoder(dict: Prepared<'_>) -> Result<&DDict<'static>> {
    let parsed = dict.forms.c.decoder.get_or_init(|| DDict::try_create(dict.bytes));
    parsed.as_ref().ok_or_else(|| unusable("its entropy tables are damaged"))
}

impl Encoder {
    /// Returns an encoder with these settings, in the memory of one that the thread no longer needs.
    fn new(
        old: Option<Encoder>,
        settings: Settings,
        dict: Option<Prepared<'_>>,
    ) -> Result<Encoder> {
        let mut context = match old {
            Some(old) => old.context,
            None => CCtx::try_create().ok_or_else(no_memory)?,
        };
        context.reset(ResetDirective::SessionAndParameters).map_err(failed)?;
        context.set_parameter(CParameter::CompressionLevel(settings.level)).map_err(failed)?;
        context.set_parameter(CParameter::ChecksumFlag(settings.checksum)).map_err(failed)?;
        if let Some(d) = dict {
            context.load_dictionary(d.bytes).map_err(failed)?;
        }
        Ok(Encoder { settings, context })
    }
}

/// Appends the frame of `raw` to `out`.
pub(super) fn compress(
    settings: Settings,
    raw: &[u8],
    dict: Option<Prepared<'_>>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut encoder = match take(&ENCODER) {
        Some(encoder) if encoder.settings == settings => encoder,
        old => Encoder::new(old, settings, dict)?,
    };
    // The frame is written behind the bytes that `out` has, into memory that need not be initialized.
    let start = out.len() as u64;
    out.reserve(zstd_safe::compress_bound(raw.len()));
    let mut rest = Cursor::new(out);
    rest.set_position(start);
    encoder.context.compress2(&mut rest, raw).map_err(failed)?;
    keep(&ENCODER, encoder);
    Ok(())
}

/// Decompresses all frames of `stream` to the beginning of `raw`. Returns their size. Fails if they do not fit.
pub(super) fn decompress(
    stream: &[u8],
    raw: &mut [u8],
    dict: Option<Prepared<'_>>,
) -> Result<usize> {
    let dict = dict.map(for_decoder).transpose()?;
    // Taken out, so that a decoder that failed is not reused.
    let mut decoder = take(&DECODER).map_or_else(new_decoder, Ok)?;
    let n = match dict {
        Some(d) => decoder.decompress_using_ddict(raw, stream, d),
        None => decoder.decompress(raw, stream),
    }
    .map_err(failed)?;
    keep(&DECODER, decoder);
    Ok(n)
}

/// Decompresses standalone frames, as in compressed logs. If the first frame does not tell its size, larger and larger
/// memory is tried: a stream would need a window, which the frame could claim to be of any size.
pub(crate) fn decompress_frame(frame: &[u8]) -> Result<Vec<u8>> {
    let limit = frame.len().saturating_mul(MAX_RATIO);
    let size = zstd_safe::get_frame_content_size(frame).map_err(broken_stream)?;
    let mut len = match size {
        Some(size) => usize::try_from(size).unwrap_or(limit),
        None => frame.len().saturating_mul(UNKNOWN_RATIO),
    };
    let mut decoder = new_decoder()?;
    loop {
        len = len.min(limit);
        let mut raw = Vec::with_capacity(len);
        match decoder.decompress(&mut raw, frame) {
            Ok(_) => return Ok(raw),
            Err(code) if len < limit && is_error_kind(code, ZSTD_error_dstSize_tooSmall) => {
                len = len.saturating_mul(UNKNOWN_RATIO).max(1);
            }
            Err(code) => return Err(failed(code)),
        }
    }
}

pub(super) fn train(samples: &[u8], lengths: &[usize], max_len: usize) -> Option<Vec<u8>> {
    if !describe(lengths, samples) {
        return None;
    }
    let mut bytes = vec![0; max_len];
    let len = zstd_safe::train_from_buffer(bytes.as_mut_slice(), samples, lengths).ok()?;
    bytes.truncate(len);
    bytes.shrink_to_fit();
    Some(bytes)
}

fn new_decoder() -> Result<DCtx<'static>> {
    DCtx::try_create().ok_or_else(no_memory)
}

/// The error of a call of the library.
fn failed(code: zstd_safe::ErrorCode) -> Error {
    broken_stream(zstd_safe::get_error_name(code))
}

fn no_memory() -> Error {
    Error::new(Code::Aborted, "no memory for a context of Zstandard")
        .with_subcode(SubCode::MemoryLimit)
}
