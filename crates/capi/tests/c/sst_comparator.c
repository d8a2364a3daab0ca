/* A table file in an order of the program's own. */
#include "check.h"

static int backwards(void* state, const char* a, size_t alen, const char* b, size_t blen) {
    (void)state;
    int order = memcmp(a, b, alen < blen ? alen : blen);
    return order ? -order : alen < blen ? 1 : -(alen > blen);
}

static const char* name(void* state) {
    (void)state;
    return "smoke";
}

static void nothing(void* state) { (void)state; }

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_comparator_t* comparator = rocksdb_comparator_create(NULL, nothing, backwards, name);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_comparator(options, comparator);
    rocksdb_envoptions_t* env = rocksdb_envoptions_create();
    rocksdb_sstfilewriter_t* writer =
        rocksdb_sstfilewriter_create_with_comparator(env, options, comparator);
    rocksdb_sstfilewriter_open(writer, in_dir(argv, "file.sst"), &err);
    OK;
    rocksdb_sstfilewriter_put(writer, S("b"), S("1"), &err);
    OK;
    rocksdb_sstfilewriter_put(writer, S("a"), S("2"), &err);
    OK;
    rocksdb_sstfilewriter_finish(writer, &err);
    OK;
    rocksdb_sstfilewriter_destroy(writer);
    rocksdb_envoptions_destroy(env);
    rocksdb_options_destroy(options);
    rocksdb_comparator_destroy(comparator);
    return 0;
}
