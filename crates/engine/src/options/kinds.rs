//! Closed sets of values that options of several groups have. Numbers are RocksDB's.

use std::path::PathBuf;

/// How often a file is expected to be read. Files have no such hints here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Temperature {
    /// Nobody said.
    #[default]
    Unknown = 0,
    /// All the time.
    Hot = 0x04,
    /// Often.
    Warm = 0x08,
    /// Now and then.
    Cool = 0x0a,
    /// Seldom.
    Cold = 0x0c,
    /// Hardly ever.
    Ice = 0x10,
}

/// What goes into LOG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum InfoLogLevel {
    /// Everything.
    Debug = 0,
    /// What is normal, and what is worse.
    #[default]
    Info = 1,
    /// What may be wrong.
    Warn = 2,
    /// What went wrong.
    Error = 3,
    /// What ends the process.
    Fatal = 4,
    /// What stands at the head of every LOG.
    Header = 5,
}

/// The slowest tier of caches that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
#[allow(clippy::enum_variant_names)] // RocksDB's names.
pub enum CacheTier {
    /// Memory.
    VolatileTier = 0,
    /// Memory, compressed.
    VolatileCompressedTier = 1,
    /// Storage.
    #[default]
    NonVolatileBlockTier = 2,
}

/// A place for tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbPath {
    /// The directory.
    pub path: PathBuf,
    /// Bytes of tables from which the next place is used.
    pub target_size: u64,
}
