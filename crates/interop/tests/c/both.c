/* Two libraries with RocksDB's C API in one process, each loaded with RTLD_LOCAL: both DIR LIBRARY LIBRARY.
 * Each writes a database, each opens what the other wrote, and both have databases open at once. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);     \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

typedef void* object;

struct library {
    object (*options_create)(void);
    void (*options_set_create_if_missing)(object, unsigned char);
    void (*options_destroy)(object);
    object (*open)(object, const char*, char**);
    void (*close)(object);
    object (*writeoptions_create)(void);
    void (*writeoptions_destroy)(object);
    void (*put)(object, object, const char*, size_t, const char*, size_t, char**);
    object (*readoptions_create)(void);
    void (*readoptions_destroy)(object);
    char* (*get)(object, object, const char*, size_t, size_t*, char**);
    object (*create_iterator)(object, object);
    void (*iter_seek_to_first)(object);
    unsigned char (*iter_valid)(object);
    void (*iter_next)(object);
    void (*iter_destroy)(object);
    object (*flushoptions_create)(void);
    void (*flushoptions_destroy)(object);
    void (*flush)(object, object, char**);
    void (*compact_range)(object, const char*, size_t, const char*, size_t);
    void (*free)(void*);
};

static struct library load(const char* path) {
    void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    struct library l;
#define FIND(name) CHECK((*(void**)&l.name = dlsym(handle, "rocksdb_" #name)) != NULL)
    FIND(options_create);
    FIND(options_set_create_if_missing);
    FIND(options_destroy);
    FIND(open);
    FIND(close);
    FIND(writeoptions_create);
    FIND(writeoptions_destroy);
    FIND(put);
    FIND(readoptions_create);
    FIND(readoptions_destroy);
    FIND(get);
    FIND(create_iterator);
    FIND(iter_seek_to_first);
    FIND(iter_valid);
    FIND(iter_next);
    FIND(iter_destroy);
    FIND(flushoptions_create);
    FIND(flushoptions_destroy);
    FIND(flush);
    FIND(compact_range);
    FIND(free);
    return l;
}

static char* err;

#define OK                                                       \
    do {                                                         \
        if (err) {                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, err); \
            exit(1);                                             \
        }                                                        \
    } while (0)

static object open_in(const struct library* l, const char* path) {
    object options = l->options_create();
    l->options_set_create_if_missing(options, 1);
    object db = l->open(options, path, &err);
    OK;
    l->options_destroy(options);
    return db;
}

enum { KEYS = 1000 };

/* Writes keys from `begin` on; the second half stays in the log. */
static void fill(const struct library* l, object db, int begin) {
    object wo = l->writeoptions_create(), fo = l->flushoptions_create();
    char key[32], value[32];
    for (int i = begin; i < begin + KEYS; i++) {
        snprintf(key, sizeof key, "key%06d", i);
        snprintf(value, sizeof value, "value%d", i);
        l->put(db, wo, key, strlen(key), value, strlen(value), &err);
        OK;
        if (i == begin + KEYS / 2) l->flush(db, fo, &err);
        OK;
    }
    l->writeoptions_destroy(wo);
    l->flushoptions_destroy(fo);
}

/* All keys below `end` are there, and no others. */
static void check(const struct library* l, object db, int end) {
    object ro = l->readoptions_create();
    char key[32], value[32];
    for (int i = 0; i < end; i++) {
        snprintf(key, sizeof key, "key%06d", i);
        int expected = snprintf(value, sizeof value, "value%d", i);
        size_t len;
        char* found = l->get(db, ro, key, strlen(key), &len, &err);
        OK;
        CHECK(found && len == (size_t)expected && memcmp(found, value, len) == 0);
        l->free(found);
    }
    object it = l->create_iterator(db, ro);
    int n = 0;
    for (l->iter_seek_to_first(it); l->iter_valid(it); l->iter_next(it)) n++;
    CHECK(n == end);
    l->iter_destroy(it);
    l->readoptions_destroy(ro);
}

int main(int argc, char** argv) {
    CHECK(argc == 4);
    struct library libraries[2] = {load(argv[2]), load(argv[3])};
    /* Two copies of one function, not one that hides the other. */
    CHECK(libraries[0].open != libraries[1].open);
    char paths[2][512];
    object dbs[2];
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%d", argv[1], i);
        dbs[i] = open_in(&libraries[i], paths[i]);
    }
    for (int i = 0; i < 2; i++) fill(&libraries[i], dbs[i], 0);
    for (int i = 0; i < 2; i++) libraries[i].close(dbs[i]);
    /* Each takes over what the other wrote. */
    for (int i = 0; i < 2; i++) dbs[i] = open_in(&libraries[i], paths[1 - i]);
    for (int i = 0; i < 2; i++) check(&libraries[i], dbs[i], KEYS);
    for (int i = 0; i < 2; i++) fill(&libraries[i], dbs[i], KEYS);
    for (int i = 0; i < 2; i++) libraries[i].compact_range(dbs[i], NULL, 0, NULL, 0);
    for (int i = 0; i < 2; i++) libraries[i].close(dbs[i]);
    /* And back. */
    for (int i = 0; i < 2; i++) dbs[i] = open_in(&libraries[i], paths[i]);
    for (int i = 0; i < 2; i++) check(&libraries[i], dbs[i], 2 * KEYS);
    for (int i = 0; i < 2; i++) libraries[i].close(dbs[i]);
    puts("both: ok");
    return 0;
}
