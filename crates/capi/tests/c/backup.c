/* Backups: made, listed, verified, restored, purged. */
#include "check.h"

static void from_path(char** argv, rocksdb_t* db) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_backup_engine_t* engine = rocksdb_backup_engine_open(options, in_dir(argv, "backups"), &err);
    OK;
    rocksdb_backup_engine_create_new_backup(engine, db, &err);
    OK;
    put(db, "a", "2");
    rocksdb_backup_engine_create_new_backup_flush(engine, db, 1, &err);
    OK;
    const rocksdb_backup_engine_info_t* info = rocksdb_backup_engine_get_backup_info(engine);
    CHECK(rocksdb_backup_engine_info_count(info) == 2);
    for (int i = 0; i < 2; i++) {
        CHECK(rocksdb_backup_engine_info_timestamp(info, i) > 1600000000);
        CHECK(rocksdb_backup_engine_info_size(info, i) > 0);
        CHECK(rocksdb_backup_engine_info_number_files(info, i) > 2);
        printf("backup %u\n", rocksdb_backup_engine_info_backup_id(info, i));
    }
    rocksdb_backup_engine_info_destroy(info);
    rocksdb_backup_engine_verify_backup(engine, 2, &err);
    OK;
    rocksdb_backup_engine_verify_backup(engine, 7, &err);
    FAILED;

    rocksdb_restore_options_t* how = rocksdb_restore_options_create();
    rocksdb_restore_options_set_keep_log_files(how, 0);
    const char* to = in_dir(argv, "restored");
    rocksdb_backup_engine_restore_db_from_latest_backup(engine, to, to, how, &err);
    OK;
    rocksdb_t* restored = open_new(to);
    expect(restored, "a", "2");
    rocksdb_close(restored);
    rocksdb_backup_engine_restore_db_from_backup(engine, to, to, how, 1, &err);
    OK;
    restored = open_new(to);
    expect(restored, "a", "1");
    rocksdb_close(restored);
    rocksdb_restore_options_destroy(how);
    rocksdb_backup_engine_purge_old_backups(engine, 1, &err);
    OK;
    info = rocksdb_backup_engine_get_backup_info(engine);
    CHECK(rocksdb_backup_engine_info_count(info) == 1);
    CHECK(rocksdb_backup_engine_info_backup_id(info, 0) == 2);
    rocksdb_backup_engine_info_destroy(info);
    rocksdb_backup_engine_close(engine);
    rocksdb_options_destroy(options);
}

static void from_options(char** argv, rocksdb_t* db) {
    rocksdb_env_t* env = rocksdb_create_default_env();
    rocksdb_backup_engine_options_t* o = rocksdb_backup_engine_options_create("/nowhere");
    rocksdb_backup_engine_options_set_backup_dir(o, in_dir(argv, "backups2"));
    rocksdb_backup_engine_options_set_env(o, env);
#define BOTH(name, value)                                    \
    printf(#name " %ld", (long)rocksdb_backup_engine_options_get_##name(o)); \
    rocksdb_backup_engine_options_set_##name(o, value);      \
    printf(" %ld\n", (long)rocksdb_backup_engine_options_get_##name(o))
    BOTH(share_table_files, 1);
    BOTH(sync, 0);
    BOTH(destroy_old_data, 0);
    BOTH(backup_log_files, 1);
    BOTH(backup_rate_limit, 1 << 30);
    BOTH(restore_rate_limit, 1 << 30);
    BOTH(max_background_operations, 2);
    BOTH(callback_trigger_interval_size, 1 << 20);
    BOTH(max_valid_backups_to_open, 100);
    BOTH(share_files_with_checksum_naming, 2);
    rocksdb_backup_engine_t* engine = rocksdb_backup_engine_open_opts(o, env, &err);
    OK;
    rocksdb_backup_engine_create_new_backup(engine, db, &err);
    OK;
    rocksdb_backup_engine_close(engine);
    rocksdb_backup_engine_options_destroy(o);
    rocksdb_env_destroy(env);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    put(db, "a", "1");
    from_path(argv, db);
    from_options(argv, db);
    rocksdb_close(db);
    return 0;
}
