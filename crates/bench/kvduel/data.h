// Keys, values, random numbers and latencies: nothing here calls the library.
#ifndef DATA_H
#define DATA_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define KEY_BYTES_MAX 512
#define POOL_BYTES (1 << 20)

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
static uint64_t next_random(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// In [0, 1).
static double next_fraction(uint64_t* state) { return (double)(next_random(state) >> 11) * 0x1p-53; }

// The i-th number of a fixed random order of 0..n-1: a bijection of the next power of two, repeated until it is in range.
static uint64_t shuffled(uint64_t i, uint64_t n) {
  int bits = 1;
  while ((1ull << bits) < n) bits++;
  const uint64_t mask = (1ull << bits) - 1;
  const int fold = (bits + 1) / 2;
  do {
    // Each step is invertible modulo 2^bits.
    for (int round = 0; round < 3; round++) {
      i = (i * 0xd1342543de82ef95u + 0x632be59bd9b4e019u) & mask;
      i ^= i >> fold;
    }
  } while (i >= n);
  return i;
}

// Zipf's law over 0..n-1 by rejection-inversion (Hörmann, Derflinger, 1996), its ranks scattered over the keys.
struct zipf {
  uint64_t n;
  double exponent, whole, first;
};

static double zipf_integral(double x, double exponent) {
  return (pow(x, 1 - exponent) - 1) / (1 - exponent);
}

static double zipf_inverse(double y, double exponent) { return pow(1 + y * (1 - exponent), 1 / (1 - exponent)); }

static struct zipf zipf_new(uint64_t n, double exponent) {
  return (struct zipf){n, exponent, zipf_integral((double)n + 0.5, exponent), zipf_integral(1.5, exponent) - 1};
}

static uint64_t zipf_next(const struct zipf* z, uint64_t* random) {
  for (;;) {
    const double u = z->whole + next_fraction(random) * (z->first - z->whole);
    const double x = zipf_inverse(u, z->exponent);
    double rank = floor(x + 0.5);
    if (rank < 1) rank = 1;
    if (rank > (double)z->n) rank = (double)z->n;
    if (u >= zipf_integral(rank + 0.5, z->exponent) - pow(rank, -z->exponent))
      return shuffled((uint64_t)rank - 1, z->n);
  }
}

// The shape of the data.
struct shape {
  uint64_t keys;       // different keys
  size_t key_bytes;    // at least 8; with prefixes, at least prefix_bytes + 8
  size_t value_bytes;
  size_t prefix_bytes; // 0: no prefixes
  uint64_t prefixes;   // keys with the same number modulo this share a prefix
  char* pool;          // random bytes that values are taken from
};

static void put_big_endian(char* to, uint64_t number) {
  for (int i = 0; i < 8; i++) to[i] = (char)(number >> (56 - 8 * i));
}

static void make_key(const struct shape* s, uint64_t number, char* key) {
  memset(key, '0', s->key_bytes);
  if (s->prefix_bytes && s->prefixes) {
    put_big_endian(key, number % s->prefixes);
    put_big_endian(key + s->prefix_bytes, number);
  } else {
    put_big_endian(key, number);
  }
}

// A value begins with its key's number, so that a reader can tell a wrong one.
static void make_value(const struct shape* s, uint64_t number, uint64_t* random, char* value) {
  memcpy(value, s->pool + next_random(random) % (POOL_BYTES - s->value_bytes), s->value_bytes);
  if (s->value_bytes >= 8) put_big_endian(value, number);
}

static int value_is_of(const struct shape* s, uint64_t number, const char* value, size_t bytes) {
  char expected[8];
  put_big_endian(expected, number);
  return bytes == s->value_bytes && (bytes < 8 || memcmp(value, expected, 8) == 0);
}

// Latencies in nanoseconds, 64 buckets for each power of two: within 1.6 %.
#define HISTOGRAM_BUCKETS (60 * 64)
struct histogram {
  uint64_t counts[HISTOGRAM_BUCKETS];
};

static void histogram_add(struct histogram* h, uint64_t ns) {
  int shift = 0;
  while (ns >> shift >= 128) shift++;
  h->counts[shift * 64 + (int)(ns >> shift)]++;
}

// The lower end, in microseconds, of the bucket that holds this quantile.
static double histogram_quantile(const struct histogram* h, double quantile) {
  uint64_t total = 0, seen = 0;
  for (int i = 0; i < HISTOGRAM_BUCKETS; i++) total += h->counts[i];
  for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
    seen += h->counts[i];
    if (total && (double)seen >= quantile * (double)total) {
      const int shift = i < 128 ? 0 : i / 64 - 1;
      return (double)((uint64_t)(i - shift * 64) << shift) / 1000;
    }
  }
  return 0;
}

#endif
