/* Transactions that lock: everything a transaction can do, and what two of them do to each other. */
#include "check.h"

static rocksdb_writeoptions_t* wo;
static rocksdb_readoptions_t* ro;

static rocksdb_transactiondb_t* open_db(const char* path, rocksdb_column_family_handle_t** cfs) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_create_missing_column_families(options, 1);
    rocksdb_options_set_uint64add_merge_operator(options);
    rocksdb_transactiondb_options_t* to = rocksdb_transactiondb_options_create();
    rocksdb_transactiondb_options_set_max_num_locks(to, -1);
    rocksdb_transactiondb_options_set_num_stripes(to, 8);
    rocksdb_transactiondb_options_set_transaction_lock_timeout(to, 50);
    rocksdb_transactiondb_options_set_default_lock_timeout(to, 50);
    rocksdb_transactiondb_options_set_use_per_key_point_lock_mgr(to, 0);
    rocksdb_transactiondb_t* db;
    if (cfs == NULL) {
        db = rocksdb_transactiondb_open(options, to, path, &err);
    } else {
        const char* names[2] = {"default", "one"};
        const rocksdb_options_t* each[2] = {options, options};
        db = rocksdb_transactiondb_open_column_families(options, to, path, 2, names, each, cfs, &err);
    }
    OK;
    rocksdb_transactiondb_options_destroy(to);
    rocksdb_options_destroy(options);
    return db;
}

static rocksdb_transaction_t* begin(rocksdb_transactiondb_t* db, rocksdb_transaction_t* old) {
    rocksdb_transaction_options_t* to = rocksdb_transaction_options_create();
    rocksdb_transaction_options_set_set_snapshot(to, 1);
    rocksdb_transaction_options_set_deadlock_detect(to, 1);
    rocksdb_transaction_options_set_deadlock_detect_depth(to, 10);
    rocksdb_transaction_options_set_lock_timeout(to, 50);
    rocksdb_transaction_options_set_expiration(to, -1);
    rocksdb_transaction_options_set_max_write_batch_size(to, 0);
    rocksdb_transaction_options_set_skip_prepare(to, 1);
    rocksdb_transaction_t* txn = rocksdb_transaction_begin(db, wo, to, old);
    CHECK(txn != NULL);
    rocksdb_transaction_options_destroy(to);
    return txn;
}

static void pinned_is(rocksdb_pinnableslice_t* slice, const char* text) {
    OK;
    size_t len;
    CHECK(SAME(rocksdb_pinnableslice_value(slice, &len), len, text));
    rocksdb_pinnableslice_destroy(slice);
}

/* Reads and writes outside of transactions. */
static void database(rocksdb_transactiondb_t* db) {
    size_t len;
    rocksdb_transactiondb_put(db, wo, S("a"), S("1"), &err);
    OK;
    IS(rocksdb_transactiondb_get(db, ro, S("a"), &len, &err), len, "1");
    pinned_is(rocksdb_transactiondb_get_pinned(db, ro, S("a"), &err), "1");
    rocksdb_transactiondb_put(db, wo, S("gone"), S("1"), &err);
    OK;
    rocksdb_transactiondb_delete(db, wo, S("gone"), &err);
    OK;
    rocksdb_transactiondb_merge(db, wo, S("n"), "\1\0\0\0\0\0\0\0", 8, &err);
    OK;
    rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
    rocksdb_writebatch_put(batch, S("b"), S("2"));
    rocksdb_transactiondb_write(db, wo, batch, &err);
    OK;
    rocksdb_writebatch_destroy(batch);
    const char* keys[2] = {"a", "gone"};
    const size_t lengths[2] = {1, 4};
    char *values[2], *errors[2];
    size_t found[2];
    rocksdb_transactiondb_multi_get(db, ro, 2, keys, lengths, values, found, errors);
    CHECK(!errors[0] && !errors[1] && values[1] == NULL);
    IS(values[0], found[0], "1");
    const rocksdb_snapshot_t* snapshot = rocksdb_transactiondb_create_snapshot(db);
    CHECK(snapshot != NULL);
    rocksdb_transactiondb_release_snapshot(db, snapshot);
    rocksdb_iterator_t* it = rocksdb_transactiondb_create_iterator(db, ro);
    rocksdb_iter_seek(it, S("a"));
    CHECK(rocksdb_iter_valid(it) && SAME(rocksdb_iter_key(it, &len), len, "a"));
    rocksdb_iter_destroy(it);
    rocksdb_flushoptions_t* fo = rocksdb_flushoptions_create();
    rocksdb_transactiondb_flush(db, fo, &err);
    OK;
    rocksdb_flushoptions_destroy(fo);
    rocksdb_transactiondb_flush_wal(db, 1, &err);
    OK;
    uint64_t number;
    CHECK(rocksdb_transactiondb_property_int(db, "rocksdb.num-immutable-mem-table", &number) == 0);
    char* text = rocksdb_transactiondb_property_value(db, "rocksdb.num-files-at-level0");
    printf("level 0: %s\n", text);
    rocksdb_free(text);
    rocksdb_t* base = rocksdb_transactiondb_get_base_db(db);
    CHECK(base != NULL);
    rocksdb_transactiondb_close_base_db(base);
}

static void reads(rocksdb_transaction_t* txn) {
    size_t len;
    IS(rocksdb_transaction_get(txn, ro, S("a"), &len, &err), len, "1");
    pinned_is(rocksdb_transaction_get_pinned(txn, ro, S("a"), &err), "1");
    IS(rocksdb_transaction_get_for_update(txn, ro, S("a"), &len, 1, &err), len, "1");
    pinned_is(rocksdb_transaction_get_pinned_for_update(txn, ro, S("b"), 1, &err), "2");
    CHECK(rocksdb_transaction_get(txn, ro, S("gone"), &len, &err) == NULL);
    OK;
    const char* keys[2] = {"a", "gone"};
    const size_t lengths[2] = {1, 4};
    char *values[2], *errors[2];
    size_t found[2];
    rocksdb_transaction_multi_get(txn, ro, 2, keys, lengths, values, found, errors);
    CHECK(!errors[0] && !errors[1] && values[1] == NULL);
    IS(values[0], found[0], "1");
    rocksdb_transaction_multi_get_for_update(txn, ro, 2, keys, lengths, values, found, errors);
    CHECK(!errors[0] && !errors[1] && values[1] == NULL);
    IS(values[0], found[0], "1");
    const rocksdb_snapshot_t* snapshot = rocksdb_transaction_get_snapshot(txn);
    CHECK(snapshot != NULL);
    rocksdb_free((void*)snapshot);
}

static void work(rocksdb_transactiondb_t* db) {
    size_t len;
    rocksdb_transaction_t* txn = begin(db, NULL);
    reads(txn);
    rocksdb_transaction_put(txn, S("a"), S("10"), &err);
    OK;
    rocksdb_transaction_set_savepoint(txn);
    rocksdb_transaction_delete(txn, S("b"), &err);
    OK;
    rocksdb_transaction_merge(txn, S("n"), "\2\0\0\0\0\0\0\0", 8, &err);
    OK;
    rocksdb_transaction_rollback_to_savepoint(txn, &err);
    OK;
    rocksdb_transaction_rollback_to_savepoint(txn, &err);
    FAILED;
    rocksdb_iterator_t* it = rocksdb_transaction_create_iterator(txn, ro);
    rocksdb_iter_seek(it, S("a"));
    CHECK(SAME(rocksdb_iter_value(it, &len), len, "10"));
    rocksdb_iter_destroy(it);
    rocksdb_writebatch_wi_t* batch = rocksdb_transaction_get_writebatch_wi(txn);
    printf("batch %d\n", rocksdb_writebatch_wi_count(batch));
    rocksdb_free(batch);

    /* Another cannot write what the first has locked. */
    rocksdb_transaction_t* other = begin(db, NULL);
    rocksdb_transaction_put(other, S("a"), S("20"), &err);
    FAILED;
    rocksdb_transactiondb_put(db, wo, S("a"), S("20"), &err);
    FAILED;
    rocksdb_transaction_commit(txn, &err);
    OK;
    IS(rocksdb_transactiondb_get(db, ro, S("a"), &len, &err), len, "10");
    /* And not what changed after its snapshot. */
    rocksdb_transaction_put(other, S("a"), S("20"), &err);
    FAILED;
    rocksdb_transaction_rollback(other, &err);
    OK;

    /* Begun again, in the same memory. */
    CHECK(begin(db, other) == other);
    rocksdb_writebatch_t* plain = rocksdb_writebatch_create();
    rocksdb_writebatch_put(plain, S("rebuilt"), S("1"));
    rocksdb_transaction_rebuild_from_writebatch(other, plain, &err);
    OK;
    rocksdb_writebatch_destroy(plain);
    rocksdb_writebatch_wi_t* indexed = rocksdb_writebatch_wi_create(0, 1);
    rocksdb_writebatch_wi_put(indexed, S("rebuilt"), S("2"));
    rocksdb_transaction_rebuild_from_writebatch_wi(other, indexed, &err);
    OK;
    rocksdb_writebatch_wi_destroy(indexed);
    rocksdb_transaction_commit(other, &err);
    OK;
    IS(rocksdb_transactiondb_get(db, ro, S("rebuilt"), &len, &err), len, "2");
    rocksdb_transaction_destroy(other);
    rocksdb_transaction_destroy(txn);
}

static void families(rocksdb_transactiondb_t* db, rocksdb_column_family_handle_t* cf, char** argv) {
    size_t len;
    rocksdb_transactiondb_put_cf(db, wo, cf, S("a"), S("1"), &err);
    OK;
    IS(rocksdb_transactiondb_get_cf(db, ro, cf, S("a"), &len, &err), len, "1");
    pinned_is(rocksdb_transactiondb_get_pinned_cf(db, ro, cf, S("a"), &err), "1");
    rocksdb_transactiondb_delete_cf(db, wo, cf, S("x"), &err);
    OK;
    rocksdb_transactiondb_merge_cf(db, wo, cf, S("n"), "\1\0\0\0\0\0\0\0", 8, &err);
    OK;
    const char* keys[1] = {"a"};
    const size_t lengths[1] = {1};
    const rocksdb_column_family_handle_t* list[1] = {cf};
    char *value, *error;
    rocksdb_transactiondb_multi_get_cf(db, ro, list, 1, keys, lengths, &value, &len, &error);
    CHECK(!error);
    IS(value, len, "1");
    rocksdb_iterator_t* it = rocksdb_transactiondb_create_iterator_cf(db, ro, cf);
    rocksdb_iter_seek(it, S("a"));
    CHECK(rocksdb_iter_valid(it));
    rocksdb_iter_destroy(it);

    rocksdb_transaction_t* txn = begin(db, NULL);
    IS(rocksdb_transaction_get_cf(txn, ro, cf, S("a"), &len, &err), len, "1");
    pinned_is(rocksdb_transaction_get_pinned_cf(txn, ro, cf, S("a"), &err), "1");
    IS(rocksdb_transaction_get_for_update_cf(txn, ro, cf, S("a"), &len, 1, &err), len, "1");
    pinned_is(rocksdb_transaction_get_pinned_for_update_cf(txn, ro, cf, S("a"), 1, &err), "1");
    rocksdb_transaction_multi_get_cf(txn, ro, list, 1, keys, lengths, &value, &len, &error);
    CHECK(!error);
    IS(value, len, "1");
    rocksdb_transaction_multi_get_for_update_cf(txn, ro, list, 1, keys, lengths, &value, &len, &error);
    CHECK(!error);
    IS(value, len, "1");
    rocksdb_transaction_put_cf(txn, cf, S("a"), S("2"), &err);
    OK;
    rocksdb_transaction_merge_cf(txn, cf, S("n"), "\1\0\0\0\0\0\0\0", 8, &err);
    OK;
    rocksdb_transaction_delete_cf(txn, cf, S("b"), &err);
    OK;
    it = rocksdb_transaction_create_iterator_cf(txn, ro, cf);
    rocksdb_iter_seek(it, S("a"));
    CHECK(SAME(rocksdb_iter_value(it, &len), len, "2"));
    rocksdb_iter_destroy(it);
    rocksdb_transaction_commit(txn, &err);
    OK;
    rocksdb_transaction_destroy(txn);

    rocksdb_flushoptions_t* fo = rocksdb_flushoptions_create();
    rocksdb_transactiondb_flush_cf(db, fo, cf, &err);
    OK;
    rocksdb_transactiondb_flush_cfs(db, fo, &cf, 1, &err);
    OK;
    rocksdb_flushoptions_destroy(fo);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_column_family_handle_t* two =
        rocksdb_transactiondb_create_column_family(db, options, "two", &err);
    OK;
    rocksdb_column_family_handle_destroy(two);
    rocksdb_options_destroy(options);
    rocksdb_checkpoint_t* checkpoint = rocksdb_transactiondb_checkpoint_object_create(db, &err);
    OK;
    rocksdb_checkpoint_create(checkpoint, in_dir(argv, "checkpoint"), 0, &err);
    OK;
    rocksdb_checkpoint_object_destroy(checkpoint);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    wo = rocksdb_writeoptions_create();
    ro = rocksdb_readoptions_create();
    rocksdb_transactiondb_t* db = open_db(in_dir(argv, "db"), NULL);
    database(db);
    work(db);
    rocksdb_transactiondb_close(db);
    rocksdb_column_family_handle_t* cfs[2];
    db = open_db(in_dir(argv, "families"), cfs);
    families(db, cfs[1], argv);
    rocksdb_column_family_handle_destroy(cfs[0]);
    rocksdb_column_family_handle_destroy(cfs[1]);
    rocksdb_transactiondb_close(db);
    rocksdb_writeoptions_destroy(wo);
    rocksdb_readoptions_destroy(ro);
    return 0;
}
