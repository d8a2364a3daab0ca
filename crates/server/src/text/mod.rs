//! Value rules of Redis that are pure functions over bytes: patterns, numbers, ranges, hash slots, LZF and CRC-64.
//!
//! Nothing here does I/O. Foreign bytes never panic, and memory is bounded by the limit that each function names.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

pub mod crc64;
pub mod double;
pub mod glob;
pub mod integer;
pub mod long_double;
pub mod lzf;
pub mod range;
mod scan;
pub mod slot;

#[cfg(test)]
mod redis_test;
