//! Redis: the command table, the evaluation of commands, and one file per family of commands.
//!
//! Files in reading order:
//!
//! 1. Parts: `acl` (users and their rights), `failure`, `args`, `keyspec`, `databases`, `clients`, `watches`,
//!    `waiters`, `cursors`, `parameters`, `stats`, `slowlog`, `latency`, `monitors`, `pause`, `running` (scripts),
//!    `ranks` (numbers of rows).
//! 2. `session` (state of a connection), `effects` (what follows a commit), `server` (what all connections share),
//!    `pubsub` (subscriptions and messages), `tracking` (keys that clients cache).
//! 3. `context` (what a handler sees), `values` (keys and collections as rows), `copies` (large values), `string_value`
//!    (strings in both encodings), `members` (sets), `keyspace` (walks over all keys), `scanning` (SCAN of keys and of
//!    collections), `sample` (random elements).
//! 4. `command` (the description of a command), `table` (all of them).
//! 5. `execute` (one command from its checks to its effects), `group` (commands of a pipeline), `rights` (checks of
//!    users), `observe` (statistics, logs and monitors), `transactions` (MULTI), `wake` (blocked clients), `expired`
//!    (events), `detached` (requests with scripts that run long), `encryption` (parameters of TLS), `rewrite` (CONFIG
//!    REWRITE), `entries` (whole keys that are imported and exported), `replica` (following a running Redis).
//! 6. `families`: the handlers.
//!
//! How a command runs: [`Server::execute`] finds it in the table, takes the latches of its keys, and calls its handler
//! with a [`Context`]. The handler reads rows, replies, and collects writes. The writes are committed as one batch
//! before the latches are released. A handler checks all its arguments and values before its first write, since what
//! it wrote before it failed is discarded.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

pub mod acl;
pub mod args;
mod auditing;
pub mod clients;
pub mod command;
pub mod context;
mod copies;
pub mod cursors;
pub mod databases;
pub mod detached;
pub mod effects;
pub mod encryption;
pub mod entries;
mod execute;
pub mod expired;
pub mod failure;
mod families;
pub(crate) mod foreign;
mod group;
pub mod keyspace;
pub mod keyspec;
pub mod latency;
pub mod members;
pub mod monitors;
mod observe;
pub mod parameters;
pub mod pause;
pub mod pubsub;
pub mod ranks;
pub mod replica;
mod rewrite;
mod rights;
pub mod running;
mod sample;
pub mod scanning;
pub mod scripts;
pub mod server;
pub mod session;
pub mod slowlog;
pub mod stats;
pub mod string_value;
pub mod table;
pub mod tracking;
mod transactions;
pub mod values;
pub mod waiters;
mod wake;
pub mod watches;

/// Parts of commands that other folders use: those that do not depend on the format of rows, and the process's memory.
pub(crate) mod shared {
    pub(crate) use super::families::admin::process::Memory as ProcessMemory;
    pub(crate) use super::families::expiry::{Base, Expire, Unit, time_left};
    pub(crate) use super::families::hashes::expiry as fields;
    pub(crate) use super::families::strings::{SetOptions, expiry, resolve};
}

pub use context::{Context, write_timeout};
pub use execute::{Next, Worker};
pub use server::Server;
pub use session::Session;
