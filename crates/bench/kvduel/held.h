// Many iterators or snapshots that are open at the same time.
#ifndef HELD_H
#define HELD_H

#include "database.h"

// What one thread holds open.
struct held {
  void** all;
  size_t count, oldest;
  void* options; // of reads at a snapshot; NULL: these are iterators
};

static void* iterator_at(uint64_t number) {
  char start[KEY_BYTES_MAX];
  make_key(&shape, number, start);
  void* iterator = rocks_create_iterator(db, read_options);
  rocks_iter_seek(iterator, start, shape.key_bytes);
  check_iterator(iterator);
  return iterator;
}

static void held_open(struct held* h, size_t count, int snapshots, uint64_t* random) {
  h->count = count ? count : 1;
  h->all = calloc(h->count, sizeof *h->all);
  if (!h->all) fail("open", "no memory");
  h->options = snapshots ? rocks_readoptions_create() : NULL;
  for (size_t i = 0; i < h->count; i++)
    h->all[i] = snapshots ? (void*)rocks_create_snapshot(db) : iterator_at(next_random(random) % shape.keys);
}

static void held_close(struct held* h) {
  for (size_t i = 0; i < h->count; i++) {
    if (h->options) rocks_release_snapshot(db, h->all[i]);
    else rocks_iter_destroy(h->all[i]);
  }
  if (h->options) rocks_readoptions_destroy(h->options);
  free(h->all);
}

// Steps an iterator that is open for a while, and replaces another one by a new one. Whether the new one found an entry.
static uint64_t replace_iterator(struct held* h, uint64_t* random) {
  void* old = h->all[next_random(random) % h->count];
  if (rocks_iter_valid(old)) rocks_iter_next(old);
  check_iterator(old);
  void** replaced = &h->all[next_random(random) % h->count];
  rocks_iter_destroy(*replaced);
  *replaced = iterator_at(next_random(random) % shape.keys);
  return rocks_iter_valid(*replaced);
}

// Replaces the oldest snapshot by a new one, and reads a key as of any of them.
static uint64_t replace_snapshot(struct held* h, uint64_t* random) {
  rocks_release_snapshot(db, h->all[h->oldest]);
  h->all[h->oldest] = (void*)rocks_create_snapshot(db);
  h->oldest = (h->oldest + 1) % h->count;
  rocks_readoptions_set_snapshot(h->options, h->all[next_random(random) % h->count]);
  return read_one(next_random(random) % shape.keys, h->options);
}

#endif
