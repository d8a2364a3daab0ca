/* Open, write, read, flush, close; properties; errors of all of these. */
#include "check.h"

static void errors(char** argv) {
    rocksdb_options_t* options = rocksdb_options_create();
    CHECK(rocksdb_open(options, in_dir(argv, "absent"), &err) == NULL);
    FAILED;
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, "twice"), &err);
    OK;
    /* An older text in errptr is freed. */
    err = strdup("older");
    CHECK(rocksdb_open(options, in_dir(argv, "twice"), &err) == NULL);
    CHECK(strncmp(err, "IO error: lock hold by current process, acquire time ", 53) == 0);
    rocksdb_free(err);
    err = NULL;
    rocksdb_close(db);
    rocksdb_options_set_error_if_exists(options, 1);
    CHECK(rocksdb_open(options, in_dir(argv, "twice"), &err) == NULL);
    FAILED;
    rocksdb_options_destroy(options);
}

static void properties(rocksdb_t* db) {
    uint64_t number = 77;
    CHECK(rocksdb_property_int(db, "rocksdb.num-entries-active-mem-table", &number) == 0);
    CHECK(number == 1);
    CHECK(rocksdb_property_int(db, "rocksdb.no-such", &number) != 0);
    CHECK(rocksdb_property_value(db, "rocksdb.no-such") == NULL);
    char* text = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
    CHECK(text != NULL && strcmp(text, "1") == 0);
    rocksdb_free(text);
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    CHECK(rocksdb_property_int_cf(db, cf, "rocksdb.estimate-num-keys", &number) == 0);
    printf("estimate-num-keys %d\n", (int)number);
    text = rocksdb_property_value_cf(db, cf, "rocksdb.num-immutable-mem-table");
    CHECK(text != NULL && strcmp(text, "0") == 0);
    rocksdb_free(text);
    rocksdb_column_family_handle_destroy(cf);
}

static void into_buffers(rocksdb_t* db, rocksdb_readoptions_t* ro) {
    char buffer[8];
    size_t len = 0;
    unsigned char found = 7;
    CHECK(rocksdb_get_into_buffer(db, ro, S("a"), buffer, sizeof buffer, &len, &found, &err) == 1);
    OK;
    CHECK(found == 1 && same(buffer, len, "one"));
    CHECK(rocksdb_get_into_buffer(db, ro, S("a"), buffer, 2, &len, &found, &err) == 0);
    OK;
    CHECK(found == 1 && len == 3);
    CHECK(rocksdb_get_into_buffer(db, ro, S("zz"), buffer, 2, &len, &found, &err) == 0);
    OK;
    CHECK(found == 0 && len == 0);
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    CHECK(rocksdb_get_into_buffer_cf(db, ro, cf, S("a"), buffer, sizeof buffer, &len, &found, &err));
    OK;
    CHECK(found == 1 && same(buffer, len, "one"));
    rocksdb_column_family_handle_destroy(cf);
}

static void pinned(rocksdb_t* db, rocksdb_readoptions_t* ro) {
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    size_t len;
    rocksdb_pinnableslice_t* slice = rocksdb_get_pinned(db, ro, S("a"), &err);
    OK;
    CHECK(SAME(rocksdb_pinnableslice_value(slice, &len), len, "one"));
    rocksdb_pinnableslice_destroy(slice);
    CHECK(rocksdb_get_pinned(db, ro, S("zz"), &err) == NULL);
    OK;
    CHECK(rocksdb_pinnableslice_value(NULL, &len) == NULL && len == 0);
    slice = rocksdb_get_pinned_cf(db, ro, cf, S("a"), &err);
    OK;
    CHECK(SAME(rocksdb_pinnableslice_value(slice, &len), len, "one"));
    rocksdb_pinnableslice_destroy(slice);

    rocksdb_pinnable_handle_t* handle = rocksdb_get_pinned_v2(db, ro, S("a"), &err);
    OK;
    CHECK(SAME(rocksdb_pinnable_handle_get_value(handle, &len), len, "one"));
    rocksdb_pinnable_handle_destroy(handle);
    handle = rocksdb_get_pinned_cf_v2(db, ro, cf, S("a"), &err);
    OK;
    CHECK(SAME(rocksdb_pinnable_handle_get_value(handle, &len), len, "one"));
    rocksdb_pinnable_handle_destroy(handle);
    CHECK(rocksdb_get_pinned_v2(db, ro, S("zz"), &err) == NULL);
    OK;
    rocksdb_column_family_handle_destroy(cf);
}

static void many(rocksdb_t* db, rocksdb_readoptions_t* ro) {
    const char* keys[3] = {"a", "zz", "b"};
    const size_t lengths[3] = {1, 2, 1};
    char* values[3];
    size_t found[3];
    char* errors[3];
    rocksdb_multi_get(db, ro, 3, keys, lengths, values, found, errors);
    CHECK(!errors[0] && !errors[1] && !errors[2] && values[1] == NULL && found[1] == 0);
    IS(values[0], found[0], "one");
    IS(values[2], found[2], "two");

    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    const rocksdb_column_family_handle_t* cfs[3] = {cf, cf, cf};
    rocksdb_multi_get_cf(db, ro, cfs, 3, keys, lengths, values, found, errors);
    CHECK(!errors[0] && !errors[1] && !errors[2] && values[1] == NULL);
    IS(values[0], found[0], "one");
    IS(values[2], found[2], "two");

    rocksdb_pinnableslice_t* slices[3];
    rocksdb_batched_multi_get_cf(db, ro, cf, 3, keys, lengths, slices, errors, false);
    size_t len;
    CHECK(!errors[0] && !errors[1] && !errors[2] && slices[1] == NULL);
    CHECK(SAME(rocksdb_pinnableslice_value(slices[2], &len), len, "two"));
    rocksdb_pinnableslice_destroy(slices[0]);
    rocksdb_pinnableslice_destroy(slices[2]);

    rocksdb_slice_t list[2] = {{"a", 1}, {"b", 1}};
    rocksdb_batched_multi_get_cf_slice(db, ro, cf, 2, list, slices, errors, true);
    CHECK(!errors[0] && !errors[1]);
    CHECK(SAME(rocksdb_pinnableslice_value(slices[0], &len), len, "one"));
    rocksdb_pinnableslice_destroy(slices[0]);
    rocksdb_pinnableslice_destroy(slices[1]);
    rocksdb_column_family_handle_destroy(cf);
}

static void may_exist(rocksdb_t* db, rocksdb_readoptions_t* ro) {
    char* value = NULL;
    size_t len = 0;
    unsigned char found = 0;
    CHECK(rocksdb_key_may_exist(db, ro, S("b"), &value, &len, NULL, 0, &found) == 1);
    CHECK(found == 1);
    IS(value, len, "two");
    CHECK(rocksdb_key_may_exist(db, ro, S("a"), NULL, NULL, NULL, 0, NULL) == 1);
    CHECK(rocksdb_key_may_exist(db, ro, S("nothing"), NULL, NULL, NULL, 0, NULL) == 0);
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    CHECK(rocksdb_key_may_exist_cf(db, ro, cf, S("b"), &value, &len, NULL, 0, &found) == 1);
    CHECK(found == 1);
    IS(value, len, "two");
    rocksdb_column_family_handle_destroy(cf);
}

static void snapshots(rocksdb_t* db, rocksdb_readoptions_t* ro) {
    uint64_t before = rocksdb_get_latest_sequence_number(db);
    const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
    CHECK(rocksdb_snapshot_get_sequence_number(snapshot) == before);
    put(db, "a", "newer");
    rocksdb_readoptions_set_snapshot(ro, snapshot);
    size_t len;
    IS(rocksdb_get(db, ro, S("a"), &len, &err), len, "one");
    rocksdb_readoptions_set_snapshot(ro, NULL);
    IS(rocksdb_get(db, ro, S("a"), &len, &err), len, "newer");
    rocksdb_release_snapshot(db, snapshot);
    CHECK(rocksdb_get_latest_sequence_number(db) == before + 1);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    errors(argv);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    put(db, "a", "one");
    flush(db);
    put(db, "b", "two");
    properties(db);
    into_buffers(db, ro);
    pinned(db, ro);
    many(db, ro);
    may_exist(db, ro);
    snapshots(db, ro);

    rocksdb_writeoptions_set_sync(wo, 1);
    rocksdb_put(db, wo, "", 0, "", 0, &err);
    OK;
    size_t len;
    IS(rocksdb_get(db, ro, "", 0, &len, &err), len, "");
    rocksdb_delete(db, wo, S("a"), &err);
    OK;
    rocksdb_singledelete(db, wo, S("b"), &err);
    OK;
    expect(db, "a", NULL);
    expect(db, "b", NULL);
    rocksdb_merge(db, wo, S("c"), S("x"), &err);
    FAILED;
    rocksdb_writeoptions_set_sync(wo, 0);
    rocksdb_writeoptions_disable_WAL(wo, 1);
    rocksdb_put(db, wo, S("unlogged"), S("x"), &err);
    OK;
    rocksdb_writeoptions_disable_WAL(wo, 0);
    rocksdb_flush_wal(db, 1, &err);
    OK;
    flush(db);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    rocksdb_compact_range(db, S("a"), S("b"));
    expect(db, "unlogged", "x");

    char* identity = rocksdb_get_db_identity(db, &len);
    CHECK(identity != NULL && len == 36);
    rocksdb_free(identity);
    rocksdb_writeoptions_destroy(wo);
    rocksdb_readoptions_destroy(ro);
    rocksdb_close(db);

    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_destroy_db(options, in_dir(argv, "db"), &err);
    OK;
    CHECK(rocksdb_open(options, in_dir(argv, "db"), &err) == NULL);
    FAILED;
    rocksdb_options_destroy(options);
    rocksdb_free(NULL);
    return 0;
}
