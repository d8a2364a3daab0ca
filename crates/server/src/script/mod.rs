//! Scripts: an interpreter of Lua 5.1 with Redis's libraries, behind a seam to the server.
//!
//! [`Engine`] belongs to one worker and runs scripts on its thread; it needs [`STACK_BYTES`] of stack. A script reaches
//! the server only through [`Host`]. [`ScriptCache`] and [`Libraries`] are data that all workers share; each worker
//! compiles what it runs. The interpreter is the crate `rilua`; docs/decisions/0016-lua.md says why.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod api;
mod base;
mod bit;
mod engine;
mod failure;
mod flags;
mod format;
mod host;
mod json;
mod library;
mod library_api;
mod msgpack;
mod pattern;
mod random;
mod run;
mod sandbox;
mod search;
mod sha;
mod shebang;
mod source;
mod strings;
mod structs;
mod syntax;
mod to_lua;
mod to_reply;
mod value;

pub use api::REDIS_VERSION;
pub use engine::{Engine, STACK_BYTES, library_name};
pub use flags::Flags;
pub use host::{Host, Interrupt, Limits, LogLevel};
pub use library::{Function, Libraries, Library};
pub use sha::hex as sha1_hex;
pub use source::{Script, ScriptCache};

#[cfg(test)]
mod engine_test;
#[cfg(test)]
mod hostile_test;
#[cfg(test)]
mod redis_test;
#[cfg(test)]
mod testing;
