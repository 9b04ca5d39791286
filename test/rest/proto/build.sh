#!/bin/sh
# Compiles the test messages into the descriptor set that the tests load. Run from the root of the repository.
set -e
npx buf build . \
  --config '{"version":"v2","modules":[{"path":"proto"},{"path":"test/rest/proto"}]}' \
  --path test/rest/proto/rest --as-file-descriptor-set --exclude-source-info -o test/rest/proto/messages.binpb
