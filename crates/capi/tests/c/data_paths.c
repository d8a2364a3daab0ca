/* Tables in several directories: which ones hold what, what is refused, what is left. */
#include "check.h"
#include <dirent.h>

static rocksdb_dbpath_t* paths[5];

static int tables_in(const char* dir) {
    DIR* d = opendir(dir);
    if (d == NULL) return -1;
    int count = 0;
    for (struct dirent* entry; (entry = readdir(d)) != NULL;) {
        count += strstr(entry->d_name, ".sst") != NULL;
    }
    closedir(d);
    return count;
}

static void print(const char* title, rocksdb_t* db, char** argv) {
    const rocksdb_livefiles_t* list = rocksdb_livefiles(db);
    printf("%s:", title);
    for (int i = 0; i < rocksdb_livefiles_count(list); i++) {
        const char* dir = strrchr(rocksdb_livefiles_directory(list, i), '/') + 1;
        printf(" level %d in %s,", rocksdb_livefiles_level(list, i), dir);
    }
    rocksdb_livefiles_destroy(list);
    printf(" tables %d %d %d\n", tables_in(in_dir(argv, "db")), tables_in(in_dir(argv, "data0")),
           tables_in(in_dir(argv, "data1")));
}

static void compact(rocksdb_t* db, int path) {
    rocksdb_compactoptions_t* options = rocksdb_compactoptions_create();
    rocksdb_compactoptions_set_target_path_id(options, path);
    rocksdb_compactoptions_set_bottommost_level_compaction(options, 2);
    rocksdb_compact_range_opt(db, options, NULL, 0, NULL, 0);
    rocksdb_compactoptions_destroy(options);
    rocksdb_wait_for_compact_options_t* wait = rocksdb_wait_for_compact_options_create();
    rocksdb_wait_for_compact(db, wait, &err);
    OK;
    rocksdb_wait_for_compact_options_destroy(wait);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "data%d", i);
        paths[i] = rocksdb_dbpath_create(in_dir(argv, name), 1 << 30);
    }
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    const rocksdb_dbpath_t** list = (const rocksdb_dbpath_t**)paths;
    rocksdb_options_set_db_paths(options, list, 5);
    CHECK(rocksdb_open(options, in_dir(argv, "db"), &err) == NULL);
    FAILED;
    rocksdb_options_set_db_paths(options, list, 2);
    rocksdb_options_set_compaction_style(options, rocksdb_fifo_compaction);
    CHECK(rocksdb_open(options, in_dir(argv, "db"), &err) == NULL);
    FAILED;
    rocksdb_options_set_cf_paths(options, list, 3);
    CHECK(rocksdb_open(options, in_dir(argv, "db"), &err) == NULL);
    FAILED;
    rocksdb_options_set_cf_paths(options, list, 0);
    rocksdb_options_set_compaction_style(options, rocksdb_level_compaction);
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, "db"), &err);
    OK;
    put(db, "a", "1");
    flush(db);
    put(db, "a", "2");
    flush(db);
    print("flushed", db, argv);
    compact(db, 1);
    print("compacted", db, argv);
    /* There is no path 2: refused, without an errptr to say so. */
    compact(db, 2);
    print("the same", db, argv);
    put(db, "b", "1");
    flush(db);
    rocksdb_close(db);

    rocksdb_t* reader = rocksdb_open_for_read_only(options, in_dir(argv, "db"), 0, &err);
    OK;
    expect(reader, "a", "2");
    print("read only", reader, argv);
    rocksdb_close(reader);
    db = rocksdb_open(options, in_dir(argv, "db"), &err);
    OK;
    expect(db, "a", "2");
    compact(db, 0);
    print("back", db, argv);

    rocksdb_checkpoint_t* checkpoint = rocksdb_checkpoint_object_create(db, &err);
    OK;
    compact(db, 1);
    rocksdb_checkpoint_create(checkpoint, in_dir(argv, "copy"), 0, &err);
    FAILED;
    rocksdb_checkpoint_object_destroy(checkpoint);
    rocksdb_close(db);

    rocksdb_destroy_db(options, in_dir(argv, "db"), &err);
    OK;
    printf("left: %d %d %d\n", tables_in(in_dir(argv, "db")), tables_in(in_dir(argv, "data0")),
           tables_in(in_dir(argv, "data1")));
    rocksdb_options_destroy(options);
    for (int i = 0; i < 5; i++) rocksdb_dbpath_destroy(paths[i]);
    return 0;
}
