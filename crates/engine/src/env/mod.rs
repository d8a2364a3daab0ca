//! What lies below every other part of the engine: locks and atomics (loom's under its model checker), epochs, counters
//! in parts, the start of threads, and memory from the operating system. Clocks come straight from `std`.

pub mod epoch;
pub mod live;
pub mod mapping;
pub mod sharded;
pub mod sync;
mod thread_number;
pub mod threads;

pub use thread_number::thread_number;
