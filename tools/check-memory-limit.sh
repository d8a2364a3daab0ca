#!/usr/bin/env bash
# Checks that memory_limit holds for a large database: with a limit of 256 MiB, a database of 4 GB in 64 column families
# is written and read with 1,000 iterators open, and the resident memory must not grow by more than 281 MiB. Nothing may
# fail. It needs about twice the size of the database as free space.
#
#   tools/check-memory-limit.sh [DIR [SCALE]]
#
# DIR (/var/tmp) is the directory for the databases. SCALE (1) multiplies the limit, the size and the number of iterators:
# 0.25 is a run with 64 MiB and 1 GB.
set -euo pipefail

dir=${1:-/var/tmp}
scale=${2:-1}
top=$(cd "$(dirname "$0")/.." && pwd)
times() { awk -v scale="$scale" -v n="$1" 'BEGIN { printf "%d", n * scale }'; }

[[ -d $dir ]] || { echo "check-memory-limit.sh: $dir is not a directory" >&2; exit 2; }
[[ $(times 256) -ge 16 ]] || { echo "check-memory-limit.sh: SCALE=$scale must be at least 0.0625" >&2; exit 2; }
export FERROLITH_MEMORY_DIR=$dir FERROLITH_MEMORY_FAMILIES=64
FERROLITH_MEMORY_LIMIT=$(times 256)
FERROLITH_MEMORY_DB=$(times 4096)
FERROLITH_MEMORY_CURSORS=$(times 1000)
export FERROLITH_MEMORY_LIMIT FERROLITH_MEMORY_DB FERROLITH_MEMORY_CURSORS
exec cargo test --manifest-path "$top/Cargo.toml" --profile stress -p ferrolith --test memory -- --nocapture
