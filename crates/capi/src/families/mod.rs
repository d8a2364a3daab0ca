//! The functions, one file per handle.

mod batch;
mod batch_wi;
mod batch_wi_read;
mod compact;
mod db;
mod hooks;
mod iterator;
mod options;
mod read;
mod snapshot;
mod write;

pub(crate) use batch::rocksdb_writebatch_t;
pub(crate) use db::{rocksdb_column_family_handle_t, rocksdb_t};
pub(crate) use hooks::rocksdb_comparator_t;
pub(crate) use options::{
    rocksdb_flushoptions_t, rocksdb_options_t, rocksdb_readoptions_t, rocksdb_writeoptions_t,
};
