//! Zstandard frames of small blocks: content of at most 128 KiB whose size is in the header, and no dictionary.
//!
//! Table blocks are such frames. They are so small that fixed costs count as much as the speed per byte, so this codec
//! keeps its tables and buffers per thread, clears nothing that is written anyway, and builds the format's default
//! tables when it is compiled. Frames of other kinds are not an error: the caller passes them to the crate
//! `structured-zstd`.
//!
//! The format is that of RFC 8878; names are those of the RFC.

#[cfg(any(test, fuzzing))]
pub mod checks;
mod codes;
mod decode;
mod encode;

pub(super) use decode::decompress;
pub(super) use encode::compress;
