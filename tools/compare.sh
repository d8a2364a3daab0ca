#!/usr/bin/env bash
# Measures this engine and RocksDB 10.10.1 in turn, on the same machine and data, by the same harness and options, and
# prints the medians and ratios of the workloads that README quotes.
#
#   tools/compare.sh [RUNS [NUM [SECONDS [DIR]]]]      defaults: 5 pairs, 2000000 keys, 8 s, /dev/shm/ferrolith-compare
#
# fillsync needs a real device and runs below target/; everything else runs in DIR. Take nothing from a busy machine: the
# load average is printed before each workload.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-5} num=${2:-2000000} seconds=${3:-8} dir=${4:-/dev/shm/ferrolith-compare}
eval "$(tools/fetch-peers.sh)"
cargo build --release --quiet -p ferrolith-bench
both=(target/release/db_bench --engine=both "--engine_lib=$FERROLITH_ROCKSDB_LIB")

# The options of the reference lines (crates/bench/testdata/in_memory_commands.txt) that today's RocksDB still has.
reference=(--num_levels=6 --key_size=20 --value_size=100 --compression_type=none --write_buffer_size=134217728
  --max_write_buffer_number=2 --level0_file_num_compaction_trigger=8 --target_file_size_base=134217728
  --max_bytes_for_level_base=1073741824 --max_background_jobs=4 --level0_slowdown_writes_trigger=16
  --level0_stop_writes_trigger=24 --use_plain_table=1 --open_files=-1 --mmap_read=1 --memtablerep=prefix_hash
  --allow_concurrent_memtable_write=false --bloom_bits=10 --bloom_locality=1)
block=(--key_size=16 --value_size=100 --compression_type=none --bloom_bits=10 --cache_size=4000000000
  --write_buffer_size=67108864 --max_background_jobs=2)

# measure TITLE RUNS ARGS...: prints the load and the lines of medians
measure() {
  local title=$1 pairs=$2
  shift 2
  printf '\n## %s (load %s)\n' "$title" "$(cut -d' ' -f1 /proc/loadavg)"
  printf '$ db_bench %s\n' "$*"
  "${both[@]}" "--runs=$pairs" "$@" 2>&1 | sed -n '/^Medians/,$p'
}

prefix() { case $1 in 1) echo "--prefix_size=20 --keys_per_prefix=0" ;; 2) echo "--prefix_size=12 --keys_per_prefix=10" ;; esac; }

for t in 1 2; do
  db=$dir/t$t
  measure "reference test $t, fill" 1 --benchmarks=filluniquerandom,waitforcompaction "--num=$num" "--db=$db" \
    "${reference[@]}" $(prefix $t)
  for rate in 10240 81920; do
    measure "reference test $t, $rate writes/s" "$runs" --benchmarks=readwhilewriting --use_existing_db=1 "--num=$num" \
      --threads=2 "--duration=$seconds" "--benchmark_write_rate_limit=$((rate * 120))" "--db=$db" "${reference[@]}" $(prefix $t)
  done
  rm -rf "$db"
done

for b in fillseq fillrandom; do
  measure "$b" "$runs" --benchmarks=$b "--num=$num" "--db=$dir/$b" "${block[@]}"
  rm -rf "${dir:?}/$b"
done
measure overwrite "$runs" --benchmarks=fillrandom,overwrite "--num=$num" "--db=$dir/o" "${block[@]}"
rm -rf "$dir/o"
mkdir -p target/compare
measure fillsync "$runs" --benchmarks=fillsync --writes=4000 --num=4000 --db=target/compare/fillsync "${block[@]}"
rm -rf target/compare

measure "fill for the reads" 1 --benchmarks=filluniquerandom,compact "--num=$num" "--db=$dir/r" "${block[@]}" \
  --merge_operator=uint64add
read=(--use_existing_db=1 "--num=$num" --threads=2 "--duration=$seconds" "--db=$dir/r" --merge_operator=uint64add "${block[@]}")
measure readrandom "$runs" --benchmarks=readrandom "${read[@]}"
measure seekrandom "$runs" --benchmarks=seekrandom --seek_nexts=10 "${read[@]}"
measure readwhilewriting "$runs" --benchmarks=readwhilewriting --benchmark_write_rate_limit=1200000 "${read[@]}"
measure readwhilemerging "$runs" --benchmarks=readwhilemerging --benchmark_write_rate_limit=1200000 "${read[@]}"
rm -rf "${dir:?}"
