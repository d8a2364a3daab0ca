//! Codecs behind one enum.

/// The codec of a block. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum CompressionType {
    /// Stored as it is.
    #[default]
    None = 0,
    /// Snappy.
    Snappy = 1,
    /// Raw deflate.
    Zlib = 2,
    /// bzip2: named, neither read nor written.
    Bzip2 = 3,
    /// LZ4 blocks.
    Lz4 = 4,
    /// LZ4 blocks compressed harder.
    Lz4hc = 5,
    /// Windows only: named, neither read nor written.
    Xpress = 6,
    /// Zstandard frames.
    Zstd = 7,
}
