# shellcheck shell=bash
# Starts and stops ferrolith-server for the scripts that run suites of clients against it. Sourced, not run.
#
# Sets `top`, the checkout of Ferrolith, and `work`, a temporary directory. At exit, the server ends and `work` is removed.
# `server_start` sets `port`, and `server_pid`, which is empty while no server runs.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
server_pid=
trap 'server_stop; chmod -R u+w "$work"; rm -rf "$work"' EXIT

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

# Ends the server that runs, if any.
server_stop() {
  [[ -z $server_pid ]] || { kill "$server_pid" 2>/dev/null && wait "$server_pid" 2>/dev/null || true; }
  server_pid=
}

# Starts a server without data at an address, after ending one that runs. Arguments: address, flags of the server.
server_start() {
  server_stop
  rm -rf "$work/data"
  "$server" --dir "$work/data" --listen "$@" >"$work/server.log" 2>&1 &
  server_pid=$!
  port=
  for _ in $(seq 200); do
    # Printed when all addresses are bound.
    port=$(sed -n 's/^Redis clients: .*:\([0-9]*\)$/\1/p' "$work/server.log" | head -1)
    [[ -z $port ]] || return 0
    kill -0 "$server_pid" 2>/dev/null || break
    sleep 0.1
  done
  cat "$work/server.log" >&2
  exit 1
}
