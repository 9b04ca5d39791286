#!/usr/bin/env bash
# Debian's promtool for the test of the alert rules, where there is none yet.
set -euo pipefail
if command -v promtool >/dev/null; then exit 0; fi
sudo=()
if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
"${sudo[@]}" apt-get update -qq
# A part of the package of the server, which is not to run here.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && apt-get download -qq prometheus && dpkg-deb --extract prometheus_*.deb .)
"${sudo[@]}" install -m 755 "$folder/usr/bin/promtool" /usr/local/bin/promtool
