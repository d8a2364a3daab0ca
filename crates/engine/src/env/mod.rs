//! What a simulator or model checker replaces: locks, atomics, threads, time.

pub mod epoch;
pub mod live;
pub mod mapping;
pub mod parted;
pub mod sync;
mod thread_number;

pub use thread_number::thread_number;
