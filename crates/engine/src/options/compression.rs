//! Settings of codecs.

/// Settings of a codec; names and defaults are RocksDB 10.10's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompressionOptions {
    /// zlib's window, a negative number means raw deflate.
    pub window_bits: i32,
    /// The codec's level; 32767 is its default.
    pub level: i32,
    /// zlib's strategy. Accepted, has no effect.
    pub strategy: i32,
    /// Bytes of dictionary per file, for the codecs that take one: Zlib, LZ4 and Zstandard. 0 for none.
    pub max_dict_bytes: u32,
    /// Bytes of samples from which a dictionary for Zstandard is made; 0 takes `max_dict_bytes` of
    /// samples as they are.
    pub zstd_max_train_bytes: u32,
    /// Threads that compress the blocks of one file. Accepted, has no effect.
    pub parallel_threads: u32,
    /// These settings replace those of the other levels; for the last level's alone.
    pub enabled: bool,
    /// Bytes of blocks that are held back to choose samples from; 0 for a whole file.
    pub max_dict_buffer_bytes: u64,
    /// Train a dictionary for Zstandard rather than add entropy tables to samples.
    pub use_zstd_dict_trainer: bool,
    /// A block is stored compressed if a KiB of it shrinks to this many bytes or fewer.
    pub max_compressed_bytes_per_kb: i32,
    /// Zstandard frames carry a checksum of their own, besides the block's.
    pub checksum: bool,
}

impl Default for CompressionOptions {
    fn default() -> CompressionOptions {
        CompressionOptions {
            window_bits: -14,
            level: 32767,
            strategy: 0,
            max_dict_bytes: 0,
            zstd_max_train_bytes: 0,
            parallel_threads: 1,
            enabled: false,
            max_dict_buffer_bytes: 0,
            use_zstd_dict_trainer: true,
            max_compressed_bytes_per_kb: 896,
            checksum: false,
        }
    }
}
