//! Pegasus's dialect of Thrift: primitives, messages, the frames of requests and replies, and the hash that assigns
//! rows to partitions. Pure functions over bytes; nothing here panics on foreign bytes.
//!
//! Files in reading order: `error`, `reader`, `value`, `name`, `request`, `response`, `meta`, `frame`, `native` (the
//! framing of the C++ client), `reply`, `partition_hash`.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

pub(crate) mod error;
pub mod frame;
pub mod meta;
mod name;
pub mod native;
mod partition_hash;
pub(crate) mod reader;
pub mod reply;
pub mod request;
pub mod response;
pub(crate) mod value;

pub(crate) use value::messages;

pub use error::{Malformed, Result};
pub use name::ErrorName;
pub use partition_hash::{partition_hash, partition_of};
pub use reader::{ELEMENTS_MAX, Reader};
pub use value::{Address, Blob, Gpid, HostPort, Value};

#[cfg(test)]
#[path = "mutation_test.rs"]
mod mutation_tests;
#[cfg(test)]
#[path = "value_test.rs"]
mod value_tests;
