//! Zstandard: one format, and two codecs for it.
//!
//! The default codec is pure Rust. The cargo feature `zstd-c` selects the C library instead, which needs a C compiler
//! and takes less processor time with dictionaries and at high levels; it wins if both features are on. Each codec
//! reads what the other wrote: tests with both features compile both and compare them.
//!
//! Thread safety: contexts are large, so each thread keeps one encoder and one decoder for its next call.

#[cfg(feature = "zstd-c")]
mod c;
#[cfg(feature = "zstd-c")]
mod finalize;
#[cfg(all(feature = "zstd", any(test, not(feature = "zstd-c"))))]
mod rust;
#[cfg(all(feature = "zstd", any(test, not(feature = "zstd-c"))))]
mod small;
#[cfg(all(feature = "zstd", any(test, fuzzing)))]
pub use small::checks;

#[cfg(feature = "zstd-c")]
use c as chosen;
#[cfg(not(feature = "zstd-c"))]
use rust as chosen;

use super::{Codec, CompressionType, DEFAULT_LEVEL, Room, broken, check_size, wrong_size};
use crate::env::sync::std_atomic::{AtomicU64, Ordering};
use crate::error::{Error, Result};
use std::cell::Cell;
use std::fmt;
use std::thread::LocalKey;

pub(crate) use chosen::decompress_frame;

/// The maximum expansion: a block of one repeated byte produces 128 KiB from four bytes.
const MAX_RATIO: usize = 32 << 10;

const TYPE: CompressionType = CompressionType::Zstd;

/// The identity of the next dictionary to be created.
static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(1);

/// What is derived from a dictionary's bytes, once, when first needed.
pub(super) struct Forms {
    /// Unique among the dictionaries of this process, and not zero.
    identity: u64,
    #[cfg(all(feature = "zstd", any(test, not(feature = "zstd-c"))))]
    rust: rust::Forms,
    #[cfg(feature = "zstd-c")]
    c: c::Forms,
}

impl Forms {
    pub(super) fn new() -> Forms {
        Forms {
            identity: NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed),
            #[cfg(all(feature = "zstd", any(test, not(feature = "zstd-c"))))]
            rust: rust::Forms::default(),
            #[cfg(feature = "zstd-c")]
            c: c::Forms::default(),
        }
    }
}

/// A dictionary as the codecs take it.
#[derive(Clone, Copy)]
pub(super) struct Prepared<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) forms: &'a Forms,
}

/// The settings that an encoder was created with.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Settings {
    level: i32,
    checksum: bool,
    /// The identity of the dictionary; 0 without one.
    dictionary: u64,
}

impl Settings {
    fn new(codec: &Codec, dict: Option<Prepared<'_>>) -> Settings {
        Settings {
            level: library_level(codec.level),
            checksum: codec.checksum,
            dictionary: dict.map_or(0, |d| d.forms.identity),
        }
    }
}

/// Appends the frame of `raw` to `out`.
pub(super) fn compress(
    codec: &Codec,
    raw: &[u8],
    dict: Option<Prepared<'_>>,
    out: &mut Vec<u8>,
) -> Result<()> {
    chosen::compress(Settings::new(codec, dict), raw, dict, out)
}

/// Decompresses a block of `len` bytes.
pub(super) fn decompress(
    stream: &[u8],
    len: usize,
    dict: Option<Prepared<'_>>,
    max_len: usize,
    room: &mut dyn Room,
) -> Result<usize> {
    check_size(len, max_len.min(stream.len().saturating_mul(MAX_RATIO)))?;
    let n = chosen::decompress(stream, room.provide(len), dict)?;
    if n != len {
        return Err(wrong_size(TYPE, len, n));
    }
    Ok(n)
}

/// Builds a dictionary of at most `max_len` bytes from content that is common to many samples. `None` if there is too
/// little of it. `lengths` are those of the concatenated `samples`.
pub(super) fn train(samples: &[u8], lengths: &[usize], max_len: usize) -> Option<Vec<u8>> {
    chosen::train(samples, lengths, max_len)
}

/// Builds a dictionary of at most `max_len` bytes from `content` and the entropy tables of the samples. `None` if that
/// is impossible.
pub(super) fn finalize(
    content: &[u8],
    samples: &[u8],
    lengths: &[usize],
    max_len: usize,
    level: i32,
) -> Option<Vec<u8>> {
    chosen::finalize(content, samples, lengths, max_len, library_level(level))
}

/// Returns the level that a library gets; RocksDB takes 3 for its default level.
fn library_level(level: i32) -> i32 {
    if level == DEFAULT_LEVEL { 3 } else { level }
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

/// The error for a stream that cannot be decoded.
fn broken_stream(why: impl fmt::Display) -> Error {
    broken(TYPE, why)
}

/// The error for a dictionary that cannot be parsed.
fn unusable(why: impl fmt::Display) -> Error {
    Error::corruption(format!("{} dictionary: {why}", TYPE.name()))
}

#[cfg(test)]
#[cfg(all(feature = "zstd", feature = "zstd-c"))]
#[path = "both_test.rs"]
mod tests;
