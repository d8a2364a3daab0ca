/* Checkpoints; a family exported and imported. */
#include "check.h"

static void import(char** argv, rocksdb_export_import_files_metadata_t* files) {
    rocksdb_t* db = open_new(in_dir(argv, "importer"));
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_import_column_family_options_t* how = rocksdb_import_column_family_options_create();
    rocksdb_import_column_family_options_set_move_files(how, 0);
    rocksdb_column_family_handle_t* cf =
        rocksdb_create_column_family_with_import(db, options, "imported", how, files, &err);
    OK;
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    size_t len;
    IS(rocksdb_get_cf(db, ro, cf, S("a"), &len, &err), len, "1");
    rocksdb_readoptions_destroy(ro);
    rocksdb_column_family_handle_destroy(cf);
    rocksdb_import_column_family_options_destroy(how);
    rocksdb_options_destroy(options);
    rocksdb_close(db);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    put(db, "a", "1");
    rocksdb_checkpoint_t* checkpoint = rocksdb_checkpoint_object_create(db, &err);
    OK;
    rocksdb_checkpoint_create(checkpoint, in_dir(argv, "copy"), 0, &err);
    OK;
    rocksdb_checkpoint_create(checkpoint, in_dir(argv, "copy"), 0, &err);
    FAILED;
    put(db, "a", "2");
    rocksdb_t* copy = open_new(in_dir(argv, "copy"));
    expect(copy, "a", "1");
    put(copy, "b", "3");
    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(copy);
    rocksdb_checkpoint_t* other = rocksdb_checkpoint_object_create(copy, &err);
    OK;
    rocksdb_export_import_files_metadata_t* files =
        rocksdb_checkpoint_export_column_family(other, cf, in_dir(argv, "exported"), &err);
    OK;
    char* name = rocksdb_export_import_files_metadata_get_db_comparator_name(files);
    printf("%s\n", name);
    rocksdb_free(name);
    rocksdb_livefiles_t* list = rocksdb_export_import_files_metadata_get_files(files);
    printf("%d files\n", rocksdb_livefiles_count(list));

    rocksdb_export_import_files_metadata_t* made = rocksdb_export_import_files_metadata_create();
    rocksdb_export_import_files_metadata_set_db_comparator_name(made, "leveldb.BytewiseComparator");
    /* Takes the list over. */
    rocksdb_export_import_files_metadata_set_files(made, list);
    import(argv, made);
    rocksdb_export_import_files_metadata_destroy(made);
    rocksdb_export_import_files_metadata_destroy(files);

    rocksdb_checkpoint_object_destroy(other);
    rocksdb_column_family_handle_destroy(cf);
    rocksdb_close(copy);
    expect(db, "a", "2");
    expect(db, "b", NULL);
    rocksdb_checkpoint_object_destroy(checkpoint);
    rocksdb_close(db);
    return 0;
}
