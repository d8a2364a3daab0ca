//! What holds for every input of the server's decoders.
//!
//! The fuzzer (`fuzz/src/main.rs`) runs these targets, and so does an integration test of the server, with seeds,
//! mutations of them, and the inputs in `fuzz/found`. A target panics if what it checks does not hold.

mod bridge;
mod dump;
mod lua;
mod pegasus;
mod rdsn;
mod resp;
mod source;
mod thrift;

/// A decoder, or several that belong together.
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
        name: "resp",
        run: resp::run,
        seeds: resp::seeds,
        memory_base: 64 << 10,
        memory_per_byte: 256,
    },
    Target {
        name: "thrift",
        run: thrift::run,
        seeds: thrift::seeds,
        memory_base: 64 << 10,
        memory_per_byte: 4096,
    },
    Target {
        name: "rdsn",
        run: rdsn::run,
        seeds: rdsn::seeds,
        memory_base: 64 << 10,
        memory_per_byte: 4096,
    },
    Target {
        name: "pegasus",
        run: pegasus::run,
        seeds: pegasus::seeds,
        // The engine's threads allocate meanwhile.
        memory_base: 64 << 20,
        memory_per_byte: 4096,
    },
    Target {
        name: "dump",
        run: dump::run,
        seeds: dump::seeds,
        memory_base: 16 * dump::MEMORY_MAX,
        memory_per_byte: 256,
    },
    Target {
        name: "bridge",
        run: bridge::run,
        seeds: bridge::seeds,
        memory_base: 8 * lua::MEMORY_MAX,
        memory_per_byte: 256,
    },
    Target {
        name: "source",
        run: source::run,
        seeds: source::seeds,
        memory_base: 8 * lua::MEMORY_MAX,
        memory_per_byte: 1024,
    },
];
