#!/usr/bin/env bash
# Runs Redis's own test suite, in Tcl, against ferrolith-server, one fresh server per unit, and compares the failures with
# crates/server/tests/redis-tcl-expected.txt.
#
#   tools/check-redis.sh CHECKOUT [UNIT...]
#
# CHECKOUT is the source of Redis 7.0.15 (a folder; nothing is written to it). Needs tclsh. Environment: FERROLITH_SERVER
# is the program, by default a debug build; FERROLITH_TCL_TIMEOUT the seconds that a unit may take (300);
# FERROLITH_WORKERS the workers of the server (1). Some tests send a command on one connection, do not wait for its reply,
# and expect it to run before the next one on another connection. With several workers, nothing orders these two.
#
# Without units, it runs all of the list and prints the sums. Words behind a unit in the list:
#
#   untagged  run the tests too that the suite leaves out if it did not start the server (its tag external:skip)
#   early     the unit ends where it starts a server with files of its own; what ran before counts
#
# Exits with 1 if a test fails that is not expected to, or an expected failure passes, or a unit does not end.
set -euo pipefail

checkout=$(realpath "${1:?"usage: tools/check-redis.sh CHECKOUT [UNIT...]"}")
shift
# shellcheck source=tools/lib/server.sh
source "$(dirname "$0")/lib/server.sh"
server_program "${FERROLITH_SERVER:-}"
expected=$top/crates/server/tests/redis-tcl-expected.txt
limit=${FERROLITH_TCL_TIMEOUT:-300}
command -v tclsh >/dev/null || { echo "tclsh is missing: apt-get install tcl" >&2; exit 2; }

units=("$@")
if [[ ${#units[@]} -eq 0 ]]; then
  mapfile -t units < <(sed -n 's/^unit \([^ ]*\).*/\1/p' "$expected")
fi
# What needs replicas, files of Redis, or memory limits. DEBUG is there in part: see docs/server/redis.md.
tags="-needs:repl -needs:debug -needs:pfdebug -needs:save -needs:config-maxmemory -needs:config-resetstat"

mkdir "$work/suite"
ln -s "$checkout/src" "$checkout/utils" "$work/suite/"
# The suite writes to its own folder.
cp -r "$checkout/tests" "$work/suite/tests"

# Whether a unit has a word in the list. Arguments: unit, word.
has_word() { grep -qE "^unit $1( .*)? $2( |$)" "$expected"; }

failed=0 all_passed=0 all_failed=0
for unit in "${units[@]}"; do
  start_fresh 127.0.0.1:0 --workers "${FERROLITH_WORKERS:-1}" --redis-partitions 4 --enable-debug-command yes
  if has_word "$unit" untagged; then sed -i 's/external:skip//g' "$work/suite/tests/$unit.tcl"; fi
  log=$work/$(tr / - <<<"$unit").log
  (cd "$work/suite" && timeout -k 5 "$limit" tclsh tests/test_helper.tcl --host 127.0.0.1 --port "$port" --durable \
    --single "$unit" --tags "$tags") >"$log.color" 2>&1 && ended=0 || ended=$?
  sed 's/\x1b\[[0-9;]*m//g' "$log.color" >"$log"
  # Clients of the suite outlive it when it hangs.
  for process in $(pgrep -f -- "test_helper.tcl --host 127.0.0.1 --port $port "); do
    [[ $(readlink "/proc/$process/cwd") != "$work/suite" ]] || kill -9 "$process" 2>/dev/null || true
  done
  sed -n 's/^\[err\]: \(.*\) in tests\/unit\/.*/\1/p' "$log" | sort -u >"$work/found"
  # Lines "unit: name of the test -- reason".
  { grep -F "$unit: " "$expected" || true; } | sed "s|^$unit: ||; s| -- .*||" | sort -u >"$work/known"
  new=$(comm -23 "$work/found" "$work/known")
  mended=$(comm -13 "$work/found" "$work/known")
  passed=$(grep -c '^\[ok\]' "$log" || true) not_passed=$(grep -c . "$work/found" || true)
  all_passed=$((all_passed + passed)) all_failed=$((all_failed + not_passed))
  echo "$unit: $passed passed, $not_passed failed"
  [[ -z $new ]] || { failed=1; sed 's/^/  fails: /' <<<"$new"; }
  [[ -z $mended ]] || { failed=1; sed 's/^/  passes, and is in the list of failures: /' <<<"$mended"; }
  if [[ $ended == 124 || $ended == 137 ]]; then
    failed=1
    echo "  did not end in $limit s; last: $(grep -v '^\s*$' "$log" | tail -1)"
  elif has_word "$unit" early; then
    :
  elif grep -q '^\[exception\]' "$log" || ! grep -q 'The End' "$log"; then
    failed=1
    echo "  ended early: $(grep -A1 '^\[exception\]' "$log" | tr '\n' ' ' | cut -c1-300)"
  fi
  kill -0 "${pids[fresh]}" 2>/dev/null || { failed=1; echo "  the server ended: $(tail -1 "$work/fresh.err")"; }
done
echo "all: $all_passed passed, $all_failed failed"
exit $failed
