/* What a listener is told. */
#include "check.h"

/* The last compaction that read its files. */
static char last[300];
static int destroyed, flushes, compactions, subcompactions, ingestions, sealed;

static void destructor(void* state) {
    CHECK(state == (void*)5);
    destroyed++;
}

static void flush_begin(void* state, rocksdb_t* db, const rocksdb_flushjobinfo_t* info) {
    CHECK(state == (void*)5 && db != NULL);
    (void)info;
}

static void flush_completed(void* state, rocksdb_t* db, const rocksdb_flushjobinfo_t* info) {
    CHECK(state == (void*)5 && db != NULL);
    size_t len;
    const char* name = rocksdb_flushjobinfo_cf_name(info, &len);
    if (flushes++ == 0) {
        printf("flush of %.*s: %d %d, seqno %d to %d, reason %u\n", (int)len, name,
               rocksdb_flushjobinfo_triggered_writes_slowdown(info),
               rocksdb_flushjobinfo_triggered_writes_stop(info),
               (int)rocksdb_flushjobinfo_smallest_seqno(info),
               (int)rocksdb_flushjobinfo_largest_seqno(info), rocksdb_flushjobinfo_flush_reason(info));
    }
    const char* path = rocksdb_flushjobinfo_file_path(info, &len);
    CHECK(len > 4 && memcmp(path + len - 4, ".sst", 4) == 0);
}

static void compaction_begin(void* state, rocksdb_t* db, const rocksdb_compactionjobinfo_t* info) {
    CHECK(state == (void*)5 && db != NULL);
    (void)info;
}

static void compaction_completed(void* state, rocksdb_t* db, const rocksdb_compactionjobinfo_t* info) {
    CHECK(state == (void*)5 && db != NULL);
    rocksdb_compactionjobinfo_status(info, &err);
    OK;
    size_t len;
    const char* name = rocksdb_compactionjobinfo_cf_name(info, &len);
    compactions++;
    /* RocksDB moves files without reading them where it can, and counts nothing then. */
    if (rocksdb_compactionjobinfo_total_input_bytes(info) == 0) return;
    CHECK(rocksdb_compactionjobinfo_input_files_count(info) >= 2);
    CHECK(rocksdb_compactionjobinfo_num_input_files(info) >= 2);
    CHECK(rocksdb_compactionjobinfo_num_input_files_at_output_level(info) <= 2);
    CHECK(rocksdb_compactionjobinfo_input_records(info) > rocksdb_compactionjobinfo_output_records(info));
    snprintf(last, sizeof last, "compaction of %.*s: %zu out, level %d to %d, %d records, %d corrupt, reason %u",
             (int)len, name, rocksdb_compactionjobinfo_output_files_count(info),
             rocksdb_compactionjobinfo_base_input_level(info),
             rocksdb_compactionjobinfo_output_level(info),
             (int)rocksdb_compactionjobinfo_output_records(info),
             (int)rocksdb_compactionjobinfo_num_corrupt_keys(info),
             rocksdb_compactionjobinfo_compaction_reason(info));
    CHECK(rocksdb_compactionjobinfo_input_file_at(info, 0, &len) != NULL && len > 4);
    CHECK(rocksdb_compactionjobinfo_output_file_at(info, 0, &len) != NULL && len > 4);
    CHECK(rocksdb_compactionjobinfo_total_output_bytes(info) > 0);
    CHECK(rocksdb_compactionjobinfo_elapsed_micros(info) < 60000000);
}

static void subcompaction_begin(void* state, const rocksdb_subcompactionjobinfo_t* info) {
    CHECK(state == (void*)5 && info != NULL);
}

static void subcompaction_completed(void* state, const rocksdb_subcompactionjobinfo_t* info) {
    CHECK(state == (void*)5);
    rocksdb_subcompactionjobinfo_status(info, &err);
    OK;
    size_t len;
    CHECK(SAME(rocksdb_subcompactionjobinfo_cf_name(info, &len), len, "default"));
    (void)rocksdb_subcompactionjobinfo_thread_id(info);
    if (subcompactions++ == 0) {
        printf("subcompaction: level %d to %d, reason %u\n",
               rocksdb_subcompactionjobinfo_base_input_level(info),
               rocksdb_subcompactionjobinfo_output_level(info),
               rocksdb_subcompactionjobinfo_compaction_reason(info));
    }
}

static void ingested(void* state, rocksdb_t* db, const rocksdb_externalfileingestioninfo_t* info) {
    CHECK(state == (void*)5 && db != NULL);
    size_t len;
    CHECK(SAME(rocksdb_externalfileingestioninfo_cf_name(info, &len), len, "default"));
    CHECK(rocksdb_externalfileingestioninfo_internal_file_path(info, &len) != NULL && len > 4);
    ingestions++;
}

/* Neither happens here. */
static void background_error(void* state, uint32_t reason, rocksdb_status_ptr_t* status) {
    (void)state;
    (void)reason;
    rocksdb_status_ptr_get_error(status, &err);
    rocksdb_reset_status(status);
}

static void stalled(void* state, const rocksdb_writestallinfo_t* info) {
    (void)state;
    size_t len;
    CHECK(rocksdb_writestallinfo_cf_name(info, &len) != NULL);
    CHECK(rocksdb_writestallinfo_cur(info) != NULL && rocksdb_writestallinfo_prev(info) != NULL);
}

static void memtable_sealed(void* state, const rocksdb_memtableinfo_t* info) {
    CHECK(state == (void*)5);
    size_t len;
    CHECK(SAME(rocksdb_memtableinfo_cf_name(info, &len), len, "default"));
    if (sealed++ == 0) {
        printf("sealed: seqno %d after %d, %d entries, %d deletes\n",
               (int)rocksdb_memtableinfo_first_seqno(info),
               (int)rocksdb_memtableinfo_earliest_seqno(info),
               (int)rocksdb_memtableinfo_num_entries(info),
               (int)rocksdb_memtableinfo_num_deletes(info));
    }
}

static rocksdb_eventlistener_t* listener(void) {
    return rocksdb_eventlistener_create((void*)5, destructor, flush_begin, flush_completed,
                                        compaction_begin, compaction_completed, subcompaction_begin,
                                        subcompaction_completed, ingested, background_error, stalled,
                                        memtable_sealed);
}

static void ingest(char** argv, rocksdb_options_t* options, rocksdb_t* db) {
    rocksdb_envoptions_t* env = rocksdb_envoptions_create();
    rocksdb_sstfilewriter_t* writer = rocksdb_sstfilewriter_create(env, options);
    const char* path = in_dir(argv, "file.sst");
    rocksdb_sstfilewriter_open(writer, path, &err);
    OK;
    rocksdb_sstfilewriter_put(writer, S("x"), S("1"), &err);
    OK;
    rocksdb_sstfilewriter_finish(writer, &err);
    OK;
    rocksdb_sstfilewriter_destroy(writer);
    rocksdb_envoptions_destroy(env);
    rocksdb_ingestexternalfileoptions_t* how = rocksdb_ingestexternalfileoptions_create();
    rocksdb_ingest_external_file(db, &path, 1, how, &err);
    OK;
    rocksdb_ingestexternalfileoptions_destroy(how);
    CHECK(ingestions == 1);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_disable_auto_compactions(options, 1);
    rocksdb_options_add_eventlistener(options, listener());
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, "db"), &err);
    OK;
    put(db, "a", "1");
    put(db, "b", "2");
    flush(db);
    put(db, "a", "3");
    flush(db);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    put(db, "b", "4");
    put(db, "a", "4");
    flush(db);
    put(db, "a", "5");
    flush(db);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    ingest(argv, options, db);
    printf("%s\n", last);
    CHECK(flushes == 4 && compactions >= 1 && subcompactions >= 1 && sealed >= 2);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
    CHECK(destroyed == 1);
    rocksdb_eventlistener_destroy(listener());
    CHECK(destroyed == 2);
    return 0;
}
