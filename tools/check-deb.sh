#!/usr/bin/env bash
# Checks the Debian packages: both are installed beside Debian's librocksdb7.8 and rocksdb-tools, which must go on
# working; programs in C and Go that were built against Debian's librocksdb-dev 7.8.3 then run on our library without a
# rebuild. The installation is real, but in a copy of this system (an overlay in a mount namespace of its own), so that
# nothing here changes.
#
#   tools/check-deb.sh [RUNTIME.deb DEVELOPMENT.deb]        default: builds them with cargo's dev profile
# Needs root, go, gcc, apt-get; and Debian 12, whose librocksdb is 7.8.3.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/ferrolith/debian-7.8.3
if [[ ! -d $cache/usr ]]; then
  mkdir -p "$cache/debs"
  (cd "$cache/debs" && apt-get download -qq librocksdb7.8 librocksdb-dev 2>/dev/null)
  for deb in "$cache"/debs/*.deb; do dpkg-deb -x "$deb" "$cache"; done
fi
lib=$cache/usr/lib/$(cc -print-multiarch)
if (($# == 2)); then
  packages=("$1" "$2")
else
  mapfile -t packages < <(cargo x deb --profile dev --maintainer "Check <check@localhost>" | grep '\.deb$')
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# C: those of our programs that need no newer function than Debian's header has. What does not compile for another
# reason than a missing name is an error.
mkdir -p "$work/c"
skipped=()
for source in crates/capi/tests/c/*.c; do
  name=$(basename "$source" .c)
  if LC_ALL=C cc -std=gnu11 -O1 -Werror -I"$cache/usr/include" -o "$work/c/$name" "$source" \
    -L"$lib" -lrocksdb -lpthread 2>"$work/errors"; then
    continue
  fi
  missing=$(grep -oE "(implicit declaration of function|unknown type name|'rocksdb_[a-z0-9_]+' undeclared).*" "$work/errors" |
    grep -oE 'rocksdb_[a-z0-9_]+' | head -n 1 || true)
  if [[ -z $missing ]]; then
    echo "$name: does not compile, and not for want of a newer function:" >&2
    cat "$work/errors" >&2
    exit 1
  fi
  skipped+=("$name ($missing)")
done
if ((${#skipped[@]})); then
  printf 'C programs skipped, since 7.8.3 does not have what they call: %d\n' "${#skipped[@]}"
  printf '  %s\n' "${skipped[@]}"
fi
# Go: a program over grocksdb v1.7.15, which is written for 7.8.
mkdir -p "$work/go"
cat >"$work/go/go.mod" <<'MOD'
module check

go 1.17

require github.com/linxGnu/grocksdb v1.7.15
MOD
cat >"$work/go/main.go" <<'GO'
package main

import (
	"fmt"
	"os"

	"github.com/linxGnu/grocksdb"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	options := grocksdb.NewDefaultOptions()
	options.SetCreateIfMissing(true)
	options.SetCompression(grocksdb.LZ4Compression)
	db, err := grocksdb.OpenDb(options, os.Args[1]+"/go")
	must(err)
	wo, ro := grocksdb.NewDefaultWriteOptions(), grocksdb.NewDefaultReadOptions()
	batch := grocksdb.NewWriteBatch()
	for i := 0; i < 1000; i++ {
		batch.Put([]byte(fmt.Sprintf("key%04d", i)), []byte(fmt.Sprintf("value%d", i)))
	}
	must(db.Write(wo, batch))
	must(db.Flush(grocksdb.NewDefaultFlushOptions()))
	must(db.Delete(wo, []byte("key0500")))
	n := 0
	it := db.NewIterator(ro)
	for it.SeekToFirst(); it.Valid(); it.Next() {
		n++
	}
	must(it.Err())
	it.Close()
	value, err := db.Get(ro, []byte("key0007"))
	must(err)
	if n != 999 || string(value.Data()) != "value7" {
		panic(fmt.Sprint(n, string(value.Data())))
	}
	value.Free()
	db.Close()
	fmt.Println("go program: ok")
}
GO
(
  cd "$work/go"
  export GOFLAGS=-mod=mod CGO_CFLAGS="-I$cache/usr/include" CGO_LDFLAGS="-L$lib -lrocksdb"
  if ! go build -tags grocksdb_no_link -o "$work/go/program" . 2>"$work/errors"; then
    echo "go build failed:" >&2
    cat "$work/errors" >&2
    exit 1
  fi
)
readelf -d "$work/go/program" | grep -F 'librocksdb.so.7.8'

# Installed for real, in a copy of this system.
mkdir -p "$work/over"
cat >"$work/inside.sh" <<'INSIDE'
set -euo pipefail
work=$1
shift
mount -t tmpfs tmpfs "$work/over"
mkdir -p "$work"/over/{upper,work,root,programs}
cp -r "$work/c" "$work/go" "$work/over/programs/"
mkdir "$work/over/programs/debs"
cp "$@" "$work/over/programs/debs/"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/over/upper,workdir=$work/over/work" "$work/over/root"
mkdir -p "$work/over/root/programs" "$work/over/root/dev/shm"
mount --bind "$work/over/programs" "$work/over/root/programs"
mount --bind /dev "$work/over/root/dev"
mount -t proc proc "$work/over/root/proc" 2>/dev/null || mount --rbind /proc "$work/over/root/proc"
chroot "$work/over/root" /bin/bash -c '
  set -euo pipefail
  export DEBIAN_FRONTEND=noninteractive
  dpkg --remove --force-depends librocksdb-dev >/dev/null 2>&1 || true
  dpkg-query -W -f "\${Status}\n" rocksdb-tools | grep -qx "install ok installed"
  dpkg -i /programs/debs/*.deb
  # The tools of Debian stay, and run on the library of Debian.
  dpkg-query -W -f "\${Status}\n" rocksdb-tools | grep -qx "install ok installed"
  test -z "$(dpkg --audit)"
  ldb --db=/tmp/tools --create_if_missing put key value | grep -x OK
  ldb --db=/tmp/tools get key | grep -x value
  echo "rocksdb-tools beside our library: ok"
  export LD_LIBRARY_PATH=/usr/lib/$(gcc -print-multiarch)/ferrolith/7.8
  status=0 ran=0
  for program in /programs/c/*; do
    dir=$(mktemp -d)
    if timeout 120 "$program" "$dir" >/tmp/out 2>&1; then ran=$((ran + 1)); else
      echo "$(basename "$program"): FAILED: $(tail -n 1 /tmp/out)"; status=1
    fi
    rm -rf "$dir"
  done
  echo "C programs: $ran ran"
  ldd /programs/go/program | grep librocksdb
  dir=$(mktemp -d)
  timeout 120 /programs/go/program "$dir"
  printf "#include <rocksdb/c.h>\nint main(void) { rocksdb_options_destroy(rocksdb_options_create()); return 0; }\n" >/tmp/static.c
  unset LD_LIBRARY_PATH
  cc -o /tmp/static /tmp/static.c -Wl,-Bstatic -lrocksdb -Wl,-Bdynamic -lgcc_s -lm
  /tmp/static && echo "linked with librocksdb.a: ok"
  exit $status
'
INSIDE
unshare --mount bash "$work/inside.sh" "$work" "${packages[@]}"
