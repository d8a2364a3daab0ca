//! The functions of `rocksdb/c.h` that the benchmark calls, found in a library at run time.
//!
//! Argument lists are those of RocksDB 10.10.1. A function that every engine needs must exist; an option's setter may
//! be missing, which is then reported.
#![allow(unsafe_code)]
#![allow(non_snake_case)] // the functions keep the names they have in C

use super::symbols::symbols;
use std::ffi::{c_char, c_int, c_uchar, c_void};

/// An opaque object of the library.
pub(super) type Object = *mut c_void;

/// A piece of memory of the library, returned by value.
#[repr(C)]
pub(super) struct Slice {
    pub(super) data: *const c_char,
    pub(super) size: usize,
}

type Errors = *mut *mut c_char;
type Text = *const c_char;

symbols! {
    prefix "rocksdb_";
    required {
        options_create: fn() -> Object;
        options_destroy: fn(Object);
        options_set_create_if_missing: fn(Object, c_uchar);
        open: fn(Object, Text, Errors) -> Object;
        open_for_read_only: fn(Object, Text, c_uchar, Errors) -> Object;
        close: fn(Object);
        writeoptions_create: fn() -> Object;
        writeoptions_destroy: fn(Object);
        writeoptions_set_sync: fn(Object, c_uchar);
        writeoptions_disable_WAL: fn(Object, c_int);
        readoptions_create: fn() -> Object;
        readoptions_destroy: fn(Object);
        readoptions_set_verify_checksums: fn(Object, c_uchar);
        put: fn(Object, Object, Text, usize, Text, usize, Errors);
        merge: fn(Object, Object, Text, usize, Text, usize, Errors);
        delete: fn(Object, Object, Text, usize, Errors);
        write: fn(Object, Object, Object, Errors);
        writebatch_create: fn() -> Object;
        writebatch_destroy: fn(Object);
        writebatch_clear: fn(Object);
        writebatch_put: fn(Object, Text, usize, Text, usize);
        writebatch_delete: fn(Object, Text, usize);
        get_pinned: fn(Object, Object, Text, usize, Errors) -> Object;
        pinnableslice_value: fn(Object, *mut usize) -> Text;
        pinnableslice_destroy: fn(Object);
        create_iterator: fn(Object, Object) -> Object;
        iter_destroy: fn(Object);
        iter_valid: fn(Object) -> c_uchar;
        iter_seek: fn(Object, Text, usize);
        iter_seek_to_first: fn(Object);
        iter_seek_to_last: fn(Object);
        iter_next: fn(Object);
        iter_prev: fn(Object);
        iter_key: fn(Object, *mut usize) -> Text;
        iter_value: fn(Object, *mut usize) -> Text;
        iter_get_error: fn(Object, Errors);
        property_value: fn(Object, Text) -> *mut c_char;
        compact_range: fn(Object, Text, usize, Text, usize);
        flushoptions_create: fn() -> Object;
        flushoptions_destroy: fn(Object);
        flush: fn(Object, Object, Errors);
        free: fn(*mut c_void);
    }
    optional {
        get_into_buffer: fn(Object, Object, Text, usize, *mut c_char, usize, *mut usize, *mut c_uchar, Errors) -> c_uchar;
        iter_key_slice: fn(Object) -> Slice;
        iter_value_slice: fn(Object) -> Slice;
        get_default_column_family_handle: fn(Object) -> Object;
        batched_multi_get_cf: fn(Object, Object, Object, usize, *const Text, *const usize, *mut Object, *mut *mut c_char, bool);
        get_options_from_string: fn(Object, Text, Object, Errors);
        wait_for_compact: fn(Object, Object, Errors);
        wait_for_compact_options_create: fn() -> Object;
        wait_for_compact_options_destroy: fn(Object);
        compact_range_opt: fn(Object, Object, Text, usize, Text, usize);
        compactoptions_create: fn() -> Object;
        compactoptions_destroy: fn(Object);
        compactoptions_set_bottommost_level_compaction: fn(Object, c_uchar);
        compactoptions_set_max_subcompactions: fn(Object, c_int);
        options_statistics_get_string: fn(Object) -> *mut c_char;
        options_enable_statistics: fn(Object);
        options_set_ratelimiter: fn(Object, Object);
        ratelimiter_create_with_mode: fn(i64, i64, i32, c_int, c_uchar) -> Object;
        options_set_row_cache: fn(Object, Object);
        cache_create_lru: fn(usize) -> Object;
        options_set_statistics_level: fn(Object, c_int);
        readoptions_set_total_order_seek: fn(Object, c_uchar);
        readoptions_set_prefix_same_as_start: fn(Object, c_uchar);
        readoptions_set_tailing: fn(Object, c_uchar);
        readoptions_set_async_io: fn(Object, c_uchar);
        readoptions_set_auto_readahead_size: fn(Object, c_uchar);
        open_column_families: fn(Object, Text, c_int, *const Text, *const Object, *mut Object, Errors) -> Object;
        open_for_read_only_column_families: fn(Object, Text, c_int, *const Text, *const Object, *mut Object, c_uchar, Errors) -> Object;
        options_set_create_missing_column_families: fn(Object, c_uchar);
        column_family_handle_destroy: fn(Object);
        put_cf: fn(Object, Object, Object, Text, usize, Text, usize, Errors);
        merge_cf: fn(Object, Object, Object, Text, usize, Text, usize, Errors);
        delete_cf: fn(Object, Object, Object, Text, usize, Errors);
        get_pinned_cf: fn(Object, Object, Object, Text, usize, Errors) -> Object;
        writebatch_put_cf: fn(Object, Object, Text, usize, Text, usize);
        writebatch_delete_cf: fn(Object, Object, Text, usize);
        create_iterator_cf: fn(Object, Object, Object) -> Object;
        flush_cf: fn(Object, Object, Object, Errors);
        compact_range_cf_opt: fn(Object, Object, Object, Text, usize, Text, usize);
        create_snapshot: fn(Object) -> Object;
        release_snapshot: fn(Object, Object);
        readoptions_set_snapshot: fn(Object, Object);
        approximate_sizes_cf: fn(Object, Object, c_int, *const Text, *const usize, *const Text, *const usize, *mut u64, Errors);
        logger_create_stderr_logger: fn(c_int, Text) -> Object;
        options_set_info_log: fn(Object, Object);
        write_buffer_manager_create_with_cache: fn(usize, Object, bool) -> Object;
        options_set_write_buffer_manager: fn(Object, Object);
        create_default_env: fn() -> Object;
        backup_engine_options_create: fn(Text) -> Object;
        backup_engine_options_set_backup_rate_limit: fn(Object, u64);
        backup_engine_options_set_restore_rate_limit: fn(Object, u64);
        backup_engine_options_destroy: fn(Object);
        backup_engine_open_opts: fn(Object, Object, Errors) -> Object;
        backup_engine_create_new_backup_flush: fn(Object, Object, c_uchar, Errors);
        backup_engine_restore_db_from_latest_backup: fn(Object, Text, Text, Object, Errors);
        backup_engine_close: fn(Object);
        restore_options_create: fn() -> Object;
        restore_options_destroy: fn(Object);
        transactiondb_options_create: fn() -> Object;
        transactiondb_open: fn(Object, Object, Text, Errors) -> Object;
        transactiondb_get_base_db: fn(Object) -> Object;
        transactiondb_close_base_db: fn(Object);
        transactiondb_close: fn(Object);
        transactiondb_put: fn(Object, Object, Text, usize, Text, usize, Errors);
        transactiondb_merge: fn(Object, Object, Text, usize, Text, usize, Errors);
        transactiondb_delete: fn(Object, Object, Text, usize, Errors);
        transactiondb_write: fn(Object, Object, Object, Errors);
        transaction_options_create: fn() -> Object;
        transaction_options_destroy: fn(Object);
        transaction_options_set_set_snapshot: fn(Object, c_uchar);
        transaction_options_set_lock_timeout: fn(Object, i64);
        transaction_begin: fn(Object, Object, Object, Object) -> Object;
        transaction_destroy: fn(Object);
        transaction_get_snapshot: fn(Object) -> Object;
        transaction_get: fn(Object, Object, Text, usize, *mut usize, Errors) -> *mut c_char;
        transaction_get_for_update: fn(Object, Object, Text, usize, *mut usize, c_uchar, Errors) -> *mut c_char;
        transaction_put: fn(Object, Text, usize, Text, usize, Errors);
        transaction_delete: fn(Object, Text, usize, Errors);
        transaction_set_name: fn(Object, Text, usize, Errors);
        transaction_prepare: fn(Object, Errors);
        transaction_commit: fn(Object, Errors);
        transaction_rollback: fn(Object, Errors);
        optimistictransactiondb_open: fn(Object, Text, Errors) -> Object;
        optimistictransactiondb_get_base_db: fn(Object) -> Object;
        optimistictransactiondb_close_base_db: fn(Object);
        optimistictransactiondb_close: fn(Object);
        optimistictransaction_options_create: fn() -> Object;
        optimistictransaction_options_destroy: fn(Object);
        optimistictransaction_options_set_set_snapshot: fn(Object, c_uchar);
        optimistictransaction_begin: fn(Object, Object, Object, Object) -> Object;
        set_perf_level: fn(c_int);
        perfcontext_create: fn() -> Object;
        perfcontext_report: fn(Object, c_uchar) -> *mut c_char;
        perfcontext_destroy: fn(Object);
        singledelete: fn(Object, Object, Text, usize, Errors);
        delete_range_cf: fn(Object, Object, Object, Text, usize, Text, usize, Errors);
        readoptions_set_readahead_size: fn(Object, usize);
        readoptions_set_iterate_lower_bound: fn(Object, Text, usize);
        readoptions_set_iterate_upper_bound: fn(Object, Text, usize);
        options_set_block_based_table_factory: fn(Object, Object);
        block_based_options_create: fn() -> Object;
        block_based_options_set_block_cache: fn(Object, Object);
        block_based_options_set_no_block_cache: fn(Object, c_uchar);
        lru_cache_options_create: fn() -> Object;
        lru_cache_options_set_capacity: fn(Object, usize);
        lru_cache_options_set_num_shard_bits: fn(Object, c_int);
        cache_create_lru_opts: fn(Object) -> Object;
        hyper_clock_cache_options_create: fn(usize, usize) -> Object;
        hyper_clock_cache_options_set_num_shard_bits: fn(Object, c_int);
        cache_create_hyper_clock_opts: fn(Object) -> Object;
    }
}
