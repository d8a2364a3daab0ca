// The open database, and one operation on it at a time.
#ifndef DATABASE_H
#define DATABASE_H

#include "data.h"
#include "library.h"

static struct shape shape;
static int range_entries;
static int merged; // counters have been added to: values no longer begin with their key's number
static void *db, *read_options, *write_options;

static void write_one(uint64_t number, int merge, uint64_t* random) {
  char key[KEY_BYTES_MAX], value[POOL_BYTES / 4], *error = NULL;
  make_key(&shape, number, key);
  if (merge) {
    const uint64_t one = 1;
    rocks_merge(db, write_options, key, shape.key_bytes, (const char*)&one, sizeof one, &error);
  } else {
    make_value(&shape, number, random, value);
    rocks_put(db, write_options, key, shape.key_bytes, value, shape.value_bytes, &error);
  }
  if (error) fail(merge ? "merge" : "put", error);
}

static void delete_one(uint64_t number) {
  char key[KEY_BYTES_MAX], *error = NULL;
  make_key(&shape, number, key);
  rocks_delete(db, write_options, key, shape.key_bytes, &error);
  if (error) fail("delete", error);
}

static uint64_t read_one(uint64_t number, const void* options) {
  char key[KEY_BYTES_MAX], *error = NULL;
  size_t bytes = 0;
  make_key(&shape, number, key);
  char* value = rocks_get(db, options, key, shape.key_bytes, &bytes, &error);
  if (error) fail("get", error);
  if (!value) return 0;
  if (!merged && !value_is_of(&shape, number, value, bytes)) fail("get", "another key's value");
  rocks_free(value);
  return 1;
}

static void check_iterator(const void* iterator) {
  char* error = NULL;
  rocks_iter_get_error(iterator, &error);
  if (error) fail("iterator", error);
}

// Seeks and reads up to `range` entries; with `prefix_bytes`, those that begin as the key does.
static uint64_t scan_one(uint64_t number, size_t prefix_bytes) {
  char start[KEY_BYTES_MAX];
  make_key(&shape, number, start);
  void* iterator = rocks_create_iterator(db, read_options);
  uint64_t entries = 0;
  unsigned char touched = 0;
  rocks_iter_seek(iterator, start, prefix_bytes ? prefix_bytes : shape.key_bytes);
  for (; rocks_iter_valid(iterator) && entries < (uint64_t)range_entries; rocks_iter_next(iterator)) {
    size_t bytes;
    const char* key = rocks_iter_key(iterator, &bytes);
    if (prefix_bytes && (bytes < prefix_bytes || memcmp(key, start, prefix_bytes))) break;
    const char* value = rocks_iter_value(iterator, &bytes);
    if (bytes) touched ^= (unsigned char)value[0];
    entries++;
  }
  check_iterator(iterator);
  rocks_iter_destroy(iterator);
  // The compiler must not leave the values unread.
  __asm__ volatile("" : : "r"(touched));
  return entries;
}

// The number of the key at an iterator, which must be valid. Keys must have no prefix.
static uint64_t number_at(const void* iterator) {
  size_t bytes;
  const char* key = rocks_iter_key(iterator, &bytes);
  if (bytes != shape.key_bytes) fail("iterator", "a key that was never written");
  uint64_t number = 0;
  for (int i = 0; i < 8; i++) number = number << 8 | (unsigned char)key[i];
  return number;
}

#endif
