#!/usr/bin/env bash
# Runs the eight command lines of RocksDB's in-memory benchmark, word for word but for --num, --duration, --threads, --db
# and --wal_dir, and has RocksDB's own tools judge the directories afterwards.
#
#   tools/reference-run.sh [NUM [DURATION [THREADS [DIR]]]]      defaults: 5000000 20 2 /dev/shm/ferrolith-reference
set -euo pipefail
cd "$(dirname "$0")/.."

num=${1:-5000000} duration=${2:-20} threads=${3:-2} dir=${4:-/dev/shm/ferrolith-reference}
lines=crates/bench/testdata/in_memory_commands.txt
cargo build --release --quiet -p ferrolith-bench
bench=target/release/db_bench

rm -rf "$dir"
test_number=0
while IFS= read -r line; do
  case $line in
    '#'*) title=${line#\# }; continue ;;
    ./db_bench*) ;;
    *) continue ;;
  esac
  [[ $line == *use_existing_db=0* ]] && test_number=$((test_number + 1))
  printf '\n=== %s\n' "$title"
  line=${line#./db_bench }
  args=()
  for arg in $line; do
    case $arg in
      --num=*) arg=--num=$num ;;
      --duration=*) arg=--duration=$duration ;;
      --threads=1) ;;
      --threads=*) arg=--threads=$threads ;;
      --db=*) arg=--db=$dir/$test_number ;;
      --wal_dir=*) arg=--wal_dir=$dir/$test_number-wal ;;
    esac
    args+=("$arg")
  done
  "$bench" "${args[@]}" 2>&1
done <"$lines"

# sst_dump 7.8.3 cannot read PlainTable files of this size, RocksDB's own included ("Bad address"). So ldb judges, with the
# options of our OPTIONS file: it checks the tree and reads every key.
printf '\n=== RocksDB 7.8.3 on the directories\n'
status=0
for db in "$dir"/[0-9]; do
  consistent=$(ldb --db="$db" --try_load_options checkconsistency | tail -n 1)
  count=$(ldb --db="$db" --try_load_options dump --count_only 2>/dev/null | grep -o 'Keys in range: [0-9]*' || true)
  echo "$db: checkconsistency: $consistent; $count"
  [[ $consistent == OK && $count == "Keys in range: $num" ]] || status=1
done
exit $status
