#!/usr/bin/env bash
# Puts RocksDB 10.10.1's own tools/benchmark.sh and tools/benchmark_compare.sh on this machine, to run them over our
# db_bench, and prints the path of the first; the second is beside it. They come out of the crate rust-librocksdb-sys,
# which carries RocksDB's whole tree, through cargo. Needs cargo.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/ferrolith/rocksdb-10.10.1
if [[ ! -s $cache/benchmark.sh || ! -s $cache/benchmark_compare.sh ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/src"
  : >"$work/src/lib.rs"
  cat >"$work/Cargo.toml" <<'TOML'
[package]
name = "fetch"
version = "0.0.0"
edition = "2021"

[dependencies]
rust-librocksdb-sys = "=0.42.0"

[workspace]
TOML
  manifest=$(cd "$work" && cargo metadata --format-version 1 |
    grep -o '"manifest_path":"[^"]*/rust-librocksdb-sys-0\.42\.0[^"/]*/Cargo\.toml"' | head -1 | cut -d'"' -f4)
  mkdir -p "$cache"
  for script in benchmark.sh benchmark_compare.sh; do
    cp "${manifest%/Cargo.toml}/rocksdb/tools/$script" "$cache/$script.part-$$"
    mv "$cache/$script.part-$$" "$cache/$script"
  done
fi
echo "$cache/benchmark.sh"
