/* What the programs here share. Each is run with an empty directory as its argument, checks what it
 * gets, and prints what must be the same on RocksDB and on Ferrolith. */
#ifndef CHECK_H
#define CHECK_H

#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ends the program at once: other threads may be in the middle of the library. */
static inline void fail(void) {
    fflush(NULL);
    _exit(1);
}

/* Ends a program that needs what the library does not have yet, and says what. */
static inline void skip(const char* why) {
    fprintf(stderr, "%s\n", why);
    fflush(NULL);
    _exit(77);
}

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);      \
            fail();                                                              \
        }                                                                        \
    } while (0)

/* Where functions put their errors, for each thread. */
static _Thread_local char* err;

/* The call before has not failed. */
#define OK                                                                       \
    do {                                                                         \
        if (err) {                                                               \
            fprintf(stderr, "%s:%d: error: %s\n", __FILE__, __LINE__, err);      \
            fail();                                                              \
        }                                                                        \
    } while (0)

/* The call before has failed; its text is printed without the paths in it. */
#define FAILED                                                                   \
    do {                                                                         \
        CHECK(err != NULL);                                                      \
        char* path = strchr(err, '/');                                           \
        printf("%s:%d: %.*s\n", strrchr(__FILE__, '/') + 1, __LINE__,            \
               path ? (int)(path - err) : (int)strlen(err), err);                \
        rocksdb_free(err);                                                       \
        err = NULL;                                                              \
    } while (0)

/* A C string as two arguments. */
#define S(text) (text), strlen(text)

/* A name below the program's directory; a few at a time may be in use. */
static inline const char* in_dir(char** argv, const char* name) {
    static char names[8][512];
    static int next;
    char* out = names[next++ % 8];
    snprintf(out, sizeof names[0], "%s/%s", argv[1], name);
    return out;
}

/* `value` of length `len` is `text`; it is freed. */
#define IS(value, len, text)                                                     \
    do {                                                                         \
        char* v_ = (value);                                                      \
        CHECK(v_ != NULL && (len) == strlen(text) && memcmp(v_, text, len) == 0); \
        rocksdb_free(v_);                                                        \
    } while (0)

/* As IS, but what somebody else owns. */
static inline int same(const char* value, size_t len, const char* text) {
    return value != NULL && len == strlen(text) && memcmp(value, text, len) == 0;
}

/* As `same`, with the call that sets the length first. */
#define SAME(value, len, text)                                                   \
    ({                                                                           \
        const char* v_ = (value);                                                \
        same(v_, len, text);                                                     \
    })

/* A database in the default form, made where there is none. */
static inline rocksdb_t* open_new(const char* path) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_t* db = rocksdb_open(options, path, &err);
    OK;
    rocksdb_options_destroy(options);
    return db;
}

static inline void put(rocksdb_t* db, const char* key, const char* value) {
    rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
    rocksdb_put(db, options, S(key), S(value), &err);
    OK;
    rocksdb_writeoptions_destroy(options);
}

/* Key `key` has `value`; NULL: it is not there. */
static inline void expect(rocksdb_t* db, const char* key, const char* value) {
    rocksdb_readoptions_t* options = rocksdb_readoptions_create();
    size_t len = 77;
    char* found = rocksdb_get(db, options, S(key), &len, &err);
    OK;
    if (value == NULL) {
        CHECK(found == NULL && len == 0);
    } else {
        IS(found, len, value);
    }
    rocksdb_readoptions_destroy(options);
}

static inline void flush(rocksdb_t* db) {
    rocksdb_flushoptions_t* options = rocksdb_flushoptions_create();
    rocksdb_flush(db, options, &err);
    OK;
    rocksdb_flushoptions_destroy(options);
}

/* "a=1 b=2 ": all entries from where the iterator is. */
static inline void print_rest(const char* title, rocksdb_iterator_t* it) {
    printf("%s:", title);
    for (; rocksdb_iter_valid(it); rocksdb_iter_next(it)) {
        size_t klen, vlen;
        const char* k = rocksdb_iter_key(it, &klen);
        const char* v = rocksdb_iter_value(it, &vlen);
        printf(" %.*s=%.*s", (int)klen, k, (int)vlen, v);
    }
    rocksdb_iter_get_error(it, &err);
    OK;
    printf("\n");
}

#endif
