/* Limits and measures: rate limiter, write buffer manager, SST file manager, memory, statistics, perf context. */
#include "check.h"

static void managers(char** argv) {
    rocksdb_cache_t* cache = rocksdb_cache_create_lru(16 << 20);
    rocksdb_write_buffer_manager_t* plain = rocksdb_write_buffer_manager_create(1 << 20, false);
    CHECK(rocksdb_write_buffer_manager_enabled(plain));
    CHECK(!rocksdb_write_buffer_manager_cost_to_cache(plain));
    rocksdb_write_buffer_manager_destroy(plain);
    rocksdb_write_buffer_manager_t* wbm =
        rocksdb_write_buffer_manager_create_with_cache(1 << 20, cache, false);
    CHECK(rocksdb_write_buffer_manager_cost_to_cache(wbm));
    CHECK(rocksdb_write_buffer_manager_buffer_size(wbm) == 1 << 20);
    rocksdb_write_buffer_manager_set_buffer_size(wbm, 2 << 20);
    CHECK(rocksdb_write_buffer_manager_buffer_size(wbm) == 2 << 20);
    rocksdb_write_buffer_manager_set_allow_stall(wbm, false);

    rocksdb_env_t* env = rocksdb_create_default_env();
    rocksdb_sst_file_manager_t* sfm = rocksdb_sst_file_manager_create(env);
    rocksdb_sst_file_manager_set_max_allowed_space_usage(sfm, 1 << 30);
    rocksdb_sst_file_manager_set_compaction_buffer_size(sfm, 1 << 20);
    rocksdb_sst_file_manager_set_delete_rate_bytes_per_second(sfm, 1 << 30);
    rocksdb_sst_file_manager_set_max_trash_db_ratio(sfm, 0.5);
    CHECK(rocksdb_sst_file_manager_get_delete_rate_bytes_per_second(sfm) == 1 << 30);
    CHECK(rocksdb_sst_file_manager_get_max_trash_db_ratio(sfm) == 0.5);

    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_write_buffer_manager(options, wbm);
    rocksdb_options_set_sst_file_manager(options, sfm);
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, "managed"), &err);
    OK;
    put(db, "a", "1");
    CHECK(rocksdb_write_buffer_manager_memory_usage(wbm) > 0);
    CHECK(rocksdb_write_buffer_manager_mutable_memtable_memory_usage(wbm) > 0);
    CHECK(rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(wbm) > 0);
    flush(db);
    CHECK(rocksdb_sst_file_manager_get_total_size(sfm) > 500);
    CHECK(!rocksdb_sst_file_manager_is_max_allowed_space_reached(sfm));
    CHECK(!rocksdb_sst_file_manager_is_max_allowed_space_reached_including_compactions(sfm));
    CHECK(rocksdb_sst_file_manager_get_total_trash_size(sfm) < 1 << 20);

    rocksdb_memory_consumers_t* consumers = rocksdb_memory_consumers_create();
    rocksdb_memory_consumers_add_db(consumers, db);
    rocksdb_memory_consumers_add_cache(consumers, cache);
    rocksdb_memory_usage_t* usage = rocksdb_approximate_memory_usage_create(consumers, &err);
    OK;
    CHECK(rocksdb_approximate_memory_usage_get_mem_table_total(usage) > 0);
    CHECK(rocksdb_approximate_memory_usage_get_mem_table_unflushed(usage) > 0);
    CHECK(rocksdb_approximate_memory_usage_get_mem_table_readers_total(usage) < 1 << 30);
    CHECK(rocksdb_approximate_memory_usage_get_cache_total(usage) > 0);
    rocksdb_approximate_memory_usage_destroy(usage);
    rocksdb_memory_consumers_destroy(consumers);

    rocksdb_close(db);
    rocksdb_options_destroy(options);
    rocksdb_sst_file_manager_destroy(sfm);
    rocksdb_write_buffer_manager_destroy(wbm);
    rocksdb_cache_destroy(cache);
    rocksdb_env_destroy(env);
}

static void rates(char** argv) {
    rocksdb_ratelimiter_t* limiters[] = {
        rocksdb_ratelimiter_create(1 << 30, 100000, 10),
        rocksdb_ratelimiter_create_auto_tuned(1 << 30, 100000, 10),
        rocksdb_ratelimiter_create_with_mode(1 << 30, 100000, 10, 1, false)};
    for (int i = 0; i < 3; i++) {
        rocksdb_options_t* options = rocksdb_options_create();
        rocksdb_options_set_create_if_missing(options, 1);
        rocksdb_options_set_ratelimiter(options, limiters[i]);
        rocksdb_ratelimiter_destroy(limiters[i]);
        rocksdb_t* db = rocksdb_open(options, in_dir(argv, "limited"), &err);
        OK;
        put(db, "a", "1");
        flush(db);
        rocksdb_close(db);
        rocksdb_options_destroy(options);
    }
}

static void statistics(char** argv) {
    rocksdb_options_t* options = rocksdb_options_create();
    CHECK(rocksdb_options_statistics_get_string(options) == NULL);
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_enable_statistics(options);
    rocksdb_options_set_statistics_level(options, rocksdb_statistics_level_all);
    printf("level %d\n", rocksdb_options_get_statistics_level(options));
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, "counted"), &err);
    OK;
    for (int i = 0; i < 10; i++) put(db, "a", "12345");
    flush(db);
    expect(db, "a", "12345");
    expect(db, "b", NULL);
    /* Keys written, keys read, bytes written, memtable hits and misses. */
    uint32_t tickers[] = {33, 34, 35, 36, 60, 61, 62, 63, 64};
    for (size_t i = 0; i < sizeof tickers / sizeof *tickers; i++) {
        printf("ticker %u: %d\n", tickers[i],
               (int)rocksdb_options_statistics_get_ticker_count(options, tickers[i]));
    }
    rocksdb_statistics_histogram_data_t* data = rocksdb_statistics_histogram_data_create();
    /* DB_WRITE. */
    rocksdb_options_statistics_get_histogram_data(options, 1, data);
    CHECK(rocksdb_statistics_histogram_data_get_count(data) == 10);
    CHECK(rocksdb_statistics_histogram_data_get_min(data) <=
          rocksdb_statistics_histogram_data_get_median(data));
    CHECK(rocksdb_statistics_histogram_data_get_p95(data) <=
          rocksdb_statistics_histogram_data_get_max(data));
    CHECK(rocksdb_statistics_histogram_data_get_p99(data) >=
          rocksdb_statistics_histogram_data_get_p95(data));
    CHECK(rocksdb_statistics_histogram_data_get_average(data) > 0);
    CHECK(rocksdb_statistics_histogram_data_get_sum(data) > 0);
    CHECK(rocksdb_statistics_histogram_data_get_std_dev(data) >= 0);
    rocksdb_statistics_histogram_data_destroy(data);
    /* Names, in order: the same as RocksDB's. */
    char* text = rocksdb_options_statistics_get_string(options);
    CHECK(text != NULL);
    for (char* line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        printf("%.*s\n", (int)strcspn(line, " "), line);
    }
    rocksdb_free(text);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
}

static void perf(char** argv) {
    rocksdb_t* db = open_new(in_dir(argv, "perf"));
    rocksdb_perfcontext_t* context = rocksdb_perfcontext_create();
    rocksdb_set_perf_level(rocksdb_enable_count);
    rocksdb_perfcontext_reset(context);
    put(db, "a", "1");
    put(db, "b", "1");
    expect(db, "a", "1");
    CHECK(rocksdb_perfcontext_metric(context, rocksdb_user_key_comparison_count) > 0);
    printf("from memtable %d\n",
           (int)rocksdb_perfcontext_metric(context, rocksdb_get_from_memtable_count));
    char* text = rocksdb_perfcontext_report(context, 0);
    CHECK(strstr(text, "user_key_comparison_count = "));
    for (char* part = strtok(text, ","); part; part = strtok(NULL, ",")) {
        printf("%.*s\n", (int)strcspn(part, "="), part);
    }
    rocksdb_free(text);
    text = rocksdb_perfcontext_report(context, 1);
    CHECK(strstr(text, "user_key_comparison_count = "));
    rocksdb_free(text);
    rocksdb_set_perf_level(rocksdb_disable);
    rocksdb_perfcontext_destroy(context);
    rocksdb_close(db);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    managers(argv);
    rates(argv);
    statistics(argv);
    perf(argv);
    return 0;
}
