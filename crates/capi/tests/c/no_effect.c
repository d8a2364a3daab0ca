/* Options of tables and columns that are refused or change nothing here, and must be harmless. */
#include "check.h"

static int compare(void* state, const char* a, size_t alen, const char* b, size_t blen) {
    (void)state;
    int order = memcmp(a, b, alen < blen ? alen : blen);
    return order ? order : alen < blen ? -1 : alen > blen;
}

static int compare_without(void* state, const char* a, size_t alen, unsigned char a_has,
                           const char* b, size_t blen, unsigned char b_has) {
    return compare(state, a, a_has ? alen - 8 : alen, b, b_has ? blen - 8 : blen);
}

static const char* name(void* state) {
    (void)state;
    return "smoke.u64ts";
}

static void nothing(void* state) { (void)state; }

static void allocators(void) {
    rocksdb_memory_allocator_t* allocator = rocksdb_jemalloc_nodump_allocator_create(&err);
    /* Neither library has jemalloc in it. */
    CHECK(err != NULL);
    rocksdb_free(err);
    err = NULL;
    rocksdb_lru_cache_options_t* lru = rocksdb_lru_cache_options_create();
    rocksdb_lru_cache_options_set_memory_allocator(lru, allocator);
    rocksdb_lru_cache_options_destroy(lru);
    rocksdb_hyper_clock_cache_options_t* clock = rocksdb_hyper_clock_cache_options_create(1000, 10);
    rocksdb_hyper_clock_cache_options_set_memory_allocator(clock, allocator);
    rocksdb_hyper_clock_cache_options_destroy(clock);
    rocksdb_memory_allocator_destroy(allocator);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    (void)argv;
    allocators();
    rocksdb_comparator_destroy(
        rocksdb_comparator_with_ts_create(NULL, nothing, compare, compare, compare_without, name, 8));
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_cache_t* cache = rocksdb_cache_create_lru(1000);
    rocksdb_options_set_blob_cache(options, cache);
    rocksdb_cache_destroy(cache);
    rocksdb_options_destroy(options);

    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_readoptions_set_timestamp(ro, "12345678", 8);
    rocksdb_readoptions_set_timestamp(ro, NULL, 0);
    rocksdb_readoptions_set_iter_start_ts(ro, "12345678", 8);
    rocksdb_readoptions_set_iter_start_ts(ro, NULL, 0);
    rocksdb_readoptions_destroy(ro);
    rocksdb_compactoptions_t* co = rocksdb_compactoptions_create();
    rocksdb_compactoptions_set_full_history_ts_low(co, (char*)"12345678", 8);
    rocksdb_compactoptions_destroy(co);
    return 0;
}
