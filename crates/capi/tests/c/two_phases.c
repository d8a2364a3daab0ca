/* Transactions that are prepared: committed at once, and decided after the database was opened again. */
#include "check.h"

static rocksdb_transactiondb_t* open_db(const char* path) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_transactiondb_options_t* to = rocksdb_transactiondb_options_create();
    rocksdb_transactiondb_t* db = rocksdb_transactiondb_open(options, to, path, &err);
    OK;
    rocksdb_transactiondb_options_destroy(to);
    rocksdb_options_destroy(options);
    return db;
}

static rocksdb_transaction_t* begin(rocksdb_transactiondb_t* db, int skip_prepare) {
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_transaction_options_t* to = rocksdb_transaction_options_create();
    rocksdb_transaction_options_set_skip_prepare(to, (unsigned char)skip_prepare);
    rocksdb_transaction_t* txn = rocksdb_transaction_begin(db, wo, to, NULL);
    rocksdb_transaction_options_destroy(to);
    rocksdb_writeoptions_destroy(wo);
    return txn;
}

static rocksdb_transaction_t* prepared(rocksdb_transactiondb_t* db, const char* name) {
    rocksdb_transaction_t* txn = begin(db, 0);
    rocksdb_transaction_put(txn, name, strlen(name), S("1"), &err);
    OK;
    rocksdb_transaction_set_name(txn, name, strlen(name), &err);
    OK;
    rocksdb_transaction_prepare(txn, &err);
    OK;
    return txn;
}

static void fails(const char* text) {
    CHECK(err != NULL);
    if (strcmp(err, text) != 0) fprintf(stderr, "expected %s\nfound    %s\n", text, err);
    CHECK(strcmp(err, text) == 0);
    rocksdb_free(err);
    err = NULL;
}

static void has(rocksdb_transactiondb_t* db, const char* key, int there) {
    size_t len = 0;
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    char* value = rocksdb_transactiondb_get(db, ro, key, strlen(key), &len, &err);
    OK;
    CHECK((value != NULL) == there);
    rocksdb_free(value);
    rocksdb_readoptions_destroy(ro);
}

static void states(rocksdb_transactiondb_t* db) {
    rocksdb_transaction_t* txn = begin(db, 0);
    rocksdb_transaction_put(txn, S("once"), S("1"), &err);
    OK;
    rocksdb_transaction_commit(txn, &err);
    fails("Invalid argument: Txn not prepared");
    rocksdb_transaction_prepare(txn, &err);
    fails("Invalid argument: Cannot prepare a transaction that has not been named.");
    rocksdb_transaction_set_name(txn, "", 0, &err);
    fails("Invalid argument: Transaction name length must be between 1 and 512 chars.");
    rocksdb_transaction_set_name(txn, S("name"), &err);
    OK;
    rocksdb_transaction_set_name(txn, S("other"), &err);
    fails("Invalid argument: Transaction has already been named.");
    size_t len = 0;
    IS(rocksdb_transaction_get_name(txn, &len), len, "name");
    rocksdb_transaction_t* second = begin(db, 1);
    rocksdb_transaction_set_name(second, S("name"), &err);
    fails("Invalid argument: Duplicate txn name name");
    rocksdb_transaction_prepare(txn, &err);
    OK;
    rocksdb_transaction_prepare(txn, &err);
    fails("Invalid argument: Transaction has already been prepared.");
    rocksdb_transaction_rollback_to_savepoint(txn, &err);
    fails("Invalid argument: Transaction is beyond state for rollback.");
    has(db, "once", 0);
    rocksdb_transaction_commit(txn, &err);
    OK;
    has(db, "once", 1);
    rocksdb_transaction_commit(txn, &err);
    fails("Invalid argument: Transaction has already been committed.");
    rocksdb_transaction_rollback(txn, &err);
    fails("Invalid argument: This transaction has already been committed.");
    rocksdb_transaction_set_name(second, S("name"), &err);
    OK;
    rocksdb_transaction_put(second, S("never"), S("1"), &err);
    OK;
    rocksdb_transaction_prepare(second, &err);
    OK;
    rocksdb_transaction_rollback(second, &err);
    OK;
    rocksdb_transaction_rollback(second, &err);
    fails("Invalid argument: Two phase transaction is not in state for rollback.");
    rocksdb_transaction_commit(second, &err);
    fails("Invalid argument: Transaction has already been rolledback.");
    has(db, "never", 0);
    rocksdb_transaction_destroy(second);
    rocksdb_transaction_destroy(txn);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    char* path = strdup(in_dir(argv, "db"));
    rocksdb_transactiondb_t* db = open_db(path);
    size_t count = 7;
    CHECK(rocksdb_transactiondb_get_prepared_transactions(db, &count) == NULL && count == 0);
    states(db);

    rocksdb_transaction_t* mine = prepared(db, "mine");
    rocksdb_transaction_commit(mine, &err);
    OK;
    has(db, "mine", 1);
    rocksdb_transaction_commit(mine, &err);
    fails("Invalid argument: Transaction has already been committed.");
    rocksdb_transaction_destroy(mine);

    rocksdb_transaction_t* one = prepared(db, "one");
    rocksdb_transaction_t* two = prepared(db, "two");
    rocksdb_transaction_destroy(one);
    rocksdb_transaction_destroy(two);
    rocksdb_transactiondb_close(db);

    /* A database without transactions does not know what to do with them. */
    rocksdb_options_t* options = rocksdb_options_create();
    CHECK(rocksdb_open(options, path, &err) == NULL);
    CHECK(strstr(err, "Not implemented: ") == err);
    CHECK(strstr(err, "WAL contains prepared transactions. Open with TransactionDB::Open().") != NULL);
    rocksdb_free(err);
    err = NULL;
    rocksdb_options_destroy(options);

    /* Given back undecided they are found again, whatever is flushed. */
    db = open_db(path);
    rocksdb_transaction_t** list = rocksdb_transactiondb_get_prepared_transactions(db, &count);
    CHECK(count == 2);
    for (size_t i = 0; i < count; i++) rocksdb_transaction_destroy(list[i]);
    rocksdb_free(list);
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_transactiondb_put(db, wo, S("filler"), S("1"), &err);
    OK;
    rocksdb_writeoptions_destroy(wo);
    rocksdb_flushoptions_t* fo = rocksdb_flushoptions_create();
    rocksdb_transactiondb_flush(db, fo, &err);
    OK;
    rocksdb_flushoptions_destroy(fo);
    rocksdb_transactiondb_close(db);

    db = open_db(path);
    has(db, "one", 0);
    list = rocksdb_transactiondb_get_prepared_transactions(db, &count);
    CHECK(count == 2);
    for (size_t i = 0; i < count; i++) {
        size_t len = 0;
        char* name = rocksdb_transaction_get_name(list[i], &len);
        CHECK(len == 3);
        if (memcmp(name, "one", 3) == 0) rocksdb_transaction_commit(list[i], &err);
        else rocksdb_transaction_rollback(list[i], &err);
        OK;
        rocksdb_free(name);
        rocksdb_transaction_destroy(list[i]);
    }
    rocksdb_free(list);
    has(db, "one", 1);
    has(db, "two", 0);
    rocksdb_transactiondb_close(db);

    db = open_db(path);
    CHECK(rocksdb_transactiondb_get_prepared_transactions(db, &count) == NULL && count == 0);
    has(db, "one", 1);
    has(db, "two", 0);
    rocksdb_transactiondb_close(db);
    free(path);
    return 0;
}
