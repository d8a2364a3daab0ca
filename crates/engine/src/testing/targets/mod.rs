//! What holds for every input of the engine's own decoders and encoders, and of its readers of tables.
//!
//! The fuzzer (`tools/fuzz.sh`) runs these targets, and so do unit tests, with seeds, mutations of them, and the inputs
//! in `fuzz/found`. A target panics if a check fails.

mod codecs;
mod tables;

#[cfg(test)]
#[path = "targets_test.rs"]
mod tests;

/// A decoder or an encoder, or several that belong together.
#[derive(Debug)]
pub struct Target {
    /// Its name, and the name of the folder of found inputs.
    pub name: &'static str,
    /// Checks one input.
    pub run: fn(&[u8]),
    /// Returns inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// The memory that an input may take, in bytes: a base, and a multiple of its length.
    pub memory_base: usize,
    /// The multiple.
    pub memory_per_byte: usize,
}

/// Every target.
pub const ALL: &[Target] = &[
    Target {
        name: "zstd",
        run: codecs::zstd,
        seeds: codecs::zstd_seeds,
        memory_base: 8 << 20,
        memory_per_byte: 256,
    },
    Target {
        name: "lz4",
        run: codecs::lz4,
        seeds: codecs::lz4_seeds,
        memory_base: 1 << 20,
        memory_per_byte: 256,
    },
    Target {
        name: "encoders",
        run: codecs::encoders,
        seeds: codecs::encoder_seeds,
        memory_base: 16 << 20,
        memory_per_byte: 256,
    },
    Target {
        name: "tables",
        run: tables::run,
        seeds: tables::seeds,
        memory_base: 16 << 20,
        // A frame of Zstandard may be as much shorter than its content.
        memory_per_byte: 64 << 10,
    },
];
