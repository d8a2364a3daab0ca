//! What a simulator or model checker replaces: locks, atomics, threads, time.

pub mod epoch;
pub mod live;
pub mod mapping;
pub mod sync;
