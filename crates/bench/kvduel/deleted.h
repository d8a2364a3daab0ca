// Seeks over keys that were deleted: a gap in the key range, and a queue whose head moves.
#ifndef DELETED_H
#define DELETED_H

#include <stdatomic.h>

#include "database.h"

// The gap begins at a third of the keys.
static uint64_t gap;
static int gap_is_deleted;

static void delete_gap(void) {
  const uint64_t begin = shape.keys / 3;
  if (begin + gap >= shape.keys) fail("gap", "expected less than two thirds of num");
  for (uint64_t i = 0; i < gap; i++) delete_one(begin + i);
  gap_is_deleted = 1;
}

// Seeks to the first key of the gap, and checks the key that it reaches.
static uint64_t seek_gap(void) {
  const uint64_t begin = shape.keys / 3, expected = gap_is_deleted ? begin + gap : begin;
  char start[KEY_BYTES_MAX];
  make_key(&shape, begin, start);
  void* iterator = rocks_create_iterator(db, read_options);
  rocks_iter_seek(iterator, start, shape.key_bytes);
  check_iterator(iterator);
  if (!rocks_iter_valid(iterator) || number_at(iterator) != expected) fail("seekgap", "reached a wrong key");
  rocks_iter_destroy(iterator);
  return 1;
}

// Entries are numbered; those from queue_head to queue_tail are in the queue.
static uint64_t queue_tail;
static _Atomic uint64_t queue_head;

static void queue_append(uint64_t* random) { write_one(queue_tail++, 0, random); }

static void queue_step(uint64_t* random) {
  queue_append(random);
  const uint64_t head = atomic_load(&queue_head);
  delete_one(head);
  atomic_store(&queue_head, head + 1);
}

// Seeks to the first entry, which must not be one that was deleted before the seek.
static uint64_t seek_head(void) {
  const uint64_t deleted = atomic_load(&queue_head);
  void* iterator = rocks_create_iterator(db, read_options);
  rocks_iter_seek_to_first(iterator);
  check_iterator(iterator);
  if (!rocks_iter_valid(iterator)) fail("queue", "it is empty");
  if (number_at(iterator) < deleted) fail("queue", "its head was deleted before");
  rocks_iter_destroy(iterator);
  return 1;
}

#endif
