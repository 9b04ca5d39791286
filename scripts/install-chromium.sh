#!/usr/bin/env bash
# Debian's Chromium for the tests of the reference page and of the client in browsers, where there is none yet.
set -euo pipefail
if [ -n "${CHROMIUM_PATH:-}" ] || command -v chromium >/dev/null; then exit 0; fi
sudo=()
if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
"${sudo[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends chromium >/dev/null
