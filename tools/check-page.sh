#!/usr/bin/env bash
# Opens the web page of ferrolith-server in a real browser and checks it: each view by clicks and by keyboard, dark and
# light, at 360 px and on a desk, with hostile keys and with a password. Numbers on the page are compared with the API,
# and the API with INFO. An error on the console and any request to another place is a failure. Screenshots stay in
# target/page; with UPDATE_DOCS=1, those of the documentation are replaced.
#
#   tools/check-page.sh
#
# Installs what is missing: chromium, node and npm with apt-get, puppeteer-core with npm (in the cache). FERROLITH_SERVER
# names a built ferrolith-server; otherwise cargo builds it.
set -euo pipefail
source "$(dirname "$0")/lib/server.sh"
cd "$top"

source tools/lib/browser.sh

server_program "${FERROLITH_SERVER:-}"
out=target/page
mkdir -p "$out"

# Runs the checks of a kind on a new server. Arguments: kind, flags of the server.
check() {
  local kind=$1
  shift
  start_fresh 127.0.0.1:0 --http-listen 127.0.0.1:0 "$@"
  local http=127.0.0.1:${http_ports[fresh]}
  node crates/server/tests/page/check.mjs "$cache" "$(command -v chromium)" "$out" "$kind" "$http" "$port"
}

# Little memory, so that there are flushes and compactions.
check open --memory-mb 16
check password --requirepass 'right "<b>'
if [[ -n ${UPDATE_DOCS:-} ]]; then
  cp "$out/overview-desk-light.png" docs/server/page-light.png
  cp "$out/timeline-desk-dark.png" docs/server/page-dark.png
fi
