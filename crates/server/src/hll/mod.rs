//! HyperLogLog in Redis's bytes.
