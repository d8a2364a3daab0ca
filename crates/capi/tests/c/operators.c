/* Merge operands of families with an operator beside families without, and databases with operands that are
 * opened without their operator. */
#include "check.h"

static rocksdb_writeoptions_t* wo;
static rocksdb_readoptions_t* ro;
static const char one[8] = {1};

#define BYTES(array) (array), sizeof(array)

static rocksdb_options_t* new_options(int operator) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_create_missing_column_families(options, 1);
    if (operator) rocksdb_options_set_uint64add_merge_operator(options);
    return options;
}

struct families {
    rocksdb_options_t* options[2];
    const char* names[2];
    rocksdb_column_family_handle_t* cfs[2];
};

/* `default` has no operator, `sums` has one. */
static struct families families(void) {
    struct families f = {{new_options(0), new_options(1)}, {"default", "sums"}, {NULL, NULL}};
    return f;
}

static void done(struct families* f) {
    for (int i = 0; i < 2; i++) {
        rocksdb_column_family_handle_destroy(f->cfs[i]);
        rocksdb_options_destroy(f->options[i]);
    }
}

static void expect_sum(rocksdb_t* db, rocksdb_column_family_handle_t* cf, const char* key, int sum) {
    size_t len;
    char* value = rocksdb_get_cf(db, ro, cf, S(key), &len, &err);
    OK;
    CHECK(value != NULL && len == 8 && value[0] == sum);
    rocksdb_free(value);
}

/* Operands beside values of a family without operator. */
static void batches(const char* path) {
    struct families f = families();
    rocksdb_t* db = rocksdb_open_column_families(f.options[0], path, 2, f.names,
                                                 (const rocksdb_options_t**)f.options, f.cfs, &err);
    OK;
    rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
    rocksdb_writebatch_put_cf(batch, f.cfs[0], S("k"), S("v"));
    rocksdb_writebatch_delete_cf(batch, f.cfs[0], S("x"));
    rocksdb_writebatch_merge_cf(batch, f.cfs[1], S("k"), BYTES(one));
    rocksdb_write(db, wo, batch, &err);
    OK;
    expect_sum(db, f.cfs[1], "k", 1);

    rocksdb_writebatch_wi_t* indexed = rocksdb_writebatch_wi_create(0, 1);
    rocksdb_writebatch_wi_put_cf(indexed, f.cfs[0], S("i"), S("v"));
    rocksdb_writebatch_wi_merge_cf(indexed, f.cfs[1], S("k"), BYTES(one));
    size_t len;
    char* value = rocksdb_writebatch_wi_get_from_batch_and_db_cf(indexed, db, ro, f.cfs[1], S("k"), &len, &err);
    OK;
    CHECK(value != NULL && len == 8 && value[0] == 2);
    rocksdb_free(value);
    rocksdb_write_writebatch_wi(db, wo, indexed, &err);
    OK;
    expect_sum(db, f.cfs[1], "k", 2);

    /* Operands that nobody can fold. */
    rocksdb_writebatch_wi_clear(indexed);
    rocksdb_writebatch_wi_put_cf(indexed, f.cfs[0], S("p"), BYTES(one));
    rocksdb_writebatch_wi_merge_cf(indexed, f.cfs[0], S("p"), BYTES(one));
    rocksdb_writebatch_wi_merge_cf(indexed, f.cfs[0], S("q"), BYTES(one));
    CHECK(rocksdb_writebatch_wi_get_from_batch_cf(indexed, f.options[0], f.cfs[0], S("p"), &len, &err) == NULL);
    FAILED;
    CHECK(rocksdb_writebatch_wi_get_from_batch_cf(indexed, f.options[0], f.cfs[0], S("q"), &len, &err) == NULL);
    FAILED;
    CHECK(rocksdb_writebatch_wi_get_from_batch_and_db_cf(indexed, db, ro, f.cfs[0], S("p"), &len, &err) == NULL);
    FAILED;
    CHECK(rocksdb_writebatch_wi_get_from_batch_and_db_cf(indexed, db, ro, f.cfs[0], S("k"), &len, &err) != NULL);
    OK;
    CHECK(rocksdb_writebatch_wi_get_from_batch_and_db_cf(indexed, db, ro, f.cfs[0], S("q"), &len, &err) == NULL);
    FAILED;
    rocksdb_writebatch_wi_destroy(indexed);

    rocksdb_merge_cf(db, wo, f.cfs[0], S("k"), BYTES(one), &err);
    FAILED;
    rocksdb_put(db, wo, S("later"), S("v"), &err);
    OK;
    /* RocksDB stops all writes after this one. */
    rocksdb_writebatch_clear(batch);
    rocksdb_writebatch_merge_cf(batch, f.cfs[1], S("k"), BYTES(one));
    rocksdb_writebatch_merge_cf(batch, f.cfs[0], S("k"), BYTES(one));
    rocksdb_write(db, wo, batch, &err);
    FAILED;
    rocksdb_writebatch_destroy(batch);
    done(&f);
    rocksdb_close(db);
}

static void transactions(const char* path, const char* path_of_checked) {
    struct families f = families();
    rocksdb_transactiondb_options_t* to = rocksdb_transactiondb_options_create();
    rocksdb_transaction_options_t* each = rocksdb_transaction_options_create();
    rocksdb_transactiondb_t* db = rocksdb_transactiondb_open_column_families(
        f.options[0], to, path, 2, f.names, (const rocksdb_options_t**)f.options, f.cfs, &err);
    OK;
    for (int prepared = 0; prepared < 2; prepared++) {
        rocksdb_transaction_t* txn = rocksdb_transaction_begin(db, wo, each, NULL);
        rocksdb_transaction_put_cf(txn, f.cfs[0], S("k"), S("v"), &err);
        OK;
        rocksdb_transaction_merge_cf(txn, f.cfs[1], S("k"), BYTES(one), &err);
        OK;
        rocksdb_transaction_merge_cf(txn, f.cfs[0], S("unread"), BYTES(one), &err);
        OK;
        size_t len;
        char* value = rocksdb_transaction_get_cf(txn, ro, f.cfs[1], S("k"), &len, &err);
        OK;
        CHECK(value != NULL && len == 8 && value[0] == prepared + 1);
        rocksdb_free(value);
        CHECK(rocksdb_transaction_get_cf(txn, ro, f.cfs[0], S("unread"), &len, &err) == NULL);
        FAILED;
        rocksdb_transaction_rollback(txn, &err);
        OK;
        rocksdb_transaction_put_cf(txn, f.cfs[0], S("k"), S("v"), &err);
        OK;
        rocksdb_transaction_merge_cf(txn, f.cfs[1], S("k"), BYTES(one), &err);
        OK;
        if (prepared) {
            rocksdb_transaction_set_name(txn, S("named"), &err);
            OK;
            rocksdb_transaction_prepare(txn, &err);
            OK;
        }
        rocksdb_transaction_commit(txn, &err);
        OK;
        rocksdb_transaction_destroy(txn);
        value = rocksdb_transactiondb_get_cf(db, ro, f.cfs[1], S("k"), &len, &err);
        OK;
        CHECK(value != NULL && len == 8 && value[0] == prepared + 1);
        rocksdb_free(value);
    }
    done(&f);
    rocksdb_transactiondb_close(db);
    rocksdb_transaction_options_destroy(each);
    rocksdb_transactiondb_options_destroy(to);

    f = families();
    rocksdb_optimistictransactiondb_t* checked = rocksdb_optimistictransactiondb_open_column_families(
        f.options[0], path_of_checked, 2, f.names, (const rocksdb_options_t**)f.options, f.cfs, &err);
    OK;
    rocksdb_optimistictransaction_options_t* oo = rocksdb_optimistictransaction_options_create();
    rocksdb_transaction_t* txn = rocksdb_optimistictransaction_begin(checked, wo, oo, NULL);
    rocksdb_transaction_put_cf(txn, f.cfs[0], S("k"), S("w"), &err);
    OK;
    rocksdb_transaction_merge_cf(txn, f.cfs[1], S("k"), BYTES(one), &err);
    OK;
    rocksdb_transaction_commit(txn, &err);
    OK;
    rocksdb_transaction_destroy(txn);
    rocksdb_t* base = rocksdb_optimistictransactiondb_get_base_db(checked);
    expect_sum(base, f.cfs[1], "k", 1);
    rocksdb_optimistictransactiondb_close_base_db(base);
    rocksdb_optimistictransaction_options_destroy(oo);
    done(&f);
    rocksdb_optimistictransactiondb_close(checked);
}

/* Operands in tables only, and with no value below them: RocksDB loses those in a log, and crashes over a value. */
static void without(const char* path) {
    rocksdb_options_t *with = new_options(1), *none = new_options(0);
    rocksdb_t* db = rocksdb_open(with, path, &err);
    OK;
    rocksdb_options_set_disable_auto_compactions(none, 1);
    put(db, "a", "value");
    for (int i = 0; i < 2; i++) rocksdb_merge(db, wo, i ? "m" : "n", 1, BYTES(one), &err);
    OK;
    put(db, "z", "value");
    flush(db);
    rocksdb_close(db);

    db = rocksdb_open(none, path, &err);
    OK;
    expect(db, "a", "value");
    expect(db, "z", "value");
    expect(db, "q", NULL);
    size_t len;
    const char* keys[] = {"a", "m", "n", "z"};
    size_t lengths[] = {1, 1, 1, 1}, found_lengths[4];
    char *found[4], *errors[4];
    for (int i = 1; i < 3; i++) {
        CHECK(rocksdb_get(db, ro, keys[i], 1, &len, &err) == NULL);
        FAILED;
    }
    rocksdb_multi_get(db, ro, 4, keys, lengths, found, found_lengths, errors);
    for (int i = 0; i < 4; i++) {
        printf("%s: %.*s %s\n", keys[i], found[i] ? (int)found_lengths[i] : 0, found[i] ? found[i] : "",
               errors[i] ? errors[i] : "fine");
        rocksdb_free(found[i]);
        rocksdb_free(errors[i]);
    }
    rocksdb_iterator_t* it = rocksdb_create_iterator(db, ro);
    rocksdb_iter_seek_to_first(it);
    CHECK(rocksdb_iter_valid(it));
    rocksdb_iter_next(it);
    CHECK(!rocksdb_iter_valid(it));
    rocksdb_iter_get_error(it, &err);
    FAILED;
    rocksdb_iter_seek(it, S("z"));
    CHECK(rocksdb_iter_valid(it));
    rocksdb_iter_get_error(it, &err);
    OK;
    rocksdb_iter_destroy(it);
    put(db, "b", "value");
    flush(db);
    rocksdb_close(db);

    db = rocksdb_open(with, path, &err);
    OK;
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    CHECK((found[0] = rocksdb_get(db, ro, S("m"), &len, &err)) != NULL);
    OK;
    CHECK(len == 8 && found[0][0] == 1);
    rocksdb_free(found[0]);
    expect(db, "a", "value");
    rocksdb_close(db);
    rocksdb_options_destroy(with);
    rocksdb_options_destroy(none);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    wo = rocksdb_writeoptions_create();
    ro = rocksdb_readoptions_create();
    batches(in_dir(argv, "batches"));
    transactions(in_dir(argv, "transactions"), in_dir(argv, "checked"));
    without(in_dir(argv, "without"));
    rocksdb_writeoptions_destroy(wo);
    rocksdb_readoptions_destroy(ro);
    return 0;
}
