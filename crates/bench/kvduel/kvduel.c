// kvduel: one client for any shared library with RocksDB's C functions, so that two libraries are measured by the same
// machine code. It opens the library that it is given, runs phases on one database, and prints a line for each:
//
//   PHASE ops/s=… p50=… p99=… p999=… max=… found=…/… secs=… cpu=… rss_mb=…      latencies in microseconds
//
// Every write, every 16th read, and every operation of the phases in held.h and deleted.h is timed. Values that are read
// must begin with their key's number.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "deleted.h"
#include "held.h"

static const char USAGE[] =
    "usage: kvduel LIBRARY plain|block DIR [KEY=VALUE ...]\n"
    "\n"
    "plain: PlainTable, hash skip list memtable, mapped files; block: block-based tables, Bloom filter, LRU cache\n"
    "  num=1000000 key=20 value=100      keys, and bytes of each key and value\n"
    "  prefix=0 prefixes=0               bytes of the prefix, and how many there are\n"
    "  phases=filluniq,read              fillseq filluniq overwrite read1 read ycsb scan readwhilewriting\n"
    "                                    readwhilemerging scanwhilewriting prefixscan compact flush wait\n"
    "                                    iterators snapshots seekgap deletegap queue; a phase may run again under\n"
    "                                    another name, as in seekgap,deletegap,seekgap-deleted\n"
    "  threads=2 secs=10                 readers (or overwriting writers), and seconds of a phase that is no fill\n"
    "  rate=10240                        writes a second beside readers\n"
    "  range=10 theta=0.99 read_fraction=0.5      entries of a scan; ycsb's skew and its share of reads\n"
    "  iterators=10000 snapshots=1000    how many are open while one after the other is replaced, beside a writer\n"
    "  gap=100000 queue=1000             keys that deletegap deletes and seekgap seeks over; entries of the queue, where\n"
    "                                    one thread appends and deletes, and the others seek to its head\n"
    "  sync=0 seed=1 wal_dir= compression=0 cache=8000000000 wbuf=134217728 wbufs=2 file=134217728\n"
    "  base=1073741824 l0=8 jobs=4\n";

static int argument_count;
static char** arguments;

// The text after "name=", or NULL.
static const char* text_of(const char* name) {
  const size_t length = strlen(name);
  for (int i = 4; i < argument_count; i++)
    if (!strncmp(arguments[i], name, length) && arguments[i][length] == '=') return arguments[i] + length + 1;
  return NULL;
}

static double number_of(const char* name, double otherwise) {
  const char* text = text_of(name);
  if (!text) return otherwise;
  char* end;
  const double number = strtod(text, &end);
  if (end == text || *end || number < 0) fail(name, "expected a number of 0 or more");
  return number;
}

// A misspelt name must not run with a default.
static void check_names(void) {
  static const char* const names[] = {"num", "key", "value", "prefix", "prefixes", "phases", "threads", "secs", "rate",
      "range", "theta", "read_fraction", "iterators", "snapshots", "gap", "queue", "sync", "seed", "wal_dir", "compression", "cache", "wbuf", "wbufs", "file",
      "base", "l0", "jobs"};
  for (int i = 4; i < argument_count; i++) {
    const char* equals = strchr(arguments[i], '=');
    size_t known = 0;
    for (size_t n = 0; equals && n < sizeof names / sizeof *names; n++)
      known += strlen(names[n]) == (size_t)(equals - arguments[i]) &&
               !strncmp(names[n], arguments[i], (size_t)(equals - arguments[i]));
    if (!known) fail(arguments[i], "not a parameter; kvduel without arguments lists them");
  }
}

enum work {
  WRITE_IN_ORDER, WRITE_SHUFFLED, WRITE_RANDOM, MERGE_RANDOM,             // writes
  READ_RANDOM, READ_WRITE_ZIPF, SCAN, SCAN_PREFIX,                        // timed only now and then
  REPLACE_ITERATOR, REPLACE_SNAPSHOT, SEEK_GAP, SEEK_HEAD, QUEUE_STEP,
};

static struct zipf zipf;
static double read_fraction;
static atomic_int stop;

struct worker {
  enum work work;
  int id;
  double rate;        // operations a second; 0: as fast as they go
  uint64_t limit;     // operations; 0: until stopped
  uint64_t operations, found;
  struct held held;   // of REPLACE_ITERATOR and REPLACE_SNAPSHOT
  struct histogram latencies;
  pthread_t thread;
};

static void operate(struct worker* w, uint64_t* random) {
  switch (w->work) {
    case WRITE_IN_ORDER: write_one(w->operations, 0, random); break;
    case WRITE_SHUFFLED: write_one(shuffled(w->operations, shape.keys), 0, random); break;
    case WRITE_RANDOM: write_one(next_random(random) % shape.keys, 0, random); break;
    case MERGE_RANDOM: write_one(next_random(random) % shape.keys, 1, random); break;
    case READ_RANDOM: w->found += read_one(next_random(random) % shape.keys, read_options); break;
    case READ_WRITE_ZIPF:
      if (next_fraction(random) < read_fraction) w->found += read_one(zipf_next(&zipf, random), read_options);
      else write_one(zipf_next(&zipf, random), 0, random);
      break;
    case SCAN: w->found += scan_one(next_random(random) % shape.keys, 0); break;
    case SCAN_PREFIX: w->found += scan_one(next_random(random) % shape.keys, shape.prefix_bytes); break;
    case REPLACE_ITERATOR: w->found += replace_iterator(&w->held, random); break;
    case REPLACE_SNAPSHOT: w->found += replace_snapshot(&w->held, random); break;
    case SEEK_GAP: w->found += seek_gap(); break;
    case SEEK_HEAD: w->found += seek_head(); break;
    case QUEUE_STEP: queue_step(random); break;
  }
}

// Sleeps until operation number `operations` is due; false if that is not yet.
static int due(const struct worker* w, double begin) {
  const double early = begin + (double)w->operations / w->rate - now();
  if (early <= 0) return 1;
  const struct timespec nap = {0, (long)((early < 0.001 ? early : 0.001) * 1e9)};
  nanosleep(&nap, NULL);
  return 0;
}

static void* work(void* argument) {
  struct worker* w = argument;
  uint64_t random = (uint64_t)number_of("seed", 1) * 1000003 + (uint64_t)w->id;
  const int always = w->work < READ_RANDOM || w->work > SCAN_PREFIX;
  const double begin = now();
  while (!atomic_load_explicit(&stop, memory_order_relaxed) && !(w->limit && w->operations == w->limit)) {
    if (w->rate > 0 && !due(w, begin)) continue;
    if (always || w->operations % 16 == 0) {
      const double started = now();
      operate(w, &random);
      histogram_add(&w->latencies, (uint64_t)((now() - started) * 1e9));
    } else {
      operate(w, &random);
    }
    w->operations++;
  }
  return NULL;
}

// Opens the iterators or snapshots that the workers hold, before the time begins.
static void open_held(struct worker* workers, int threads) {
  const int snapshots = workers[0].work == REPLACE_SNAPSHOT;
  const size_t count = (size_t)(snapshots ? number_of("snapshots", 1000) : number_of("iterators", 10000));
  uint64_t random = (uint64_t)number_of("seed", 1);
  for (int i = 0; i < threads; i++) held_open(&workers[i].held, count / (size_t)threads, snapshots, &random);
}

static double cpu_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static long resident_mb(void) {
  long pages = 0;
  FILE* f = fopen("/proc/self/statm", "r");
  if (f && fscanf(f, "%*s %ld", &pages) != 1) pages = 0;
  if (f) fclose(f);
  return pages * (sysconf(_SC_PAGESIZE) / 1024) / 1024;
}

// Runs `threads` workers, for `limit` operations or else for `secs`, with one more worker beside them if `rate` is not 0.
static void run_phase(const char* name, enum work kind, int threads, uint64_t limit, enum work beside, double rate) {
  const int all = threads + (rate > 0);
  struct worker* workers = calloc((size_t)all, sizeof *workers);
  struct histogram* latencies = calloc(1, sizeof *latencies);
  if (!workers || !latencies) fail(name, "no memory");
  atomic_store(&stop, 0);
  for (int i = 0; i < all; i++) workers[i].work = i < threads ? kind : beside;
  const int holds = kind == REPLACE_ITERATOR || kind == REPLACE_SNAPSHOT;
  if (holds) open_held(workers, threads);
  const double cpu = cpu_seconds(), begin = now();
  for (int i = 0; i < all; i++) {
    struct worker* w = &workers[i];
    w->id = i;
    w->rate = i < threads ? 0 : rate;
    w->limit = i < threads ? limit : 0;
    if (pthread_create(&w->thread, NULL, work, w)) fail(name, "no thread");
  }
  if (!limit) usleep((useconds_t)(number_of("secs", 10) * 1e6));
  if (!limit) atomic_store(&stop, 1);
  for (int i = 0; i < threads; i++) pthread_join(workers[i].thread, NULL);
  const double seconds = now() - begin;
  atomic_store(&stop, 1);
  if (rate > 0) pthread_join(workers[threads].thread, NULL);
  uint64_t operations = 0, found = 0;
  for (int i = 0; i < threads; i++) {
    operations += workers[i].operations;
    found += workers[i].found;
    for (int b = 0; b < HISTOGRAM_BUCKETS; b++) latencies->counts[b] += workers[i].latencies.counts[b];
  }
  printf("%s ops/s=%.0f p50=%.2f p99=%.2f p999=%.2f max=%.0f found=%llu/%llu secs=%.2f cpu=%.2f rss_mb=%ld", name,
      (double)operations / seconds, histogram_quantile(latencies, 0.5), histogram_quantile(latencies, 0.99),
      histogram_quantile(latencies, 0.999), histogram_quantile(latencies, 1), (unsigned long long)found,
      (unsigned long long)operations, seconds, cpu_seconds() - cpu, resident_mb());
  if (rate > 0) printf(" beside_ops/s=%.0f", (double)workers[threads].operations / seconds);
  printf("\n");
  fflush(stdout);
  for (int i = 0; holds && i < threads; i++) held_close(&workers[i].held);
  free(workers);
  free(latencies);
}

static void compact(void) {
  const double begin = now();
  rocks_compact_range(db, NULL, 0, NULL, 0);
  printf("compact secs=%.2f\n", now() - begin);
}

static void flush(void) {
  const double begin = now();
  char* error = NULL;
  rocks_flush(db, rocks_flushoptions_create(), &error);
  if (error) fail("flush", error);
  printf("flush secs=%.2f\n", now() - begin);
}

// Seeks to the head of a queue while one thread moves it, `rate` entries a second. The database must be empty before.
static void queue(const char* name, int threads, double rate) {
  uint64_t random = 1;
  if (rate <= 0) fail("rate", "expected more than 0 for a queue");
  for (uint64_t left = (uint64_t)number_of("queue", 1000); left > 0; left--) queue_append(&random);
  run_phase(name, SEEK_HEAD, threads, 0, QUEUE_STEP, rate);
}

static int is_positive(const char* property) {
  char* text = rocks_property_value(db, property);
  const int positive = text && atoi(text) > 0;
  if (text) rocks_free(text);
  return positive;
}

// Until no compaction runs or is pending, for at most a minute.
static void wait_for_compactions(void) {
  const double begin = now();
  while (now() - begin < 60 && (is_positive("rocksdb.num-running-compactions") || is_positive("rocksdb.compaction-pending")))
    usleep(100000);
  printf("wait secs=%.2f\n", now() - begin);
}

static void phase(const char* name) {
  const int threads = (int)number_of("threads", 2);
  const double rate = number_of("rate", 10240);
  const uint64_t all = shape.keys;
  if (!strcmp(name, "fillseq")) run_phase(name, WRITE_IN_ORDER, 1, all, 0, 0);
  else if (!strcmp(name, "filluniq")) run_phase(name, WRITE_SHUFFLED, 1, all, 0, 0);
  else if (!strcmp(name, "overwrite")) run_phase(name, WRITE_RANDOM, threads, 0, 0, 0);
  else if (!strcmp(name, "read1")) run_phase(name, READ_RANDOM, 1, 0, 0, 0);
  else if (!strcmp(name, "read")) run_phase(name, READ_RANDOM, threads, 0, 0, 0);
  else if (!strcmp(name, "ycsb")) run_phase(name, READ_WRITE_ZIPF, threads, 0, 0, 0);
  else if (!strcmp(name, "scan")) run_phase(name, SCAN, threads, 0, 0, 0);
  else if (!strcmp(name, "readwhilewriting")) run_phase(name, READ_RANDOM, threads, 0, WRITE_RANDOM, rate);
  else if (!strcmp(name, "scanwhilewriting")) run_phase(name, SCAN, threads, 0, WRITE_RANDOM, rate);
  else if (!strcmp(name, "prefixscan")) run_phase(name, SCAN_PREFIX, threads, 0, WRITE_RANDOM, rate);
  else if (!strcmp(name, "iterators")) run_phase(name, REPLACE_ITERATOR, threads, 0, WRITE_RANDOM, rate);
  else if (!strcmp(name, "snapshots")) run_phase(name, REPLACE_SNAPSHOT, threads, 0, WRITE_RANDOM, rate);
  else if (!strncmp(name, "seekgap", 7)) run_phase(name, SEEK_GAP, threads, 0, 0, 0);
  else if (!strcmp(name, "queue")) queue(name, threads > 1 ? threads - 1 : 1, rate);
  else if (!strcmp(name, "compact")) compact();
  else if (!strcmp(name, "flush")) flush();
  else if (!strcmp(name, "wait")) wait_for_compactions();
  else if (!strcmp(name, "deletegap")) {
    const double begin = now();
    delete_gap();
    printf("deletegap secs=%.2f\n", now() - begin);
  } else if (!strcmp(name, "readwhilemerging")) {
    merged = 1;
    run_phase(name, READ_RANDOM, threads, 0, MERGE_RANDOM, rate);
  } else fail(name, "not a phase; kvduel without arguments lists them");
}

static void set_plain_tables(void* options) {
  rocks_options_set_allow_mmap_reads(options, 1);
  rocks_options_set_allow_concurrent_memtable_write(options, 0);
  const size_t prefix = shape.prefix_bytes ? shape.prefix_bytes : shape.key_bytes;
  rocks_options_set_prefix_extractor(options, rocks_slicetransform_create_fixed_prefix(prefix));
  rocks_options_set_hash_skip_list_rep(options, 1000000, 4, 4);
  rocks_options_set_plain_table_factory(options, (uint32_t)shape.key_bytes, 10, 0.75, 16, 0, 0, 0, 0);
}

static void set_block_based_tables(void* options) {
  void* table = rocks_block_based_options_create();
  rocks_block_based_options_set_block_cache(table, rocks_cache_create_lru((size_t)number_of("cache", 8e9)));
  rocks_block_based_options_set_filter_policy(table, rocks_filterpolicy_create_bloom_full(10));
  rocks_options_set_block_based_table_factory(options, table);
  rocks_options_set_uint64add_merge_operator(options);
}

static void* options_of(const char* tables) {
  void* options = rocks_options_create();
  rocks_options_set_create_if_missing(options, 1);
  rocks_options_set_compression(options, (int)number_of("compression", 0));
  rocks_options_set_write_buffer_size(options, (size_t)number_of("wbuf", 128 << 20));
  rocks_options_set_max_write_buffer_number(options, (int)number_of("wbufs", 2));
  rocks_options_set_target_file_size_base(options, (uint64_t)number_of("file", 128 << 20));
  rocks_options_set_max_bytes_for_level_base(options, (uint64_t)number_of("base", 1 << 30));
  rocks_options_set_level0_file_num_compaction_trigger(options, (int)number_of("l0", 8));
  rocks_options_set_level0_slowdown_writes_trigger(options, 16);
  rocks_options_set_level0_stop_writes_trigger(options, 24);
  rocks_options_set_max_background_jobs(options, (int)number_of("jobs", 4));
  rocks_options_set_max_open_files(options, -1);
  if (text_of("wal_dir")) rocks_options_set_wal_dir(options, text_of("wal_dir"));
  if (!strcmp(tables, "plain")) set_plain_tables(options);
  else if (!strcmp(tables, "block")) set_block_based_tables(options);
  else fail(tables, "expected plain or block");
  return options;
}

static void set_shape(void) {
  shape.keys = (uint64_t)number_of("num", 1000000);
  shape.key_bytes = (size_t)number_of("key", 20);
  shape.value_bytes = (size_t)number_of("value", 100);
  shape.prefix_bytes = (size_t)number_of("prefix", 0);
  shape.prefixes = (uint64_t)number_of("prefixes", 0);
  const size_t prefix = shape.prefix_bytes && shape.prefixes ? shape.prefix_bytes : 0;
  if (shape.keys < 1) fail("num", "expected 1 or more");
  if (prefix && prefix < 8) fail("prefix", "expected 8 bytes or more");
  if (shape.key_bytes < prefix + 8 || shape.key_bytes > KEY_BYTES_MAX) fail("key", "out of range");
  if (shape.value_bytes > POOL_BYTES / 4) fail("value", "too large");
  shape.pool = malloc(POOL_BYTES);
  if (!shape.pool) fail("values", "no memory");
  uint64_t random = 1;
  for (size_t i = 0; i < POOL_BYTES; i++) shape.pool[i] = (char)next_random(&random);
  zipf = zipf_new(shape.keys, number_of("theta", 0.99));
  read_fraction = number_of("read_fraction", 0.5);
  range_entries = (int)number_of("range", 10);
  gap = (uint64_t)number_of("gap", 100000);
}

int main(int count, char** values) {
  if (count < 4) {
    fputs(USAGE, count == 1 ? stdout : stderr);
    return count == 1 ? 0 : 2;
  }
  argument_count = count;
  arguments = values;
  check_names();
  load_library(values[1]);
  set_shape();
  char* error = NULL;
  db = rocks_open(options_of(values[2]), values[3], &error);
  if (error) fail("open", error);
  read_options = rocks_readoptions_create();
  write_options = rocks_writeoptions_create();
  rocks_writeoptions_set_sync(write_options, number_of("sync", 0) != 0);
  const char* wanted = text_of("phases");
  char* phases = strdup(wanted ? wanted : "filluniq,read");
  for (char *rest = phases, *name; (name = strsep(&rest, ","));) phase(name);
  free(phases);
  rocks_close(db);
  return 0;
}
