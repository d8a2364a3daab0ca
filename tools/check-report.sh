#!/usr/bin/env bash
# Opens reports of `ferrolith-bench report` in a real browser and checks them: every tab, chart and choice, dark and
# light, at 360 px and on a desk, by keyboard, and without a script. Numbers are compared with the files of results. An
# error on the console and any network request is a failure. Screenshots stay in target/report.
#
#   tools/check-report.sh
#
# Installs what is missing: chromium, node and npm with apt-get, puppeteer-core with npm (in the cache). FERROLITH_BENCH
# names a built ferrolith-bench; otherwise cargo builds it.
set -euo pipefail
cd "$(dirname "$0")/.."

source tools/lib/browser.sh

bench=${FERROLITH_BENCH:-}
if [[ -z $bench ]]; then
  cargo build -q -p ferrolith-bench --bin ferrolith-bench
  bench=target/debug/ferrolith-bench
fi
out=target/report
mkdir -p "$out"
data=crates/bench/testdata/report
"$bench" report --out "$out/runs.html" "$data/runs" >"$out/log.txt"
# The hostile runs have broken lines, which the report names.
"$bench" report --out "$out/hostile.html" "$data/hostile" >>"$out/log.txt" 2>"$out/skipped.txt"
[[ -s $out/skipped.txt ]] || { echo "check-report: the broken lines of $data/hostile were not reported" >&2; exit 1; }
node crates/bench/tests/report/check.mjs "$cache" "$(command -v chromium)" "$out" \
  "runs=$out/runs.html" "hostile=$out/hostile.html"
