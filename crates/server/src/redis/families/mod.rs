//! The handlers, one file per family of commands.

pub(super) mod admin;
pub(super) mod connection;
pub(super) mod help;
pub(super) mod keys;
pub(super) mod strings;
