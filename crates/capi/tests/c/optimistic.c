/* Transactions that check at commit. */
#include "check.h"

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_optimistictransactiondb_t* db =
        rocksdb_optimistictransactiondb_open(options, in_dir(argv, "db"), &err);
    OK;
    rocksdb_t* base = rocksdb_optimistictransactiondb_get_base_db(db);
    put(base, "a", "1");
    rocksdb_optimistictransaction_options_t* to = rocksdb_optimistictransaction_options_create();
    rocksdb_optimistictransaction_options_set_set_snapshot(to, 1);
    rocksdb_transaction_t* one = rocksdb_optimistictransaction_begin(db, wo, to, NULL);
    rocksdb_transaction_t* two = rocksdb_optimistictransaction_begin(db, wo, to, NULL);
    rocksdb_transaction_put(one, S("a"), S("2"), &err);
    OK;
    rocksdb_transaction_put(two, S("a"), S("3"), &err);
    OK;
    rocksdb_transaction_commit(one, &err);
    OK;
    rocksdb_transaction_commit(two, &err);
    FAILED;
    expect(base, "a", "2");
    CHECK(rocksdb_optimistictransaction_begin(db, wo, to, two) == two);
    size_t len;
    IS(rocksdb_transaction_get_for_update(two, ro, S("a"), &len, 1, &err), len, "2");
    rocksdb_transaction_rollback(two, &err);
    OK;
    rocksdb_transaction_destroy(one);
    rocksdb_transaction_destroy(two);
    rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
    rocksdb_writebatch_put(batch, S("b"), S("4"));
    rocksdb_optimistictransactiondb_write(db, wo, batch, &err);
    OK;
    rocksdb_writebatch_destroy(batch);
    expect(base, "b", "4");
    uint64_t number = 77;
    CHECK(rocksdb_optimistictransactiondb_property_int(db, "rocksdb.num-entries-active-mem-table",
                                                       &number) == 0);
    char* text = rocksdb_optimistictransactiondb_property_value(db, "rocksdb.num-files-at-level0");
    printf("%d entries, level 0: %s\n", (int)number, text);
    rocksdb_free(text);
    rocksdb_checkpoint_t* checkpoint = rocksdb_optimistictransactiondb_checkpoint_object_create(db, &err);
    OK;
    rocksdb_checkpoint_object_destroy(checkpoint);
    rocksdb_optimistictransaction_options_destroy(to);
    rocksdb_optimistictransactiondb_close_base_db(base);
    rocksdb_optimistictransactiondb_close(db);

    const char* names[1] = {"default"};
    const rocksdb_options_t* each[1] = {options};
    rocksdb_column_family_handle_t* cfs[1];
    db = rocksdb_optimistictransactiondb_open_column_families(options, in_dir(argv, "db"), 1, names,
                                                              each, cfs, &err);
    OK;
    base = rocksdb_optimistictransactiondb_get_base_db(db);
    expect(base, "a", "2");
    rocksdb_optimistictransactiondb_close_base_db(base);
    rocksdb_column_family_handle_destroy(cfs[0]);
    rocksdb_optimistictransactiondb_close(db);
    rocksdb_readoptions_destroy(ro);
    rocksdb_writeoptions_destroy(wo);
    rocksdb_options_destroy(options);
    return 0;
}
