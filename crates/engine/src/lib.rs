//! Ferrolith: a log-structured storage engine that reads and writes RocksDB's files.
//!
//! The folders form one ordered list, which is also the order to read them in: a folder imports only
//! from those above it. `ARCHITECTURE.md` tells the five walks (write, read, flush, compaction,
//! recovery) file by file.

#![deny(unsafe_code)]

pub mod error;

pub mod base;
pub mod budget;
pub mod cache;
pub mod compress;
pub mod env;
pub mod fs;
pub mod hooks;
pub mod options;
pub mod stats;

pub mod batch;
pub mod iter;
pub mod memtable;
pub mod rangedel;
pub mod sst;
pub mod wal;

pub mod version;

pub mod compaction;
pub mod flush;
pub mod read;
pub mod write;

pub mod external;

pub mod db;
pub mod txn;

mod api;

pub use api::*;
pub use error::{Error, Result};

/// Compiles the program in README.md.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
