#!/usr/bin/env bash
# Runs RocksDB's tools/benchmark_compare.sh, unmodified and with tiny sizes, over our db_bench, and checks each column of
# its reports and its summary. Takes about a minute.
#
#   tools/check-benchmark-compare.sh [CHECKOUT [COMMIT]]
#
# CHECKOUT is a checkout or a bare clone of RocksDB, COMMIT a commit or tag in it (default: v10.10.1). Without them the
# scripts of 10.10.1 come from tools/fetch-benchmark-sh.sh. Needs bash, /usr/bin/time, bc, gzip and cargo.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
for program in /usr/bin/time bc gzip; do
  command -v "$program" >/dev/null || { echo "check-benchmark-compare.sh: needs $program" >&2; exit 2; }
done
if [[ $# -gt 0 ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  git -C "$1" archive "${2:-v10.10.1}" tools/benchmark.sh tools/benchmark_compare.sh | tar -x -C "$work"
  export FERROLITH_BENCHMARK_SH=$work/tools/benchmark.sh
else
  FERROLITH_BENCHMARK_SH=$("$top/tools/fetch-benchmark-sh.sh")
  export FERROLITH_BENCHMARK_SH
fi
cargo test --manifest-path "$top/Cargo.toml" -p ferrolith-bench --test it -- --ignored comparison_script
