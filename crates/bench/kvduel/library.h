// The C functions that the client calls, looked up in the library that it is given.
#ifndef LIBRARY_H
#define LIBRARY_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Prints "kvduel: WHAT: WHY" and ends the process.
static void fail(const char* what, const char* why) {
  fprintf(stderr, "kvduel: %s: %s\n", what, why);
  exit(2);
}

// Result, name without "rocksdb_", parameters.
#define FUNCTIONS(F)                                                                                    \
  F(void, block_based_options_set_block_cache, (void*, void*))                                          \
  F(void, block_based_options_set_filter_policy, (void*, void*))                                        \
  F(void*, block_based_options_create, (void))                                                          \
  F(void*, cache_create_lru, (size_t))                                                                  \
  F(void, close, (void*))                                                                               \
  F(void, compact_range, (void*, const char*, size_t, const char*, size_t))                             \
  F(void*, create_iterator, (void*, const void*))                                                       \
  F(const void*, create_snapshot, (void*))                                                              \
  F(void, delete, (void*, const void*, const char*, size_t, char**))                                    \
  F(void*, filterpolicy_create_bloom_full, (double))                                                    \
  F(void, flush, (void*, const void*, char**))                                                          \
  F(void*, flushoptions_create, (void))                                                                 \
  F(void, free, (void*))                                                                                \
  F(char*, get, (void*, const void*, const char*, size_t, size_t*, char**))                             \
  F(void, iter_destroy, (void*))                                                                        \
  F(void, iter_get_error, (const void*, char**))                                                        \
  F(const char*, iter_key, (const void*, size_t*))                                                      \
  F(void, iter_next, (void*))                                                                           \
  F(void, iter_seek, (void*, const char*, size_t))                                                      \
  F(void, iter_seek_to_first, (void*))                                                                  \
  F(unsigned char, iter_valid, (const void*))                                                           \
  F(const char*, iter_value, (const void*, size_t*))                                                    \
  F(void, merge, (void*, const void*, const char*, size_t, const char*, size_t, char**))                \
  F(void*, open, (const void*, const char*, char**))                                                    \
  F(void*, options_create, (void))                                                                      \
  F(void, options_set_allow_concurrent_memtable_write, (void*, unsigned char))                          \
  F(void, options_set_allow_mmap_reads, (void*, unsigned char))                                         \
  F(void, options_set_block_based_table_factory, (void*, void*))                                        \
  F(void, options_set_compression, (void*, int))                                                        \
  F(void, options_set_create_if_missing, (void*, unsigned char))                                        \
  F(void, options_set_hash_skip_list_rep, (void*, size_t, int32_t, int32_t))                            \
  F(void, options_set_level0_file_num_compaction_trigger, (void*, int))                                 \
  F(void, options_set_level0_slowdown_writes_trigger, (void*, int))                                     \
  F(void, options_set_level0_stop_writes_trigger, (void*, int))                                         \
  F(void, options_set_max_background_jobs, (void*, int))                                                \
  F(void, options_set_max_bytes_for_level_base, (void*, uint64_t))                                      \
  F(void, options_set_max_open_files, (void*, int))                                                     \
  F(void, options_set_max_write_buffer_number, (void*, int))                                            \
  F(void, options_set_plain_table_factory,                                                              \
    (void*, uint32_t, int, double, size_t, size_t, char, unsigned char, unsigned char))                 \
  F(void, options_set_prefix_extractor, (void*, void*))                                                 \
  F(void, options_set_target_file_size_base, (void*, uint64_t))                                         \
  F(void, options_set_uint64add_merge_operator, (void*))                                                \
  F(void, options_set_wal_dir, (void*, const char*))                                                    \
  F(void, options_set_write_buffer_size, (void*, size_t))                                               \
  F(char*, property_value, (void*, const char*))                                                        \
  F(void, put, (void*, const void*, const char*, size_t, const char*, size_t, char**))                  \
  F(void*, readoptions_create, (void))                                                                  \
  F(void, readoptions_destroy, (void*))                                                                 \
  F(void, readoptions_set_snapshot, (void*, const void*))                                               \
  F(void, release_snapshot, (void*, const void*))                                                       \
  F(void*, slicetransform_create_fixed_prefix, (size_t))                                                \
  F(void*, writeoptions_create, (void))                                                                 \
  F(void, writeoptions_set_sync, (void*, unsigned char))

#define DECLARE(result, name, parameters) static result(*rocks_##name) parameters;
FUNCTIONS(DECLARE)

static void load_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fail(path, dlerror());
#define FIND(result, name, parameters)                       \
  *(void**)&rocks_##name = dlsym(library, "rocksdb_" #name); \
  if (!rocks_##name) fail(path, "has no rocksdb_" #name);
  FUNCTIONS(FIND)
}

#endif
