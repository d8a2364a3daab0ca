/* Many threads on one database: writers, readers, iterators, flushes, compactions. For ThreadSanitizer. */
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 300 };

static rocksdb_t* db;

static void key_of(char* key, size_t size, int thread, int round) {
    snprintf(key, size, "thread%d-key%06d", thread, round);
}

static void* write_keys(void* argument) {
    int thread = (int)(size_t)argument;
    char* error = NULL;
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    char key[64];
    for (int i = 0; i < ROUNDS; i++) {
        key_of(key, sizeof key, thread, i);
        rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
        rocksdb_writebatch_put(batch, S(key), S("value"));
        rocksdb_writebatch_put(batch, S("shared"), S(key));
        rocksdb_write(db, wo, batch, &error);
        CHECK(error == NULL);
        rocksdb_writebatch_destroy(batch);
        size_t len;
        char* value = rocksdb_get(db, ro, S(key), &len, &error);
        CHECK(error == NULL && value != NULL && len == 5);
        rocksdb_free(value);
    }
    rocksdb_writeoptions_destroy(wo);
    rocksdb_readoptions_destroy(ro);
    return NULL;
}

static void* read_keys(void* argument) {
    (void)argument;
    char* error = NULL;
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    for (int i = 0; i < ROUNDS / 10; i++) {
        const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
        rocksdb_readoptions_set_snapshot(ro, snapshot);
        rocksdb_iterator_t* it = rocksdb_create_iterator(db, ro);
        int before = 0, after = 0;
        for (rocksdb_iter_seek_to_first(it); rocksdb_iter_valid(it); rocksdb_iter_next(it)) before++;
        for (rocksdb_iter_seek_to_last(it); rocksdb_iter_valid(it); rocksdb_iter_prev(it)) after++;
        rocksdb_iter_get_error(it, &error);
        CHECK(error == NULL && before == after);
        rocksdb_iter_destroy(it);
        rocksdb_pinnableslice_t* slice = rocksdb_get_pinned(db, ro, S("shared"), &error);
        CHECK(error == NULL);
        rocksdb_pinnableslice_destroy(slice);
        rocksdb_readoptions_set_snapshot(ro, NULL);
        rocksdb_release_snapshot(db, snapshot);
    }
    rocksdb_readoptions_destroy(ro);
    return NULL;
}

static void* work_behind(void* argument) {
    (void)argument;
    char* error = NULL;
    rocksdb_flushoptions_t* fo = rocksdb_flushoptions_create();
    for (int i = 0; i < 6; i++) {
        rocksdb_flush(db, fo, &error);
        CHECK(error == NULL);
        if (i % 3 == 2) rocksdb_compact_range(db, NULL, 0, NULL, 0);
        char* text = rocksdb_property_value(db, "rocksdb.stats");
        CHECK(text != NULL);
        rocksdb_free(text);
    }
    rocksdb_flushoptions_destroy(fo);
    return NULL;
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_write_buffer_size(options, 64 << 10);
    rocksdb_options_increase_parallelism(options, 4);
    db = rocksdb_open(options, in_dir(argv, "db"), &err);
    OK;
    pthread_t threads[2 * THREADS + 1];
    int n = 0;
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[n++], NULL, write_keys, (void*)(size_t)i) == 0);
        CHECK(pthread_create(&threads[n++], NULL, read_keys, NULL) == 0);
    }
    CHECK(pthread_create(&threads[n++], NULL, work_behind, NULL) == 0);
    for (int i = 0; i < n; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    char key[64];
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < ROUNDS; i++) {
            key_of(key, sizeof key, t, i);
            expect(db, key, "value");
        }
    }
    rocksdb_close(db);
    rocksdb_options_destroy(options);
    return 0;
}
