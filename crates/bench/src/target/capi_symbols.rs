//! The functions of `rocksdb/c.h` that the benchmark calls, found in a library at run time.
//!
//! Argument lists are those of RocksDB 10.10.1. A function that every engine needs must be there;
//! an option's setter may be missing and is then reported.
#![allow(unsafe_code)]
#![allow(non_snake_case)] // the functions keep the names they have in C

use libloading::Library;
use std::ffi::{c_char, c_double, c_int, c_uchar, c_uint, c_void};

/// An opaque object of the library.
pub(super) type Object = *mut c_void;

/// A piece of memory of the library, returned by value.
#[repr(C)]
pub(super) struct Slice {
    pub(super) data: *const c_char,
    pub(super) size: usize,
}

macro_rules! symbols {
    (
        required { $($name:ident: fn($($arg:ty),*) $(-> $ret:ty)?;)* }
        optional { $($opt:ident: fn($($oarg:ty),*) $(-> $oret:ty)?;)* }
    ) => {
        /// The functions. They stay callable while `library` lives, which is in here.
        pub(super) struct Symbols {
            $(pub(super) $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
            $(pub(super) $opt: Option<unsafe extern "C" fn($($oarg),*) $(-> $oret)?>,)*
            _library: Library,
        }

        impl Symbols {
            /// Finds all of them, or names one that is missing.
            pub(super) fn find(library: Library) -> Result<Symbols, String> {
                // SAFETY: the types are those of rocksdb/c.h, which the library claims to implement
                // by exporting the names; pointers are kept no longer than `_library`.
                unsafe {
                    $(let $name = *library
                        .get(concat!("rocksdb_", stringify!($name)))
                        .map_err(|_| concat!("it exports no rocksdb_", stringify!($name)))?;)*
                    $(let $opt = library
                        .get(concat!("rocksdb_", stringify!($opt)))
                        .ok().map(|symbol| *symbol);)*
                    Ok(Symbols { $($name,)* $($opt,)* _library: library })
                }
            }
        }
    };
}

type Errors = *mut *mut c_char;
type Text = *const c_char;

symbols! {
    required {
        options_create: fn() -> Object;
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
        options_set_statistics_level: fn(Object, c_int);
        readoptions_set_total_order_seek: fn(Object, c_uchar);
        readoptions_set_prefix_same_as_start: fn(Object, c_uchar);
        readoptions_set_readahead_size: fn(Object, usize);
        readoptions_set_iterate_lower_bound: fn(Object, Text, usize);
        readoptions_set_iterate_upper_bound: fn(Object, Text, usize);
        slicetransform_create_fixed_prefix: fn(usize) -> Object;
        options_set_prefix_extractor: fn(Object, Object);
        options_set_plain_table_factory: fn(Object, u32, c_int, c_double, usize, usize, c_char, c_uchar, c_uchar);
        options_set_hash_skip_list_rep: fn(Object, usize, i32, i32);
        options_set_hash_link_list_rep: fn(Object, usize);
        options_set_memtable_vector_rep: fn(Object);
        options_set_block_based_table_factory: fn(Object, Object);
        block_based_options_create: fn() -> Object;
        block_based_options_set_block_cache: fn(Object, Object);
        block_based_options_set_no_block_cache: fn(Object, c_uchar);
        block_based_options_set_filter_policy: fn(Object, Object);
        block_based_options_set_block_size: fn(Object, usize);
        block_based_options_set_block_restart_interval: fn(Object, c_int);
        block_based_options_set_index_block_restart_interval: fn(Object, c_int);
        block_based_options_set_format_version: fn(Object, c_int);
        block_based_options_set_checksum: fn(Object, c_char);
        block_based_options_set_whole_key_filtering: fn(Object, c_uchar);
        block_based_options_set_cache_index_and_filter_blocks: fn(Object, c_uchar);
        block_based_options_set_data_block_index_type: fn(Object, c_int);
        block_based_options_set_data_block_hash_ratio: fn(Object, c_double);
        filterpolicy_create_bloom_full: fn(c_double) -> Object;
        lru_cache_options_create: fn() -> Object;
        lru_cache_options_set_capacity: fn(Object, usize);
        lru_cache_options_set_num_shard_bits: fn(Object, c_int);
        cache_create_lru_opts: fn(Object) -> Object;
        hyper_clock_cache_options_create: fn(usize, usize) -> Object;
        hyper_clock_cache_options_set_num_shard_bits: fn(Object, c_int);
        cache_create_hyper_clock_opts: fn(Object) -> Object;
        options_set_uint64add_merge_operator: fn(Object);
        options_set_compression: fn(Object, c_int);
        options_set_compression_options: fn(Object, c_int, c_int, c_int, c_int);
        options_set_compression_options_zstd_max_train_bytes: fn(Object, c_int);
        options_set_compression_options_max_dict_buffer_bytes: fn(Object, u64);
        options_set_compression_options_use_zstd_dict_trainer: fn(Object, c_uchar);
        options_set_min_level_to_compress: fn(Object, c_int);
        options_set_max_bytes_for_level_multiplier_additional: fn(Object, *mut c_int, usize);
        options_set_wal_dir: fn(Object, Text);
        options_set_bloom_locality: fn(Object, u32);
        options_set_memtable_whole_key_filtering: fn(Object, c_uchar);
        options_set_allow_concurrent_memtable_write: fn(Object, c_uchar);
        options_set_level_compaction_dynamic_level_bytes: fn(Object, c_uchar);
        options_set_allow_mmap_reads: fn(Object, c_uchar);
        options_set_allow_mmap_writes: fn(Object, c_uchar);
        options_set_paranoid_checks: fn(Object, c_uchar);
        options_set_manual_wal_flush: fn(Object, c_uchar);
        options_set_inplace_update_support: fn(Object, c_uchar);
        options_set_enable_pipelined_write: fn(Object, c_uchar);
        options_set_use_fsync: fn(Object, c_int);
        options_set_optimize_filters_for_hits: fn(Object, c_int);
        options_set_disable_auto_compactions: fn(Object, c_int);
        options_set_num_levels: fn(Object, c_int);
        options_set_max_open_files: fn(Object, c_int);
        options_set_max_file_opening_threads: fn(Object, c_int);
        options_set_max_write_buffer_number: fn(Object, c_int);
        options_set_min_write_buffer_number_to_merge: fn(Object, c_int);
        options_set_target_file_size_multiplier: fn(Object, c_int);
        options_set_level0_file_num_compaction_trigger: fn(Object, c_int);
        options_set_level0_slowdown_writes_trigger: fn(Object, c_int);
        options_set_level0_stop_writes_trigger: fn(Object, c_int);
        options_set_max_background_jobs: fn(Object, c_int);
        options_set_max_background_compactions: fn(Object, c_int);
        options_set_max_background_flushes: fn(Object, c_int);
        options_set_compaction_style: fn(Object, c_int);
        options_set_compaction_pri: fn(Object, c_int);
        options_set_max_subcompactions: fn(Object, u32);
        options_set_stats_dump_period_sec: fn(Object, c_uint);
        options_set_write_buffer_size: fn(Object, usize);
        options_set_db_write_buffer_size: fn(Object, usize);
        options_set_arena_block_size: fn(Object, usize);
        options_set_max_successive_merges: fn(Object, usize);
        options_set_max_manifest_file_size: fn(Object, usize);
        options_set_soft_pending_compaction_bytes_limit: fn(Object, usize);
        options_set_hard_pending_compaction_bytes_limit: fn(Object, usize);
        options_set_target_file_size_base: fn(Object, u64);
        options_set_max_bytes_for_level_base: fn(Object, u64);
        options_set_max_compaction_bytes: fn(Object, u64);
        options_set_periodic_compaction_seconds: fn(Object, u64);
        options_set_ttl: fn(Object, u64);
        options_set_bytes_per_sync: fn(Object, u64);
        options_set_wal_bytes_per_sync: fn(Object, u64);
        options_set_max_total_wal_size: fn(Object, u64);
        options_set_WAL_ttl_seconds: fn(Object, u64);
        options_set_WAL_size_limit_MB: fn(Object, u64);
        options_set_delete_obsolete_files_period_micros: fn(Object, u64);
        options_set_max_write_buffer_size_to_maintain: fn(Object, i64);
        options_set_max_bytes_for_level_multiplier: fn(Object, c_double);
        options_set_memtable_prefix_bloom_size_ratio: fn(Object, c_double);
    }
}
