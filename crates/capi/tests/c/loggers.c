/* Where LOG lines go. */
#include "check.h"

static int lines, options_seen;

static void on_line(void* state, unsigned level, char* text, size_t len) {
    CHECK(state == (void*)9 && level <= 5 && len > 0);
    lines++;
    if (len > 20 && strstr(text, "Options.compression")) options_seen = 1;
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_logger_t* logger = rocksdb_logger_create_callback_logger(0, on_line, (void*)9);
    rocksdb_options_set_info_log(options, logger);
    rocksdb_logger_destroy(logger);
    rocksdb_logger_t* again = rocksdb_options_get_info_log(options);
    CHECK(again != NULL);
    rocksdb_logger_destroy(again);
    rocksdb_t* db = rocksdb_open(options, in_dir(argv, "db"), &err);
    OK;
    rocksdb_close(db);
    CHECK(lines > 20 && options_seen);
    rocksdb_options_destroy(options);

    options = rocksdb_options_create();
    logger = rocksdb_logger_create_stderr_logger(4, "smoke");
    rocksdb_options_set_info_log(options, logger);
    rocksdb_logger_destroy(logger);
    db = rocksdb_open(options, in_dir(argv, "db"), &err);
    OK;
    rocksdb_close(db);
    rocksdb_options_destroy(options);
    return 0;
}
