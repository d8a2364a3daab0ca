/* Bytes that somebody else owns. Passed and returned by value. */
typedef struct rocksdb_slice_t {
    const char* data;
    size_t size;
} rocksdb_slice_t;

/* What a listener is told. */
typedef void (*on_flush_begin_cb)(void*, rocksdb_t*, const rocksdb_flushjobinfo_t*);
typedef void (*on_flush_completed_cb)(void*, rocksdb_t*, const rocksdb_flushjobinfo_t*);
typedef void (*on_compaction_begin_cb)(void*, rocksdb_t*, const rocksdb_compactionjobinfo_t*);
typedef void (*on_compaction_completed_cb)(void*, rocksdb_t*, const rocksdb_compactionjobinfo_t*);
typedef void (*on_subcompaction_begin_cb)(void*, const rocksdb_subcompactionjobinfo_t*);
typedef void (*on_subcompaction_completed_cb)(void*, const rocksdb_subcompactionjobinfo_t*);
typedef void (*on_external_file_ingested_cb)(
    void*, rocksdb_t*, const rocksdb_externalfileingestioninfo_t*);
typedef void (*on_background_error_cb)(void*, uint32_t, rocksdb_status_ptr_t*);
typedef void (*on_stall_conditions_changed_cb)(void*, const rocksdb_writestallinfo_t*);
typedef void (*on_memtable_sealed_cb)(void*, const rocksdb_memtableinfo_t*);
typedef void (*rocksdb_logger_logv_cb)(void*, uint32_t log_level, const char*);

/* Remote compaction. */
typedef rocksdb_compactionservice_scheduleresponse_t* (*rocksdb_compaction_service_schedule_cb)(
    void* state, const rocksdb_compactionservice_jobinfo_t* info,
    const char* compaction_service_input, size_t input_len);
typedef int (*rocksdb_compaction_service_wait_cb)(
    void* state, const char* scheduled_job_id, char** result, size_t* result_len);
typedef void (*rocksdb_compaction_service_cancel_awaiting_jobs_cb)(void* state);
typedef void (*rocksdb_compaction_service_on_installation_cb)(
    void* state, const char* scheduled_job_id, int status);

enum {
    rocksdb_compactionservice_jobstatus_success = 0,
    rocksdb_compactionservice_jobstatus_failure = 1,
    rocksdb_compactionservice_jobstatus_aborted = 2,
    rocksdb_compactionservice_jobstatus_use_local = 3
};

/* include_flags of rocksdb_approximate_sizes_cf_with_flags, or-ed. */
enum {
    rocksdb_size_approximation_flags_none = 0,
    rocksdb_size_approximation_flags_include_memtable = 1,
    rocksdb_size_approximation_flags_include_files = 2
};

/* Block-based tables. */
enum {
    rocksdb_block_based_table_index_type_binary_search = 0,
    rocksdb_block_based_table_index_type_hash_search = 1,
    rocksdb_block_based_table_index_type_two_level_index_search = 2
};

enum {
    rocksdb_block_based_table_data_block_index_type_binary_search = 0,
    rocksdb_block_based_table_data_block_index_type_binary_search_and_hash = 1
};

enum {
    rocksdb_block_based_k_fallback_pinning_tier = 0,
    rocksdb_block_based_k_none_pinning_tier = 1,
    rocksdb_block_based_k_flush_and_similar_pinning_tier = 2,
    rocksdb_block_based_k_all_pinning_tier = 3
};

/* Options. */
enum {
    rocksdb_statistics_level_disable_all = 0,
    rocksdb_statistics_level_except_tickers = rocksdb_statistics_level_disable_all,
    rocksdb_statistics_level_except_histogram_or_timers = 1,
    rocksdb_statistics_level_except_timers = 2,
    rocksdb_statistics_level_except_detailed_timers = 3,
    rocksdb_statistics_level_except_time_for_mutex = 4,
    rocksdb_statistics_level_all = 5
};

enum { rocksdb_prepopulate_blob_disable = 0, rocksdb_prepopulate_blob_flush_only = 1 };

enum {
    rocksdb_tolerate_corrupted_tail_records_recovery = 0,
    rocksdb_absolute_consistency_recovery = 1,
    rocksdb_point_in_time_recovery = 2,
    rocksdb_skip_any_corrupted_records_recovery = 3
};

enum {
    rocksdb_no_compression = 0,
    rocksdb_snappy_compression = 1,
    rocksdb_zlib_compression = 2,
    rocksdb_bz2_compression = 3,
    rocksdb_lz4_compression = 4,
    rocksdb_lz4hc_compression = 5,
    rocksdb_xpress_compression = 6,
    rocksdb_zstd_compression = 7
};

enum {
    rocksdb_level_compaction = 0,
    rocksdb_universal_compaction = 1,
    rocksdb_fifo_compaction = 2
};

enum {
    rocksdb_similar_size_compaction_stop_style = 0,
    rocksdb_total_size_compaction_stop_style = 1
};

enum {
    rocksdb_k_by_compensated_size_compaction_pri = 0,
    rocksdb_k_oldest_largest_seq_first_compaction_pri = 1,
    rocksdb_k_oldest_smallest_seq_first_compaction_pri = 2,
    rocksdb_k_min_overlapping_ratio_compaction_pri = 3,
    rocksdb_k_round_robin_compaction_pri = 4
};

/* rocksdb_set_perf_level. */
enum {
    rocksdb_uninitialized = 0,
    rocksdb_disable = 1,
    rocksdb_enable_count = 2,
    rocksdb_enable_time_except_for_mutex = 3,
    rocksdb_enable_time = 4,
    rocksdb_out_of_bounds = 5
};

/* rocksdb_perfcontext_metric. */
enum {
    rocksdb_user_key_comparison_count = 0,
    rocksdb_block_cache_hit_count,
    rocksdb_block_read_count,
    rocksdb_block_read_byte,
    rocksdb_block_read_time,
    rocksdb_block_checksum_time,
    rocksdb_block_decompress_time,
    rocksdb_get_read_bytes,
    rocksdb_multiget_read_bytes,
    rocksdb_iter_read_bytes,
    rocksdb_internal_key_skipped_count,
    rocksdb_internal_delete_skipped_count,
    rocksdb_internal_recent_skipped_count,
    rocksdb_internal_merge_count,
    rocksdb_get_snapshot_time,
    rocksdb_get_from_memtable_time,
    rocksdb_get_from_memtable_count,
    rocksdb_get_post_process_time,
    rocksdb_get_from_output_files_time,
    rocksdb_seek_on_memtable_time,
    rocksdb_seek_on_memtable_count,
    rocksdb_next_on_memtable_count,
    rocksdb_prev_on_memtable_count,
    rocksdb_seek_child_seek_time,
    rocksdb_seek_child_seek_count,
    rocksdb_seek_min_heap_time,
    rocksdb_seek_max_heap_time,
    rocksdb_seek_internal_seek_time,
    rocksdb_find_next_user_entry_time,
    rocksdb_write_wal_time,
    rocksdb_write_memtable_time,
    rocksdb_write_delay_time,
    rocksdb_write_pre_and_post_process_time,
    rocksdb_db_mutex_lock_nanos,
    rocksdb_db_condition_wait_nanos,
    rocksdb_merge_operator_time_nanos,
    rocksdb_read_index_block_nanos,
    rocksdb_read_filter_block_nanos,
    rocksdb_new_table_block_iter_nanos,
    rocksdb_new_table_iterator_nanos,
    rocksdb_block_seek_nanos,
    rocksdb_find_table_nanos,
    rocksdb_bloom_memtable_hit_count,
    rocksdb_bloom_memtable_miss_count,
    rocksdb_bloom_sst_hit_count,
    rocksdb_bloom_sst_miss_count,
    rocksdb_key_lock_wait_time,
    rocksdb_key_lock_wait_count,
    rocksdb_env_new_sequential_file_nanos,
    rocksdb_env_new_random_access_file_nanos,
    rocksdb_env_new_writable_file_nanos,
    rocksdb_env_reuse_writable_file_nanos,
    rocksdb_env_new_random_rw_file_nanos,
    rocksdb_env_new_directory_nanos,
    rocksdb_env_file_exists_nanos,
    rocksdb_env_get_children_nanos,
    rocksdb_env_get_children_file_attributes_nanos,
    rocksdb_env_delete_file_nanos,
    rocksdb_env_create_dir_nanos,
    rocksdb_env_create_dir_if_missing_nanos,
    rocksdb_env_delete_dir_nanos,
    rocksdb_env_get_file_size_nanos,
    rocksdb_env_get_file_modification_time_nanos,
    rocksdb_env_rename_file_nanos,
    rocksdb_env_link_file_nanos,
    rocksdb_env_lock_file_nanos,
    rocksdb_env_unlock_file_nanos,
    rocksdb_env_new_logger_nanos,
    rocksdb_number_async_seek,
    rocksdb_blob_cache_hit_count,
    rocksdb_blob_read_count,
    rocksdb_blob_read_byte,
    rocksdb_blob_read_time,
    rocksdb_blob_checksum_time,
    rocksdb_blob_decompress_time,
    rocksdb_internal_range_del_reseek_count,
    rocksdb_block_read_cpu_time,
    rocksdb_internal_merge_point_lookup_count,
    rocksdb_total_metric_count = 80
};
