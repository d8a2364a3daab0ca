/* Iterators: every move, bounds, snapshots, tailing, refresh, and what read options do to them. */
#include "check.h"

static void moves(rocksdb_iterator_t* it) {
    size_t len;
    rocksdb_iter_seek_to_first(it);
    print_rest("first", it);
    rocksdb_iter_seek_to_last(it);
    CHECK(rocksdb_iter_valid(it) && SAME(rocksdb_iter_key(it, &len), len, "d"));
    rocksdb_iter_prev(it);
    CHECK(SAME(rocksdb_iter_key(it, &len), len, "c"));
    rocksdb_iter_seek(it, S("bb"));
    print_rest("seek", it);
    CHECK(!rocksdb_iter_valid(it));
    rocksdb_iter_seek_for_prev(it, S("bb"));
    rocksdb_slice_t key = rocksdb_iter_key_slice(it);
    rocksdb_slice_t value = rocksdb_iter_value_slice(it);
    CHECK(SAME(key.data, key.size, "b") && same(value.data, value.size, "2"));
    /* No timestamps here. */
    CHECK(rocksdb_iter_timestamp(it, &len) != NULL && len == 0);
    CHECK(rocksdb_iter_timestamp_slice(it).size == 0);
    rocksdb_iter_prev(it);
    rocksdb_iter_prev(it);
    CHECK(!rocksdb_iter_valid(it));
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    rocksdb_t* db = open_new(in_dir(argv, "db"));
    put(db, "a", "1");
    put(db, "b", "2");
    flush(db);
    put(db, "c", "3");
    put(db, "d", "4");
    rocksdb_readoptions_t* ro = rocksdb_readoptions_create();
    rocksdb_iterator_t* it = rocksdb_create_iterator(db, ro);
    CHECK(!rocksdb_iter_valid(it));
    moves(it);
    put(db, "e", "5");
    rocksdb_iter_seek_to_first(it);
    print_rest("old view", it);
    rocksdb_iter_refresh(it, &err);
    OK;
    rocksdb_iter_seek_to_first(it);
    print_rest("new view", it);
    rocksdb_iter_destroy(it);

    rocksdb_column_family_handle_t* cf = rocksdb_get_default_column_family_handle(db);
    rocksdb_readoptions_set_iterate_lower_bound(ro, S("b"));
    rocksdb_readoptions_set_iterate_upper_bound(ro, S("d"));
    it = rocksdb_create_iterator_cf(db, ro, cf);
    rocksdb_iter_seek_to_first(it);
    print_rest("bounds", it);
    rocksdb_iter_seek(it, S("a"));
    print_rest("bounds, seek before", it);
    rocksdb_iter_seek_to_last(it);
    print_rest("bounds, last", it);
    rocksdb_iter_destroy(it);
    rocksdb_readoptions_set_iterate_lower_bound(ro, NULL, 0);
    rocksdb_readoptions_set_iterate_upper_bound(ro, NULL, 0);
    it = rocksdb_create_iterator_cf(db, ro, cf);
    rocksdb_iter_seek_to_first(it);
    print_rest("no bounds", it);
    rocksdb_iter_destroy(it);
    rocksdb_column_family_handle_destroy(cf);

    const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
    put(db, "f", "6");
    rocksdb_readoptions_set_snapshot(ro, snapshot);
    it = rocksdb_create_iterator(db, ro);
    rocksdb_iter_seek(it, S("d"));
    print_rest("snapshot", it);
    rocksdb_iter_destroy(it);
    rocksdb_readoptions_destroy(ro);
    rocksdb_release_snapshot(db, snapshot);

    ro = rocksdb_readoptions_create();
    rocksdb_readoptions_set_tailing(ro, 1);
    it = rocksdb_create_iterator(db, ro);
    rocksdb_iter_seek(it, S("f"));
    print_rest("tailing", it);
    put(db, "g", "7");
    rocksdb_iter_seek(it, S("f"));
    print_rest("tailing, later", it);
    rocksdb_iter_destroy(it);
    rocksdb_readoptions_destroy(ro);

    /* The options may go before the iterator. */
    ro = rocksdb_readoptions_create();
    rocksdb_readoptions_set_iterate_upper_bound(ro, S("c"));
    rocksdb_readoptions_set_total_order_seek(ro, 1);
    rocksdb_readoptions_set_fill_cache(ro, 0);
    rocksdb_readoptions_set_verify_checksums(ro, 1);
    rocksdb_readoptions_set_read_tier(ro, 0);
    it = rocksdb_create_iterator(db, ro);
    rocksdb_iter_seek_to_first(it);
    print_rest("options", it);
    rocksdb_iter_destroy(it);
    rocksdb_readoptions_destroy(ro);
    rocksdb_close(db);
    return 0;
}
