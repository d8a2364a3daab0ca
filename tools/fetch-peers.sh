#!/usr/bin/env bash
# Puts two real RocksDBs and a Redis on this machine, to test against and never to link into the product, and prints
# `export` lines that say where they are:
#   FERROLITH_ROCKSDB_LIB    the vendor's 10.10.1 library, from Maven's org.rocksdb:rocksdbjni; it exports the C ABI
#   FERROLITH_ROCKSDB_TOOLS  a directory with Debian's ldb, sst_dump and db_bench 7.8.3
#   FERROLITH_REDIS_SERVER   Debian's redis-server; tests start it on free ports of the loopback interface
# Needs mvn and unzip or python3 for the first, apt-get or an installed rocksdb-tools for the second,
# apt-get or an installed redis-server for the third.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/ferrolith
version=10.10.1
lib=$cache/rocksdb-$version/librocksdb.so
if [[ ! -s $lib ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mvn -q dependency:copy "-Dartifact=org.rocksdb:rocksdbjni:$version" "-DoutputDirectory=$work" >&2
  python3 -m zipfile -e "$work/rocksdbjni-$version.jar" "$work/jar" >&2
  mkdir -p "$(dirname "$lib")"
  mv "$work/jar/librocksdbjni-linux64.so" "$lib"
fi
echo "export FERROLITH_ROCKSDB_LIB='$lib'"

if ! command -v sst_dump >/dev/null; then
  { apt-get update -qq && apt-get install -y -qq rocksdb-tools; } >&2
fi
echo "export FERROLITH_ROCKSDB_TOOLS='$(dirname "$(command -v sst_dump)")'"

if ! command -v redis-server >/dev/null; then
  # Tests start servers of their own.
  { apt-get update -qq && RUNLEVEL=1 apt-get install -y -qq redis-server; } >&2
fi
echo "export FERROLITH_REDIS_SERVER='$(command -v redis-server)'"
