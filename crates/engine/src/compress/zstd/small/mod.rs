//! Zstandard frames of small blocks: content of at most 128 KiB whose size is in the header, and no dictionary.
//!
//! The format is that of RFC 8878; names are those of the RFC.

mod codes;
mod encode;

pub(super) use encode::compress;
