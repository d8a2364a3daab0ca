// cc hello.c -o hello $(pkg-config --cflags --libs rocksdb) && ./hello DIR
#include <rocksdb/c.h>
#include <stdio.h>

int main(int argc, char** argv) {
  char* error = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_t* db = rocksdb_open(options, argc > 1 ? argv[1] : "hello-db", &error);
  if (error) return fprintf(stderr, "%s\n", error), 1;
  rocksdb_put(db, rocksdb_writeoptions_create(), "planet:3", 8, "Earth", 5, &error);
  size_t length = 0;
  char* value = rocksdb_get(db, rocksdb_readoptions_create(), "planet:3", 8, &length, &error);
  printf("planet:3 = %.*s\n", (int)length, value);
  rocksdb_free(value);
  rocksdb_close(db);
  return error != NULL;
}
