//! Settings of codecs.

use super::registry::options;

options! {
    /// Settings of a codec; names and defaults are RocksDB 10.10's.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    CompressionOptions {
        /// Zstandard frames carry a checksum of their own, besides the block's.
        checksum: bool = false => honoured().written_when_set();
        /// Bytes of blocks that are held back to choose samples from; 0 for a whole file.
        max_dict_buffer_bytes: u64 = 0 => honoured().log(8);
        /// These settings replace those of the other levels; for the last level's alone.
        enabled: bool = false => honoured().log_words(17);
        /// Bytes of dictionary per file, for the codecs that take one: Zlib, LZ4 and Zstandard. 0 for none.
        max_dict_bytes: u32 = 0 => honoured().log(8);
        /// A block is stored compressed if a KiB of it shrinks to this many bytes or fewer.
        max_compressed_bytes_per_kb: i32 = 896 => honoured().written_when_set();
        /// Threads that compress the blocks of one file. Accepted, has no effect.
        parallel_threads: u32 = 1 => accepted().log(8);
        /// Bytes of samples from which a dictionary for Zstandard is made; 0 takes `max_dict_bytes` of
        /// samples as they are.
        zstd_max_train_bytes: u32 = 0 => honoured().log(8);
        /// The codec's level; 32767 is its default.
        level: i32 = 32767 => honoured().log(17);
        /// Train a dictionary for Zstandard rather than add entropy tables to samples.
        use_zstd_dict_trainer: bool = true => honoured().log_words(8);
        /// zlib's strategy. Accepted, has no effect.
        strategy: i32 = 0 => accepted().log(14);
        /// zlib's window, a negative number means raw deflate.
        window_bits: i32 = -14 => honoured().log(11);
    }
}
