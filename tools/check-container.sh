#!/usr/bin/env bash
# Builds the image of packaging/Containerfile with buildah, runs it with podman, and tries it: who runs the server, settings
# from the environment, clients, health, a backup, a restart, SIGTERM, a memory limit, a read-only root, and a directory
# that belongs to somebody else.
#
#   tools/check-container.sh [PROGRAM]
#
# PROGRAM is a built `ferrolith`, by default a debug build. It takes the place of what the first stage of the file builds,
# since that stage downloads the image of Rust and all dependencies. The base image is made by debootstrap, so no registry
# of images is needed. Both are the same programs as in the published images, but not the same layers.
#
# Needs root, curl, and buildah, podman, runc and debootstrap, which it installs with apt-get. Images and containers are in a
# directory of their own, which is removed; the files of the base image stay in the cache. What this machine cannot do is
# skipped by name.
set -euo pipefail

# shellcheck source=tools/lib/server.sh
source "$(dirname "$0")/lib/server.sh"
cd "$top"
[[ $(id -u) == 0 ]] || { echo "skipped: only root can make the base image"; exit 0; }
missing=()
for program in buildah podman runc debootstrap; do
  command -v $program >/dev/null || missing+=($program)
done
if [[ ${#missing[@]} -gt 0 ]]; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$work/apt.log" 2>&1 ||
    { echo "skipped: ${missing[*]} cannot be installed: $(tail -1 "$work/apt.log")"; exit 0; }
fi
program=${1:-}
if [[ -z $program ]]; then
  cargo build -q -p ferrolith-cli
  program=${CARGO_TARGET_DIR:-target}/debug/ferrolith
fi
[[ -x $program ]] || fail "there is no program $program"

storage=(--root "$work/storage" --runroot "$work/run" --storage-driver vfs)
buildah() { command buildah "${storage[@]}" "$@"; }
podman() { command podman "${storage[@]}" --runtime runc --cgroup-manager cgroupfs --events-backend file \
    --tmpdir "$work/tmp" "$@"; }
at_exit() {
  podman rm --all --force --time 0
  buildah umount --all
} >/dev/null 2>&1

say "the base image, by debootstrap"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ferrolith/debian-bookworm-base
if [[ ! -d $cache ]]; then
  mkdir -p "$(dirname "$cache")"
  debootstrap --variant=minbase bookworm "$work/base" >"$work/debootstrap.log" 2>&1 ||
    { echo "skipped: debootstrap failed: $(tail -1 "$work/debootstrap.log")"; exit 0; }
  mv "$work/base" "$cache"
fi
base=$(buildah from scratch)
buildah copy -q "$base" "$cache" / >/dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd bash "$base"
buildah commit -q --rm "$base" debian:bookworm-slim >/dev/null

say "the image of the file"
mkdir -p "$work/build/source/target/release"
cp "$program" "$work/build/source/target/release/ferrolith"
if command -v strip >/dev/null; then strip "$work/build/source/target/release/ferrolith"; fi
# The stage that compiles gives way to the program.
sed '1,/^FROM .* AS build$/d; /^FROM debian/,$!d' packaging/Containerfile >"$work/Containerfile"
grep -q '^FROM debian' "$work/Containerfile" || fail "packaging/Containerfile has other stages than expected"
buildah build -q --isolation chroot --pull-never --build-context "build=$work/build" -f "$work/Containerfile" \
  -t ferrolith "$work/build" >"$work/build.log" 2>&1 || fail "the build: $(tail -5 "$work/build.log")"

# A value of the image's configuration.
configured() { podman image inspect --format "{{$1}}" ferrolith; }
is() { [[ $2 == "$3" ]] || fail "$1: expected '$3', found '$2'"; }
is "the user" "$(configured .Config.User)" 999:999
is "the entry point" "$(configured .Config.Entrypoint)" "[ferrolith server]"
is "the signal" "$(configured .Config.StopSignal)" SIGTERM
is "the volumes" "$(configured .Config.Volumes)" "map[/backups:{} /data:{}]"

# Not more than this machine allows to a process without CAP_SYS_RESOURCE.
limits=(--ulimit "nofile=$(ulimit -Hn):$(ulimit -Hn)" --ulimit nproc=1000:1000)
# Runs a container in the background on this machine's network. Arguments: name, flags of podman, --, flags of the server.
container() {
  local name=$1 flags=()
  shift
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  podman run -d --network host "${limits[@]}" --name "$name" "${flags[@]}" ferrolith "$@" >"$work/container.log" 2>&1
}
logs() { podman logs "$1" 2>&1 || true; }
listens() {
  [[ $(podman inspect --format '{{.State.Running}}' "$1") == true ]] || fail "$1 ended: $(logs "$1" | tail -3)"
  logs "$1" | grep -q '^Redis clients: '
}
address() { logs "$1" | sed -n "s/^$2: 0.0.0.0:/127.0.0.1:/p; s/^$2: 127/127/p" | tail -1; }
client() { "$program" "$@" --timeout 300 --server "$(address main 'Redis clients')"; }

say "a container"
mkdir "$work/data" "$work/backups"
# The first sync of the server must not wait for the layers of the image.
sync
chown 999:999 "$work/data" "$work/backups"
main=(-v "$work/data:/data" -v "$work/backups:/backups" --read-only
  -e FERROLITH_SERVER_LISTEN=127.0.0.1:0 -e FERROLITH_SERVER_HTTP_LISTEN=127.0.0.1:0 -e FERROLITH_SERVER_MEMORY_MB=64)
if ! container main "${main[@]}" --; then
  echo "skipped: podman cannot run containers here: $(tail -1 "$work/container.log")"
  exit 0
fi
await 60 "the server does not listen: $(logs main | tail -3)" listens main
is "the user of the process" "$(podman exec main sh -c 'stat -c %u:%g /proc/1')" 999:999
is "process 1" "$(podman exec main sh -c 'tr "\0" " " </proc/1/cmdline')" "ferrolith server "
is "the owner of the files" "$(stat -c %u:%g "$work/data/CURRENT")" 999:999
podman exec main test -s /etc/ssl/certs/ca-certificates.crt || fail "no certificates of authorities"
podman exec main ferrolith config explain | grep -qE '^memory-mb +environment +64$' || fail "the setting from the environment"
client set greeting hello
is "a key" "$(client get greeting)" hello
is "/health" "$(curl -sS "http://$(address main HTTP)/health")" ok
client backup create daily >"$work/backup.log" 2>&1 || fail "the backup: $(cat "$work/backup.log")"
podman exec main ferrolith backup verify /backups/daily >/dev/null
podman exec main ferrolith doctor /data >"$work/doctor.log" || fail "doctor: $(cat "$work/doctor.log")"

say "stop and start"
podman stop --time 60 main >/dev/null
is "the exit code after SIGTERM" "$(podman inspect --format '{{.State.ExitCode}}' main)" 0
logs main | grep -q 'stopping reason="SIGTERM"' || fail "the log has no end: $(logs main | tail -3)"
podman start main >/dev/null
await 60 "the server does not listen again" listens main
# The address of the second start is the last one in the log.
await 60 "the server does not answer" client get greeting >/dev/null
is "the key after a restart" "$(client get greeting)" hello
podman rm --force --time 60 main >/dev/null
container other -v "$work/data:/data" -v "$work/backups:/backups" -e FERROLITH_SERVER_LISTEN=127.0.0.1:0 -- --databases 3
await 60 "a new container does not listen" listens other
is "the key in another container" "$(podman exec other ferrolith get greeting --server "$(address other 'Redis clients')")" hello
podman rm --force --time 60 other >/dev/null

say "what must be refused"
# Ends with an error that has this text. Arguments: name, text, then as `container`.
refused() {
  local name=$1 text=$2
  shift 2
  container "$name" "$@" || fail "$name: $(tail -1 "$work/container.log")"
  [[ $(podman wait "$name") == 1 ]] || fail "$name did not fail: $(logs "$name" | tail -3)"
  logs "$name" | grep -q "$text" || fail "$name: expected '$text': $(logs "$name" | tail -3)"
}
mkdir "$work/foreign"
refused foreign "Permission denied" -v "$work/foreign:/data" --
# shellcheck disable=SC2154
if podman run --rm --network host "${limits[@]}" --memory 128m ferrolith --version >"$work/memory.log" 2>&1; then
  refused memory "set memory-mb to at most" --memory 128m -e FERROLITH_SERVER_MEMORY_MB=4096 --
else
  say "  skipped: no memory limits here: $(tail -1 "$work/memory.log")"
fi
say "ok: the container"
