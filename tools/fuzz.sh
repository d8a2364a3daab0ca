#!/usr/bin/env bash
# Fuzzes decoders, coverage-guided, with so many minutes of CPU time for each target.
#
#   tools/fuzz.sh MINUTES [TARGET...]     targets of the server: resp thrift rdsn pegasus dump bridge source
#                                         targets of the engine: zstd lz4 encoders tables
#                                         without one: all
#
# FUZZ_JOBS processes run at a time (default 2), at the priority FUZZ_NICE (default 19, the lowest). Inputs that reach
# new code are kept in target/fuzz/corpus, and a later run begins with them; findings are in target/fuzz/findings. Needs
# a C++ compiler. Exit code 1: at least one target failed, and the input's file is named. A finding belongs into
# fuzz/found.
set -euo pipefail
cd "$(dirname "$0")/.."

server=(resp thrift rdsn pegasus dump bridge source)
engine=(zstd lz4 encoders tables)
usage() {
  sed -n '2,11s/^# \{0,1\}//p' "$0"
  exit 2
}

[[ ${1-} =~ ^[1-9][0-9]*$ ]] || usage
export FUZZ_SECONDS=$(($1 * 60))
shift
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || targets=("${server[@]}" "${engine[@]}")
# Which part of the system a target belongs to, and so which program runs it.
declare -A profile_of=()
for target in "${server[@]}"; do profile_of[$target]=release; done
for target in "${engine[@]}"; do profile_of[$target]=engine; done
for target in "${targets[@]}"; do
  [[ -n ${profile_of[$target]-} ]] || { echo "fuzz: unknown target $target" >&2 && usage; }
done

export FUZZ_DIR=$PWD/target/fuzz
mkdir -p "$FUZZ_DIR/tmp"

# build PART PROFILE: the program for the targets of a part, if one of them was asked for.
build() {
  local target
  for target in "${targets[@]}"; do
    [[ ${profile_of[$target]} == "$2" ]] || continue
    FUZZ_PART=$1 RUSTC_WRAPPER=$PWD/fuzz/coverage-rustc nice -n 19 \
      cargo build --profile "$2" --no-default-features --features "$1" --locked \
      --manifest-path fuzz/Cargo.toml --target-dir "$FUZZ_DIR/build"
    return
  done
}
build server release
build engine engine

# Runs one target until its CPU time is used up, which ends the process by a signal.
fuzz() {
  local target=$1 profile=$2 code=0
  local corpus=$FUZZ_DIR/corpus/$target findings=$FUZZ_DIR/findings/$target log=$FUZZ_DIR/$target.log
  mkdir -p "$corpus" "$findings"
  (
    ulimit -S -t "$FUZZ_SECONDS"
    export FERROLITH_FUZZ_TARGET=$target FERROLITH_FUZZ_SEEDS=$corpus TMPDIR=$FUZZ_DIR/tmp
    # The program measures CPU time itself; the wall-clock limit is for inputs that never end.
    exec nice -n "${FUZZ_NICE:-19}" "$FUZZ_DIR/build/$profile/ferrolith-fuzz" -max_len=4096 -timeout=600 -rss_limit_mb=2048 \
      -reload=0 -artifact_prefix="$findings/" "$corpus" >"$log" 2>&1
  ) || code=$?
  local runs
  runs=$(grep -aoE '^#[0-9]+' "$log" | tail -1 || true)
  if [[ $code == 152 ]]; then
    echo "$target: ${FUZZ_SECONDS} s of CPU time, at least ${runs#\#} inputs, $(find "$corpus" -type f | wc -l) kept, no finding"
  else
    echo "$target: a finding after ${runs#\#} inputs (exit code $code); $log ends:"
    tail -n 25 "$log" | cut -c 1-600
    return 1
  fi
}
export -f fuzz

failed=0
for target in "${targets[@]}"; do printf '%s\0%s\0' "$target" "${profile_of[$target]}"; done |
  xargs -0 -n 2 -P "${FUZZ_JOBS:-2}" bash -c 'fuzz "$1" "$2"' _ || failed=1
rm -rf "$FUZZ_DIR/tmp"
exit "$failed"
