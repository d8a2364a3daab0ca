//! Clients of servers: the operations of YCSB and of the Pegasus suite over a network.
//!
//! | File | Content |
//! |---|---|
//! | `address` | `redis://HOST:PORT` and `pegasus://HOST:PORT/TABLE` |
//! | `arguments` | what a command line says about servers |
//! | `connections` | the command that measures idle connections |
//! | `wakeups` | the command that measures blocked clients |
//! | `socket` | a connection with its buffers |
//! | `flights` | operations whose replies have not all arrived |
//! | `resp` | requests and replies of Redis's protocol |
//! | `redis` | the client of a Redis server |
//! | `pegasus` | the client of a Pegasus server |
//! | `server` | a server that answers, and its process |
//!
//! A thread has one connection. A client buffers requests and sends them when it waits for a reply, so that all
//! requests that were begun together are sent together.

mod address;
pub mod arguments;
pub mod connections;
mod flights;
#[cfg(feature = "pegasus")]
mod pegasus;
mod redis;
mod resp;
mod server;
mod socket;
pub mod wakeups;

pub use address::{Address, Protocol};
pub use server::{Server, ServerChoice, costs};

/// What a record is on the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The fields of a record are stored one by one, as YCSB's clients of these servers store them.
    Fields,
    /// A record is one value. A key may be a hash key, `:` and a sort key.
    Whole,
}

/// Splits the key of a row into hash key and sort key.
fn split(key: &[u8]) -> (&[u8], &[u8]) {
    let at = key.iter().rposition(|byte| *byte == b':');
    at.map_or((key, &[][..]), |at| (&key[..at], &key[at + 1..]))
}

#[cfg(test)]
#[path = "remote_test.rs"]
mod tests;
