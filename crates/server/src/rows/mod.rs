//! The bytes of rows of Redis and Pegasus tables.

pub mod hash;
pub mod pegasus;
pub mod redis;
pub mod sorted_set;
