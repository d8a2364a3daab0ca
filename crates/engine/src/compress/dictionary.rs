//! Compression dictionaries: the common content of a file's blocks, stored once.
//!
//! A file's block `rocksdb.compression_dict` holds the bytes: a Zstandard dictionary with entropy
//! tables, recognised by its magic number, or raw content. Deflate and LZ4 take any bytes as raw
//! content.
//!
//! Thread safety: a dictionary is shared by all readers of a file; its parsed forms
//! for Zstandard are created once, when first needed.

#[cfg(any(feature = "zstd", feature = "zstd-c"))]
use super::zstd;

/// A dictionary and its parsed forms.
pub struct Dictionary {
    bytes: Vec<u8>,
    #[cfg(any(feature = "zstd", feature = "zstd-c"))]
    forms: zstd::Forms,
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
            #[cfg(any(feature = "zstd", feature = "zstd-c"))]
            forms: zstd::Forms::new(),
        }
    }

    /// Builds a dictionary of at most `max_len` bytes from concatenated samples. Returns `None` if
    /// that is impossible: too few samples, or nothing in common.
    #[cfg_attr(
        not(any(feature = "zstd", feature = "zstd-c")),
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
            #[cfg(any(feature = "zstd", feature = "zstd-c"))]
            DictionarySource::Trained => zstd::train(samples, lengths, max_len)?,
            #[cfg(any(feature = "zstd", feature = "zstd-c"))]
            DictionarySource::Finalized => zstd::finalize(head, samples, lengths, max_len, level)?,
            #[cfg(not(any(feature = "zstd", feature = "zstd-c")))]
            DictionarySource::Trained | DictionarySource::Finalized => return None,
        };
        (!bytes.is_empty()).then(|| Dictionary::new(bytes))
    }

    /// The raw bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The dictionary as Zstandard's codecs take it.
    #[cfg(any(feature = "zstd", feature = "zstd-c"))]
    pub(super) fn for_zstd(&self) -> zstd::Prepared<'_> {
        zstd::Prepared { bytes: &self.bytes, forms: &self.forms }
    }
}
