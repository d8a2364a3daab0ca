//! What lies below every other part of the engine and depends on more than its input: clocks, threads, chance, locks
//! and atomics (loom's under its model checker), and memory from the operating system; and what is built from these:
//! epochs and sharded references. No other folder asks `std` for them.

pub mod clock;
pub mod epoch;
pub mod live;
pub mod lock_rank;
pub mod mapping;
pub mod random;
pub mod sharded;
pub mod sync;
mod thread_number;
pub mod threads;

pub use thread_number::thread_number;
