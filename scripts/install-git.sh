#!/usr/bin/env bash
# Debian's Git for the tests of what is made from a commit, where there is none yet.
set -euo pipefail
if command -v git >/dev/null; then exit 0; fi
sudo=()
if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends git >/dev/null
