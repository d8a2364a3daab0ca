/* What iterators hold: pinned blocks, of which a strict cache has only so many, and open files. */
#include "check.h"
#include <dirent.h>
#include <stdbool.h>

enum { KEYS = 2000, TABLES = 200, LIMIT = 40, VALUE = 500 };

static rocksdb_t* open_with(const char* path, rocksdb_cache_t* cache, int max_open_files) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_disable_auto_compactions(options, 1);
    rocksdb_options_set_compression(options, rocksdb_no_compression);
    rocksdb_options_set_level0_slowdown_writes_trigger(options, 10000);
    rocksdb_options_set_level0_stop_writes_trigger(options, 10000);
    rocksdb_options_set_target_file_size_base(options, 100000);
    rocksdb_options_set_max_open_files(options, max_open_files);
    rocksdb_options_set_table_cache_numshardbits(options, 0);
    rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
    rocksdb_block_based_options_set_block_cache(table, cache);
    rocksdb_options_set_block_based_table_factory(options, table);
    rocksdb_t* db = rocksdb_open(options, path, &err);
    OK;
    rocksdb_block_based_options_destroy(table);
    rocksdb_options_destroy(options);
    return db;
}

static void value_of(int i, int round, char* value) {
    memset(value, 'a' + i % 26, VALUE);
    snprintf(value, VALUE, "%d of %d", round, i);
}

/* Every `step`th key from `from` on. */
static void fill(rocksdb_t* db, int from, int step, int round) {
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    char key[16], value[VALUE];
    for (int i = from; i < KEYS; i += step) {
        snprintf(key, sizeof key, "k%05d", i);
        value_of(i, round, value);
        rocksdb_put(db, wo, S(key), value, VALUE, &err);
        OK;
    }
    rocksdb_writeoptions_destroy(wo);
}

/* Walks all keys; how many there were before the end or an error. */
static int walk(rocksdb_iterator_t* it, bool forward, const char** values) {
    int n = 0;
    size_t len;
    forward ? rocksdb_iter_seek_to_first(it) : rocksdb_iter_seek_to_last(it);
    for (; rocksdb_iter_valid(it); forward ? rocksdb_iter_next(it) : rocksdb_iter_prev(it)) {
        const char* value = rocksdb_iter_value(it, &len);
        CHECK(len == VALUE);
        if (values) values[forward ? n : KEYS - 1 - n] = value;
        n++;
    }
    rocksdb_iter_get_error(it, &err);
    return n;
}

static void strict_limit(const char* path) {
    rocksdb_cache_t* cache = rocksdb_cache_create_lru_with_strict_capacity_limit(100000);
    rocksdb_t* db = open_with(path, cache, -1);
    fill(db, 0, 1, 0);
    flush(db);
    rocksdb_readoptions_t *plain = rocksdb_readoptions_create(), *pinning = rocksdb_readoptions_create();
    rocksdb_readoptions_set_pin_data(pinning, 1);
    rocksdb_iterator_t* it = rocksdb_create_iterator(db, plain);
    CHECK(walk(it, true, NULL) == KEYS);
    OK;
    rocksdb_iter_destroy(it);

    it = rocksdb_create_iterator(db, pinning);
    int n = walk(it, true, NULL);
    CHECK(n > 0 && n < KEYS);
    FAILED;
    CHECK(rocksdb_cache_get_usage(cache) <= 100000);
    rocksdb_iter_seek_to_last(it);
    CHECK(!rocksdb_iter_valid(it));
    rocksdb_iter_get_error(it, &err);
    FAILED;
    size_t len;
    CHECK(rocksdb_get(db, plain, S("k01900"), &len, &err) == NULL);
    FAILED;
    /* What it holds can still be read. */
    rocksdb_iter_seek_to_first(it);
    CHECK(rocksdb_iter_valid(it));
    rocksdb_iter_get_error(it, &err);
    OK;
    put(db, "x", "y");
    flush(db);
    rocksdb_readoptions_t* past = rocksdb_readoptions_create();
    rocksdb_readoptions_set_fill_cache(past, 0);
    char* value = rocksdb_get(db, past, S("k01900"), &len, &err);
    OK;
    CHECK(value != NULL);
    rocksdb_free(value);
    rocksdb_iter_destroy(it);

    /* Its end gives everything back. */
    value = rocksdb_get(db, plain, S("k01900"), &len, &err);
    OK;
    CHECK(value != NULL);
    rocksdb_free(value);
    rocksdb_readoptions_destroy(plain);
    rocksdb_readoptions_destroy(pinning);
    rocksdb_readoptions_destroy(past);
    rocksdb_close(db);
    rocksdb_cache_destroy(cache);
}

/* Values stay where they are for as long as the iterator, however small the cache. */
static void pinned_values(const char* path) {
    rocksdb_cache_t* cache = rocksdb_cache_create_lru(0);
    rocksdb_t* db = open_with(path, cache, -1);
    fill(db, 0, 1, 0);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    fill(db, 0, 7, 1);
    flush(db);
    fill(db, 0, 13, 2);
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_readoptions_set_pin_data(ro, 1);
    for (int cached = 0; cached < 2; cached++) {
        rocksdb_readoptions_set_fill_cache(ro, cached);
        rocksdb_iterator_t* it = rocksdb_create_iterator(db, ro);
        static const char* values[3][KEYS];
        for (int way = 0; way < 3; way++) {
            CHECK(walk(it, way != 1, values[way]) == KEYS);
            OK;
        }
        for (int i = 0; i < KEYS; i++) {
            char expected[VALUE];
            value_of(i, i % 13 == 0 ? 2 : i % 7 == 0 ? 1 : 0, expected);
            for (int way = 0; way < 3; way++) CHECK(memcmp(values[way][i], expected, VALUE) == 0);
        }
        rocksdb_iter_destroy(it);
    }
    rocksdb_readoptions_destroy(ro);
    rocksdb_close(db);
    rocksdb_cache_destroy(cache);
}

/* Files of the directory that this process has open. */
static int open_files(const char* path, const char* extension) {
    DIR* dir = opendir("/proc/self/fd");
    CHECK(dir != NULL);
    int n = 0;
    for (struct dirent* entry; (entry = readdir(dir));) {
        char name[64], target[600];
        snprintf(name, sizeof name, "/proc/self/fd/%.20s", entry->d_name);
        ssize_t len = readlink(name, target, sizeof target - 1);
        if (len <= 0) continue;
        target[len] = 0;
        n += strncmp(target, path, strlen(path)) == 0 && strstr(target, extension) != NULL;
    }
    closedir(dir);
    return n;
}

static void few_files(const char* path, bool levels) {
    rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
    rocksdb_t* db = open_with(path, cache, LIMIT);
    for (int i = 0; i < (levels ? 1 : TABLES); i++) {
        fill(db, i, levels ? 1 : TABLES, 0);
        if (levels) for (int more = 1; more < 8; more++) fill(db, 0, 1, more);
        flush(db);
    }
    if (levels) rocksdb_compact_range(db, NULL, 0, NULL, 0);
    CHECK(open_files(path, ".sst") <= LIMIT);
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    for (int i = 0; i < 4; i++) {
        rocksdb_iterator_t* it = rocksdb_create_iterator(db, ro);
        CHECK(walk(it, i % 2 == 0, NULL) == KEYS);
        OK;
        if (levels) CHECK(open_files(path, ".sst") <= LIMIT);
        rocksdb_iter_destroy(it);
        CHECK(open_files(path, ".sst") <= LIMIT);
    }
    for (int i = 0; i < KEYS; i += 3) {
        char key[16];
        size_t len;
        snprintf(key, sizeof key, "k%05d", i);
        char* value = rocksdb_get(db, ro, S(key), &len, &err);
        OK;
        CHECK(value != NULL);
        rocksdb_free(value);
    }
    CHECK(open_files(path, ".sst") <= LIMIT);
    rocksdb_readoptions_destroy(ro);
    rocksdb_close(db);
    rocksdb_cache_destroy(cache);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    strict_limit(in_dir(argv, "strict"));
    pinned_values(in_dir(argv, "values"));
    few_files(in_dir(argv, "few"), false);
    few_files(in_dir(argv, "levels"), true);
    return 0;
}
