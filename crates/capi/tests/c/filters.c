/* Compaction filters, alone and from a factory. */
#include "check.h"

static int destroyed, made;

static void destructor(void* state) {
    CHECK(state == (void*)3);
    destroyed++;
}

static const char* name(void* state) {
    (void)state;
    return "smoke";
}

/* Removes what begins with "r", changes what begins with "c". */
static unsigned char filter(void* state, int level, const char* key, size_t klen, const char* value,
                            size_t vlen, char** new_value, size_t* new_len, unsigned char* changed) {
    CHECK(state == (void*)3 && level >= 0 && klen > 0 && value && vlen > 0);
    if (key[0] == 'r') return 1;
    if (key[0] == 'c') {
        *changed = 1;
        *new_value = (char*)"changed";
        *new_len = 7;
    }
    return 0;
}

static rocksdb_compactionfilter_t* make(void* state, rocksdb_compactionfiltercontext_t* context) {
    CHECK(state == (void*)3);
    if (made++ == 0) {
        printf("full %d manual %d\n", rocksdb_compactionfiltercontext_is_full_compaction(context),
               rocksdb_compactionfiltercontext_is_manual_compaction(context));
    }
    return rocksdb_compactionfilter_create((void*)3, destructor, filter, name);
}

static void use(rocksdb_options_t* options, const char* path) {
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_t* db = rocksdb_open(options, path, &err);
    OK;
    put(db, "a", "1");
    put(db, "c", "2");
    put(db, "r", "3");
    flush(db);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    expect(db, "a", "1");
    expect(db, "c", "changed");
    expect(db, "r", NULL);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_compactionfilter_t* one =
        rocksdb_compactionfilter_create((void*)3, destructor, filter, name);
    rocksdb_compactionfilter_set_ignore_snapshots(one, 1);
    rocksdb_options_set_compaction_filter(options, one);
    use(options, in_dir(argv, "one"));
    rocksdb_compactionfilter_destroy(one);
    CHECK(destroyed == 1);

    options = rocksdb_options_create();
    rocksdb_options_set_compaction_filter_factory(
        options, rocksdb_compactionfilterfactory_create((void*)3, destructor, make, name));
    use(options, in_dir(argv, "factory"));
    CHECK(made > 0 && destroyed == 1 + made + 1);
    rocksdb_compactionfilterfactory_destroy(
        rocksdb_compactionfilterfactory_create((void*)3, destructor, make, name));
    CHECK(destroyed == 1 + made + 2);
    return 0;
}
