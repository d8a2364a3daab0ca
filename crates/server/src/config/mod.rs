//! Flags, variables of the environment and the configuration file: one schema.

mod environment;
mod explain;
mod file;
mod flags;
mod logs;
mod machine;
mod pegasus;
mod redis;
mod tls;

pub use environment::{PREFIX, Variables, variable};
pub use explain::{Derived, Setting, derived, page, settings};
pub use file::{Gathered, Source};
pub use flags::Flags;
pub use logs::LogFlags;
pub use machine::{Machine, Problem};
pub use pegasus::PegasusFlags;
pub use redis::RedisFlags;
pub use tls::{ReplicaTlsFlags, TlsFlags};
