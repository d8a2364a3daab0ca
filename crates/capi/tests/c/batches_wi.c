/* Indexed batches: written, read through, walked over a database. */
#include "check.h"

static void on_put(void* state, const char* k, size_t klen, const char* v, size_t vlen) {
    (void)state;
    printf(" put(%.*s,%.*s)", (int)klen, k, (int)vlen, v);
}

static void on_delete(void* state, const char* k, size_t klen) {
    (void)state;
    printf(" delete(%.*s)", (int)klen, k);
}

static const char* const keys[2] = {"ke", "y"};
static const size_t key_lengths[2] = {2, 1};
static const char* const values[2] = {"val", "ue"};
static const size_t value_lengths[2] = {3, 2};

static void fill(rocksdb_writebatch_wi_t* b, rocksdb_column_family_handle_t* cf) {
    rocksdb_writebatch_wi_put(b, S("a"), S("1"));
    rocksdb_writebatch_wi_put_cf(b, cf, S("b"), S("2"));
    rocksdb_writebatch_wi_putv(b, 2, keys, key_lengths, 2, values, value_lengths);
    rocksdb_writebatch_wi_putv_cf(b, cf, 2, keys, key_lengths, 1, values, value_lengths);
    rocksdb_writebatch_wi_delete(b, S("c"));
    rocksdb_writebatch_wi_delete_cf(b, cf, S("d"));
    rocksdb_writebatch_wi_deletev(b, 1, keys, key_lengths);
    rocksdb_writebatch_wi_deletev_cf(b, cf, 1, keys, key_lengths);
    rocksdb_writebatch_wi_singledelete(b, S("s"));
    rocksdb_writebatch_wi_singledelete_cf(b, cf, S("t"));
    rocksdb_writebatch_wi_put_log_data(b, S("log"));
    size_t size;
    CHECK(rocksdb_writebatch_wi_data(b, &size) != NULL);
    printf("count %d, %zu bytes:", rocksdb_writebatch_wi_count(b), size);
    rocksdb_writebatch_wi_iterate(b, NULL, on_put, on_delete);
    printf("\n");
}

static void reads(rocksdb_writebatch_wi_t* b, rocksdb_t* db, rocksdb_column_family_handle_t* cf) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    size_t len;
    IS(rocksdb_writebatch_wi_get_from_batch(b, options, S("a"), &len, &err), len, "1");
    IS(rocksdb_writebatch_wi_get_from_batch_cf(b, options, cf, S("b"), &len, &err), len, "2");
    CHECK(rocksdb_writebatch_wi_get_from_batch(b, options, S("z"), &len, &err) == NULL);
    OK;
    IS(rocksdb_writebatch_wi_get_from_batch_and_db(b, db, ro, S("z"), &len, &err), len, "old");
    IS(rocksdb_writebatch_wi_get_from_batch_and_db_cf(b, db, ro, cf, S("z"), &len, &err), len, "old");
    CHECK(rocksdb_writebatch_wi_get_from_batch_and_db(b, db, ro, S("c"), &len, &err) == NULL);
    OK;
    rocksdb_pinnableslice_t* p =
        rocksdb_writebatch_wi_get_pinned_from_batch_and_db(b, db, ro, S("z"), &err);
    OK;
    CHECK(SAME(rocksdb_pinnableslice_value(p, &len), len, "old"));
    rocksdb_pinnableslice_destroy(p);
    p = rocksdb_writebatch_wi_get_pinned_from_batch_and_db_cf(b, db, ro, cf, S("a"), &err);
    OK;
    CHECK(SAME(rocksdb_pinnableslice_value(p, &len), len, "1"));
    rocksdb_pinnableslice_destroy(p);

    /* The iterator over both owns the one over the database. */
    rocksdb_iterator_t* it =
        rocksdb_writebatch_wi_create_iterator_with_base(b, rocksdb_create_iterator(db, ro));
    rocksdb_iter_seek_to_first(it);
    print_rest("both", it);
    rocksdb_iter_destroy(it);
    it = rocksdb_writebatch_wi_create_iterator_with_base_cf(b, rocksdb_create_iterator(db, ro), cf);
    rocksdb_iter_seek(it, S("b"));
    print_rest("both, of a family", it);
    rocksdb_iter_destroy(it);
    it = rocksdb_writebatch_wi_create_iterator_with_base_readopts(
        b, rocksdb_create_iterator(db, ro), ro);
    rocksdb_iter_seek_to_last(it);
    print_rest("both, last", it);
    rocksdb_iter_destroy(it);
    it = rocksdb_writebatch_wi_create_iterator_with_base_cf_readopts(
        b, rocksdb_create_iterator_cf(db, ro, cf), cf, ro);
    rocksdb_iter_seek_for_prev(it, S("y"));
    print_rest("both, before y", it);
    rocksdb_iter_destroy(it);
    rocksdb_readoptions_destroy(ro);
    rocksdb_options_destroy(options);
}

static int forwards(void* state, const char* a, size_t alen, const char* b, size_t blen) {
    (void)state;
    int order = memcmp(a, b, alen < blen ? alen : blen);
    return order ? order : alen < blen ? -1 : alen > blen;
}

static const char* name(void* state) {
    (void)state;
    return "smoke";
}

static void nothing(void* state) { (void)state; }

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    put(db, "c", "gone");
    put(db, "z", "old");
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    rocksdb_writebatch_wi_t* b = rocksdb_writebatch_wi_create(0, 1);
    fill(b, cf);
    reads(b, db, cf);
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_write_writebatch_wi(db, wo, b, &err);
    OK;
    expect(db, "a", "1");
    expect(db, "c", NULL);
    rocksdb_writebatch_wi_clear(b);
    CHECK(rocksdb_writebatch_wi_count(b) == 0);
    rocksdb_writebatch_wi_destroy(b);

    rocksdb_comparator_t* comparator = rocksdb_comparator_create(NULL, nothing, forwards, name);
    b = rocksdb_writebatch_wi_create_with_params(comparator, 10, 0, 0, 0);
    rocksdb_writebatch_wi_put(b, S("a"), S("1"));
    rocksdb_writebatch_wi_set_save_point(b);
    rocksdb_writebatch_wi_merge(b, S("a"), S("2"));
    rocksdb_writebatch_wi_merge_cf(b, cf, S("a"), S("3"));
    rocksdb_writebatch_wi_mergev(b, 2, keys, key_lengths, 2, values, value_lengths);
    rocksdb_writebatch_wi_mergev_cf(b, cf, 2, keys, key_lengths, 2, values, value_lengths);
    CHECK(rocksdb_writebatch_wi_count(b) == 5);
    rocksdb_writebatch_wi_rollback_to_save_point(b, &err);
    OK;
    CHECK(rocksdb_writebatch_wi_count(b) == 1);
    rocksdb_writebatch_wi_rollback_to_save_point(b, &err);
    FAILED;
    rocksdb_writebatch_wi_destroy(b);
    rocksdb_comparator_destroy(comparator);
    rocksdb_writeoptions_destroy(wo);
    rocksdb_column_family_handle_destroy(cf);
    rocksdb_close(db);
    return 0;
}
