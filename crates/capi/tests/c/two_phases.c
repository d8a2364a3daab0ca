/* A transaction that is prepared, and committed after the database was opened again. */
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

int main(int argc, char** argv) {
    CHECK(argc == 2);
    char* path = strdup(in_dir(argv, "db"));
    rocksdb_transactiondb_t* db = open_db(path);
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_transaction_options_t* to = rocksdb_transaction_options_create();
    rocksdb_transaction_t* txn = rocksdb_transaction_begin(db, wo, to, NULL);
    rocksdb_transaction_options_destroy(to);
    rocksdb_transaction_put(txn, S("prepared"), S("1"), &err);
    OK;
    rocksdb_transaction_set_name(txn, S("name"), &err);
    OK;
    size_t len = 0;
    IS(rocksdb_transaction_get_name(txn, &len), len, "name");
    rocksdb_transaction_prepare(txn, &err);
    if (err && strstr(err, "Not implemented")) skip(err);
    OK;
    rocksdb_transaction_destroy(txn);
    rocksdb_transactiondb_close(db);

    db = open_db(path);
    size_t count = 0;
    rocksdb_transaction_t** list = rocksdb_transactiondb_get_prepared_transactions(db, &count);
    CHECK(count == 1);
    rocksdb_transaction_commit(list[0], &err);
    OK;
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    IS(rocksdb_transactiondb_get(db, ro, S("prepared"), &len, &err), len, "1");
    rocksdb_readoptions_destroy(ro);
    rocksdb_transaction_destroy(list[0]);
    rocksdb_free(list);
    rocksdb_writeoptions_destroy(wo);
    rocksdb_transactiondb_close(db);
    free(path);
    return 0;
}
