//! Flags and the configuration file; starting and stopping.

mod pegasus;
mod redis;

pub use pegasus::PegasusFlags;
pub use redis::RedisFlags;
