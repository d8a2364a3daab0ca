//! Moves keys between a server's data and RDB files of Redis.
//!
//! Files in reading order: `progress` (how far it got), `sink` (where imported keys go), `directory` (a data
//! directory whose server is stopped), `remote` (a running server), `import`, `commands` (a key as commands), `export`,
//! `cli` (the subcommands).
//!
//! 1. An import writes each key whole or not at all. One that was interrupted is run again: with `--existing keep` it
//!    passes over what is there, with `--existing replace` it writes it anew.
//! 2. A file is read to its checksum before the first key is written, unless it is a pipe.
//! 3. Memory is bounded by one batch and one value.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

pub mod cli;
mod commands;
mod directory;
mod export;
mod import;
mod progress;
mod remote;
mod sink;

pub use commands::write_commands;
pub use directory::{Directory, DirectoryOptions};
pub use export::{Exported, export_commands, export_rdb};
pub use import::{check, import};
pub use progress::{Progress, Report, print_progress};
pub use remote::{Remote, RemoteOptions};
pub use sink::{Sink, Summary};
