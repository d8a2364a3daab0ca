//! Compression dictionaries: what the blocks of one file have in common, stored once.
//!
//! A file's block `rocksdb.compression_dict` holds the bytes: a Zstandard dictionary with entropy
//! tables, which its magic number tells, or raw content. Deflate and LZ4 take any bytes as raw
//! content.
//!
//! Thread safety: a dictionary is shared by all readers of a file; what Zstandard makes of it is
//! made once, when first needed.

use super::CompressionType;
#[cfg(feature = "zstd")]
use super::zstd;
use crate::error::{Error, Result};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
#[cfg(feature = "zstd")]
use structured_zstd::decoding::DictionaryHandle;
#[cfg(feature = "zstd")]
use structured_zstd::dictionary::{
    FastCoverOptions, FinalizeOptions, finalize_raw_dict, optimize_fastcover_dict,
};
#[cfg(feature = "zstd")]
use structured_zstd::encoding::EncoderDictionary;

/// Tells the dictionaries of a process apart.
static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(1);

type Parsed<T> = OnceLock<std::result::Result<T, String>>;

/// A dictionary, and its parsed forms.
pub struct Dictionary {
    identity: u64,
    bytes: Vec<u8>,
    #[cfg(feature = "zstd")]
    decoder: Parsed<DictionaryHandle>,
    #[cfg(feature = "zstd")]
    encoder: Parsed<EncoderDictionary>,
}

/// How a dictionary is made from samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DictionarySource {
    /// The samples are the dictionary.
    Samples,
    /// Zstandard's trainer picks what is common to many samples and adds entropy tables.
    Trained,
    /// The samples are the content; entropy tables are added.
    Finalized,
}

impl Dictionary {
    /// Takes the content of the block `rocksdb.compression_dict`.
    pub fn new(bytes: Vec<u8>) -> Dictionary {
        let identity = NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed);
        Dictionary {
            identity,
            bytes,
            #[cfg(feature = "zstd")]
            decoder: OnceLock::new(),
            #[cfg(feature = "zstd")]
            encoder: OnceLock::new(),
        }
    }

    /// Makes a dictionary of at most `max_len` bytes from samples, which lie one after the other.
    /// `None` if they do not give one: too few of them, or nothing in common.
    pub fn from_samples(
        source: DictionarySource,
        samples: &[u8],
        lengths: &[usize],
        max_len: usize,
        level: i32,
    ) -> Option<Dictionary> {
        let head = samples.get(..max_len).unwrap_or(samples);
        let bytes = match source {
            DictionarySource::Samples => head.to_vec(),
            #[cfg(feature = "zstd")]
            DictionarySource::Trained => {
                let (options, finish) = (FastCoverOptions::default(), FinalizeOptions::default());
                optimize_fastcover_dict(samples, lengths, max_len, &options, finish).ok()?.0
            }
            #[cfg(feature = "zstd")]
            DictionarySource::Finalized => {
                let options =
                    FinalizeOptions { level: zstd::level(level), ..FinalizeOptions::default() };
                finalize_raw_dict(head, samples, lengths, max_len, options).ok()?
            }
            #[cfg(not(feature = "zstd"))]
            DictionarySource::Trained | DictionarySource::Finalized => return None,
        };
        (!bytes.is_empty()).then(|| Dictionary::new(bytes))
    }

    /// The raw bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A number that no other dictionary of this process has; not zero.
    pub(super) fn identity(&self) -> u64 {
        self.identity
    }

    /// As Zstandard reads with it.
    #[cfg(feature = "zstd")]
    pub(super) fn for_decoder(&self) -> Result<&DictionaryHandle> {
        let parse = DictionaryHandle::from_serialized_or_raw_content;
        let parsed = self.decoder.get_or_init(|| parse(&self.bytes).map_err(|e| e.to_string()));
        parsed.as_ref().map_err(|e| unusable(e))
    }

    /// As Zstandard writes with it.
    #[cfg(feature = "zstd")]
    pub(super) fn for_encoder(&self) -> Result<EncoderDictionary> {
        let parse = EncoderDictionary::from_serialized_or_raw_content;
        let parsed = self.encoder.get_or_init(|| parse(&self.bytes).map_err(|e| e.to_string()));
        parsed.clone().map_err(|e| unusable(&e))
    }
}

fn unusable(why: &str) -> Error {
    Error::corruption(format!("{} dictionary: {why}", CompressionType::Zstd.name()))
}
