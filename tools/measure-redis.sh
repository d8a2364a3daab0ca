#!/usr/bin/env bash
# Measures what ferrolith-server needs for commands of Redis clients, beside redis-server, and prints tables in Markdown.
#
#   tools/measure-redis.sh [PAIRS]
#
# Both servers run on this machine with the same load from redis-benchmark, in PAIRS (5) pairs of alternating order. The
# CPU is that of all threads of the server, from the kernel's scheduler, so the client and the speed of the network do not
# count. Latencies are those that redis-benchmark sees. All figures are medians over the pairs; a ratio is the median of
# the ratios of the pairs. It takes some minutes, in which the machine should do nothing else.
#
# Needs redis-server, redis-benchmark and redis-cli 7. FERROLITH_SERVER and FERROLITH_BENCH are the programs, by default
# release builds; FERROLITH_DB_BENCH likewise. Data is in memory (MEASURE_DIR, /dev/shm), except for the rows that sync and
# the data that does not fit into the cache (MEASURE_DISK, TMPDIR or /var/tmp; 3 GB). ROWS is a pattern of the sections to
# run: commands, workers, wakeups, synced, rank, cold, device. The last one needs root, to drop the page cache, and fio.
# Servers listen on 127.0.0.1 only.
set -euo pipefail

pairs=${1:-5}
top=$(cd "$(dirname "$0")/.." && pwd)
release=${CARGO_TARGET_DIR:-$top/target}/release
server=${FERROLITH_SERVER:-$release/ferrolith-server}
bench=${FERROLITH_BENCH:-$release/ferrolith-bench}
db_bench=${FERROLITH_DB_BENCH:-$release/db_bench}
if [[ -z ${FERROLITH_SERVER:-} || -z ${FERROLITH_BENCH:-} || -z ${FERROLITH_DB_BENCH:-} ]]; then
  cargo build -q --release --manifest-path "$top/Cargo.toml" -p ferrolith-server -p ferrolith-bench
fi
for tool in redis-server redis-benchmark redis-cli; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install redis" >&2; exit 2; }
done
memory=$(mktemp -d "${MEASURE_DIR:-/dev/shm}/measure-redis.XXXXXX")
disk=$(mktemp -d "${MEASURE_DISK:-${TMPDIR:-/var/tmp}}/measure-redis.XXXXXX")
declare -A pid port
# The kernel's groups of processes with limits of CPU, version 1; without, rows that need them are left out.
groups=/sys/fs/cgroup/cpu
stop() {
  for name in "${!pid[@]}"; do
    kill "${pid[$name]}" 2>/dev/null && wait "${pid[$name]}" 2>/dev/null || true
  done
  pid=()
  rm -rf "${memory:?}"/* "${disk:?}"/*
  rmdir "$groups"/measure-redis-* 2>/dev/null || true
}
trap 'stop; rm -rf "$memory" "$disk"' EXIT
next=${MEASURE_PORT:-26379}

# await NAME: waits until the server answers.
await() {
  for _ in $(seq 500); do
    [[ $(redis-cli -p "${port[$1]}" ping 2>/dev/null) == PONG ]] && return
    sleep 0.02
  done
  echo "$1 does not answer" >&2
  exit 1
}

# ours NAME DIR FLAG...: starts ferrolith-server.
ours() {
  local name=$1 dir=$2/$1
  shift 2
  port[$name]=$((next++))
  "$server" --dir "$dir" --listen "127.0.0.1:${port[$name]}" "$@" >"$dir.log" 2>&1 &
  pid[$name]=$!
  await "$name"
}

# redis NAME DIR FLAG...: starts redis-server with its log.
redis() {
  local name=$1 dir=$2/$1
  shift 2
  mkdir "$dir"
  port[$name]=$((next++))
  redis-server --bind 127.0.0.1 --port "${port[$name]}" --dir "$dir" --save "" --appendonly yes "$@" >"$dir.log" &
  pid[$name]=$!
  await "$name"
}

# Prints the nanoseconds of CPU that a server has used.
cpu() { cat "/proc/${pid[$1]}"/task/*/schedstat | awk '{sum += $1} END {printf "%.0f", sum}'; }

# load NAME REQUESTS ARGUMENT...: runs redis-benchmark. Prints CPU in us per request, requests per second, and P99 and
# P99.9 in ms.
load() {
  local name=$1 requests=$2 begin
  shift 2
  begin=$(cpu "$name")
  redis-benchmark -p "${port[$name]}" -n "$requests" "$@" | tr '\r' '\n' >"$memory/out"
  awk -v used=$(($(cpu "$name") - begin)) -v requests="$requests" '
    /cumulative count/ && !tail && $1 + 0 >= 99.9 {tail = $3}
    /throughput summary/ {rate = $3}
    /^ +avg +min/ {getline; p99 = $5}
    END {if (!rate) exit 1; printf "%.3f %.0f %s %s\n", used / 1000 / requests, rate, p99, tail}' "$memory/out"
}

# compare A B REQUESTS ARGUMENT...: runs the load on two servers in pairs. Prints medians: CPU of A and B, the ratio and its
# lowest and highest value, the ratio of the rates, rates, P99 and P99.9 of A and B.
compare() {
  local a=$1 b=$2
  shift 2
  for pair in $(seq "$pairs"); do
    if ((pair % 2)); then
      load "$a" "$@" >"$memory/a"
      load "$b" "$@" >"$memory/b"
    else
      load "$b" "$@" >"$memory/b"
      load "$a" "$@" >"$memory/a"
    fi
    paste -d ' ' "$memory/a" "$memory/b"
  done | awk '
    function median(list, n,   i, j, t) {
      for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
        t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
      }
      return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
    }
    {for (f = 1; f <= 8; f++) v[f, NR] = $f + 0; ratio[NR] = $1 / $5; rates[NR] = $2 / $6}
    function of(f,   i, list) {for (i = 1; i <= NR; i++) list[i] = v[f, i]; return median(list, NR)}
    END {
      middle = median(ratio, NR)
      printf "%.2f %.2f %.2f %.2f %.2f %.2f %.0f %.0f %.2f %.2f %.2f %.2f\n", of(1), of(5), middle, ratio[1], ratio[NR],
        median(rates, NR), of(2), of(6), of(3), of(7), of(4), of(8)
    }'
}

# row LABEL TARGET A B REQUESTS ARGUMENT...: a comparison as a row of a table.
row() {
  local label=$1 target=$2 ca cb ratio low high rates ra rb a99 b99 a999 b999
  shift 2
  read -r ca cb ratio low high rates ra rb a99 b99 a999 b999 < <(compare "$@")
  echo "| $label | $ca | $cb | **$ratio** ($low to $high) | $target | $ra / $rb | $a99 / $b99 | $a999 / $b999 |"
}

heading() {
  echo
  echo "| $1 | ferrolith, us | redis, us | Ratio of CPU | At most | Requests/s | P99, ms | P99.9, ms |"
  echo "|---|---|---|---|---|---|---|---|"
}

commands() {
  ours ferrolith "$memory" --workers 1 --memory-mb 512
  redis redis "$memory" --appendfsync everysec
  for name in ferrolith redis; do load "$name" 1000000 -P 16 -r 100000 -d 128 -t set >/dev/null; done
  heading "50 clients, 100,000 keys, 128 bytes"
  for command in get set; do
    row "${command^^}" 1.3 ferrolith redis 150000 -c 50 -r 100000 -d 128 -t $command
    row "${command^^}, pipeline of 16" 1.0 ferrolith redis 1000000 -c 50 -P 16 -r 100000 -d 128 -t $command
  done
  for command in hset zadd lpush; do
    row "${command^^}" 2.0 ferrolith redis 120000 -c 50 -r 100000 -d 128 -t $command
    row "${command^^}, pipeline of 16" "" ferrolith redis 500000 -c 50 -P 16 -r 100000 -d 128 -t $command
  done
  stop
}

workers() {
  local ca cb ratio low high rates ra rb rest
  ours two "$memory" --workers 2 --memory-mb 512
  ours one "$memory" --workers 1 --memory-mb 512
  for name in one two; do load "$name" 1000000 -P 16 -r 100000 -d 128 -t set >/dev/null; done
  read -r ca cb ratio low high rates ra rb rest < <(compare two one 2000000 -c 50 -P 16 --threads 2 -r 100000 -d 128 -t get)
  echo
  echo "GET, pipeline of 16, two workers beside one: $ra to $rb requests/s, $rates times the rate (target: 1.7);" \
    "$ca us of CPU per request to $cb, $ratio times ($low to $high). With as many processors as the client and the" \
    "workers need, the rate would be $(awk -v r="$ratio" 'BEGIN {printf "%.2f", 2 / r}') times that of one worker."
  # On two processors, the client is the limit. With a quarter of a processor for each worker, it is not.
  if [[ -w $groups/cgroup.procs && -e $groups/cpu.cfs_quota_us ]]; then
    quarters one 1
    quarters two 2
    read -r ca cb ratio low high rates ra rb rest < <(compare two one 1000000 -c 50 -P 16 -r 100000 -d 128 -t get)
    echo "With at most a quarter of a processor for each worker: $ra to $rb requests/s, $rates times the rate."
  fi
  stop
}

# quarters NAME N: allows a server N quarters of a processor.
quarters() {
  local group=$groups/measure-redis-$1
  mkdir "$group"
  echo 10000 >"$group/cpu.cfs_period_us"
  echo $(($2 * 2500)) >"$group/cpu.cfs_quota_us"
  echo "${pid[$1]}" >"$group/cgroup.procs"
}

wakeups() {
  ours ferrolith "$memory" --workers 1 --memory-mb 512
  redis redis "$memory" --appendfsync everysec
  echo
  echo "| BRPOP, 50 clients wait | Mean, us | P50 | P99 | P99.9 | CPU per element, us |"
  echo "|---|---|---|---|---|---|"
  for _ in $(seq "$pairs"); do
    for name in ferrolith redis; do
      "$bench" wakeups --engine "redis://127.0.0.1:${port[$name]}" --server-pid "${pid[$name]}" --clients 50 \
        --events 20000 | awk -v name=$name '$1 == "BRPOP" {row = $3 " " $4 " " $6 " " $7} /CPU/ {print name, row, $1}'
    done
  done | awk -v pairs="$pairs" '
    {for (f = 2; f <= 6; f++) v[$1, f, ++n[$1, f]] = $f + 0}
    function of(name, f,   i, j, t, list) {
      for (i = 1; i <= pairs; i++) list[i] = v[name, f, i]
      for (i = 2; i <= pairs; i++) for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
        t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
      }
      return list[int((pairs + 1) / 2)]
    }
    END {
      split("ferrolith redis", names)
      for (k = 1; k <= 2; k++) {
        printf "| %s", names[k]
        for (f = 2; f <= 6; f++) printf " | %.1f", of(names[k], f)
        print " |"
      }
      printf "\nP99 is %.2f times that of Redis (target: at most 2).\n", of("ferrolith", 4) / of("redis", 4)
    }'
  stop
}

synced() {
  local ca cb ratio low high rates ra rb a99 b99 a999 b999 engine
  ours ferrolith "$disk" --workers 1 --memory-mb 512 --durability always
  redis redis "$disk" --appendfsync always
  read -r ca cb ratio low high rates ra rb a99 b99 a999 b999 < <(compare ferrolith redis 30000 -c 50 -r 100000 -d 128 -t set)
  stop
  engine=$("$db_bench" --benchmarks=fillrandom --threads=16 --sync=1 --num=2000 --value_size=128 --db="$disk/db" |
    awk '/^fillrandom/ {for (i = 1; i < NF; i++) if ($(i + 1) == "ops/sec") print $i}')
  echo
  echo "SET with a sync before each reply, 50 clients: $ra requests/s beside $rb of Redis; P99 $a99 / $b99 ms," \
    "P99.9 $a999 / $b999 ms. The engine with 16 writers that sync: ${engine:-unknown} writes/s."
  stop
}

# members NAME: adds a million members to the sorted set z.
members() {
  awk 'BEGIN {
    for (i = 0; i < 1000000; i += 50) {
      printf "ZADD z"
      for (j = i; j < i + 50; j++) printf " %d m:%012d", j, j
      printf "\r\n"
    }}' | redis-cli -p "${port[$1]}" --pipe >/dev/null
}

rank() {
  ours ferrolith "$memory" --workers 1 --memory-mb 512
  redis redis "$memory" --appendfsync everysec
  for name in ferrolith redis; do members "$name"; done
  heading "One sorted set of 1,000,000 members"
  row ZREVRANK "" ferrolith redis "${RANKS:-200}" -c 1 -r 1000000 ZREVRANK z m:__rand_int__
  row ZSCORE "" ferrolith redis 50000 -c 50 -r 1000000 ZSCORE z m:__rand_int__
  row ZADD "" ferrolith redis 50000 -c 50 -r 1000000 ZADD z __rand_int__ m:__rand_int__
  stop
}

cold() {
  ours ferrolith "$disk" --workers 1 --memory-mb 64
  redis redis "$disk" --appendfsync everysec
  for name in ferrolith redis; do
    awk 'BEGIN {
      value = sprintf("%0200d", 0); value = value value value value value
      for (i = 0; i < 640000; i++) {
        printf "*3\r\n$3\r\nSET\r\n$16\r\nkey:%012d\r\n$1000\r\n%s\r\n", i, value
      }}' | redis-cli -p "${port[$name]}" --pipe >/dev/null
  done
  heading "640 MB of data, a cache of 64 MB; Redis has all in memory"
  row GET "" ferrolith redis 150000 -c 50 -r 640000 GET key:__rand_int__
  row "GET, pipeline of 16" "" ferrolith redis 500000 -c 50 -P 16 -r 640000 GET key:__rand_int__
  stop
}

# GET of data of ten times the memory from the device, at a fixed rate, beside reads of 4 KB at that rate by fio. The
# caches are filled before: a cache that grows waits for fresh memory, which takes 4 ms for 2 MB on some virtual machines.
device() {
  if [[ $(id -u) != 0 ]] || ! command -v fio >/dev/null; then
    echo "device: needs root and fio (apt-get install fio): left out"
    return
  fi
  local records=2600000 rate=1000 seconds=30 all reads
  ours ferrolith "$disk" --workers 1 --memory-mb 256
  all=(-p "recordcount=$records" -p fieldcount=1 -p fieldlength=1000 -p redis.datatype=string)
  all+=(--engine "redis://127.0.0.1:${port[ferrolith]}" --quiet)
  reads=(-p readproportion=1 -p updateproportion=0 -p scanproportion=0 -p insertproportion=0 -p requestdistribution=uniform)
  "$bench" ycsb load "${all[@]}" -p threadcount=4 >/dev/null
  sleep 20 # Compactions end.
  "$bench" ycsb run "${all[@]}" "${reads[@]}" -p operationcount=300000 -p threadcount=16 >/dev/null
  printf '\nGET of %s records of 1 KB, 256 MB of memory, page cache dropped, %s requests/s from 16 clients:\n' "$records" "$rate"
  for pair in $(seq "$pairs"); do
    sync
    echo 3 >/proc/sys/vm/drop_caches
    "$bench" ycsb run "${all[@]}" "${reads[@]}" -p "operationcount=$((rate * seconds))" -p threadcount=16 \
      -p "target=$rate" --seed "1$pair" |
      grep -E '^latency|READ|from schedule'
    fio --name=read --filename="$disk/fio" --size=3g --rw=randread --bs=4k --direct=1 --ioengine=psync --numjobs=16 \
      --group_reporting --rate_iops=$((rate / 16)) --runtime="$seconds" --time_based --output-format=json \
      --percentile_list=50:95:99:99.9 |
      python3 -c 'import json, sys
text = sys.stdin.read()
it = json.loads(text[text.index("{"):])["jobs"][0]["read"]["clat_ns"]
print("device: " + ", ".join(f"P{float(p):g} {ns / 1000:.0f} us" for p, ns in it["percentile"].items()))'
  done
  stop
}

echo "$(date -u +%F), $(awk -F ': ' '/model name/ {print $2; exit}' /proc/cpuinfo), $(nproc) processors, Linux $(uname -r)," \
  "$(redis-server --version | awk '{print $3}') of redis-server, $pairs pairs, $(git -C "$top" rev-parse --short HEAD)"
for section in commands workers wakeups synced rank cold device; do
  [[ $section =~ ^(${ROWS:-.*})$ ]] && "$section"
done
