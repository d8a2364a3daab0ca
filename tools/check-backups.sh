#!/usr/bin/env bash
# Creates ten backups of data that changes all the time. Each is interrupted once, by SIGKILL or SIGTERM of the server
# or by BACKUP-STOP, and resumed; then it is restored to a new server and compared. Some restores are killed first, too.
#
#   tools/check-backups.sh [SIZE_MB [ROUNDS]]
#
# SIZE_MB (2000) is the size of the data, ROUNDS (10) the number of backups. The keys `data:*` are written until the
# moment of the backup, and again after the comparison: all of them must be equal in the running and in the restored
# server. Transactions that change three keys `noise:*` go on during the backup: it must have all that were acknowledged
# before, and each whole. Needs redis-cli from 7.0 on, and as free space in TMPDIR (/var/tmp) six times the size.
# Progress and times are printed. Environment: see tools/lib/operator.sh; KEEP_WORK=1 keeps the files if it fails.
set -euo pipefail

size=${1:-2000} rounds=${2:-10}
for number in "$size" "$rounds"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || { echo "check-backups.sh: expected a number: $number" >&2; exit 2; }
done
# shellcheck source=tools/lib/operator.sh
source "$(dirname "$0")/lib/operator.sh"
cd "$work"
command -v redis-cli >/dev/null || fail "redis-cli is missing"
need_space $((size * 6 + 2000))
keys=$(keys_of "$size")
at_exit() { touch "$work/end"; }

main() { redis-cli -p "${ports[main]}" "$@"; }
ours() { ferrolith "$@" --server "127.0.0.1:${ports[main]}"; }
backups() { ferrolith backup list backups/daily 2>/dev/null | grep -c ' ago ' || true; }
job() { field backup "$1" -p "${ports[main]}"; }
port=0
start_main() {
  start main --dir data --backup-dir backups --memory-mb 256 --listen "127.0.0.1:$port"
  # Writers connect to it again after a kill.
  port=${ports[main]}
}

# Changes keys `data:*` until the file `pause` exists; then makes the file `paused`. Commands may fail, since the server
# is killed.
write_data() {
  local seed=$1
  until [[ -e end ]]; do
    if [[ -e pause ]]; then
      touch paused
      sleep 0.05
      continue
    fi
    seed=$((seed + 1))
    {
      data $(((RANDOM * 32768 + RANDOM) % keys)) 50 $seed data:
      changes $seed
    } | redis-cli -p "$port" --pipe >/dev/null 2>&1 || true
    # About a hundredth of the data in a second.
    sleep "$(awk -v size="$size" 'BEGIN { print 60 / size }')"
  done
}

# Commands that change, shorten and delete keys all over the data. Argument: a number that changes them.
changes() {
  awk -v keys="$keys" -v seed="$1" -v pool_file=pool 'BEGIN {
    getline pool < pool_file
    srand(seed)
    for (n = 0; n < 300; n++) {
      i = 10 * int(rand() * keys / 10); v = substr(pool, 1 + int(rand() * 120000), 800)
      print "SET data:text:" i " " v; print "DEL data:text:" i + 1; print "SET data:text:" i + 2 " " v " EX 100000000"
      print "HSET data:hash:" i + 5 " f2 " n " f" n " " v; print "HDEL data:hash:" i + 5 " f1"
      print "RPUSH data:list:" i + 6 " " v; print "LPOP data:list:" i + 6
      print "SADD data:set:" i + 7 " " v; print "SPOP data:set:" i + 7
      print "ZADD data:sorted:" i + 8 " " n " " v; print "ZPOPMIN data:sorted:" i + 8
      print "XADD data:stream:" i + 9 " MAXLEN 3 * f " v; print "PERSIST data:text:" i
    }
    for (n = 0; n < 3; n++) {
      i = int(rand() * keys / 10) * 10
      for (k = 0; k < 200; k += 10) print "UNLINK data:text:" i + k + 3
    }
  }'
}

# Transactions on three keys `noise:*` of several partitions. The file `acknowledged` has the number of the last one.
write_noise() {
  local last
  until [[ -e end ]]; do
    last=$(for _ in $(seq 20); do
      printf 'MULTI\nINCR noise:a\nRPUSH noise:list x\nINCR noise:b\nEXEC\n'
    done | redis-cli -p "$port" 2>/dev/null | grep -E '^[0-9]+$' | tail -1) || true
    if [[ -n $last ]]; then echo "$last" >acknowledged.new && mv acknowledged.new acknowledged; else sleep 0.05; fi
  done
}

# Starts a backup that takes some time, and interrupts it at a random point. Argument: how.
interrupt() {
  local how=$1 share=$((20 + RANDOM % 60)) planned=0 done_=0 before status=0 client rate
  before=$(backups)
  # A backup of everything takes 40 s, one of a few tables long enough to interrupt it.
  rate=$(($(du -sm data | cut -f1) / 40 + 1))
  ours backup create daily --rate-mb $rate >interrupted 2>&1 &
  client=$!
  until ((planned > 0 && done_ * 100 >= planned * share)); do
    kill -0 $client 2>/dev/null || fail "the backup ended before it was interrupted: $(tail -2 interrupted)"
    planned=$(job backup_planned_bytes) done_=$(job backup_done_bytes)
    planned=${planned:-0} done_=${done_:-0}
  done
  case $how in
    KILL | TERM) stop main "$how" ;;
    STOP) ours backup stop >/dev/null ;;
  esac
  wait $client || status=$?
  [[ $status == 1 ]] || fail "backup create ended with $status: $(tail -2 interrupted)"
  say "  interrupted by $how at $((done_ >> 20)) of $((planned >> 20)) MB"
  [[ $how == STOP ]] || start_main
  [[ $(backups) == "$before" ]] || fail "an interrupted backup is listed"
  ((($(main GET noise:a)) >= $(<acknowledged))) || fail "$(main GET noise:a) of $(<acknowledged) transactions are left"
}

# Whether the writer of `data:*` has stopped.
is_paused() { [[ -e paused ]]; }

# Fails if there are files that no backup uses, or tables of a backup are missing.
check_files() {
  (cd backups/daily && grep -ho 'shared_checksum/[^ ]*' meta/* | sort -u) >used
  (cd backups/daily && find shared_checksum -type f | sort) >there
  cmp -s used there || fail "tables in meta files and in the directory: $(diff used there | head -5)"
}

# Prints a number of the reply to `backup create --json`.
number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" made; }

# Creates the backup of a round, and restores and compares it. Argument: the number of the round.
backup_and_compare() {
  local round=$1 id bytes reused_now noise_before noise_after noise_restored to
  touch pause
  await 120 "the writer does not stop" is_paused
  noise_before=$(<acknowledged)
  ours backup create daily --note "round $round" --json >made
  noise_after=$(main GET noise:a)
  id=$(number id) bytes=$(number bytes) reused_now=$(number reused_bytes)
  reused=$((reused + reused_now))
  say "  backup $id: $((bytes >> 20)) MB, $((reused_now >> 20)) MB of them reused"
  check_files
  restore "$id"
  to=${ports[restored]}
  ours diff --to "127.0.0.1:$to" --match 'data:*' >found 2>progress || fail "round $round: $(head -5 found progress)"
  noise_restored=$(redis-cli -p "$to" GET noise:a)
  for other in "$(redis-cli -p "$to" GET noise:b)" "$(redis-cli -p "$to" LLEN noise:list)"; do
    [[ $other == "$noise_restored" ]] || fail "a transaction is torn: $noise_restored and $other"
  done
  ((noise_restored >= noise_before && noise_restored <= noise_after)) ||
    fail "the backup has $noise_restored transactions, expected $noise_before to $noise_after"
  say "  equal: $(tail -1 found); $noise_restored transactions of $noise_before to $noise_after"
  stop restored
  rm -r restored
  rm pause paused
}

# Restores a backup and starts a server on it; each third restore is killed first. Argument: the number of the backup.
restore() {
  if ((round % 3 == 2)); then
    ferrolith backup restore backups/daily --id "$1" --to restored --rate-mb $((size / 20 + 1)) >/dev/null 2>&1 &
    sleep 2
    kill -9 $! && wait $! 2>/dev/null || true
    if [[ -e restored/RESTORE-UNFINISHED ]]; then
      say "  killed the restore after $(du -sm restored | cut -f1) MB"
      "${server[@]}" --dir restored --listen 127.0.0.1:0 >refused 2>&1 && fail "a server opened half a restore"
      grep -q "has not finished" refused || fail "opening half a restore: $(cat refused)"
    fi
  fi
  ferrolith backup restore backups/daily --id "$1" --to restored >/dev/null
  start restored --dir restored --memory-mb 256 --listen 127.0.0.1:0
}

install_programs
start_main
say "loading $size MB"
load "$size" data: -p "$port"
echo 0 >acknowledged
write_data 1 &
write_noise &
reused=0
ways=(KILL STOP TERM)
for ((round = 1; round <= rounds; round++)); do
  say "round $round"
  # What changed since the last backup is larger than what is copied in an instant.
  sleep $((3 + size / 500))
  interrupt "${ways[(round - 1) % 3]}"
  backup_and_compare $round
done
# Compactions of little data replace all tables.
((reused > 0 || size < 2000)) || fail "no backup used a table of another one"
touch end
wait %2 %3 2>/dev/null || true
[[ $(backups) == "$rounds" ]] || fail "$(backups) backups are listed"
say "verifying all backups: $(du -sm backups | cut -f1) MB"
for id in $(ferrolith backup list backups/daily | cut -d' ' -f1); do
  ferrolith backup verify backups/daily --id "$id" >/dev/null
done
stop main
say "ok: $rounds backups of $size MB"
