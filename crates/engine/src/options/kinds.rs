//! Enumerations that options of several groups use. Numbers are RocksDB's.

use std::path::PathBuf;

/// The expected read frequency of a file. This engine does not use such hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Temperature {
    /// Not specified.
    #[default]
    Unknown = 0,
    /// Read constantly.
    Hot = 0x04,
    /// Read often.
    Warm = 0x08,
    /// Read occasionally.
    Cool = 0x0a,
    /// Read rarely.
    Cold = 0x0c,
    /// Read almost never.
    Ice = 0x10,
}

/// The severity of lines in LOG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum InfoLogLevel {
    /// Everything.
    Debug = 0,
    /// Normal events.
    #[default]
    Info = 1,
    /// Possible problems.
    Warn = 2,
    /// Errors.
    Error = 3,
    /// Errors that end the process.
    Fatal = 4,
    /// The header of every LOG.
    Header = 5,
}

/// The lowest cache tier in use.
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

/// A directory for tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbPath {
    /// The directory.
    pub path: PathBuf,
    /// The total size of tables in bytes at which the next directory is used.
    pub target_size: u64,
}
