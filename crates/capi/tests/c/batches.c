/* Batches: everything that can be in one, walked, copied, rolled back and written. */
#include "check.h"

static void on_put(void* state, const char* k, size_t klen, const char* v, size_t vlen) {
    CHECK(state == (void*)1);
    printf(" put(%.*s,%.*s)", (int)klen, k, (int)vlen, v);
}

static void on_delete(void* state, const char* k, size_t klen) {
    CHECK(state == (void*)1);
    printf(" delete(%.*s)", (int)klen, k);
}

static void on_put_cf(void* s, uint32_t cf, const char* k, size_t klen, const char* v, size_t vlen) {
    CHECK(s == (void*)1);
    printf(" put(%u,%.*s,%.*s)", cf, (int)klen, k, (int)vlen, v);
}

static void on_delete_cf(void* s, uint32_t cf, const char* k, size_t klen) {
    CHECK(s == (void*)1);
    printf(" delete(%u,%.*s)", cf, (int)klen, k);
}

static void on_merge_cf(void* s, uint32_t cf, const char* k, size_t klen, const char* v, size_t vlen) {
    CHECK(s == (void*)1);
    printf(" merge(%u,%.*s,%.*s)", cf, (int)klen, k, (int)vlen, v);
}

static void print_bytes(rocksdb_writebatch_t* batch) {
    size_t size;
    const char* data = rocksdb_writebatch_data(batch, &size);
    printf("count %d:", rocksdb_writebatch_count(batch));
    for (size_t i = 0; i < size; i++) printf(" %02x", (unsigned char)data[i]);
    printf("\n");
}

static const char* const keys[2] = {"ke", "y"};
static const size_t key_lengths[2] = {2, 1};
static const char* const values[2] = {"val", "ue"};
static const size_t value_lengths[2] = {3, 2};

static void fill(rocksdb_writebatch_t* b, rocksdb_column_family_handle_t* cf) {
    rocksdb_writebatch_put(b, S("a"), S("1"));
    rocksdb_writebatch_put_cf(b, cf, S("b"), S("2"));
    rocksdb_writebatch_putv(b, 2, keys, key_lengths, 2, values, value_lengths);
    rocksdb_writebatch_putv_cf(b, cf, 2, keys, key_lengths, 1, values, value_lengths);
    rocksdb_writebatch_delete(b, S("c"));
    rocksdb_writebatch_delete_cf(b, cf, S("d"));
    rocksdb_writebatch_deletev(b, 2, keys, key_lengths);
    rocksdb_writebatch_deletev_cf(b, cf, 2, keys, key_lengths);
    rocksdb_writebatch_put_log_data(b, S("log"));
    print_bytes(b);
}

static void save_points(void) {
    rocksdb_writebatch_t* b = rocksdb_writebatch_create();
    rocksdb_writebatch_put(b, S("a"), S("1"));
    rocksdb_writebatch_set_save_point(b);
    rocksdb_writebatch_put(b, S("b"), S("2"));
    rocksdb_writebatch_rollback_to_save_point(b, &err);
    OK;
    CHECK(rocksdb_writebatch_count(b) == 1);
    rocksdb_writebatch_rollback_to_save_point(b, &err);
    FAILED;
    rocksdb_writebatch_set_save_point(b);
    rocksdb_writebatch_pop_save_point(b, &err);
    OK;
    rocksdb_writebatch_pop_save_point(b, &err);
    FAILED;
    rocksdb_writebatch_clear(b);
    CHECK(rocksdb_writebatch_count(b) == 0);
    rocksdb_writebatch_destroy(b);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    rocksdb_writebatch_t* b = rocksdb_writebatch_create();
    fill(b, cf);
    rocksdb_writebatch_iterate(b, (void*)1, on_put, on_delete);
    printf("\n");

    size_t size;
    const char* data = rocksdb_writebatch_data(b, &size);
    rocksdb_writebatch_t* copy = rocksdb_writebatch_create_from(data, size);
    CHECK(rocksdb_writebatch_count(copy) == rocksdb_writebatch_count(b));
    rocksdb_writebatch_destroy(b);
    rocksdb_writebatch_iterate_cf(copy, (void*)1, on_put_cf, on_delete_cf, on_merge_cf);
    printf("\n");
    rocksdb_write(db, wo, copy, &err);
    OK;
    print_bytes(copy);
    rocksdb_writebatch_destroy(copy);
    expect(db, "a", "1");
    expect(db, "b", "2");
    expect(db, "key", NULL);

    b = rocksdb_writebatch_create_with_params(100, 40, 0, 0);
    rocksdb_writebatch_merge(b, S("m"), S("1"));
    rocksdb_writebatch_merge_cf(b, cf, S("m"), S("2"));
    rocksdb_writebatch_singledelete(b, S("x"));
    rocksdb_writebatch_singledelete_cf(b, cf, S("y"));
    print_bytes(b);
    rocksdb_writebatch_iterate_cf(b, (void*)1, on_put_cf, on_delete_cf, on_merge_cf);
    printf("\n");
    rocksdb_writebatch_clear(b);
    rocksdb_writebatch_mergev(b, 2, keys, key_lengths, 2, values, value_lengths);
    rocksdb_writebatch_mergev_cf(b, cf, 2, keys, key_lengths, 2, values, value_lengths);
    print_bytes(b);
    rocksdb_writebatch_destroy(b);
    save_points();

    /* A batch that is damaged: an error, and nothing of it is written. */
    b = rocksdb_writebatch_create_from("\0\0\0\0\0\0\0\0\1\0\0\0\x63", 13);
    rocksdb_write(db, wo, b, &err);
    FAILED;
    rocksdb_writebatch_destroy(b);
    rocksdb_column_family_handle_destroy(cf);
    rocksdb_writeoptions_destroy(wo);
    rocksdb_close(db);
    return 0;
}
