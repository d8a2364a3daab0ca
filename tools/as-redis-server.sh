#!/usr/bin/env bash
# Starts ferrolith-server in the place of redis-server, for suites of clients that start their servers themselves.
#
#   FERROLITH_SERVER=PROGRAM tools/as-redis-server.sh -v
#   FERROLITH_SERVER=PROGRAM tools/as-redis-server.sh --port N --logfile FILE [FLAG VALUE]...
#
# Translates the flags of redis-server that the suites of redis-rs and memtier_benchmark (RLTest) use, for TCP and TLS. Data
# goes to a directory beside the log. Flags about Redis's files and its log are ignored; others are refused.
set -euo pipefail

server=${FERROLITH_SERVER:?"set FERROLITH_SERVER to the program"}
if [[ ${1-} == -v || ${1-} == --version ]]; then
  # Suites read the version, up to the commit. The server tells clients the same version.
  echo "Redis server v=7.2.5 sha=0"
  exit
fi

bind=127.0.0.1 port=0 tls_port=0 flags=()
while [[ $# -gt 0 ]]; do
  value=${2?"as-redis-server.sh: $1 has no value"}
  case $1 in
    --bind) bind=$value ;;
    --port) port=$value ;;
    --tls-port) tls_port=$value ;;
    --logfile) log=$value ;;
    --tls-cert-file) flags+=(--tls-cert "$value") ;;
    --tls-key-file) flags+=(--tls-key "$value") ;;
    --tls-ca-cert-file) flags+=(--tls-ca "$value") ;;
    --tls-auth-clients | --enable-debug-command | --requirepass) flags+=("$1" "$value") ;;
    --save | --dbfilename | --loglevel) ;;
    *) echo "as-redis-server.sh: the flag $1 is not supported" >&2; exit 2 ;;
  esac
  shift 2
done
[[ $port == 0 ]] && listen= || listen=$bind:$port
[[ $tls_port == 0 ]] || flags+=(--tls-listen "$bind:$tls_port")
exec "$server" --dir "${log:?"as-redis-server.sh: --logfile is missing"}.data" --durability os --memory-mb 64 \
  --listen "$listen" "${flags[@]}" >"$log" 2>&1
