//! Compression dictionaries: the common content of a file's blocks, stored once.
//!
//! A file's block `rocksdb.compression_dict` holds the bytes: a Zstandard dictionary with entropy
//! tables, recognised by its magic number, or raw content. Deflate and LZ4 take any bytes as raw
//! content.
//!
//! Thread safety: a dictionary is shared by all readers of a file; its parsed forms
//! for Zstandard are created once, when first needed.

#[cfg(feature = "zstd")]
use super::{CompressionType, DEFAULT_LEVEL};
#[cfg(feature = "zstd")]
use crate::env::sync::OnceLock;
#[cfg(feature = "zstd")]
use crate::env::sync::std_atomic::{AtomicU64, Ordering};
#[cfg(feature = "zstd")]
use crate::error::{Error, Result};
#[cfg(feature = "zstd")]
use structured_zstd::decoding::DictionaryHandle;
#[cfg(feature = "zstd")]
use structured_zstd::dictionary::{
    FastCoverOptions, FinalizeOptions, finalize_raw_dict, optimize_fastcover_dict,
};
#[cfg(feature = "zstd")]
use structured_zstd::encoding::EncoderDictionary;

/// The identity of the next dictionary to be created.
#[cfg(feature = "zstd")]
static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(1);

#[cfg(feature = "zstd")]
type Parsed<T> = OnceLock<std::result::Result<T, String>>;

/// A dictionary and its parsed forms.
pub struct Dictionary {
    bytes: Vec<u8>,
    #[cfg(feature = "zstd")]
    identity: u64,
    #[cfg(feature = "zstd")]
    decoder: Parsed<DictionaryHandle>,
    #[cfg(feature = "zstd")]
    encoder: Parsed<EncoderDictionary>,
}

/// The method that builds a dictionary from samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DictionarySource {
    /// The samples are the dictionary.
    Samples,
    /// Zstandard's trainer selects content common to many samples and adds entropy tables.
    Trained,
    /// The samples become the content; entropy tables are added.
    Finalized,
}

impl Dictionary {
    /// A dictionary with the content of the block `rocksdb.compression_dict`.
    pub fn new(bytes: Vec<u8>) -> Dictionary {
        Dictionary {
            bytes,
            #[cfg(feature = "zstd")]
            identity: NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed),
            #[cfg(feature = "zstd")]
            decoder: OnceLock::new(),
            #[cfg(feature = "zstd")]
            encoder: OnceLock::new(),
        }
    }

    /// Builds a dictionary of at most `max_len` bytes from concatenated samples. Returns `None` if
    /// that is impossible: too few samples, or nothing in common.
    #[cfg_attr(
        not(feature = "zstd"),
        expect(unused_variables, reason = "only Zstandard trains and finalizes dictionaries")
    )]
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
                    FinalizeOptions { level: zstd_level(level), ..FinalizeOptions::default() };
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

    /// Returns a number that is unique among the dictionaries of this process and not zero.
    #[cfg(feature = "zstd")]
    pub(super) fn identity(&self) -> u64 {
        self.identity
    }

    /// The form for Zstandard's decoder.
    #[cfg(feature = "zstd")]
    pub(super) fn for_decoder(&self) -> Result<&DictionaryHandle> {
        let parse = DictionaryHandle::from_serialized_or_raw_content;
        let parsed = self.decoder.get_or_init(|| parse(&self.bytes).map_err(|e| e.to_string()));
        parsed.as_ref().map_err(|e| unusable(e))
    }

    /// The form for Zstandard's encoder.
    #[cfg(feature = "zstd")]
    pub(super) fn for_encoder(&self) -> Result<EncoderDictionary> {
        let parse = EncoderDictionary::from_serialized_or_raw_content;
        let parsed = self.encoder.get_or_init(|| parse(&self.bytes).map_err(|e| e.to_string()));
        parsed.clone().map_err(|e| unusable(&e))
    }
}

/// Returns the level that the library gets; RocksDB takes 3 for its default level.
#[cfg(feature = "zstd")]
pub(super) fn zstd_level(level: i32) -> i32 {
    if level == DEFAULT_LEVEL { 3 } else { level }
}

#[cfg(feature = "zstd")]
fn unusable(why: &str) -> Error {
    Error::corruption(format!("{} dictionary: {why}", CompressionType::Zstd.name()))
}
