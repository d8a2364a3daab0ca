//! The C functions, one file per handle type.

mod backup;
mod batch;
mod batch_wi;
mod batch_wi_read;
mod budget;
mod cache;
pub(crate) mod checkpoint;
mod compact;
mod compaction_filter;
mod compaction_options;
pub(crate) mod db;
mod env;
mod external;
mod hooks;
pub(crate) mod iterator;
pub(crate) mod job_info;
mod listener;
mod live_files;
mod logger;
mod memory;
mod metadata;
mod open_modes;
mod optimistic_db;
mod options;
mod options_text;
mod perf;
pub(crate) mod property;
pub(crate) mod read;
mod read_options;
pub(crate) mod snapshot;
mod statistics;
mod table_options;
mod transaction;
mod transaction_db;
mod transaction_options;
mod transaction_read;
mod tuned_options;
mod wal_iterator;
pub(crate) mod write;

pub(crate) use backup::rocksdb_backup_engine_options_t;
pub(crate) use batch::rocksdb_writebatch_t;
pub(crate) use cache::{
    rocksdb_cache_t, rocksdb_hyper_clock_cache_options_t, rocksdb_lru_cache_options_t,
};
pub(crate) use checkpoint::rocksdb_import_column_family_options_t;
pub(crate) use compact::rocksdb_wait_for_compact_options_t;
pub(crate) use compaction_filter::{rocksdb_compactionfilter_t, rocksdb_compactionfiltercontext_t};
pub(crate) use compaction_options::{
    rocksdb_compactoptions_t, rocksdb_fifo_compaction_options_t,
    rocksdb_universal_compaction_options_t,
};
pub(crate) use db::{rocksdb_column_family_handle_t, rocksdb_t};
pub(crate) use external::rocksdb_ingestexternalfileoptions_t;
pub(crate) use hooks::rocksdb_comparator_t;
pub(crate) use optimistic_db::rocksdb_optimistictransactiondb_t;
pub(crate) use options::{
    rocksdb_flushoptions_t, rocksdb_options_t, rocksdb_readoptions_t, rocksdb_writeoptions_t,
};
pub(crate) use statistics::rocksdb_statistics_histogram_data_t;
pub(crate) use table_options::{
    rocksdb_block_based_table_options_t, rocksdb_cuckoo_table_options_t,
};
pub(crate) use transaction_db::rocksdb_transactiondb_t;
pub(crate) use transaction_options::{
    rocksdb_optimistictransaction_options_t, rocksdb_transaction_options_t,
    rocksdb_transactiondb_options_t,
};
