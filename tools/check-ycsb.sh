#!/usr/bin/env bash
# Runs YCSB's workloads A to F from its own, unmodified property files, on Ferrolith and on a real RocksDB.
#
#   tools/check-ycsb.sh DIR
#
# DIR is a checkout or a bare clone of YCSB (github.com/brianfrankcooper/YCSB), or a directory with its release, which has
# the files in workloads/. They are copied to ~/.cache/ferrolith/ycsb-0.17.0, where later runs of the tests find them,
# and must have the checksums of release 0.17.0. RocksDB's library is that of FERROLITH_ROCKSDB_LIB or of
# tools/fetch-peers.sh; without it only Ferrolith runs. FERROLITH_YCSB_RECORDS (1000, as in the files) is the number of
# records and of operations. If DIR has YCSB's sources, each property that its core reads must be known here, or be
# refused with a reason.
set -euo pipefail

dir=${1:?"usage: tools/check-ycsb.sh DIR"}
top=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ferrolith/ycsb-0.17.0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ -f $dir/workloads/workloada ]]; then
  source=$dir
else
  source=$work
  git -C "$dir" archive HEAD workloads core/src/main rocksdb/src/main | tar -x -C "$work"
fi
(cd "$source/workloads" && sha256sum --quiet -c -) <<'SUMS' || { echo "check-ycsb.sh: $dir has other files than YCSB 0.17.0" >&2; exit 1; }
54b8ef52cd6056b4192377f80e557caf73ccf9eed22a471c217a3864ba26e80f  workloada
3211561099a1e7bf52fbe6e5899b056e6afdfecf1e83e10b71e0601eea84463a  workloadb
c5c6019eb1e8959a5ab3cb9058b34b0a8869e47cb74718630094b69ccf3f09e1  workloadc
c0b951b190f14ae5a669ddb0f18cd9931648ef86347e27a6a9cea30481700e9e  workloadd
0e75eea21df10bc1304f25c8daa6e16c2bfbfcb83f9b5a4d794260f470cf7dd1  workloade
d9c9dfcf5065b026a881c357eebb653cf40efa0098dd57d861062ab8856157df  workloadf
SUMS
mkdir -p "$cache"
cp "$source"/workloads/workload[a-f] "$cache"

[[ -z ${FERROLITH_ROCKSDB_LIB:-} ]] || export ROCKSDB_LIB=$FERROLITH_ROCKSDB_LIB
cargo test --manifest-path "$top/Cargo.toml" -p ferrolith-bench --test it -- ycsb_files --nocapture

# Names of properties in the sources: constants and arguments of getProperty, without defaults and spans of traces.
names() {
  local core=core/src/main/java/site/ycsb
  (cd "$source" && cat $core/{Client,ClientThread,DBWrapper,Workload}.java $core/workloads/CoreWorkload.java \
    $core/generator/ExponentialGenerator.java $core/measurements/*.java rocksdb/src/main/java/site/ycsb/db/rocksdb/*.java) |
    tr '\n' ' ' | grep -oE '(String [A-Z_0-9]+ *= *|getProperty\()"[a-z_.]+"' | grep -vE '_DEFAULT|HTRACE|_SPAN' |
    grep -oE '"[^"]+"' | tr -d '"' | grep -vx version | sort -u
}
if [[ ! -d $source/core/src/main ]]; then
  echo "YCSB's sources are not in $dir: its properties are not compared"
  exit
fi
bench=${CARGO_TARGET_DIR:-$top/target}/debug/ferrolith-bench
count=0
for name in $(names); do
  count=$((count + 1))
  # A directory that cannot be created ends the command if everything before it is right.
  output=$("$bench" ycsb load -p recordcount=1 -p "$name=1" --db "$work/none/none" 2>&1) && exit 1
  if [[ $output == *"unknown property"* ]]; then
    echo "check-ycsb.sh: $output" >&2
    exit 1
  fi
done
[[ $count -gt 50 ]] || { echo "check-ycsb.sh: only $count properties in YCSB's sources" >&2; exit 1; }
echo "$count properties of YCSB's sources are known or refused by name"
