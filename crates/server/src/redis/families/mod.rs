//! The handlers, one file per family of commands.

pub(super) mod admin;
pub(super) mod bitmaps;
pub(super) mod connection;
pub(super) mod dump;
pub(super) mod expiry;
pub(super) mod geo;
pub(super) mod hashes;
pub(super) mod help;
pub(super) mod hyperloglog;
pub(super) mod keys;
pub(super) mod keyspace;
pub(super) mod lists;
pub(super) mod migrate;
pub(super) mod object;
pub(super) mod pubsub;
pub(super) mod scripting;
pub(super) mod sets;
pub(super) mod sort;
pub(super) mod sorted_sets;
pub(super) mod streams;
pub(super) mod strings;
pub(super) mod waits;
