/* What files there are, how large ranges are, and files that go as a whole. */
#include "check.h"

static void fill(rocksdb_t* db) {
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    char key[16], value[1000];
    memset(value, 'v', sizeof value);
    for (int i = 0; i < 300; i++) {
        snprintf(key, sizeof key, "key%04d", i);
        value[i] = (char)i;
        rocksdb_put(db, wo, S(key), value, sizeof value, &err);
        OK;
        if (i % 100 == 99) flush(db);
    }
    rocksdb_writeoptions_destroy(wo);
}

static void live(rocksdb_t* db) {
    const rocksdb_livefiles_t* list = rocksdb_livefiles(db);
    CHECK(rocksdb_livefiles_count(list) == 3);
    for (int i = 0; i < 3; i++) {
        size_t a, b;
        const char* smallest = rocksdb_livefiles_smallestkey(list, i, &a);
        const char* largest = rocksdb_livefiles_largestkey(list, i, &b);
        printf("%s level %d, %.*s to %.*s, seqno %d to %d, %d entries, %d deletions\n",
               rocksdb_livefiles_column_family_name(list, i), rocksdb_livefiles_level(list, i),
               (int)a, smallest, (int)b, largest, (int)rocksdb_livefiles_smallest_seqno(list, i),
               (int)rocksdb_livefiles_largest_seqno(list, i),
               (int)rocksdb_livefiles_entries(list, i), (int)rocksdb_livefiles_deletions(list, i));
        CHECK(rocksdb_livefiles_name(list, i)[0] == '/');
        CHECK(rocksdb_livefiles_directory(list, i)[0] == '/');
        CHECK(rocksdb_livefiles_size(list, i) > 1000);
    }
    rocksdb_livefiles_destroy(list);
}

static void metadata(rocksdb_column_family_metadata_t* meta) {
    char* name = rocksdb_column_family_metadata_get_name(meta);
    printf("%s: %zu levels, %zu files\n", name, rocksdb_column_family_metadata_get_level_count(meta),
           rocksdb_column_family_metadata_get_file_count(meta));
    rocksdb_free(name);
    CHECK(rocksdb_column_family_metadata_get_size(meta) > 3000);
    rocksdb_level_metadata_t* level = rocksdb_column_family_metadata_get_level_metadata(meta, 0);
    CHECK(rocksdb_column_family_metadata_get_level_metadata(meta, 99) == NULL);
    printf("level %d: %zu files\n", rocksdb_level_metadata_get_level(level),
           rocksdb_level_metadata_get_file_count(level));
    CHECK(rocksdb_level_metadata_get_size(level) > 3000);
    CHECK(rocksdb_level_metadata_get_sst_file_metadata(level, 99) == NULL);
    rocksdb_sst_file_metadata_t* file = rocksdb_level_metadata_get_sst_file_metadata(level, 0);
    size_t a, b;
    char* smallest = rocksdb_sst_file_metadata_get_smallestkey(file, &a);
    char* largest = rocksdb_sst_file_metadata_get_largestkey(file, &b);
    printf("%.*s to %.*s\n", (int)a, smallest, (int)b, largest);
    rocksdb_free(smallest);
    rocksdb_free(largest);
    char* text = rocksdb_sst_file_metadata_get_relative_filename(file);
    CHECK(strstr(text, ".sst"));
    rocksdb_free(text);
    text = rocksdb_sst_file_metadata_get_directory(file);
    CHECK(text[0] == '/');
    rocksdb_free(text);
    CHECK(rocksdb_sst_file_metadata_get_size(file) > 1000);
    rocksdb_sst_file_metadata_destroy(file);
    rocksdb_level_metadata_destroy(level);
    rocksdb_column_family_metadata_destroy(meta);
}

static void sizes(rocksdb_t* db, rocksdb_column_family_handle_t* cf) {
    const char* begin[2] = {"key0000", "key9"};
    const size_t begin_len[2] = {7, 4};
    const char* end[2] = {"key0200", "key99"};
    const size_t end_len[2] = {7, 5};
    uint64_t out[2] = {0, 7};
    rocksdb_approximate_sizes(db, 2, begin, begin_len, end, end_len, out, &err);
    OK;
    CHECK(out[0] > 100 && out[1] == 0);
    rocksdb_approximate_sizes_cf(db, cf, 2, begin, begin_len, end, end_len, out, &err);
    OK;
    CHECK(out[0] > 100 && out[1] == 0);
    rocksdb_approximate_sizes_cf_with_flags(db, cf, 2, begin, begin_len, end, end_len,
                                            rocksdb_size_approximation_flags_include_memtable, out,
                                            &err);
    OK;
    CHECK(out[0] == 0 && out[1] == 0);
    rocksdb_approximate_sizes_cf_with_flags(db, cf, 1, begin, begin_len, end, end_len, 0, out, &err);
    FAILED;
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    fill(db);
    live(db);
    metadata(rocksdb_get_column_family_metadata(db));
    metadata(rocksdb_get_column_family_metadata_cf(db, cf));
    sizes(db, cf);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    rocksdb_delete_file_in_range(db, S("key0000"), S("key0100"), &err);
    OK;
    rocksdb_delete_file_in_range_cf(db, cf, S("key"), S("l"), &err);
    OK;
    expect(db, "key0150", NULL);
    rocksdb_column_family_handle_destroy(cf);
    rocksdb_close(db);

    rocksdb_livefiles_t* list = rocksdb_livefiles_create();
    rocksdb_livefile_t* file = rocksdb_livefile_create();
    rocksdb_livefile_set_column_family_name(file, "family");
    rocksdb_livefile_set_level(file, 3);
    rocksdb_livefile_set_name(file, "/7.sst");
    rocksdb_livefile_set_directory(file, "/dir");
    rocksdb_livefile_set_size(file, 1234);
    rocksdb_livefile_set_smallest_key(file, S("aa"));
    rocksdb_livefile_set_largest_key(file, S("bb"));
    rocksdb_livefile_set_smallest_seqno(file, 5);
    rocksdb_livefile_set_largest_seqno(file, 6);
    rocksdb_livefile_set_num_entries(file, 7);
    rocksdb_livefile_set_num_deletions(file, 8);
    /* It is the list's from here. */
    rocksdb_livefiles_add(list, file);
    rocksdb_livefile_destroy(rocksdb_livefile_create());
    CHECK(rocksdb_livefiles_count(list) == 1 && rocksdb_livefiles_level(list, 0) == 3);
    printf("%s %s %d\n", rocksdb_livefiles_column_family_name(list, 0),
           rocksdb_livefiles_name(list, 0), (int)rocksdb_livefiles_entries(list, 0));
    rocksdb_livefiles_destroy(list);
    return 0;
}
