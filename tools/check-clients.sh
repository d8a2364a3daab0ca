#!/usr/bin/env bash
# Runs the dialogues and programs in README.md and docs/server/redis.md ("First steps") against ferrolith-server, and
# compares what they print with these pages.
#
#   tools/check-clients.sh [SERVER]
#
# SERVER is the program to test, by default a debug build. Needs redis-cli, python3 with venv, and go; downloads redis-py
# and go-redis. Programs are changed in one way: port 6379 is replaced by a free one.
set -euo pipefail

# shellcheck source=tools/lib/server.sh
source "$(dirname "$0")/lib/server.sh"
server_program "${1:-}"

start_fresh 127.0.0.1:0 --durability os

failed=0
# Compares the file that was printed with the expected one. Arguments: name, expected, printed.
compare() {
  if [[ -s $2 ]] && diff "$2" "$3"; then echo "$1: as documented"; else echo "$1: differs"; failed=1; fi
}
# Prints the first code block of a language in a page, and the code block `text` behind it. Arguments: page, language.
block() { awk -v start="\`\`\`$2" '$0 == start { on = 1; next } on && /^```/ { exit } on' "$1"; }
output() {
  awk -v start="\`\`\`$2" '$0 == start { seen = 1 } seen && /^```text/ { on = 1; next } on && /^```/ { exit } on' "$1"
}
# Gives the commands of a page's dialogue to redis-cli.
dialogue() {
  block "$1" console >"$work/expected"
  sed -n 's/^127.0.0.1:6379> //p' "$work/expected" | while IFS= read -r line; do
    echo "127.0.0.1:6379> $line"
    redis-cli --no-raw -p "$port" <<<"$line" | sed '${/^$/d}'
  done >"$work/printed"
  compare "$(basename "$1"), redis-cli" "$work/expected" "$work/printed"
}

page=$top/docs/server/redis.md
dialogue "$top/README.md"
redis-cli -p "$port" FLUSHALL >/dev/null
dialogue "$page"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install redis
block "$page" python | sed "s/6379/$port/" >"$work/first.py"
output "$page" python >"$work/expected"
"$work/venv/bin/python" "$work/first.py" >"$work/printed" || true
compare "redis.md, redis-py" "$work/expected" "$work/printed"

mkdir "$work/first"
block "$page" go | sed "s/6379/$port/" >"$work/first/main.go"
output "$page" go >"$work/expected"
(cd "$work/first" && go mod init first && go get github.com/redis/go-redis/v9) >"$work/go.log" 2>&1 || cat "$work/go.log"
(cd "$work/first" && go run .) >"$work/printed" || true
compare "redis.md, go-redis" "$work/expected" "$work/printed"
exit $failed
