//! Opening and closing a database: checks, the MANIFEST, replay of WALs, and assembling the owners.

mod assemble;
mod builder;
mod checks;
mod close;
mod core;
mod descriptor;
mod host;
mod log_header;
#[allow(clippy::module_inception)]
mod open;
mod opening;
mod options_file;
mod read_only;
mod recover;
#[cfg(debug_assertions)]
mod tree_check;

pub(crate) use checks::{
    check_family, file_system, give_block_cache, make_data_paths, open_info_log, remove_files,
    validate, wal_directory,
};
pub(crate) use core::Core;
pub(crate) use descriptor::not_found;
pub use descriptor::{ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY};
pub(crate) use log_header::{keep_family, log_family};
pub(crate) use open::open;
#[cfg(test)]
pub(crate) use open::open_without_threads;
pub(crate) use read_only::open_read_only;
