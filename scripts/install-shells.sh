#!/usr/bin/env bash
# Debian's zsh, fish and curl for the tests that run the commands of the documents, where they are not there yet.
set -euo pipefail
missing=()
for program in zsh fish curl; do command -v "$program" >/dev/null || missing+=("$program"); done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi
sudo=()
if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
