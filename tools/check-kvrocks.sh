#!/usr/bin/env bash
# Runs the Go test cases of Apache Kvrocks against ferrolith-server: one server per test, started by the suite itself.
#
#   tools/check-kvrocks.sh CHECKOUT [SERVER [PACKAGE...]]
#
# CHECKOUT is a checkout or a bare clone of Apache Kvrocks; its tests are copied to a temporary directory. SERVER is the
# program to test, by default a debug build. PACKAGE is a directory below tests/gocase/unit, by default all that concern
# Redis's commands. Prints results by package and the names of the cases that failed. Needs go and the suite's modules.
# FERROLITH_GO_TIMEOUT is the time that a package may take (20m). The package geo is slow in the suite itself: its random
# test appends to long strings. On a busy machine, give it an hour.
#
# If SERVER is a redis-server, its results are printed. A case that fails on Redis 7.0.15 tests what Kvrocks does
# otherwise; crates/server/tests/kvrocks-cases.txt lists these cases, which do not apply, and the gaps of ours.
#
# Exits with 1 if another case fails, or fewer than 90 % of the cases that apply pass. Listed cases that pass are named.
set -euo pipefail

checkout=${1:?"usage: tools/check-kvrocks.sh CHECKOUT [SERVER [PACKAGE...]]"}
# shellcheck source=tools/lib/server.sh
source "$(dirname "$0")/lib/server.sh"
server_program "${2:-}"
shift $(($# < 2 ? $# : 2))
packages=("$@")
# Left out, as features of Kvrocks alone: applybatch, disk, log, movex, namespace, perflog, rdb, search, server
# (POLLUPDATES), type/bloom, type/json, type/sint, and the packages of `integration` (cluster, replication, its own flags).
[[ ${#packages[@]} -gt 0 ]] || packages=(auth command config copy debug dump expire geo hello hyperloglog info
  introspection keyspace limits multi ping protocol pubsub quit rename reset restore scan scripting slowlog sort type
  type/bitmap type/hash type/incr type/list type/set type/stream type/strings type/zset)

git -C "$checkout" archive HEAD tests/gocase | tar -x -C "$work" --strip-components=2
mkdir "$work/servers"
# The suite's client asks for RESP3, which a Kvrocks without `resp3-enabled yes` refuses; here the client asks for RESP2.
sed -i 's/^\treturn redis.NewClient(optionsWithTimeouts(options))$/\tif s.configs["resp3-enabled"] != "yes" {\n\t\toptions.Protocol = 2\n\t}\n&/' \
  "$work/util/server.go"
grep -q 'options.Protocol = 2' "$work/util/server.go" || { echo "the suite's util/server.go is not as expected" >&2; exit 1; }

# The program that the suite starts as `kvrocks -c FILE`, or with flags of Kvrocks: translates the settings that both
# servers have and drops the others.
cat >"$work/kvrocks" <<EOF
#!/usr/bin/env bash
set -euo pipefail
settings=
while [[ \$# -gt 0 ]]; do
  case \$1 in
    -c) settings+=\$(cat "\$2")\$'\n' ;;
    *) settings+="\${1#--} \$2"\$'\n' ;;
  esac
  shift 2
done
get() { sed -n "s/^\$1  *//p" <<<"\$settings" | tail -1; }
bind=\$(get bind)
if [[ $server == *redis-server ]]; then
  flags=(--dir "\$(get dir)" --bind "\${bind/localhost/127.0.0.1}" --port "\$(get port)" --save "" --enable-debug-command yes)
  [[ -z \$(get requirepass) ]] || flags+=(--requirepass "\$(get requirepass)")
  [[ \$(get cluster-enabled) != yes ]] || flags+=(--cluster-enabled yes)
  [[ -z \$(get maxclients) ]] || flags+=(--maxclients "\$(get maxclients)")
  exec "$server" "\${flags[@]}"
fi
flags=(--dir "\$(get dir)/data" --durability os --enable-debug-command yes --memory-mb 64)
flags+=(--listen "\${bind/localhost/127.0.0.1}:\$(get port)")
[[ -z \$(get requirepass) ]] || flags+=(--requirepass "\$(get requirepass)")
[[ \$(get cluster-enabled) != yes ]] || flags+=(--cluster-enabled)
[[ -z \$(get maxclients) ]] || flags+=(--max-connections "\$(get maxclients)")
slower_than=\$(get slowlog-log-slower-than)
[[ -z \$slower_than ]] || flags+=(--parameter "slowlog-log-slower-than=\$slower_than")
exec "$server" "\${flags[@]}"
EOF
chmod +x "$work/kvrocks"

# Types, commands, options and flags of Kvrocks alone, and servers that follow another one.
others='JSON|Json|Bloom|Sint|Namespace|Replica|Slave|RenameCommand|DBSizeLimit|ConfigBackup|ChangeTlsCert|Disk'
others+='|/CA[SD]_|/(?i)hrangebylex|/after_compaction'
cases=$top/crates/server/tests/kvrocks-cases.txt
[[ $server != *redis-server ]] || cases=/dev/null
# Prints the cases of a package in the list. Arguments: package, "other" for those that do not apply or "gap".
listed() { sed -n "s|^$2 $1: \(.*\) -- .*|\1|p" "$cases" | sort; }
status=0 all_passed=0 all_failed=0 all_others=0
for package in "${packages[@]}"; do
  log="$work/log"
  (cd "$work" && go test "./unit/$package" -count=1 -v -timeout "${FERROLITH_GO_TIMEOUT:-20m}" -skip "$others" -args "-binPath=$work/kvrocks" \
    "-workspace=$work/servers") >"$log" 2>&1 || true
  # Cases are the tests without subtests. A case that runs several times, with other settings, passes if all runs pass.
  grep -aoE '^ *--- (PASS|FAIL|SKIP): [^ ]*' "$log" | sed -E 's/^ *--- ([A-Z]*): /\1 /' >"$work/all" || true
  awk '{ n = split($2, parts, "/"); name = parts[1]; for (i = 2; i <= n; i++) { inner[name] = 1; name = name "/" parts[i] }
         result[$2] = $1 }
       END { for (name in result) if (!(name in inner)) {
               short = name; sub(/#[0-9]+$/, "", short)
               if (cases[short] != "FAIL") cases[short] = result[name]
             }
             for (name in cases) print cases[name], name }' "$work/all" | sort >"$work/cases"
  passed=$(grep -c ^PASS "$work/cases" || true) failed=$(grep -c ^FAIL "$work/cases" || true)
  echo "$package: $passed passed, $failed failed, $(grep -c ^SKIP "$work/cases" || true) skipped"
  sed -n 's/^FAIL //p' "$work/cases" >"$work/failed"
  sed -n 's/^PASS //p' "$work/cases" >"$work/passed"
  { listed "$package" other; listed "$package" gap; } | sort >"$work/listed"
  differing=$(listed "$package" other | comm -12 - "$work/failed" | grep -c . || true)
  comm -23 "$work/failed" "$work/listed" | sed 's/^/  fails: /' | tee "$work/new"
  [[ ! -s $work/new ]] || status=1
  comm -12 "$work/passed" "$work/listed" | sed 's/^/  passes, and is in the list: /'
  grep -aE '^panic:|build failed|^FAIL.*setup failed' "$log" | sed 's/^/  /' || true
  [[ -z ${KEEP_LOGS-} ]] || cp "$log" "$KEEP_LOGS/${package//\//-}.log"
  all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed)) all_others=$((all_others + differing))
done
applying=$((all_passed + all_failed - all_others))
echo "all: $all_passed passed, $all_failed failed, of which $all_others do not apply"
awk -v passed="$all_passed" -v all="$applying" 'BEGIN { printf "%.1f %% of the cases that apply pass\n", all == 0 ? 0 : passed * 100 / all }'
[[ $((all_passed * 10)) -ge $((applying * 9)) ]] || status=1
exit $status
