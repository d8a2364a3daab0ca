/* Table files written outside of a database, and taken into one. */
#include "check.h"

static rocksdb_sstfilewriter_t* open_writer(rocksdb_options_t* options, const char* path) {
    rocksdb_envoptions_t* env = rocksdb_envoptions_create();
    rocksdb_sstfilewriter_t* writer = rocksdb_sstfilewriter_create(env, options);
    rocksdb_envoptions_destroy(env);
    rocksdb_sstfilewriter_open(writer, path, &err);
    OK;
    return writer;
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_uint64add_merge_operator(options);
    const char* first = in_dir(argv, "first.sst");
    rocksdb_sstfilewriter_t* writer = open_writer(options, first);
    rocksdb_sstfilewriter_put(writer, S("a"), S("1"), &err);
    OK;
    rocksdb_sstfilewriter_add(writer, S("b"), S("2"), &err);
    OK;
    rocksdb_sstfilewriter_put(writer, S("a"), S("1"), &err);
    FAILED;
    rocksdb_sstfilewriter_delete(writer, S("c"), &err);
    OK;
    rocksdb_sstfilewriter_merge(writer, S("d"), "\1\0\0\0\0\0\0\0", 8, &err);
    OK;
    rocksdb_sstfilewriter_delete_range(writer, S("x"), S("y"), &err);
    OK;
    /* The comparator has no timestamps. */
    rocksdb_sstfilewriter_put_with_ts(writer, S("e"), S("12345678"), S("1"), &err);
    FAILED;
    rocksdb_sstfilewriter_delete_with_ts(writer, S("f"), S("12345678"), &err);
    FAILED;
    rocksdb_sstfilewriter_finish(writer, &err);
    OK;
    uint64_t size = 0;
    rocksdb_sstfilewriter_file_size(writer, &size);
    CHECK(size > 100);
    rocksdb_sstfilewriter_destroy(writer);

    const char* second = in_dir(argv, "second.sst");
    writer = open_writer(options, second);
    rocksdb_sstfilewriter_put(writer, S("a"), S("3"), &err);
    OK;
    rocksdb_sstfilewriter_finish(writer, &err);
    OK;
    rocksdb_sstfilewriter_destroy(writer);
    writer = open_writer(options, in_dir(argv, "empty.sst"));
    rocksdb_sstfilewriter_finish(writer, &err);
    FAILED;
    rocksdb_sstfilewriter_destroy(writer);

    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, "db"), &err);
    OK;
    put(db, "a", "0");
    put(db, "c", "0");
    rocksdb_ingestexternalfileoptions_t* how = rocksdb_ingestexternalfileoptions_create();
    rocksdb_ingestexternalfileoptions_set_move_files(how, 0);
    rocksdb_ingestexternalfileoptions_set_snapshot_consistency(how, 1);
    rocksdb_ingestexternalfileoptions_set_allow_global_seqno(how, 1);
    rocksdb_ingestexternalfileoptions_set_allow_blocking_flush(how, 1);
    rocksdb_ingestexternalfileoptions_set_ingest_behind(how, 0);
    rocksdb_ingestexternalfileoptions_set_fail_if_not_bottommost_level(how, 0);
    rocksdb_ingest_external_file(db, &first, 1, how, &err);
    OK;
    expect(db, "a", "1");
    expect(db, "b", "2");
    expect(db, "c", NULL);
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    rocksdb_ingest_external_file_cf(db, cf, &second, 1, how, &err);
    OK;
    expect(db, "a", "3");
    const char* absent = in_dir(argv, "absent.sst");
    rocksdb_ingest_external_file(db, &absent, 1, how, &err);
    CHECK(err != NULL && strncmp(err, "IO error: ", 10) == 0);
    rocksdb_free(err);
    err = NULL;
    rocksdb_ingestexternalfileoptions_destroy(how);
    rocksdb_column_family_handle_destroy(cf);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
    return 0;
}
