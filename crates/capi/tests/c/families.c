/* Column families: made, listed, opened, written, dropped. */
#include "check.h"

static rocksdb_options_t* options;

static void write_and_read(rocksdb_t* db, rocksdb_column_family_handle_t** cfs) {
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    size_t len;
    rocksdb_put_cf(db, wo, cfs[1], S("a"), S("one"), &err);
    OK;
    CHECK(rocksdb_get_cf(db, ro, cfs[0], S("a"), &len, &err) == NULL && len == 0);
    OK;
    IS(rocksdb_get_cf(db, ro, cfs[1], S("a"), &len, &err), len, "one");
    rocksdb_put_cf(db, wo, cfs[1], S("b"), S("two"), &err);
    OK;
    rocksdb_delete_cf(db, wo, cfs[1], S("a"), &err);
    OK;
    rocksdb_singledelete_cf(db, wo, cfs[1], S("b"), &err);
    OK;
    CHECK(rocksdb_get_cf(db, ro, cfs[1], S("a"), &len, &err) == NULL);
    CHECK(rocksdb_get_cf(db, ro, cfs[1], S("b"), &len, &err) == NULL);
    rocksdb_merge_cf(db, wo, cfs[1], S("b"), S("two"), &err);
    FAILED;
    rocksdb_put_cf(db, wo, cfs[1], S("c"), S("three"), &err);
    OK;

    rocksdb_flushoptions_t* fo = rocksdb_flushoptions_create();
    rocksdb_flush_cf(db, fo, cfs[1], &err);
    OK;
    rocksdb_flush_cfs(db, fo, cfs, 2, &err);
    OK;
    rocksdb_flushoptions_destroy(fo);
    rocksdb_compact_range_cf(db, cfs[1], NULL, 0, NULL, 0);
    char* text = rocksdb_property_value_cf(db, cfs[1], "rocksdb.num-files-at-level0");
    CHECK(text != NULL);
    rocksdb_free(text);

    rocksdb_iterator_t* its[2];
    rocksdb_create_iterators(db, ro, cfs, its, 2, &err);
    OK;
    for (int i = 0; i < 2; i++) {
        rocksdb_iter_seek_to_first(its[i]);
        print_rest(i ? "family" : "default", its[i]);
        rocksdb_iter_destroy(its[i]);
    }
    rocksdb_writeoptions_destroy(wo);
    rocksdb_readoptions_destroy(ro);
}

static void create(const char* path) {
    rocksdb_t* db = open_new(path);
    rocksdb_column_family_handle_t* one = rocksdb_create_column_family(db, options, "one", &err);
    OK;
    /* What it returns then is nothing to use: RocksDB gives an empty handle. */
    rocksdb_create_column_family(db, options, "one", &err);
    FAILED;
    const char* names[2] = {"two", "three"};
    size_t made = 0;
    rocksdb_column_family_handle_t** list =
        rocksdb_create_column_families(db, options, 2, names, &made, &err);
    OK;
    CHECK(made == 2);
    size_t len;
    IS(rocksdb_column_family_handle_get_name(list[1], &len), len, "three");
    printf("ids %u %u\n", rocksdb_column_family_handle_get_id(one),
           rocksdb_column_family_handle_get_id(list[1]));
    rocksdb_drop_column_family(db, list[1], &err);
    OK;
    rocksdb_column_family_handle_destroy(list[0]);
    rocksdb_column_family_handle_destroy(list[1]);
    rocksdb_create_column_families_destroy(list);
    rocksdb_column_family_handle_destroy(one);
    rocksdb_close(db);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    options = rocksdb_options_create();
    const char* path = in_dir(argv, "db");
    create(path);

    size_t count = 0;
    char** list = rocksdb_list_column_families(options, path, &count, &err);
    OK;
    for (size_t i = 0; i < count; i++) printf("%s\n", list[i]);
    rocksdb_list_column_families_destroy(list, count);
    list = rocksdb_list_column_families(options, in_dir(argv, "absent"), &count, &err);
    FAILED;
    CHECK(count == 0);
    rocksdb_list_column_families_destroy(list, count);

    const char* some[2] = {"default", "one"};
    const rocksdb_options_t* of_some[2] = {options, options};
    rocksdb_column_family_handle_t* none[2];
    CHECK(rocksdb_open_column_families(options, path, 2, some, of_some, none, &err) == NULL);
    FAILED;
    const char* names[3] = {"default", "one", "two"};
    const rocksdb_options_t* each[3] = {options, options, options};
    rocksdb_column_family_handle_t* cfs[3];
    rocksdb_t* db = rocksdb_open_column_families(options, path, 3, names, each, cfs, &err);
    OK;
    write_and_read(db, cfs);
    for (int i = 0; i < 3; i++) rocksdb_column_family_handle_destroy(cfs[i]);
    rocksdb_close(db);

    const char* more[4] = {"default", "one", "two", "new"};
    const rocksdb_options_t* of_more[4] = {options, options, options, options};
    rocksdb_column_family_handle_t* found[4];
    CHECK(rocksdb_open_column_families(options, path, 4, more, of_more, found, &err) == NULL);
    FAILED;
    rocksdb_options_set_create_missing_column_families(options, 1);
    db = rocksdb_open_column_families(options, path, 4, more, of_more, found, &err);
    OK;
    for (int i = 0; i < 4; i++) rocksdb_column_family_handle_destroy(found[i]);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
    return 0;
}
