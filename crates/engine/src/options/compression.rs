//! Codec options.

use super::registry::options;

options! {
    /// Settings of a codec; names and defaults are RocksDB 10.10's.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    CompressionOptions {
        /// Add a checksum to each Zstandard frame, besides the block's checksum.
        checksum: bool = false => honoured().written_when_set();
        /// Bytes of blocks that are buffered to choose samples from; 0 means a whole file.
        max_dict_buffer_bytes: u64 = 0 => honoured().log(8);
        /// Use these settings instead of those of other levels. Applies only to the settings of the last level.
        enabled: bool = false => honoured().log_words(17);
        /// Maximum dictionary size per file in bytes, for codecs that support dictionaries: Zlib, LZ4 and Zstandard. 0
        /// means no dictionary.
        max_dict_bytes: u32 = 0 => honoured().log(8);
        /// A block is stored compressed if a KiB of it shrinks to this many bytes or fewer.
        max_compressed_bytes_per_kb: i32 = 896 => honoured().written_when_set();
        /// The number of threads that compress the blocks of one file. Accepted, has no effect.
        parallel_threads: u32 = 1 => accepted().log(8);
        /// Bytes of samples for training a Zstandard dictionary; 0 uses `max_dict_bytes` of samples without training.
        zstd_max_train_bytes: u32 = 0 => honoured().log(8);
        /// The compression level; 32767 means the codec's default.
        level: i32 = 32767 => honoured().log(17);
        /// Train a Zstandard dictionary, rather than add entropy tables to samples.
        use_zstd_dict_trainer: bool = true => honoured().log_words(8);
        /// zlib's strategy. Accepted, has no effect.
        strategy: i32 = 0 => accepted().log(14);
        /// zlib's window bits; a negative number means raw deflate.
        window_bits: i32 = -14 => honoured().log(11);
    }
}
