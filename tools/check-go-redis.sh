#!/usr/bin/env bash
# Runs the Ginkgo suite of go-redis against ferrolith-server.
#
#   tools/check-go-redis.sh CHECKOUT [SERVER]
#
# CHECKOUT is a checkout or a bare clone of go-redis that has the tag of GO_REDIS_VERSION (default v9.22.0); it is copied
# to a temporary directory. SERVER is the program to test, by default a debug build. Needs go, python3 and the suite's
# modules. Port 6379 must be free: the suite has it built in.
set -euo pipefail

checkout=${1:?"usage: tools/check-go-redis.sh CHECKOUT [SERVER]"}
# shellcheck source=tools/lib/server.sh
source "$(dirname "$0")/lib/server.sh"
server_program "${2:-}"
git -C "$checkout" archive "${GO_REDIS_VERSION:-v9.22.0}" | tar -x -C "$work"
(cd "$work" && go test -c -o suite .)

# A file for CONFIG REWRITE.
touch "$work/server.toml"
start_fresh 127.0.0.1:6379 --config "$work/server.toml" --durability os --enable-debug-command yes

# Left out: clusters, rings of several servers, sentinels, TLS, modules, vector sets, arrays, client-side caches. RE_CLUSTER
# keeps the suite from connecting to servers of these groups before its first test.
skip='ClusterClient|Sentinel|Ring |Redis Ring|Failover|UniversalClient|races|TLS|JSON|RediSearch|FT\.|Probabilistic'
skip+='|Timeseries|TS\.|VectorSet|Array Commands|HIMPORT|Client-side cache|HotKeys|Command Tips tests'
status=0
(cd "$work" && RE_CLUSTER=true REDIS_VERSION=7.2 ./suite -test.run TestGinkgoSuite -ginkgo.no-color -ginkgo.timeout 30m \
  -ginkgo.json-report "$work/report.json" -ginkgo.skip "$skip") >"$work/log" 2>&1 || status=1
python3 - "$work/report.json" <<'P'
import collections, json, sys
groups = collections.defaultdict(collections.Counter)
failed = []
for spec in json.load(open(sys.argv[1]))[0]["SpecReports"]:
    if spec["LeafNodeType"] != "It":
        continue
    texts = spec["ContainerHierarchyTexts"]
    group = " ".join(texts[:2]) if texts[0] == "Commands" else texts[0]
    # Skipped in the test itself, by the version of Redis that it needs, or by the names above.
    state = spec["State"]
    if state == "skipped":
        state = "skipped" if "Message" in spec.get("Failure", {}) and spec["Failure"]["Message"] else "left out"
    groups[group][state] += 1
    if state not in ("passed", "skipped", "left out", "pending"):
        failed.append(" ".join(texts + [spec["LeafNodeText"]]))
total = collections.Counter()
for group, states in sorted(groups.items()):
    total += states
    if set(states) != {"left out"}:
        print(f"{group}: {dict(states)}")
print(f"all: {dict(total)}")
for name in failed:
    print(f"failed: {name}")
P
exit $status
