/* Comparator, merge operator, prefix extractor of the program's own. */
#include "check.h"

static int destroyed;

static void destructor(void* state) {
    CHECK(state == (void*)7);
    destroyed++;
}

static int backwards(void* state, const char* a, size_t alen, const char* b, size_t blen) {
    CHECK(state == (void*)7);
    int order = memcmp(a, b, alen < blen ? alen : blen);
    if (order == 0) order = alen < blen ? -1 : alen > blen;
    return -order;
}

static const char* name(void* state) {
    CHECK(state == (void*)7);
    return "smoke";
}

/* Joins operands with commas; an operand "fail" fails. */
static char* join(const char* first, size_t first_len, const char* const* list, const size_t* lengths,
                  int n, unsigned char* success, size_t* new_len) {
    size_t size = first_len + 1;
    for (int i = 0; i < n; i++) size += lengths[i] + 1;
    char* out = malloc(size);
    size_t at = 0;
    if (first) {
        memcpy(out, first, first_len);
        at = first_len;
    }
    for (int i = 0; i < n; i++) {
        if (at) out[at++] = ',';
        memcpy(out + at, list[i], lengths[i]);
        at += lengths[i];
    }
    *success = !(n > 0 && lengths[0] == 4 && memcmp(list[0], "fail", 4) == 0);
    *new_len = at;
    return out;
}

static char* full(void* state, const char* key, size_t klen, const char* existing, size_t elen,
                  const char* const* list, const size_t* lengths, int n, unsigned char* success,
                  size_t* new_len) {
    CHECK(state == (void*)7 && key && klen == 1);
    return join(existing, existing ? elen : 0, list, lengths, n, success, new_len);
}

static char* partial(void* state, const char* key, size_t klen, const char* const* list,
                     const size_t* lengths, int n, unsigned char* success, size_t* new_len) {
    CHECK(state == (void*)7 && key && klen == 1);
    return join(NULL, 0, list, lengths, n, success, new_len);
}

static void delete_value(void* state, const char* value, size_t len) {
    (void)len;
    CHECK(state == (void*)7);
    free((char*)value);
}

static char* first_two(void* state, const char* key, size_t len, size_t* out) {
    CHECK(state == (void*)7);
    *out = len < 2 ? len : 2;
    return (char*)key;
}

static unsigned char always(void* state, const char* key, size_t len) {
    (void)key;
    (void)len;
    CHECK(state == (void*)7);
    return 1;
}

static void comparators(char** argv) {
    rocksdb_comparator_t* comparator = rocksdb_comparator_create((void*)7, destructor, backwards, name);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_comparator(options, comparator);
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, "comparator"), &err);
    OK;
    put(db, "a", "1");
    put(db, "c", "3");
    flush(db);
    put(db, "b", "2");
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_iterator_t* it = rocksdb_create_iterator(db, ro);
    rocksdb_iter_seek_to_first(it);
    print_rest("backwards", it);
    rocksdb_iter_destroy(it);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    expect(db, "a", "1");
    rocksdb_close(db);
    rocksdb_options_destroy(options);
    options = rocksdb_options_create();
    CHECK(rocksdb_open(options, in_dir(argv, "comparator"), &err) == NULL);
    FAILED;
    rocksdb_options_destroy(options);
    rocksdb_readoptions_destroy(ro);
    rocksdb_comparator_destroy(comparator);
    CHECK(destroyed == 1);
}

static void merges(char** argv) {
    rocksdb_mergeoperator_t* merge =
        rocksdb_mergeoperator_create((void*)7, destructor, full, partial, delete_value, name);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    /* The options own it from here. */
    rocksdb_options_set_merge_operator(options, merge);
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, "merge"), &err);
    OK;
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    put(db, "k", "base");
    rocksdb_merge(db, wo, S("k"), S("1"), &err);
    OK;
    flush(db);
    rocksdb_merge(db, wo, S("k"), S("2"), &err);
    OK;
    rocksdb_merge(db, wo, S("m"), S("3"), &err);
    OK;
    expect(db, "k", "base,1,2");
    expect(db, "m", "3");
    flush(db);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    expect(db, "k", "base,1,2");
    rocksdb_merge(db, wo, S("f"), S("fail"), &err);
    OK;
    size_t len;
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    CHECK(rocksdb_get(db, ro, S("f"), &len, &err) == NULL);
    FAILED;
    rocksdb_readoptions_destroy(ro);
    rocksdb_writeoptions_destroy(wo);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
    CHECK(destroyed == 2);

    options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_uint64add_merge_operator(options);
    db = rocksdb_open(options, in_dir(argv, "add"), &err);
    OK;
    wo = rocksdb_writeoptions_create();
    rocksdb_merge(db, wo, S("n"), "\x02\0\0\0\0\0\0\0", 8, &err);
    OK;
    rocksdb_merge(db, wo, S("n"), "\x03\0\0\0\0\0\0\0", 8, &err);
    OK;
    ro = rocksdb_readoptions_create();
    char* sum = rocksdb_get(db, ro, S("n"), &len, &err);
    OK;
    CHECK(len == 8 && sum[0] == 5);
    rocksdb_free(sum);
    rocksdb_readoptions_destroy(ro);
    rocksdb_writeoptions_destroy(wo);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
}

static void prefixes(char** argv, rocksdb_slicetransform_t* transform, const char* dir) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_prefix_extractor(options, transform);
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, dir), &err);
    OK;
    put(db, "aa1", "1");
    put(db, "aa2", "2");
    flush(db);
    put(db, "ab1", "3");
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_readoptions_set_prefix_same_as_start(ro, 1);
    rocksdb_iterator_t* it = rocksdb_create_iterator(db, ro);
    rocksdb_iter_seek(it, S("aa"));
    print_rest(dir, it);
    rocksdb_iter_destroy(it);
    rocksdb_readoptions_destroy(ro);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    comparators(argv);
    merges(argv);
    prefixes(argv,
             rocksdb_slicetransform_create((void*)7, destructor, first_two, always, always, name),
             "own");
    CHECK(destroyed == 3);
    prefixes(argv, rocksdb_slicetransform_create_fixed_prefix(2), "fixed");
    prefixes(argv, rocksdb_slicetransform_create_noop(), "noop");
    rocksdb_slicetransform_destroy(rocksdb_slicetransform_create_noop());
    rocksdb_mergeoperator_destroy(
        rocksdb_mergeoperator_create((void*)7, destructor, full, partial, NULL, name));
    CHECK(destroyed == 4);
    return 0;
}
