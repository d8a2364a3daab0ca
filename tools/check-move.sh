#!/usr/bin/env bash
# Moves a Redis to ferrolith-server while it serves writes, and back through a file, and compares all keys both times.
#
#   tools/check-move.sh [KEYS] [SERVER]
#
# KEYS is the number of keys, 100000 by default: strings, lists, sets, hashes, sorted sets and streams with groups, in
# three databases, a part of them with an expiry. SERVER is the program, target/release/ferrolith-server by default. It
# needs redis-server and redis-cli from 7.0 on, and under TMPDIR about 2 KB for each key. Progress and times are printed.
set -euo pipefail

keys=${1:-100000}
server=${2:-$(dirname "$0")/../target/release/ferrolith-server}
[[ $keys =~ ^[1-9][0-9]*$ ]] || { echo "check-move.sh: KEYS is not a number: $keys" >&2; exit 2; }
[ -x "$server" ] || { echo "check-move.sh: there is no program $server" >&2; exit 2; }
server=$(realpath "$server")

work=$(mktemp -d)
pids=()
finish() {
    [ -z "$writer" ] || kill "$writer" 2>/dev/null || true
    for pid in "${pids[@]}"; do { kill -9 "$pid" && wait "$pid"; } 2>/dev/null || true; done
    rm -rf "$work"
}
writer=
trap finish EXIT
cd "$work"

begin=$(date +%s%N)
say() {
    local ms=$((($(date +%s%N) - begin) / 1000000))
    printf '%5d.%d s  %s\n' $((ms / 1000)) $((ms % 1000 / 100)) "$*"
}
fail() { say "FAILED: $*"; exit 1; }

# The commands of so many keys from a first number on.
commands() {
    awk -v first="$1" -v count="$2" 'BEGIN {
        for (i = first; i < first + count; i++) {
            database = i % 10 == 3 ? 1 : i % 10 == 7 ? 9 : 0
            if (database != selected) print "SELECT " database
            selected = database
            v = "value-" i "-" i * 7919 % 1000003
            kind = i % 8
            if (kind <= 2) { key = "text:" i; print "SET " key " " v v v }
            if (kind == 3) { key = "list:" i; print "RPUSH " key " a b " v " " i " c " i * 3 }
            if (kind == 4) { key = "set:" i; print "SADD " key " " i " " i + 1 " " v " x y z" }
            if (kind == 5) { key = "hash:" i; print "HSET " key " f1 " v " f2 " i " f3 " i / 7 }
            if (kind == 6) { key = "sorted:" i; print "ZADD " key " " i / 3 " m1 2 " v " -1.5 m3 inf m4" }
            if (kind == 7) {
                key = "stream:" i
                for (n = 1; n <= 3; n++) print "XADD " key " " i "-" n " field " v " n " n
                if (i % 16 == 7) print "XGROUP CREATE " key " readers 0"
                if (i % 32 == 7) print "XREADGROUP GROUP readers me COUNT 2 STREAMS " key " >"
            }
            if (i % 7 == 0) printf "PEXPIREAT %s %.0f\n", key, 4102444800000 + i
        }
        # Large values.
        if (first == 0) for (i = 0; i < count / 20; i++) {
            print "RPUSH large:list " i; print "ZADD large:sorted " i % 977 " " i; print "HSET large:hash " i " " i * 2
        }
    }'
}

# Commands that change keys all the time.
changes() {
    awk -v keys="$keys" -v seed="$1" 'BEGIN {
        srand(seed)
        for (n = 0; n < 200; n++) {
            i = int(rand() * keys); k = 8 * int(i / 8)
            print "INCR counter:" i % 5000
            print "APPEND text:" k " +" n
            print "RPUSH list:" k + 3 " " n; print "LPOP list:" k + 3
            print "SADD set:" k + 4 " new" n; print "SPOP set:" k + 4
            print "HINCRBY hash:" k + 5 " f2 1"
            print "ZINCRBY sorted:" k + 6 " 1.5 m1"
            print "XADD stream:log MAXLEN ~ 1000 * n " n
            print "DEL text:" k + 1; print "SET text:" k + 2 " again EX 100000"
            print "SET short:" i " x PX " 1 + int(rand() * 500)
        }
        print "MULTI"; print "INCR both"; print "SELECT 9"; print "INCR both"; print "EXEC"; print "SELECT 0"
        print "SWAPDB 11 12"; print "SELECT 11"; print "INCR swapped"; print "SELECT 0"
    }'
}
write_on() {
    local round=0
    # Redis refuses none of them; the last line of each round counts it.
    while :; do
        round=$((round + 1))
        changes $round | redis-cli -p "$1" > /dev/null || return
        echo $round > rounds
        sleep 0.05
    done
}

# Prints a line for each key: database, key, type, expiry, and a digest of the value.
cat > digest.lua <<'LUA'
local function flat(value)
    if type(value) ~= 'table' then return #tostring(value) .. ':' .. tostring(value) end
    local parts = {}
    for i, part in ipairs(value) do parts[i] = flat(part) end
    return '[' .. table.concat(parts, ',') .. ']'
end
local function pairs_of(list)
    local parts = {}
    for i = 1, #list, 2 do parts[#parts + 1] = flat(list[i]) .. flat(list[i + 1]) end
    table.sort(parts)
    return table.concat(parts, ',')
end
local read = {
    string = function(key) return redis.call('GET', key) end,
    list = function(key) return flat(redis.call('LRANGE', key, 0, -1)) end,
    set = function(key) local all = redis.call('SMEMBERS', key) table.sort(all) return flat(all) end,
    hash = function(key) return pairs_of(redis.call('HGETALL', key)) end,
    zset = function(key)
        local all = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
        -- Versions of Redis show scores with different numbers of digits.
        for i = 2, #all, 2 do all[i] = string.format('%.17g', tonumber(all[i])) end
        return flat(all)
    end,
    stream = function(key)
        local parts = { flat(redis.call('XRANGE', key, '-', '+')) }
        for _, group in ipairs(redis.call('XINFO', 'GROUPS', key)) do
            -- name, consumers, pending, last-delivered-id
            for at = 1, 8 do parts[#parts + 1] = flat(group[at]) end
            local pending = redis.call('XPENDING', key, group[2], '-', '+', 1000)
            for _, entry in ipairs(pending) do parts[#parts + 1] = flat({ entry[1], entry[2], entry[4] }) end
        end
        return table.concat(parts, ';')
    end,
}
local lines = {}
for i, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    local value = read[kind] and read[kind](key) or ''
    lines[i] = key .. ' ' .. kind .. ' ' .. redis.call('PEXPIRETIME', key) .. ' ' .. redis.sha1hex(value)
end
return lines
LUA
digest() {
    local port=$1 out=$2 sha database
    sha=$(redis-cli -p "$port" -x SCRIPT LOAD < digest.lua)
    : > "$out.unsorted"
    for database in 0 1 9 11 12; do
        redis-cli -p "$port" -n "$database" --scan > names
        awk -v sha="$sha" '{ names = names " " $0 } NR % 100 == 0 { print "EVALSHA " sha " 100" names; names = "" }
            END { if (NR % 100) print "EVALSHA " sha " " NR % 100 names }' names |
            redis-cli -p "$port" -n "$database" | sed "/^$/d; s/^/$database /" >> "$out.unsorted"
    done
    LC_ALL=C sort "$out.unsorted" > "$out"
    rm "$out.unsorted"
    if grep -m1 -E '^[0-9]+ \(?(ERR|error)' "$out"; then fail "the digest of port $port"; fi
}
compare() {
    cmp -s "$1" "$2" && { say "equal: $(wc -l < "$1") keys"; return; }
    diff "$1" "$2" | head -20 || true
    fail "$1 and $2 differ in $(diff "$1" "$2" | grep -c '^[<>]' || true) lines"
}

start_redis() {
    local name=$1 try
    mkdir -p "$name"
    for try in 1 2 3 4 5 6 7 8 9 10; do
        port=$((20000 + RANDOM % 20000))
        redis-server --port $port --bind 127.0.0.1 --dir "$work/$name" --save "" --logfile log \
            --repl-diskless-sync-delay 0 --client-output-buffer-limit "replica 1gb 1gb 0" > /dev/null &
        pids+=($!)
        for _ in $(seq 600); do
            [ "$(redis-cli -p $port PING 2>/dev/null)" != PONG ] || return 0
            kill -0 "${pids[-1]}" 2>/dev/null || break
            sleep 0.1
        done
    done
    fail "redis-server does not start: see $(tail -3 "$name/log")"
}
field() { redis-cli -p "$1" INFO replication | tr -d '\r' | sed -n "s/^$2://p"; }

say "starting Redis and filling it with $keys keys"
start_redis theirs
theirs=$port
step=100000
for ((first = 0; first < keys; first += step)); do
    count=$((keys - first < step ? keys - first : step))
    commands $first $count | redis-cli -p "$theirs" --pipe > piped || true
    grep -q 'errors: 0' piped || fail "filling Redis: $(tail -2 piped)"
    say "  $((first + count)) keys"
done
redis-cli -p "$theirs" FUNCTION LOAD "#!lua name=l
redis.register_function{function_name='f', callback=function() return 7 end, flags={'no-writes'}}" > /dev/null

write_on "$theirs" &
writer=$!
sleep 1
say "moving to ferrolith-server while Redis is written"
"$server" --dir "$work/data" --listen 127.0.0.1:0 --pegasus-listen 127.0.0.1:0 --memory-mb 512 \
    --replica-of "127.0.0.1:$theirs" > ours.out 2> ours.err &
pids+=($!)
ours_pid=$!
ours=
for _ in $(seq 600); do
    ours=$(sed -n 's/^Redis clients: .*:\([0-9]*\)$/\1/p' ours.out)
    [ -z "$ours" ] || break
    kill -0 $ours_pid 2>/dev/null || fail "the server ended: $(cat ours.err)"
    sleep 0.1
done
[ -n "$ours" ] || fail "the server does not listen: $(cat ours.err)"
copied=$(date +%s)
until [ "$(field "$ours" master_link_status)" = up ]; do
    kill -0 $ours_pid 2>/dev/null || fail "the server ended: $(cat ours.err)"
    say "  copied: $(field "$ours" master_sync_perc) %, $(field "$ours" master_sync_loaded_keys) keys loaded"
    sleep 2
done
say "the copy is complete after $(($(date +%s) - copied)) s; following for 5 s"
sleep 5
kill $writer && wait $writer 2>/dev/null || true
writer=
# Keys that end soon must not end while both are compared.
sleep 1
until [ "$(field "$ours" slave_repl_offset)" -ge "$(field "$theirs" master_repl_offset)" ]; do sleep 0.1; done
say "caught up; $(cat rounds) rounds of changes were made meanwhile; errors: $(field "$ours" stream_errors)"
[ "$(field "$ours" stream_errors)" = 0 ] || fail "commands of the stream failed: $(field "$ours" replication_last_error)"
[ "$(redis-cli -p "$ours" REPLICAOF NO ONE)" = OK ] || fail "REPLICAOF NO ONE"
say "cut over; comparing"
digest "$theirs" moved.theirs
say "  read Redis"
digest "$ours" moved.ours
say "  read ferrolith-server"
compare moved.theirs moved.ours
[ "$(redis-cli -p "$ours" FCALL f 0)" = 7 ] || fail "the function did not move"

say "writing to ferrolith-server"
for round in 1 2 3 4 5; do changes "9$round" | redis-cli -p "$ours" > /dev/null; done
sleep 1
say "reading it again"
digest "$ours" back.ours
kill -TERM $ours_pid
wait $ours_pid || fail "the server ended with an error: $(tail -3 ours.err)"
say "exporting"
mkdir back
"$server" export --dir "$work/data" --rdb "$work/back/dump.rdb" 2>&1 | tail -1
say "loading $(stat -c %s back/dump.rdb) bytes into Redis"
start_redis back
say "comparing"
digest "$port" back.theirs
compare back.ours back.theirs
[ "$(redis-cli -p "$port" FCALL f 0)" = 7 ] || fail "the function did not move back"
say "ok: $keys keys moved there and back"
