#!/usr/bin/env bash
# Checks the Debian package of the server: it is installed in a copy of this system (an overlay in a mount namespace of
# its own), its settings pass `ferrolith config check`, systemd accepts its unit, and the user that it creates runs the
# server, which serves and makes a backup.
#
#   tools/check-server-deb.sh [PACKAGE.deb]        default: builds it with cargo's dev profile
# Needs root, systemd and dpkg.
set -euo pipefail
cd "$(dirname "$0")/.."

package=${1:-$(cargo x deb --server --profile dev --maintainer "Check <check@localhost>" | grep '\.deb$')}
package=$(realpath "$package")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/inside.sh" <<'INSIDE'
set -euo pipefail
work=$1 package=$2
mkdir "$work/over"
mount -t tmpfs tmpfs "$work/over"
mkdir -p "$work"/over/{upper,work,root}
cp "$package" "$work/over/server.deb"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/over/upper,workdir=$work/over/work" "$work/over/root"
root=$work/over/root
cp "$work/over/server.deb" "$root/server.deb"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc"
chroot "$root" /bin/bash -c '
  set -euo pipefail
  dpkg -i /server.deb
  test -z "$(dpkg --audit)"
  ferrolith --version
  ferrolith config check /etc/ferrolith/server.toml
  systemd-analyze verify --man=no /usr/lib/systemd/system/ferrolith-server.service
  test "$(stat -c "%U %G %a" /etc/ferrolith/server.toml)" = "root ferrolith 640"
  test -s /usr/share/man/man1/ferrolith-backup-create.1.gz
  bash -n /usr/share/bash-completion/completions/ferrolith
  # What StateDirectory= does.
  install -d -o ferrolith -g ferrolith -m 0750 /var/lib/ferrolith /var/lib/ferrolith-backups
  as="setpriv --reuid ferrolith --regid ferrolith --clear-groups"
  run() { $as "$@"; }
  # Not the function: the number of its process would be that of a shell.
  $as ferrolith server --config /etc/ferrolith/server.toml --listen 127.0.0.1:0 >/tmp/out &
  server=$!
  trap "kill $server" EXIT
  for _ in $(seq 100); do grep -q "Redis clients" /tmp/out && break; sleep 0.1; done
  address=$(sed -n "s/^Redis clients: //p" /tmp/out)
  run ferrolith set greeting hello --server "$address"
  test "$(run ferrolith get greeting --server "$address")" = hello
  run ferrolith backup create daily --server "$address"
  dpkg --purge ferrolith-server
  test -d /var/lib/ferrolith-backups/daily/meta
'
echo "the package of the server: ok"
INSIDE
unshare --mount bash "$work/inside.sh" "$work" "$package"
