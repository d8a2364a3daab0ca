//! Flags and the configuration file; starting and stopping.

mod file;
mod flags;
mod pegasus;
mod redis;
mod tls;

pub use flags::Flags;
pub use pegasus::PegasusFlags;
pub use redis::RedisFlags;
pub use tls::TlsFlags;
