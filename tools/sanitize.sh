#!/usr/bin/env bash
# Runs the C programs of `cargo x smoke` under checkers of memory and threads. Needs valgrind, gcc, and for the
# sanitizers a nightly Rust with rust-src (rustup component add --toolchain nightly rust-src).
#
#   tools/sanitize.sh [valgrind] [address] [thread]        default: all three
#
# * valgrind: the library as it is; invalid reads and writes, use of undefined bytes, leaks.
# * address:  AddressSanitizer and LeakSanitizer in the library, in Rust's standard library and in the programs.
# * thread:   ThreadSanitizer in the same, over threads.c and threads_mixed.c; several runs, as each is another schedule.
#             FERROLITH_TSAN_RUNS sets how many (5).
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(rustc -vV | sed -n 's/^host: //p')
programs=target/sanitize
failed=0

# build NAME CFLAGS: the programs, linked with the library in $lib.
build() {
  rm -rf "$programs/$1" && mkdir -p "$programs/$1"
  cargo x smoke --build "$PWD/$programs/$1" --cflags "$2" | grep "^/" >"$programs/$1/list"
}

# run PREFIX...: each program of the list, with an empty directory.
run() {
  local name=$1 runs=1 dir log status
  shift
  while read -r program; do
    if [[ $name == thread ]]; then
      [[ $program == */threads* ]] || continue
      runs=${FERROLITH_TSAN_RUNS:-5}
    fi
    log=$programs/$name/$(basename "$program").log status=clean
    for ((i = 0; i < runs; i++)); do
      dir=$(mktemp -d)
      timeout 280 env "$@" "$program" "$dir" >"$log" 2>&1 || status=FAILED
      rm -rf "$dir"
      [[ $status == clean ]] || break
    done
    if [[ $status == clean ]]; then
      echo "$name: $(basename "$program"): clean, $runs runs"
    else
      echo "$name: $(basename "$program"): FAILED, see $log"
      grep -m 3 -E "ERROR|WARNING: Thread|definitely|Invalid|error:" "$log" | sed 's/^/    /' || true
      failed=1
    fi
  done <"$programs/$name/list"
}

# instrumented NAME: the library with a sanitizer, in $lib.
instrumented() {
  RUSTFLAGS="-Zsanitizer=$1" RUSTUP_TOOLCHAIN=nightly \
    cargo build -q -p ferrolith-librocksdb --target "$target" --target-dir "target/$1-sanitizer" -Zbuild-std=std,panic_unwind
  lib=$PWD/target/$1-sanitizer/$target/debug
}

# control CFLAGS: a program that races (one batch, two threads) must be caught, or the checker does not look.
control() {
  local dir
  dir=$(mktemp -d)
  cat >"$dir/race.c" <<'RACE'
#include <pthread.h>
#include <rocksdb/c.h>

static rocksdb_writebatch_t* batch;
/* Not atomic, so that it orders nothing. */
static volatile int done;

static void* put(void* unused) {
    for (int i = 0; i < 2000; i++) rocksdb_writebatch_put(batch, "key", 3, "value", 5);
    done = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    batch = rocksdb_writebatch_create();
    pthread_create(&thread, NULL, put, NULL);
    while (!done) rocksdb_writebatch_count(batch);
    pthread_join(thread, NULL);
    return 0;
}
RACE
  ln -s "$lib/librocksdb.so" "$dir/librocksdb.so.10.10"
  # shellcheck disable=SC2086
  cc -Icrates/capi/include -o "$dir/race" "$dir/race.c" -L"$lib" -lrocksdb -lpthread $1
  if LD_LIBRARY_PATH="$dir" timeout 60 "$dir/race" >"$dir/log" 2>&1 || ! grep -q "data race" "$dir/log"; then
    echo "thread: a program that races was not caught:" >&2
    head -n 3 "$dir/log" >&2
    failed=1
  fi
  rm -rf "$dir"
}

for checker in "${@:-valgrind address thread}"; do
  # Without arguments that is all three in one.
  for name in $checker; do
    case $name in
      valgrind)
        cargo build -q -p ferrolith-librocksdb
        build valgrind ""
        run valgrind LD_PRELOAD= LD_LIBRARY_PATH="$PWD/target/debug" \
          valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite \
          --errors-for-leak-kinds=definite
        ;;
      address | thread)
        instrumented "$name"
        # Rust's own runtime, which the library was compiled for; the programs' allocations go through it, too.
        short=${name:0:1}san
        runtime=$(rustc +nightly --print sysroot)/lib/rustlib/$target/lib/librustc-nightly_rt.$short.a
        flags="-Wl,--whole-archive $runtime -Wl,--no-whole-archive -rdynamic -lstdc++ -lm -lresolv"
        [[ $name != thread ]] || control "$flags"
        build "$name" "$flags"
        run "$name" LD_LIBRARY_PATH="$lib" ASAN_OPTIONS=detect_leaks=1 TSAN_OPTIONS=halt_on_error=0
        ;;
      *)
        echo "sanitize: unknown checker $name" >&2
        exit 2
        ;;
    esac
  done
done
exit $failed
