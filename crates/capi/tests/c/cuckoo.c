/* CuckooTable: options, tables that are flushed and compacted, what the format refuses. */
#include "check.h"

static rocksdb_options_t* options_with(int identity, int mapped) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_allow_mmap_reads(options, mapped);
    rocksdb_options_set_compression(options, 0);
    rocksdb_cuckoo_table_options_t* cuckoo = rocksdb_cuckoo_options_create();
    rocksdb_cuckoo_options_set_hash_ratio(cuckoo, 0.5);
    rocksdb_cuckoo_options_set_max_search_depth(cuckoo, 50);
    rocksdb_cuckoo_options_set_cuckoo_block_size(cuckoo, 3);
    rocksdb_cuckoo_options_set_identity_as_first_hash(cuckoo, identity);
    rocksdb_cuckoo_options_set_use_module_hash(cuckoo, !identity);
    rocksdb_options_set_cuckoo_table_factory(options, cuckoo);
    rocksdb_cuckoo_options_destroy(cuckoo);
    return options;
}

static void print_all(const char* title, rocksdb_t* db) {
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_iterator_t* it = rocksdb_create_iterator(db, ro);
    rocksdb_iter_seek(it, S("00000003"));
    print_rest(title, it);
    rocksdb_iter_destroy(it);
    rocksdb_readoptions_destroy(ro);
}

static void tables(const char* path, int identity) {
    rocksdb_options_t* options = options_with(identity, 1);
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_t* db = rocksdb_open(options, path, &err);
    OK;
    char key[9], value[9];
    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "%08d", i);
        snprintf(value, sizeof value, "value%03d", i);
        put(db, key, value);
    }
    flush(db);
    rocksdb_delete(db, wo, S("00000004"), &err);
    OK;
    put(db, "00000005", "changed1");
    flush(db);
    expect(db, "00000004", NULL);
    expect(db, "00000005", "changed1");
    expect(db, "00000006", "value006");
    expect(db, "0000000/", NULL);
    expect(db, "6", NULL);
    print_all("flushed", db);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    expect(db, "00000004", NULL);
    expect(db, "00000019", "value019");
    print_all("compacted", db);
    rocksdb_close(db);
    db = rocksdb_open(options, path, &err);
    OK;
    expect(db, "00000005", "changed1");
    rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
    rocksdb_writebatch_delete_range(batch, S("a"), S("b"));
    rocksdb_write(db, wo, batch, &err);
    FAILED;
    rocksdb_writebatch_destroy(batch);
    rocksdb_close(db);
    rocksdb_writeoptions_destroy(wo);
    rocksdb_options_destroy(options);
}

/* What is not mapped cannot be read. Entries that do not fit a table are a difference: docs/differences.md. */
static void refusals(char** argv) {
    rocksdb_flushoptions_t* fo = rocksdb_flushoptions_create();
    rocksdb_options_t* options = options_with(0, 0);
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, "unmapped"), &err);
    OK;
    put(db, "key1", "value1");
    rocksdb_flush(db, fo, &err);
    FAILED;
    expect(db, "key1", "value1");
    rocksdb_close(db);
    db = rocksdb_open(options, in_dir(argv, "unmapped"), &err);
    CHECK(db == NULL);
    FAILED;
    rocksdb_options_destroy(options);
    rocksdb_flushoptions_destroy(fo);
}

/* Files made outside lack what ingestion asks for. */
static void outside(char** argv) {
    rocksdb_options_t* options = options_with(0, 1);
    rocksdb_envoptions_t* env = rocksdb_envoptions_create();
    rocksdb_sstfilewriter_t* writer = rocksdb_sstfilewriter_create(env, options);
    const char* file = in_dir(argv, "made.sst");
    rocksdb_sstfilewriter_open(writer, file, &err);
    OK;
    rocksdb_sstfilewriter_put(writer, S("key1"), S("value1"), &err);
    OK;
    rocksdb_sstfilewriter_put(writer, S("key22"), S("value2"), &err);
    FAILED;
    rocksdb_sstfilewriter_finish(writer, &err);
    OK;
    rocksdb_sstfilewriter_destroy(writer);
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, "ingests"), &err);
    OK;
    rocksdb_ingestexternalfileoptions_t* how = rocksdb_ingestexternalfileoptions_create();
    rocksdb_ingest_external_file(db, &file, 1, how, &err);
    FAILED;
    rocksdb_ingestexternalfileoptions_destroy(how);
    rocksdb_close(db);
    rocksdb_envoptions_destroy(env);
    rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    tables(in_dir(argv, "modulo"), 0);
    tables(in_dir(argv, "identity"), 1);
    refusals(argv);
    outside(argv);
    return 0;
}
