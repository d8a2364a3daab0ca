/* Compactions by hand: with options, suggested, awaited, paused, cancelled. */
#include "check.h"

static int files(rocksdb_t* db, int level) {
    char name[64];
    snprintf(name, sizeof name, "rocksdb.num-files-at-level%d", level);
    char* text = rocksdb_property_value(db, name);
    int n = atoi(text);
    rocksdb_free(text);
    return n;
}

static void await(rocksdb_t* db) {
    rocksdb_wait_for_compact_options_t* wait = rocksdb_wait_for_compact_options_create();
    rocksdb_wait_for_compact_options_set_flush(wait, 1);
    rocksdb_wait_for_compact_options_set_timeout(wait, 60000000);
    rocksdb_wait_for_compact(db, wait, &err);
    OK;
    rocksdb_wait_for_compact_options_destroy(wait);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    put(db, "a", "1");
    flush(db);
    put(db, "b", "2");
    flush(db);
    CHECK(files(db, 0) == 2);
    rocksdb_compactoptions_t* co = rocksdb_compactoptions_create();
    rocksdb_compactoptions_set_exclusive_manual_compaction(co, 0);
    rocksdb_compactoptions_set_change_level(co, 1);
    rocksdb_compactoptions_set_target_level(co, 3);
    rocksdb_compact_range_opt(db, co, NULL, 0, NULL, 0);
    /* Where to is not the same each time in RocksDB. */
    CHECK(files(db, 0) == 0);
    rocksdb_compact_range_cf_opt(db, cf, co, S("a"), S("b"));
    /* Where to is not the same each time in RocksDB. */
    CHECK(files(db, 0) == 0);
    rocksdb_compactoptions_destroy(co);

    put(db, "a", "3");
    flush(db);
    rocksdb_suggest_compact_range(db, S("a"), S("b"), &err);
    OK;
    rocksdb_suggest_compact_range_cf(db, cf, NULL, 0, NULL, 0, &err);
    OK;
    await(db);
    expect(db, "a", "3");

    rocksdb_disable_manual_compaction(db);
    put(db, "a", "4");
    flush(db);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    rocksdb_enable_manual_compaction(db);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    CHECK(files(db, 0) == 0);
    expect(db, "a", "4");

    rocksdb_disable_file_deletions(db, &err);
    OK;
    rocksdb_enable_file_deletions(db, &err);
    OK;
    rocksdb_cancel_all_background_work(db, 1);
    expect(db, "b", "2");
    rocksdb_column_family_handle_destroy(cf);
    rocksdb_close(db);
    return 0;
}
