/* Values that change in place, and families that are sealed and flushed together. */
#include "check.h"
#include <dirent.h>

static rocksdb_readoptions_t* read_;
static rocksdb_writeoptions_t* write_;

static void print(rocksdb_t* db, const char* title, const char* key) {
    size_t len;
    char* value = rocksdb_get(db, read_, S(key), &len, &err);
    OK;
    printf("%s: %.*s\n", title, value ? (int)len : 6, value ? value : "(none)");
    rocksdb_free(value);
}

static void print_property(rocksdb_t* db, const char* name) {
    char* value = rocksdb_property_value(db, name);
    CHECK(value != NULL);
    printf("%s %s\n", name, value);
    rocksdb_free(value);
}

static void in_place(rocksdb_options_t* options, const char* dir) {
    rocksdb_options_set_inplace_update_support(options, 1);
    rocksdb_options_set_inplace_update_num_locks(options, 28);
    CHECK(rocksdb_open(options, dir, &err) == NULL);
    FAILED;
    rocksdb_options_set_allow_concurrent_memtable_write(options, 0);
    rocksdb_options_enable_statistics(options);
    rocksdb_t* db = rocksdb_open(options, dir, &err);
    OK;
    const char* values[] = {"a long value", "a shorter", "", "x", "a very long value", "y"};
    const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
    CHECK(snapshot != NULL);
    for (int i = 0; i < 6; i++) {
        rocksdb_put(db, write_, S("key"), S(values[i]), &err);
        OK;
        print(db, "put", "key");
    }
    rocksdb_readoptions_set_snapshot(read_, snapshot);
    print(db, "no snapshot", "key");
    rocksdb_readoptions_set_snapshot(read_, NULL);
    rocksdb_release_snapshot(db, snapshot);
    print_property(db, "rocksdb.num-entries-active-mem-table");
    /* NUMBER_KEYS_WRITTEN and NUMBER_KEYS_UPDATED. */
    char* text = rocksdb_options_statistics_get_string(options);
    for (char* line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strstr(line, "number.keys.written") || strstr(line, "number.keys.updated")) puts(line);
    }
    rocksdb_free(text);
    rocksdb_delete(db, write_, S("key"), &err);
    OK;
    print(db, "deleted", "key");
    rocksdb_put(db, write_, S("key"), S(""), &err);
    OK;
    rocksdb_close(db);
    db = rocksdb_open(options, dir, &err);
    OK;
    print(db, "reopened", "key");
    rocksdb_close(db);
    rocksdb_options_set_inplace_update_support(options, 0);
    rocksdb_options_set_allow_concurrent_memtable_write(options, 1);
}

static void together(rocksdb_options_t* options, const char* dir) {
    rocksdb_options_set_atomic_flush(options, 1);
    rocksdb_options_set_enable_pipelined_write(options, 1);
    CHECK(rocksdb_open(options, dir, &err) == NULL);
    FAILED;
    rocksdb_options_set_enable_pipelined_write(options, 0);
    rocksdb_options_set_create_missing_column_families(options, 1);
    const char* names[] = {"default", "one", "two"};
    const rocksdb_options_t* all[] = {options, options, options};
    rocksdb_column_family_handle_t* cfs[3];
    rocksdb_t* db = rocksdb_open_column_families(options, dir, 3, names, all, cfs, &err);
    OK;
    rocksdb_writeoptions_disable_WAL(write_, 1);
    rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) {
            rocksdb_put_cf(db, write_, cfs[i], S("key"), S(names[i]), &err);
            OK;
        }
        /* What families are named, and then what a compaction asks for. */
        if (round == 0) {
            rocksdb_flush_cfs(db, flush, cfs, 2, &err);
            OK;
        } else {
            rocksdb_compact_range_cf(db, cfs[1], NULL, 0, NULL, 0);
        }
        for (int i = 0; i < 3; i++) {
            char* entries =
                rocksdb_property_value_cf(db, cfs[i], "rocksdb.num-entries-active-mem-table");
            printf("round %d: %s has %s in memory\n", round, names[i], entries);
            rocksdb_free(entries);
        }
    }
    rocksdb_flushoptions_destroy(flush);
    for (int i = 0; i < 3; i++) rocksdb_column_family_handle_destroy(cfs[i]);
    rocksdb_close(db);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    read_ = rocksdb_readoptions_create();
    write_ = rocksdb_writeoptions_create();
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    in_place(options, in_dir(argv, "in_place"));
    together(options, in_dir(argv, "together"));
    rocksdb_options_destroy(options);
    rocksdb_writeoptions_destroy(write_);
    rocksdb_readoptions_destroy(read_);
    return 0;
}
