//! Flags and the configuration file; starting and stopping.

mod file;
mod flags;
mod pegasus;
mod redis;

pub use flags::Flags;
pub use pegasus::PegasusFlags;
pub use redis::RedisFlags;
