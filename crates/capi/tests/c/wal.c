/* What was written since a sequence number. */
#include "check.h"

static void on_put(void* state, const char* k, size_t klen, const char* v, size_t vlen) {
    (void)state;
    printf(" put(%.*s,%.*s)", (int)klen, k, (int)vlen, v);
}

static void on_delete(void* state, const char* k, size_t klen) {
    (void)state;
    printf(" delete(%.*s)", (int)klen, k);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    put(db, "a", "1");
    put(db, "b", "2");
    put(db, "c", "3");
    rocksdb_wal_iterator_t* it = rocksdb_get_updates_since(db, 2, NULL, &err);
    OK;
    for (; rocksdb_wal_iter_valid(it); rocksdb_wal_iter_next(it)) {
        uint64_t sequence = 0;
        rocksdb_writebatch_t* batch = rocksdb_wal_iter_get_batch(it, &sequence);
        printf("%d:", (int)sequence);
        rocksdb_writebatch_iterate(batch, NULL, on_put, on_delete);
        printf("\n");
        rocksdb_writebatch_destroy(batch);
    }
    rocksdb_wal_iter_status(it, &err);
    OK;
    rocksdb_wal_iter_destroy(it);
    it = rocksdb_get_updates_since(db, 100, NULL, &err);
    FAILED;
    CHECK(it == NULL);
    rocksdb_close(db);
    return 0;
}
