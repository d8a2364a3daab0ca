#!/usr/bin/env bash
# Runs redis-py's own tests against ferrolith-server.
#
#   tools/check-redis-py.sh CHECKOUT [SERVER]
#
# CHECKOUT is a checkout or a bare clone of redis-py that has the tag of REDIS_PY_VERSION (default 8.1.0); its tests are
# copied to a temporary directory. SERVER is the program to test, by default a debug build. Needs python3 with venv, and
# downloads the packages that the tests import. Port 6379 must be free: some tests have it built in. REDIS_PY_PROTOCOLS are
# the versions of RESP that the client speaks (2 3).
set -euo pipefail

checkout=${1:?"usage: tools/check-redis-py.sh CHECKOUT [SERVER]"}
# shellcheck source=tools/lib/server.sh
source "$(dirname "$0")/lib/server.sh"
server_program "${2:-}"
version=${REDIS_PY_VERSION:-8.1.0}
git -C "$checkout" archive "v$version" | tar -x -C "$work"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install "redis==$version" pytest pytest-asyncio pytest-timeout mock packaging numpy xxhash \
  pybreaker PyJWT redis-entraid

start_fresh 127.0.0.1:6379 --durability os --enable-debug-command yes

# Left out: tests of modules, clusters, replicas, sentinels, TLS, several servers, client-side caches and vector sets, and
# tests that need no server.
markers='not onlycluster and not redismod and not ssl and not replica'
files=(test_commands test_client test_connect test_connection test_connection_pool test_credentials
  test_data_structure test_encoding test_function test_hash test_keyspace_notifications test_lock test_monitor
  test_multiprocessing test_pipeline test_pubsub test_retry test_scripting)
runs=()
for protocol in ${REDIS_PY_PROTOCOLS:-2 3}; do runs+=("$protocol tests" "$protocol tests/test_asyncio"); done
for run in "${runs[@]}"; do
  read -r protocol folder <<<"$run"
  paths=()
  for file in "${files[@]}"; do [[ ! -f $work/$folder/$file.py ]] || paths+=("$folder/$file.py"); done
  for path in "${paths[@]}"; do
    # Without excerpts of sources in failures: they take minutes in files of this size.
    (cd "$work" && venv/bin/python -m pytest -q -p no:cacheprovider --timeout 120 --tb=line -rfE \
      -W ignore -m "$markers" --redis-url redis://127.0.0.1:6379/0 --protocol "$protocol" "$path") >"$work/log" 2>&1 || failed=1
    echo "RESP$protocol $path: $(tail -1 "$work/log")"
    grep -aE '^(FAILED|ERROR) ' "$work/log" || true
    redis-cli FLUSHALL >"$work/flushed"
  done
done
exit "${failed:-0}"
