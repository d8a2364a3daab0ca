/* Everything at once on one database with transactions: transfers between accounts, merges with an operator of the
 * program's own, audits under snapshots, flushes, compactions, checkpoints, families that come and go; and commits that
 * conflict on an optimistic database. For ThreadSanitizer. */
#include "check.h"
#include <pthread.h>
#include <stdint.h>

enum { ACCOUNTS = 12, START = 1000, TRANSFERS = 150, MERGES = 200, AUDITS = 40, FAMILIES = 8, COMMITS = 120 };

static rocksdb_transactiondb_t* txn_db;
static rocksdb_t* db;
static rocksdb_optimistictransactiondb_t* optimistic;
static const rocksdb_options_t* family_options;
static char checkpoint_dir[512];

#define FINE(error) CHECK((error) == NULL)

static unsigned next_random(unsigned* state) { return *state = *state * 1664525 + 1013904223, *state >> 8; }

/* Adds 8-byte numbers: the merge operator. */
static char* sum(const char* first, const char* const* list, const size_t* lengths, int n, unsigned char* success,
                 size_t* new_len) {
    uint64_t total = 0, one;
    if (first) memcpy(&total, first, 8);
    for (int i = 0; i < n; i++) {
        CHECK(lengths[i] == 8);
        memcpy(&one, list[i], 8);
        total += one;
    }
    char* out = malloc(8);
    memcpy(out, &total, 8);
    *success = 1;
    *new_len = 8;
    return out;
}

static char* full(void* state, const char* key, size_t klen, const char* existing, size_t elen, const char* const* list,
                  const size_t* lengths, int n, unsigned char* success, size_t* new_len) {
    (void)state, (void)key, (void)klen, (void)elen;
    return sum(existing, list, lengths, n, success, new_len);
}

static char* partial(void* state, const char* key, size_t klen, const char* const* list, const size_t* lengths, int n,
                     unsigned char* success, size_t* new_len) {
    (void)state, (void)key, (void)klen;
    return sum(NULL, list, lengths, n, success, new_len);
}

static void nothing(void* state) { (void)state; }
static const char* name(void* state) { return (void)state, "smoke.sum"; }

static void account(char* key, unsigned n) { snprintf(key, 16, "account%02u", n); }

/* The number under a key, read and locked by a transaction; 0 and an error where it cannot be locked. */
static uint64_t locked(rocksdb_transaction_t* txn, const rocksdb_readoptions_t* ro, const char* key, char** error) {
    size_t len = 0;
    uint64_t number = 0;
    char* value = rocksdb_transaction_get_for_update(txn, ro, S(key), &len, 1, error);
    if (value) memcpy(&number, value, 8);
    rocksdb_free(value);
    return number;
}

/* Moves money about. Conflicts and deadlocks are rolled back. */
static void* transfer(void* argument) {
    unsigned seed = (unsigned)(size_t)argument;
    char* error = NULL;
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_transaction_options_t* to = rocksdb_transaction_options_create();
    rocksdb_transaction_options_set_deadlock_detect(to, 1);
    rocksdb_transaction_options_set_lock_timeout(to, 50);
    rocksdb_transaction_t* txn = NULL;
    for (int i = 0; i < TRANSFERS; i++) {
        char from[16], into[16];
        unsigned a = next_random(&seed) % ACCOUNTS, b = (a + 1 + next_random(&seed) % (ACCOUNTS - 1)) % ACCOUNTS;
        account(from, a);
        account(into, b);
        txn = rocksdb_transaction_begin(txn_db, wo, to, txn);
        uint64_t left = locked(txn, ro, from, &error), right = 0;
        if (!error) right = locked(txn, ro, into, &error);
        if (!error) {
            left -= 1, right += 1;
            rocksdb_transaction_put(txn, S(from), (char*)&left, 8, &error);
            FINE(error);
            rocksdb_transaction_put(txn, S(into), (char*)&right, 8, &error);
            FINE(error);
            if (i % 7 == 0) rocksdb_transaction_rollback(txn, &error);
            else rocksdb_transaction_commit(txn, &error);
            FINE(error);
        } else {
            rocksdb_free(error);
            error = NULL;
            rocksdb_transaction_rollback(txn, &error);
            FINE(error);
        }
    }
    rocksdb_transaction_destroy(txn);
    rocksdb_transaction_options_destroy(to);
    rocksdb_readoptions_destroy(ro);
    rocksdb_writeoptions_destroy(wo);
    return NULL;
}

/* Adds to a counter, and writes keys that nobody locks. */
static void* merge(void* argument) {
    size_t thread = (size_t)argument;
    char* error = NULL;
    uint64_t one = 1;
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    for (int i = 0; i < MERGES; i++) {
        char key[32], value[200];
        snprintf(key, sizeof key, "own%zu-%05d", thread, i);
        memset(value, 'a' + i % 26, sizeof value);
        rocksdb_transactiondb_merge(txn_db, wo, S("counter"), (char*)&one, 8, &error);
        FINE(error);
        rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
        rocksdb_writebatch_put(batch, S(key), value, sizeof value);
        rocksdb_writebatch_merge(batch, S("blind"), (char*)&one, 8);
        if (i % 3 == 0) rocksdb_writebatch_delete(batch, S("gone"));
        rocksdb_write(db, wo, batch, &error);
        FINE(error);
        rocksdb_writebatch_destroy(batch);
    }
    rocksdb_writeoptions_destroy(wo);
    return NULL;
}

/* Under a snapshot no money is lost, however it is read. */
static void* audit(void* argument) {
    (void)argument;
    char* error = NULL;
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    for (int i = 0; i < AUDITS; i++) {
        const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
        rocksdb_readoptions_set_snapshot(ro, snapshot);
        uint64_t walked = 0, got = 0, number;
        rocksdb_iterator_t* it = rocksdb_create_iterator(db, ro);
        for (rocksdb_iter_seek_for_prev(it, S("account~")); rocksdb_iter_valid(it); rocksdb_iter_prev(it)) {
            size_t klen, vlen;
            const char* key = rocksdb_iter_key(it, &klen);
            const char* value = rocksdb_iter_value(it, &vlen);
            if (klen != 9 || memcmp(key, "account", 7) != 0) break;
            memcpy(&number, value, 8);
            walked += number;
        }
        rocksdb_iter_get_error(it, &error);
        FINE(error);
        rocksdb_iter_destroy(it);
        char keys[ACCOUNTS][16];
        const char* list[ACCOUNTS];
        size_t lengths[ACCOUNTS], found_lengths[ACCOUNTS];
        char *found[ACCOUNTS], *errors[ACCOUNTS];
        for (unsigned n = 0; n < ACCOUNTS; n++) {
            account(keys[n], n);
            list[n] = keys[n];
            lengths[n] = strlen(keys[n]);
        }
        rocksdb_multi_get(db, ro, ACCOUNTS, list, lengths, found, found_lengths, errors);
        for (int n = 0; n < ACCOUNTS; n++) {
            FINE(errors[n]);
            CHECK(found[n] && found_lengths[n] == 8);
            memcpy(&number, found[n], 8);
            got += number;
            rocksdb_free(found[n]);
        }
        CHECK(walked == (uint64_t)ACCOUNTS * START && got == walked);
        rocksdb_pinnableslice_t* slice = rocksdb_get_pinned(db, ro, S("counter"), &error);
        FINE(error);
        if (slice) rocksdb_pinnableslice_destroy(slice);
        rocksdb_readoptions_set_snapshot(ro, NULL);
        rocksdb_release_snapshot(db, snapshot);
    }
    rocksdb_readoptions_destroy(ro);
    return NULL;
}

/* Flushes, compacts, changes options, asks for everything, copies. */
static void* work_behind(void* argument) {
    (void)argument;
    char* error = NULL;
    rocksdb_flushoptions_t* fo = rocksdb_flushoptions_create();
    const char* const begin[1] = {"a"};
    const char* const end[1] = {"z"};
    const size_t ones[1] = {1};
    for (int i = 0; i < 10; i++) {
        rocksdb_transactiondb_flush(txn_db, fo, &error);
        FINE(error);
        if (i % 2) rocksdb_compact_range(db, NULL, 0, NULL, 0);
        const char* const option[1] = {"write_buffer_size"};
        const char* const size[1] = {i % 2 ? "65536" : "131072"};
        rocksdb_set_options(db, 1, option, size, &error);
        FINE(error);
        uint64_t bytes;
        rocksdb_approximate_sizes(db, 1, begin, ones, end, ones, &bytes, &error);
        FINE(error);
        rocksdb_free(rocksdb_property_value(db, "rocksdb.stats"));
        rocksdb_free(rocksdb_property_value(db, "rocksdb.sstables"));
        rocksdb_livefiles_destroy(rocksdb_livefiles(db));
        if (i == 5) {
            rocksdb_checkpoint_t* checkpoint = rocksdb_checkpoint_object_create(db, &error);
            FINE(error);
            rocksdb_checkpoint_create(checkpoint, checkpoint_dir, 0, &error);
            FINE(error);
            rocksdb_checkpoint_object_destroy(checkpoint);
        }
    }
    rocksdb_flushoptions_destroy(fo);
    return NULL;
}

/* Families that come and go, read while they go. */
static void* families(void* argument) {
    size_t thread = (size_t)argument;
    char* error = NULL;
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_flushoptions_t* fo = rocksdb_flushoptions_create();
    for (int i = 0; i < FAMILIES; i++) {
        char family[32], key[16];
        snprintf(family, sizeof family, "family%zu-%d", thread, i);
        rocksdb_column_family_handle_t* cf = rocksdb_create_column_family(db, family_options, family, &error);
        FINE(error);
        for (int n = 0; n < 60; n++) {
            snprintf(key, sizeof key, "key%03d", n);
            rocksdb_put_cf(db, wo, cf, S(key), S("value"), &error);
            FINE(error);
            if (n == 30 && i % 2) rocksdb_flush_cf(db, fo, cf, &error);
            FINE(error);
        }
        rocksdb_delete_range_cf(db, wo, cf, S("key010"), S("key020"), &error);
        FINE(error);
        rocksdb_iterator_t* it = rocksdb_create_iterator_cf(db, ro, cf);
        rocksdb_drop_column_family(db, cf, &error);
        FINE(error);
        int found = 0;
        for (rocksdb_iter_seek_to_first(it); rocksdb_iter_valid(it); rocksdb_iter_next(it)) found++;
        CHECK(found == 50);
        rocksdb_iter_destroy(it);
        rocksdb_column_family_handle_destroy(cf);
    }
    rocksdb_flushoptions_destroy(fo);
    rocksdb_readoptions_destroy(ro);
    rocksdb_writeoptions_destroy(wo);
    return NULL;
}

/* Adds one to a number until that has worked so often. */
static void* commit(void* argument) {
    (void)argument;
    char* error = NULL;
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_optimistictransaction_options_t* oo = rocksdb_optimistictransaction_options_create();
    for (int done = 0; done < COMMITS;) {
        rocksdb_transaction_t* txn = rocksdb_optimistictransaction_begin(optimistic, wo, oo, NULL);
        uint64_t number = locked(txn, ro, "number", &error) + 1;
        FINE(error);
        rocksdb_transaction_put(txn, S("number"), (char*)&number, 8, &error);
        FINE(error);
        rocksdb_transaction_commit(txn, &error);
        if (error) {
            rocksdb_free(error);
            error = NULL;
        } else {
            done++;
        }
        rocksdb_transaction_destroy(txn);
    }
    rocksdb_optimistictransaction_options_destroy(oo);
    rocksdb_readoptions_destroy(ro);
    rocksdb_writeoptions_destroy(wo);
    return NULL;
}

static void prints(rocksdb_t* from, const char* key) {
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    size_t len = 0;
    char* value = rocksdb_get(from, ro, S(key), &len, &err);
    OK;
    CHECK(value != NULL && len == 8);
    uint64_t number;
    memcpy(&number, value, 8);
    printf("%s: %llu\n", key, (unsigned long long)number);
    rocksdb_free(value);
    rocksdb_readoptions_destroy(ro);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    snprintf(checkpoint_dir, sizeof checkpoint_dir, "%s", in_dir(argv, "copy"));
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_write_buffer_size(options, 64 << 10);
    rocksdb_options_set_level0_file_num_compaction_trigger(options, 2);
    rocksdb_options_increase_parallelism(options, 4);
    rocksdb_options_enable_statistics(options);
    rocksdb_options_set_merge_operator(options,
                                       rocksdb_mergeoperator_create(NULL, nothing, full, partial, NULL, name));
    family_options = options;
    rocksdb_transactiondb_options_t* txn_options = rocksdb_transactiondb_options_create();
    txn_db = rocksdb_transactiondb_open(options, txn_options, in_dir(argv, "db"), &err);
    OK;
    db = rocksdb_transactiondb_get_base_db(txn_db);
    optimistic = rocksdb_optimistictransactiondb_open(options, in_dir(argv, "optimistic"), &err);
    OK;
    uint64_t start = START;
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    for (unsigned n = 0; n < ACCOUNTS; n++) {
        char key[16];
        account(key, n);
        rocksdb_transactiondb_put(txn_db, wo, S(key), (char*)&start, 8, &err);
        OK;
    }
    rocksdb_writeoptions_destroy(wo);

    void* (*const jobs[])(void*) = {transfer, transfer, transfer, merge,    merge,  audit,
                                    audit,    families, families, work_behind, commit, commit};
    enum { JOBS = sizeof jobs / sizeof jobs[0] };
    pthread_t threads[JOBS];
    for (size_t i = 0; i < JOBS; i++) CHECK(pthread_create(&threads[i], NULL, jobs[i], (void*)i) == 0);
    for (size_t i = 0; i < JOBS; i++) CHECK(pthread_join(threads[i], NULL) == 0);

    audit(NULL);
    prints(db, "counter");
    prints(db, "blind");
    rocksdb_t* base = rocksdb_optimistictransactiondb_get_base_db(optimistic);
    prints(base, "number");
    rocksdb_optimistictransactiondb_close_base_db(base);
    rocksdb_optimistictransactiondb_close(optimistic);
    rocksdb_transactiondb_close_base_db(db);
    rocksdb_transactiondb_close(txn_db);
    rocksdb_transactiondb_options_destroy(txn_options);
    rocksdb_options_destroy(options);
    return 0;
}
