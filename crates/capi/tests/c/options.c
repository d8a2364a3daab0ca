/* Options that are more than one number: caches, filters, tables, environments, compression, paths. */
#include "check.h"

static void caches(void) {
    rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
    CHECK(rocksdb_cache_get_capacity(cache) == 1 << 20);
    rocksdb_cache_set_capacity(cache, 1 << 21);
    CHECK(rocksdb_cache_get_table_address_count(cache) > 0);
    printf("lru %zu %zu %zu %zu\n", rocksdb_cache_get_capacity(cache),
           rocksdb_cache_get_usage(cache), rocksdb_cache_get_pinned_usage(cache),
           rocksdb_cache_get_occupancy_count(cache));
    rocksdb_cache_destroy(cache);
    cache = rocksdb_cache_create_lru_with_strict_capacity_limit(1000);
    CHECK(rocksdb_cache_get_capacity(cache) == 1000);
    rocksdb_cache_destroy(cache);
    rocksdb_lru_cache_options_t* lru = rocksdb_lru_cache_options_create();
    rocksdb_lru_cache_options_set_capacity(lru, 4096);
    rocksdb_lru_cache_options_set_num_shard_bits(lru, 2);
    cache = rocksdb_cache_create_lru_opts(lru);
    CHECK(rocksdb_cache_get_capacity(cache) == 4096);
    rocksdb_cache_disown_data(cache);
    rocksdb_cache_destroy(cache);
    rocksdb_lru_cache_options_destroy(lru);

    cache = rocksdb_cache_create_hyper_clock(1 << 20, 4096);
    CHECK(rocksdb_cache_get_capacity(cache) == 1 << 20);
    rocksdb_cache_destroy(cache);
    rocksdb_hyper_clock_cache_options_t* clock = rocksdb_hyper_clock_cache_options_create(100, 10);
    rocksdb_hyper_clock_cache_options_set_capacity(clock, 1 << 20);
    rocksdb_hyper_clock_cache_options_set_estimated_entry_charge(clock, 100);
    rocksdb_hyper_clock_cache_options_set_num_shard_bits(clock, 2);
    cache = rocksdb_cache_create_hyper_clock_opts(clock);
    CHECK(rocksdb_cache_get_capacity(cache) == 1 << 20);
    rocksdb_cache_destroy(cache);
    rocksdb_hyper_clock_cache_options_destroy(clock);
}

/* A database with these options takes and finds keys, before and after a flush. */
static void use(rocksdb_options_t* options, const char* path) {
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_t* db = rocksdb_open(options, path, &err);
    OK;
    char key[16];
    for (int i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "key%04d", i);
        put(db, key, "value value value value");
    }
    flush(db);
    put(db, "key0300", "last");
    expect(db, "key0007", "value value value value");
    expect(db, "key0300", "last");
    expect(db, "key0301", NULL);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
}

static void tables(char** argv) {
    rocksdb_filterpolicy_t* filters[] = {
        rocksdb_filterpolicy_create_bloom(10), rocksdb_filterpolicy_create_bloom_full(10),
        rocksdb_filterpolicy_create_ribbon(10), rocksdb_filterpolicy_create_ribbon_hybrid(10, 1)};
    for (int i = 0; i < 4; i++) {
        rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
        rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
        rocksdb_block_based_options_set_block_cache(table, cache);
        rocksdb_block_based_options_set_filter_policy(table, filters[i]);
        rocksdb_block_based_options_set_checksum(table, (char)(1 + i));
        rocksdb_block_based_options_set_block_size(table, 512);
        rocksdb_options_t* options = rocksdb_options_create();
        rocksdb_options_set_block_based_table_factory(options, table);
        rocksdb_cache_destroy(cache);
        rocksdb_block_based_options_destroy(table);
        char name[16];
        snprintf(name, sizeof name, "filter%d", i);
        use(options, in_dir(argv, name));
    }
    rocksdb_filterpolicy_destroy(rocksdb_filterpolicy_create_bloom(10));

    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_plain_table_factory(options, 0, 10, 0.75, 3, 0, 0, 0, 0);
    rocksdb_options_set_prefix_extractor(options, rocksdb_slicetransform_create_fixed_prefix(3));
    rocksdb_options_set_allow_mmap_reads(options, 1);
    rocksdb_options_set_hash_skip_list_rep(options, 100, 4, 4);
    rocksdb_options_set_allow_concurrent_memtable_write(options, 0);
    use(options, in_dir(argv, "plain"));
    options = rocksdb_options_create();
    rocksdb_options_set_memtable_vector_rep(options);
    rocksdb_options_set_allow_concurrent_memtable_write(options, 0);
    use(options, in_dir(argv, "vector"));
    options = rocksdb_options_create();
    rocksdb_options_set_hash_link_list_rep(options, 100);
    rocksdb_options_set_prefix_extractor(options, rocksdb_slicetransform_create_fixed_prefix(3));
    rocksdb_options_set_allow_concurrent_memtable_write(options, 0);
    use(options, in_dir(argv, "list"));
}

static void compression(char** argv) {
    rocksdb_options_t* options = rocksdb_options_create();
    int levels[3] = {rocksdb_no_compression, rocksdb_snappy_compression, rocksdb_lz4_compression};
    rocksdb_options_set_compression_per_level(options, levels, 3);
    rocksdb_options_set_compression_options(options, -14, 3, 0, 0);
    rocksdb_options_set_bottommost_compression(options, rocksdb_zstd_compression);
    rocksdb_options_set_bottommost_compression_options(options, -14, 5, 0, 0, 1);
    rocksdb_options_set_bottommost_compression_options_zstd_max_train_bytes(options, 0, 1);
    rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer(options, 1, 1);
    rocksdb_options_set_bottommost_compression_options_max_dict_buffer_bytes(options, 0, 1);
    printf("dict trainer %d\n",
           rocksdb_options_get_bottommost_compression_options_use_zstd_dict_trainer(options));
    use(options, in_dir(argv, "compressed"));
}

static void presets(char** argv) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_increase_parallelism(options, 4);
    printf("parallel %d\n", rocksdb_options_get_max_background_jobs(options));
    rocksdb_options_optimize_level_style_compaction(options, 64 << 20);
    printf("level style %zu %d %d\n", rocksdb_options_get_write_buffer_size(options),
           rocksdb_options_get_max_write_buffer_number(options),
           rocksdb_options_get_min_write_buffer_number_to_merge(options));
    use(options, in_dir(argv, "level"));
    options = rocksdb_options_create();
    rocksdb_options_optimize_universal_style_compaction(options, 64 << 20);
    printf("universal %d\n", rocksdb_options_get_compaction_style(options));
    rocksdb_options_destroy(options);
    options = rocksdb_options_create();
    rocksdb_options_optimize_for_point_lookup(options, 1);
    use(options, in_dir(argv, "point"));
    options = rocksdb_options_create();
    rocksdb_options_prepare_for_bulk_load(options);
    printf("bulk %d %d\n", rocksdb_options_get_disable_auto_compactions(options),
           rocksdb_options_get_level0_stop_writes_trigger(options));
    rocksdb_options_add_compact_on_deletion_collector_factory(options, 5, 4);
    rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(options, 5, 4, 0.5);
    rocksdb_options_add_compact_on_deletion_collector_factory_min_file_size(options, 5, 4, 0.5, 100);
    use(options, in_dir(argv, "bulk"));
}

static void paths(char** argv) {
    rocksdb_options_t* options = rocksdb_options_create();
    char* dir = strdup(in_dir(argv, "paths-log"));
    rocksdb_options_set_db_log_dir(options, dir);
    free(dir);
    dir = strdup(in_dir(argv, "paths-wal"));
    rocksdb_options_set_wal_dir(options, dir);
    free(dir);
    rocksdb_options_t* unused = rocksdb_options_create();
    rocksdb_dbpath_t* path = rocksdb_dbpath_create(in_dir(argv, "paths-data"), 1 << 30);
    const rocksdb_dbpath_t* list[1] = {path};
    rocksdb_options_set_db_paths(unused, list, 1);
    rocksdb_options_set_cf_paths(unused, list, 1);
    rocksdb_dbpath_destroy(path);
    rocksdb_options_destroy(unused);
    int additional[2] = {1, 2};
    rocksdb_options_set_max_bytes_for_level_multiplier_additional(options, additional, 2);
    rocksdb_options_compaction_readahead_size(options, 1 << 20);
    printf("readahead %d\n", (int)rocksdb_options_get_compaction_readahead_size(options));
    use(options, in_dir(argv, "paths"));
}

static void others(char** argv) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_write_buffer_size(options, 12345678);
    rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
    rocksdb_options_set_row_cache(options, cache);
    rocksdb_cache_destroy(cache);
    rocksdb_options_t* copy = rocksdb_options_create_copy(options);
    CHECK(rocksdb_options_get_write_buffer_size(copy) == 12345678);
    rocksdb_options_destroy(options);
    use(copy, in_dir(argv, "copy"));

    rocksdb_options_t* base = rocksdb_options_create();
    rocksdb_options_t* new_options = rocksdb_options_create();
    rocksdb_get_options_from_string(base, "write_buffer_size=54321;max_open_files=17", new_options, &err);
    OK;
    CHECK(rocksdb_options_get_write_buffer_size(new_options) == 54321);
    CHECK(rocksdb_options_get_max_open_files(new_options) == 17);
    rocksdb_get_options_from_string(base, "no_such_option=1", new_options, &err);
    FAILED;
    rocksdb_options_destroy(base);
    rocksdb_options_destroy(new_options);

    options = rocksdb_options_create();
    rocksdb_fifo_compaction_options_t* fifo = rocksdb_fifo_compaction_options_create();
    rocksdb_fifo_compaction_options_set_max_table_files_size(fifo, 1 << 20);
    rocksdb_options_set_fifo_compaction_options(options, fifo);
    rocksdb_fifo_compaction_options_destroy(fifo);
    rocksdb_universal_compaction_options_t* universal = rocksdb_universal_compaction_options_create();
    rocksdb_options_set_universal_compaction_options(options, universal);
    rocksdb_universal_compaction_options_destroy(universal);
    rocksdb_options_set_compaction_style(options, rocksdb_fifo_compaction);
    use(options, in_dir(argv, "fifo"));
}

static void environments(char** argv) {
    rocksdb_env_t* env = rocksdb_create_default_env();
    rocksdb_env_set_background_threads(env, 3);
    rocksdb_env_set_high_priority_background_threads(env, 2);
    rocksdb_env_set_low_priority_background_threads(env, 4);
    rocksdb_env_set_bottom_priority_background_threads(env, 1);
    printf("threads %d %d %d %d\n", rocksdb_env_get_background_threads(env),
           rocksdb_env_get_high_priority_background_threads(env),
           rocksdb_env_get_low_priority_background_threads(env),
           rocksdb_env_get_bottom_priority_background_threads(env));
    rocksdb_env_lower_thread_pool_io_priority(env);
    rocksdb_env_lower_high_priority_thread_pool_io_priority(env);
    rocksdb_env_lower_thread_pool_cpu_priority(env);
    rocksdb_env_lower_high_priority_thread_pool_cpu_priority(env);
    rocksdb_create_dir_if_missing(env, in_dir(argv, "made"), &err);
    OK;
    rocksdb_create_dir_if_missing(env, in_dir(argv, "made"), &err);
    OK;
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_env(options, env);
    use(options, in_dir(argv, "env"));
    rocksdb_env_join_all_threads(env);
    rocksdb_env_destroy(env);
    env = rocksdb_create_mem_env();
    options = rocksdb_options_create();
    rocksdb_options_set_env(options, env);
    use(options, "/in/memory");
    rocksdb_env_destroy(env);
    rocksdb_envoptions_destroy(rocksdb_envoptions_create());
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    caches();
    tables(argv);
    compression(argv);
    presets(argv);
    paths(argv);
    others(argv);
    environments(argv);
    return 0;
}
