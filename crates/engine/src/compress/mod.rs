//! Compression codecs behind one enum.
//!
//! A compressed block is `[varint32 raw size] stream`. Zlib, BZip2 and LZ4 store the size from table format 2 on, and
//! Zstandard always; before format 2, Zlib and BZip2 store none and LZ4 stores a fixed64. Snappy streams contain their
//! size. Decoders accept any bytes: invalid ones return an error, and no decoder allocates more than `max_len` or the
//! maximum expansion of the stream.
//!
//! Thread safety: no function has shared state; codec contexts are thread-local.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[cfg(feature = "bzip2")]
mod bzip2;
mod dictionary;
#[cfg(feature = "lz4")]
mod lz4;
#[cfg(any(feature = "lz4", all(feature = "zstd", any(test, not(feature = "zstd-c")))))]
mod position;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(feature = "zlib")]
mod zlib;
#[cfg(any(feature = "zstd", feature = "zstd-c"))]
mod zstd;

#[cfg(feature = "lz4")]
use crate::base::coding::fixed64_at;
#[cfg(any(
    feature = "bzip2",
    feature = "lz4",
    feature = "zlib",
    feature = "zstd",
    feature = "zstd-c"
))]
use crate::base::coding::get_varint32;
use crate::base::coding::put_varint32;
use crate::error::{Error, Result};

#[cfg(all(feature = "lz4", feature = "zstd", any(test, fuzzing)))]
pub use lz4::checks as lz4_checks;
#[cfg(all(feature = "zstd", any(test, fuzzing)))]
pub use zstd::checks as zstd_checks;

pub use dictionary::{Dictionary, DictionarySource};
#[cfg(any(feature = "zstd", feature = "zstd-c"))]
pub(crate) use zstd::decompress_frame as decompress_zstd_frame;

#[cfg(not(any(feature = "zstd", feature = "zstd-c")))]
pub(crate) fn decompress_zstd_frame(_frame: &[u8]) -> Result<Vec<u8>> {
    Err(unsupported(CompressionType::Zstd))
}

/// The level that means "the codec's default", as RocksDB writes it in options.
pub const DEFAULT_LEVEL: i32 = 32767;

/// The compression of a block. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum CompressionType {
    /// Stored uncompressed.
    #[default]
    None = 0,
    /// Snappy.
    Snappy = 1,
    /// Raw deflate.
    Zlib = 2,
    /// bzip2 streams.
    Bzip2 = 3,
    /// LZ4 blocks.
    Lz4 = 4,
    /// LZ4 blocks compressed with more effort. Under this number the engine writes the same stream
    /// as for `Lz4`.
    Lz4hc = 5,
    /// Windows only: the name exists, but it is neither read nor written.
    Xpress = 6,
    /// Zstandard frames.
    Zstd = 7,
}

/// Every codec with the name used in table properties, then the one used in options.
const NAMES: [(CompressionType, &str, &str); 8] = [
    (CompressionType::None, "NoCompression", "kNoCompression"),
    (CompressionType::Snappy, "Snappy", "kSnappyCompression"),
    (CompressionType::Zlib, "Zlib", "kZlibCompression"),
    (CompressionType::Bzip2, "BZip2", "kBZip2Compression"),
    (CompressionType::Lz4, "LZ4", "kLZ4Compression"),
    (CompressionType::Lz4hc, "LZ4HC", "kLZ4HCCompression"),
    (CompressionType::Xpress, "Xpress", "kXpressCompression"),
    (CompressionType::Zstd, "ZSTD", "kZSTD"),
];

impl CompressionType {
    /// Every codec that has a name.
    pub const ALL: [CompressionType; 8] = [
        CompressionType::None,
        CompressionType::Snappy,
        CompressionType::Zlib,
        CompressionType::Bzip2,
        CompressionType::Lz4,
        CompressionType::Lz4hc,
        CompressionType::Xpress,
        CompressionType::Zstd,
    ];

    /// The name in a table's properties.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|n| n.0 == self).map_or("", |n| n.1)
    }

    /// The name in an OPTIONS file.
    pub fn option_name(self) -> &'static str {
        NAMES.iter().find(|n| n.0 == self).map_or("", |n| n.2)
    }

    /// The codec with this name, in either form.
    pub fn from_name(name: &str) -> Option<CompressionType> {
        NAMES.iter().find(|n| n.1 == name || n.2 == name).map(|n| n.0)
    }

    /// The codec with this number in a block's trailer. 0x40 is the number of Zstandard before its
    /// format was final; the streams are the same.
    pub fn from_byte(b: u8) -> Option<CompressionType> {
        match b {
            0x40 => Some(CompressionType::Zstd),
            _ => NAMES.iter().find(|n| n.0 as u8 == b).map(|n| n.0),
        }
    }

    /// Whether blocks can be read and written with this codec, which requires its cargo feature.
    pub fn is_supported(self) -> bool {
        match self {
            CompressionType::None => true,
            CompressionType::Snappy => cfg!(feature = "snappy"),
            CompressionType::Zlib => cfg!(feature = "zlib"),
            CompressionType::Bzip2 => cfg!(feature = "bzip2"),
            CompressionType::Lz4 | CompressionType::Lz4hc => cfg!(feature = "lz4"),
            CompressionType::Xpress => false,
            CompressionType::Zstd => cfg!(any(feature = "zstd", feature = "zstd-c")),
        }
    }

    /// Whether this codec uses dictionaries.
    pub fn takes_dictionary(self) -> bool {
        use CompressionType::{Lz4, Lz4hc, Zlib, Zstd};
        matches!(self, Zlib | Lz4 | Lz4hc | Zstd)
    }
}

fn unsupported(t: CompressionType) -> Error {
    match t {
        CompressionType::Xpress => Error::not_supported(format!("{} compression", t.name())),
        _ => Error::not_supported(format!(
            "{} compression: ferrolith was built without the codec's cargo feature",
            t.name()
        )),
    }
}

/// The settings with which blocks are compressed. They mean the same as in RocksDB's
/// `CompressionOptions`.
#[derive(Clone, Copy, Debug)]
pub struct Codec {
    /// The kind of compression.
    pub kind: CompressionType,
    /// The level, or [`DEFAULT_LEVEL`].
    pub level: i32,
    /// Zlib's window; negative for raw deflate.
    pub window_bits: i32,
    /// Whether Zstandard frames have a checksum.
    pub checksum: bool,
    /// The table's format version, which determines the framing of blocks.
    pub format_version: u32,
}

impl Codec {
    /// Replaces `out` with the compressed form of `raw`. Returns false if the codec has no shorter
    /// form; then `out` is useless. The caller decides whether the saving is sufficient.
    #[cfg_attr(
        not(any(feature = "lz4", feature = "zlib", feature = "zstd", feature = "zstd-c")),
        expect(unused_variables, reason = "no codec takes a dictionary")
    )]
    pub fn compress(
        &self,
        raw: &[u8],
        dict: Option<&Dictionary>,
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        out.clear();
        if raw.len() > u32::MAX as usize {
            return Ok(false);
        }
        let kind = self.kind;
        if self.format_version >= 2 || kind == CompressionType::Zstd {
            match kind {
                CompressionType::None | CompressionType::Snappy => {}
                _ => put_varint32(out, raw.len() as u32),
            }
        } else if matches!(kind, CompressionType::Lz4 | CompressionType::Lz4hc) {
            out.extend_from_slice(&(raw.len() as u64).to_le_bytes());
        }
        let compressed = match kind {
            CompressionType::None => return Ok(false),
            #[cfg(feature = "snappy")]
            CompressionType::Snappy => snappy::compress(raw, out),
            #[cfg(feature = "zlib")]
            CompressionType::Zlib => zlib::compress(self, raw, dict, out),
            #[cfg(feature = "bzip2")]
            CompressionType::Bzip2 => bzip2::compress(raw, out),
            #[cfg(feature = "lz4")]
            CompressionType::Lz4 | CompressionType::Lz4hc => lz4::compress(raw, dict, out),
            #[cfg(any(feature = "zstd", feature = "zstd-c"))]
            CompressionType::Zstd => zstd::compress(self, raw, dict.map(Dictionary::for_zstd), out),
            _ => Err(unsupported(kind)),
        };
        compressed?;
        Ok(out.len() < raw.len())
    }
}

/// Decompresses a block. `dict` is the file's dictionary block, if it has one. More than `max_len`
/// bytes are an error. For many blocks with one dictionary, parse it once and use
/// [`decompress_with`].
pub fn decompress(
    t: CompressionType,
    format_version: u32,
    data: &[u8],
    dict: Option<&[u8]>,
    max_len: usize,
) -> Result<Vec<u8>> {
    match dict {
        None | Some([]) => decompress_with(t, format_version, data, None, max_len),
        Some(d) => {
            decompress_with(t, format_version, data, Some(&Dictionary::new(d.to_vec())), max_len)
        }
    }
}

/// [`decompress`] with a parsed dictionary.
pub fn decompress_with(
    t: CompressionType,
    format_version: u32,
    data: &[u8],
    dict: Option<&Dictionary>,
    max_len: usize,
) -> Result<Vec<u8>> {
    let mut raw = Vec::new();
    decompress_into(t, format_version, data, dict, max_len, &mut raw)?;
    Ok(raw)
}

/// A place for a decompressed block.
pub trait Room {
    /// Provides room for a block of `len` bytes. Called once, before anything is decompressed.
    fn provide(&mut self, len: usize) -> &mut [u8];
}

impl Room for Vec<u8> {
    fn provide(&mut self, len: usize) -> &mut [u8] {
        self.clear();
        self.resize(len, 0);
        self
    }
}

/// Like [`decompress_with`], to a place that the caller provides when the block's size is known. Returns the size.
/// After an error the place's bytes are arbitrary.
#[cfg_attr(
    not(all(feature = "bzip2", feature = "lz4", feature = "zlib")),
    allow(unused_variables, reason = "not every codec has a framed size or takes a dictionary")
)]
pub fn decompress_into(
    t: CompressionType,
    format_version: u32,
    data: &[u8],
    dict: Option<&Dictionary>,
    max_len: usize,
    room: &mut dyn Room,
) -> Result<usize> {
    match t {
        CompressionType::None => {
            check_size(data.len(), max_len)?;
            Ok(copy(data, room))
        }
        #[cfg(feature = "snappy")]
        CompressionType::Snappy => snappy::decompress(data, max_len, room),
        #[cfg(feature = "zlib")]
        CompressionType::Zlib => {
            let (len, stream) = split_size_if(format_version >= 2, data)?;
            zlib::decompress(stream, len, dict, max_len).map(|raw| copy(&raw, room))
        }
        #[cfg(feature = "bzip2")]
        CompressionType::Bzip2 => {
            let (len, stream) = split_size_if(format_version >= 2, data)?;
            bzip2::decompress(stream, len, max_len).map(|raw| copy(&raw, room))
        }
        #[cfg(feature = "lz4")]
        CompressionType::Lz4 | CompressionType::Lz4hc => {
            let (len, stream) =
                if format_version >= 2 { split_size(data)? } else { split_fixed_size(data)? };
            lz4::decompress(stream, len, dict, max_len, room)
        }
        #[cfg(any(feature = "zstd", feature = "zstd-c"))]
        CompressionType::Zstd => {
            let (len, stream) = split_size(data)?;
            zstd::decompress(stream, len, dict.map(Dictionary::for_zstd), max_len, room)
        }
        _ => Err(unsupported(t)),
    }
}

fn copy(raw: &[u8], room: &mut dyn Room) -> usize {
    room.provide(raw.len()).copy_from_slice(raw);
    raw.len()
}

/// Returns the size, if the block has one, and the stream.
#[cfg(any(feature = "bzip2", feature = "zlib"))]
fn split_size_if(has_size: bool, data: &[u8]) -> Result<(Option<usize>, &[u8])> {
    match has_size {
        true => split_size(data).map(|(len, stream)| (Some(len), stream)),
        false => Ok((None, data)),
    }
}

#[cfg(any(
    feature = "bzip2",
    feature = "lz4",
    feature = "zlib",
    feature = "zstd",
    feature = "zstd-c"
))]
fn split_size(data: &[u8]) -> Result<(usize, &[u8])> {
    get_varint32(data)
        .and_then(|(len, n)| Some((len as usize, data.get(n..)?)))
        .ok_or_else(|| Error::corruption("compressed block without a size"))
}

#[cfg(feature = "lz4")]
fn split_fixed_size(data: &[u8]) -> Result<(usize, &[u8])> {
    fixed64_at(data, 0)
        .and_then(|len| Some((usize::try_from(len).ok()?, data.get(8..)?)))
        .ok_or_else(|| Error::corruption("compressed block without a size"))
}

fn check_size(len: usize, max_len: usize) -> Result<()> {
    if len > max_len {
        return Err(Error::corruption(format!(
            "compressed block claims {len} bytes, at most {max_len} expected"
        )));
    }
    Ok(())
}

/// The error for a stream that cannot be decoded.
#[cfg(any(
    feature = "bzip2",
    feature = "lz4",
    feature = "snappy",
    feature = "zlib",
    feature = "zstd",
    feature = "zstd-c"
))]
fn broken(t: CompressionType, why: impl std::fmt::Display) -> Error {
    Error::corruption(format!("{} block: {why}", t.name()))
}

/// The error for a stream whose decoded length differs from the block's stated length.
#[cfg(any(
    feature = "bzip2",
    feature = "lz4",
    feature = "snappy",
    feature = "zlib",
    feature = "zstd",
    feature = "zstd-c"
))]
fn wrong_size(t: CompressionType, expected: usize, found: usize) -> Error {
    broken(t, format_args!("expected {expected} bytes, found {found}"))
}

#[cfg(test)]
#[path = "compress_test.rs"]
mod tests;

#[cfg(all(test, not(feature = "snappy"), not(feature = "lz4")))]
#[path = "left_out_test.rs"]
mod left_out;
