/* Ranges deleted, alone and in batches. */
#include "check.h"

static const char* const begins[1] = {"g"};
static const char* const ends[1] = {"h"};
static const size_t ones[1] = {1};

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    char key[2] = "a";
    for (; key[0] <= 'z'; key[0]++) put(db, key, "1");
    flush(db);
    rocksdb_delete_range_cf(db, wo, cf, S("a"), S("c"), &err);
    OK;
    expect(db, "b", NULL);
    expect(db, "c", "1");
    rocksdb_writebatch_t* b = rocksdb_writebatch_create();
    rocksdb_writebatch_delete_range(b, S("d"), S("e"));
    rocksdb_writebatch_delete_range_cf(b, cf, S("e"), S("f"));
    rocksdb_writebatch_delete_rangev(b, 1, begins, ones, ends, ones);
    rocksdb_writebatch_delete_rangev_cf(b, cf, 1, begins, ones, ends, ones);
    rocksdb_writebatch_put(b, S("e"), S("again"));
    CHECK(rocksdb_writebatch_count(b) == 5);
    rocksdb_write(db, wo, b, &err);
    OK;
    rocksdb_writebatch_destroy(b);
    expect(db, "d", NULL);
    expect(db, "e", "again");
    expect(db, "g", NULL);
    flush(db);
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_iterator_t* it = rocksdb_create_iterator(db, ro);
    rocksdb_iter_seek_to_first(it);
    print_rest("rest", it);
    rocksdb_iter_destroy(it);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    it = rocksdb_create_iterator(db, ro);
    rocksdb_iter_seek_to_first(it);
    print_rest("compacted", it);
    rocksdb_iter_destroy(it);
    rocksdb_readoptions_destroy(ro);
    rocksdb_writeoptions_destroy(wo);
    rocksdb_column_family_handle_destroy(cf);
    rocksdb_close(db);
    return 0;
}
