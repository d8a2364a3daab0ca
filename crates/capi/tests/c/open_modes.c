/* Read only, with a time to live, options changed and loaded, repair. */
#include "check.h"

static void read_only(const char* path) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_t* db = rocksdb_open_for_read_only(options, path, 0, &err);
    OK;
    expect(db, "a", "1");
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_put(db, wo, S("a"), S("2"), &err);
    FAILED;
    rocksdb_writeoptions_destroy(wo);
    rocksdb_close(db);
    const char* names[1] = {"default"};
    const rocksdb_options_t* each[1] = {options};
    rocksdb_column_family_handle_t* cfs[1];
    db = rocksdb_open_for_read_only_column_families(options, path, 1, names, each, cfs, 0, &err);
    OK;
    expect(db, "a", "1");
    rocksdb_column_family_handle_destroy(cfs[0]);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
}

static void ttl(char** argv) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    const char* path = in_dir(argv, "ttl");
    rocksdb_t* db = rocksdb_open_with_ttl(options, path, 10000, &err);
    OK;
    put(db, "a", "1");
    expect(db, "a", "1");
    rocksdb_column_family_handle_t* cf =
        rocksdb_create_column_family_with_ttl(db, options, "one", 5000, &err);
    OK;
    rocksdb_column_family_handle_destroy(cf);
    rocksdb_close(db);
    const char* names[2] = {"default", "one"};
    const rocksdb_options_t* each[2] = {options, options};
    const int ttls[2] = {10000, 5000};
    rocksdb_column_family_handle_t* cfs[2];
    db = rocksdb_open_column_families_with_ttl(options, path, 2, names, each, cfs, ttls, &err);
    OK;
    expect(db, "a", "1");
    rocksdb_column_family_handle_destroy(cfs[0]);
    rocksdb_column_family_handle_destroy(cfs[1]);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
}

static void set(rocksdb_t* db) {
    const char* keys[2] = {"write_buffer_size", "disable_auto_compactions"};
    const char* values[2] = {"1048576", "true"};
    rocksdb_set_options(db, 2, keys, values, &err);
    OK;
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    rocksdb_set_options_cf(db, cf, 2, keys, values, &err);
    OK;
    keys[0] = "no_such_option";
    rocksdb_set_options(db, 1, keys, values, &err);
    FAILED;
    rocksdb_column_family_handle_destroy(cf);
}

static void load(const char* path) {
    rocksdb_env_t* env = rocksdb_create_default_env();
    rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
    rocksdb_options_t* db_options;
    size_t count;
    char** names;
    rocksdb_options_t** each;
    rocksdb_load_latest_options(path, env, false, cache, &db_options, &count, &names, &each, &err);
    OK;
    CHECK(count == 1);
    printf("%s %zu\n", names[0], rocksdb_options_get_write_buffer_size(each[0]));
    rocksdb_load_latest_options_destroy(db_options, names, each, count);
    rocksdb_cache_destroy(cache);
    rocksdb_env_destroy(env);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    const char* path = in_dir(argv, "db");
    rocksdb_t* db = open_new(path);
    put(db, "a", "1");
    set(db);
    rocksdb_close(db);
    read_only(path);
    load(path);
    ttl(argv);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_repair_db(options, path, &err);
    OK;
    rocksdb_options_destroy(options);
    db = open_new(path);
    expect(db, "a", "1");
    rocksdb_close(db);
    return 0;
}
