# shellcheck shell=bash
# Installs the browser of the scripts that check pages, and what drives it, as far as they are missing: chromium, node and
# npm with apt-get, puppeteer-core with npm. Sourced, not run.
#
# Sets `cache`, the directory with puppeteer-core.

puppeteer_version=24.43.1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ferrolith/puppeteer-core-$puppeteer_version
browser_missing=()
command -v chromium >/dev/null || browser_missing+=(chromium)
command -v node >/dev/null || browser_missing+=(nodejs)
command -v npm >/dev/null || browser_missing+=(npm)
if [[ ${#browser_missing[@]} -gt 0 ]]; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${browser_missing[@]}"; } >&2
fi
if [[ ! -d $cache/node_modules/puppeteer-core ]]; then
  mkdir -p "$cache"
  npm install --silent --no-audit --no-fund --prefix "$cache" "puppeteer-core@$puppeteer_version" >&2
fi
