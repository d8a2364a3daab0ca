/* Directories that are missing: the last one of a path is made, one above it is an error, since a volume is
 * perhaps not mounted. */
#include "check.h"
#include <sys/stat.h>

static const char* dir;

static const char* under(const char* name) {
    static char names[8][512];
    static int next;
    char* out = names[next++ % 8];
    snprintf(out, sizeof names[0], "%s%s", dir, name);
    return out;
}

static int is_there(const char* name) {
    struct stat s;
    return stat(under(name), &s) == 0;
}

static rocksdb_options_t* creating(void) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    return options;
}

/* Prints the error without the directory that differs between runs. */
static void print_error(const char* what) {
    printf("%s:", what);
    for (char* at = err ? err : "fine"; *at;) {
        size_t len = strlen(dir);
        int ours = strncmp(at, dir, len) == 0;
        ours ? printf("DIR") : printf("%c", *at);
        at += ours ? len : 1;
    }
    printf("\n");
    rocksdb_free(err);
    err = NULL;
}

static void open_at(const char* what, rocksdb_options_t* options, const char* name) {
    rocksdb_t* db = rocksdb_open(options, under(name), &err);
    CHECK((db == NULL) == (err != NULL));
    if (db) {
        put(db, "a", "b");
        flush(db);
        rocksdb_close(db);
    }
    print_error(what);
    rocksdb_options_destroy(options);
}

static rocksdb_options_t* with_path(int of_family, const char* name) {
    rocksdb_options_t* options = creating();
    const rocksdb_dbpath_t* paths[] = {rocksdb_dbpath_create(under(name), 1 << 30)};
    if (of_family) {
        rocksdb_options_set_cf_paths(options, paths, 1);
    } else {
        rocksdb_options_set_db_paths(options, paths, 1);
    }
    rocksdb_dbpath_destroy((rocksdb_dbpath_t*)paths[0]);
    return options;
}

static void opens(void) {
    open_at("one", creating(), "/one");
    open_at("one again", creating(), "/one");
    open_at("slash", creating(), "/slash/");
    open_at("two", creating(), "/no/db");
    open_at("three", creating(), "/no/no/db");
    CHECK(!is_there("/no"));
    rocksdb_options_t* options = creating();
    rocksdb_options_set_wal_dir(options, under("/wal"));
    open_at("wal_dir", options, "/db1");
    options = creating();
    rocksdb_options_set_wal_dir(options, under("/no/wal"));
    open_at("missing above wal_dir", options, "/db2");
    options = creating();
    rocksdb_options_set_wal_dir(options, under("/db3/wal"));
    open_at("wal_dir within", options, "/db3");
    options = creating();
    rocksdb_options_set_db_log_dir(options, under("/log"));
    open_at("db_log_dir", options, "/db4");
    options = creating();
    rocksdb_options_set_db_log_dir(options, under("/no/log"));
    open_at("missing above db_log_dir", options, "/db5");
    open_at("db_paths", with_path(0, "/path"), "/db6");
    open_at("missing above db_paths", with_path(0, "/no/path"), "/db7");
    open_at("cf_paths", with_path(1, "/cf"), "/db8");
    open_at("missing above cf_paths", with_path(1, "/no/cf"), "/db9");
    CHECK(!is_there("/no"));
    FILE* file = fopen(under("/file"), "w");
    CHECK(file != NULL);
    fclose(file);
    open_at("a file", creating(), "/file");
    open_at("below a file", creating(), "/file/db");

    rocksdb_transactiondb_options_t* to = rocksdb_transactiondb_options_create();
    options = creating();
    CHECK(rocksdb_transactiondb_open(options, to, under("/no/db"), &err) == NULL);
    print_error("transactions");
    CHECK(rocksdb_optimistictransactiondb_open(options, under("/no/db"), &err) == NULL);
    print_error("optimistic transactions");
    CHECK(rocksdb_open_with_ttl(options, under("/no/db"), 5, &err) == NULL);
    print_error("ttl");
    rocksdb_transactiondb_options_destroy(to);
    rocksdb_options_destroy(options);
    rocksdb_env_t* env = rocksdb_create_default_env();
    rocksdb_create_dir_if_missing(env, under("/made"), &err);
    print_error("env");
    rocksdb_create_dir_if_missing(env, under("/made"), &err);
    print_error("env again");
    rocksdb_create_dir_if_missing(env, under("/file"), &err);
    print_error("env, a file");
    rocksdb_create_dir_if_missing(env, under("/no/made"), &err);
    print_error("env, missing above");
    rocksdb_env_destroy(env);
    CHECK(!is_there("/no"));
}

/* A database is open, and its volume for logs goes away. */
static void gone(void) {
    CHECK(mkdir(under("/volume"), 0755) == 0);
    for (int i = 0; i < 2; i++) {
        rocksdb_options_t* options = creating();
        rocksdb_options_set_wal_dir(options, under("/volume/wal"));
        open_at("volume", options, "/db10");
        char command[600];
        snprintf(command, sizeof command, "rm -rf %s", under("/volume"));
        CHECK(system(command) == 0);
    }
    CHECK(!is_there("/volume"));
}

static void copies(void) {
    rocksdb_options_t* options = creating();
    rocksdb_t* db = rocksdb_open(options, under("/copied"), &err);
    OK;
    put(db, "a", "b");
    rocksdb_backup_engine_t* backups = rocksdb_backup_engine_open(options, under("/no/backups"), &err);
    CHECK(backups == NULL);
    print_error("backups, missing above");
    backups = rocksdb_backup_engine_open(options, under("/backups"), &err);
    OK;
    rocksdb_backup_engine_create_new_backup(backups, db, &err);
    OK;
    rocksdb_restore_options_t* how = rocksdb_restore_options_create();
    struct {
        const char *what, *db, *wal;
    } to[] = {
        {"restore", "/r1", "/r1"},
        {"restore with logs", "/r2", "/r2wal"},
        {"restore, missing above", "/no/r3", "/no/r3"},
        {"restore, missing above logs", "/r4", "/no/r4"},
    };
    for (int i = 0; i < 4; i++) {
        rocksdb_backup_engine_restore_db_from_latest_backup(backups, under(to[i].db), under(to[i].wal), how, &err);
        print_error(to[i].what);
    }
    rocksdb_restore_options_destroy(how);
    rocksdb_backup_engine_close(backups);
    rocksdb_checkpoint_t* checkpoint = rocksdb_checkpoint_object_create(db, &err);
    OK;
    rocksdb_checkpoint_create(checkpoint, under("/checkpoint"), 0, &err);
    print_error("checkpoint");
    rocksdb_checkpoint_create(checkpoint, under("/no/checkpoint"), 0, &err);
    print_error("checkpoint, missing above");
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    CHECK(rocksdb_checkpoint_export_column_family(checkpoint, cf, under("/no/export"), &err) == NULL);
    print_error("export, missing above");
    rocksdb_checkpoint_object_destroy(checkpoint);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
    CHECK(!is_there("/no"));
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    dir = argv[1];
    opens();
    gone();
    copies();
    return 0;
}
