/* Options of tables and columns that are refused or change nothing here, and must be harmless. */
#include "check.h"

int main(int argc, char** argv) {
    CHECK(argc == 2);
    (void)argv;
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_cuckoo_table_options_t* cuckoo = rocksdb_cuckoo_options_create();
    rocksdb_cuckoo_options_set_hash_ratio(cuckoo, 0.5);
    rocksdb_cuckoo_options_set_max_search_depth(cuckoo, 50);
    rocksdb_cuckoo_options_set_cuckoo_block_size(cuckoo, 3);
    rocksdb_cuckoo_options_set_identity_as_first_hash(cuckoo, 1);
    rocksdb_cuckoo_options_set_use_module_hash(cuckoo, 0);
    rocksdb_options_set_cuckoo_table_factory(options, cuckoo);
    rocksdb_cuckoo_options_destroy(cuckoo);
    rocksdb_cache_t* cache = rocksdb_cache_create_lru(1000);
    rocksdb_options_set_blob_cache(options, cache);
    rocksdb_cache_destroy(cache);
    rocksdb_options_destroy(options);

    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_readoptions_set_timestamp(ro, "12345678", 8);
    rocksdb_readoptions_set_timestamp(ro, NULL, 0);
    rocksdb_readoptions_set_iter_start_ts(ro, "12345678", 8);
    rocksdb_readoptions_set_iter_start_ts(ro, NULL, 0);
    rocksdb_readoptions_destroy(ro);
    rocksdb_compactoptions_t* co = rocksdb_compactoptions_create();
    rocksdb_compactoptions_set_full_history_ts_low(co, (char*)"12345678", 8);
    rocksdb_compactoptions_destroy(co);
    return 0;
}
