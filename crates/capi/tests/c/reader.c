/* What is answered without reading files, and what a database opened for reading only lets one do. */
#include "check.h"

static void may(const char* title, rocksdb_t* db, const char* key) {
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    char* value = NULL;
    size_t len = 0;
    unsigned char found = 9;
    int may = rocksdb_key_may_exist(db, ro, S(key), &value, &len, NULL, 0, &found);
    CHECK(may == rocksdb_key_may_exist(db, ro, S(key), NULL, NULL, NULL, 0, NULL));
    printf("%s, %s: may %d, found %d, length %d\n", title, key, may, found, found ? (int)len : -1);
    if (found) rocksdb_free(value);
    rocksdb_readoptions_destroy(ro);
}

static void property(rocksdb_t* db, const char* name) {
    char* text = rocksdb_property_value(db, name);
    uint64_t number = 0;
    int is_number = rocksdb_property_int(db, name, &number) == 0;
    printf("%s: %s, a number %d\n", name, text ? text : "(none)", is_number);
    rocksdb_free(text);
}

static void properties(rocksdb_t* db) {
    property(db, "rocksdb.aggregated-table-properties");
    property(db, "rocksdb.aggregated-table-properties-at-level0");
    property(db, "rocksdb.aggregated-table-properties-at-level3");
    property(db, "rocksdb.aggregated-table-properties-at-level9");
    property(db, "rocksdb.aggregated-table-properties-x");
    property(db, "rocksdb.oldest-snapshot-time");
    property(db, "rocksdb.oldest-snapshot-sequence");
    const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
    property(db, "rocksdb.oldest-snapshot-sequence");
    uint64_t taken = 0;
    CHECK(rocksdb_property_int(db, "rocksdb.oldest-snapshot-time", &taken) == 0);
    CHECK(taken > 1700000000);
    rocksdb_release_snapshot(db, snapshot);
}

static void read_only(rocksdb_options_t* options, char** argv) {
    /* There is a WAL, but only lists of families mind. */
    rocksdb_t* db = rocksdb_open_for_read_only(options, in_dir(argv, "db"), 1, &err);
    OK;
    may("read only", db, "in the log");
    const char* names[] = {"write_buffer_size"};
    const char* values[] = {"12345678"};
    rocksdb_set_options(db, 1, names, values, &err);
    OK;
    names[0] = "nonsense";
    rocksdb_set_options(db, 1, names, values, &err);
    FAILED;
    rocksdb_checkpoint_t* checkpoint = rocksdb_checkpoint_object_create(db, &err);
    OK;
    rocksdb_checkpoint_create(checkpoint, in_dir(argv, "copy"), 0, &err);
    OK;
    rocksdb_checkpoint_object_destroy(checkpoint);
    rocksdb_backup_engine_t* engine =
        rocksdb_backup_engine_open(options, in_dir(argv, "backups"), &err);
    OK;
    rocksdb_backup_engine_create_new_backup_flush(engine, db, 1, &err);
    OK;
    rocksdb_backup_engine_close(engine);
    rocksdb_disable_file_deletions(db, &err);
    FAILED;
    rocksdb_flush_wal(db, 1, &err);
    FAILED;
    rocksdb_close(db);
    rocksdb_t* copy = open_new(in_dir(argv, "copy"));
    expect(copy, "a", "1");
    rocksdb_close(copy);

    const char* family[] = {"default"};
    const rocksdb_options_t* each[] = {options};
    rocksdb_column_family_handle_t* handle;
    CHECK(rocksdb_open_for_read_only_column_families(options, in_dir(argv, "db"), 1, family, each,
                                                     &handle, 1, &err) == NULL);
    FAILED;
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    put(db, "a", "1");
    put(db, "c", "3");
    flush(db);
    may("in a table", db, "a");
    may("in a table", db, "b");
    may("in a table", db, "z");
    put(db, "m", "memory");
    may("in memory", db, "m");
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_delete(db, wo, S("m"), &err);
    OK;
    rocksdb_writeoptions_destroy(wo);
    may("deleted", db, "m");
    expect(db, "a", "1");
    may("cached", db, "a");
    may("cached", db, "b");
    may("cached", db, "z");
    properties(db);
    put(db, "in the log", "1");
    rocksdb_close(db);
    rocksdb_options_t* options = rocksdb_options_create();
    read_only(options, argv);
    rocksdb_options_destroy(options);
    return 0;
}
