//! The handlers, one file per family of commands.

pub(super) mod admin;
pub(super) mod connection;
pub(super) mod geo;
pub(super) mod hashes;
pub(super) mod help;
pub(super) mod keys;
pub(super) mod sorted_sets;
pub(super) mod strings;
