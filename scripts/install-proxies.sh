#!/usr/bin/env bash
# Debian's nginx and HAProxy for the tests behind them, where there are none yet. The tests start their own: the packages'
# are not to run where no other service is started on installation either.
set -euo pipefail
if [ -x /usr/sbin/nginx ] && [ -x /usr/sbin/haproxy ]; then exit 0; fi
sudo=()
if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nginx-light haproxy >/dev/null
