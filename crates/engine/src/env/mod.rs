//! What a simulator or model checker replaces: locks, atomics, threads, time.

pub mod sync;
