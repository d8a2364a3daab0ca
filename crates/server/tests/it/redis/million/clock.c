/* Gives redis-server the time of the test: the shared file FERROLITH_TEST_CLOCK holds microseconds since 1970.
   The monotonic clock stays the system's. Preloaded; libfaketime does not work with redis-server's allocator. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long long *shared;

static long long now_us(void) {
  if (!shared) {
    int file = open(getenv("FERROLITH_TEST_CLOCK"), O_RDONLY);
    void *memory = file < 0 ? MAP_FAILED : mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) _exit(70);
    close(file);
    shared = memory;
  }
  return *shared;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return syscall(SYS_clock_gettime, clock, out);
  long long us = now_us();
  out->tv_sec = us / 1000000;
  out->tv_nsec = us % 1000000 * 1000;
  return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  (void)zone;
  long long us = now_us();
  out->tv_sec = us / 1000000;
  out->tv_usec = us % 1000000;
  return 0;
}

time_t time(time_t *out) {
  time_t seconds = now_us() / 1000000;
  if (out) *out = seconds;
  return seconds;
}
