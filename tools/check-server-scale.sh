#!/usr/bin/env bash
# Checks that ferrolith-server holds many idle connections in little memory, and starts fast with many keys.
#
#   tools/check-server-scale.sh
#
# FERROLITH_CONNECTIONS (10000) connections of each protocol read one record of 1 KB and then are idle; each may take at
# most 16 KiB of the server's memory. Then FERROLITH_KEYS (1000000) keys are loaded, and the time from the start of the
# program to its first reply is printed; it should be under a second. FERROLITH_KEYS=10000000 takes a few minutes. Data
# goes to a directory in FERROLITH_SCALE_DIR (TMPDIR, /tmp). Servers listen on 127.0.0.1 only.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
connections=${FERROLITH_CONNECTIONS:-10000}
keys=${FERROLITH_KEYS:-1000000}
port=${FERROLITH_PORT:-36379}
bytes_max=16384
work=$(mktemp -d "${FERROLITH_SCALE_DIR:-${TMPDIR:-/tmp}}/server-scale.XXXXXX")
pid=
stop() { [[ -z $pid ]] || { kill "$pid" && wait "$pid" || true; pid=; }; }
trap 'stop; rm -rf "$work"' EXIT

cargo build --release --manifest-path "$top/Cargo.toml" -p ferrolith-server -p ferrolith-bench
release=${CARGO_TARGET_DIR:-$top/target}/release
files=$((connections + 1000))
[[ $(ulimit -n) == unlimited || $(ulimit -n) -ge $files ]] || ulimit -n "$files"

# Prints milliseconds from the start of the server to its first reply.
start() {
  local begin now line
  begin=$(date +%s%N)
  "$release/ferrolith-server" --dir "$work/data" --listen "127.0.0.1:$port" --pegasus-listen "127.0.0.1:$((port + 1))" \
    --max-connections "$files" >"$work/log" 2>&1 &
  pid=$!
  while true; do
    if { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null; then
      printf 'PING\r\n' >&3
      read -r -t 30 line <&3 && [[ $line == +PONG* ]] && break
    fi
    kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
    sleep 0.01
  done
  now=$(date +%s%N)
  exec 3>&-
  milliseconds=$(((now - begin) / 1000000))
}

for engine in "redis://127.0.0.1:$port" "pegasus://127.0.0.1:$((port + 1))/scale"; do
  # A new process for each, or the second would use the memory that the first one's connections left.
  stop
  start
  echo "start with next to no keys: $milliseconds ms"
  echo "$engine"
  "$release/ferrolith-bench" connections --engine "$engine" --server-pid "$pid" --connections "$connections" \
    --at-most "$bytes_max"
done
"$release/ferrolith-bench" ycsb load --engine "redis://127.0.0.1:$port" --in-flight 256 --quiet \
  -p "recordcount=$keys" -p fieldcount=1 -p threadcount=2 | head -1
stop
start
echo "start with $keys keys: $milliseconds ms"
