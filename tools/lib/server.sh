# shellcheck shell=bash
# Starts, awaits and ends servers for the scripts that check them. Sourced, not run.
#
# Environment: TMPDIR (/var/tmp) is the place of the data; KEEP_WORK=1 keeps the files of a script that failed.
#
# Sets `top`, the checkout, and `work`, a directory that is removed at exit. At exit, all servers end that `start` started;
# `at_exit` can be defined for more. `server` is the command of the server; `server_program` sets it, or the script.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}" "$(basename "$0" .sh).XXXXXX")
# Names of servers to their processes and ports.
declare -A pids=() ports=() http_ports=()
begin=$(date +%s%N)

say() {
  local ms=$((($(date +%s%N) - begin) / 1000000))
  printf '%6d.%d s  %s\n' $((ms / 1000)) $((ms % 1000 / 100)) "$*"
}
fail() { say "FAILED: $*"; exit 1; }

finish() {
  local status=$? name
  for name in "${!pids[@]}"; do { kill -9 "${pids[$name]}" && wait "${pids[$name]}"; } 2>/dev/null || true; done
  if declare -F at_exit >/dev/null; then at_exit || true; fi
  if [[ $status != 0 && -n ${KEEP_WORK:-} ]]; then
    echo "kept: $work" >&2
  else
    # Go makes its modules read-only.
    chmod -R u+w "$work"
    rm -rf "$work"
  fi
}
trap finish EXIT

# Sets `server` to the path of a program, or of a debug build if the path is empty.
server_program() {
  server=${1:-}
  if [[ -z $server ]]; then
    cargo build -q --manifest-path "$top/Cargo.toml" -p ferrolith-server
    server=${CARGO_TARGET_DIR:-$top/target}/debug/ferrolith-server
  fi
  # Not to the target of a link: redis-server is one.
  server=$(realpath -s "$server")
}

# Waits until a command succeeds. Arguments: seconds, what is waited for, command.
await() {
  local seconds=$1 what=$2 end
  shift 2
  end=$((SECONDS + seconds))
  until "$@"; do
    ((SECONDS < end)) || fail "after $seconds s: $what"
    sleep 0.1
  done
}

# Whether a server has printed its addresses; fails if it has ended.
is_listening() {
  kill -0 "${pids[$1]}" 2>/dev/null || fail "the server $1 ended: $(tail -3 "$work/$1.err")"
  grep -q '^Redis clients' "$work/$1.out"
}

# Starts a server and waits for it. Arguments: name, flags.
start() {
  local name=$1
  shift
  # Not the addresses of an earlier start.
  : >"$work/$name.out"
  "${server[@]}" "$@" >>"$work/$name.out" 2>>"$work/$name.err" &
  pids[$name]=$!
  await 300 "the server $name does not listen" is_listening "$name"
  ports[$name]=$(sed -n 's/^Redis clients.*:\([0-9]*\)$/\1/p' "$work/$name.out" | head -1)
  http_ports[$name]=$(sed -n 's/^HTTP.*:\([0-9]*\)$/\1/p' "$work/$name.out" | head -1)
}

# Ends a server by a signal. SIGTERM must end it without an error.
stop() {
  local name=$1 signal=${2:-TERM} status=0
  kill "-$signal" "${pids[$name]}"
  { wait "${pids[$name]}" || status=$?; } 2>/dev/null
  unset "pids[$name]"
  [[ $signal != TERM || $status == 0 ]] || fail "the server $name ended with $status: $(tail -3 "$work/$name.err")"
}

# Starts a server without data at an address, for a suite of clients, after ending the one before. Sets `port`.
# Arguments: address, flags of the server.
start_fresh() {
  # It may have ended by itself.
  [[ -z ${pids[fresh]:-} ]] || { kill "${pids[fresh]}" && wait "${pids[fresh]}"; } 2>/dev/null || true
  rm -rf "$work/data"
  start fresh --dir "$work/data" --listen "$@"
  port=${ports[fresh]}
}
