//! What a simulator or model checker replaces: locks, atomics, threads, time.

pub mod epoch;
pub mod live;
pub mod sync;
