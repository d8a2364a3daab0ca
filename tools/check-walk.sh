#!/usr/bin/env bash
# Walks through the life of a server as its operator does, by the commands of docs/server alone: install, configure,
# load, watch, back up, kill, restore, import from a running Redis, replace a certificate, add a user who reads one
# prefix, fill the disk and heal it. Every step is checked.
#
#   tools/check-walk.sh [SIZE_MB]
#
# SIZE_MB (5000) is the size of the data; Redis gets a fifth, at most 1000. Needs redis-server and redis-cli from 7.0
# on, openssl, curl, and three times the size as free space in TMPDIR (/var/tmp). The full disk is a small tmpfs, which
# needs root; others skip that step with a message. Progress and times are printed. Environment: see
# tools/lib/operator.sh; KEEP_WORK=1 keeps the files of a failed walk.
set -euo pipefail

size=${1:-5000}
[[ $size =~ ^[1-9][0-9]*$ ]] || { echo "check-walk.sh: SIZE_MB is not a number: $size" >&2; exit 2; }
# shellcheck source=tools/lib/operator.sh
source "$(dirname "$0")/lib/operator.sh"
cd "$work"
for program in redis-server redis-cli openssl curl; do
  command -v $program >/dev/null || fail "$program is missing"
done
need_space $((size * 3 + 2000))
redis_size=$((size / 5 < 1000 ? size / 5 : 1000))
((redis_size > 0)) || redis_size=1
redis_pid=
mounted=
at_exit() {
  touch "$work/end"
  [[ -z $redis_pid ]] || kill -9 "$redis_pid" 2>/dev/null
  [[ -z $mounted ]] || umount -l "$work/small"
}

# The programs with the administrator's password and certificate.
ours() { ferrolith "$@" --server "127.0.0.1:${ports[main]}" --user admin --password-file password; }
secure=(--no-auth-warning --tls --cacert ca.pem --cert client.pem --key client.key)
main() { redis-cli -p "${ports[main]}" "${secure[@]}" --user admin --pass "$(cat password)" "$@"; }
http() { curl -sS -o answer -w '%{http_code}' "http://127.0.0.1:${http_ports[$1]}/$2"; }
# Whether a command ends with this exit code, and its errors and output contain this text.
gives() {
  local code=$1 text=$2 status=0
  shift 2
  "$@" >said 2>&1 || status=$?
  [[ $status == "$code" && $(<said) == *"$text"* ]] ||
    fail "$*: expected $code and '$text', got $status: $(head -c 500 said)"
}

# A certificate that ca.pem signs. Arguments: name, usage.
certificate() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$1"
  printf 'extendedKeyUsage=%s\nsubjectAltName=DNS:localhost,IP:127.0.0.1\n' "$2" >extensions
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile extensions -out "$1.pem"
}

walk_install() {
  install_programs
  ferrolith --version >/dev/null
  mkdir man
  ferrolith man --to man
  [[ -s man/ferrolith-backup-create.1 ]] || fail "no manual pages"
  ferrolith completions bash | bash -n
}

walk_configure() {
  {
    openssl req -x509 -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -subj /CN=authority \
      -days 30 -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign -out ca.pem
    certificate server serverAuth
    certificate next serverAuth
    certificate client clientAuth
  } 2>openssl.err || fail "openssl: $(tail -3 openssl.err)"
  openssl rand -hex 16 >password
  mkdir data
  printf 'user default off\nuser admin on >%s ~* &* +@all\n' "$(cat password)" >data/users.acl
  cat >server.toml <<TOML
dir = "$work/data"
backup-dir = ["$work/backups"]
memory-mb = 256
listen = []
tls-listen = ["127.0.0.1:0"]
tls-cert = "$work/server.pem"
tls-key = "$work/server.key"
tls-ca = "$work/ca.pem"
http-listen = ["127.0.0.1:0"]
aclfile = "users.acl"
TOML
  gives 0 "a server can start with it" ferrolith config check server.toml
  sed 's/memory-mb/memory-bm/' server.toml >wrong.toml
  gives 1 "memory-mb" ferrolith config check wrong.toml
  start main --config server.toml
  export FERROLITH_TLS=yes FERROLITH_TLS_CA=$work/ca.pem
  export FERROLITH_TLS_CERT=$work/client.pem FERROLITH_TLS_KEY=$work/client.key
  gives 0 0 ours count
  gives 1 NOAUTH ferrolith count --server "127.0.0.1:${ports[main]}"
  gives 1 "asks for a certificate" env -u FERROLITH_TLS_CERT -u FERROLITH_TLS_KEY \
    ferrolith count --server "127.0.0.1:${ports[main]}"
}

walk_load() {
  # It looks at the server now and a second later.
  ours top --once --json >top &
  local viewer=$!
  sleep 0.3
  load "$size" orders: -p "${ports[main]}" "${secure[@]}" --user admin --pass "$(cat password)" &
  local loader=$!
  wait $viewer || fail "ferrolith top"
  walk_watch
  wait $loader || fail "loading"
  main set users:1 alice >/dev/null
  [[ $(ours count --exact) == $(($(keys_of "$size") + 1)) ]] || fail "$(ours count --exact) keys after loading"
  say "  loaded $(keys_of "$size") keys: $(du -sm data | cut -f1) MB on the disk"
}

# While the server is loaded.
walk_watch() {
  local rate
  rate=$(sed -n 's/.*"commands_per_s":\([0-9]*\).*/\1/p' top)
  ((rate > 100)) || fail "top shows $rate commands per second"
  say "  watched: $rate commands/s"
  [[ $(http main health) == 200 ]] || fail "/health: $(cat answer)"
  [[ $(http main metrics) == 200 ]] || fail "/metrics: $(cat answer)"
  grep -q '^ferrolith_commands_total{command="set"} [1-9]' answer || fail "/metrics does not count SET"
  gives 0 "the server uses" ours doctor
}

walk_backup() {
  gives 0 "backup 1 in" ours backup create daily --note walk
  say "  $(tail -1 said)"
  gives 0 "backup 1 is whole" ferrolith backup verify backups/daily
  gives 0 "walk" ferrolith backup list backups/daily
  seq 100 | sed 's/.*/SET after:& written/' | main --pipe >piped
  grep -q 'errors: 0, replies: 100' piped || fail "writing after the backup: $(cat piped)"
}

walk_kill() {
  stop main KILL
  start main --config server.toml
  say "  started again after kill -9"
  [[ $(ours count --match 'after:*') == 100 ]] || fail "acknowledged keys are lost"
}

walk_restore() {
  ferrolith backup restore backups/daily --to restored >/dev/null
  # Not in a backup: the configuration, the users, the certificates.
  cp data/users.acl restored/
  sed "s|/data\"|/restored\"|; s|/backups\"|/backups-restored\"|" server.toml >restored.toml
  start restored --config restored.toml
  say "  restored; comparing"
  gives 3 "$(($(keys_of "$size") + 101)) keys compared, 100 differences" \
    ours diff --to "127.0.0.1:${ports[restored]}" --to-tls --to-user admin --to-password-file password
  [[ $(grep -c '^only at the first server: after:' said) == 100 ]] || fail "differences: $(head -3 said)"
  stop restored
  rm -r restored backups backups-restored
}

theirs() { REDISCLI_AUTH=secret redis-cli -p "$redis_port" "$@"; }
moved() { redis-cli -p "${ports[moved]}" "$@"; }
is_caught_up() {
  local here there
  here=$(field replication slave_repl_offset -p "${ports[moved]}")
  there=$(REDISCLI_AUTH=secret field replication master_repl_offset -p "$redis_port")
  [[ -n $here && $here == "$there" ]]
}
copy_is_complete() {
  kill -0 "${pids[moved]}" || fail "the replica ended"
  [[ $(field replication master_link_status -p "${ports[moved]}") == up ]]
}
start_redis() {
  local try
  for try in 1 2 3 4 5 6 7 8; do
    redis_port=$((20000 + RANDOM % 6000))
    redis_tls_port=$((redis_port + 6000))
    redis-server --port "$redis_port" --bind 127.0.0.1 --dir "$work" --save "" --requirepass secret \
      --tls-port "$redis_tls_port" --tls-cert-file "$work/server.pem" --tls-key-file "$work/server.key" \
      --tls-ca-cert-file "$work/ca.pem" \
      --logfile redis.log --repl-diskless-sync-delay 0 --client-output-buffer-limit "replica 1gb 1gb 0" >/dev/null &
    redis_pid=$!
    for _ in $(seq 100); do
      [[ $(theirs PING 2>/dev/null) != PONG ]] || return 0
      kill -0 $redis_pid 2>/dev/null || break
      sleep 0.1
    done
  done
  fail "redis-server does not start: $(tail -3 redis.log)"
}
write_to_redis() {
  local round=1
  until [[ -e end ]]; do
    data $((RANDOM * 7 % ($(keys_of "$redis_size") + 1))) 200 $round app: | theirs --pipe >/dev/null 2>&1 || true
    round=$((round + 1))
    echo $round >rounds
  done
}

walk_import() {
  start_redis
  load "$redis_size" app: -p "$redis_port" -a secret --no-auth-warning
  write_to_redis &
  local writer=$!
  cat >moved.toml <<TOML
dir = "$work/moved"
memory-mb = 256
listen = ["127.0.0.1:0"]
replica-of = "127.0.0.1:$redis_tls_port"
replica-tls = true
replica-tls-ca = "$work/ca.pem"
replica-tls-cert = "$work/client.pem"
replica-tls-key = "$work/client.key"
[parameter]
masterauth = "secret"
TOML
  gives 0 "a server can start with it" ferrolith config check moved.toml
  start moved --config moved.toml
  await 3600 "the copy of Redis is not complete" copy_is_complete
  say "  copied while Redis was written; $(cat rounds) rounds of writes so far"
  sleep 2
  gives 1 READONLY env FERROLITH_TLS=no ferrolith set a 1 --server "127.0.0.1:${ports[moved]}"
  # The cut-over of docs/server/migration.md.
  theirs CLIENT PAUSE 100000000 WRITE >/dev/null
  touch end
  kill $writer 2>/dev/null && wait $writer 2>/dev/null || true
  await 300 "the replica does not catch up" is_caught_up
  [[ $(field replication stream_errors -p "${ports[moved]}") == 0 ]] || fail "the stream has errors"
  [[ $(moved REPLICAOF NO ONE) == OK ]] || fail "REPLICAOF NO ONE"
  gives 0 "" env FERROLITH_TLS=no ferrolith set cut-over done --server "127.0.0.1:${ports[moved]}"
  gives 0 "deleted 1 keys" env FERROLITH_TLS=no ferrolith del cut-over --server "127.0.0.1:${ports[moved]}"
  echo secret >redis-password
  gives 0 ", 0 differences" env FERROLITH_TLS=no ferrolith diff --server "127.0.0.1:${ports[moved]}" \
    --to "127.0.0.1:$redis_port" --to-password-file redis-password
  say "  cut over: $(tail -1 said)"
  kill -9 $redis_pid
  stop moved
  rm -r moved
}

serial() {
  local to="127.0.0.1:${ports[main]}"
  openssl s_client -connect "$to" -CAfile ca.pem -cert client.pem -key client.key </dev/null 2>/dev/null |
    openssl x509 -noout -serial
}
is_new_serial() { [[ $(serial) == "$(openssl x509 -in next.pem -noout -serial)" ]]; }
walk_rotate() {
  local id again to from client
  coproc open { main; }
  to=${open[1]} from=${open[0]} client=$open_PID
  echo CLIENT ID >&"$to"
  read -r -t 20 id <&"$from" || fail "no reply on the open connection"
  is_new_serial && fail "the certificate is new before it was replaced"
  cp server.key old.key
  cp client.key server.key
  kill -HUP "${pids[main]}"
  await 20 "the server does not name the wrong key" grep -q "the key is not that of the certificate" main.err
  gives 0 "alice" ours get users:1
  cp next.pem server.pem
  cp next.key server.key
  kill -HUP "${pids[main]}"
  await 20 "new connections get the old certificate" is_new_serial
  echo CLIENT ID >&"$to"
  read -r -t 20 again <&"$from" || fail "the open connection ended when the certificate was replaced"
  [[ $id == "$again" ]] || fail "the client connected again: $id and $again"
  gives 0 "alice" ours get users:1
  exec {to}>&-
  wait "$client" || true
}

walk_user() {
  [[ $(main ACL SETUSER reader on '>read-only' '%R~users:*' +@read +@connection) == OK ]] || fail "ACL SETUSER"
  [[ $(main ACL SAVE) == OK ]] || fail "ACL SAVE"
  echo read-only >reader-password
  local reader=(--user reader --password-file reader-password)
  check_reader() {
    local to=(--server "127.0.0.1:${ports[main]}")
    gives 0 alice ferrolith get users:1 "${to[@]}" "${reader[@]}"
    gives 1 NOPERM ferrolith get orders:text:1 "${to[@]}" "${reader[@]}"
    gives 1 NOPERM ferrolith set users:1 bob "${to[@]}" "${reader[@]}"
    gives 1 NOPERM ferrolith backup create mine "${to[@]}" "${reader[@]}"
  }
  check_reader
  main ACL LOG | grep -q reader || fail "ACL LOG has no refusal"
  grep -q 'read-only' data/users.acl && fail "the password is in the file"
  stop main
  start main --config server.toml
  check_reader
  gives 0 alice ours get users:1
}

small() { env FERROLITH_TLS=no ferrolith "$@" --server "127.0.0.1:${ports[small]}"; }
can_write() { small set healed yes >/dev/null 2>&1; }
is_healthy() { [[ $(http small health) == 200 ]]; }
walk_full_disk() {
  local first=0 written=0 replies errors
  [[ $(id -u) == 0 ]] || { say "  skipped: only root can mount a small disk"; return; }
  mkdir small
  mount -t tmpfs -o size=256m small "$work/small"
  mounted=1
  head -c 64M /dev/zero >small/ballast
  start small --dir small/data --listen 127.0.0.1:0 --http-listen 127.0.0.1:0 --memory-mb 32
  while :; do
    seq $first $((first + 999)) | awk -v pool_file=pool 'BEGIN { getline pool < pool_file }
      { print "SET full:" $1 " " substr(pool, 1 + $1 * 7919 % 120000, 4000) $1 }' |
      redis-cli -p "${ports[small]}" --pipe >piped 2>&1 || true
    read -r errors replies < <(sed -n 's/^errors: \([0-9]*\), replies: \([0-9]*\)$/\1 \2/p' piped) ||
      fail "$(tail -3 piped)"
    written=$((written + replies - errors)) first=$((first + 1000))
    # A compaction may free space at once.
    if ((errors > 0)) && ! small set more x 2>refusal; then break; fi
    ((first < 500000)) || fail "the disk does not become full"
  done
  grep -q "MISCONF The device has no space left" refusal || fail "$(cat refusal)"
  gives 0 "" small get full:0
  gives 3 "of the device are free" bash -c 'ferrolith doctor small/data | grep -A1 problem; exit ${PIPESTATUS[0]}'
  [[ $(http small metrics) == 200 ]] && grep -q '^ferrolith_errors_total{code="MISCONF"} [1-9]' answer ||
    fail "/metrics does not count the refused writes"
  [[ $(http small health) == 503 ]] || fail "/health while writes are refused: $(cat answer)"
  say "  full after $written keys of 4 KB; /health: $(cat answer)"
  [[ $(small count --match 'full:*') == "$written" ]] || fail "$(small count --match 'full:*') of $written keys"
  rm small/ballast
  await 30 "writes are refused although space was freed" can_write
  await 30 "/health stays bad" is_healthy
  stop small KILL
  start small --dir small/data --listen 127.0.0.1:0 --http-listen 127.0.0.1:0 --memory-mb 32
  [[ $(small count --match 'full:*') == "$written" ]] || fail "$(small count) of $written keys after a kill"
  stop small
  umount small
  mounted=
}

walk_end() {
  stop main
  gives 0 "rows from" ferrolith doctor data
  gives 0 "finalized: it is the newest of this version" ferrolith doctor data
  grep -v 'the key is not that of the certificate' main.err | grep -v 'TLS handshake' >problems || true
  [[ ! -s problems ]] || say "  the server's standard error: $(head -5 problems)"
}

for step in install configure load backup kill restore import rotate user full_disk end; do
  say "${step//_/ }"
  "walk_$step"
done
say "ok: the walk with $size MB"
