#!/usr/bin/env bash
# What test/generators/package-lock.json names, for the tests of generated clients and of React, where it is not there yet.
set -euo pipefail
cd "$(dirname "$0")/../test/generators"
installed=node_modules/.installed.json
# Several files of tests may ask for them at once.
if command -v flock >/dev/null; then
  exec 9<package.json
  flock 9
fi
if cmp -s package-lock.json $installed; then exit 0; fi
npm ci --prefer-offline --no-audit --no-fund >/dev/null
cp package-lock.json $installed
