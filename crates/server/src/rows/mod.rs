//! The bytes of rows of Redis and Pegasus tables.

pub mod pegasus;
pub mod redis;
