#!/usr/bin/env bash
# Debian's Go and the template functions that Helm uses, for the tests of the chart, where they are not there yet: Debian
# has no Helm.
set -euo pipefail
packages=(golang-go golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev)
if dpkg --status "${packages[@]}" >/dev/null 2>&1; then exit 0; fi
sudo=()
if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
