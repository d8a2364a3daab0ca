/* Calls at the ends of threads and of the process: from destructors of thread-locals and of keys, from
 * functions of `atexit` and destructors of the program. Each way of ending is a process of its own, which
 * the first one starts and whose databases it opens afterwards.
 *
 * With `last` after the directory come the ways in which RocksDB waits for ever for its thread pool: flushes
 * after its own destructors, which run before functions that were registered before the first open, and flushes in
 * a child of the process. A test of crates/interop runs these on Ferrolith. */
#include "check.h"
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>

/* How the C++ compiler registers the destructor of a `thread_local`. */
extern int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* dso);
extern void* __dso_handle;

static char** arguments;
static rocksdb_t* global;
static bool no_wal, with_wal;

enum { KEYS = 500, THREADS = 4 };

static void put_keys(rocksdb_t* db, const char* prefix, bool log, bool sync) {
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_writeoptions_disable_WAL(wo, !log);
    rocksdb_writeoptions_set_sync(wo, sync);
    for (int i = 0; i < (sync ? 20 : KEYS); i++) {
        char key[64];
        snprintf(key, sizeof key, "%s%04d", prefix, i);
        rocksdb_put(db, wo, S(key), S("value"), &err);
        OK;
    }
    rocksdb_writeoptions_destroy(wo);
}

static int count(rocksdb_t* db, const char* prefix) {
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_iterator_t* it = rocksdb_create_iterator(db, ro);
    int n = 0;
    for (rocksdb_iter_seek(it, S(prefix)); rocksdb_iter_valid(it); rocksdb_iter_next(it)) {
        size_t len;
        const char* key = rocksdb_iter_key(it, &len);
        if (strncmp(key, prefix, strlen(prefix)) != 0) break;
        n++;
    }
    rocksdb_iter_get_error(it, &err);
    OK;
    rocksdb_iter_destroy(it);
    rocksdb_readoptions_destroy(ro);
    return n;
}

/* Reads, writes, snapshots, batches, properties, flushes and compactions of an open database. */
static void use(rocksdb_t* db, const char* prefix) {
    put_keys(db, prefix, true, false);
    CHECK(count(db, prefix) == KEYS);
    flush(db);
    char key[64];
    snprintf(key, sizeof key, "%s%04d", prefix, 7);
    expect(db, key, "value");
    expect(db, "nothing", NULL);
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
    rocksdb_readoptions_set_snapshot(ro, snapshot);
    rocksdb_pinnableslice_t* slice = rocksdb_get_pinned(db, ro, S(key), &err);
    OK;
    CHECK(slice != NULL);
    rocksdb_pinnableslice_destroy(slice);
    const char* keys[] = {key, "nothing"};
    size_t lengths[] = {strlen(key), 7}, found_lengths[2];
    char *found[2], *errors[2];
    rocksdb_multi_get(db, ro, 2, keys, lengths, found, found_lengths, errors);
    CHECK(!errors[0] && !errors[1] && !found[1]);
    IS(found[0], found_lengths[0], "value");
    rocksdb_release_snapshot(db, snapshot);
    rocksdb_readoptions_destroy(ro);
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
    snprintf(key, sizeof key, "%s-batch", prefix);
    rocksdb_writebatch_put(batch, S(key), S("1"));
    rocksdb_write(db, wo, batch, &err);
    OK;
    rocksdb_writebatch_destroy(batch);
    rocksdb_writeoptions_destroy(wo);
    put_keys(db, prefix, true, true);
    char* files = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
    CHECK(files != NULL);
    rocksdb_free(files);
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    expect(db, key, "1");
    CHECK(count(db, prefix) == KEYS + 1);
}

static void transactions(const char* path) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_transactiondb_options_t* to = rocksdb_transactiondb_options_create();
    rocksdb_transactiondb_t* db = rocksdb_transactiondb_open(options, to, path, &err);
    OK;
    rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_transaction_options_t* each = rocksdb_transaction_options_create();
    rocksdb_transaction_t* one = rocksdb_transaction_begin(db, wo, each, NULL);
    rocksdb_transaction_put(one, S("locked"), S("1"), &err);
    OK;
    rocksdb_transaction_t* two = rocksdb_transaction_begin(db, wo, each, NULL);
    rocksdb_transaction_put(two, S("locked"), S("2"), &err);
    FAILED;
    rocksdb_transaction_rollback(two, &err);
    OK;
    rocksdb_transaction_commit(one, &err);
    OK;
    size_t len;
    IS(rocksdb_transactiondb_get(db, ro, S("locked"), &len, &err), len, "1");
    rocksdb_transaction_destroy(one);
    rocksdb_transaction_destroy(two);
    rocksdb_transaction_options_destroy(each);
    rocksdb_transactiondb_close(db);
    rocksdb_transactiondb_options_destroy(to);

    rocksdb_optimistictransactiondb_t* checked = rocksdb_optimistictransactiondb_open(options, path, &err);
    OK;
    rocksdb_optimistictransaction_options_t* oo = rocksdb_optimistictransaction_options_create();
    one = rocksdb_optimistictransaction_begin(checked, wo, oo, NULL);
    rocksdb_transaction_put(one, S("checked"), S("1"), &err);
    OK;
    rocksdb_transaction_commit(one, &err);
    OK;
    rocksdb_transaction_destroy(one);
    rocksdb_optimistictransaction_options_destroy(oo);
    rocksdb_optimistictransactiondb_close(checked);
    rocksdb_writeoptions_destroy(wo);
    rocksdb_readoptions_destroy(ro);
    rocksdb_options_destroy(options);
}

/* A database of its own, opened and closed here, with compressed tables. */
static void open_use_close(const char* name) {
    char path[512];
    snprintf(path, sizeof path, "%s-%s", arguments[1], name);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_compression(options, rocksdb_zstd_compression);
    rocksdb_t* db = rocksdb_open(options, path, &err);
    OK;
    rocksdb_options_destroy(options);
    use(db, name);
    rocksdb_close(db);
    strcat(path, "-txn");
    transactions(path);
}

static void close_global(void) {
    if (global == NULL) return;
    if (with_wal) put_keys(global, "late", true, false);
    if (no_wal) put_keys(global, "late-unlogged", false, false);
    rocksdb_close(global);
    global = NULL;
    printf("closed\n");
    fflush(stdout);
}

static void at_exit(void) {
    use(global, "atexit");
    open_use_close("own");
    close_global();
}

static bool close_in_destructor;

__attribute__((destructor)) static void of_program(void) {
    if (close_in_destructor) {
        use(global, "destructor");
        close_global();
    }
}

static void of_thread(void* name) {
    use(global, name);
    open_use_close(name);
}

static pthread_key_t key;

/* The thread has used the library before, so its thread-locals exist and are gone in the end. */
static void* local_thread(void* name) {
    __cxa_thread_atexit_impl(of_thread, name, &__dso_handle);
    put_keys(global, name, true, true);
    return NULL;
}

static void* key_thread(void* name) {
    CHECK(pthread_setspecific(key, name) == 0);
    put_keys(global, name, true, true);
    return NULL;
}

/* The thread's first call is in the destructor. */
static void* fresh_key_thread(void* name) {
    CHECK(pthread_setspecific(key, name) == 0);
    return NULL;
}

static void run_threads(void* (*body)(void*)) {
    static char names[THREADS][16];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        snprintf(names[i], sizeof names[i], "thread%d-", i);
        CHECK(pthread_create(&threads[i], NULL, body, names[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(count(global, names[i]) == KEYS + 1);
}

static void of_main(void* name) {
    use(global, name);
    close_global();
}

static void* exiting(void* unused) {
    (void)unused;
    put_keys(global, "exiting", true, true);
    exit(0);
}

struct way {
    const char* name;
    /* Registers what runs in the end, before and after the database is opened. */
    void (*before_open)(void);
    void (*after_open)(void);
    bool with_wal, no_wal, in_destructor;
};

static void register_all(void) {
    CHECK(atexit(at_exit) == 0);
}

static void register_close(void) {
    CHECK(atexit(close_global) == 0);
}

static void register_local(void) {
    __cxa_thread_atexit_impl(of_main, "main", &__dso_handle);
}

static void exit_in_thread(void) {
    register_close();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, exiting, NULL) == 0);
    for (;;) pause();
}

static void with_locals(void) {
    run_threads(local_thread);
    close_global();
}

static void with_keys(void) {
    CHECK(pthread_key_create(&key, of_thread) == 0);
    run_threads(key_thread);
    close_global();
}

static void with_fresh_keys(void) {
    CHECK(pthread_key_create(&key, of_thread) == 0);
    run_threads(fresh_key_thread);
    close_global();
}

/* A child that closes what its parent has open must end, and must not touch the files. */
static void fork_and_close(void) {
    put_keys(global, "exiting", !no_wal, false);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(30);
        rocksdb_close(global);
        exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    put_keys(global, "main", true, true);
    put_keys(global, "main", true, false);
}

static void fork_then_close(void) {
    fork_and_close();
    close_global();
}

/* What the log has is read again. */
static void fork_then_end(void) {
    fork_and_close();
    put_keys(global, "late0", true, false);
    _exit(0);
}

static const struct way both[] = {
    {"everything in atexit", NULL, register_all, true, true, false},
    {"atexit, unlogged", NULL, register_close, false, true, false},
    {"atexit, logged", NULL, register_close, true, false, false},
    {"atexit from before the open, logged", register_close, NULL, true, false, false},
    {"exit in another thread", NULL, exit_in_thread, true, true, false},
    {"thread-local of the main thread", register_local, NULL, true, true, false},
    {"thread-locals of threads", NULL, with_locals, false, true, false},
    {"keys of threads", NULL, with_keys, false, true, false},
    {"keys of threads that have made no call", NULL, with_fresh_keys, false, true, false},
};

static const struct way last[] = {
    {"everything in atexit from before the open", register_all, NULL, true, true, false},
    {"atexit from before the open, unlogged", register_close, NULL, false, true, false},
    {"destructor of the program", NULL, NULL, true, true, true},
    {"a child closes, unlogged", NULL, fork_then_close, true, true, false},
    {"a child closes, logged", NULL, fork_then_end, false, false, false},
};

static void end(const struct way* way) {
    if (way->before_open) way->before_open();
    global = open_new(arguments[1]);
    put_keys(global, "early", true, false);
    with_wal = way->with_wal;
    no_wal = way->no_wal;
    close_in_destructor = way->in_destructor;
    if (way->after_open) way->after_open();
}

/* Runs a way of ending in a process of its own, and looks at what it left. */
static void judge(const struct way* way, int number, const char* list) {
    char dir[512], index[16];
    snprintf(dir, sizeof dir, "%s/%d", arguments[1], number);
    snprintf(index, sizeof index, "%d", number);
    printf("%s\n", way->name);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        execl(arguments[0], arguments[0], dir, list, index, (char*)NULL);
        _exit(127);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    if (status != 0) fprintf(stderr, "%s: status %#x\n", way->name, status);
    CHECK(status == 0);
    rocksdb_t* db = open_new(dir);
    static const char* const prefixes[] = {
        "early", "late0", "late-unlogged", "atexit", "destructor", "main", "exiting", "thread",
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        printf("  %s %d\n", prefixes[i], count(db, prefixes[i]));
    CHECK(count(db, "early") == KEYS);
    CHECK(!way->with_wal || count(db, "late0") == KEYS);
    CHECK(way->after_open != fork_then_close || count(db, "main") == KEYS);
    CHECK(way->after_open != fork_then_close || count(db, "exiting") == KEYS);
    CHECK(way->after_open != fork_then_end || count(db, "main") == KEYS);
    CHECK(way->after_open != fork_then_end || count(db, "late00") == KEYS);
    CHECK(!way->no_wal || count(db, "late-unlogged") == KEYS);
    rocksdb_close(db);
}

int main(int argc, char** argv) {
    arguments = argv;
    bool only_last = argc > 2 && strcmp(argv[2], "last") == 0;
    const struct way* ways = only_last ? last : both;
    int count = only_last ? sizeof last / sizeof *last : sizeof both / sizeof *both;
    if (argc == 4) {
        end(&ways[atoi(argv[3])]);
        return 0;
    }
    for (int i = 0; i < count; i++) judge(&ways[i], i, only_last ? "last" : "both");
    return 0;
}
