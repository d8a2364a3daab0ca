//! The lowest layer of the engine, for everything that depends on more than its input: clocks, threads, randomness,
//! locks and atomics (loom's under its model checker), and memory from the operating system; and the mechanisms built
//! from these: epochs, sharded references, work done ahead, and reading threads. No other folder uses `std` for them.

pub mod ahead;
pub mod clock;
pub mod epoch;
mod epoch_slots;
pub mod io_pool;
pub mod live;
pub mod lock_rank;
pub mod mapping;
pub mod random;
pub mod sharded;
pub mod sync;
mod thread_number;
pub mod threads;

pub use thread_number::thread_number;
