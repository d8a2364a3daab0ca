/* Range deletions have no place in an indexed batch: RocksDB leaves them out. */
#include "check.h"

static const char* const begins[1] = {"g"};
static const char* const ends[1] = {"h"};
static const size_t ones[1] = {1};

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    rocksdb_writebatch_wi_t* b = rocksdb_writebatch_wi_create(0, 1);
    rocksdb_writebatch_wi_delete_range(b, S("a"), S("b"));
    rocksdb_writebatch_wi_delete_range_cf(b, cf, S("a"), S("b"));
    rocksdb_writebatch_wi_delete_rangev(b, 1, begins, ones, ends, ones);
    rocksdb_writebatch_wi_delete_rangev_cf(b, cf, 1, begins, ones, ends, ones);
    printf("count %d\n", rocksdb_writebatch_wi_count(b));
    rocksdb_writebatch_wi_destroy(b);
    rocksdb_column_family_handle_destroy(cf);
    rocksdb_close(db);
    return 0;
}
