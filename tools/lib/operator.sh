# shellcheck shell=bash
# What the scripts share that do an operator's work: the programs, data, and what servers say of it. Sourced, not run.
#
# Environment: FERROLITH is the program `ferrolith`, by default a debug build; FERROLITH_SERVER a ferrolith-server, by
# default `ferrolith server`; and that of tools/lib/server.sh, which this uses.
#
# `install_programs` puts `ferrolith` into `bin` of the directory `work`, and sets `server`, the command of the server.

# shellcheck source=tools/lib/server.sh
source "$(dirname "${BASH_SOURCE[0]}")/server.sh"

# Scripts change to `work` next, so relative paths must end here.
[[ -z ${FERROLITH:-} ]] || FERROLITH=$(realpath -m "$FERROLITH")
[[ -z ${FERROLITH_SERVER:-} ]] || FERROLITH_SERVER=$(realpath -m "$FERROLITH_SERVER")

# Puts the programs into `bin`.
install_programs() {
  local program=${FERROLITH:-}
  if [[ -z $program ]]; then
    cargo build -q --manifest-path "$top/Cargo.toml" -p ferrolith-cli
    program=${CARGO_TARGET_DIR:-$top/target}/debug/ferrolith
  fi
  [[ -x $program ]] || fail "there is no program $program (FERROLITH)"
  mkdir "$work/bin"
  ln -s "$(realpath "$program")" "$work/bin/ferrolith"
  PATH=$work/bin:$PATH
  server=(ferrolith server)
  if [[ -n ${FERROLITH_SERVER:-} ]]; then
    [[ -x $FERROLITH_SERVER ]] || fail "there is no program $FERROLITH_SERVER (FERROLITH_SERVER)"
    ln -s "$(realpath "$FERROLITH_SERVER")" "$work/bin/ferrolith-server"
    server=(ferrolith-server)
  fi
}

# Fails unless so many megabytes are free in `work`.
need_space() {
  local free
  free=$(df -Pm "$work" | awk 'NR == 2 { print $4 }')
  ((free >= $1)) || fail "$work: $1 MB of space are needed, $free are free (TMPDIR)"
}

# Keys of so many megabytes.
keys_of() { echo $(($1 * 900)); }

# Prints commands that write keys of all types, of about 1.1 KB each, whose values do not compress. Arguments: the first
# number, how many, a number that changes the values, the beginning of the keys' names.
data() {
  # Two digits of hexadecimal code take a byte: compression halves them.
  [[ -s $work/pool ]] || head -c 100000 /dev/urandom | base64 -w0 >"$work/pool"
  awk -v first="$1" -v count="$2" -v seed="$3" -v prefix="$4" -v pool_file="$work/pool" '
    function text(n, length_) { return substr(pool, 1 + (n * 7919 + seed * 104729 + ++calls * 31) % 130000, length_) }
    BEGIN {
      getline pool < pool_file
      for (i = first; i < first + count; i++) {
        kind = i % 10
        if (kind <= 4) { key = prefix "text:" i; print "SET " key " " text(i, 1000) i }
        if (kind == 5) { key = prefix "hash:" i; print "HSET " key " f1 " text(i, 500) " f2 " text(i + 1, 500) i }
        if (kind == 6) { key = prefix "list:" i; print "RPUSH " key " " i " " text(i, 500) " " text(i + 1, 500) }
        if (kind == 7) { key = prefix "set:" i; print "SADD " key " " i " " text(i, 500) " " text(i + 1, 500) }
        if (kind == 8) { key = prefix "sorted:" i; print "ZADD " key " " i / 3 " " text(i, 500) " 7 " text(i + 1, 500) }
        if (kind == 9) { key = prefix "stream:" i; print "XADD " key " " seed + 1 "-" i + 1 " field " text(i, 1000) }
        if (i % 7 == 0) printf "PEXPIREAT %s %.0f\n", key, 4102444800000 + i
      }
    }'
}

# Sends commands of the standard input with `redis-cli --pipe` and the given flags; all must succeed.
pipe() {
  redis-cli "$@" --pipe >"$work/piped" 2>&1 || true
  grep -q '^errors: 0' "$work/piped" || fail "writing: $(tail -3 "$work/piped")"
}

# Loads so many megabytes. Arguments: megabytes, the beginning of the keys' names, flags of redis-cli.
load() {
  local keys first step=90000 prefix=$2
  keys=$(keys_of "$1")
  shift 2
  for ((first = 0; first < keys; first += step)); do
    data $first $((keys - first < step ? keys - first : step)) 0 "$prefix" | pipe "$@"
    ((first / step % 10 != 9)) || say "  $((first + step)) of $keys keys"
  done
}

# Prints a line of INFO. Arguments: section, name, flags of redis-cli.
field() {
  local section=$1 name=$2
  shift 2
  redis-cli "$@" INFO "$section" 2>/dev/null | tr -d '\r' | sed -n "s/^$name://p"
}
