#!/usr/bin/env bash
# Everything that must pass before a change lands: generated code is fresh, contract, migrations, format, lint, types, drift, tests;
# of these all, or those that are named.
set -euo pipefail
cd "$(dirname "$0")/.."
step() { printf '\n== %s\n' "$*"; "$@"; }

generated() {
  npm run --silent generate
  if [ -n "$(git status --porcelain -- gen)" ]; then
    echo 'gen/ differs from what its sources give: commit the output of "npm run generate"' >&2
    git status --short -- gen >&2
    return 1
  fi
}
lockfile() {
  node scripts/complete-lockfile.mjs
  git diff --exit-code --stat -- package-lock.json test/generators/package-lock.json
}
contract() {
  # Against what has landed, or where nothing is known of that, against the last commit.
  local landed
  landed=$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
  npx buf breaking --against ".git#ref=$landed"
}
migrations() {
  # All but the first one, which makes tables that nobody uses yet.
  local new=(prisma/migrations/*/migration.sql)
  new=("${new[@]:1}")
  [ ${#new[@]} -eq 0 ] || npx squawk "${new[@]}"
}

step lockfile
step generated
step contract
step migrations
step npm run --silent lint
step npm run --silent types
step npm run --silent build
step node scripts/drift.mjs
step npm run --silent test:all -- "$@"
