//! Checks with many inputs: the fuzzer's targets, the soak of the codecs, and random blocks.
//!
//! This folder is part of tests, and of builds with `cfg(fuzzing)`, which only `tools/fuzz.sh` makes. It is not a cargo
//! feature, so that programs never see it.

#[cfg(all(test, feature = "zstd"))]
#[path = "samples_test.rs"]
pub(crate) mod samples;
#[cfg(all(test, feature = "lz4", feature = "zstd"))]
#[path = "soak_test.rs"]
mod soak;
#[cfg(all(feature = "lz4", feature = "zstd"))]
pub mod targets;
